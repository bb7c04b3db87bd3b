//! Recipes of an instruction set as tiles: their text read, and what they need and leave found out by trials.

use std::collections::HashMap;

use program::Diagnostic;

use super::patterns::{pattern, predicate, Pattern, Right, Shape, Source, Step, Tile, TileOperand};
use crate::isa::{InstructionId, Isa, OperandKind, Recipe};
use crate::semantics::{execute, parse_expression, Expression, Fault, Memory};

/// Trials of each question; enough to tell every wrong answer that a shift or carry can hide.
const TRIALS: u64 = 96;

/// The tiles of all recipes whose instructions the set has.
///
/// # Errors
/// `M210` for a text that cannot be read, `M211` for a recipe that does not compute what it says.
pub fn of_recipes(isa: &Isa) -> Result<Vec<Tile>, Diagnostic> {
    let mut tiles = Vec::new();
    for recipe in &isa.recipes {
        let tile = RecipeReader::new(isa, recipe).tile()?;
        let fitting = variants(isa, recipe, &tile);
        if fitting.is_empty() {
            return Err(Diagnostic::new("M211", format!("the recipe `{}` does not compute what it says", recipe.name))
                .note(format!("computes = \"{}\"", recipe.computes)));
        }
        tiles.extend(fitting);
    }
    Ok(tiles)
}

struct RecipeReader<'a> {
    isa: &'a Isa,
    recipe: &'a Recipe,
    operands: Vec<TileOperand>,
    locals: Vec<String>,
    /// Register class of each local.
    classes: Vec<usize>,
    steps: Vec<Step>,
}

impl<'a> RecipeReader<'a> {
    fn new(isa: &'a Isa, recipe: &'a Recipe) -> Self {
        RecipeReader { isa, recipe, operands: Vec::new(), locals: Vec::new(), classes: Vec::new(), steps: Vec::new() }
    }

    fn wrong(&self, what: String) -> Diagnostic {
        Diagnostic::new("M210", format!("the recipe `{}` {what}", self.recipe.name))
    }

    fn expression(&self, text: &str) -> Result<Expression, Diagnostic> {
        parse_expression(text).map_err(|_| self.wrong(format!("holds `{text}`, which is no expression")))
    }

    fn tile(mut self) -> Result<Tile, Diagnostic> {
        let computes = self.expression(&self.recipe.computes)?;
        let mut names = Vec::new();
        computes.names(&mut |name| {
            if !names.contains(&name.to_owned()) {
                names.push(name.to_owned());
            }
        });
        for step in &self.recipe.steps {
            self.step(step, &names)?;
        }
        for name in &names {
            if !self.operands.iter().any(|o| &o.name == name) {
                self.immediate(name);
            }
        }
        let result = self.locals.iter().position(|l| l == "result");
        let result = result.ok_or_else(|| self.wrong("has no step that defines `result`".to_owned()))?;
        let shape = pattern(&computes, &self.operands).map(Shape::Value);
        let shape = shape.ok_or_else(|| self.wrong("computes something of unknown names".to_owned()))?;
        Ok(Tile {
            name: self.recipe.name.clone(),
            shape,
            right: Right::All,
            class: self.classes[result],
            operands: self.operands,
            steps: self.steps,
            result,
            locals: self.locals.len(),
        })
    }

    fn immediate(&mut self, name: &str) {
        let kind = OperandKind::Immediate(i64::MIN, i64::MAX);
        self.operands.push(TileOperand { name: name.to_owned(), kind, clean: None });
    }

    /// `t = dep.z x, 32, 32`, `p, q = cmp.eq a, b`, `(p) t = add a, b`, `stw x, scratch`
    fn step(&mut self, text: &str, names: &[String]) -> Result<(), Diagnostic> {
        let (guard, rest) = match text.trim().strip_prefix('(').and_then(|t| t.split_once(')')) {
            Some((guard, rest)) => (Some(guard.trim()), rest),
            None => (None, text),
        };
        let (left, right) = match rest.split_once(" = ") {
            Some((left, right)) => (left, right),
            None => ("", rest),
        };
        let right = right.trim();
        let (mnemonic, list) = right.split_once(' ').unwrap_or((right, ""));
        let id = self.isa.instructions.iter().position(|i| i.name == mnemonic);
        let id = id.ok_or_else(|| self.wrong(format!("uses the instruction `{mnemonic}`, which does not exist")))?;
        let instruction = &self.isa.instructions[id];
        let given: Vec<&str> = split(list);
        let outputs: Vec<&str> = left.split(',').map(str::trim).filter(|n| !n.is_empty()).collect();
        if given.len() != instruction.uses.len() || outputs.len() != instruction.defines.len() {
            return Err(self.wrong(format!("gives `{mnemonic}` another number of operands than it has")));
        }
        let mut uses = Vec::new();
        for (text, operand) in given.iter().zip(&instruction.uses) {
            uses.push(self.source(text, &operand.kind, names)?);
        }
        let guard = guard
            .map(|g| self.source(g, &OperandKind::Register(predicate(self.isa).unwrap_or(0)), names))
            .transpose()?;
        let mut defines = Vec::new();
        for (output, operand) in outputs.iter().zip(&instruction.defines) {
            defines.push(self.locals.len());
            self.locals.push((*output).to_owned());
            self.classes.push(match operand.kind {
                OperandKind::Register(class) => class,
                OperandKind::Immediate(..) => self.isa.general(),
            });
        }
        self.steps.push(Step { instruction: id as InstructionId, defines, uses, guard });
        Ok(())
    }

