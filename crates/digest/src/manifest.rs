//! What the manifests of a workspace say about dependencies, read line by line: one dependency is one line.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What a crate needs.
pub enum Dependency {
    /// A crate of the workspace, by its folder.
    Member(String),
    /// Another package: name, and version if the lock file has it.
    Package(String),
}

/// A workspace whose crates stand in `crates/`.
pub struct Workspace {
    root: PathBuf,
    /// Folder of each crate of the workspace by the name that others use for it.
    members: BTreeMap<String, String>,
    /// Versions of each package in the lock file.
    versions: BTreeMap<String, Vec<String>>,
}

impl Workspace {
    /// Reads the workspace's manifest and its lock file; a workspace without one has no versions.
    pub fn read(root: &Path) -> io::Result<Self> {
        let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
        let members = section(&manifest, "[workspace.dependencies]")
            .filter_map(|(name, value)| Some((name.to_owned(), folder_of(value)?.to_owned())))
            .collect();
        let lock = fs::read_to_string(root.join("Cargo.lock")).unwrap_or_default();
        let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for package in lock.split("[[package]]") {
            if let (Some(name), Some(version)) = (field(package, "name"), field(package, "version")) {
                versions.entry(name.to_owned()).or_default().push(version.to_owned());
            }
        }
        Ok(Workspace { root: root.to_owned(), members, versions })
    }

    /// The files of [`Workspace::read`].
    pub fn files(&self) -> BTreeSet<PathBuf> {
        ["Cargo.toml", "Cargo.lock"].map(|name| self.root.join(name)).into_iter().filter(|file| file.exists()).collect()
    }

    /// The folder of a crate.
    pub fn folder(&self, name: &str) -> PathBuf {
        self.root.join("crates").join(name)
    }

    /// What the library of a manifest needs, in the order of the names.
    pub fn dependencies(&self, manifest: &Path) -> io::Result<Vec<Dependency>> {
        let text = fs::read_to_string(manifest)?;
        let names: BTreeSet<&str> = section(&text, "[dependencies]").map(|(name, _)| name).collect();
        Ok(names
            .into_iter()
            .map(|name| match self.members.get(name) {
                Some(folder) => Dependency::Member(folder.clone()),
                None => Dependency::Package(format!(
                    "{name} {}",
                    self.versions.get(name).into_iter().flatten().cloned().collect::<Vec<_>>().join(" ")
                )),
            })
            .collect())
    }
}

/// Names and values of a section.
fn section<'a>(text: &'a str, head: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let lines = text.lines().map(str::trim).skip_while(move |line| *line != head).skip(1);
    lines.take_while(|line| !line.starts_with('[')).filter(|line| !line.starts_with('#')).filter_map(|line| {
        let (name, value) = line.split_once('=')?;
        Some((name.trim().trim_end_matches(".workspace"), value.trim()))
    })
}

/// The folder of a dependency on a crate in `crates/`.
fn folder_of(value: &str) -> Option<&str> {
    value.split_once("path = \"crates/")?.1.split('"').next()
}

fn field<'a>(package: &'a str, name: &str) -> Option<&'a str> {
    package.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = \"")?.strip_suffix('"'))
}
