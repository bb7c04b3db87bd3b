//! Which arrays of bytes become arrays of words.
//!
//! An array `u8[n][m]` can be held as words if every access moves a whole row or a byte at a constant place of its row.
//! Arrays that flow into each other (stores, loops, calls, keys from the schedule to the cipher) change together or not at all;
//! one that the program's user gives or gets must keep its type.

use std::collections::HashMap;

use crate::ir::{Address, ArrayType, Function, OpKind, Operand, Program, Type, ValueId};
use crate::passes::only::FunctionFilter;
use crate::walk::{for_each_block, for_each_op};

/// For each function, the arrays to retype, with the bytes per word.
pub type Rows = Vec<HashMap<ValueId, usize>>;

/// Bytes of a word that rows of an array can be made of; none for arrays of other shapes.
fn lanes(ty: &Type, most: usize) -> Option<usize> {
    let Type::Array(ArrayType { width: 8, dims }) = ty else { return None };
    let row = *dims.get(1)? as usize;
    [8, 4].into_iter().find(|&n| n <= most && row % n == 0)
}

/// The type of an array after retyping.
pub fn retyped(ty: &Type, lanes: usize) -> Type {
    let Type::Array(array) = ty else { return ty.clone() };
    let words = array.dims[1] / lanes as u32;
    let dims = if words == 1 { vec![array.dims[0]] } else { vec![array.dims[0], words] };
    Type::Array(ArrayType { width: 8 * lanes as u8, dims })
}

/// Classes of arrays that flow into each other.
struct Classes {
    parent: Vec<usize>,
    refused: Vec<bool>,
}

impl Classes {
    fn find(&self, mut n: usize) -> usize {
        while self.parent[n] != n {
            n = self.parent[n];
        }
        n
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a] = b;
        self.refused[b] |= self.refused[a];
    }

    fn refuse(&mut self, n: usize) {
        let root = self.find(n);
        self.refused[root] = true;
    }
}

/// Numbers of the values and results of all functions.
struct Numbers<'a> {
    program: &'a Program,
    values: Vec<usize>,
    results: Vec<usize>,
    count: usize,
}

impl<'a> Numbers<'a> {
    fn new(program: &'a Program) -> Self {
        let (mut values, mut results, mut count) = (Vec::new(), Vec::new(), 0);
        for function in &program.functions {
            values.push(count);
            results.push(count + function.values.len());
            count += function.values.len() + function.results.len();
        }
        Numbers { program, values, results, count }
    }

    fn value(&self, function: usize, v: ValueId) -> usize {
        self.values[function] + v.0 as usize
    }

    fn function(&self, name: &str) -> Option<usize> {
        self.program.functions.iter().position(|f| f.name == name)
    }
}

/// Decides for the whole program; words have at most `most` bytes. Arrays that reach functions that are left alone stay.
pub fn choose(program: &Program, most: usize, only: &FunctionFilter<'_>) -> Rows {
    let lanes = |class: HashMap<ValueId, (usize, usize)>| class.into_iter().map(|(v, (_, lanes))| (v, lanes)).collect();
    classes(program, most, only).into_iter().map(lanes).collect()
}

/// As [`choose`], with the class of each array: arrays of one class flow into each other.
pub fn classes(program: &Program, most: usize, only: &FunctionFilter<'_>) -> Vec<HashMap<ValueId, (usize, usize)>> {
    classes_of(program, only, &|ty| lanes(ty, most))
}

/// As [`classes`], with what `kind` says of an array's type instead of the bytes per word.
pub fn classes_of(
    program: &Program,
    only: &FunctionFilter<'_>,
    kind: &dyn Fn(&Type) -> Option<usize>,
) -> Vec<HashMap<ValueId, (usize, usize)>> {
    let numbers = Numbers::new(program);
    let mut classes = Classes { parent: (0..numbers.count).collect(), refused: vec![false; numbers.count] };
    for (n, function) in program.functions.iter().enumerate() {
        flows(&numbers, &mut classes, n, function);
    }
    for (n, function) in program.functions.iter().enumerate().filter(|(_, f)| !only.includes(&f.name)) {
        let ids = numbers.values[n]..numbers.results[n] + function.results.len();
        ids.for_each(|id| classes.refuse(id));
    }
    interface(&numbers, &mut classes);
    let chosen = |n: usize, function: &Function| {
        let ids = (0..function.values.len() as u32).map(ValueId);
        ids.filter(|&v| !classes.refused[classes.find(numbers.value(n, v))])
            .filter_map(|v| {
                let class = classes.find(numbers.value(n, v));
                Some((v, (class, kind(&function.values[v.0 as usize].ty)?)))
            })
            .collect()
    };
    program.functions.iter().enumerate().map(|(n, function)| chosen(n, function)).collect()
}

