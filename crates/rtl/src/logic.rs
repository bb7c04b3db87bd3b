//! Writing a combinational function: words in, words out, one method per operation.

use std::collections::HashMap;

use program::builder::Builder;
use program::ir::{
    Address, Affine, ArrayType, Binary, Block, Compare, Function, Op, OpKind, Operand, Program, Table, TableId, Type,
    ValueId,
};
use program::semantics::mask;

/// A function under construction; equal operations are made once.
pub struct Logic {
    builder: Builder,
    function: Function,
    known: HashMap<String, Vec<ValueId>>,
}

impl Logic {
    /// An empty function.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let mut function = Function { name: name.to_owned(), ..Function::default() };
        Logic { builder: Builder::new(&mut function), function, known: HashMap::new() }
    }

    /// A parameter.
    pub fn param(&mut self, name: &str, width: u8) -> Operand {
        let value = self.builder.value(name, Type::Word(width));
        self.function.params.push(value);
        Operand::Value(value)
    }

    /// A parameter that stands before others.
    pub fn first_param(&mut self, at: usize, name: &str, width: u8) -> Operand {
        let value = self.builder.value(name, Type::Word(width));
        self.function.params.insert(at, value);
        Operand::Value(value)
    }

    /// A parameter that is a store.
    pub fn store(&mut self, name: &str, width: u8, length: u32) -> ValueId {
        let value = self.builder.value(name, Type::Array(ArrayType { width, dims: vec![length] }));
        self.function.params.push(value);
        value
    }

    /// A word of a store.
    pub fn word_of(&mut self, store: ValueId, width: u8, number: u32) -> Operand {
        let affine = Affine { terms: Vec::new(), constant: number.into() };
        self.op("", width, OpKind::Load(store, vec![Address { affine, ring: false }]))
    }

    /// Author's name and width of a word.
    #[must_use]
    pub fn described(&self, word: Operand) -> (String, u8) {
        match word {
            Operand::Value(v) => (self.builder.values[v.0 as usize].name.clone(), width_of(self.builder.ty(v))),
            Operand::Const(_) => (String::new(), 0),
        }
    }

    /// An operation with one result of the given width, named after `name` (or numbered).
    pub fn op(&mut self, name: &str, width: u8, kind: OpKind) -> Operand {
        Operand::Value(self.ops(&[(name, width)], kind)[0])
    }

    /// An operation with several results of one name.
    pub fn many(&mut self, name: &str, widths: &[u8], kind: OpKind) -> Vec<Operand> {
        let results: Vec<(&str, u8)> = widths.iter().map(|&width| (name, width)).collect();
        self.ops(&results, kind).into_iter().map(Operand::Value).collect()
    }

    /// An operation with results of the given names and widths.
    pub fn ops(&mut self, results: &[(&str, u8)], kind: OpKind) -> Vec<ValueId> {
        let text = format!("{:?} {kind:?}", results.iter().map(|r| r.1).collect::<Vec<_>>());
        if let Some(known) = self.known.get(&text) {
            return known.clone();
        }
        let values: Vec<ValueId> =
            results.iter().map(|(name, width)| self.builder.value(name, Type::Word(*width))).collect();
        self.function.body.ops.push(Op { kind, results: values.clone(), places: Vec::new() });
        self.known.insert(text, values.clone());
        values
    }

    /// The results of another function of the program.
    pub fn call(&mut self, callee: &Function, arguments: Vec<Operand>) -> Vec<Operand> {
        let widths: Vec<(&str, u8)> = callee.results.iter().map(|ty| ("", width_of(ty))).collect();
        let kind = OpKind::Call(callee.name.clone(), arguments);
        self.ops(&widths, kind).into_iter().map(Operand::Value).collect()
    }

    /// A number as an operand, cut to its width.
    #[must_use]
    pub fn number(width: u8, number: u64) -> Operand {
        Operand::Const(number & mask(width))
    }

    /// `a if condition else b`.
    pub fn select(&mut self, name: &str, width: u8, condition: Operand, a: Operand, b: Operand) -> Operand {
        match condition {
            _ if a == b => a,
            Operand::Const(0) => b,
            Operand::Const(_) => a,
            Operand::Value(_) => self.op(name, width, OpKind::Select(condition, a, b)),
        }
    }

    /// Bitwise or arithmetic operation.
    pub fn binary(&mut self, name: &str, width: u8, which: Binary, a: Operand, b: Operand) -> Operand {
        let (zero, ones) = (Operand::Const(0), Operand::Const(mask(width)));
        match which {
            Binary::And if a == zero || b == zero => zero,
            Binary::And if a == ones => b,
            Binary::And if b == ones => a,
            Binary::Or if a == ones || b == ones => ones,
            Binary::Or | Binary::Add | Binary::Xor if a == zero => b,
            Binary::Or | Binary::Add | Binary::Xor | Binary::Sub if b == zero => a,
            _ => self.op(name, width, OpKind::Binary(which, a, b)),
        }
    }

    /// Disjunction of bits.
    pub fn any(&mut self, name: &str, bits: &[Operand]) -> Operand {
        let mut result = Operand::Const(0);
        for (n, &bit) in bits.iter().enumerate() {
            let name = if n + 1 == bits.len() { name } else { "" };
            result = self.binary(name, 1, Binary::Or, result, bit);
        }
        result
    }

    /// Conjunction of bits.
    pub fn all(&mut self, name: &str, bits: &[Operand]) -> Operand {
        let mut result = Operand::Const(1);
        for (n, &bit) in bits.iter().enumerate() {
            let name = if n + 1 == bits.len() { name } else { "" };
            result = self.binary(name, 1, Binary::And, result, bit);
        }
        result
    }

    /// The opposite of a bit.
    pub fn not(&mut self, bit: Operand) -> Operand {
        match bit {
            Operand::Const(c) => Operand::Const(1 - (c & 1)),
            Operand::Value(_) => self.op("", 1, OpKind::Not(bit)),
        }
    }

    /// Whether a word has a value.
    pub fn is(&mut self, word: Operand, number: u64) -> Operand {
        match word {
            Operand::Const(c) => Operand::Const(u64::from(c == number)),
            Operand::Value(_) => self.op("", 1, OpKind::Compare(Compare::Eq, word, Operand::Const(number))),
        }
    }

    /// Bits of a word, from the given position up.
    pub fn extract(&mut self, width: u8, word: Operand, from: u8) -> Operand {
        match word {
            Operand::Const(c) => Operand::Const((c >> from) & mask(width)),
            Operand::Value(_) => self.op("", width, OpKind::Extract(word, from)),
        }
    }

    /// Words side by side, the first in the least significant bits.
    pub fn concat(&mut self, name: &str, words: &[(Operand, u8)]) -> Operand {
        if words.len() == 1 {
            return words[0].0;
        }
        let width: u8 = words.iter().map(|w| w.1).sum();
        let values: Vec<ValueId> = words.iter().map(|&(word, width)| self.value(word, width)).collect();
        self.op(name, width, OpKind::Concat(values))
    }

    /// A value even for a number.
    pub fn value(&mut self, word: Operand, width: u8) -> ValueId {
        match word {
            Operand::Value(v) => v,
            Operand::Const(c) => self.ops(&[("", width)], OpKind::Const(c))[0],
        }
    }

    /// The word whose condition is 1; at most one is, and where none is the word does not matter.
    pub fn one_of(&mut self, width: u8, words: &[(Operand, Operand)]) -> Operand {
        match *words {
            [] => Operand::Const(0),
            [(_, word)] => word,
            [(first, a), (_, b)] => self.select("", width, first, a, b),
            // Three and more as a disjunction: gates of two pairs are smaller and faster than multiplexers in a chain.
            _ => {
                let masked: Vec<Operand> = words
                    .iter()
                    .map(|&(condition, word)| self.select("", width, condition, word, Operand::Const(0)))
                    .collect();
                self.disjunction(width, &masked)
            }
        }
    }

    fn disjunction(&mut self, width: u8, words: &[Operand]) -> Operand {
        match *words {
            [] => Operand::Const(0),
            [word] => word,
            _ => {
                let (left, right) = words.split_at(words.len().next_power_of_two() / 2);
                let (left, right) = (self.disjunction(width, left), self.disjunction(width, right));
                self.binary("", width, Binary::Or, left, right)
            }
        }
    }

    /// One of many words by its number, as a tree over the bits of the address; numbers beyond the list may give any of them.
    pub fn choose(&mut self, name: &str, width: u8, address: Operand, words: &[Operand]) -> Operand {
        let mut level = words.to_vec();
        let mut bit = 0;
        while level.len() > 1 {
            let select = self.extract(1, address, bit);
            let name = if level.len() == 2 { name } else { "" };
            level = level
                .chunks(2)
                .map(|pair| if pair.len() == 2 { self.select(name, width, select, pair[1], pair[0]) } else { pair[0] })
                .collect();
            bit += 1;
        }
        level[0]
    }

    /// An entry of a constant table, which the program gains if it has no equal one; a table of one value is a number.
    pub fn lookup(
        &mut self,
        program: &mut Program,
        name: &str,
        width: u8,
        data: Vec<u64>,
        address: Operand,
    ) -> Operand {
        if data.iter().all(|d| *d == data[0]) {
            return Operand::Const(data[0]);
        }
        if let Operand::Const(at) = address {
            return Operand::Const(data[at as usize]);
        }
        let table = table(program, name, width, data);
        let Operand::Value(value) = address else { return address };
        let affine = Affine { terms: vec![(1, value)], constant: 0 };
        self.op(name, width, OpKind::Lookup(table, Address { affine, ring: false }))
    }

    /// Ends the function with its results.
    #[must_use]
    pub fn finish(mut self, results: &[(Operand, u8)]) -> Function {
        self.function.body =
            Block { outputs: results.iter().map(|r| r.0).collect(), ..std::mem::take(&mut self.function.body) };
        self.function.results = results.iter().map(|r| Type::Word(r.1)).collect();
        let mut function = self.function;
        self.builder.finish(&mut function);
        function
    }
}

/// Width of a word type; 0 for what is no word.
#[must_use]
pub fn width_of(ty: &Type) -> u8 {
    match ty {
        Type::Word(width) => *width,
        _ => 0,
    }
}

/// Bits that hold the numbers below `count`; at least one.
#[must_use]
pub fn bits_for(count: usize) -> u8 {
    (usize::BITS - count.saturating_sub(1).leading_zeros()).max(1) as u8
}

fn table(program: &mut Program, name: &str, width: u8, data: Vec<u64>) -> TableId {
    if let Some(n) = program.tables.iter().position(|t| t.width == width && t.data == data) {
        return TableId(n as u32);
    }
    let taken = |program: &Program, name: &str| program.tables.iter().any(|t| t.name == name);
    let mut free = name.to_owned();
    let mut n = 1;
    while taken(program, &free) {
        n += 1;
        free = format!("{name}_{n}");
    }
    program.tables.push(Table { name: free, width, data });
    TableId(program.tables.len() as u32 - 1)
}
