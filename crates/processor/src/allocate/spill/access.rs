//! How an instruction set stores a register and loads it again, found from the semantics of its instructions.

use crate::code::{Access, Op, Use, ValueId};
use crate::isa::{Instruction, InstructionId, Isa, OperandKind};
use crate::semantics::{Expression, Function, Operator, Statement};

/// Operations that reach a place in memory: at a distance from the pointer if an instruction does that, else through an address
/// that is computed before.
pub(super) struct Way {
    accessor: Accessor,
    adder: Option<Accessor>,
}

/// An instruction with its operands by their roles in the semantics.
struct Accessor {
    instruction: InstructionId,
    operands: Vec<String>,
    pointer: String,
    offset: Option<String>,
    data: Option<String>,
}

/// Names of the pointer, of the distance and of what is stored.
type Names = (String, Option<String>, Option<String>);

impl Way {
    /// The way to store a register of a class.
    pub fn to_store(isa: &Isa, class: usize) -> Option<Way> {
        let found = |s: &Statement| match s {
            Statement::Store(width, address, Expression::Name(data)) if *width == isa.word_bits => {
                let (pointer, offset) = address_of(address)?;
                Some((pointer, offset, Some(data.clone())))
            }
            _ => None,
        };
        let fits = |i: &Instruction, names: &Names| {
            i.uses.iter().any(|u| names.2.as_ref() == Some(&u.name) && u.kind == OperandKind::Register(class))
        };
        Way::of(isa, &found, &fits)
    }

    /// The way to load a register of a class.
    pub fn to_load(isa: &Isa, class: usize) -> Option<Way> {
        let found = |s: &Statement| match s {
            Statement::Assign(_, Expression::Call(Function::Load(width), address)) if *width == isa.word_bits => {
                let (pointer, offset) = address_of(address.first()?)?;
                Some((pointer, offset, None))
            }
            _ => None,
        };
        let fits =
            |i: &Instruction, _: &Names| i.defines.len() == 1 && i.defines[0].kind == OperandKind::Register(class);
        Way::of(isa, &found, &fits)
    }

    fn of(
        isa: &Isa,
        found: &dyn Fn(&Statement) -> Option<Names>,
        fits: &dyn Fn(&Instruction, &Names) -> bool,
    ) -> Option<Way> {
        let all = || accessors(isa, found, fits);
        if let Some(accessor) = all().find(|a| a.offset.is_some()) {
            return Some(Way { accessor, adder: None });
        }
        let sum = |s: &Statement| match s {
            Statement::Assign(_, value @ Expression::Binary(..)) => {
                address_of(value).filter(|names| names.1.is_some()).map(|(a, n)| (a, n, None))
            }
            _ => None,
        };
        let general = isa.general();
        let adds =
            |i: &Instruction, _: &Names| i.defines.len() == 1 && i.defines[0].kind == OperandKind::Register(general);
        let adder = accessors(isa, &sum, &adds).next()?;
        Some(Way { accessor: all().next()?, adder: Some(adder) })
    }

    /// Whether an address is computed for an access at that distance.
    pub fn computes(&self, offset: i64) -> bool {
        self.adder.is_some() && offset != 0
    }

    /// The operations of an access: `address` is what is computed first where an address is; what a load defines is `data` too.
    pub fn operations(&self, pointer: ValueId, address: ValueId, data: ValueId, access: Access) -> Vec<Op> {
        let offset = access.offset.map_or(0, |o| o.0);
        let adder = self.adder.as_ref().filter(|_| self.computes(offset));
        let from = if adder.is_some() { address } else { pointer };
        let sum = adder.map(|adder| Op { defines: vec![address], ..adder.operation(pointer, offset, data) });
        let defines = if access.store { Vec::new() } else { vec![data] };
        let access = Op { access: Some(access), defines, ..self.accessor.operation(from, offset, data) };
        sum.into_iter().chain([access]).collect()
    }
}

/// The instructions with a single statement in which `found` finds the roles of operands, with distances of some reach.
fn accessors<'a>(
    isa: &'a Isa,
    found: &'a dyn Fn(&Statement) -> Option<Names>,
    fits: &'a dyn Fn(&Instruction, &Names) -> bool,
) -> impl Iterator<Item = Accessor> + 'a {
    isa.instructions.iter().enumerate().filter_map(move |(k, i)| {
        let [statement] = i.semantics.as_slice() else { return None };
        let names = found(statement).filter(|names| i.selectable && fits(i, names))?;
        let reaches = |name: &String| {
            let far =
                |kind: &OperandKind| matches!(kind, OperandKind::Immediate(low, high) if *low <= 0 && *high >= 255);
            i.uses.iter().any(|u| u.name == *name && far(&u.kind))
        };
        let (pointer, offset, data) = names;
        let fits = offset.as_ref().map_or(true, reaches);
        fits.then_some(Accessor { instruction: k as InstructionId, operands: names_of(i), pointer, offset, data })
    })
}

fn names_of(instruction: &Instruction) -> Vec<String> {
    instruction.uses.iter().map(|u| u.name.clone()).collect()
}

/// A pointer, or the sum of a pointer and a distance.
fn address_of(e: &Expression) -> Option<(String, Option<String>)> {
    match e {
        Expression::Name(pointer) => Some((pointer.clone(), None)),
        Expression::Binary(Operator::Add, a, b) => match (a.as_ref(), b.as_ref()) {
            (Expression::Name(a), Expression::Name(b)) => Some((a.clone(), Some(b.clone()))),
            _ => None,
        },
        _ => None,
    }
}

impl Accessor {
    fn operation(&self, pointer: ValueId, offset: i64, data: ValueId) -> Op {
        let operand = |name: &String| {
            if *name == self.pointer {
                Use::Value(pointer)
            } else if Some(name) == self.offset.as_ref() {
                Use::Immediate(offset)
            } else {
                debug_assert_eq!(self.data.as_ref(), Some(name));
                Use::Value(data)
            }
        };
        let uses = self.operands.iter().map(operand).collect();
        Op { instruction: self.instruction, defines: vec![], uses, guard: None, access: None, places: vec![] }
    }
}
