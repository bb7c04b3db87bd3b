//! How operations become instructions: templates of the file of an instruction set.
//!
//! In a template `{0}` is a place of the instruction, as in its lines, and `$name` something that the selection fills in.

use serde::Deserialize;

/// Instructions that stay together, before their lines are read.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Group {
    /// Lines.
    pub lines: Vec<String>,
    /// How many of the sources have results in their register.
    pub tied: usize,
    /// Other results.
    pub outs: usize,
    /// Registers that it needs besides.
    pub temps: usize,
    /// Places that need registers which instructions with numbers reach.
    pub upper: Vec<u32>,
    /// Results are made before the last source is read.
    pub early: bool,
    /// The first tied source and the first other source may change places.
    pub commutative: bool,
    /// Results that want to be the halves of a word, the upper one first.
    pub word: bool,
    /// Orders may keep such groups together that have the same `$label`.
    pub shared: bool,
    /// Numbers that are read behind the sources.
    pub numbers: Vec<String>,
    /// The order in which the sources are taken, if not as they come.
    pub order: Vec<usize>,
}

/// An operation on two bytes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BinaryTemplate {
    /// Lines; the first operand is tied, the second one `{1}`.
    pub lines: Vec<String>,
    /// Lines if the second operand is `$number`; without them a number is read as any operand.
    pub number: Option<Vec<String>>,
    /// A line in the stead of the lines if the second operand is `$number` and the register one that numbers reach.
    pub immediate: Option<String>,
    /// The operands may change places.
    #[serde(default)]
    pub commutative: bool,
}

/// Shifts of a byte by a number of bits.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Shifts {
    /// By one bit to the left.
    pub left: String,
    /// By one bit to the right.
    pub right: String,
    /// Exchanges the nibbles; shifts by four bits and more begin with it.
    pub nibbles: Option<String>,
    /// By more bits it is a rotation whose other bits are cleared.
    pub bits: u32,
    /// Keeps the bits of `$number` after such a rotation; else an operation of its own does.
    pub mask: Option<String>,
}

/// Comparisons of words: lines at the beginning, for the first byte, for others, at the end; `$a` and `$b` are the bytes.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Comparison {
    /// At the beginning.
    pub begin: Vec<String>,
    /// For the first byte.
    pub first: Vec<String>,
    /// For each other byte.
    pub next: Vec<String>,
    /// At the end.
    pub end: Vec<String>,
}

/// Comparisons by kind.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comparisons {
    /// Equal.
    pub eq: Comparison,
    /// Not equal.
    pub ne: Comparison,
    /// Less than.
    pub ltu: Comparison,
    /// Places that need registers which instructions with numbers reach.
    #[serde(default)]
    pub upper: Vec<u32>,
    /// The result is made before the last byte is read.
    #[serde(default)]
    pub early: bool,
}

/// Look-ups in tables that begin at `$label`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LookUps {
    /// Of an entry `$number` that is known.
    pub known: Option<Group>,
    /// In a table of at most 256 bytes.
    pub page: Group,
    /// In a longer one, by a low and a high byte.
    pub long: Group,
    /// The register in which an address is made: a sum that only a look-up reads is made in it.
    pub sum: Option<String>,
    /// Such a sum is made there if one of its operands is loaded for it alone, which is loaded there as well.
    #[serde(default)]
    pub loaded: bool,
}

/// Sums of words: bytes `$from` or `$number` added to `$to`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sums {
    /// The lowest byte of a sum.
    pub add: Vec<String>,
    /// Its other bytes.
    pub add_carry: Vec<String>,
    /// The lowest byte of a difference.
    pub sub: Vec<String>,
    /// Its other bytes.
    pub sub_carry: Vec<String>,
    /// The lowest byte of a sum with a number.
    pub add_number: Option<Vec<String>>,
    /// Other bytes of such a sum.
    pub add_number_carry: Option<Vec<String>>,
    /// Other bytes of a difference with a number.
    pub sub_number_carry: Option<Vec<String>>,
    /// Bytes of numbers that are in registers at once.
    #[serde(default)]
    pub numbers: usize,
    /// Makes a number in `$to` and leaves the carry.
    #[serde(default)]
    pub number: String,
}

