//! Clauses in the DIMACS format.

use crate::{refuse, Refusal};

/// Clauses, numbered from 1 in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Formula {
    /// Number of variables that the file announces.
    pub variables: usize,
    /// The clauses; a literal is a variable from 1 or its negative.
    pub clauses: Vec<Vec<i32>>,
}

impl Formula {
    /// Reads a file's text: comment lines `c …`, one line `p cnf VARIABLES CLAUSES`, then clauses that end with 0.
    ///
    /// # Errors
    /// For anything else, and where the announced numbers are not those of the clauses.
    pub fn read(text: &str) -> Result<Self, Refusal> {
        let mut lines = text.lines().filter(|line| !line.starts_with('c'));
        let head: Vec<&str> = lines.next().unwrap_or("").split_whitespace().collect();
        let [p, cnf, variables, clauses] = head[..] else {
            return refuse("the clause file has no line `p cnf VARIABLES CLAUSES`");
        };
        let (Ok(variables), Ok(announced)) = (variables.parse::<usize>(), clauses.parse::<usize>()) else {
            return refuse("the clause file's head has no numbers");
        };
        if (p, cnf) != ("p", "cnf") {
            return refuse("the clause file has no line `p cnf VARIABLES CLAUSES`");
        }
        let mut formula = Formula { variables, clauses: Vec::with_capacity(announced.min(1 << 24)) };
        let mut clause = Vec::new();
        for word in lines.flat_map(str::split_whitespace) {
            match word.parse::<i32>() {
                Ok(0) => formula.clauses.push(std::mem::take(&mut clause)),
                Ok(literal) if literal.unsigned_abs() as usize <= variables => clause.push(literal),
                _ => return refuse(format!("`{word}` in the clause file is no literal")),
            }
        }
        if !clause.is_empty() || formula.clauses.len() != announced {
            return refuse(format!(
                "the clause file announces {announced} clauses and has {}",
                formula.clauses.len() + usize::from(!clause.is_empty())
            ));
        }
        Ok(formula)
    }
}
