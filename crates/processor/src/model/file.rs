//! What stands in `isas/*.toml` and `processors/*.toml`, field by field; a field that is not here is an error.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use crate::isa::{Abi, Binutils, Confidence, Emulator};

/// An entry of a file by its name, with its place.
pub type Table<T> = BTreeMap<String, Spanned<T>>;

/// `isas/NAME.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IsaFile {
    pub title: String,
    pub source: Option<String>,
    pub confidence: Option<Confidence>,
    pub word_bits: Spanned<u8>,
    pub byte_order: Spanned<String>,
    #[serde(default)]
    pub predicated: bool,
    pub instruction_bytes: Option<u8>,
    #[serde(default)]
    pub delay_slots: u8,
    pub return_address: Option<String>,
    pub text: Option<TextEntry>,
    pub binutils: Option<Binutils>,
    pub emulator: Option<Emulator>,
    pub abi: Option<Spanned<Abi>>,
    pub arguments: Vec<String>,
    #[serde(default)]
    pub registers: Table<RegistersEntry>,
    #[serde(default)]
    pub instruction: Vec<Spanned<InstructionEntry>>,
    #[serde(default)]
    pub recipe: Vec<Spanned<RecipeEntry>>,
}

/// How a text is written, one operation per line in the order of issue.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextEntry {
    pub comment: String,
    pub head: Vec<String>,
    pub foot: Vec<String>,
    #[serde(default)]
    pub fillers: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegistersEntry {
    pub bits: u8,
    #[serde(default)]
    pub usable: Vec<Spanned<String>>,
    #[serde(default)]
    pub rotating: Vec<Spanned<String>>,
    #[serde(default)]
    pub saved: Vec<Spanned<String>>,
    pub zero: Option<String>,
    pub source: Option<String>,
    pub confidence: Option<Confidence>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstructionEntry {
    pub name: String,
    pub class: Spanned<String>,
    #[serde(default)]
    pub form: Option<Spanned<String>>,
    pub assembly: Spanned<String>,
    #[serde(default)]
    pub semantics: Option<Spanned<String>>,
    #[serde(default)]
    pub control: Option<Spanned<String>>,
    #[serde(default, rename = "where")]
    pub condition: Option<Spanned<String>>,
    pub size: Option<u8>,
    pub select: Option<bool>,
    pub feature: Option<Spanned<String>>,
    pub expansion: Option<String>,
    pub source: Option<String>,
    pub confidence: Option<Confidence>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecipeEntry {
    pub name: String,
    pub computes: Spanned<String>,
    pub steps: Vec<Spanned<String>>,
    pub source: Option<String>,
    pub confidence: Option<Confidence>,
}

/// `processors/NAME.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessorFile {
    pub title: Option<String>,
    pub isa: Option<Spanned<String>>,
    pub inherits: Option<Spanned<String>>,
    pub source: Option<String>,
    pub confidence: Option<Confidence>,
    #[serde(default)]
    pub parameters: Table<ParameterEntry>,
    #[serde(default)]
    pub features: Table<BTreeMap<String, Vec<String>>>,
    pub ports: Option<Spanned<PortsEntry>>,
    pub issue: Option<Spanned<IssueEntry>>,
    pub multiply: Option<Spanned<MultiplyEntry>>,
    #[serde(default)]
    pub class: Table<ClassEntry>,
    #[serde(default)]
    pub bypass: Vec<Spanned<BypassEntry>>,
    pub out_of_order: Option<Spanned<OutOfOrderEntry>>,
    pub banks: Option<Spanned<BanksEntry>>,
    pub cache: Option<Spanned<CacheEntry>>,
    pub clock: Option<Spanned<ClockEntry>>,
    #[serde(default)]
    pub instruction: Vec<Spanned<InstructionEntry>>,
    #[serde(default)]
    pub recipe: Vec<Spanned<RecipeEntry>>,
}

/// A number, or `"$parameter"`.
pub type Number = Spanned<toml::Value>;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParameterEntry {
    pub meaning: Option<String>,
    pub default: Option<toml::Value>,
    pub values: Option<Vec<toml::Value>>,
    pub fitted: Option<Vec<FittedEntry>>,
    pub source: Option<String>,
    pub confidence: Option<Confidence>,
}

/// Published cycles that a parameter's default was chosen to meet.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedEntry {
    pub paper: String,
    pub target: Option<String>,
    #[serde(default)]
    pub ciphers: Vec<String>,
    #[serde(default)]
    pub operations: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PortsEntry {
    pub groups: BTreeMap<String, Number>,
    pub source: Option<String>,
    pub confidence: Option<Confidence>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IssueEntry {
    pub width: Number,
    pub block: Option<Number>,
    pub source: Option<String>,
    pub confidence: Option<Confidence>,
}

/// Every port so many times, and so many times the issue width.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MultiplyEntry {
    pub ports: u32,
    pub issue: u32,
    pub source: Option<String>,
    pub confidence: Option<Confidence>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassEntry {
    pub ports: Option<Spanned<toml::Value>>,
    pub second: Option<Spanned<toml::Value>>,
    pub held: Option<Number>,
    pub slots: Option<u8>,
    pub latency: Option<Number>,
    pub meaning: Option<String>,
    pub source: Option<String>,
    pub confidence: Option<Confidence>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BypassEntry {
    pub from: Vec<Spanned<String>>,
    pub output: Option<String>,
    pub to: Vec<Spanned<String>>,
    pub operand: Option<String>,
    pub latency: Number,
    pub source: Option<String>,
    pub confidence: Option<Confidence>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutOfOrderEntry {
    pub insert: Number,
    pub entries: (Number, Number),
    pub launch: (Number, Number),
    pub retire: (Number, Number),
    pub stores: Number,
    pub store_to_load: Number,
    pub source: Option<String>,
    pub confidence: Option<Confidence>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BanksEntry {
    pub bytes: Number,
    pub count: Number,
    pub source: Option<String>,
    pub confidence: Option<Confidence>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheEntry {
    pub bytes: Number,
    pub line: Number,
    pub ways: Number,
    pub miss: Number,
    #[serde(default)]
    pub allocates: bool,
    pub source: Option<String>,
    pub confidence: Option<Confidence>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockEntry {
    pub mhz: Number,
    pub source: Option<String>,
    pub confidence: Option<Confidence>,
}
