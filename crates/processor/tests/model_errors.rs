//! Wrong models: each error to the letter.

use processor::model::{check, load};

const ISA: &str = r#"
title = "Toy"
source = "made up"
confidence = "assumed"
word_bits = 32
byte_order = "little"
arguments = ["r1"]
instruction = [
  { name = "add", class = "ALU", form = "d:gr = a:gr, b:gr", assembly = "add {d},{a},{b}", semantics = "d = a + b" },
  { name = "load", class = "LOAD", form = "d:gr = a:gr", assembly = "load {d},({a})", semantics = "d = load32(a)" },
]
[registers.gr]
bits = 32
usable = ["r1-r8"]
zero = "r0"
"#;

const PROCESSOR: &str = r#"title = "Toy"
isa = "toy"
source = "made up"
[ports]
groups = { A = 1, M = 1 }
[issue]
width = 2
[class.ALU]
ports = ["A", "M"]
latency = 1
[class.LOAD]
ports = ["M"]
latency = 2
"#;

fn text(errors: &[program::Diagnostic]) -> String {
    errors.iter().map(|e| format!("{e}\n")).collect()
}

/// What `check` says of the toy with a piece of a file replaced.
fn checked(isa: (&str, &str), processor: (&str, &str)) -> String {
    for (whole, part) in [(ISA, isa.0), (PROCESSOR, processor.0)] {
        assert!(whole.contains(part), "{part}");
    }
    let isas = [("toy".to_owned(), ISA.replacen(isa.0, isa.1, 1))];
    let processors = [("toy".to_owned(), PROCESSOR.replacen(processor.0, processor.1, 1))];
    text(&check(&isas, &processors, "toy"))
}

/// The same with a change of the processor only, or of the instruction set only.
fn of_processor(from: &str, to: &str) -> String {
    checked(("", ""), (from, to))
}

fn of_isa(from: &str, to: &str) -> String {
    checked((from, to), ("", ""))
}

#[test]
fn the_toy_is_free_of_contradictions() {
    assert_eq!(checked(("", ""), ("", "")), "");
}

#[test]
fn files_that_cannot_be_read() {
    assert_eq!(
        of_processor("width = 2", "wdth = 2"),
        "error[M001]: the file cannot be read: unknown field `wdth`, expected one of `width`, `block`, `source`, `confidence`\n  \
         --> processors/toy.toml:7:1\n"
    );
    assert_eq!(
        of_processor("source = \"made up\"", "source = \"made up\"\nconfidence = \"sure\""),
        "error[M001]: the file cannot be read: unknown variant `sure`, expected one of `documented`, `inferred`, \
         `assumed`, `hypothetical`\n  --> processors/toy.toml:4:14\n"
    );
    assert_eq!(
        of_processor("isa = \"toy\"", "isa = \"ty\""),
        "error[M004]: there is no instruction set `ty`\n  --> processors/toy.toml:2:7\n   = help: did you mean `toy`? \
         (known: toy)\n"
    );
    assert_eq!(
        of_processor("isa = \"toy\"", "inherits = \"toys\""),
        "error[M002]: there is no processor `toys`\n  --> processors/toy.toml:2:12\n   = help: did you mean `toy`? \
         (known: toy)\n"
    );
    assert_eq!(
        of_processor("isa = \"toy\"", "inherits = \"toy\""),
        "error[M003]: `toy` inherits itself\n  --> processors/toy.toml:2:12\n"
    );
    assert_eq!(
        of_isa("\"little\"", "\"middle\""),
        "error[M014]: the byte order `middle` is neither `little` nor `big`\n  --> isas/toy.toml:6:14\n"
    );
}

#[test]
fn what_a_processor_inherits() {
    let isas = [("toy".to_owned(), ISA.to_owned())];
    let with = |mine: &str, base: &str| {
        text(&check(&isas, &[("mine".to_owned(), mine.to_owned()), ("base".to_owned(), base.to_owned())], "mine"))
    };
    assert_eq!(
        with("title = \"Mine\"\nsource = \"made up\"\n", PROCESSOR),
        "error[M026]: the processor has neither `isa` nor `inherits`\n  --> processors/mine.toml:1:1\n"
    );
    assert_eq!(
        with("title = \"Mine\"\nisa = \"other\"\ninherits = \"base\"\n", PROCESSOR),
        "error[M027]: `isa` is `other`, but what it inherits is of `toy`\n  --> processors/mine.toml:2:7\n"
    );
}

