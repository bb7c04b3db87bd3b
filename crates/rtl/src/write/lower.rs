//! From the operations of a function to the items of a module: which values become wires, which stand inside expressions.

mod choices;
mod gates;
mod operations;

use std::collections::{BTreeMap, BTreeSet};

use program::ir::{Function, Op, OpKind, Operand, Place, Program, ValueId};
use program::walk::uses;

use super::comments::Origin;
use super::expression::Expr;
use super::library::{live_ops, width_of, Library};
use super::module::{Instance, Item};
use super::names::{is_named, Names};
use choices::{choices, Choice};

/// An expression with more leaves gets a wire.
const MOST_LEAVES: usize = 8;

/// What a lowered function needs to know about its surroundings.
pub(super) struct Lowering<'a> {
    pub program: &'a Program,
    pub library: &'a Library,
    pub function: &'a Function,
    pub names: Names,
    /// What stands for each value so far.
    pub values: Vec<Option<Expr>>,
    /// Values that drive a port directly.
    pub targets: BTreeMap<ValueId, String>,
    /// Stores by the parameter that holds them: name, length.
    pub stores: BTreeMap<ValueId, (String, u32)>,
    uses: Vec<u32>,
    items: Vec<(Item, Origin)>,
    labels: BTreeMap<String, u32>,
    /// The operation at hand and those that stand inside expressions since the last item.
    origin: Origin,
    inside: BTreeSet<(u16, u32)>,
}

impl<'a> Lowering<'a> {
    pub fn new(program: &'a Program, library: &'a Library, function: &'a Function, names: Names) -> Self {
        Lowering {
            program,
            library,
            function,
            names,
            values: vec![None; function.values.len()],
            targets: BTreeMap::new(),
            stores: BTreeMap::new(),
            uses: vec![0; function.values.len()],
            items: Vec::new(),
            labels: BTreeMap::new(),
            origin: Origin::default(),
            inside: BTreeSet::new(),
        }
    }

    /// Lowers all operations that the results need.
    pub fn run(&mut self) {
        let live = live_ops(self.function);
        let ops: Vec<&'a Op> = self.function.body.ops.iter().zip(live).filter(|(_, l)| *l).map(|(op, _)| op).collect();
        for op in &ops {
            uses(&op.kind, &mut |v| self.uses[v.0 as usize] += 1);
        }
        for output in &self.function.body.outputs {
            if let Operand::Value(v) = output {
                self.uses[v.0 as usize] += 1;
            }
        }
        let chosen = choices(&ops, &|v| self.uses[v.0 as usize] == 1);
        for op in ops.iter().filter(|op| !chosen.inner.contains(&op.results[0])) {
            self.starts(&op.places);
            match chosen.roots.get(&op.results[0]) {
                Some(choice) => self.choice(op.results[0], choice),
                None => self.operation(op),
            }
        }
        self.origin = Origin::default();
    }

    /// One of many words, which gets a wire.
    fn choice(&mut self, result: ValueId, choice: &Choice) {
        let width = self.width(result);
        let bits = choice.words.len().ilog2();
        let address = self.named(choice.address).part(choice.low.into(), bits).expect("a name has parts");
        let words = choice.words.iter().map(|&word| self.operand(word, width)).collect();
        let name = self.function.values[result.0 as usize].name.clone();
        let chosen = self.fresh(&name, Expr::Choice { address: Box::new(address), words });
        if self.targets.contains_key(&result) {
            self.define(result, chosen, true);
        } else {
            self.values[result.0 as usize] = Some(chosen);
        }
    }

    fn starts(&mut self, places: &[Place]) {
        self.origin = Origin::of(places);
        self.inside.extend(places.iter().map(|p| (p.file, p.line)));
    }

    /// The items, with comments where the lines of the cipher change.
    pub fn finish(self) -> Vec<Item> {
        super::comments::commented(self.program, self.items)
    }

    pub fn push(&mut self, item: Item) {
        let inside = std::mem::take(&mut self.inside);
        let origin = Origin { lines: inside, ..self.origin.clone() };
        self.items.push((item, origin));
    }

    pub fn width(&self, v: ValueId) -> u32 {
        width_of(self.function, v)
    }

