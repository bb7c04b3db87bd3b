//! Questions of the form: is there a circuit of the box with exactly so many gates, or ANDs?

use std::io::{self, BufWriter, Write};
use std::path::Path;

#[cfg(feature = "sat")]
use crate::solver::{Answer, Solver};
use crate::synthesis::ands::AndEncoding;
use crate::synthesis::cnf::Cnf;
use crate::synthesis::gate_set::GateSet;
use crate::synthesis::gates::GateEncoding;
use crate::synthesis::goal::Goal;
use circuit::circuit::Circuit;
use circuit::fault::Fault;
use circuit::problem::Metric;
use circuit::sbox::SBox;
use circuit::table::Table;
use circuit::target::Target;

/// Most input bits of a box whose questions are asked: the clauses grow with the truth table.
pub const MOST_INPUTS: u8 = 6;

/// A box, a gate set, and what is counted.
pub struct Question {
    sbox: SBox,
    target_name: String,
    goal: Goal,
    kind: Kind,
}

enum Kind {
    Gates(GateSet),
    Ands,
}

enum Encoding {
    Gates(GateEncoding),
    Ands(AndEncoding),
}

/// What the solver found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A circuit; it is not checked yet.
    Found(Circuit),
    /// There is none.
    Impossible,
    /// Stopped before it was known.
    Undecided,
}

impl Question {
    /// A question; the metric is `gates`, or `and_count` where every function of two operands is a gate.
    ///
    /// # Errors
    /// `C310` for gates of more than three operands, `C311` for a metric, `C323` for a box that cannot be asked about.
    pub fn new(sbox: &SBox, target: &Target, metric: Metric) -> Result<Self, Fault> {
        if sbox.inputs > MOST_INPUTS {
            return Err(Fault::new("C323", format!("a box of {} input bits is too large for a proof", sbox.inputs))
                .help(format!("boxes of up to {MOST_INPUTS} input bits can be asked about")));
        }
        let set = GateSet::of(target)?;
        let kind = match metric {
            Metric::Gates => Kind::Gates(set.clone()),
            Metric::AndCount if set.complete && set.arity == 2 => Kind::Ands,
            _ => {
                return Err(Fault::new(
                    "C311",
                    format!("nothing can be proved about `{}` of target `{}`", metric.name(), target.name),
                )
                .help("`gates` can be proved for every target of gates, `and_count` for `two-input`"))
            }
        };
        let goal = Goal::new(sbox, set.complete);
        Ok(Question { sbox: sbox.clone(), target_name: target.name.clone(), goal, kind })
    }

    /// Gates that every circuit has beside those that are counted in the clauses (complements that nothing absorbs).
    #[must_use]
    pub fn inverters(&self) -> usize {
        match self.kind {
            Kind::Gates(_) => self.goal.inverters,
            Kind::Ands => 0,
        }
    }

    /// The smallest count that is not impossible at sight: one gate per distinct function, one AND per nonlinear
    /// dimension of the functions.
    #[must_use]
    pub fn least(&self) -> usize {
        match self.kind {
            Kind::Gates(_) => self.goal.functions.len() + self.goal.inverters,
            Kind::Ands => match nonlinear_rank(&self.goal.functions) {
                rank @ 0..=1 => rank,
                rank => rank - 1,
            },
        }
    }

    /// What the clauses for a count say, for the head of the file and the certificate.
    #[must_use]
    pub fn statement(&self, count: usize) -> String {
        let values: Vec<String> = self.sbox.data.iter().map(ToString::to_string).collect();
        let shape = format!("the box of {} input and {} output bits", self.sbox.inputs, self.sbox.outputs);
        let what = match &self.kind {
            Kind::Gates(set) => {
                let kind = if set.complete {
                    format!("each any function of two to {} operands", set.arity).replace("two to 2", "two")
                } else {
                    format!(
                        "each a gate of target {} that reads inputs or earlier gates, no constants",
                        self.target_name
                    )
                };
                format!("exactly {} gates, {kind}, and no fewer, compute", count - self.inverters())
            }
            Kind::Ands => format!("exactly {count} ANDs, with any number of XORs and NOTs, and no fewer, compute"),
        };
        let complement = if self.goal.normal { ", each output as it is or complemented" } else { "" };
        format!("{what} {shape}{complement}\ntable {}", values.join(" "))
    }

