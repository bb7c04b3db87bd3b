//! C and Java, compiled and run.
//!
//! One program, since each takes a while to build: a new file is named here.

mod generated;
mod generated_java;
mod written;
