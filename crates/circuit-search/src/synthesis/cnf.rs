//! Clauses in the making.

use std::io::{self, Write};

/// Clauses over variables from 1; a literal is a variable or its negative.
#[derive(Clone, Debug, Default)]
pub struct Cnf {
    variables: i32,
    literals: Vec<i32>,
    ends: Vec<usize>,
}

impl Cnf {
    /// A new variable.
    pub fn variable(&mut self) -> i32 {
        self.variables += 1;
        self.variables
    }

    /// New variables.
    pub fn variables(&mut self, count: usize) -> Vec<i32> {
        (0..count).map(|_| self.variable()).collect()
    }

    /// Adds a clause.
    pub fn add(&mut self, clause: &[i32]) {
        self.literals.extend_from_slice(clause);
        self.ends.push(self.literals.len());
    }

    /// At least one literal is true, and no two are.
    pub fn exactly_one(&mut self, literals: &[i32]) {
        self.add(literals);
        self.at_most_one(literals);
    }

    /// No two literals are true.
    pub fn at_most_one(&mut self, literals: &[i32]) {
        for (n, &a) in literals.iter().enumerate() {
            for &b in &literals[n + 1..] {
                self.add(&[-a, -b]);
            }
        }
    }

    /// A variable that is the conjunction of two literals.
    pub fn and(&mut self, a: i32, b: i32) -> i32 {
        let y = self.variable();
        self.add(&[-y, a]);
        self.add(&[-y, b]);
        self.add(&[y, -a, -b]);
        y
    }

    /// A variable that is true where one of the literals is.
    pub fn or(&mut self, literals: &[i32]) -> i32 {
        let y = self.variable();
        let mut all = vec![-y];
        for &literal in literals {
            self.add(&[y, -literal]);
            all.push(literal);
        }
        self.add(&all);
        y
    }

    /// A variable that is the exclusive or of two literals.
    pub fn xor(&mut self, a: i32, b: i32) -> i32 {
        let y = self.variable();
        self.add(&[-y, a, b]);
        self.add(&[-y, -a, -b]);
        self.add(&[y, -a, b]);
        self.add(&[y, a, -b]);
        y
    }

    /// The exclusive or of the literals has the value.
    pub fn parity(&mut self, literals: &[i32], value: bool) {
        match literals {
            [] => {
                if value {
                    self.add(&[]);
                }
            }
            [a] => self.add(&[if value { *a } else { -a }]),
            [a, b] => {
                let b = if value { *b } else { -b };
                self.add(&[*a, b]);
                self.add(&[-a, -b]);
            }
            [a, b, rest @ ..] => {
                let first = self.xor(*a, *b);
                let mut rest = rest.to_vec();
                rest.push(first);
                self.parity(&rest, value);
            }
        }
    }

    /// Number of variables.
    #[must_use]
    pub fn variable_count(&self) -> usize {
        self.variables.unsigned_abs() as usize
    }

    /// The clauses in order.
    pub fn clauses(&self) -> impl Iterator<Item = &[i32]> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins.zip(self.ends.iter().copied()).map(|(begin, end)| &self.literals[begin..end])
    }

    /// Number of clauses.
    #[must_use]
    pub fn clause_count(&self) -> usize {
        self.ends.len()
    }

    /// Writes the clauses in the DIMACS format under a comment of some lines.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_dimacs(&self, comment: &str, out: &mut dyn Write) -> io::Result<()> {
        for line in comment.lines() {
            writeln!(out, "c {line}")?;
        }
        writeln!(out, "p cnf {} {}", self.variables, self.clause_count())?;
        for clause in self.clauses() {
            for literal in clause {
                write!(out, "{literal} ")?;
            }
            writeln!(out, "0")?;
        }
        Ok(())
    }
}
