//! The text form of circuits.
