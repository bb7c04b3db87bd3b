//! The semantics as steps on a file of words: what simulators run.
//!
//! Operands are slots of one file (registers, constants, room for intermediate values), so that a step is a few machine
//! instructions and nothing is looked up by name.

use super::step::{generic, generic_call, Slot, Step};
use super::{ones, Expression, Fault, Function, Memory, Operator, Statement, JUMP};

/// What the names of an instruction stand for.
#[derive(Clone, Debug, Default)]
pub struct Binding<'a> {
    /// Names that are read, and their slots.
    pub reads: Vec<(&'a str, Slot)>,
    /// Names that are known numbers.
    pub numbers: Vec<(&'a str, u64)>,
    /// Names that are written, their slots and widths in bits.
    pub writes: Vec<(&'a str, Slot, u8)>,
    /// Slot for `jump`.
    pub jump: Option<Slot>,
    /// First slot of the room for intermediate values; the slots from here on must be free.
    pub room: Slot,
}

/// An instruction, ready to run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompiledInstruction {
    /// In order.
    pub steps: Vec<Step>,
    /// One past the last slot of the room that it uses; the file must have so many words.
    pub slots: Slot,
}

impl CompiledInstruction {
    /// Compiles statements. A name that is not bound reads as 0, and what is assigned to it is dropped.
    #[must_use]
    pub fn new(statements: &[Statement], binding: &Binding<'_>) -> Self {
        let mut compiler = Compiler { binding, steps: Vec::new(), next: binding.room, slots: binding.room };
        compiler.statements(statements);
        CompiledInstruction { steps: compiler.steps, slots: compiler.slots }
    }

    /// Runs the steps on a file of words.
    ///
    /// # Errors
    /// [`Fault`] of the memory; the file is then as the steps before left it.
    ///
    /// # Panics
    /// If the file has fewer words than the slots used.
    #[inline]
    pub fn run<M: Memory + ?Sized>(&self, file: &mut [u64], memory: &mut M) -> Result<(), Fault> {
        for step in &self.steps {
            step.run(file, memory)?;
        }
        Ok(())
    }
}

/// Where a value is while an instruction is compiled.
#[derive(Clone, Copy)]
enum At {
    Slot(Slot),
    Number(u64),
}

struct Compiler<'a> {
    binding: &'a Binding<'a>,
    steps: Vec<Step>,
    next: Slot,
    slots: Slot,
}

