//! Tiles: what single instructions and recipes compute, as trees to be laid over terms.

use crate::isa::{Control, Instruction, InstructionId, Isa, OperandKind};
use crate::semantics::{Expression, Function, Operator, Statement};

/// A tree of terms with operands as leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// A register operand of the tile.
    Register(usize),
    /// An immediate operand of the tile.
    Immediate(usize),
    /// A fixed number.
    Number(u64),
    /// `~x`
    Not(Box<Pattern>),
    /// `x op y`
    Binary(Operator, Box<Pattern>, Box<Pattern>),
    /// `c ? x : y`
    Select(Box<Pattern>, Box<Pattern>, Box<Pattern>),
    /// A function; loads, too.
    Call(Function, Vec<Pattern>),
}

/// What a tile does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// It gives a value.
    Value(Pattern),
    /// It stores so many bits: address and value.
    Store(u8, Pattern, Pattern),
}

/// An operand of a tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileOperand {
    /// Its name in the instruction or recipe.
    pub name: String,
    /// What may stand there.
    pub kind: OperandKind,
    /// Its bits from this number on must be zeros (`None`: they may be anything).
    pub clean: Option<u8>,
}

/// Where an operand of a step comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A register operand of the tile.
    Operand(usize),
    /// What an earlier step defined.
    Local(usize),
    /// A number computed from the tile's immediate operands.
    Number(Expression),
    /// The zero register.
    Zero,
    /// The address of a scratch object, and the distance in it.
    Scratch(i64),
}

/// One instruction of a tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The instruction.
    pub instruction: InstructionId,
    /// Numbers of the locals that it defines.
    pub defines: Vec<usize>,
    /// In the order of the instruction's uses.
    pub uses: Vec<Source>,
    /// The predicate under which it runs.
    pub guard: Option<Source>,
}

/// Which bits of a tile's result are those of its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// All of them.
    All,
    /// So many low bits; the others may be anything.
    Low(u8),
    /// So many low bits; the others are zeros.
    Cut(u8),
}

/// A way to compute a tree of terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Name of the instruction or recipe.
    pub name: String,
    /// What it computes.
    pub shape: Shape,
    /// Which bits of the result are right.
    pub right: Right,
    /// Operands.
    pub operands: Vec<TileOperand>,
    /// Instructions in order.
    pub steps: Vec<Step>,
    /// The local that holds the result.
    pub result: usize,
    /// Locals that the steps define.
    pub locals: usize,
    /// Register class of the result.
    pub class: usize,
}

/// The register class for truth values, if there is one.
#[must_use]
pub fn predicate(isa: &Isa) -> Option<usize> {
    isa.registers.iter().position(|r| r.bits == 1)
}

/// The tiles of all single instructions.
#[must_use]
pub fn of_instructions(isa: &Isa) -> Vec<Tile> {
    let one = |(id, instruction)| of_instruction(isa, id as InstructionId, instruction);
    isa.instructions.iter().enumerate().flat_map(one).collect()
}

fn of_instruction(isa: &Isa, id: InstructionId, instruction: &Instruction) -> Vec<Tile> {
    let tied = |name: &str| instruction.uses.iter().any(|u| u.name == name);
    let changes_pointer = instruction.semantics.len() > 1 && instruction.defines.iter().any(|d| tied(&d.name));
    let stores = instruction.semantics.iter().filter(|s| matches!(s, Statement::Store(..))).count();
    if !instruction.selectable
        || instruction.control != Control::None
        || changes_pointer
        || (stores > 0 && instruction.semantics.len() > 1)
    {
        return Vec::new();
    }
    instruction.semantics.iter().filter_map(|s| of_statement(isa, id, instruction, s)).collect()
}

fn of_statement(isa: &Isa, id: InstructionId, instruction: &Instruction, statement: &Statement) -> Option<Tile> {
    let operands: Vec<TileOperand> = (instruction.uses.iter())
        .map(|u| TileOperand { name: u.name.clone(), kind: u.kind.clone(), clean: None })
        .collect();
    let mut right = Right::All;
    let (shape, result) = match statement {
        Statement::Assign(name, expression) => {
            let result = instruction.defines.iter().position(|d| &d.name == name)?;
            let (expression, bits) = extended(expression);
            right = bits.filter(|&bits| bits < isa.word_bits).map_or(Right::All, Right::Low);
            (Shape::Value(pattern(expression, &operands)?), result)
        }
        Statement::Store(bits, address, value) => {
            (Shape::Store(*bits, pattern(address, &operands)?, pattern(value, &operands)?), 0)
        }
    };
    if matches!(shape, Shape::Value(Pattern::Register(_))) {
        return None;
    }
    let number = |name: &str| Source::Number(Expression::Name(name.to_owned()));
    let uses = operands.iter().enumerate().map(|(k, o)| match o.kind {
        OperandKind::Register(_) => Source::Operand(k),
        OperandKind::Immediate(..) => number(&o.name),
    });
    let class = match instruction.defines.get(result).map(|d| &d.kind) {
        Some(OperandKind::Register(class)) => *class,
        _ => isa.general(),
    };
    let locals = instruction.defines.len();
    let step = Step { instruction: id, defines: (0..locals).collect(), uses: uses.collect(), guard: None };
    Some(Tile { name: instruction.name.clone(), shape, right, operands, steps: vec![step], result, locals, class })
}

