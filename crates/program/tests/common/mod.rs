//! What several tests share.

pub mod bytes;
pub mod reference;
pub mod sampling;
