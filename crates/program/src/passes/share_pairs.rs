//! `share-pairs`: two terms that stand together in several exclusive ors are combined once.
//!
//! Identity: exclusive or is associative and commutative. Of straight operations the trees of exclusive ors are lists of terms; the
//! two terms that occur together in most lists (the earliest, of several) become a term of their own, as long as two lists have
//! two terms in common. Each time saves one operation less than there are such lists. What arrives late may be combined
//! sooner than before, so that the longest way may become longer: the pass is for units that are the limit.

use std::collections::{BTreeMap, HashMap};

use super::{Pass, Settings};
use crate::builder::Builder;
use crate::diagnostic::Diagnostic;
use crate::ir::{Binary, Block, Function, Op, OpKind, Operand, Program, Type, ValueId};
use crate::walk::{for_each_block_mut, use_counts};

/// See the module's text.
pub struct SharePairs;

impl Pass for SharePairs {
    fn name(&self) -> &'static str {
        "share-pairs"
    }

    fn description(&self) -> &'static str {
        "combine once what stands together in several exclusive ors"
    }

    fn options(&self) -> &'static [&'static str] {
        &["function"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        settings.functions(program).into_iter().for_each(share);
        Ok(())
    }
}

fn share(function: &mut Function) {
    let uses = use_counts(function);
    let mut builder = Builder::new(function);
    for_each_block_mut(&mut function.body, &mut |block| {
        let mut trees = Trees::of(block, &uses, &builder);
        trees.pair(&mut builder);
        trees.write(block, &mut builder);
    });
    builder.finish(function);
}

/// An exclusive or of several terms.
struct Tree {
    root: ValueId,
    width: u8,
    terms: Vec<Operand>,
    changed: bool,
}

/// The trees of a block, in its order.
struct Trees {
    trees: Vec<Tree>,
    /// The operations inside of each tree, by their results: the number of the tree.
    inner: HashMap<ValueId, usize>,
    /// The pairs that were made: their two terms.
    made: HashMap<ValueId, [ValueId; 2]>,
}

impl Trees {
    fn of(block: &Block, uses: &[u32], builder: &Builder) -> Trees {
        let mut lists: HashMap<ValueId, (u8, Vec<Operand>, Vec<ValueId>)> = HashMap::new();
        let mut order = Vec::new();
        for op in &block.ops {
            let (OpKind::Binary(Binary::Xor, a, b), [root]) = (&op.kind, op.results.as_slice()) else { continue };
            let Type::Word(width) = *builder.ty(*root) else { continue };
            let (mut terms, mut inner) = (Vec::new(), Vec::new());
            for operand in [a, b] {
                let single = |v: &ValueId| uses[v.0 as usize] == 1;
                let below = match operand {
                    Operand::Value(v) if single(v) => lists.remove(v).map(|list| (*v, list)),
                    _ => None,
                };
                match below {
                    Some((v, (_, more, own))) => {
                        terms.extend(more);
                        inner.extend(own);
                        inner.push(v);
                    }
                    None => terms.push(*operand),
                }
            }
            lists.insert(*root, (width, terms, inner));
            order.push(*root);
        }
        let mut found = Trees { trees: Vec::new(), inner: HashMap::new(), made: HashMap::new() };
        for root in order {
            let Some((width, terms, inner)) = lists.remove(&root) else { continue };
            found.inner.extend(inner.into_iter().map(|v| (v, found.trees.len())));
            found.trees.push(Tree { root, width, terms, changed: false });
        }
        found
    }

    /// Makes pairs as long as two trees have one in common.
    fn pair(&mut self, builder: &mut Builder) {
        while let Some(pair) = self.best() {
            let Some(first) = self.trees.iter().find(|t| has(t, pair)) else { return };
            let made = builder.value("", Type::Word(first.width));
            for tree in self.trees.iter_mut().filter(|t| has(t, pair)) {
                let at = tree.terms.iter().rposition(|t| pair.map(Operand::Value).contains(t)).unwrap_or(0);
                tree.terms[at] = Operand::Value(made);
                tree.terms.retain(|t| !pair.map(Operand::Value).contains(t));
                tree.changed = true;
            }
            self.made.insert(made, pair);
        }
    }

    /// The pair in most trees, if there are two; of several the one whose tree comes first.
    fn best(&self) -> Option<[ValueId; 2]> {
        let mut counts: BTreeMap<(u8, [ValueId; 2]), (u32, usize)> = BTreeMap::new();
        for (number, tree) in self.trees.iter().enumerate().filter(|(_, t)| t.terms.len() > 2) {
            let values = tree.terms.iter().filter_map(|t| if let Operand::Value(v) = t { Some(*v) } else { None });
            let mut values: Vec<ValueId> = values.collect();
            values.sort_unstable();
            values = once(&values);
            for (k, &a) in values.iter().enumerate() {
                for &b in &values[k + 1..] {
                    counts.entry((tree.width, [a, b])).or_insert((0, number)).0 += 1;
                }
            }
        }
        let shared = counts.into_iter().filter(|(_, (count, _))| *count > 1);
        shared.max_by_key(|((_, pair), (count, first))| (*count, std::cmp::Reverse((*first, *pair)))).map(|(k, _)| k.1)
    }

