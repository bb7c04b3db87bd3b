//! What the functions of a description are called: those on blocks, of a cipher, a permutation, a function, and those that make keys.

use crate::ir::Program;

/// What ciphers, permutations and functions do with a block.
pub const FORWARD: [&str; 3] = ["encrypt", "permute", "evaluate"];
/// What undoes that, in the same order; nothing undoes a function.
pub const BACKWARD: [&str; 2] = ["decrypt", "inverse"];
/// What makes keys.
pub const SCHEDULES: [&str; 2] = ["key_schedule", "key_schedule_decrypt"];

/// Bytes of the tweak, which the functions on blocks take behind the block in one array; 0 where there is none.
#[must_use]
pub fn tweak_bytes(program: &Program) -> usize {
    let bits = program.meta.iter().find(|(fact, _)| fact == "tweak_bits");
    bits.and_then(|(_, bits)| bits.parse::<usize>().ok()).map_or(0, |bits| bits / 8)
}

/// Whether a function goes from a block to a block.
#[must_use]
pub fn on_blocks(name: &str) -> bool {
    FORWARD.contains(&name) || BACKWARD.contains(&name)
}

/// Whether a name is that of a role, which not every description has.
#[must_use]
pub fn is_role(name: &str) -> bool {
    on_blocks(name) || SCHEDULES.contains(&name)
}

/// The name that a program has for the function that is meant by the name of a role.
#[must_use]
pub fn meant<'a>(role: &'a str, program: &'a Program) -> &'a str {
    program.functions.iter().map(|f| f.name.as_str()).find(|name| means(role, name)).unwrap_or(role)
}

/// Whether a program takes a key.
#[must_use]
pub fn keyed(program: &Program) -> bool {
    program.functions.iter().any(|f| SCHEDULES.contains(&f.name.as_str()))
}

/// Whether a function is meant by the name of a role: `encrypt` means what goes forward, `decrypt` what goes backward.
#[must_use]
pub fn means(role: &str, function: &str) -> bool {
    role == function
        || (role == FORWARD[0] && FORWARD.contains(&function))
        || (role == BACKWARD[0] && BACKWARD.contains(&function))
}

#[cfg(test)]
mod tests {
    use super::{is_role, means, on_blocks};

    #[test]
    fn a_name_of_a_cipher_means_the_function_of_a_permutation() {
        assert!(means("encrypt", "permute") && means("decrypt", "inverse") && means("mix", "mix"));
        assert!(means("encrypt", "evaluate") && !means("decrypt", "evaluate") && on_blocks("evaluate"));
        assert!(!means("encrypt", "inverse") && !means("permute", "encrypt") && !means("key_schedule", "permute"));
        assert!(on_blocks("inverse") && !on_blocks("key_schedule") && is_role("key_schedule") && !is_role("mix"));
    }
}
