//! The part of a target that the search reads: operations of one and two operands, latencies, issue width.

use super::word::Word;
use circuit::function::Function;
use circuit::problem::{Metric, Problem};
use circuit::target::Target;

/// An operation of two operands as `((a ^ first) & (b ^ second)) ^ out`, or as `a ^ b ^ out`.
#[derive(Clone, Copy, Debug)]
pub struct Form<W> {
    /// Whether it is an exclusive or.
    pub linear: bool,
    /// All ones where the first operand is complemented.
    pub first: W,
    /// All ones where the second operand is complemented.
    pub second: W,
    /// All ones where the result is complemented.
    pub out: W,
    /// Cycles from operands to result.
    pub latency: u8,
    /// What it computes.
    pub function: Function,
}

impl<W: Word> Form<W> {
    fn new(function: Function, latency: u8) -> Self {
        let ones = |is: bool| if is { !W::ZERO } else { W::ZERO };
        let linear = function.is_linear();
        let out = if linear { function.value(0) } else { function.table.count_ones() == 3 };
        // The one operand value (as table index) at which a nonlinear function differs from its other values.
        let place = (0..4).find(|&i| function.value(i) != out).unwrap_or(0);
        let turned = |n: usize| !linear && place >> n & 1 == 0;
        Form { linear, first: ones(turned(0)), second: ones(turned(1)), out: ones(out), latency, function }
    }

    /// The result for two operands.
    #[inline]
    #[must_use]
    pub fn apply(&self, a: W, b: W) -> W {
        let inner = if self.linear { a ^ b } else { (a ^ self.first) & (b ^ self.second) };
        inner ^ self.out
    }

    /// The same operation with the operands in the other order.
    #[must_use]
    pub fn swapped(&self) -> Self {
        Form { first: self.second, second: self.first, function: self.function.reordered(&[1, 0]), ..*self }
    }
}

/// What the search needs to know of a target.
#[derive(Clone, Debug)]
pub struct Machine<W> {
    /// Operations of two operands, each in both operand orders where they differ.
    pub forms: Vec<Form<W>>,
    /// Latency of the complement, if there is one.
    pub complement: Option<u8>,
    /// Operations begun in one cycle.
    pub width: u8,
    /// The smallest latency.
    pub fastest: u8,
}

impl<W: Word> Machine<W> {
    /// The machine of a problem, if its target is one: with operations of two operands that need no register of
    /// their own for the result. For the depth as first metric every latency is one and the width unlimited.
    #[must_use]
    pub fn new(problem: &Problem) -> Option<Self> {
        let target = &problem.target;
        let levels = problem.objective.first() == Some(&Metric::Depth);
        let latency = |f: Function| fastest(target, f).map(|cycles| if levels { 1 } else { cycles });
        let mut forms: Vec<Form<W>> = Vec::new();
        for table in 1..15 {
            let function = Function::new(2, table);
            let both = function.depends_on(0) && function.depends_on(1);
            let turned = function.reordered(&[1, 0]);
            if !both || turned < function {
                continue;
            }
            let Some(cycles) = latency(function).into_iter().chain(latency(turned)).min() else { continue };
            let form = Form::new(function, cycles);
            forms.push(form);
            if turned != function {
                forms.push(form.swapped());
            }
        }
        let complement = latency(Function::NOT);
        let width = target.issue_width.filter(|_| !levels).map_or(u8::MAX, |w| w.clamp(1, 255) as u8);
        let fastest = forms.iter().map(|f| f.latency).chain(complement).min()?;
        let serves = !forms.is_empty() && !target.two_operand && fastest > 0;
        serves.then_some(Machine { forms, complement, width, fastest })
    }
}

fn fastest(target: &Target, function: Function) -> Option<u8> {
    target.operations.iter().filter(|o| o.computes(function)).map(|o| o.latency.min(255) as u8).min()
}
