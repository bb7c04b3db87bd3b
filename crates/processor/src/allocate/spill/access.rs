//! The instructions that save a value in memory and load it again.

use crate::code::{Op, Use, ValueId};
use crate::isa::{InstructionId, Isa, OperandKind};
use crate::semantics::{Expression, Operator, Statement};

/// An access at a distance from a pointer; operands by their roles in the semantics.
pub(super) struct Accessor {
    instruction: InstructionId,
    pointer: String,
    offset: String,
    data: Option<String>,
}

fn sum(e: &Expression) -> Option<(String, String)> {
    match e {
        Expression::Binary(Operator::Add, a, b) => match (a.as_ref(), b.as_ref()) {
            (Expression::Name(a), Expression::Name(b)) => Some((a.clone(), b.clone())),
            _ => None,
        },
        _ => None,
    }
}

/// Names of the pointer, of the distance and of what is stored.
type Names = (String, String, Option<String>);

fn accessor(isa: &Isa, found: &dyn Fn(&Statement) -> Option<Names>) -> Option<Accessor> {
    isa.instructions.iter().enumerate().find_map(|(k, i)| {
        let [statement] = i.semantics.as_slice() else { return None };
        let (pointer, offset, data) = found(statement)?;
        let number = i.uses.iter().any(|u| {
            u.name == offset && matches!(u.kind, OperandKind::Immediate(low, high) if low <= 0 && high >= 255)
        });
        number.then_some(Accessor { instruction: k as InstructionId, pointer, offset, data })
    })
}

/// The instruction that stores a word of a class at a distance from a pointer.
pub(super) fn saver(isa: &Isa, class: usize) -> Option<Accessor> {
    let bits = isa.word_bits;
    let of = |name: &String, i: &str| *name == *i;
    accessor(isa, &|s| match s {
        Statement::Store(width, address, Expression::Name(data)) if *width == bits => {
            let (pointer, offset) = sum(address)?;
            let right = isa.instructions.iter().any(|i| {
                i.semantics == [s.clone()]
                    && i.uses.iter().any(|u| of(data, &u.name) && u.kind == OperandKind::Register(class))
            });
            right.then_some((pointer, offset, Some(data.clone())))
        }
        _ => None,
    })
}

/// The instruction that loads a word of a class from a distance from a pointer.
pub(super) fn loader(isa: &Isa, class: usize) -> Option<Accessor> {
    use crate::semantics::Function;
    let bits = isa.word_bits;
    accessor(isa, &|s| match s {
        Statement::Assign(d, Expression::Call(Function::Load(width), address)) if *width == bits => {
            let (pointer, offset) = sum(address.first()?)?;
            let right = isa.instructions.iter().any(|i| {
                i.semantics == [s.clone()]
                    && i.defines.len() == 1
                    && i.defines[0].name == *d
                    && i.defines[0].kind == OperandKind::Register(class)
            });
            right.then_some((pointer, offset, None))
        }
        _ => None,
    })
}

/// The operation that accesses a place; what it defines and touches is left to the caller.
pub(super) fn fill(isa: &Isa, accessor: Accessor, pointer: ValueId, offset: i64, data: Option<ValueId>) -> Op {
    let instruction = &isa.instructions[accessor.instruction as usize];
    let operand = |name: &String| {
        if *name == accessor.pointer {
            Use::Value(pointer)
        } else if *name == accessor.offset {
            Use::Immediate(offset)
        } else {
            debug_assert_eq!(accessor.data.as_ref(), Some(name));
            data.map_or(Use::Zero, Use::Value)
        }
    };
    let uses = instruction.uses.iter().map(|u| operand(&u.name)).collect();
    Op { instruction: accessor.instruction, defines: vec![], uses, guard: None, access: None, places: vec![] }
}
