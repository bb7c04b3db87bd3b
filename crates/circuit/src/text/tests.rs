use super::*;
use crate::function::Function;
use crate::table::Table;

const S0: &str = "\
# the first box
circuit cipher.S0: 4 -> 4
table 3 8 15 1 10 6 5 11 14 13 4 2 7 0 9 12
published gates=14 (https://example.org/a#b)
origin own search
t1 = x3 | x0
t2 = t1 ^ x1
t3 = t2 ^ x2
t4 = x3 ^ x0
t5 = t4 ^ x2
t6 = t4 | t2
t7 = t6 ^ x3
t8 = ~t3
t9 = t8 | t7
t10 = t9 ^ t5
t11 = t7 ^ t3
t12 = t11 ^ t10
t13 = t5 & ~t11
t14 = t13 ^ t2
y0 = t12
y1 = t10
y2 = t14
y3 = t3
";

fn one(text: &str) -> Document {
    parse(text, None, None).unwrap().remove(0)
}

fn fault(text: &str) -> String {
    fault_for(text, None)
}

fn fault_for(text: &str, target: Option<&Target>) -> String {
    let fault = parse(text, target, None).unwrap_err();
    format!("{}: {fault}", fault.line)
}

fn and_complement() -> Target {
    let operations = r#"[{"name": "not", "arity": 1, "table": 1}, {"name": "and", "arity": 2, "table": 8},
        {"name": "andcm", "arity": 2, "table": 2}, {"name": "xor", "arity": 2, "table": 6},
        {"name": "AOI21", "arity": 3, "table": 7}]"#;
    Target::from_json(&format!(r#"{{"name": "t", "title": "t", "operations": {operations}, "objective": ["ops"]}}"#))
        .unwrap()
}

#[test]
fn a_document_is_read_and_printed() {
    let document = one(S0);
    assert_eq!(document.name, "cipher.S0");
    assert_eq!(document.field("origin"), Some("own search"));
    assert_eq!(document.field("published"), Some("gates=14 (https://example.org/a#b)"));
    assert_eq!(document.circuit.gates.len(), 14);
    assert_eq!(document.names[12], "t13");
    assert_eq!(document.circuit.gates[12].function, Function::ANDNOT);
    document.circuit.check(&document.sbox().unwrap().unwrap()).unwrap();
    assert_eq!(document.to_string(), S0.split_once('\n').unwrap().1);
}

#[test]
fn reading_what_was_printed_gives_the_same_documents() {
    let text = format!(
        "{S0}\ncircuit n: 3 -> 1\nt1 = lut(0x96, x0, ~x1, x2)\nt1 &= (x0 ^ x1) | ~(x2 & x0) ^ 1\ny0 = nand(t1, x0)\n"
    );
    let documents = parse(&text, None, None).unwrap();
    assert_eq!(documents.len(), 2);
    assert_eq!(parse(&print(&documents), None, None).unwrap(), documents);
}

#[test]
fn c_like_equations_are_read() {
    let text = "\
inputs a b c d
outputs w
/* from
   elsewhere */
register uint32_t t1, *t2;   // declared
uint32_t t0 = a ^ b, t9 = (a & (b |
     ~(c ^ d)));             t0 ^= t9; t0 = t0
  ^ c;
w = t0 ^ 0xffffffffU;
";
    let document = one(text);
    let expected = Table::from_fn(4, |v| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| v >> k & 1 == 1);
        !(a ^ b ^ (a & (b | (c == d))) ^ c)
    });
    let tables = document.circuit.tables();
    assert_eq!(document.circuit.table_of(document.circuit.outputs[0], &tables), expected);
    // a ^ b; ~(c ^ d); b | …; a & …; ^; ^; ~
    assert_eq!(document.circuit.gates.len(), 7);
    assert_eq!(document.equations[1].to_string(), "t9 = a & (b | ~(c ^ d))");
    assert_eq!(parse(&document.to_string(), None, None).unwrap(), vec![document]);
}

#[test]
fn operators_bind_as_in_c() {
    let same = |a: &str, b: &str| {
        let tables = |text: &str| {
            let circuit = one(&format!("circuit n: 3 -> 1\ny0 = {text}")).circuit;
            circuit.table_of(circuit.outputs[0], &circuit.tables())
        };
        tables(a) == tables(b)
    };
    assert!(same("x0 ^ x1 & x2", "x0 ^ (x1 & x2)"));
    assert!(same("x0 | x1 ^ x2", "x0 | (x1 ^ x2)"));
    assert!(same("x0 & x1 | ~x2 & x0", "(x0 & x1) | ((~x2) & x0)"));
    assert!(!same("x0 & (x1 ^ x2)", "x0 & x1 ^ x2"));
    assert_eq!(one("y0 = x0 ^ x1 & x2").equations[0].to_string(), "y0 = x0 ^ (x1 & x2)");
    assert_eq!(one("y0 = x0 ^ (x1 ^ x2) ^ x3").equations[0].to_string(), "y0 = x0 ^ (x1 ^ x2) ^ x3");
}