    fn source(&mut self, text: &str, kind: &OperandKind, names: &[String]) -> Result<Source, Diagnostic> {
        if let Some(local) = self.locals.iter().rposition(|l| l == text) {
            return Ok(Source::Local(local));
        }
        if let Some(distance) = text.strip_prefix("scratch") {
            let distance = distance.trim().trim_start_matches('+').trim();
            return Ok(Source::Scratch(if distance.is_empty() { 0 } else { distance.parse().unwrap_or(0) }));
        }
        match kind {
            OperandKind::Immediate(..) => Ok(Source::Number(self.expression(text)?)),
            OperandKind::Register(_) if text == "0" => Ok(Source::Zero),
            OperandKind::Register(_) => {
                if !names.iter().any(|n| n == text) {
                    return Err(self.wrong(format!("uses `{text}`, which is not defined")));
                }
                let known = self.operands.iter().position(|o| o.name == text);
                let k = known.unwrap_or_else(|| {
                    self.operands.push(TileOperand { name: text.to_owned(), kind: kind.clone(), clean: None });
                    self.operands.len() - 1
                });
                Ok(Source::Operand(k))
            }
        }
    }
}

/// Parts separated by commas outside of parentheses.
fn split(list: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (k, c) in list.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(list[start..k].trim());
                start = k + 1;
            }
            _ => {}
        }
    }
    parts.push(list[start..].trim());
    parts.retain(|p| !p.is_empty());
    parts
}

/// The tile under every demand on its operands that makes more bits of its result right than weaker demands do.
fn variants(isa: &Isa, recipe: &Recipe, tile: &Tile) -> Vec<Tile> {
    let Ok(computes) = parse_expression(&recipe.computes) else { return Vec::new() };
    let registers: Vec<usize> =
        (0..tile.operands.len()).filter(|&k| matches!(tile.operands[k].kind, OperandKind::Register(_))).collect();
    let demands: &[Option<u8>] = if isa.word_bits > 32 { &[None, Some(32), Some(5)] } else { &[None, Some(5)] };
    let mut combinations: Vec<Vec<Option<u8>>> = vec![vec![]];
    for _ in &registers {
        let longer = |c: &Vec<Option<u8>>| {
            demands.iter().map(|&d| c.iter().copied().chain([d]).collect()).collect::<Vec<Vec<Option<u8>>>>()
        };
        combinations = combinations.iter().flat_map(longer).collect();
    }
    combinations.sort_by_key(|c| c.iter().map(|d| d.map_or(0, |bits| 64 - u32::from(bits))).sum::<u32>());
    let mut found: Vec<(Vec<Option<u8>>, Tile)> = Vec::new();
    for combination in combinations {
        let mut variant = tile.clone();
        registers.iter().zip(&combination).for_each(|(&k, &demand)| variant.operands[k].clean = demand);
        let weaker = |c: &[Option<u8>]| {
            c.iter().zip(&combination).all(|(a, b)| a.map_or(64, u32::from) >= b.map_or(64, u32::from))
        };
        let reached = found.iter().filter(|f| weaker(&f.0)).map(|f| worth(f.1.right)).max().unwrap_or(0);
        if let Some(right) = right(isa, &computes, &variant).filter(|&r| worth(r) > reached) {
            variant.right = right;
            found.push((combination, variant));
        }
    }
    found.into_iter().map(|(_, tile)| tile).collect()
}

fn worth(right: Right) -> u8 {
    match right {
        Right::All => 3,
        Right::Cut(_) => 2,
        Right::Low(_) => 1,
    }
}

