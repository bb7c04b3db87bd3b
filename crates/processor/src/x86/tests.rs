use program::ir::{Function, OpKind, Program, ValueId};

use super::code::Code;
use super::decode::Table;
use super::parse;
use super::regions::{has_loops, regions, Region};

const FORMS: &str = r#"
[forms]
"mov r,m" = "p2"
"mov m,r" = "p3 p4"
"alu r,r" = "p01"
"alu r,m" = "p2 p01"
"alu m,i" = "p2 p01 p3 p4"
"shift r,i" = "p0"
"bswap r" = "p0 p01"
"imul r,r" = "p0:4"
"lea r,m" = "p0"
"jne label" = "p1"
"#;

fn table() -> Table {
    Table::parse(FORMS).unwrap()
}

fn decoded(line: &str) -> crate::micro_ops::Instruction {
    let table = table();
    table.decode(&parse::instruction(line, &table).unwrap(), 3, true).unwrap()
}

#[test]
fn instructions_become_micro_operations() {
    let ports = |line: &str| decoded(line).operations.iter().map(|op| op.ports).collect::<Vec<_>>();
    assert_eq!(ports("xorl %eax, %ebx"), [3]);
    assert_eq!(ports("xorl table(,%eax,4), %ebx"), [4, 3]);
    assert_eq!(ports("movl %eax, words"), [8, 16]);
    assert_eq!(ports("shrl $16, %eax"), [1]);
    assert_eq!(ports("bswap %eax"), [1, 3]);
    assert_eq!(decoded("imull %esi, %eax").operations[0].latency, 4);
}

#[test]
fn micro_operations_wait_for_each_other() {
    let code = decoded("xorl table(,%esi,4), %edi").operations;
    let found: Vec<_> = code.iter().map(|op| (&op.reads[..], &op.writes[..], op.latency)).collect();
    // The load reads the index and writes a temporary, of which the sum is made; that writes the flags as well.
    assert_eq!(found, [(&[6][..], &[16][..], 3), (&[7, 16], &[7, 18], 1)]);
    let code = decoded("addl $4, words").operations;
    let found: Vec<_> = code.iter().map(|op| (&op.reads[..], &op.writes[..])).collect();
    assert_eq!(found, [(&[][..], &[16][..]), (&[16], &[17, 18]), (&[], &[]), (&[17], &[])]);
    assert_eq!(decoded("jne .L1").operations[0].reads, [18]);
}

#[test]
fn lea_reads_the_registers_of_its_address_and_no_memory() {
    let one = decoded("leal 4(%eax,%ecx,2), %edx");
    assert_eq!((&one.operations[0].reads[..], &one.operations[0].writes[..], one.size), (&[0, 1][..], &[2][..], 0));
}

#[test]
fn text_is_read_as_it_is_written() {
    let lines = [
        ".L1:",
        "movl table+4(,%ebp,8), %eax",
        "movl %esi, words-12",
        "xorl (%eax), %ecx",
        "leal 5(%eax,%ecx), %edx",
        "leal -5(%eax,%ecx,2), %edx",
        "addl $-4, words",
        "shrl $31, %edi",
        "bswap %esi",
        "jne .L1",
    ];
    let Code { items } = parse::code(lines, &table()).unwrap();
    assert_eq!(items.iter().map(ToString::to_string).collect::<Vec<_>>(), lines);
}

const LOOP: &str = r#"program "t" {
}

func @f(%key: u8[4]) -> (u32[8]) {
  %a: u8 = load %key[0]
  %b: u8 = load %key[1]
  %c: u8 = load %key[2]
  %d: u8 = load %key[3]
  %x: u32 = concat %a, %b, %c, %d
  %K: u32[8] = array
  %K.2: u32[8], %y.2: u32 = rounds 8 "i" from 0 step 1 (%K, %x) {
    body 0..7 (%i: index, %K.1: u32[8], %y: u32) {
      %n: u32 = word %i
      %e: u8 = extract %x, 8
      %f: u32 = zext %e
      %g: u32 = add %y, %f
      %h: u32 = xor %g, %n
      %K.3: u32[8] = store %K.1[%i], %h
      yield %K.3, %h
    }
  }
  return %K.2
}
"#;

fn value(function: &Function, name: &str) -> ValueId {
    ValueId(function.values.iter().position(|one| one.name == name).unwrap() as u32)
}

fn function(text: &str) -> Program {
    let program = program::parse(text).unwrap();
    program::verify(&program).unwrap();
    program
}

#[test]
fn a_loop_stands_between_straight_regions() {
    let program = function(LOOP);
    let function = &program.functions[0];
    assert!(has_loops(function));
    let found = regions(function).unwrap();
    let [Region::Straight(before), Region::Loop(counted), Region::Straight(_)] = &found.regions[..] else {
        panic!("{:?}", found.regions)
    };
    assert_eq!((counted.iterations, counted.index, counted.number), (8, value(function, "i"), 1));
    // What does not depend on the iteration comes before the loop; the carried word has one cell.
    let kinds: Vec<_> = found.straight[*before].ops.iter().map(|op| op.kind.mnemonic()).collect();
    assert_eq!(kinds[kinds.len() - 2..], ["extract", "zext"]);
    let cell = |name: &str| found.cells[&value(function, name)];
    assert_eq!(cell("y"), cell("y.2"));
    let leaves = |region: usize| {
        let name = |operand| match operand {
            program::ir::Operand::Value(value) => function.values[value.0 as usize].name.as_str(),
            program::ir::Operand::Const(_) => "",
        };
        found.straight[region].leaves.iter().map(|&(cell, operand)| (cell, name(operand))).collect::<Vec<_>>()
    };
    assert_eq!(leaves(*before), [(cell("y"), "x"), (cell("f"), "f")]);
    let body = counted.innermost().unwrap();
    assert_eq!(leaves(body), [(cell("y"), "h")]);
    assert!(found.straight[body].ops.iter().any(|op| matches!(op.kind, OpKind::Store(..))));
    let roots: std::collections::BTreeSet<_> =
        ["K", "K.1", "K.2", "K.3"].map(|name| found.roots[&value(function, name)]).into_iter().collect();
    assert_eq!(roots.len(), 1, "versions of an array are one object");
}
