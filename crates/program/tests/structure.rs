//! Properties of the structure's tools: copies, substitution, index ranges, and what the verifier makes of damaged structures.

use std::collections::{BTreeMap, HashMap};

use crate::common::reference;
use crate::common::sampling::sample;
use program::builder::{replaced, Builder, Replacements};
use program::evaluate::Evaluator;
use program::generate::{arguments, generate, Random};
use program::indices::{Indices, Range};
use program::ir::{Affine, Block, Function, OpKind, Operand, Program, Type, ValueId};
use program::statistics::statistics;
use program::walk::{for_each_block_mut, slots_mut, Slot};
use program::{parse, verify};
use proptest::prelude::*;

proptest! {
    #![proptest_config(sample(150))]

    #[test]
    fn a_copy_of_all_operations_computes_the_same(seed: u64, size in 1usize..80) {
        let mut program = generate(seed, size);
        let number = program.functions.len() - 1;
        let arguments = arguments(&program, number, &mut Random::new(seed));
        let name = program.functions[number].name.clone();
        let expected = Evaluator::new(&program).unwrap().evaluate(&name, &arguments).unwrap();
        let function = &mut program.functions[number];
        let mut builder = Builder::new(function);
        let (mut map, mut copies) = (Replacements::new(), Vec::new());
        builder.copy_ops(&function.body.ops, None, &mut map, &[], &mut copies);
        function.body.ops.extend(copies);
        function.body.outputs.iter_mut().for_each(|o| *o = replaced(*o, &map));
        builder.finish(function);
        verify(&program).unwrap_or_else(|e| panic!("{e}\n{program}"));
        prop_assert_eq!(&parse(&program.to_string()).unwrap(), &program);
        prop_assert_eq!(Evaluator::new(&program).unwrap().evaluate(&name, &arguments).unwrap(), expected);
    }

    #[test]
    fn a_parameter_replaced_by_its_number_computes_the_same(seed: u64, size in 1usize..80) {
        let mut program = generate(seed, size);
        let number = program.functions.len() - 1;
        let arguments = arguments(&program, number, &mut Random::new(seed));
        let name = program.functions[number].name.clone();
        let expected = Evaluator::new(&program).unwrap().evaluate(&name, &arguments).unwrap();
        let function = &mut program.functions[number];
        let words = function.params.iter().zip(&arguments).filter_map(|(&p, a)| match a {
            program::evaluate::Value::Word(n) => Some((p, Operand::Const(*n))),
            program::evaluate::Value::Array(_) => None,
        });
        let map: Replacements = words.collect();
        let mut builder = Builder::new(function);
        builder.substitute(&mut function.body, &map);
        builder.finish(function);
        verify(&program).unwrap_or_else(|e| panic!("{e}\n{program}"));
        let function = &program.functions[number];
        let uses = program::walk::use_counts(function);
        prop_assert!(function.params.iter().all(|p| !map.contains_key(p) || uses[p.0 as usize] == 0));
        prop_assert_eq!(Evaluator::new(&program).unwrap().evaluate(&name, &arguments).unwrap(), expected);
    }

    #[test]
    fn index_ranges_are_what_all_iterations_give(seed: u64, size in 20usize..120) {
        let program = generate(seed, size);
        for function in &program.functions {
            let indices = Indices::of(function);
            let mut walk = AllIterations { function, values: HashMap::new(), found: BTreeMap::new() };
            walk.block(&function.body);
            for (affine, exact) in walk.found.values() {
                prop_assert_eq!(indices.range(affine), *exact);
            }
        }
    }

    #[test]
    fn a_damaged_structure_is_rejected_or_still_sound(seed: u64, size in 5usize..60, damage: u64) {
        let mut program = generate(seed, size);
        let mut random = Random::new(damage);
        let number = random.below(program.functions.len());
        damage_function(&mut program.functions[number], &mut random);
        if verify(&program).is_ok() {
            let text = program.to_string();
            prop_assert_eq!(parse(&text).unwrap().to_string(), text);
            let executed = statistics(&program, &program.functions[number].name).unwrap();
            if executed.values().map(|c| c.executed).sum::<u64>() < 100_000 {
                let arguments = arguments(&program, number, &mut random);
                let name = &program.functions[number].name;
                let found = Evaluator::new(&program).unwrap().evaluate(name, &arguments).ok();
                prop_assert_eq!(found, reference::evaluate(&program, name, &arguments));
            }
        }
    }
}

