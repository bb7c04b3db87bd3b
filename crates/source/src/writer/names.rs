//! Identifiers: valid, unique, and as near to the author's names as that allows.

use std::collections::HashSet;

/// Identifiers in use in one scope.
#[derive(Clone, Debug, Default)]
pub struct Names {
    used: HashSet<String>,
}

impl Names {
    /// A scope in which none but these words, separated by white space, are taken.
    #[must_use]
    pub fn new(reserved: &str) -> Self {
        Names { used: reserved.split_whitespace().map(str::to_owned).collect() }
    }

    /// A new identifier as near to `wanted` as possible; `A.2` becomes `A`, `A_2` or the first free `A_n`.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let (base, suffix) = wanted.split_once('.').unwrap_or((wanted, ""));
        let base = identifier(base);
        let numbered = if suffix.is_empty() { base.clone() } else { format!("{base}_{}", identifier_tail(suffix)) };
        for candidate in [base.clone(), numbered] {
            if self.used.insert(candidate.clone()) {
                return candidate;
            }
        }
        let mut n = 1;
        loop {
            let candidate = format!("{base}_{n}");
            if self.used.insert(candidate.clone()) {
                return candidate;
            }
            n += 1;
        }
    }

    /// Marks an identifier as taken.
    pub fn reserve(&mut self, name: &str) {
        self.used.insert(name.to_owned());
    }
}

/// A valid identifier from any name; a plain number becomes `v12`.
#[must_use]
pub fn identifier(name: &str) -> String {
    let tail = identifier_tail(name);
    match tail.chars().next() {
        Some(c) if c.is_ascii_digit() => format!("v{tail}"),
        Some('_') | None => format!("v{tail}"),
        Some(_) => tail,
    }
}

fn identifier_tail(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn author_names_are_kept() {
        let mut names = Names::new("int");
        assert_eq!(names.fresh("A.9"), "A");
        assert_eq!(names.fresh("A.9"), "A_9");
        assert_eq!(names.fresh("A"), "A_1");
        assert_eq!(names.fresh("12"), "v12");
        assert_eq!(names.fresh("int"), "int_1");
    }
}
