//! x86 assembler: a macro of two-operand instructions with its registers as parameters, and a function around it.

use super::lower::{lower, Basis};
use super::machine::order::fewest_moves;
use super::source::Source;
use super::{Choice, Language, Options};
use crate::circuit::{Circuit, Wire};
use crate::fault::Fault;
use crate::function::Function;
use crate::sequence::{Instruction, Sequence};
use crate::target::{Operation, Target};

/// An x86 instruction sequence.
pub struct X86;

const REGISTERS: usize = 5;
/// Registers of the function, those first that it need not save. Pointers are in rdi and rsi.
const NAMES: [&str; 13] = ["rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "rbx", "rbp", "r12", "r13", "r14", "r15"];
const SCRATCH: usize = 7;
const INDENT: &str = "        ";

impl Language for X86 {
    fn name(&self) -> &'static str {
        "x86"
    }

    fn title(&self) -> &'static str {
        "x86 instructions of two operands for GNU as, a macro and a function"
    }

    fn suffix(&self) -> &'static str {
        "s"
    }

    fn choices(&self) -> &'static [Choice] {
        &[Choice {
            name: "registers",
            values: &[],
            purpose: "registers that the order of the gates is made for, 5 unless given; more are taken where needed",
        }]
    }

    fn write(&self, source: &Source, options: &Options) -> Result<String, Fault> {
        let circuit = lower(&source.circuit, &Basis::PLAIN);
        let sequence = sequence(&circuit, options.number("registers").unwrap_or(REGISTERS))?;
        let mut head = source.head(&circuit, "x86 instructions");
        let (moves, all) = (sequence.moves(), sequence.instructions.len());
        let plural = if moves == 1 { "move" } else { "moves" };
        let made = format!("{} operations and {moves} {plural} in {} registers", all - moves, sequence.registers);
        head.push(format!("{:<11}{made}", "written as"));
        let mut text: String = head.iter().map(|line| format!("# {line}").trim_end().to_owned() + "\n").collect();
        text.push_str(&format!("{INDENT}.intel_syntax noprefix\n{INDENT}.text\n\n"));
        let name = source.identifier();
        text.push_str(&gates(&name, &circuit, &sequence));
        text.push_str(&function(&name, &circuit, &sequence));
        Ok(text)
    }
}

/// The instructions with the fewest moves in the fewest registers from the wanted number on.
fn sequence(circuit: &Circuit, wanted: usize) -> Result<Sequence, Fault> {
    let mut plain = circuit.clone();
    plain.outputs.retain(|wire| !matches!(wire, Wire::Constant(_)));
    let most = usize::from(circuit.inputs) + circuit.gates.len() + 1;
    let fitting = (wanted.max(circuit.inputs.into())..=most.max(wanted)).find_map(|registers| {
        let ordered = fewest_moves(&plain, registers)?;
        Sequence::of(&ordered, &target(registers)).ok()
    });
    let mut found = fitting.ok_or_else(|| Fault::new("C403", "the circuit has no instruction sequence"))?;
    let written = found.instructions.iter().map(|i| match *i {
        Instruction::Move { to, .. } | Instruction::Unary { to, .. } | Instruction::Binary { to, .. } => to + 1,
    });
    found.registers = written.max().unwrap_or(0).max(circuit.inputs.into());
    Ok(found)
}

fn target(registers: usize) -> Target {
    let operation = |name: &str, function: Function| Operation {
        name: name.to_owned(),
        arity: function.arity,
        table: Some(function.table),
        latency: 1,
        size: 1.0,
    };
    let named = [("not", Function::NOT), ("and", Function::AND), ("or", Function::OR), ("xor", Function::XOR)];
    Target {
        name: "x86".to_owned(),
        title: String::new(),
        operations: named.into_iter().map(|(name, function)| operation(name, function)).collect(),
        issue_width: None,
        registers: Some(registers as u32),
        two_operand: true,
        objective: vec!["instructions".to_owned()],
    }
}

