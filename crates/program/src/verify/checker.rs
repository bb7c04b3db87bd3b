//! The walk over a function: what is visible where, and how an error is told.

use crate::builder::author_name;
use crate::diagnostic::{resolve, Diagnostic};
use crate::indices::Indices;
use crate::ir::{ArrayType, Block, Function, Op, OpKind, Operand, Place, Program, Type, ValueId};
use crate::text::{affine_text, OpText, LARGEST};
use crate::walk::uses;

use super::constants::fits;
use super::in_function;

pub(super) type CheckResult<T = ()> = Result<T, Diagnostic>;

#[derive(Clone, Copy, PartialEq)]
enum Scope {
    /// Not defined yet.
    Ahead,
    /// Defined in this block or one around it.
    Visible,
    /// Defined in a block that has ended.
    Left,
}

/// A function being verified.
pub(super) struct Checker<'a> {
    pub(super) program: &'a Program,
    pub(super) function: &'a Function,
    /// The functions that may be called.
    pub(super) earlier: &'a [Function],
    pub(super) indices: Indices,
    scopes: Vec<Scope>,
    /// Where each value was defined, as far as that is known.
    origins: Vec<Option<Place>>,
}

impl<'a> Checker<'a> {
    pub(super) fn new(program: &'a Program, number: usize) -> Self {
        let function = &program.functions[number];
        let count = function.values.len();
        Checker {
            program,
            function,
            earlier: &program.functions[..number],
            indices: Indices::default(),
            scopes: vec![Scope::Ahead; count],
            origins: vec![None; count],
        }
    }

    /// Invariants 3 to 20 for the function.
    pub(super) fn function(&mut self) -> CheckResult {
        let function = self.function;
        for ty in &function.results {
            self.shape(ty).map_err(|d| in_function(d, function))?;
            if *ty == Type::Index {
                return Err(in_function(Diagnostic::new("P119", "a function cannot return an index"), function));
            }
        }
        for &param in &function.params {
            self.define(param, None)?;
            if *self.ty(param) == Type::Index {
                let message = format!("parameter {} is an index", self.name(param));
                return Err(in_function(Diagnostic::new("P119", message), function));
            }
        }
        self.block(&function.body)?;
        self.outputs_visible(&function.body, None)?;
        self.returns()
    }

    fn returns(&self) -> CheckResult {
        let (outputs, results) = (&self.function.body.outputs, &self.function.results);
        let error = |message: String| in_function(Diagnostic::new("P119", message), self.function);
        if outputs.len() != results.len() {
            return Err(error(format!("{} values are returned, not {}", outputs.len(), results.len())));
        }
        for (n, (&output, ty)) in outputs.iter().zip(results).enumerate() {
            self.matches(output, ty).map_err(|found| error(format!("result {n} is {found}, not {ty}")))?;
        }
        Ok(())
    }

    /// All operations of a block; its parameters are defined already.
    pub(super) fn block(&mut self, block: &'a Block) -> CheckResult {
        for op in &block.ops {
            let mut hidden = None;
            uses(&op.kind, &mut |v| {
                if hidden.is_none() && self.scopes[v.0 as usize] != Scope::Visible {
                    hidden = Some(v);
                }
            });
            if let Some(v) = hidden {
                return Err(self.located(self.not_visible(v), op));
            }
            for &result in &op.results {
                self.shape(self.ty(result)).map_err(|d| self.located(d, op))?;
            }
            match &op.kind {
                OpKind::Loop(l) => self.loop_(op, l)?,
                _ => self.operation(op)?,
            }
            op.results.iter().try_for_each(|&r| self.define(r, op.places.first().copied()))?;
        }
        Ok(())
    }

    /// Makes a value visible.
    pub(super) fn define(&mut self, v: ValueId, origin: Option<Place>) -> CheckResult {
        self.shape(self.ty(v)).map_err(|d| in_function(d, self.function))?;
        self.scopes[v.0 as usize] = Scope::Visible;
        self.origins[v.0 as usize] = origin;
        if let Type::Word(width) = *self.ty(v) {
            self.indices.add_word(v, width);
        }
        Ok(())
    }

