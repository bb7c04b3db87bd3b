//! Source-code back ends.