    /// An operand of a given width, as an expression that may stand inside another.
    pub fn operand(&mut self, operand: Operand, width: u32) -> Expr {
        match operand {
            Operand::Const(n) => Expr::number(n, width),
            Operand::Value(v) => self.value(v),
        }
    }

    pub fn value(&mut self, v: ValueId) -> Expr {
        match self.held(v) {
            Expr::Select(..) => self.named(v),
            other => other,
        }
    }

    /// What stands for a value; a selection too, which may not stand inside other expressions.
    pub fn held(&self, v: ValueId) -> Expr {
        self.values[v.0 as usize].clone().expect("values are defined before they are used")
    }

    /// A value as a name, part of one or number: gets a wire if it has none.
    pub fn named(&mut self, v: ValueId) -> Expr {
        let expr = self.held(v);
        if expr.is_simple() {
            return expr;
        }
        let name = self.names.unique(&self.function.values[v.0 as usize].name);
        self.wire(v, name, expr)
    }

    /// Bits of an operand from `low` up.
    pub fn part(&mut self, operand: Operand, low: u32, width: u32) -> Expr {
        let v = match operand {
            Operand::Const(n) => return Expr::number(n.checked_shr(low).unwrap_or(0), width),
            Operand::Value(v) => v,
        };
        if low == 0 && width == self.width(v) {
            return self.value(v);
        }
        let direct = self.held(v).part(low, width).filter(|e| e.is_simple() || self.uses[v.0 as usize] == 1);
        direct.unwrap_or_else(|| self.named(v).part(low, width).expect("a name has parts"))
    }

    /// A new wire with the value of an expression.
    pub fn fresh(&mut self, name: &str, value: Expr) -> Expr {
        let target = Expr::name(&self.names.unique(name), value.width());
        self.push(Item::Assign { target: target.clone(), declare: true, value });
        target
    }

    fn wire(&mut self, v: ValueId, name: String, value: Expr) -> Expr {
        let target = Expr::name(&name, value.width());
        self.push(Item::Assign { target: target.clone(), declare: true, value });
        self.values[v.0 as usize] = Some(target.clone());
        target
    }

    /// Sets what a value is: a port, a wire, or the expression itself where it reads better so.
    pub fn define(&mut self, v: ValueId, value: Expr, inline: bool) {
        let author = &self.function.values[v.0 as usize].name;
        if let Some(port) = self.targets.get(&v) {
            let target = Expr::name(port, value.width());
            self.push(Item::Assign { target: target.clone(), declare: false, value });
            self.values[v.0 as usize] = Some(target);
        } else if !is_named(author)
            && (value.is_simple() || inline && self.uses[v.0 as usize] == 1 && value.leaves() <= MOST_LEAVES)
        {
            self.values[v.0 as usize] = Some(value);
        } else {
            let name = self.names.unique(author);
            self.wire(v, name, value);
        }
    }

    /// The wire or port that an instance drives for a result, and whether it is new.
    pub fn driven(&mut self, v: ValueId) -> (String, u32, bool) {
        let width = self.width(v);
        let (name, new) = match self.targets.get(&v) {
            Some(port) => (port.clone(), false),
            None => (self.names.unique(&self.function.values[v.0 as usize].name), true),
        };
        self.values[v.0 as usize] = Some(Expr::name(&name, width));
        (name, width, new)
    }

    /// An instance, labelled after what it is.
    pub fn instance(
        &mut self,
        module: &str,
        base: &str,
        inputs: Vec<(String, Expr)>,
        outputs: Vec<(String, String, u32, bool)>,
    ) {
        let count = self.labels.entry(base.to_owned()).or_insert(0);
        *count += 1;
        let label = self.names.unique(&format!("{base}_{count}"));
        self.push(Item::Instance(Instance { module: module.to_owned(), label, inputs, outputs }));
    }

    /// The outputs of the function as expressions that may stand anywhere but inside a clock's list.
    pub fn output(&mut self, number: usize, width: u32) -> Expr {
        self.operand(self.function.body.outputs[number], width)
    }

    /// Whether an operation's kind is known to hardware.
    pub fn serves(kind: &OpKind) -> bool {
        !matches!(
            kind,
            OpKind::Store(..)
                | OpKind::Array(_)
                | OpKind::Word(_)
                | OpKind::IndexDiv(..)
                | OpKind::IndexMod(..)
                | OpKind::Loop(_)
        )
    }
}
