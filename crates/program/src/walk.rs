//! Walking a function: every place where a value is used or defined.
//!
//! A use is one of three kinds, told apart by [`Slot`] since not every one can hold every replacement:
//! an operand takes a value or a number, a value slot only a value, an address a sum.

use crate::ir::{Address, Affine, Block, Function, Loop, Op, OpKind, Operand, ValueId};

/// A place in an operation where values are used, to be changed.
#[derive(Debug)]
pub enum Slot<'a> {
    /// A value or a number.
    Operand(&'a mut Operand),
    /// A value only: an array that is loaded or stored, an operand of `concat` or `zext`.
    Value(&'a mut ValueId),
    /// A sum of indices, or an address that holds a word.
    Affine(&'a mut Affine),
}

/// Visits every value that an operation uses, in the order written; a loop's bodies are not entered.
pub fn uses(kind: &OpKind, f: &mut dyn FnMut(ValueId)) {
    match kind {
        OpKind::Const(_) => {}
        OpKind::Binary(_, a, b) | OpKind::Shift(_, a, b) | OpKind::Compare(_, a, b) => {
            operands_used(&[*a, *b], f);
        }
        OpKind::Not(a) | OpKind::Extract(a, _) => operands_used(&[*a], f),
        OpKind::Select(c, a, b) => operands_used(&[*c, *a, *b], f),
        OpKind::Concat(values) => values.iter().for_each(|&v| f(v)),
        OpKind::Zext(v) => f(*v),
        OpKind::Lookup(_, address) => affine_used(&address.affine, f),
        OpKind::Load(array, addresses) => {
            f(*array);
            addresses_used(addresses, f);
        }
        OpKind::Store(array, addresses, words) => {
            f(*array);
            addresses_used(addresses, f);
            operands_used(words, f);
        }
        OpKind::Array(list) | OpKind::Linear(_, list) | OpKind::Bitsliced(_, list) | OpKind::Call(_, list) => {
            operands_used(list, f)
        }
        OpKind::Word(affine) | OpKind::IndexDiv(affine, _) | OpKind::IndexMod(affine, _) => {
            affine_used(affine, f);
        }
        OpKind::Loop(l) => operands_used(&l.init, f),
    }
}

fn operands_used(list: &[Operand], f: &mut dyn FnMut(ValueId)) {
    for operand in list {
        if let Operand::Value(v) = operand {
            f(*v);
        }
    }
}

fn addresses_used(list: &[Address], f: &mut dyn FnMut(ValueId)) {
    list.iter().for_each(|a| affine_used(&a.affine, f));
}

fn affine_used(affine: &Affine, f: &mut dyn FnMut(ValueId)) {
    affine.terms.iter().for_each(|&(_, v)| f(v));
}

/// Visits every slot of an operation, in the order written; a loop's bodies are not entered.
pub fn slots_mut(kind: &mut OpKind, f: &mut dyn FnMut(Slot<'_>)) {
    match kind {
        OpKind::Const(_) => {}
        OpKind::Binary(_, a, b) | OpKind::Shift(_, a, b) | OpKind::Compare(_, a, b) => {
            f(Slot::Operand(a));
            f(Slot::Operand(b));
        }
        OpKind::Not(a) | OpKind::Extract(a, _) => f(Slot::Operand(a)),
        OpKind::Select(c, a, b) => [c, a, b].into_iter().for_each(|o| f(Slot::Operand(o))),
        OpKind::Concat(values) => values.iter_mut().for_each(|v| f(Slot::Value(v))),
        OpKind::Zext(v) => f(Slot::Value(v)),
        OpKind::Lookup(_, address) => f(Slot::Affine(&mut address.affine)),
        OpKind::Load(array, addresses) => {
            f(Slot::Value(array));
            addresses.iter_mut().for_each(|a| f(Slot::Affine(&mut a.affine)));
        }
        OpKind::Store(array, addresses, words) => {
            f(Slot::Value(array));
            addresses.iter_mut().for_each(|a| f(Slot::Affine(&mut a.affine)));
            words.iter_mut().for_each(|o| f(Slot::Operand(o)));
        }
        OpKind::Array(list) | OpKind::Linear(_, list) | OpKind::Bitsliced(_, list) | OpKind::Call(_, list) => {
            list.iter_mut().for_each(|o| f(Slot::Operand(o)))
        }
        OpKind::Word(affine) | OpKind::IndexDiv(affine, _) | OpKind::IndexMod(affine, _) => {
            f(Slot::Affine(affine));
        }
        OpKind::Loop(l) => l.init.iter_mut().for_each(|o| f(Slot::Operand(o))),
    }
}

impl OpKind {
    /// The loop, if it is one.
    #[must_use]
    pub fn as_loop(&self) -> Option<&Loop> {
        match self {
            OpKind::Loop(l) => Some(l),
            _ => None,
        }
    }

    /// The word of the text form: `add`, `load`, `rounds`.
    #[must_use]
    pub fn mnemonic(&self) -> &'static str {
        crate::text::words::mnemonic(self)
    }
}

/// Visits every operation of a block in order, a loop before the operations of its bodies.
pub fn for_each_op<'a>(block: &'a Block, f: &mut dyn FnMut(&'a Op)) {
    for op in &block.ops {
        f(op);
        if let OpKind::Loop(l) = &op.kind {
            l.bodies.iter().for_each(|body| for_each_op(body, f));
        }
    }
}

/// How many operations a block has, with those of its loops' bodies, each as often as it stands there.
#[must_use]
pub fn count_ops(block: &Block) -> usize {
    let mut count = 0;
    for_each_op(block, &mut |_| count += 1);
    count
}

/// Visits a block and the bodies of all its loops, outermost first.
pub fn for_each_block<'a>(block: &'a Block, f: &mut dyn FnMut(&'a Block)) {
    f(block);
    for op in &block.ops {
        if let OpKind::Loop(l) = &op.kind {
            l.bodies.iter().for_each(|body| for_each_block(body, f));
        }
    }
}

/// Visits a block and the bodies of all its loops, innermost first, so that `f` may change the list of operations.
pub fn for_each_block_mut(block: &mut Block, f: &mut dyn FnMut(&mut Block)) {
    for op in &mut block.ops {
        if let OpKind::Loop(l) = &mut op.kind {
            l.bodies.iter_mut().for_each(|body| for_each_block_mut(body, f));
        }
    }
    f(block);
}

/// How often each value of the function is used: by operations, as a loop's initial value, as an output.
#[must_use]
pub fn use_counts(function: &Function) -> Vec<u32> {
    let mut counts = vec![0; function.values.len()];
    let mut count = |v: ValueId| counts[v.0 as usize] += 1;
    for_each_block(&function.body, &mut |block| {
        block.ops.iter().for_each(|op| uses(&op.kind, &mut count));
        operands_used(&block.outputs, &mut count);
    });
    counts
}

/// The values in the order in which the text form defines them: parameters, results of an operation, then what stands inside its loop bodies.
#[must_use]
pub fn definition_order(function: &Function) -> Vec<ValueId> {
    fn block_order(block: &Block, order: &mut Vec<ValueId>) {
        order.extend(&block.params);
        for op in &block.ops {
            order.extend(&op.results);
            if let OpKind::Loop(l) = &op.kind {
                l.bodies.iter().for_each(|body| block_order(body, order));
            }
        }
    }
    let mut order = function.params.clone();
    block_order(&function.body, &mut order);
    order
}

/// Visits every use and every definition of a value in the function, to renumber them.
pub fn value_ids_mut(function: &mut Function, f: &mut dyn FnMut(&mut ValueId)) {
    fn slot_ids(slot: Slot<'_>, f: &mut dyn FnMut(&mut ValueId)) {
        match slot {
            Slot::Operand(Operand::Value(v)) | Slot::Value(v) => f(v),
            Slot::Operand(Operand::Const(_)) => {}
            Slot::Affine(affine) => affine.terms.iter_mut().for_each(|(_, v)| f(v)),
        }
    }
    function.params.iter_mut().for_each(&mut *f);
    for_each_block_mut(&mut function.body, &mut |block| {
        block.params.iter_mut().for_each(&mut *f);
        for op in &mut block.ops {
            slots_mut(&mut op.kind, &mut |slot| slot_ids(slot, f));
            op.results.iter_mut().for_each(&mut *f);
        }
        block.outputs.iter_mut().for_each(|o| slot_ids(Slot::Operand(o), f));
    });
}

/// Drops values that nothing defines and numbers the rest in [`definition_order`], as the parser does; passes end with it.
pub fn renumber(function: &mut Function) {
    let order = definition_order(function);
    let mut number = vec![u32::MAX; function.values.len()];
    for (new, old) in order.iter().enumerate() {
        number[old.0 as usize] = new as u32;
    }
    function.values = order.iter().map(|v| function.values[v.0 as usize].clone()).collect();
    value_ids_mut(function, &mut |v| v.0 = number[v.0 as usize]);
}
