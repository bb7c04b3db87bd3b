//! What the file of an instruction set says of code within a budget of RAM.

use program::Diagnostic;
use serde::Deserialize;

use crate::isa::Isa;

/// The table `budget` of the file of an instruction set.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BudgetRecord {
    /// Bytes of program memory for code and tables.
    pub code: u32,
    /// Tables begin at multiples of so many bytes.
    #[serde(default = "one")]
    pub table_multiple: u32,
    /// Bytes that may lie unused before the first table.
    #[serde(default)]
    pub table_gap: u32,
    /// The memory of tables, where there are several.
    #[serde(default)]
    pub tables: String,
    /// Objects that short addresses reach while instructions are selected, by the ends of their names.
    #[serde(default)]
    pub near: Vec<String>,
    /// Objects in internal memory that is reached by pointers alone, by parts of their names.
    #[serde(default)]
    pub internal: Vec<String>,
    /// Addresses are bytes.
    #[serde(default)]
    pub small: bool,
    /// Objects take multiples of so many bytes.
    #[serde(default = "one")]
    pub object_multiple: u32,
    /// Bytes of RAM for values at most where nothing else limits them, where such bytes are registers.
    #[serde(default)]
    pub direct: u32,
    /// The block is loaded and stored where that suits, unless values fit only if it is so at the ends.
    #[serde(default)]
    pub block_anywhere: bool,
    /// What calls take of the stack.
    pub stack: StackRecord,
    /// The functions that call inner ones.
    pub driver: DriverRecord,
    /// Where objects lie, if addresses differ in length.
    pub objects: Option<PlacementRecord>,
}

impl Isa {
    /// What is said of code within a budget of RAM.
    ///
    /// # Errors
    /// `E135`: nothing.
    pub fn budget_record(&self) -> Result<&BudgetRecord, Diagnostic> {
        let refused = || Diagnostic::new("E135", "the instruction set says nothing of budgets of RAM");
        self.budget.as_ref().ok_or_else(|| refused().help("describe them in its table `[budget]`"))
    }
}

impl BudgetRecord {
    /// Bytes of stack of a function that saves all registers that it has to, with its return address.
    #[must_use]
    pub fn stack_bytes(&self, isa: &Isa) -> u32 {
        self.stack.registers + self.stack.saved * isa.registers.saved.len() as u32 + self.stack.address
    }
}

/// Bytes of the stack.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StackRecord {
    /// Of a return address.
    pub address: u32,
    /// Of a register that is saved.
    #[serde(default)]
    pub saved: u32,
    /// Of registers that lie in RAM.
    #[serde(default)]
    pub registers: u32,
}

/// The lines of functions that call inner ones.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DriverRecord {
    /// Calls `{function}`.
    pub call: String,
    /// Stores `{number}` in the byte `{place}`.
    pub number: Vec<String>,
    /// All registers that have to be saved are saved, whether inner functions change them or not.
    #[serde(default)]
    pub saves_all: bool,
}

/// Which objects short addresses reach.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacementRecord {
    /// Bytes that short addresses reach.
    pub near: u32,
    /// Ends of names in the order in which objects get places; others come last.
    pub order: Vec<String>,
    /// So many of `order` have to be near and others are not; else whatever still has room there is.
    pub always_near: Option<usize>,
    /// Bytes of RAM for all objects.
    pub all: Option<u32>,
}

fn one() -> u32 {
    1
}
