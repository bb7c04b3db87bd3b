//! Proofs of the fewest operations of linear layers: [`fewest`] settles matrices of up to eight columns, [`words`] holds
//! several bytes in a word.

pub mod branches;
pub mod fewest;
pub mod words;