    /// Writes the changed trees: pairs before the first tree that uses them.
    fn write(mut self, block: &mut Block, builder: &mut Builder) {
        let roots: HashMap<ValueId, usize> = self.trees.iter().enumerate().map(|(k, t)| (t.root, k)).collect();
        let mut out = Vec::with_capacity(block.ops.len());
        for op in std::mem::take(&mut block.ops) {
            let result = op.results.first();
            if result.and_then(|v| self.inner.get(v)).is_some_and(|&k| self.trees[k].changed) {
                continue;
            }
            match result.and_then(|v| roots.get(v)).filter(|&&k| self.trees[k].changed) {
                Some(&k) => self.tree(k, &op, builder, &mut out),
                None => out.push(op),
            }
        }
        block.ops = out;
    }

    fn tree(&mut self, number: usize, op: &Op, builder: &mut Builder, out: &mut Vec<Op>) {
        let width = self.trees[number].width;
        let terms = self.trees[number].terms.clone();
        terms.iter().for_each(|&term| self.define(term, op, out));
        let mut sum = terms[0];
        for (k, &term) in terms.iter().enumerate().skip(1) {
            let kind = OpKind::Binary(Binary::Xor, sum, term);
            let result = if k + 1 == terms.len() { op.results[0] } else { builder.value("", Type::Word(width)) };
            out.push(Op { kind, results: vec![result], places: op.places.clone() });
            sum = Operand::Value(result);
        }
    }

    /// Writes a pair, and those that it is made of, unless that was done before.
    fn define(&mut self, term: Operand, op: &Op, out: &mut Vec<Op>) {
        let Operand::Value(v) = term else { return };
        let Some(pair) = self.made.remove(&v) else { return };
        pair.iter().for_each(|&below| self.define(Operand::Value(below), op, out));
        let kind = OpKind::Binary(Binary::Xor, Operand::Value(pair[0]), Operand::Value(pair[1]));
        out.push(Op { kind, results: vec![v], places: op.places.clone() });
    }
}

/// The values of a sorted list that occur once.
fn once(values: &[ValueId]) -> Vec<ValueId> {
    let single = |v: &&ValueId| values.partition_point(|x| x <= *v) - values.partition_point(|x| x < *v) == 1;
    values.iter().filter(single).copied().collect()
}

/// Whether a tree has both terms, each once, and others.
fn has(tree: &Tree, pair: [ValueId; 2]) -> bool {
    let count = |v: ValueId| tree.terms.iter().filter(|t| **t == Operand::Value(v)).count();
    tree.terms.len() > 2 && pair.iter().all(|&v| count(v) == 1)
}

#[cfg(test)]
mod tests {
    use crate::evaluate::{Evaluator, Value};
    use crate::ir::Program;
    use crate::passes::run_all;

    fn program(ops: &str) -> Program {
        let text = format!("program \"t\" {{\n}}\n\nfunc @f(%a: u32, %b: u32, %c: u32, %d: u32) -> (u32, u32, u32) {{\n{ops}\n  return %x, %y, %z\n}}\n");
        let program = crate::parse(&text).unwrap();
        crate::verify(&program).unwrap();
        program
    }

    /// How many exclusive ors stand in the program before and after; both must compute the same.
    fn counts(ops: &str) -> (usize, usize) {
        let before = program(ops);
        let mut after = program(ops);
        run_all(&mut after, &["share-pairs"], &[]).unwrap();
        crate::verify(&after).unwrap();
        for k in 0..20u64 {
            let words = [1, 2, 3, 4].map(|n| Value::Word((k * n * 0x9e37_79b9 + n * n * k) & 0xffff_ffff));
            let run = |p: &Program| Evaluator::new(p).unwrap().evaluate("f", &words).unwrap();
            assert_eq!(run(&before), run(&after));
        }
        (before.to_string().matches(" xor ").count(), after.to_string().matches(" xor ").count())
    }

    #[test]
    fn terms_in_common_are_combined_once() {
        let x = "%1: u32 = xor %a, %b\n%2: u32 = xor %1, %c\n%x: u32 = xor %2, 5\n";
        let y = "%3: u32 = xor %d, %c\n%y: u32 = xor %3, %a\n";
        let z = "%4: u32 = xor %c, %x\n%5: u32 = xor %4, %a\n%z: u32 = xor %5, %b\n";
        assert_eq!(counts(&format!("{x}{y}{z}")), (8, 5));
    }

    #[test]
    fn terms_that_occur_twice_and_trees_without_common_terms_stay() {
        let twice = "%1: u32 = xor %a, %b\n%2: u32 = xor %1, %a\n%x: u32 = xor %2, %d\n";
        let rest = "%y: u32 = xor %a, %b\n%z: u32 = xor %c, %d\n";
        assert_eq!(counts(&format!("{twice}{rest}")), (5, 5));
    }
}
