//! Sequences of steps, designs and what is written of them.
//!
//! One program, since each takes a while to build: a new file is named here.

mod sequences;
mod verify_design;
mod write;
