//! A small workspace whose files are changed one by one: which digests change.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const FILES: [(&str, &str); 9] = [
    (
        "Cargo.toml",
        "[workspace.dependencies]\nlow_part = { path = \"crates/low\", package = \"x-low\" }\nserde = \"1\"\n\n[profile.release]\n",
    ),
    ("Cargo.lock", "[[package]]\nname = \"serde\"\nversion = \"1.0.1\"\n\n[[package]]\nname = \"other\"\nversion = \"2.0.0\"\n"),
    ("crates/low/Cargo.toml", "[dependencies]\nserde = { workspace = true }\n"),
    ("crates/low/src/lib.rs", "//! Low.\npub mod part;\npub const DATA: &str = include_str!(\"data.txt\");\n"),
    ("crates/low/src/data.txt", "data"),
    (
        "crates/low/src/part/mod.rs",
        "/// One.\npub fn one(a: (u8,), b: u8) -> u8 {\n    a.0 + b\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn two() {}\n}\n",
    ),
    ("crates/high/Cargo.toml", "[dependencies]\nlow_part.workspace = true\n\n[dev-dependencies]\nother = \"2\"\n"),
    ("crates/high/src/lib.rs", "mod leaf;\n#[cfg(test)]\nmod tests;\n"),
    ("crates/high/src/leaf.rs", "fn leaf() {}\n"),
];

/// A fresh workspace, one file of which is changed by replacing a text.
fn workspace(name: &str, change: Option<(&str, &str, &str)>) -> Folder {
    let root = std::env::temp_dir().join(format!("digests-{}-{name}", std::process::id()));
    for (file, text) in FILES {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = match change {
            Some((changed, from, to)) if changed == file => {
                assert!(text.contains(from), "{file} has no {from:?}");
                text.replace(from, to)
            }
            _ => text.to_owned(),
        };
        fs::write(path, text).unwrap();
    }
    Folder(root)
}

fn digests_of(root: &Path) -> BTreeMap<String, String> {
    digest::digests(root, "high").unwrap().crates
}

/// The crates whose digests a change changes.
fn changed(name: &str, file: &str, from: &str, to: &str) -> Vec<String> {
    let before = digests_of(&workspace(&format!("{name}-before"), None).0);
    let after = digests_of(&workspace(&format!("{name}-after"), Some((file, from, to))).0);
    assert_eq!(before.len(), 2);
    after.into_iter().filter(|(name, digest)| before[name] != *digest).map(|(name, _)| name).collect()
}

#[test]
fn comments_formatting_and_tests_change_nothing() {
    let part = "crates/low/src/part/mod.rs";
    let none: Vec<String> = Vec::new();
    assert_eq!(changed("doc", part, "/// One.", "/// Another.\n// And more."), none);
    assert_eq!(changed("format", part, "(a: (u8,), b: u8)", "(\n    a: ( u8, ),\n    b: u8,\n)"), none);
    assert_eq!(changed("test", part, "fn two() {}", "fn two() { assert!(true); }"), none);
    assert_eq!(changed("head", "crates/low/src/lib.rs", "Low.", "The lower crate."), none);
    assert_eq!(changed("dev", "crates/high/Cargo.toml", "other", "another"), none);
    assert_eq!(changed("unnamed", "Cargo.lock", "2.0.0", "2.0.1"), none);
}

#[test]
fn code_data_and_packages_change_what_needs_them() {
    let part = "crates/low/src/part/mod.rs";
    assert_eq!(changed("code", part, "a.0 + b", "a.0 - b"), ["high", "low"]);
    assert_eq!(changed("tuple", part, "(u8,)", "(u8)"), ["high", "low"]);
    assert_eq!(changed("data", "crates/low/src/data.txt", "data", "date"), ["high", "low"]);
    assert_eq!(changed("version", "Cargo.lock", "1.0.1", "1.0.2"), ["high", "low"]);
    assert_eq!(changed("leaf", "crates/high/src/leaf.rs", "leaf", "twig"), ["high"]);
}

#[test]
fn what_cannot_be_followed_is_an_error() {
    let error = |name: &str, from: &str, to: &str| {
        let folder = workspace(name, Some(("crates/low/src/lib.rs", from, to)));
        digest::digests(&folder.0, "high").err().unwrap().to_string()
    };
    assert!(error("path", "pub mod", "#[path = \"x.rs\"] pub mod").ends_with("a module's file is named by #[path]"));
    assert!(error("computed", "\"data.txt\"", "concat!(\"data\")").contains("the name of an included file is computed"));
    assert!(error("missing", "data.txt", "none.txt").contains("none.txt"));
}