#[test]
fn features_recipes_and_caches() {
    let parameter = "\n[parameters.turn]\nmeaning = \"rotations\"\ndefault = \"no\"\nvalues = [\"no\", \"yes\"]\n\
                     source = \"made up\"\n[features.turn]\nmaybe = []\n";
    assert_eq!(
        of_processor("source = \"made up\"\n", &format!("source = \"made up\"\n{parameter}")),
        "error[M029]: `maybe` is not a value of the parameter `turn`\n  --> processors/toy.toml:10:1\n   \
         = help: values: no, yes\n"
    );
    let recipe = "[[recipe]]\nname = \"double\"\ncomputes = \"x * 2\"\nsteps = [\"result = add x, x\"]\n";
    assert_eq!(
        of_isa("[registers.gr]", &format!("{recipe}{recipe}[registers.gr]")),
        "error[M047]: the recipe `double` is there twice\n  --> isas/toy.toml:16:1\n"
    );
    assert_eq!(
        of_processor("[issue]", "[cache]\nbytes = 96\nline = 16\nways = 2\nmiss = 9\n[issue]"),
        "error[M056]: 96 bytes are no power of two of sets of 2 lines of 16 bytes\n  --> processors/toy.toml:6:1\n"
    );
}

#[test]
fn numbers_that_cannot_be_zero() {
    assert_eq!(
        of_processor("latency = 2", "latency = 2\nslots = 0"),
        "error[M057]: the class `LOAD` takes 0 issue slots\n  --> processors/toy.toml:11:1\n"
    );
    assert_eq!(
        of_isa("{ name = \"load\",", "{ name = \"load\", size = 0,"),
        "error[M070]: the instruction `load` has size 0\n  --> isas/toy.toml:10:3\n"
    );
    let queues = "[out_of_order]\ninsert = 4\nentries = [8, 8]\nlaunch = [0, 2]\nretire = [2, 2]\nstores = 1\n\
                  store_to_load = 3\n[issue]";
    assert_eq!(
        of_processor("[issue]", queues),
        "error[M062]: a queue that takes, launches or retires 0 never moves\n  --> processors/toy.toml:6:1\n"
    );
}

#[test]
fn ports_classes_and_latencies() {
    assert_eq!(
        of_processor("ports = [\"M\"]", "ports = 7"),
        "error[M048]: `ports` is not a list of ports\n  --> processors/toy.toml:12:9\n"
    );
    let without = PROCESSOR.replace("[ports]\ngroups = { A = 1, M = 1 }\n", "").replace("width = 2", "width = 0");
    let without = without.replace("[\"A\", \"M\"]", "[]").replace("[\"M\"]", "[]");
    let errors = check(&[("toy".to_owned(), ISA.to_owned())], &[("toy".to_owned(), without)], "toy");
    assert!(errors.iter().any(|e| e.to_string() == "error[M059]: the processor `toy` has no ports"), "{errors:?}");

    assert_eq!(
        of_processor("ports = [\"M\"]", "ports = [\"N\"]"),
        "error[M018]: there is no port `N`\n  --> processors/toy.toml:12:9\n   = help: known: A, M, A0, M0\n"
    );
    assert_eq!(
        of_processor("ports = [\"M\"]", "ports = [\"M:2\"]"),
        "error[M049]: `M:2` asks for 2 of the 1 ports of `M`\n  --> processors/toy.toml:12:9\n"
    );
    assert_eq!(
        of_processor("ports = [\"M\"]", "ports = []"),
        "error[M035]: the class `LOAD` has no port: its instructions could never issue\n  --> processors/toy.toml:11:1\n"
    );
    assert_eq!(
        of_processor("latency = 2", "latency = 0"),
        "error[M034]: the class `LOAD` has latency 0: its results would be there before they are computed\n  \
         --> processors/toy.toml:11:1\n"
    );
    assert_eq!(
        of_processor("latency = 2", "latency = \"$slow\""),
        "error[M008]: there is no parameter `slow`\n  --> processors/toy.toml:13:11\n   = help: none is known\n"
    );
    assert_eq!(
        of_processor("ports = [\"M\"]\nlatency = 2", "ports = [\"M\"]"),
        "error[M017]: the class `LOAD` has no `latency`\n  --> processors/toy.toml:11:1\n"
    );
    assert_eq!(
        of_processor("[class.LOAD]", "[class.LOADS]"),
        "error[M020]: the instruction `load` is of class `LOAD`, which the processor lacks\n  \
         --> processors/toy.toml:1:1\n   = help: did you mean `LOADS`? (known: ALU, LOADS)\n"
    );
    assert_eq!(
        of_processor("[class.LOAD]", "[class.MUL]\nports = [\"A\"]\nlatency = 3\n[class.LOAD]"),
        "error[M036]: the class `MUL` has no instruction\n  --> processors/toy.toml:11:1\n"
    );
    assert_eq!(
        of_processor("width = 2", "width = 3"),
        "error[M039]: 3 instructions issue in a cycle, but there are 2 ports\n  --> processors/toy.toml:6:1\n"
    );
    assert_eq!(
        of_processor("M = 1 }", "M = 1, F = 1 }"),
        "error[M058]: the port `F0` takes no class\n  --> processors/toy.toml:4:1\n"
    );
}

