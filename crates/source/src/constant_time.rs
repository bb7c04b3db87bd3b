//! Whether a program's time can depend on key or data.
//!
//! Every parameter is secret. A value made from a secret is secret. Programs have no branches (a loop's iterations and
//! bodies are known beforehand, `select` is computed without a branch), so what is left is memory: an
//! address that a secret decides is a finding. Multiplications and rotations by a word take the same time for
//! all operands on the processors in use today, but not on every processor ever built; they are reported apart.

use std::collections::{BTreeSet, HashSet};

use program::diagnostic::resolve;
use program::ir::{Address, Block, Function, Op, OpKind, Operand, Program, ValueId};
use program::roles::{BACKWARD, FORWARD, SCHEDULES};
use program::walk::uses;

/// What the analysis found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Addresses that depend on secrets: operation and place.
    pub accesses: BTreeSet<String>,
    /// A multiplication of secrets occurs.
    pub multiplies: bool,
    /// A shift or rotation by a secret amount occurs.
    pub variable_shifts: bool,
}

impl Verdict {
    /// Whether no address depends on a secret.
    #[must_use]
    pub fn is_constant_time(&self) -> bool {
        self.accesses.is_empty()
    }

    fn add(&mut self, other: Verdict) {
        self.accesses.extend(other.accesses);
        self.multiplies |= other.multiplies;
        self.variable_shifts |= other.variable_shifts;
    }

    /// What the processor must do in constant time for the verdict to hold.
    #[must_use]
    pub fn assumptions(&self) -> Vec<&'static str> {
        let mut list = Vec::new();
        if self.multiplies {
            list.push("multiplication");
        }
        if self.variable_shifts {
            list.push("variable rotation");
        }
        list
    }
}

/// Looks at a function and all that it calls.
#[must_use]
pub fn analyse(program: &Program, function: &Function) -> Verdict {
    let mut analysis =
        Analysis { program, function, secret: function.params.iter().copied().collect(), verdict: Verdict::default() };
    // A carried value may become secret in a later iteration. Ends: values only become secret, never public.
    loop {
        let before = analysis.secret.len();
        analysis.block(&function.body);
        if analysis.secret.len() == before {
            return analysis.verdict;
        }
    }
}

struct Analysis<'a> {
    program: &'a Program,
    function: &'a Function,
    secret: HashSet<ValueId>,
    verdict: Verdict,
}

impl Analysis<'_> {
    fn is_secret(&self, operand: Operand) -> bool {
        matches!(operand, Operand::Value(v) if self.secret.contains(&v))
    }

    fn block(&mut self, block: &Block) {
        for op in &block.ops {
            self.op(op);
        }
    }

    fn op(&mut self, op: &Op) {
        let mut secret = false;
        uses(&op.kind, &mut |v| secret |= self.secret.contains(&v));
        match &op.kind {
            OpKind::Loop(l) => {
                for body in &l.bodies {
                    for k in 0..l.init.len() {
                        let tainted = self.is_secret(l.init[k]) || self.secret.contains(&op.results[k]);
                        if tainted {
                            self.secret.extend([body.params[k + 1], op.results[k]]);
                        }
                    }
                    self.block(body);
                    for (k, &output) in body.outputs.iter().enumerate() {
                        if self.is_secret(output) {
                            self.secret.insert(op.results[k]);
                        }
                    }
                }
                return;
            }
            OpKind::Call(name, _) => {
                if let Some(callee) = self.program.functions.iter().find(|f| f.name == *name) {
                    self.verdict.add(analyse(self.program, callee));
                }
            }
            OpKind::Lookup(_, address) => self.address(op, std::slice::from_ref(address)),
            OpKind::Load(_, addresses) | OpKind::Store(_, addresses, _) => self.address(op, addresses),
            OpKind::Binary(program::ir::Binary::Mul, a, b) => {
                self.verdict.multiplies |= secret && !matches!((a, b), (Operand::Const(_), _) | (_, Operand::Const(_)));
            }
            OpKind::Shift(_, _, amount) => self.verdict.variable_shifts |= self.is_secret(*amount),
            _ => {}
        }
        if secret {
            self.secret.extend(&op.results);
        }
    }

    fn address(&mut self, op: &Op, addresses: &[Address]) {
        let depends = addresses.iter().any(|a| a.affine.terms.iter().any(|(_, v)| self.secret.contains(v)));
        if depends {
            let place = op.places.first().map_or(String::new(), |&p| format!(" ({})", resolve(self.program, p)));
            let what = match &op.kind {
                OpKind::Lookup(table, _) => format!("table {}", self.program.tables[table.0 as usize].name),
                OpKind::Load(array, _) => format!("array {}", self.function.values[array.0 as usize].name),
                _ => "store to an array".to_owned(),
            };
            self.verdict.accesses.insert(format!("{what}{place}"));
        }
    }
}

/// The verdict on all functions of the programs, as lines for a comment.
#[must_use]
pub fn summary(programs: &[&Program]) -> Vec<String> {
    let mut lines = Vec::new();
    let has = |role: &str| programs.iter().any(|p| p.functions.iter().any(|f| f.name == role));
    let of_ciphers = [("key setup", &SCHEDULES), ("encryption and decryption", &[FORWARD[0], BACKWARD[0]])];
    let of_permutations = [("permutation and inverse", &[FORWARD[1], BACKWARD[1]])];
    let of_functions = [("key setup", &SCHEDULES), ("function", &[FORWARD[2], FORWARD[2]])];
    let parts = match () {
        () if has(FORWARD[1]) => &of_permutations[..],
        () if has(FORWARD[2]) => &of_functions[usize::from(!has(SCHEDULES[0]))..],
        () => &of_ciphers[..],
    };
    for (title, names) in parts {
        let mut verdict = Verdict::default();
        for program in programs {
            for function in program.functions.iter().filter(|f| names.contains(&f.name.as_str())) {
                verdict.add(analyse(program, function));
            }
        }
        lines.push(format!("Constant time, {title}: {}.", sentence(&verdict)));
    }
    lines
}

/// The verdict in words.
#[must_use]
pub fn sentence(verdict: &Verdict) -> String {
    if verdict.is_constant_time() {
        return match verdict.assumptions().as_slice() {
            [] => "yes".to_owned(),
            list => format!("yes, given a processor with constant-time {}", list.join(" and ")),
        };
    }
    const SHOWN: usize = 4;
    let shown: Vec<&str> = verdict.accesses.iter().take(SHOWN).map(String::as_str).collect();
    let more = verdict.accesses.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("no, secrets decide addresses in {}{rest}", shown.join(", "))
}
