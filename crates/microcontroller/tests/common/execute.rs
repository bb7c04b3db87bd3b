//! Executes lines, as far as tests write them. It knows the names of instructions, nothing of records.

use std::collections::HashMap;

use microcontroller::code::{Line, Machine};
use microcontroller::isa::Isa;
use microcontroller::operand::{Expression, Label, Operand, Register, Step};

/// What a register holds: a byte, or the address of a byte.
#[derive(Clone, Debug, PartialEq)]
enum Contents {
    Byte(u8),
    Address(String, i64),
}

/// Memory by object and place, and registers.
#[derive(Default)]
pub struct Machines {
    pub memory: HashMap<(String, i64), u8>,
    registers: HashMap<Register, Contents>,
    zero: bool,
}

impl Machines {
    /// Runs lines to their end.
    pub fn run(&mut self, isa: &Isa, lines: &[Line]) {
        let (mut at, mut steps) = (0, 0);
        while at < lines.len() {
            steps += 1;
            assert!(steps < 100_000, "it does not end");
            let jump = match &lines[at] {
                Line::Machine(machine) => self.step(isa, machine),
                _ => None,
            };
            let head = |n: u32| lines.iter().position(|line| *line == Line::Label(Label::Head(n))).expect("a head");
            at = jump.map_or(at + 1, head);
        }
    }

    /// Executes an instruction; returns the head that it branches to.
    fn step(&mut self, isa: &Isa, machine: &Machine) -> Option<u32> {
        let name = isa.mnemonics[usize::from(machine.opcode)].as_str();
        let source_first = isa.syntax.pointer == "@{}" && isa.accumulator.is_none();
        let mut o: Vec<Operand> = machine.operands.clone();
        if source_first {
            o.reverse();
        }
        match name {
            "movw" => {
                for k in [0, 1] {
                    let (Operand::Register(d), Operand::Register(s)) = (&o[0], &o[1]) else { panic!("registers") };
                    let held = self.registers[&(s + k)].clone();
                    self.registers.insert(d + k, held);
                }
            }
            "mov.w" => self.word(&o),
            "mov" | "mov.b" | "ldi" | "lds" | "sts" | "movx" => {
                let held = self.get(&o[1]);
                self.set(&o[0], held);
            }
            "clr" => self.set(&o[0], Contents::Byte(0)),
            "eor" | "xor.b" | "xrl" => self.binary(&o, |a, b| a ^ b),
            "add" | "add.b" => self.binary(&o, u8::wrapping_add),
            "xch" => {
                let (a, b) = (self.get(&o[0]), self.get(&o[1]));
                self.set(&o[0], b);
                self.set(&o[1], a);
            }
            "inc" | "dec" | "dec.b" => {
                let by = if name == "inc" { 1 } else { -1 };
                match self.get(&o[0]) {
                    Contents::Byte(x) => {
                        let x = x.wrapping_add(by as u8);
                        self.zero = x == 0;
                        self.set(&o[0], Contents::Byte(x));
                    }
                    Contents::Address(object, at) => self.set(&o[0], Contents::Address(object, at + by)),
                }
            }
            "brne" | "bne" => return if self.zero { None } else { target(&o[0]) },
            "djnz" => {
                let x = self.byte(&o[0]).wrapping_sub(1);
                self.set(&o[0], Contents::Byte(x));
                return if x == 0 { None } else { target(&o[1]) };
            }
            other => panic!("`{other}` is not executed here"),
        }
        None
    }

    fn binary(&mut self, o: &[Operand], operation: fn(u8, u8) -> u8) {
        let x = operation(self.byte(&o[0]), self.byte(&o[1]));
        self.set(&o[0], Contents::Byte(x));
    }

    /// Moves a word; of memory the byte at the even address is that of the even register.
    fn word(&mut self, o: &[Operand]) {
        for k in [0, 1] {
            let half = |o: &Operand| match o {
                Operand::Word(r) => Operand::Register(r + k),
                Operand::Memory(a) => {
                    let mut a = a.clone();
                    a.at.distance = a.at.distance.map(|d| d + i64::from(k));
                    Operand::Memory(a)
                }
                other => panic!("{other:?} is no word"),
            };
            let held = self.get(&half(&o[1]));
            self.set(&half(&o[0]), held);
        }
    }

    fn byte(&self, operand: &Operand) -> u8 {
        match self.get(operand) {
            Contents::Byte(x) => x,
            address => panic!("{address:?} is no byte"),
        }
    }

    fn get(&self, operand: &Operand) -> Contents {
        match operand {
            Operand::Register(r) => {
                self.registers.get(r).unwrap_or_else(|| panic!("register {r} holds nothing")).clone()
            }
            Operand::Number(e) => match &e.symbol {
                None => Contents::Byte(e.distance.expect("a number") as u8),
                Some(symbol) => Contents::Address(symbol.to_string(), e.distance.unwrap_or(0)),
            },
            Operand::Memory(a) => {
                Contents::Byte(*self.memory.get(&place(&a.at)).unwrap_or_else(|| panic!("{a:?} holds nothing")))
            }
            Operand::Pointer(p) => Contents::Byte(self.memory[&self.pointed(p.base, p.step)]),
            other => panic!("{other:?} is not read here"),
        }
    }

    fn set(&mut self, operand: &Operand, held: Contents) {
        let byte = |held| match held {
            Contents::Byte(x) => x,
            address => panic!("{address:?} goes to memory"),
        };
        match operand {
            Operand::Register(r) => {
                self.registers.insert(*r, held);
            }
            // The page is part of addresses that are no numbers here.
            Operand::Memory(a) if a.at.symbol.as_deref() == Some("p2") => {}
            Operand::Memory(a) => {
                self.memory.insert(place(&a.at), byte(held));
            }
            Operand::Pointer(p) => {
                self.memory.insert(self.pointed(p.base, p.step), byte(held));
            }
            other => panic!("{other:?} is not written here"),
        }
    }

    fn pointed(&self, base: Register, step: Step) -> (String, i64) {
        assert_eq!(step, Step::None);
        match &self.registers[&base] {
            Contents::Address(object, at) => (object.clone(), *at),
            other => panic!("{other:?} is no address"),
        }
    }
}

fn place(e: &Expression) -> (String, i64) {
    (e.symbol.as_deref().expect("an object").to_owned(), e.distance.expect("a place"))
}

fn target(operand: &Operand) -> Option<u32> {
    match operand {
        Operand::Label(Label::Head(n)) => Some(*n),
        other => panic!("{other:?} is no head"),
    }
}
