//! `precompute`: what depends on constants alone is computed, products of matrices with constants included.
//!
//! It does what `fold` does, and more: `fold` leaves `linear` alone, as other passes look for whole layers. So this comes where layers no
//! longer matter, on words of the machine, or to see how much a key schedule computes for every key that no key changes.

use super::{fold, Pass, Settings};
use crate::diagnostic::Diagnostic;
use crate::ir::Program;

/// See the module's text.
pub struct Precompute;

impl Pass for Precompute {
    fn name(&self) -> &'static str {
        "precompute"
    }

    fn description(&self) -> &'static str {
        "compute what depends on constants alone, matrices times constants included"
    }

    fn run(&self, program: &mut Program, _: &Settings<'_>) -> Result<(), Diagnostic> {
        let matrices = program.matrices.clone();
        fold::fold(program, &matrices);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::passes::run_all;

    const TEXT: &str = r#"program "t" {
}

matrix @m: gf(0x11b) = [
  [0x2, 0x3],
  [0x1, 0x1]
]

func @f(%x: u8) -> (u8, u8, u8, u8) {
  %a: u8, %b: u8 = linear @m 0x80, 1
  %c: u8, %d: u8 = linear @m %a, %b
  %e: u8, %g: u8 = linear @m %x, 1
  return %c, %d, %e, %g
}
"#;

    fn passed(pass: &str) -> String {
        let mut program = crate::parse(TEXT).unwrap();
        run_all(&mut program, &[pass, "dce"], &[]).unwrap();
        crate::verify(&program).unwrap();
        program.to_string()
    }

    #[test]
    fn products_of_constants_are_numbers() {
        // {02}{80} + {03}{01} = 1b + 03 = 18, {80} + {01} = 81; {02}{18} + {03}{81} = 30 + 98 = a8, {18} + {81} = 99
        let text = passed("precompute");
        assert!(text.contains("return 0xa8, 0x99, %e, %g"), "{text}");
        assert_eq!(text.matches("linear").count(), 1);
    }

    #[test]
    fn fold_leaves_matrices_alone() {
        assert_eq!(passed("fold").matches("linear").count(), 3);
    }
}
