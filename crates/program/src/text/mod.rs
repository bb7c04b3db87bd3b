//! The text form of a program: `docs/program.md` holds the grammar.

mod cursor;
mod function;
mod lex;
mod operation;
mod parse;
mod parts;
mod print;
pub mod words;

pub use lex::is_name_char;
pub use parse::{parse, LARGEST};
pub use parts::{affine_text, iterations_text, Number};
pub use print::OpText;