/// The most that holds in all trials: all bits right, 32 bits right and the others zeros, 32 bits right.
fn right(isa: &Isa, computes: &Expression, tile: &Tile) -> Option<Right> {
    let low = program::semantics::mask(32);
    let (mut all, mut cut) = (true, isa.word_bits > 32);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut tried = 0;
    for round in 0..TRIALS * 8 {
        let values = operand_values(isa, tile, &mut random, round);
        let Some(got) = run(isa, tile, &values) else { continue };
        tried += 1;
        let read = |name: &str| tile.operands.iter().position(|o| o.name == name).map_or(0, |k| values[k]);
        let wanted = computes.evaluate(&read, &mut FilledMemory::default()).ok()?;
        let differing = (got ^ wanted) & program::semantics::mask(isa.word_bits);
        if differing & low != 0 {
            return None;
        }
        all &= differing == 0;
        cut &= got & !low == 0;
        if tried == TRIALS {
            break;
        }
    }
    match (tried, all, cut) {
        (0, ..) => None,
        (_, true, _) => Some(Right::All),
        (_, _, true) => Some(Right::Cut(32)),
        _ => Some(Right::Low(32)),
    }
}

fn operand_values(isa: &Isa, tile: &Tile, random: &mut Random, round: u64) -> Vec<u64> {
    let one = |o: &TileOperand| {
        let word = match round % 4 {
            0 => random.next() & 0xffff_ffff_0000_0000 | random.next() & 0x1f,
            _ => random.next(),
        };
        match o.kind {
            OperandKind::Immediate(..) => random.next() % 33,
            OperandKind::Register(class) => {
                let bits = isa.registers.get(class).map_or(isa.word_bits, |r| r.bits).min(isa.word_bits);
                word & program::semantics::mask(o.clean.unwrap_or(bits).min(bits))
            }
        }
    };
    tile.operands.iter().map(one).collect()
}

/// What the steps give; nothing if a number does not fit its operand.
fn run(isa: &Isa, tile: &Tile, values: &[u64]) -> Option<u64> {
    let mut locals: Vec<u64> = vec![0; tile.locals];
    let mut memory = FilledMemory::default();
    let name_value = |name: &str| tile.operands.iter().position(|o| o.name == name).map_or(0, |k| values[k]);
    for step in &tile.steps {
        let instruction = &isa.instructions[step.instruction as usize];
        let mut inputs: HashMap<&str, u64> = HashMap::new();
        for (source, operand) in step.uses.iter().zip(&instruction.uses) {
            let value = match source {
                Source::Operand(k) => values[*k],
                Source::Local(k) => locals[*k],
                Source::Zero => 0,
                Source::Scratch(distance) => 0x1000 + *distance as u64,
                Source::Number(expression) => {
                    let value = expression.evaluate(&name_value, &mut FilledMemory::default()).ok()?;
                    let OperandKind::Immediate(low, high) = operand.kind else { return None };
                    if (value as i64) < low || (value as i64) > high {
                        return None;
                    }
                    value
                }
            };
            inputs.insert(&operand.name, value);
        }
        let holds = match &step.guard {
            Some(Source::Local(k)) => locals[*k] & 1 == 1,
            Some(Source::Operand(k)) => values[*k] & 1 == 1,
            _ => true,
        };
        let read = |name: &str| inputs.get(name).copied().unwrap_or(0);
        let given = if holds { execute(&instruction.semantics, &read, &mut memory).ok()? } else { Vec::new() };
        for (local, operand) in step.defines.iter().zip(&instruction.defines) {
            let OperandKind::Register(class) = operand.kind else { return None };
            let bits = isa.registers[class].bits.min(64);
            let value = given.iter().find(|g| g.0 == operand.name).map(|g| g.1);
            locals[*local] = value.unwrap_or_else(|| read(&operand.name)) & program::semantics::mask(bits);
        }
    }
    Some(locals[tile.result])
}

/// Memory whose every byte holds something, the same for the same address.
#[derive(Default)]
struct FilledMemory {
    written: HashMap<u64, u8>,
}

impl Memory for FilledMemory {
    fn load(&mut self, address: u64, bytes: u8) -> Result<u64, Fault> {
        let byte = |k: u8| {
            let at = address.wrapping_add(k.into());
            let filler = (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8;
            self.written.get(&at).copied().unwrap_or(filler)
        };
        Ok((0..bytes).fold(0, |word, k| word << 8 | u64::from(byte(k))))
    }

    fn store(&mut self, address: u64, bytes: u8, value: u64) -> Result<(), Fault> {
        for k in 0..bytes {
            let byte = (value >> (8 * (bytes - 1 - k))) as u8;
            self.written.insert(address.wrapping_add(k.into()), byte);
        }
        Ok(())
    }
}

/// A small generator of numbers (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Whether a tile gives a plain copy of its operand.
#[must_use]
pub fn is_copy(tile: &Tile) -> bool {
    matches!(tile.shape, Shape::Value(Pattern::Register(_)))
}
