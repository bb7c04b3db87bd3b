//! Functions made one after the other, each of two earlier ones, until a wanted one is among them.

use crate::engines::beam::structure::Recipe;
use crate::engines::beam::word::Word;
use circuit::random::mix;

/// Functions at hand beyond which pairs of gates are not tried: it takes the cube of their number.
const FEW: usize = 90;

/// Inputs beyond which no choice of splits is tried.
const LARGE: usize = 6;

/// The functions made so far; all in normal form.
pub struct Maker<'a, W> {
    /// The inputs, then the functions of `made`.
    functions: Vec<W>,
    /// How each function beyond the inputs is made.
    pub made: Vec<Recipe>,
    inputs: usize,
    full: W,
    xor: bool,
    state: u64,
    stopped: &'a (dyn Fn() -> bool + Sync),
}

impl<'a, W: Word> Maker<'a, W> {
    /// The inputs alone.
    pub fn new(inputs: Vec<W>, full: W, xor: bool, seed: u64, stopped: &'a (dyn Fn() -> bool + Sync)) -> Self {
        let number = inputs.len();
        Maker { functions: inputs, made: Vec::new(), inputs: number, full, xor, state: mix(seed), stopped }
    }

    /// The numbers below `n` in random order.
    pub fn shuffled(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for k in (1..n).rev() {
            self.state = mix(self.state);
            order.swap(k, self.state as usize % (k + 1));
        }
        order
    }

    /// Makes an output: its number; None if stopped.
    pub fn output(&mut self, t: W) -> Option<usize> {
        let free: Vec<usize> = (0..self.inputs).collect();
        self.make(t, self.full, &free)
    }

    /// Makes a function equal to `t` or its complement where `care` is one, splitting by the inputs in `free`.
    fn make(&mut self, t: W, care: W, free: &[usize]) -> Option<usize> {
        if let Some(n) = self.functions.iter().position(|&f| agrees(f, t, care)) {
            return Some(n);
        }
        if let Some(made) = self.pair(t, care) {
            return Some(self.add(made));
        }
        if self.functions.len() <= FEW {
            if let Some(n) = self.two_gates(t, care) {
                return Some(n);
            }
        }
        if (self.stopped)() {
            return None;
        }
        self.split(t, care, free)
    }

    fn add(&mut self, made: Recipe) -> usize {
        let [a, b] = made.operands.map(|n| self.functions[n]);
        self.functions.push(classes(a, b)[made.class]);
        self.made.push(made);
        self.functions.len() - 1
    }

    /// One gate of two functions that does it.
    fn pair(&self, t: W, care: W) -> Option<Recipe> {
        let count = if self.xor { 5 } else { 4 };
        for (b, &y) in self.functions.iter().enumerate() {
            for (a, &x) in self.functions[..b].iter().enumerate() {
                if let Some(class) = classes(x, y)[..count].iter().position(|&f| agrees(f, t, care)) {
                    return Some(Recipe { operands: [a, b], class });
                }
            }
        }
        None
    }

    /// Two gates of three functions that do it.
    fn two_gates(&mut self, t: W, care: W) -> Option<usize> {
        for c in 0..self.functions.len() {
            let x = self.functions[c];
            for side in [x, !x & self.full] {
                let outside = t & !side & care;
                let constant = outside == W::default() || outside == !side & care;
                let Some(made) = constant.then(|| self.pair(t, care & side)).flatten() else { continue };
                let inner = self.add(made);
                if let Some(n) = self.join(c, inner, t, care) {
                    return Some(n);
                }
                self.forget(inner);
            }
            if let Some(made) = self.xor.then(|| self.pair(t ^ x, care)).flatten() {
                let inner = self.add(made);
                return self.join(c, inner, t, care);
            }
        }
        None
    }