#[test]
fn entries_without_a_source() {
    let found = of_processor("source = \"made up\"\n", "");
    let help = "   = help: add `source` and `confidence` (documented, inferred, assumed or hypothetical), here or for \
                the whole file\n";
    assert_eq!(
        found,
        format!(
            "error[M032]: the list of ports has no source\n  --> processors/toy.toml:3:1\n{help}\
             error[M032]: the issue width has no source\n  --> processors/toy.toml:5:1\n{help}\
             error[M032]: the class `ALU` has no source\n  --> processors/toy.toml:7:1\n\
             error[M032]: the class `LOAD` has no source\n  --> processors/toy.toml:10:1\n"
        )
    );
}

#[test]
fn bypasses() {
    let with =
        |bypass: &str| of_processor("latency = 2\n", &format!("latency = 2\n[[bypass]]\n{bypass}\nlatency = 1\n"));
    assert_eq!(
        with("from = [\"LAOD\"]\nto = [\"ALU\"]"),
        "error[M019]: the bypass names `LAOD`, which is no class\n  --> processors/toy.toml:15:9\n   = help: did you mean \
         `LOAD`? (known: ALU, LOAD)\n"
    );
    assert_eq!(
        with("from = [\"ALU\"]\nto = [\"LOAD\"]\noperand = \"b\""),
        "error[M061]: the bypass is about the operand `b`, which no instruction of `LOAD` has\n  \
         --> processors/toy.toml:14:1\n"
    );
    assert_eq!(
        with("from = [\"ALU\"]\noutput = \"e\"\nto = [\"LOAD\"]"),
        "error[M060]: the bypass is about the output `e`, which no instruction of `ALU` has\n  \
         --> processors/toy.toml:14:1\n"
    );
    assert_eq!(
        with("from = []\nto = [\"LOAD\"]"),
        "error[M037]: the bypass is about no class\n  --> processors/toy.toml:14:1\n"
    );
    assert_eq!(with("from = [\"*\"]\nto = [\"!ALU\"]\noperand = \"a\""), "");
}

#[test]
fn parameters() {
    let with = |text: &str| of_processor("[ports]", &format!("{text}\n[ports]"));
    let fields = "meaning = \"cycles\"\ndefault = 1\nvalues = [1, 2]";
    assert_eq!(
        with(&format!("[parameters.x]\n{fields}")),
        "error[M038]: nothing depends on the parameter `x`\n  --> processors/toy.toml:4:1\n"
    );
    assert_eq!(
        with("[parameters.x]\ndefault = 1"),
        "error[M005]: the parameter `x` needs `meaning`, `default` and `values`\n  --> processors/toy.toml:4:1\n"
    );
    assert_eq!(
        with(&format!("[parameters.x]\n{}", fields.replace("= 1\n", "= 3\n"))),
        "error[M028]: the default `3` of `x` is not among its values\n  --> processors/toy.toml:4:1\n   = values: 1, 2\n"
    );
    assert_eq!(
        with("[features.x]\non = []"),
        "error[M030]: there is no parameter `x` to switch features\n  --> processors/toy.toml:4:1\n   = help: none is \
         known\n"
    );
    let files = |isa: &str| [("toy".to_owned(), isa.to_owned())];
    let given = [("width".to_owned(), "3".to_owned())];
    let error = load(&files(ISA), &files(PROCESSOR), "toy", &given).expect_err("no parameter");
    assert_eq!(
        error.to_string(),
        "error[M006]: the processor `toy` has no parameter `width`\n   = help: none is known"
    );
}

