//! The result in the state: the last step leaves it in the registers of the rounds, and no others are needed.

use program::ir::{Function, Op, OpKind, Operand, Type, ValueData, ValueId};
use program::walk::renumber;

use super::engine::Engine;
use super::parts::BETWEEN_BLOCKS;
use crate::logic::Logic;
use crate::sequence::{Place, Sequence};

/// Where a byte of the result stands: its place and its lowest bit there.
type ByteAt = (Place, u8);

/// The steps of the cipher, and where its results stand after the last.
pub(super) struct Results {
    pub data: Vec<Sequence>,
    stands: Option<Vec<ByteAt>>,
}

impl Results {
    /// Results stand in the state where steps are many enough that the next block is there in time though its first step waits.
    pub fn of(data: &[Sequence]) -> Self {
        let many = data.iter().all(|sequence| sequence.steps.len() > BETWEEN_BLOCKS as usize);
        match in_state(data).filter(|_| many) {
            Some((data, stands)) => Results { data, stands: Some(stands) },
            None => Results { data: data.to_vec(), stands: None },
        }
    }

    /// Whether they stand in the state: then it is the first step of the next block that would overwrite them.
    pub fn in_state(&self) -> bool {
        self.stands.is_some()
    }

    /// The bytes of the result.
    pub fn bytes(&self, logic: &mut Logic, engine: &Engine, cells: &[Operand]) -> Vec<Operand> {
        let word = |place: &Place| engine.find(&self.data[0], place).map_or(Operand::Const(0), |cell| cells[cell]);
        match &self.stands {
            Some(stands) => {
                let byte = |(place, bit): &ByteAt| match width_of(engine, &self.data[0], place) {
                    8 => word(place),
                    _ => logic.extract(8, word(place), *bit),
                };
                stands.iter().map(byte).collect()
            }
            None => self.data[0].results[0].iter().map(word).collect(),
        }
    }
}

fn width_of(engine: &Engine, sequence: &Sequence, place: &Place) -> u8 {
    engine.find(sequence, place).map_or(0, |cell| engine.cells[cell].width)
}

/// Sequences whose results stand in their state at the end, with where each byte does; none where the state has no room for them,
/// or where they are not all made in the last step.
fn in_state(data: &[Sequence]) -> Option<(Vec<Sequence>, Vec<ByteAt>)> {
    let words = room(&data[0])?;
    let stands = standing(last_body(&data[0])?, &words, data[0].results[0].len())?;
    let moved = data.iter().map(|sequence| {
        (room(sequence)? == words).then_some(())?;
        with_result(sequence, &words, &stands)
    });
    Some((
        moved.collect::<Option<_>>()?,
        stands.into_iter().map(|(word, bit)| (Place::Word(words[word].0), bit)).collect(),
    ))
}

/// Words of the state of one width, as many as the result fills, with their width.
fn room(sequence: &Sequence) -> Option<Vec<(u32, u8)>> {
    let [result] = &sequence.results[..] else { return None };
    let bits = 8 * result.len();
    let width = sequence.words.first()?.width;
    let words = sequence.words.iter().enumerate().filter(|(_, word)| word.width == width);
    let words: Vec<(u32, u8)> = words.map(|(n, _)| (n as u32, width)).take(bits / usize::from(width)).collect();
    (width % 8 == 0 && words.len() * usize::from(width) == bits).then_some(words)
}

/// The function of the last step, if it alone makes the result, and nothing else, in order.
fn last_body(sequence: &Sequence) -> Option<&Function> {
    let last = sequence.steps.last()?;
    let alone = sequence.steps.iter().filter(|step| step.body == last.body).count() == 1;
    let bytes = sequence.results[0].iter().all(|place| match *place {
        Place::Element(array, _) => sequence.arrays[array as usize].width == 8,
        Place::Word(_) => false,
    });
    (alone && bytes && last.writes == sequence.results[0]).then(|| &sequence.program.functions[last.body])
}

