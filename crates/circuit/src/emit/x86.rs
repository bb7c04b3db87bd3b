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
        let sequence = sequence(&circuit, options.number("registers").unwrap_or(REGISTERS));
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
fn sequence(circuit: &Circuit, wanted: usize) -> Sequence {
    let mut plain = circuit.clone();
    plain.outputs.retain(|wire| !matches!(wire, Wire::Constant(_)));
    let most = usize::from(circuit.inputs) + circuit.gates.len() + 1;
    let fitting = (wanted.max(circuit.inputs.into())..=most.max(wanted)).find_map(|registers| {
        let ordered = fewest_moves(&plain, registers)?;
        Sequence::of(&ordered, &target(registers)).ok()
    });
    let mut found = fitting.expect("in registers for all inputs and gates every order has a sequence");
    let written = found.instructions.iter().map(|i| match *i {
        Instruction::Move { to, .. } | Instruction::Unary { to, .. } | Instruction::Binary { to, .. } => to + 1,
    });
    found.registers = written.max().unwrap_or(0).max(circuit.inputs.into());
    found
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

/// Where the function keeps the macro's registers.
struct Layout {
    /// Registers, then slots of the stack.
    places: Vec<String>,
    /// How many of them are registers.
    in_registers: usize,
    /// Goes between two slots, if there are any.
    spare: Option<&'static str>,
}

impl Layout {
    fn new(registers: usize) -> Self {
        let spilled = registers > NAMES.len();
        let in_registers = if spilled { NAMES.len() - 1 } else { registers };
        let mut places: Vec<String> = NAMES[..in_registers].iter().map(|&r| r.to_owned()).collect();
        places.extend((0..registers - in_registers).map(|n| format!("qword ptr [rsp+{}]", 8 * n)));
        Layout { places, in_registers, spare: spilled.then_some(NAMES[NAMES.len() - 1]) }
    }

    fn arguments(&self) -> String {
        let quoted = |place: &String| if place.contains(' ') { format!("\"{place}\"") } else { place.clone() };
        let all: Vec<String> = self.places.iter().map(quoted).chain(self.spare.map(str::to_owned)).collect();
        all.join(", ")
    }

    /// What the function does before and after the macro.
    fn frame(&self) -> (Vec<String>, Vec<String>) {
        let used: Vec<&str> = NAMES[..self.in_registers].iter().copied().chain(self.spare).collect();
        let saved: Vec<&str> = used.into_iter().filter(|r| !NAMES[..SCRATCH].contains(r)).collect();
        let slots = self.places.len() - self.in_registers;
        let stack = |verb: &str| (slots > 0).then(|| format!("{verb:<8}rsp, {}", 8 * slots));
        let before = saved.iter().map(|r| format!("push    {r}")).chain(stack("sub")).collect();
        let after = stack("add").into_iter().chain(saved.iter().rev().map(|r| format!("pop     {r}"))).collect();
        (before, after)
    }

    /// Stores a result.
    fn store(&self, register: usize, to: &str) -> Vec<String> {
        match self.spare.filter(|_| register >= self.in_registers) {
            Some(spare) => {
                vec![format!("mov     {spare}, {}", self.places[register]), format!("mov     {to}, {spare}")]
            }
            None => vec![format!("mov     {to}, {}", self.places[register])],
        }
    }
}

/// The function over words of 64 bits, System V calling convention.
fn function(name: &str, circuit: &Circuit, sequence: &Sequence) -> String {
    let (inputs, outputs) = (circuit.inputs, circuit.outputs.len());
    let layout = Layout::new(sequence.registers);
    let (mut body, after) = layout.frame();
    body.extend((0..usize::from(inputs)).map(|k| format!("mov     {}, [rdi+{}]", layout.places[k], 8 * k)));
    body.push(format!("{name}_gates {}", layout.arguments()));
    let mut registers = sequence.outputs.iter();
    for (k, wire) in circuit.outputs.iter().enumerate() {
        match (wire, registers.clone().next()) {
            (Wire::Constant(value), _) => {
                body.push(format!("mov     qword ptr [rsi+{}], {}", 8 * k, -i32::from(*value)))
            }
            (_, Some(&r)) => {
                registers.next();
                body.extend(layout.store(r, &format!("[rsi+{}]", 8 * k)));
            }
            _ => {}
        }
    }
    body.extend(after);
    body.push("ret".to_owned());
    let mut text =
        format!("# void {name}(const uint64_t x[{inputs}], uint64_t y[{outputs}]): 64 boxes, one to a bit\n");
    text.push_str(&format!("{INDENT}.globl  {name}\n{INDENT}.type   {name}, @function\n{name}:\n"));
    body.iter().for_each(|line| text.push_str(&format!("{INDENT}{line}\n")));
    text + &format!("{INDENT}.size   {name}, .-{name}\n{INDENT}.section .note.GNU-stack,\"\",@progbits\n")
}