#[test]
fn instructions() {
    let add = "{ name = \"add\", class = \"ALU\", form = \"d:gr = a:gr, b:gr\", assembly = \"add {d},{a},{b}\", semantics = \"d = a + b\" }";
    let with = |from: &str, to: &str| {
        assert!(add.contains(from), "{from}");
        of_isa(add, &add.replacen(from, to, 1))
    };
    assert_eq!(
        with("b:gr", "b:fr"),
        "error[M011]: the form of `add` is wrong: there is no register class `fr`\n  --> isas/toy.toml:9:41\n   = help: \
         known: gr\n"
    );
    assert_eq!(
        with("b:gr", "b:5..3"),
        "error[M011]: the form of `add` is wrong: `5..3` is not a range of numbers\n  --> isas/toy.toml:9:41\n   = help: \
         write `name:class` for a register or `name:0..63` for a number\n"
    );
    assert_eq!(
        with("b:gr", "a:gr"),
        "error[M011]: the form of `add` is wrong: the operand `a` is listed twice on one side\n  --> isas/toy.toml:9:41\n"
    );
    assert_eq!(
        with("d = a + b", "d = a +* b"),
        "error[M101]: the semantics of `add` cannot be read: a name, a number or `(` is expected here, found `*`\n  \
         --> isas/toy.toml:9:112\n"
    );
    assert_eq!(
        with("{d},{a},{b}", "{d},{a}"),
        "error[M041]: the assembly text of `add` lacks the operand `b`\n  --> isas/toy.toml:9:3\n"
    );
    assert_eq!(
        with("{d},{a},{b}", "{d},{a},{b},{c}"),
        "error[M063]: the assembly text of `add` has `{c}`, which is no operand\n  --> isas/toy.toml:9:3\n"
    );
    assert_eq!(
        with("d = a + b", "d = a + a"),
        "error[M064]: the semantics of `add` does not read the operand `b`\n  --> isas/toy.toml:9:3\n"
    );
    assert_eq!(
        with("d = a + b", "d = a + b + c"),
        "error[M066]: the semantics of `add` reads `c`, which is no operand that is read\n  --> isas/toy.toml:9:3\n"
    );
    assert_eq!(
        with("d = a + b", "e = a + b"),
        "error[M065]: the semantics of `add` does not assign the operand `d`\n  --> isas/toy.toml:9:3\n\
         error[M067]: the semantics of `add` assigns `e`, which is no operand that is written\n  --> isas/toy.toml:9:3\n"
    );
    assert_eq!(
        with("d = a + b\"", "d = a + b\", where = \"b + n < 3\""),
        "error[M091]: the condition of `add` reads `b`, which is no number of its form\n  --> isas/toy.toml:9:3\n\
         error[M091]: the condition of `add` reads `n`, which is no number of its form\n  --> isas/toy.toml:9:3\n"
    );
    assert_eq!(
        with("d = a + b", "d = a + b; d = a"),
        "error[M042]: the semantics of `add` assigns `d` twice\n  --> isas/toy.toml:9:3\n"
    );
    assert_eq!(
        with("d = a + b\"", "d = a + b; jump = a\""),
        "error[M043]: the semantics of `add` assigns `jump`, but its control is `none`\n  --> isas/toy.toml:9:3\n"
    );
    assert_eq!(
        with("d = a + b\"", "d = a + b\", control = \"counted\""),
        "error[M068]: the control of `add` is `counted`, but its semantics does not assign `jump`\n  \
         --> isas/toy.toml:9:3\nerror[M069]: the assembly text of the branch `add` has no `{target}`\n  \
         --> isas/toy.toml:9:3\n"
    );
    assert_eq!(
        with("d = a + b\"", "d = a + b\", control = \"loop\""),
        "error[M012]: there is no flow of control `loop`\n  --> isas/toy.toml:9:127\n   = help: known: none, return, \
         counted, rotating, conditional, nullify\n"
    );
    assert_eq!(
        with("d = a + b\"", "d = a + b\", expansion = \"mul {d},{a}\""),
        "error[M044]: the expansion of `add` uses `mul`, which is no instruction\n  --> isas/toy.toml:9:3\n"
    );
    assert_eq!(
        of_isa("name = \"load\"", "name = \"add\""),
        "error[M015]: the instruction `add` is there twice\n  --> isas/toy.toml:10:3\n"
    );
    assert_eq!(
        of_isa(add, &format!("{add},\n{}", add.replace("\"add\"", "\"sum\"").replace("a + b", "b + a"))),
        "error[M040]: `sum` is written as `add`, operands and all\n  --> isas/toy.toml:10:1\n"
    );
}