    /// A function at hand or the gate of two functions that does it.
    fn join(&mut self, a: usize, b: usize, t: W, care: W) -> Option<usize> {
        if let Some(n) = self.functions.iter().position(|&f| agrees(f, t, care)) {
            return Some(n);
        }
        let operands = [a.min(b), a.max(b)];
        let count = if self.xor { 5 } else { 4 };
        let [x, y] = operands.map(|n| self.functions[n]);
        let class = classes(x, y)[..count].iter().position(|&f| agrees(f, t, care))?;
        Some(self.add(Recipe { operands, class }))
    }

    fn forget(&mut self, from: usize) {
        self.functions.truncate(from);
        self.made.truncate(from - self.inputs);
    }

    /// Splits by some of the inputs, both ways round, and keeps what took the fewest gates.
    fn split(&mut self, t: W, care: W, free: &[usize]) -> Option<usize> {
        // Each choice doubles the work below it: large boxes make do with one.
        let (tried, ways) = match free.len() {
            _ if self.inputs > LARGE => (1, 1),
            0..=2 => (free.len(), 2),
            3 => (2, 2),
            _ => (1, 1),
        };
        let begun = self.functions.len();
        let mut best: Option<(Vec<W>, Vec<Recipe>, usize)> = None;
        for k in self.shuffled(free.len()).into_iter().take(tried) {
            let rest: Vec<usize> = free.iter().copied().filter(|&v| v != free[k]).collect();
            for high in [false, true].into_iter().take(ways) {
                let result = self.split_by(t, care, free[k], high, &rest);
                let (functions, made) = (self.functions[begun..].to_vec(), self.made[begun - self.inputs..].to_vec());
                self.forget(begun);
                let result = result?;
                if best.as_ref().map_or(true, |b| functions.len() < b.0.len()) {
                    best = Some((functions, made, result));
                }
            }
        }
        let (functions, made, result) = best?;
        self.functions.extend(functions);
        self.made.extend(made);
        Some(result)
    }

    /// Makes `t` right where the input is low (or high) first, then corrects the other half.
    fn split_by(&mut self, t: W, care: W, input: usize, high: bool, rest: &[usize]) -> Option<usize> {
        let x = self.functions[input];
        let (first, second) = if high { (x, !x & self.full) } else { (!x & self.full, x) };
        let base = self.make(t, care & first, rest)?;
        let known = self.functions[base];
        // The base may be the complement of `t` where it is right: the correction is then one of the complement.
        let wanted = if (known ^ t) & care & first == W::default() { t } else { !t & self.full };
        if self.xor {
            let wrong = (known ^ wanted) & care & second;
            if wrong == W::default() {
                return Some(base);
            }
            if wrong == care & second {
                return self.join(base, input, wanted, care);
            }
            let correction = self.make(known ^ wanted, care & second, rest)?;
            let masked = self.masked(correction, input, known ^ wanted, care, second)?;
            return self.join(base, masked, wanted, care);
        }
        let other = self.make(t, care & second, rest)?;
        let low = self.masked(base, input, t, care, first)?;
        let high = self.masked(other, input, t, care, second)?;
        self.join(low, high, t, care)
    }

    /// A function that is `t` where both `side` and `care` are one, and zero where `side` is not.
    fn masked(&mut self, function: usize, input: usize, t: W, care: W, side: W) -> Option<usize> {
        let f = self.functions[function];
        let value = if (f ^ t) & care & side == W::default() { f } else { !f & self.full };
        let wanted = value & side;
        self.join(function, input, wanted, self.full)
    }
}

/// The five functions of normal form, in the order of [`crate::normal::CLASSES`].
#[inline(always)]
fn classes<W: Word>(a: W, b: W) -> [W; 5] {
    [a & b, a & !b, b & !a, a | b, a ^ b]
}

/// Whether two functions, or one of them and the other's complement, are equal where `care` is one.
#[inline(always)]
fn agrees<W: Word>(f: W, t: W, care: W) -> bool {
    let differing = (f ^ t) & care;
    differing == W::default() || differing == care
}
