//! Hands the digests of the engine's crates to the bindings, as `NAME=DIGEST` with commas between.

use std::path::Path;

fn main() {
    // As it is now, not as it was when this was compiled: a checkout may have been moved with what was built in it.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let root = Path::new(&here).join("../..");
    let made = digest::digests(&root, "python").expect("the digests of the engine's crates");
    let list: Vec<String> = made.crates.iter().map(|(name, digest)| format!("{name}={digest}")).collect();
    println!("cargo:rustc-env=CRATE_DIGESTS={}", list.join(","));
    for file in made.files {
        println!("cargo:rerun-if-changed={}", file.display());
    }
}
