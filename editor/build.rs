//! Puts the pages of `docs/errors/` into a table that the editor carries with it, sorted by code.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../docs/errors");
    let mut paths = fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    let mut table = "[\n".to_owned();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "md")) {
        let code = path.file_stem().unwrap_or_default().to_string_lossy();
        let path = fs::canonicalize(path)?;
        let _ = writeln!(table, "({code:?}, include_str!({:?})),", path.display().to_string());
    }
    table.push(']');
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("error_pages.rs"), table)?;
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../docs/errors");
    Ok(())
}