/// A number that is extended by its sign has its low bits right: the expression below, and how many.
fn extended(expression: &Expression) -> (&Expression, Option<u8>) {
    match expression {
        Expression::Call(Function::SignExtend, list) => match (&list[0], &list[1]) {
            (Expression::Name(_), _) => (expression, None),
            (inside, Expression::Number(bits)) => (inside, Some(*bits as u8)),
            _ => (expression, None),
        },
        _ => (expression, None),
    }
}

/// Bits of the numbers whose loads leave the upper bits of a register as they come: no instruction loads them under zeros.
#[must_use]
pub fn signed_loads(tiles: &[Tile], word_bits: u8) -> Vec<u8> {
    let loads = |tile: &Tile, bits: u8, whole: bool| match &tile.shape {
        Shape::Value(Pattern::Call(Function::Load(of), _)) => *of == bits && (tile.right == Right::All) == whole,
        _ => false,
    };
    let signed =
        |bits: &u8| tiles.iter().any(|t| loads(t, *bits, false)) && !tiles.iter().any(|t| loads(t, *bits, true));
    [8, 16, 32].into_iter().filter(|bits| *bits < word_bits).filter(signed).collect()
}

/// So many low bits of a register are what instructions take as the amount of a shift by it.
#[must_use]
pub fn amounts(tiles: &[Tile]) -> Vec<u8> {
    let mut found = Vec::new();
    for tile in tiles {
        if let Shape::Value(Pattern::Binary(Operator::Shl | Operator::Shr, _, amount)) = &tile.shape {
            if let Pattern::Call(Function::Field, list) = amount.as_ref() {
                if let [Pattern::Register(_), Pattern::Number(0), Pattern::Number(bits)] = list.as_slice() {
                    found.push(*bits as u8);
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The tree of an expression; nothing if it holds a name that is no operand.
pub fn pattern(expression: &Expression, operands: &[TileOperand]) -> Option<Pattern> {
    let one = |e: &Expression| pattern(e, operands).map(Box::new);
    Some(match expression {
        Expression::Name(name) => {
            let k = operands.iter().position(|o| &o.name == name)?;
            match operands[k].kind {
                OperandKind::Register(_) => Pattern::Register(k),
                OperandKind::Immediate(..) => Pattern::Immediate(k),
            }
        }
        Expression::Number(n) => Pattern::Number(*n),
        Expression::Not(x) => Pattern::Not(one(x)?),
        Expression::Binary(Operator::And, x, y) => match (mask_of(y, operands), mask_of(x, operands)) {
            (Some(n), _) => low_bits(*one(x)?, n),
            (_, Some(n)) => low_bits(*one(y)?, n),
            _ => Pattern::Binary(Operator::And, one(x)?, one(y)?),
        },
        Expression::Binary(operator, x, y) => Pattern::Binary(*operator, one(x)?, one(y)?),
        Expression::Select(c, x, y) => Pattern::Select(one(c)?, one(x)?, one(y)?),
        Expression::Call(Function::SignExtend, list) => match pattern(&list[0], operands)? {
            Pattern::Immediate(k) => Pattern::Immediate(k),
            x => Pattern::Call(Function::SignExtend, vec![x, pattern(&list[1], operands)?]),
        },
        Expression::Call(function, list) => {
            let list = list.iter().map(|x| pattern(x, operands)).collect::<Option<_>>()?;
            Pattern::Call(*function, list)
        }
    })
}

fn low_bits(x: Pattern, n: Pattern) -> Pattern {
    Pattern::Call(Function::Field, vec![x, Pattern::Number(0), n])
}

/// The number of ones of a mask of low bits.
fn mask_of(expression: &Expression, operands: &[TileOperand]) -> Option<Pattern> {
    match expression {
        Expression::Call(Function::Ones, list) => pattern(&list[0], operands),
        Expression::Number(n) if *n > 0 && n & n.wrapping_add(1) == 0 => {
            Some(Pattern::Number(u64::from(n.count_ones())))
        }
        _ => None,
    }
}

impl Pattern {
    /// Whether it holds no register and no memory.
    #[must_use]
    pub fn is_number(&self) -> bool {
        match self {
            Pattern::Register(_) => false,
            Pattern::Immediate(_) | Pattern::Number(_) => true,
            Pattern::Not(x) => x.is_number(),
            Pattern::Binary(_, x, y) => x.is_number() && y.is_number(),
            Pattern::Select(..) => false,
            Pattern::Call(Function::Load(_), _) => false,
            Pattern::Call(_, list) => list.iter().all(Pattern::is_number),
        }
    }
}