impl Compiler<'_> {
    fn statements(&mut self, statements: &[Statement]) {
        // A single result may be written by the last step itself; several must not see each other.
        let single = statements.len() == 1;
        let mut writes = Vec::new();
        let mut stores = Vec::new();
        for statement in statements {
            match statement {
                Statement::Assign(name, expression) => {
                    let Some((slot, bits)) = self.written(name) else { continue };
                    let value = self.expression(expression);
                    let value = self.cut(value, bits);
                    writes.push((slot, value));
                }
                Statement::Store(bits, address, value) => {
                    let (address, value) = (self.expression(address), self.expression(value));
                    stores.push(Step::Store(self.slot(address), self.slot(value), bits / 8));
                }
            }
        }
        self.steps.extend(stores);
        for (slot, value) in writes {
            self.finish(slot, value, single);
        }
    }

    fn written(&self, name: &str) -> Option<(Slot, u8)> {
        let known = self.binding.writes.iter().find(|w| w.0 == name).map(|w| (w.1, w.2));
        known.or_else(|| self.binding.jump.filter(|_| name == JUMP).map(|slot| (slot, 64)))
    }

    fn finish(&mut self, slot: Slot, value: At, direct: bool) {
        match value {
            At::Number(n) => self.steps.push(Step::Number(slot, n)),
            At::Slot(from) => match self.steps.last_mut().and_then(Step::target) {
                Some(target) if direct && *target == from && from >= self.binding.room => *target = slot,
                _ => self.steps.push(Step::Move(slot, from)),
            },
        }
    }

    fn cut(&mut self, value: At, bits: u8) -> At {
        if bits >= 64 {
            return value;
        }
        let mask = ones(u64::from(bits));
        match value {
            At::Number(n) => At::Number(n & mask),
            At::Slot(x) => {
                let fits = matches!(self.steps.last(), Some(Step::FieldNumber(d, _, _, m)) if *d == x && m & !mask == 0)
                    || matches!(self.steps.last(), Some(Step::Rotate32(d, ..)) if *d == x && bits >= 32)
                    || matches!(self.steps.last(), Some(Step::Load(d, _, bytes)) if *d == x && bytes * 8 <= bits);
                if fits {
                    value
                } else {
                    self.emit(|d| Step::AndNumber(d, x, mask))
                }
            }
        }
    }

    fn emit(&mut self, step: impl FnOnce(Slot) -> Step) -> At {
        let d = self.next;
        self.next += 1;
        self.slots = self.slots.max(self.next);
        self.steps.push(step(d));
        At::Slot(d)
    }

    fn slot(&mut self, value: At) -> Slot {
        match value {
            At::Slot(slot) => slot,
            At::Number(n) => match self.emit(|d| Step::Number(d, n)) {
                At::Slot(slot) => slot,
                At::Number(_) => unreachable!("a step writes a slot"),
            },
        }
    }

    fn expression(&mut self, expression: &Expression) -> At {
        match expression {
            Expression::Name(name) => self.name(name),
            Expression::Number(n) => At::Number(*n),
            Expression::Not(x) => match self.expression(x) {
                At::Number(n) => At::Number(!n),
                At::Slot(x) => self.emit(|d| Step::Not(d, x)),
            },
            Expression::Binary(operator, x, y) => self.binary(*operator, x, y),
            Expression::Select(c, x, y) => {
                let (c, x, y) = (self.expression(c), self.expression(x), self.expression(y));
                if let At::Number(n) = c {
                    return if n != 0 { x } else { y };
                }
                let (c, x, y) = (self.slot(c), self.slot(x), self.slot(y));
                self.emit(|d| Step::Select(d, c, x, y))
            }
            Expression::Call(function, arguments) => {
                let values: Vec<At> = arguments.iter().map(|x| self.expression(x)).collect();
                self.call(*function, &values)
            }
        }
    }

    fn name(&self, name: &str) -> At {
        if let Some((_, n)) = self.binding.numbers.iter().find(|(known, _)| *known == name) {
            return At::Number(*n);
        }
        self.binding.reads.iter().find(|(known, _)| *known == name).map_or(At::Number(0), |(_, slot)| At::Slot(*slot))
    }

    fn binary(&mut self, operator: Operator, x: &Expression, y: &Expression) -> At {
        if let (Operator::And, Expression::Not(inner)) = (operator, y) {
            let (x, y) = (self.expression(x), self.expression(inner));
            if let (At::Slot(x), At::Slot(y)) = (x, y) {
                return self.emit(|d| Step::AndNot(d, x, y));
            }
            let y = match y {
                At::Number(n) => At::Number(!n),
                At::Slot(y) => self.emit(|d| Step::Not(d, y)),
            };
            return self.simple(operator, x, y);
        }
        let (x, y) = (self.expression(x), self.expression(y));
        self.simple(operator, x, y)
    }

    fn simple(&mut self, operator: Operator, x: At, y: At) -> At {
        match (operator, x, y) {
            (_, At::Number(x), At::Number(y)) => At::Number(super::binary(operator, x, y)),
            (Operator::Add, At::Slot(x), At::Number(n)) | (Operator::Add, At::Number(n), At::Slot(x)) => {
                self.emit(|d| Step::AddNumber(d, x, n))
            }
            (Operator::Sub, At::Slot(x), At::Number(n)) => self.emit(|d| Step::AddNumber(d, x, n.wrapping_neg())),
            (Operator::And, At::Slot(x), At::Number(n)) | (Operator::And, At::Number(n), At::Slot(x)) => {
                self.emit(|d| Step::AndNumber(d, x, n))
            }
            (Operator::Shl, At::Slot(x), At::Number(n)) if n < 64 => self.emit(|d| Step::ShlNumber(d, x, n as u8)),
            (Operator::Shr, At::Slot(x), At::Number(n)) if n < 64 => {
                self.emit(|d| Step::FieldNumber(d, x, n as u8, u64::MAX))
            }
            (Operator::Add, At::Slot(x), At::Slot(y)) => self.sum(x, y),
            _ => {
                let (x, y) = (self.slot(x), self.slot(y));
                self.emit(|d| generic(operator, d, x, y))
            }
        }
    }

    /// `(x << n) + y` in one step if the shift was the last one.
    fn sum(&mut self, x: Slot, y: Slot) -> At {
        if let Some(&Step::ShlNumber(d, inner, n)) = self.steps.last() {
            if (d == x) != (d == y) {
                self.steps.pop();
                let other = if d == x { y } else { x };
                return self.emit(|d| Step::ShlAdd(d, inner, n, other));
            }
        }
        self.emit(|d| Step::Add(d, x, y))
    }

    fn call(&mut self, function: Function, x: &[At]) -> At {
        let numbers: Option<Vec<u64>> =
            x.iter().map(|at| if let At::Number(n) = at { Some(*n) } else { None }).collect();
        match (function, numbers, x) {
            (Function::Load(bits), _, _) => {
                let address = self.slot(x[0]);
                self.emit(|d| Step::Load(d, address, bits / 8))
            }
            (_, Some(numbers), _) => At::Number(super::call(function, &numbers)),
            (Function::Field, _, [At::Slot(x), At::Number(position), At::Number(length)]) if *position < 64 => {
                let (x, position, mask) = (*x, *position as u8, ones(*length));
                self.emit(|d| Step::FieldNumber(d, x, position, mask))
            }
            (Function::RotateLeft, _, [At::Slot(x), At::Number(n), At::Number(32)]) => {
                let (x, n) = (*x, (n % 32) as u8);
                self.emit(|d| Step::Rotate32(d, x, n))
            }
            (Function::RotateRight, _, [At::Slot(x), At::Number(n), At::Number(32)]) => {
                let (x, n) = (*x, ((32 - n % 32) % 32) as u8);
                self.emit(|d| Step::Rotate32(d, x, n))
            }
            (Function::Lane, _, [At::Slot(x), At::Number(i)]) => {
                let (x, position) = (*x, (16 * (i % 4)) as u8);
                self.emit(|d| Step::FieldNumber(d, x, position, 0xffff))
            }
            _ => {
                let x: Vec<Slot> = x.iter().map(|at| self.slot(*at)).collect();
                self.emit(|d| generic_call(function, d, &x))
            }
        }
    }
}