/// Products whose bytes are in two registers, added up by columns.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Columns {
    /// Multiplies `$from` and `$by`.
    pub multiply: String,
    /// The registers of a product, the low byte first.
    pub registers: [String; 2],
    /// Copies.
    pub copy: String,
}

/// A shift or a rotation of a word by one bit through the carry.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Turn {
    /// Of a rotation: makes the carry of the byte `$to` that the first byte gets a bit from.
    pub open: Vec<String>,
    /// The first byte.
    pub first: Vec<String>,
    /// Other bytes, and the first one of a rotation that the carry was made for.
    pub next: Vec<String>,
    /// Of a rotation: puts the bit that the last byte shifts out into the byte `$to`; `$zero` is a zero.
    pub close: Vec<String>,
}

/// Shifts and rotations of words.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turns {
    /// To the left.
    pub left: Turn,
    /// To the right.
    pub right: Turn,
    /// From so many bits on rotations are a whole byte less some bits the other way.
    pub back: u32,
    /// And shifts.
    pub back_shift: u32,
    /// From so many bits on bytes are rotated and exchange bits under a mask.
    #[serde(default = "never")]
    pub masked: u32,
    /// Rotates four bytes by the bits whose power of two is the last source.
    pub spread: Option<Group>,
    /// Rotates four bytes by the last source; by whole bytes alone where `power` or `spread` do the rest.
    pub by: Group,
    /// The power of two of the lower bits of an amount.
    pub power: Option<Group>,
    /// That power is looked up and the last source of `by`.
    #[serde(default)]
    pub powers: bool,
}

fn never() -> u32 {
    9
}

/// A register that is a pointer for a whole loop.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// Its name.
    pub register: String,
    /// The register of its low byte.
    pub low: String,
    /// The register of its high byte.
    pub high: String,
    /// Copies it into the register of addresses, where accesses cannot use it itself.
    #[serde(default)]
    pub copied: Vec<String>,
}

/// A step of a pointer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// How far it goes; as far as it has to if not said.
    pub by: Option<i64>,
    /// The line.
    pub line: String,
}

/// How a byte of memory is accessed; `$value` is its register.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accesses {
    /// At `$object` and `$at`, in `$bits` bits.
    pub direct: String,
    /// At `$register`.
    pub pointed: Option<String>,
    /// At `$register` and `$distance`.
    pub displaced: String,
}

/// Addresses in registers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddressRegisters {
    /// The register of addresses.
    pub register: String,
    /// Puts `$from` into its low byte.
    pub low: String,
    /// Puts `$from` into its high byte.
    pub high: String,
    /// Clears its high byte.
    pub clear: String,
    /// Doubles it.
    pub double: Vec<String>,
    /// Adds `$object` and `$at`; empty where displacements hold objects.
    #[serde(default)]
    pub object: Vec<String>,
    /// Loads.
    pub load: Accesses,
    /// Stores.
    pub store: Accesses,
    /// Registers that are pointers for a whole loop, the best first.
    pub pins: Vec<Pin>,
    /// Sets such a one to `$object` and `$base`.
    pub set: Vec<String>,
    /// Up to so far it moves by `forward` and `back`.
    pub near: i64,
    /// Moves it on.
    pub forward: Vec<Step>,
    /// Moves it back.
    #[serde(default)]
    pub back: Vec<Step>,
    /// Moves it by `$low_by` and `$high_by`, or less `$minus`.
    pub far: Vec<String>,
    /// Copies it into two values.
    pub copy: Group,
    /// Makes its start, the low and the high byte; where they are missing it is a number.
    #[serde(default)]
    pub start: Vec<Group>,
    /// Moves two values by `$low_by` and `$high_by`, or less `$minus`.
    pub moved: Group,
}

