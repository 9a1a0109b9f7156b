//! Compiles the window's description, and lists the properties of its globals.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

use slint_build::CompilerConfiguration;

/// Globals that each window has for itself: its picture, and the colors, which a function sets.
const OWN: [&str; 3] = ["Graph", "Theme", "Keys"];

fn main() -> io::Result<()> {
    // Names of elements, by which tests find them.
    let configuration = CompilerConfiguration::new().with_debug_info(true);
    // The compiler of descriptions has printed what is wrong, with places.
    if slint_build::compile_with_config("description/window.slint", configuration).is_err() {
        std::process::exit(1);
    }
    let folder = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is not set"))?;
    fs::write(Path::new(&folder).join("links.rs"), links(Path::new("description"))?)
}

/// Writes a function that links all properties of the exported globals that Rust can set.
fn links(folder: &Path) -> io::Result<String> {
    let window = fs::read_to_string(folder.join("window.slint"))?;
    let exported: Vec<&str> = window
        .lines()
        .filter_map(|line| line.strip_prefix("export { ")?.strip_suffix(" }"))
        .flat_map(|names| names.split(", "))
        .collect();
    let mut files: Vec<_> = fs::read_dir(folder)?.collect::<io::Result<_>>()?;
    files.sort_by_key(fs::DirEntry::path);
    let mut globals = BTreeMap::new();
    for file in files.iter().filter(|file| file.path().extension().is_some_and(|ending| ending == "slint")) {
        for (name, properties) in globals_of(&fs::read_to_string(file.path())?) {
            // A global may be exported under another name than its own.
            let renamed = window.split_once(&format!("{name} as ")).map(|(_, rest)| rest);
            let name =
                renamed.map_or(name.as_str(), |rest| rest.split([' ', ',']).next().unwrap_or_default());
            if exported.contains(&name) && !OWN.contains(&name) {
                globals.insert(name.to_owned(), properties);
            }
        }
    }
    let mut text = "fn links() -> Vec<Link> {\n    vec![\n".to_owned();
    for (global, properties) in &globals {
        for (name, way) in properties {
            let _ = writeln!(
                text,
                "        {way}(|w| w.global::<{global}>().get_{name}(), |w, v| w.global::<{global}>().set_{name}(v)),"
            );
        }
    }
    text.push_str("    ]\n}\n");
    Ok(text)
}

/// The globals of a file, each with its properties and the function that links them.
fn globals_of(text: &str) -> Vec<(String, Vec<(String, &'static str)>)> {
    let mut globals: Vec<(String, Vec<(String, &'static str)>)> = Vec::new();
    let mut is_inside = false;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("export global ") {
            globals.push((rest.trim_end_matches(" {").to_owned(), Vec::new()));
            is_inside = true;
        } else if line == "}" {
            is_inside = false;
        }
        let one_way = line.strip_prefix("    in property <").map(|rest| (rest, "one_way"));
        let both = line.strip_prefix("    in-out property <").map(|rest| (rest, "both_ways"));
        if is_inside
            && let Some((rest, way)) = one_way.or(both)
            && let Some((_, name)) = rest.split_once("> ")
            && let Some((_, properties)) = globals.last_mut()
        {
            let name = name.split([':', ';']).next().unwrap_or_default();
            properties.push((name.replace('-', "_"), way));
        }
    }
    globals
}
