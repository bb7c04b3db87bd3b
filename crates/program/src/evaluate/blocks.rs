//! Functions that turn a block of bytes into another: many blocks, or one block over and over.

use super::code::{Code, Variable};
use super::machine::NoObserver;
use super::{Evaluator, Value};
use crate::diagnostic::Diagnostic;

/// How the outputs of a chain become inputs: the loops of NIST's Monte Carlo tests (1998).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chain {
    /// x = F(x), the outputs being x.
    Plain,
    /// C = F(P ^ V); P = V; V = C: cipher-block chaining that encrypts, the outputs being C.
    CbcEncrypt,
    /// P = F(C) ^ V; V = C; C = P: cipher-block chaining that decrypts, the outputs being P.
    CbcDecrypt,
}

/// A function whose last parameter and only result are `u8[n]`, the other arguments being set.
struct BlockFunction<'e> {
    evaluator: &'e mut Evaluator,
    number: usize,
    block: Variable,
    result: Variable,
}

impl BlockFunction<'_> {
    fn apply(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Diagnostic> {
        let memory = &mut self.evaluator.memory;
        for (place, &byte) in memory.words[self.block.range()].iter_mut().zip(input) {
            *place = byte.into();
        }
        memory.written[self.block.range()].fill(true);
        self.evaluator.run(self.number, &mut NoObserver)?;
        self.evaluator.check_written(self.number, &self.result)?;
        for (byte, &word) in output.iter_mut().zip(&self.evaluator.memory.words[self.result.range()]) {
            *byte = word as u8;
        }
        Ok(())
    }

    fn check_length(&self, what: &str, bytes: &[u8]) -> Result<(), Diagnostic> {
        if bytes.len() == self.block.len() {
            return Ok(());
        }
        let message = format!("{what} has {} bytes, a block has {}", bytes.len(), self.block.len());
        Err(Diagnostic::new("P206", message))
    }
}

impl Evaluator {
    /// Finds the function, checks its form and sets all arguments but the block.
    fn block_function(&mut self, function: &str, keys: &[Value]) -> Result<BlockFunction<'_>, Diagnostic> {
        let number = self.find(function)?;
        let Code { name, params, results, .. } = &self.functions[number];
        let (others, block, result) = match (params.split_last(), &results[..]) {
            (Some((block, others)), [result])
                if block.width == 8 && block.dims.len() == 1 && result.width == 8 && result.dims == block.dims =>
            {
                (others.to_vec(), block.clone(), result.clone())
            }
            _ => {
                return Err(Diagnostic::new("P207", format!("`{name}` does not turn a block of bytes into another"))
                    .note("expected a last parameter and one result of the same type u8[n]"))
            }
        };
        self.set_variables(function, &others, keys, " before the block")?;
        Ok(BlockFunction { evaluator: self, number, block, result })
    }

    /// Runs a function, whose last parameter and only result are `u8[n]`, on each n bytes of `data`; the other arguments stay.
    ///
    /// # Errors
    /// As [`Evaluator::evaluate`]; P207 if the function has another form, P208 if the data are not whole blocks.
    pub fn run_blocks(&mut self, function: &str, keys: &[Value], data: &[u8]) -> Result<Vec<u8>, Diagnostic> {
        let mut function = self.block_function(function, keys)?;
        let size = function.block.len();
        if data.len() % size != 0 {
            let message = format!("{} bytes are no whole number of blocks of {size} bytes", data.len());
            return Err(Diagnostic::new("P208", message));
        }
        let mut output = vec![0; data.len()];
        for (input, output) in data.chunks_exact(size).zip(output.chunks_exact_mut(size)) {
            function.apply(input, output)?;
        }
        Ok(output)
    }

    /// Runs a function as [`Evaluator::run_blocks`] does, `count` times on what the chain makes of its outputs;
    /// gives the last output and the last but one (`block` standing before the first). A plain chain has an empty vector.
    ///
    /// # Errors
    /// As [`Evaluator::run_blocks`]; P206 if `block` or `vector` have another length than the function's block.
    pub fn run_chain(
        &mut self,
        function: &str,
        keys: &[Value],
        chain: Chain,
        vector: &[u8],
        block: &[u8],
        count: u64,
    ) -> Result<(Vec<u8>, Vec<u8>), Diagnostic> {
        let mut function = self.block_function(function, keys)?;
        function.check_length("the block", block)?;
        if chain != Chain::Plain {
            function.check_length("the vector", vector)?;
        }
        let (mut input, mut vector, mut output) = (block.to_vec(), vector.to_vec(), vec![0; block.len()]);
        let (mut last, mut before) = (block.to_vec(), block.to_vec());
        for _ in 0..count {
            match chain {
                Chain::Plain => {
                    function.apply(&input, &mut output)?;
                    input.copy_from_slice(&output);
                }
                Chain::CbcEncrypt => {
                    exclusive_or(&mut input, &vector);
                    function.apply(&input, &mut output)?;
                    input.copy_from_slice(&vector);
                    vector.copy_from_slice(&output);
                }
                Chain::CbcDecrypt => {
                    function.apply(&input, &mut output)?;
                    exclusive_or(&mut output, &vector);
                    vector.copy_from_slice(&input);
                    input.copy_from_slice(&output);
                }
            }
            std::mem::swap(&mut last, &mut before);
            last.copy_from_slice(&output);
        }
        Ok((last, before))
    }
}

fn exclusive_or(a: &mut [u8], b: &[u8]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a ^= b);
}