/// Addresses.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Addresses {
    /// Bytes that a displacement reaches.
    pub reach: i64,
    /// A pointer stands for an address in one object; else it is a sum of indices, and displacements hold objects.
    #[serde(default)]
    pub objects: bool,
    /// Registers that no value has.
    #[serde(default)]
    pub reserved: Vec<String>,
    /// Addresses in registers; without them the allocator makes the addresses.
    pub registers: Option<AddressRegisters>,
    /// Moves a pointer that wraps around.
    pub around: Group,
}

/// Stores to an array of which only some rows are kept.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Windows {
    /// At the beginning: `$first` holds the number of the first row that is kept.
    #[serde(default)]
    pub begin: Vec<String>,
    /// Takes the row `$number`.
    pub number: String,
    /// Takes the row `$value`.
    pub value: String,
    /// Branches to `end` unless it is among the `$rows` kept.
    pub test: Vec<String>,
    /// Makes an address of the row, of `$size` bytes.
    pub row: Vec<String>,
    /// Doubles it, as often as the size needs.
    #[serde(default)]
    pub double: Vec<String>,
    /// Adds the column `$value`.
    pub column: Vec<String>,
    /// Adds `$object` and `$at`.
    #[serde(default)]
    pub base: Vec<String>,
    /// Stores the first `$value`.
    pub first: Vec<String>,
    /// Stores another one, `$distance` bytes further.
    pub next: Vec<String>,
    /// Stores to the only row that is kept.
    pub only: Option<String>,
    /// At the end.
    pub end: String,
}

/// What the steps of a product with a matrix cost in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    /// An exclusive or.
    pub xor: f64,
    /// A product with x or 1/x in place.
    pub double: f64,
    /// A copy where a value is needed again.
    pub copy: f64,
}

/// How operations become instructions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Selection {
    /// Loads `$number`.
    pub number: Group,
    /// Conjunction.
    pub and: BinaryTemplate,
    /// Disjunction.
    pub or: BinaryTemplate,
    /// Exclusive or.
    pub xor: BinaryTemplate,
    /// Sum.
    pub add: BinaryTemplate,
    /// Difference.
    pub sub: BinaryTemplate,
    /// Sums with numbers are differences.
    #[serde(default)]
    pub subtracts_numbers: bool,
    /// The complement; without it an exclusive or.
    pub complement: Option<String>,
    /// The negative.
    pub negative: Vec<String>,
    /// Rotations of a byte to the left by 1 to 7 bits; `{1}` is a zero.
    pub rotate: [Vec<String>; 7],
    /// Shifts of a byte.
    #[serde(default)]
    pub shift: Shifts,
    /// Times x in GF(2^8), modulo `$number`; without it by a table.
    pub double: Option<Group>,
    /// Divided by x in GF(2^8); `$number` is 1/x.
    pub halve: Option<Group>,
    /// The low byte of a product.
    pub multiply: Option<Group>,
    /// Both bytes of a product.
    pub product: Option<Group>,
    /// Products of words by columns.
    pub columns: Option<Columns>,
    /// Look-ups.
    pub look_up: LookUps,
    /// How a byte of a table is loaded (`$load`), by the memory that it lies in.
    #[serde(default)]
    pub load: std::collections::BTreeMap<String, String>,
    /// Comparisons.
    pub compare: Comparisons,
    /// The second source if the bit in the third is 1, else the first; without it by a mask.
    pub choose: Option<Group>,
    /// Bit `$from` of the second source put into the first as its bit `$to`; without it by shifts and masks.
    pub bit: Option<Group>,
    /// Words are changed by one instruction each, not by parts between which copies may come.
    #[serde(default)]
    pub joined: bool,
    /// Sums of words.
    pub sums: Sums,
    /// Shifts and rotations of words.
    pub turns: Turns,
    /// Addresses.
    pub addresses: Addresses,
    /// Stores to windows.
    pub window: Windows,
    /// Costs of products with matrices.
    pub weights: Weights,
}