    /// Hides what a block has defined.
    pub(super) fn leave(&mut self, block: &Block) {
        for v in block.params.iter().chain(block.ops.iter().flat_map(|op| &op.results)) {
            self.scopes[v.0 as usize] = Scope::Left;
        }
    }

    /// Invariant 3 for what a block yields or returns.
    pub(super) fn outputs_visible(&self, block: &Block, op: Option<&Op>) -> CheckResult {
        for output in &block.outputs {
            match output {
                Operand::Value(v) if self.scopes[v.0 as usize] != Scope::Visible => {
                    let error = self.not_visible(*v);
                    return Err(match op {
                        Some(op) => self.located(error, op),
                        None => in_function(error, self.function),
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn not_visible(&self, v: ValueId) -> Diagnostic {
        let name = self.name(v);
        if self.scopes[v.0 as usize] == Scope::Ahead {
            return Diagnostic::new("P103", format!("{name} is used before it is defined"));
        }
        let origin = self.origins[v.0 as usize].map(|p| format!(" at {}", resolve(self.program, p)));
        Diagnostic::new("P103", format!("{name} is used outside the loop body that defines it"))
            .note(format!("{name} is defined{} inside a loop", origin.unwrap_or_default()))
            .help("what a loop computes leaves it only through a variable that has a value before the loop")
    }

    /// Invariant 4.
    pub(super) fn shape(&self, ty: &Type) -> CheckResult {
        let sound = match ty {
            Type::Word(width) => (1..=64).contains(width),
            Type::Index => true,
            Type::Array(ArrayType { width, dims }) => {
                let elements = dims.iter().map(|&d| u64::from(d)).fold(1, u64::saturating_mul);
                (1..=64).contains(width) && (1..=2).contains(&dims.len()) && (1..=LARGEST).contains(&elements)
            }
        };
        if sound {
            return Ok(());
        }
        Err(Diagnostic::new("P104", format!("the type {ty} does not exist"))
            .note(format!("expected words of 1 to 64 bits, one or two extents, 1 to {LARGEST} elements")))
    }

    pub(super) fn ty(&self, v: ValueId) -> &'a Type {
        &self.function.values[v.0 as usize].ty
    }

    /// The author's name of a value in backquotes, or the operation's number if the author gave none.
    pub(super) fn name(&self, v: ValueId) -> String {
        let name = author_name(&self.function.values[v.0 as usize].name);
        let sign = if name.chars().all(|c| c.is_ascii_digit()) { "%" } else { "" };
        format!("`{sign}{name}`")
    }

    /// The sum as the author would write it.
    pub(super) fn sum(&self, affine: &crate::ir::Affine) -> String {
        format!("`{}`", affine_text(affine, |v| self.name(v).trim_matches('`').to_owned()))
    }

    /// An error at an operation, with its text.
    pub(super) fn error(&self, op: &Op, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, message).at(self.program, &op.places)
    }

    /// Adds the operation's text, and its places if there are none.
    pub(super) fn located(&self, error: Diagnostic, op: &Op) -> Diagnostic {
        let error = if error.places.is_empty() { error.at(self.program, &op.places) } else { error };
        error.note(format!("in function `{}`: {}", self.function.name, OpText(self.program, self.function, op)))
    }

    /// Whether an operand has a type; a number has every word type that it fits. Else what was found.
    pub(super) fn matches(&self, operand: Operand, ty: &Type) -> Result<(), String> {
        match (operand, ty) {
            (Operand::Value(v), _) if self.ty(v) == ty => Ok(()),
            (Operand::Value(v), _) => Err(self.ty(v).to_string()),
            (Operand::Const(n), Type::Word(width)) if fits(n, *width) => Ok(()),
            (Operand::Const(n), _) => Err(format!("the number {n}")),
        }
    }
}