fn flows(numbers: &Numbers<'_>, classes: &mut Classes, n: usize, function: &Function) {
    let id = |v: ValueId| numbers.value(n, v);
    for_each_op(&function.body, &mut |op| match &op.kind {
        OpKind::Load(array, addresses) if !is_row_or_byte(addresses) => classes.refuse(id(*array)),
        OpKind::Store(array, addresses, _) => {
            classes.join(id(*array), id(op.results[0]));
            if addresses.len() > 1 {
                classes.refuse(id(*array));
            }
        }
        OpKind::Call(name, arguments) => {
            let Some(callee) = numbers.function(name) else { return };
            let params = &numbers.program.functions[callee].params;
            for (argument, &param) in arguments.iter().zip(params) {
                join_operand(classes, numbers, n, *argument, numbers.value(callee, param));
            }
            for (k, &result) in op.results.iter().enumerate() {
                classes.join(id(result), numbers.results[callee] + k);
            }
        }
        OpKind::Loop(l) => {
            for (k, &result) in op.results.iter().enumerate() {
                join_operand(classes, numbers, n, l.init[k], id(result));
                for body in &l.bodies {
                    classes.join(id(body.params[k + 1]), id(result));
                    join_operand(classes, numbers, n, body.outputs[k], id(result));
                }
            }
        }
        _ => {}
    });
    for (k, &output) in function.body.outputs.iter().enumerate() {
        join_operand(classes, numbers, n, output, numbers.results[n] + k);
    }
}

fn join_operand(classes: &mut Classes, numbers: &Numbers<'_>, n: usize, operand: Operand, other: usize) {
    if let Operand::Value(v) = operand {
        classes.join(numbers.value(n, v), other);
    }
}

fn is_row_or_byte(addresses: &[Address]) -> bool {
    addresses.len() == 1 || addresses[1..].iter().all(|a| !a.ring && a.affine.terms.is_empty())
}

/// Keys flow from the schedule to the cipher; everything else that crosses the program's border keeps its type.
fn interface(numbers: &Numbers<'_>, classes: &mut Classes) {
    let functions = &numbers.program.functions;
    let decryption =
        if numbers.function("key_schedule_decrypt").is_some() { "key_schedule_decrypt" } else { "key_schedule" };
    let mut inner = vec![false; numbers.count];
    for (schedule, cipher) in [("key_schedule", "encrypt"), (decryption, "decrypt")] {
        let (Some(from), Some(to)) = (numbers.function(schedule), numbers.function(cipher)) else { continue };
        let params = &functions[to].params;
        if params.len() != functions[from].results.len() + 1 {
            continue;
        }
        for (k, &param) in params[..params.len() - 1].iter().enumerate() {
            classes.join(numbers.results[from] + k, numbers.value(to, param));
            inner[numbers.results[from] + k] = true;
            inner[numbers.value(to, param)] = true;
        }
    }
    let called = called(functions);
    for (n, function) in functions.iter().enumerate() {
        let params = function.params.iter().map(|&p| numbers.value(n, p));
        for id in params.chain((0..function.results.len()).map(|k| numbers.results[n] + k)) {
            if !inner[id] && !called.contains(&function.name) {
                classes.refuse(id);
            }
        }
    }
}

fn called(functions: &[Function]) -> Vec<String> {
    let mut names = Vec::new();
    for function in functions {
        for_each_block(&function.body, &mut |block| {
            for op in &block.ops {
                if let OpKind::Call(name, _) = &op.kind {
                    names.push(name.clone());
                }
            }
        });
    }
    names
}