/// Runs only the indices of a function, on every iteration, and keeps the range of each sum of indices.
struct AllIterations<'a> {
    function: &'a Function,
    values: HashMap<ValueId, i128>,
    /// By the address of the sum in memory.
    found: BTreeMap<*const Affine, (&'a Affine, Range)>,
}

impl<'a> AllIterations<'a> {
    fn block(&mut self, block: &'a Block) {
        for op in &block.ops {
            match &op.kind {
                OpKind::Word(affine) => self.see(affine),
                OpKind::IndexDiv(affine, n) => {
                    self.see(affine);
                    let value = self.sum(affine).div_euclid(i128::from(*n));
                    self.values.insert(op.results[0], value);
                }
                OpKind::IndexMod(affine, n) => {
                    self.see(affine);
                    let value = self.sum(affine).rem_euclid(i128::from(*n));
                    self.values.insert(op.results[0], value);
                }
                OpKind::Lookup(_, address) => self.see(&address.affine),
                OpKind::Load(_, addresses) | OpKind::Store(_, addresses, _) => {
                    addresses.iter().for_each(|a| self.see(&a.affine));
                }
                OpKind::Loop(l) => {
                    for (iteration, &body) in l.pattern.iter().enumerate() {
                        let body = &l.bodies[usize::from(body)];
                        self.values.insert(body.params[0], iteration as i128);
                        self.block(body);
                    }
                }
                _ => {}
            }
        }
    }

    fn sum(&self, affine: &Affine) -> i128 {
        let terms = affine.terms.iter().map(|(c, v)| i128::from(*c) * self.values[v]);
        terms.sum::<i128>() + i128::from(affine.constant)
    }

    fn see(&mut self, affine: &'a Affine) {
        if affine.terms.iter().any(|(_, v)| self.function.values[v.0 as usize].ty != Type::Index) {
            return;
        }
        let now = self.sum(affine);
        let (_, range) = self.found.entry(affine).or_insert((affine, Range { min: now, max: now }));
        range.min = range.min.min(now);
        range.max = range.max.max(now);
    }
}

/// One to three random changes anywhere in a function.
fn damage_function(function: &mut Function, random: &mut Random) {
    let count = function.values.len();
    for _ in 0..1 + random.below(3) {
        let kind = random.below(7);
        let target = random.below(1 + program::walk::definition_order(function).len());
        let mut seen = 0;
        if kind == 0 {
            let ty = function.values[random.below(count)].ty.clone();
            function.values[random.below(count)].ty = ty;
        }
        for_each_block_mut(&mut function.body, &mut |block| {
            seen += block.ops.len();
            if seen < target || block.ops.is_empty() {
                return;
            }
            let n = random.below(block.ops.len());
            match kind {
                1 => drop(block.ops.remove(n)),
                2 => block.ops.swap(0, n),
                3 => block.outputs.reverse(),
                4 => drop(block.ops[n].results.pop()),
                _ => damage_operation(&mut block.ops[n].kind, count, random),
            }
            seen = 0;
        });
    }
}

fn damage_operation(kind: &mut OpKind, values: usize, random: &mut Random) {
    if let OpKind::Loop(l) = kind {
        let iteration = random.below(l.pattern.len());
        match random.below(4) {
            0 => l.pattern[iteration] = random.below(4) as u8,
            1 => l.pattern.truncate(iteration),
            2 => l.step = random.from_to(-1, 1),
            _ => drop(l.bodies.pop()),
        }
        return;
    }
    let any = ValueId(random.below(values + 1) as u32);
    let number = random.from_to(-2, 70);
    slots_mut(kind, &mut |slot| match slot {
        Slot::Operand(o) if number % 2 == 0 => *o = Operand::Value(any),
        Slot::Operand(o) => *o = Operand::Const(number as u64),
        Slot::Value(v) => *v = any,
        Slot::Affine(affine) if number % 3 == 0 => affine.terms.push((1, any)),
        Slot::Affine(affine) => affine.constant += number,
    });
}

/// Of damaged programs the verifier rejects many and accepts some: neither test above is empty.
#[test]
fn damage_is_not_always_harmless() {
    let harmed = |seed: u64| {
        let mut program: Program = generate(seed, 30);
        damage_function(&mut program.functions[0], &mut Random::new(seed));
        verify(&program).is_err()
    };
    let count = (0..200).filter(|&seed| harmed(seed)).count();
    assert!((20..190).contains(&count), "{count} of 200 are rejected");
}
