//! The crates of the workspace, by its manifests.

use std::fs;
use std::path::{Path, PathBuf};

use toml_edit::DocumentMut;

/// One crate: the library of a package, or a program or benchmark next to it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Root {
    /// Name of the package, or `PACKAGE:TARGET` for what is not its library.
    pub name: String,
    /// Name by which the crate's own modules can name it after `extern crate self as ...`.
    pub own_name: String,
    /// File of the root module, relative to the workspace.
    pub file: PathBuf,
}

/// The folder of the workspace.
pub fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the text of a file of the workspace, if it exists.
pub fn read(file: &Path) -> Option<String> {
    fs::read_to_string(folder().join(file)).ok()
}

fn manifest(package: &Path) -> DocumentMut {
    let file = package.join("Cargo.toml");
    let text = read(&file).unwrap_or_else(|| panic!("{} cannot be read", file.display()));
    text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Returns the folders of all packages, that of the workspace first.
fn packages() -> Vec<PathBuf> {
    let members = &manifest(Path::new(""))["workspace"]["members"];
    let members = members.as_array().unwrap().iter().map(|member| PathBuf::from(member.as_str().unwrap()));
    [PathBuf::new()].into_iter().chain(members).collect()
}

/// Returns the crates of all members: libraries, programs, and benchmarks whose files the manifest names.
pub fn roots() -> Vec<Root> {
    let mut roots: Vec<Root> = packages().iter().flat_map(|package| roots_of(package)).collect();
    roots.sort();
    roots
}

/// Returns for each package its name and the packages of the workspace that it depends on, without those of tests.
pub fn dependencies() -> Vec<(String, Vec<String>)> {
    let manifests: Vec<DocumentMut> = packages().iter().map(|package| manifest(package)).collect();
    let name = |manifest: &DocumentMut| manifest["package"]["name"].as_str().unwrap().to_owned();
    let names: Vec<String> = manifests.iter().map(name).collect();
    let own = |manifest: &DocumentMut| {
        let table = manifest.get("dependencies").and_then(|table| table.as_table_like());
        let keys = table.into_iter().flat_map(|table| table.iter().map(|(key, _)| key.to_owned()));
        keys.filter(|key| names.contains(key)).collect()
    };
    manifests.iter().map(|manifest| (name(manifest), own(manifest))).collect()
}

fn roots_of(package: &Path) -> Vec<Root> {
    let manifest = manifest(package);
    let name = manifest["package"]["name"].as_str().unwrap();
    let own_name = name.replace('-', "_");
    let mut roots = Vec::new();
    let mut add = |target: Option<&str>, file: &str| {
        let file = package.join(file);
        let is_new = roots.iter().all(|root: &Root| root.file != file);
        if is_new && folder().join(&file).exists() {
            let name = target.map_or_else(|| name.to_owned(), |target| format!("{name}:{target}"));
            roots.push(Root { name, own_name: own_name.clone(), file });
        }
    };
    add(None, "src/lib.rs");
    add(Some("main"), "src/main.rs");
    for kind in ["bin", "bench"] {
        for target in
            manifest.get(kind).and_then(|targets| targets.as_array_of_tables()).into_iter().flatten()
        {
            if let (Some(name), Some(path)) = (target["name"].as_str(), target.get("path")) {
                add(Some(name), path.as_str().unwrap());
            }
        }
    }
    roots
}