#[test]
fn registers() {
    assert_eq!(
        of_isa("[\"r1-r8\"]", "[\"r1-f8\"]"),
        "error[M031]: `r1-f8` is not a register or a range of registers\n  --> isas/toy.toml:14:11\n   = help: write \
         \"r8\" or \"r14-r31\"\n"
    );
    assert_eq!(
        of_isa("[\"r1-r8\"]", "[\"r1-r8\", \"r3\"]"),
        "error[M046]: the register `r3` is listed twice\n  --> isas/toy.toml:14:20\n"
    );
    assert_eq!(
        of_isa("bits = 32\nusable", "bits = 65\nusable"),
        "error[M010]: the register class `gr` has 65 bits, possible are 1 to 64\n  --> isas/toy.toml:12:1\n"
    );
    assert_eq!(
        of_isa("[\"r1-r8\"]", "[\"r0-r8\"]"),
        "error[M033]: the register `r0` of `gr` is always 0, but listed as usable\n  --> isas/toy.toml:12:1\n"
    );
    assert_eq!(
        of_isa("arguments = [\"r1\"]", "arguments = [\"r9\"]"),
        "error[M033]: the argument register `r9` is in no register class\n  --> isas/toy.toml:1:1\n"
    );
    let abi = |stack: &str, argument: &str, most: u32| {
        let text = format!(
            "[abi]\nname = \"toy\"\nsource = \"its manual\"\narguments = [\"{argument}\"]\nstack = \"{stack}\"\nalignment = 8\n\
             most = {most}\nopen = \"\"\nclose = \"\"\nsave = \"\"\nrestore = \"\"\ncopy = \"\"\nadd = \"\"\naddress = []\n\
             return = \"\"\nhead = []\nfoot = []\ntables = []\n\n[registers.gr]"
        );
        of_isa("[registers.gr]", &text)
    };
    assert_eq!(
        abi("r3", "r1", 64),
        "error[M033]: the stack pointer `r3` is a register that kernels use\n  --> isas/toy.toml:12:1\n"
    );
    assert_eq!(
        abi("sp", "r9", 64),
        "error[M033]: the argument register `r9` is in no register class\n  --> isas/toy.toml:12:1\n"
    );
    assert_eq!(
        abi("sp", "r1", 60),
        "error[M033]: frames grow by at most 60 bytes, which is no multiple of the alignment 8, a power of two\n  \
         --> isas/toy.toml:12:1\n"
    );
}

#[test]
fn held_ports() {
    let of = |class: &str| of_processor("[class.LOAD]\nports = [\"M\"]\n", class);
    assert_eq!(
        of("[class.LOAD]\nports = [\"M\"]\nheld = 2\n"),
        "error[M045]: the class `LOAD` holds `second` ports for 2 cycles, but has none\n  --> processors/toy.toml:11:1\n\
         error[M071]: the class `LOAD` holds ports, which only processors do that issue in the order of a text of one \
         operation per line\n  --> processors/toy.toml:11:1\n"
    );
    let whole = "groups = { A = 1, M = 1 }\n[issue]\nwidth = 2\n[class.ALU]\nports = [\"A\", \"M\"]\nlatency = 1\n\
                 [class.LOAD]\nports = [\"M\"]\n";
    let two = |second: &str| {
        let text = "[text]\ncomment = \"#\"\nhead = []\nfoot = []\n[registers.gr]";
        let classes =
            format!("[class.ALU]\nports = [\"A\"]\nsecond = {second}\nlatency = 1\n[class.LOAD]\nports = [\"A\"]\n");
        let all = format!("groups = {{ A = 2, R = 2 }}\n[issue]\nwidth = 2\n{classes}second = [\"R\"]\nheld = 2\n");
        checked(("[registers.gr]", text), (whole, &all))
    };
    assert_eq!(two("[\"R\"]"), "");
    assert_eq!(two("[[\"R0\"], [\"R1\"]]"), "");
    assert_eq!(
        two("[\"R0\"]"),
        "error[M072]: the class `LOAD` holds one of several ports of which `ALU` takes a part: which one is held would \
         matter\n  --> processors/toy.toml:12:1\n"
    );
}

#[test]
fn recipes() {
    let with = |step: &str| {
        let recipe =
            format!("[[recipe]]\nname = \"double\"\ncomputes = \"x * 2\"\nsteps = [\"{step}\"]\n[registers.gr]");
        of_isa("[registers.gr]", &recipe)
    };
    assert_eq!(with("d = add x, x"), "");
    assert_eq!(
        with("d = dbl x"),
        "error[M013]: the recipe `double` uses `dbl`, which is no instruction\n  --> isas/toy.toml:15:10\n   = help: \
         known: add, load\n"
    );
}