#[test]
fn instruction_sequences_reuse_registers() {
    let text = "circuit n: 2 -> 1\nregisters r0 r1 r2\nr2 = r0\nr2 &= r1\nr0 ^= r2\ny0 = r0\n";
    let document = one(text);
    assert_eq!(document.circuit.gates.len(), 2);
    assert_eq!(document.names, ["r2", "r0"]);
    assert_eq!(document.circuit.sbox().data, [0, 1, 0, 0]);
    assert_eq!(document.to_string(), text);
}

#[test]
fn complements_become_part_of_the_gates_that_a_target_has() {
    let target = and_complement();
    let functions = |text: &str, target| -> Vec<Function> {
        let circuit = parse(text, target, None).unwrap().remove(0).circuit;
        circuit.gates.iter().map(|g| g.function).collect()
    };
    let (not, and, xor, andcm) = (Function::NOT, Function::AND, Function::XOR, Function::ANDNOT);
    assert_eq!(functions("y0 = ~(x0 & x1)", None), [Function::NAND]);
    assert_eq!(functions("y0 = ~(x0 & x1)", Some(&target)), [and, not]);
    assert_eq!(functions("y0 = ~x0 & x1", Some(&target)), [andcm]);
    assert_eq!(functions("y0 = ~x0 & x1", None), [andcm]);
    assert_eq!(functions("y0 = ~x0 & ~x1", Some(&target)), [not, andcm]);
    assert_eq!(functions("y0 = ~x0 ^ x1", Some(&target)), [not, xor]);
    assert_eq!(functions("y0 = AOI21(x0, x1, x2)", Some(&target)), [Function::new(3, 7)]);
    let circuit = one("y0 = ~x0 & x1").circuit;
    assert_eq!(circuit.gates[0].operands, [Wire::Input(1), Wire::Input(0)]);
}

#[test]
fn a_circuit_becomes_a_document() {
    let target = and_complement();
    let mut circuit = Circuit::new(4);
    let a = circuit.add(Function::ANDNOT, &[Wire::Input(0), Wire::Input(1)]);
    let b = circuit.add(Function::new(3, 7), &[a, Wire::Input(2), Wire::Input(0)]);
    let c = circuit.add(Function::new(3, 0x96), &[a, b, Wire::Input(3)]);
    let d = circuit.add(Function::XNOR, &[c, b]);
    circuit.outputs = vec![d, a];
    let document = Document::new("n", vec![("origin".into(), "own".into())], &circuit, Some(&target)).unwrap();
    let text = "circuit n: 4 -> 2\norigin own\nt1 = x0 & ~x1\nt2 = AOI21(t1, x2, x0)\nt3 = lut(0x96, t1, t2, x3)\nt4 = ~(t3 ^ t2)\ny0 = t4\ny1 = t1\n";
    assert_eq!(document.to_string(), text);
    assert_eq!(parse(text, Some(&target), None).unwrap(), [document]);
}