    /// The clauses for a count.
    #[must_use]
    pub fn clauses(&self, count: usize) -> Clauses {
        let encoding = match &self.kind {
            Kind::Gates(set) => {
                Encoding::Gates(GateEncoding::new(&self.goal, set, count.saturating_sub(self.goal.inverters)))
            }
            Kind::Ands => Encoding::Ands(AndEncoding::new(&self.goal, count)),
        };
        Clauses { goal: self.goal.clone(), statement: self.statement(count), encoding }
    }

    #[cfg(feature = "sat")]
    /// Looks for a circuit with exactly `count`, in memory, without a proof.
    #[must_use]
    pub fn solve(&self, count: usize, seed: u64, stopped: &dyn Fn() -> bool) -> Outcome {
        let clauses = self.clauses(count);
        let mut solver = Solver::new();
        solver.set("seed", (seed & 0x7fff_ffff) as i32);
        clauses.cnf().clauses().for_each(|clause| solver.add(clause));
        clauses.outcome(&mut solver, stopped)
    }
}

/// The clauses of a question for one count.
pub struct Clauses {
    goal: Goal,
    statement: String,
    encoding: Encoding,
}

impl Clauses {
    /// The clauses.
    #[must_use]
    pub fn cnf(&self) -> &Cnf {
        match &self.encoding {
            Encoding::Gates(e) => &e.cnf,
            Encoding::Ands(e) => &e.cnf,
        }
    }

    /// What the clauses say.
    #[must_use]
    pub fn statement(&self) -> &str {
        &self.statement
    }

    /// Writes the clauses to a file in the DIMACS format, what they say as comment.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let mut out = BufWriter::new(std::fs::File::create(path)?);
        self.cnf().write_dimacs(&self.statement, &mut out)?;
        out.flush()
    }

    #[cfg(feature = "sat")]
    /// Lets the solver answer the clauses of a file that [`Clauses::write`] made, with the proof of a refutation.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn solve_file(&self, clauses: &Path, proof: &Path, stopped: &dyn Fn() -> bool) -> io::Result<Outcome> {
        let mut solver = Solver::new();
        solver.prove_to(proof)?;
        solver.read(clauses)?;
        Ok(self.outcome(&mut solver, stopped))
    }

    #[cfg(feature = "sat")]
    fn outcome(&self, solver: &mut Solver, stopped: &dyn Fn() -> bool) -> Outcome {
        match solver.solve(stopped) {
            Answer::Stopped => Outcome::Undecided,
            Answer::Unsatisfiable => Outcome::Impossible,
            Answer::Satisfiable => Outcome::Found(self.decode(&|v| solver.value(v))),
        }
    }

    /// The circuit of a model.
    #[must_use]
    pub fn decode(&self, model: &dyn Fn(i32) -> bool) -> Circuit {
        match &self.encoding {
            Encoding::Gates(e) => e.decode(&self.goal, model),
            Encoding::Ands(e) => e.decode(&self.goal, model),
        }
    }
}

/// Dimension of the functions' span modulo exclusive ors of inputs: one AND gives at most one dimension.
fn nonlinear_rank(functions: &[Table]) -> usize {
    let Some(first) = functions.first() else { return 0 };
    let inputs = (0..usize::from(first.inputs)).map(|k| Table::input(first.inputs, k));
    let mut basis: Vec<Table> = Vec::new();
    let mut rank = 0;
    for (n, table) in inputs.chain(functions.iter().copied()).enumerate() {
        let mut words = table.words;
        for known in &basis {
            let lead = leading(&known.words);
            if words[lead / 64] >> (lead % 64) & 1 == 1 {
                words.iter_mut().zip(known.words).for_each(|(w, k)| *w ^= k);
            }
        }
        if words != [0; 4] {
            basis.push(Table { inputs: table.inputs, words });
            rank += usize::from(n >= usize::from(first.inputs));
        }
    }
    rank
}

fn leading(words: &[u64; 4]) -> usize {
    let word = words.iter().position(|w| *w != 0).unwrap_or(0);
    word * 64 + words[word].trailing_zeros() as usize
}
