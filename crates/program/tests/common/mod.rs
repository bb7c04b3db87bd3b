//! What several tests share.

pub mod reference;