/// A word of which an output is a byte, and the lowest bit.
fn byte_of(function: &Function, output: Operand) -> Option<(Operand, u8)> {
    let Operand::Value(value) = output else { return None };
    let op = function.body.ops.iter().find(|op| op.results.contains(&value))?;
    match op.kind {
        OpKind::Extract(word, from) if from % 8 == 0 => Some((word, from)),
        _ => None,
    }
}

/// Per byte the number of its word and the lowest bit there: as the body takes words apart, else in order.
fn standing(function: &Function, words: &[(u32, u8)], bytes: usize) -> Option<Vec<(usize, u8)>> {
    let width = words.first()?.1;
    let each = usize::from(width / 8);
    let mut sources: Vec<Operand> = Vec::new();
    let mut stands = Vec::new();
    for &output in &function.body.outputs {
        let Some((word, from)) = byte_of(function, output) else { break };
        let number = sources.iter().position(|s| *s == word).unwrap_or_else(|| {
            sources.push(word);
            sources.len() - 1
        });
        stands.push((number, from));
    }
    let mut different = stands.clone();
    different.sort_unstable();
    different.dedup();
    let whole = different.len() == bytes && different.iter().all(|&(word, from)| word < words.len() && from < width);
    Some(if whole { stands } else { (0..bytes).map(|n| (n / each, 8 * (n % each) as u8)).collect() })
}

/// The sequence with its last step writing the state.
fn with_result(sequence: &Sequence, words: &[(u32, u8)], stands: &[(usize, u8)]) -> Option<Sequence> {
    last_body(sequence)?;
    let mut sequence = sequence.clone();
    let last = sequence.steps.last_mut()?;
    let function = &mut sequence.program.functions[last.body];
    let outputs: Vec<Operand> = (0..words.len()).map(|word| packed(function, word, words[word].1, stands)).collect();
    function.body.outputs = outputs;
    function.results = words.iter().map(|word| Type::Word(word.1)).collect();
    renumber(function);
    last.writes = words.iter().map(|word| Place::Word(word.0)).collect();
    Some(sequence)
}

/// A word of bytes of the result: the word that they were taken from, if it is one.
fn packed(function: &mut Function, word: usize, width: u8, stands: &[(usize, u8)]) -> Operand {
    let mut bytes: Vec<(u8, Operand)> = Vec::new();
    for (&(at, bit), &output) in stands.iter().zip(&function.body.outputs) {
        if at == word {
            bytes.push((bit, output));
        }
    }
    bytes.sort_by_key(|byte| byte.0);
    if let [(_, only)] = bytes[..] {
        return only;
    }
    let of =
        |&(bit, output): &(u8, Operand)| byte_of(function, output).filter(|(_, from)| *from == bit).map(|(w, _)| w);
    let sources: Vec<Option<Operand>> = bytes.iter().map(of).collect();
    if let Some(Operand::Value(whole)) = sources[0] {
        let same = sources.iter().all(|s| *s == Some(Operand::Value(whole)));
        if same && function.values[whole.0 as usize].ty == Type::Word(width) {
            return Operand::Value(whole);
        }
    }
    let parts: Vec<ValueId> = bytes.into_iter().map(|(_, output)| value(function, output)).collect();
    Operand::Value(made(function, width, OpKind::Concat(parts)))
}

fn value(function: &mut Function, operand: Operand) -> ValueId {
    match operand {
        Operand::Value(value) => value,
        Operand::Const(number) => made(function, 8, OpKind::Const(number)),
    }
}

fn made(function: &mut Function, width: u8, kind: OpKind) -> ValueId {
    let result = ValueId(function.values.len() as u32);
    function.values.push(ValueData { name: format!("result.{}", result.0), ty: Type::Word(width) });
    function.body.ops.push(Op { kind, results: vec![result], places: Vec::new() });
    result
}