#[test]
fn outputs_are_found_by_the_truth_table() {
    let sbox = SBox::new(2, vec![0, 3, 3, 1]).unwrap();
    let text = "p = x0 ^ x1\nq = x0 | x1\n";
    let document = parse(text, None, Some(&sbox)).unwrap().remove(0);
    assert_eq!(document.field("outputs"), Some("q p"));
    document.circuit.check(&sbox).unwrap();
    let error = parse("p = ~(x0 ^ x1)\nq = x0 | x1\n", None, Some(&sbox)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "error[C012]: no name of the equations ends with output bit 1 of the box\n   = `p` ends with its complement\n   = help: are the inputs in order, least significant bit first? a line `inputs a b c d` names them"
    );
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let equation = "\n   = help: an equation is `name = expression`, for example `t1 = x0 & ~(x1 ^ x2)`";
    let cases = [
        ("t1 = x0 + x1", "1: error[C001]: no equation has the character `+`\n   = help: exclusive or is `^`, or is `|`".to_owned()),
        ("t1 = !x0", "1: error[C001]: no equation has the character `!`\n   = help: the complement is `~`".to_owned()),
        ("t1 = x0\nt2 = x0 & \nt3 = x1", format!("2: error[C002]: expected a name, `~` or `(`, found the end of the line{equation}")),
        ("t1 = (x0 & x1\nt3 = x1", format!("1: error[C002]: expected `)`, found the end of the line{equation}")),
        ("t1 x0", format!("1: error[C002]: expected `=` after `x0`, found the end of the line{equation}")),
        ("t1 = x0 x1", format!("1: error[C002]: expected an operator or the end of the equation, found `x1`{equation}")),
        ("first = x0\ny0 = frist & x1", "2: error[C003]: the name `frist` is used before it has a value\n   = help: did you mean `first`?".to_owned()),
        ("y0 = x0 & key", "1: error[C003]: the name `key` is used before it has a value\n   = help: known: x0".to_owned()),
        ("circuit S: 9 -> 4", "1: error[C004]: `circuit S: 9 -> 4` is no head of a circuit\n   = help: a circuit begins with `circuit NAME: 4 -> 4` (input and output bits, 1 to 8)".to_owned()),
        ("\ncircuit S: 2 -> 2\ny0 = x1", "2: error[C005]: the output `y1` gets no value\n   = help: name the outputs: `y0 = t5`, or a line `outputs a b c d`; or give the table, to find them by it".to_owned()),
        ("y0 = AOI21(x0, x1, x2)", "1: error[C006]: there is no operation `AOI21`\n   = help: cells are known only with their target; name it".to_owned()),
        ("y0 = nand(x0, x1, x2)", "1: error[C007]: `nand` takes 2 operands, not 3".to_owned()),
        ("y0 = lut(0x1, x0, x1, x2, x3, x0)", "1: error[C016]: `lut` has 5 operands; a gate has at most 4".to_owned()),
        ("y0 = lut(0x196, x0, x1, x2)", "1: error[C017]: the table 0x196 has more than 8 entries\n   = help: a table of n operands has 2^n bits, bit a + 2 b + 4 c + 8 d".to_owned()),
        ("y0 = x0 ^ 5", "1: error[C015]: `5` is neither all zeros nor all ones\n   = help: the constants are 0 and 1 (or ones of a whole word, 0xffffffff)".to_owned()),
        ("circuit S: 2 -> 1\ntable 0 1 2x 3\ny0 = x0", "2: error[C008]: `2x` is no value of a box\n   = help: values are 0 to 255".to_owned()),
        ("circuit S: 2 -> 1\ntable 0 1 0\ny0 = x0", "2: error[C106]: a truth table of 3 values is no S-box\n   = help: a box of n input bits has 2^n values, n from 1 to 8".to_owned()),
        ("t1 = x0\ncircuit S: 2 -> 1", "1: error[C009]: these lines stand before the first circuit of the text\n   = help: a circuit begins with `circuit NAME: 4 -> 4`".to_owned()),
        ("# nothing\n", "1: error[C010]: the text holds no circuit\n   = help: an equation is `t1 = x0 & ~x1`".to_owned()),
        ("circuit S: 2 -> 1\ninputs a b c\ny0 = a", "1: error[C011]: the line `inputs` names 3 inputs, not 2\n   = help: a circuit has 1 to 8 inputs".to_owned()),
        ("circuit S: 2 -> 1\noutputs a b\na = x0", "1: error[C011]: the line `outputs` names 2 outputs, not 1".to_owned()),
    ];
    for (text, expected) in cases {
        assert_eq!(fault(text), expected, "{text}");
    }
    let target = and_complement();
    let expected = "1: error[C006]: there is no operation `AOI22`\n   = target: t\n   = help: did you mean `AOI21`?";
    assert_eq!(fault_for("y0 = AOI22(x0, x1, x2)", Some(&target)), expected);
}

#[test]
fn expressions_too_deep_to_read_are_refused() {
    let told =
        "error[C013]: an expression goes deeper than 500 operators\n   = help: give its parts names of their own";
    assert_eq!(fault(&format!("y0 = {}x0", "~(".repeat(100_000))), format!("1: {told}"));
    assert_eq!(fault(&format!("y0 = x0{}", " ^ x1".repeat(100_000))), format!("1: {told}"));
    assert_eq!(one(&format!("y0 = {}x0{}", "~(".repeat(200), ")".repeat(200))).circuit.gates.len(), 0);
    assert_eq!(one(&format!("y0 = x0{}", " ^ x1".repeat(500))).circuit.gates.len(), 500);
}

#[test]
fn no_text_makes_the_reader_fail_otherwise_than_by_an_error() {
    let mut state = 7u32;
    let mut random = |n: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % n
    };
    let pieces =
        ["x0", "t1", "y0", " ", "\n", "=", "&", "^=", "|", "~", "(", ")", ",", ";", "lut(", "0x96", "1", "/*", "*/"];
    let further = ["circuit n: 2 -> 1\n", "table 0 1 1 0\n", "outputs t1\n", "\u{e9}", "[", "x[1]", "#", "\\"];
    for _ in 0..6_000 {
        let text: String = (0..random(14))
            .map(|_| if random(4) == 0 { further[random(further.len())] } else { pieces[random(pieces.len())] })
            .collect();
        if let Ok(documents) = parse(&text, None, None) {
            assert_eq!(parse(&print(&documents), None, None).as_ref(), Ok(&documents), "{text:?}");
        }
    }
}