/// The macro: parameters r0 … and, where memory holds some of them, s to go between two of those.
fn gates(name: &str, circuit: &Circuit, sequence: &Sequence) -> String {
    let mut parameters: Vec<String> = (0..sequence.registers).map(|r| format!("r{r}")).collect();
    let spilled = sequence.registers > NAMES.len();
    if spilled {
        parameters.push("s".to_owned());
    }
    let mut outputs = sequence.outputs.iter();
    let place = |wire: &Wire| match wire {
        Wire::Constant(value) => if *value { "ones" } else { "zero" }.to_owned(),
        _ => outputs.next().map_or(String::new(), |r| format!("r{r}")),
    };
    let outputs: Vec<String> = circuit.outputs.iter().map(place).collect();
    let inputs: Vec<String> = (0..circuit.inputs).map(|k| format!("r{k}")).collect();
    let mut text = format!("# inputs     {}\n# outputs    {}\n", inputs.join(" "), outputs.join(" "));
    text.push_str(&format!("{INDENT}.macro  {name}_gates {}\n", parameters.join(", ")));
    for instruction in &sequence.instructions {
        for line in written(instruction, spilled) {
            text.push_str(&format!("{INDENT}{line}\n"));
        }
    }
    text + &format!("{INDENT}.endm\n\n")
}

fn written(instruction: &Instruction, spilled: bool) -> Vec<String> {
    let (name, to, from) = match *instruction {
        Instruction::Move { to, from } => ("mov", to, from),
        Instruction::Unary { to, .. } => return vec![format!("{:<8}\\r{to}", "not")],
        Instruction::Binary { function: Function::AND, to, from } => ("and", to, from),
        Instruction::Binary { function: Function::OR, to, from } => ("or", to, from),
        Instruction::Binary { to, from, .. } => ("xor", to, from),
    };
    if spilled && to >= NAMES.len() - 1 && from >= NAMES.len() - 1 {
        return vec![format!("{:<8}\\s, \\r{from}", "mov"), format!("{name:<8}\\r{to}, \\s")];
    }
    vec![format!("{name:<8}\\r{to}, \\r{from}")]
}

/// The function over words of 64 bits, System V calling convention.
fn function(name: &str, circuit: &Circuit, sequence: &Sequence) -> String {
    let (inputs, outputs) = (circuit.inputs, circuit.outputs.len());
    let spilled = sequence.registers > NAMES.len();
    let in_registers = if spilled { NAMES.len() - 1 } else { sequence.registers };
    let slots = sequence.registers - in_registers;
    let saved: Vec<&str> = NAMES[SCRATCH.min(in_registers)..in_registers + usize::from(spilled)].to_vec();
    let mut places: Vec<String> = NAMES[..in_registers].iter().map(|&r| r.to_owned()).collect();
    places.extend((0..slots).map(|n| format!("\"qword ptr [rsp+{}]\"", 8 * n)));
    let mut arguments = places.clone();
    if spilled {
        arguments.push(NAMES[NAMES.len() - 1].to_owned());
    }
    let mut lines = vec![format!(".globl  {name}"), format!(".type   {name}, @function")];
    let mut body: Vec<String> = saved.iter().map(|r| format!("push    {r}")).collect();
    if slots > 0 {
        body.push(format!("sub     rsp, {}", 8 * slots));
    }
    body.extend((0..usize::from(inputs)).map(|k| format!("mov     {}, [rdi+{}]", places[k], 8 * k)));
    body.push(format!("{name}_gates {}", arguments.join(", ")));
    let mut registers = sequence.outputs.iter();
    for (k, wire) in circuit.outputs.iter().enumerate() {
        match wire {
            Wire::Constant(value) => body.push(format!("mov     qword ptr [rsi+{}], {}", 8 * k, -i32::from(*value))),
            _ => {
                let Some(&r) = registers.next() else { continue };
                if r >= in_registers {
                    body.push(format!("mov     {}, {}", NAMES[NAMES.len() - 1], places[r].trim_matches('"')));
                }
                let from = if r < in_registers { &places[r] } else { NAMES[NAMES.len() - 1] };
                body.push(format!("mov     [rsi+{}], {from}", 8 * k));
            }
        }
    }
    if slots > 0 {
        body.push(format!("add     rsp, {}", 8 * slots));
    }
    body.extend(saved.iter().rev().map(|r| format!("pop     {r}")));
    body.push("ret".to_owned());
    lines.extend(body);
    let label = lines.iter().position(|l| l.starts_with(".type")).map_or(0, |n| n + 1);
    let mut text =
        format!("# void {name}(const uint64_t x[{inputs}], uint64_t y[{outputs}]): 64 boxes, one to a bit\n");
    for (n, line) in lines.iter().enumerate() {
        if n == label {
            text.push_str(&format!("{name}:\n"));
        }
        text.push_str(&format!("{INDENT}{line}\n"));
    }
    text + &format!("{INDENT}.size   {name}, .-{name}\n{INDENT}.section .note.GNU-stack,\"\",@progbits\n")
}
