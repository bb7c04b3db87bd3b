//! Verilog and VHDL: their texts, and what simulators make of them.

mod bench;
mod designs;
mod functions_agree;
