//! Loops: iterations, bodies, carried values.

use super::checker::{CheckResult, Checker};
use crate::ir::{Block, Loop, Op, Type};
use crate::text::LARGEST;

impl<'a> Checker<'a> {
    /// Invariants 8, 17 and 18, and all of them inside the bodies.
    pub(super) fn loop_(&mut self, op: &'a Op, l: &'a Loop) -> CheckResult {
        self.iterations(op, l).map_err(|d| self.located(d, op))?;
        self.carried(op, l).map_err(|d| self.located(d, op))?;
        for (n, body) in l.bodies.iter().enumerate() {
            self.indices.add_counter(body.params[0], &l.iterations_of(n));
            for &param in &body.params {
                self.define(param, op.places.first().copied())?;
            }
            self.block(body)?;
            self.outputs_visible(body, Some(op))?;
            self.yields(op, n, body).map_err(|d| self.located(d, op))?;
            self.leave(body);
        }
        Ok(())
    }

    fn iterations(&self, op: &Op, l: &Loop) -> CheckResult {
        let error = |message: String| Err(self.error(op, "P117", message));
        let iterations = l.pattern.len();
        if iterations == 0 || iterations as u64 > LARGEST {
            return error(format!("the loop has {iterations} iterations; 1 to {LARGEST} are possible"));
        }
        let last = i128::from(l.from) + i128::from(l.step) * (iterations as i128 - 1);
        if l.step == 0 || i64::try_from(last).is_err() {
            return error(format!("the counter from {} step {} is none", l.from, l.step));
        }
        if let Some(iteration) = l.pattern.iter().position(|&b| usize::from(b) >= l.bodies.len()) {
            return error(format!(
                "iteration {iteration} runs body {}, the loop has {}",
                l.pattern[iteration],
                l.bodies.len()
            ));
        }
        match (0..l.bodies.len()).find(|&n| !l.pattern.iter().any(|&b| usize::from(b) == n)) {
            Some(n) => error(format!("no iteration runs body {n} of the loop")),
            None => Ok(()),
        }
    }

    fn carried(&self, op: &Op, l: &Loop) -> CheckResult {
        let error = |message: String| Err(self.error(op, "P118", message));
        if op.results.is_empty() {
            return Err(self.error(op, "P108", "the loop has no result, so it does nothing"));
        }
        let count = op.results.len();
        if l.init.len() != count {
            return error(format!("the loop has {} initial values, not {count} as it has results", l.init.len()));
        }
        for (n, (&init, &result)) in l.init.iter().zip(&op.results).enumerate() {
            let ty = self.ty(result);
            if *ty == Type::Index {
                return error(format!("{} is carried through the loop but is an index", self.name(result)));
            }
            if let Err(found) = self.matches(init, ty) {
                return error(format!("initial value {n}, for {}, is {found}, not {ty}", self.name(result)));
            }
        }
        l.bodies.iter().enumerate().try_for_each(|(n, body)| self.body_types(op, n, body))
    }

    fn body_types(&self, op: &Op, n: usize, body: &Block) -> CheckResult {
        let error = |message: String| Err(self.error(op, "P118", message));
        let count = op.results.len();
        if body.params.len() != count + 1 || body.outputs.len() != count {
            let (params, yields) = (body.params.len(), body.outputs.len());
            return error(format!(
                "body {n} has {params} parameters and {yields} yields; {} and {count} are needed",
                count + 1
            ));
        }
        if *self.ty(body.params[0]) != Type::Index {
            return error(format!("the first parameter of body {n} is no index"));
        }
        for (&param, &result) in body.params[1..].iter().zip(&op.results) {
            if self.ty(param) != self.ty(result) {
                let (found, ty) = (self.ty(param), self.ty(result));
                return error(format!("parameter {} of body {n} is {found}, not {ty}", self.name(param)));
            }
        }
        Ok(())
    }

    fn yields(&self, op: &Op, n: usize, body: &Block) -> CheckResult {
        for (&output, &result) in body.outputs.iter().zip(&op.results) {
            if let Err(found) = self.matches(output, self.ty(result)) {
                let message = format!("body {n} yields {found} for {}, not {}", self.name(result), self.ty(result));
                return Err(self.error(op, "P118", message));
            }
        }
        Ok(())
    }
}
