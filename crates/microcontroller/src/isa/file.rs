//! What stands in the file of an instruction set.

use std::collections::{BTreeMap, HashMap};

use program::Diagnostic;
use serde::Deserialize;

use super::{
    AccumulatorMode, Form, Frame, Isa, Kind, LongBranch, Moves, Registers, Role, Selection, Syntax, Tidying,
    ACCUMULATOR,
};
use crate::assembly;
use crate::budget::BudgetRecord;
use crate::code::{Line, Machine};
use crate::operand::{Register, Step};
use crate::order::Rank;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[allow(dead_code, reason = "said for people")]
    title: String,
    #[allow(dead_code, reason = "said for people")]
    source: String,
    /// Bytes of instructions that say nothing else.
    bytes: Option<u32>,
    /// What each count of a record takes in cycles.
    #[serde(default)]
    counts: BTreeMap<String, u32>,
    syntax: Syntax,
    registers: RegistersEntry,
    moves: MovesEntry,
    #[serde(default)]
    far: Vec<FarEntry>,
    #[serde(default)]
    tidying: TidyingEntry,
    frame: Frame,
    #[serde(default)]
    orders: Vec<Rank>,
    accumulator: Option<AccumulatorEntry>,
    selection: Selection,
    budget: Option<BudgetRecord>,
    instruction: Vec<Record>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RegistersEntry {
    names: Vec<String>,
    #[serde(default)]
    words: BTreeMap<String, String>,
    #[serde(default)]
    direct: String,
    #[serde(default)]
    usable: Vec<String>,
    upper: Option<String>,
    scratch: String,
    #[serde(default)]
    saved: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AccumulatorEntry {
    /// Accumulator and auxiliary register.
    names: Vec<String>,
    external: String,
    increment: String,
    decrement: String,
    add: String,
    add_carry: String,
    exchange: String,
    page: String,
    data_pointer: String,
    at_data_pointer: String,
    data_pointer_halves: [String; 2],
    parts: [String; 3],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MovesEntry {
    copy: String,
    number: String,
    clear: Option<String>,
    load: Option<String>,
    store: Option<String>,
    count: Option<String>,
    repeat: String,
    word: Option<String>,
    short: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FarEntry {
    beyond: i64,
    lines: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct TidyingEntry {
    #[serde(default)]
    remembered: Vec<CopyEntry>,
    pair: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CopyEntry {
    instruction: String,
    register: String,
}

/// Besides these fields a record has those that a simulator reads, and counts.
#[derive(Deserialize)]
struct Record {
    name: String,
    operands: String,
    cycles: Option<u32>,
    bytes: Option<u32>,
    code: Option<String>,
    #[serde(default)]
    clobbers: Vec<String>,
    #[serde(default)]
    skips: bool,
    #[serde(flatten)]
    others: BTreeMap<String, toml::Value>,
}

/// An error of a file, which names what is wrong.
fn wrong(file: &str, message: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::new("E134", format!("`{file}` is no instruction set: {message}"))
}

pub(super) fn read(text: &str, file: &str) -> Result<Isa, Diagnostic> {
    let known: File = toml::from_str(text).map_err(|error| wrong(file, error.to_string().trim_end()))?;
    let accumulators = known.accumulator.as_ref().map_or_else(Vec::new, |entry| entry.names.clone());
    let registers = registers(&known.registers, &accumulators).map_err(|message| wrong(file, message))?;
    let mut isa = empty(known.syntax, registers, known.frame, known.orders, known.selection);
    isa.accumulators = accumulators;
    isa.budget = known.budget;
    for record in &known.instruction {
        add(&mut isa, record, &known.counts, known.bytes).map_err(|message| wrong(file, message))?;
    }
    isa.moves = moves(&isa, &known.moves).map_err(|error| wrong(file, error.message))?;
    for entry in &known.far {
        let lines = entry.lines.iter().map(|line| assembly::read(&isa, line)).collect::<Result<_, _>>();
        let lines = lines.map_err(|error| wrong(file, error.message))?;
        isa.far.push(LongBranch { beyond: entry.beyond, lines });
    }
    isa.accumulator =
        known.accumulator.map(|entry| accumulator(&isa, &entry)).transpose().map_err(|m| wrong(file, m))?;
    isa.tidying = tidying(&isa, &known.tidying).map_err(|message| wrong(file, message))?;
    Ok(isa)
}

fn empty(syntax: Syntax, registers: Registers, frame: Frame, orders: Vec<Rank>, selection: Selection) -> Isa {
    let none = Machine::new(0, Vec::new());
    let moves = Moves {
        copy: none.clone(),
        number: none.clone(),
        clear: None,
        load: None,
        store: None,
        count: None,
        repeat: none,
        word: None,
        short: None,
    };
    Isa {
        mnemonics: Vec::new(),
        forms: Vec::new(),
        words: Vec::new(),
        syntax,
        registers,
        moves,
        far: Vec::new(),
        tidying: Tidying::default(),
        frame,
        orders,
        selection,
        accumulator: None,
        accumulators: Vec::new(),
        budget: None,
        numbers: HashMap::new(),
    }
}

fn registers(entry: &RegistersEntry, accumulators: &[String]) -> Result<Registers, String> {
    let number = |name: &String| number_of(&entry.names, accumulators, name);
    let usable = entry.usable.iter().map(number).collect::<Result<Vec<_>, _>>()?;
    let words = entry.words.iter().map(|(word, first)| Ok((number(first)?, word.clone())));
    let mut registers = Registers {
        names: entry.names.clone(),
        words: words.collect::<Result<_, String>>()?,
        direct: entry.direct.clone(),
        usable,
        upper: entry.upper.as_ref().map_or(Ok(0), number)?,
        scratch: number(&entry.scratch)?,
        saved: entry.saved.clone(),
    };
    if registers.usable.is_empty() {
        registers.usable = (0..entry.names.len() as Register).collect();
    }
    Ok(registers)
}

/// The number of a register; accumulator and auxiliary register come far behind the others.
fn number_of(names: &[String], accumulators: &[String], name: &str) -> Result<Register, String> {
    let among = |known: &[String], from| known.iter().position(|n| n == name).map(|n| from + n as Register);
    let found = among(names, 0).or_else(|| among(accumulators, ACCUMULATOR));
    found.ok_or_else(|| format!("there is no register `{name}`"))
}

fn add(isa: &mut Isa, record: &Record, counts: &BTreeMap<String, u32>, bytes: Option<u32>) -> Result<(), String> {
    let operands = record.operands.split(", ").filter(|text| !text.is_empty());
    let operands = operands.map(|text| kind(isa, text)).collect::<Result<_, String>>()?;
    let clobbers = record.clobbers.iter().map(|name| number_of(&isa.registers.names, &isa.accumulators, name));
    let counted = || counts.iter().map(|(count, price)| price * times(record, count)).sum();
    let coded = || record.code.as_ref().map(|code| code.len() as u32 / 2);
    let form = Form {
        operands,
        cycles: record.cycles.unwrap_or_else(counted),
        bytes: record.bytes.or_else(coded).or(bytes).ok_or_else(|| format!("`{}` says no bytes", record.name))?,
        clobbers: clobbers.collect::<Result<_, _>>()?,
        skips: record.skips,
    };
    let next = isa.mnemonics.len() as u16;
    let opcode = *isa.numbers.entry(record.name.clone()).or_insert(next);
    if opcode == next {
        isa.mnemonics.push(record.name.clone());
        isa.forms.push(Vec::new());
    }
    isa.forms[usize::from(opcode)].push(form);
    Ok(())
}

fn times(record: &Record, count: &str) -> u32 {
    record.others.get(count).and_then(toml::Value::as_integer).map_or(0, |n| n as u32)
}

/// Reads what stands for an operand: `r` is a register that is read, `=r` one that is written.
fn kind(isa: &mut Isa, text: &str) -> Result<(Kind, Role), String> {
    let (text, role) = text.strip_prefix('=').map_or((text, Role::Use), |rest| (rest, Role::Define));
    let kind = match text {
        "r" => Kind::Register,
        "q" => Kind::Pair,
        "w" => Kind::Word,
        "n" => Kind::Number,
        "m" => Kind::Memory(0),
        "m8" => Kind::Memory(8),
        "m16" => Kind::Memory(16),
        "p" => Kind::Pointer(Step::None, false),
        "pd" => Kind::Pointer(Step::None, true),
        "p+" => Kind::Pointer(Step::Increment, false),
        "-p" => Kind::Pointer(Step::Decrement, false),
        "l" => Kind::Label,
        "t" => Kind::Target,
        name => match number_of(&isa.registers.names, &isa.accumulators, name) {
            Ok(r) => Kind::Exactly(r),
            Err(_) => {
                let at = isa.words.iter().position(|word| word == name).unwrap_or_else(|| {
                    isa.words.push(name.to_owned());
                    isa.words.len() - 1
                });
                Kind::Named(at as u16)
            }
        },
    };
    Ok((kind, role))
}

fn moves(isa: &Isa, entry: &MovesEntry) -> Result<Moves, Diagnostic> {
    let one = |text: &String| match assembly::read(isa, text)? {
        Line::Machine(machine) => Ok(machine),
        _ => Err(Diagnostic::new("E131", format!("no instruction is known for `{text}`"))),
    };
    Ok(Moves {
        copy: one(&entry.copy)?,
        number: one(&entry.number)?,
        clear: entry.clear.as_ref().map(one).transpose()?,
        load: entry.load.as_ref().map(one).transpose()?,
        store: entry.store.as_ref().map(one).transpose()?,
        count: entry.count.as_ref().map(one).transpose()?,
        repeat: one(&entry.repeat)?,
        word: entry.word.as_ref().and_then(|name| isa.opcode(name)),
        short: entry.short,
    })
}

fn tidying(isa: &Isa, entry: &TidyingEntry) -> Result<Tidying, String> {
    let opcode = |name: &String| isa.opcode(name).ok_or_else(|| format!("there is no instruction `{name}`"));
    let remembered = entry.remembered.iter().map(|known| {
        Ok((opcode(&known.instruction)?, number_of(&isa.registers.names, &isa.accumulators, &known.register)?))
    });
    Ok(Tidying {
        remembered: remembered.collect::<Result<_, String>>()?,
        pair: entry.pair.as_ref().map(opcode).transpose()?,
    })
}

fn accumulator(isa: &Isa, entry: &AccumulatorEntry) -> Result<AccumulatorMode, String> {
    let opcode = |name: &String| isa.opcode(name).ok_or_else(|| format!("there is no instruction `{name}`"));
    let word = |name: &String| {
        let at = isa.words.iter().position(|word| word == name).map(|n| n as u16);
        at.ok_or_else(|| format!("no instruction has the operand `{name}`"))
    };
    let part = |text: &String| {
        let at = isa.syntax.parts.iter().position(|part| part == text).map(|n| n as u8);
        at.ok_or_else(|| format!("`{text}` is none of the parts"))
    };
    let [low, high] = &entry.data_pointer_halves;
    let [whole, lower, upper] = &entry.parts;
    Ok(AccumulatorMode {
        external: opcode(&entry.external)?,
        increment: opcode(&entry.increment)?,
        decrement: opcode(&entry.decrement)?,
        add: opcode(&entry.add)?,
        add_carry: opcode(&entry.add_carry)?,
        exchange: opcode(&entry.exchange)?,
        page: entry.page.as_str().into(),
        data_pointer: (word(&entry.data_pointer)?, word(&entry.at_data_pointer)?),
        data_pointer_halves: [low.as_str().into(), high.as_str().into()],
        parts: [part(whole)?, part(lower)?, part(upper)?],
    })
}
