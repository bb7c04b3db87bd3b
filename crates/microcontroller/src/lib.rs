//! Code for microcontrollers: processors of a byte with few registers.
//!
//! An instruction set is a file of records and templates ([`isa`]). A function of bytes is lowered ([`lower`]) into what the
//! templates say of its operations ([`select`], [`matrix`]): instructions on bytes and counted loops ([`code`]). Code is
//! ordered ([`order`]), given registers ([`allocate`]) and memory ([`slots`]), tidied ([`tidy`]) and written ([`function`]),
//! and of several orders the one of the fewest cycles is taken ([`search`]). Functions within a budget of RAM are put together
//! in [`budget`]. Instructions are typed from the first to the
//! last step: text is read where templates come in and written at the end ([`assembly`]).

pub mod allocate;
pub mod assembly;
pub mod budget;
pub mod code;
pub mod function;
pub mod isa;
pub mod lower;
pub mod matrix;
pub mod operand;
pub mod order;
pub mod pairs;
pub mod search;
pub mod select;
pub mod slots;
pub mod tidy;
