//! The book as HTML: mdBook builds it, every page is in it, and no link leads nowhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use mdbook_driver::MDBook;

use super::{blesses, docs};

/// Files below a folder with an extension, by path within it.
fn files(root: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path.strip_prefix(root).unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

/// The pages of the error index as lines of the table of contents: errors, warnings, errors of runs.
fn error_lines() -> String {
    let pages = files(&docs().join("errors"), "md");
    let mut codes: Vec<_> = pages.iter().map(|page| page.file_stem().unwrap().to_str().unwrap()).collect();
    codes.sort_by_key(|code| ("EWR".find(&code[..1]), *code));
    codes.iter().map(|code| format!("  - [{code}](errors/{code}.md)\n")).collect()
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let path = docs().join("SUMMARY.md");
    let mut summary = fs::read_to_string(&path).unwrap();
    let expected = error_lines();
    let is_error = |line: &&str| line.contains("](errors/");
    let listed: String = summary.lines().filter(is_error).map(|line| format!("{line}\n")).collect();
    if blesses() && listed != expected {
        let others = summary.lines().filter(|line| !is_error(line)).map(|line| format!("{line}\n"));
        let index = "(errors.md)\n";
        summary = others.collect::<String>().replace(index, &format!("{index}{expected}"));
        fs::write(&path, &summary).unwrap();
    }
    for page in files(&docs(), "md") {
        let page = page.to_str().unwrap();
        let is_listed = page == "SUMMARY.md" || summary.contains(&format!("]({page})"));
        assert!(
            is_listed,
            "{page} is not in docs/SUMMARY.md: add it, or set HASSE_BLESS=1 if it is a code's"
        );
    }
}

#[test]
fn the_book_renders_without_broken_links() {
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book");
    let mut book = MDBook::load(docs()).unwrap();
    book.config.build.build_dir.clone_from(&built);
    book.build().unwrap();
    let pages: BTreeMap<PathBuf, String> = files(&built, "html")
        .into_iter()
        .map(|page| (page.clone(), fs::read_to_string(built.join(page)).unwrap()))
        .collect();
    assert!(pages.len() > 90, "{} pages", pages.len());
    let mut broken = BTreeSet::new();
    let mut n_links = 0;
    for (page, text) in &pages {
        for link in attributes(text, "href").chain(attributes(text, "src")) {
            // The page for what is not found stands at the root of wherever the book is served.
            let leads_out = link.contains("://") || link.starts_with("data:") || link == "/";
            if leads_out || link.is_empty() {
                continue;
            }
            n_links += 1;
            let (file, anchor) = link.split_once('#').map_or((link, None), |(file, id)| (file, Some(id)));
            let target = if file.is_empty() { page.clone() } else { resolve(page, file) };
            let leads = match (anchor, pages.get(&target)) {
                (Some(id), Some(text)) => attributes(text, "id").any(|found| found == id),
                _ => built.join(&target).is_file(),
            };
            if !leads {
                broken.insert(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "broken links: {broken:#?}");
    assert!(n_links > 1000, "{n_links} links");
}

/// Values of an attribute.
fn attributes<'t>(text: &'t str, name: &str) -> impl Iterator<Item = &'t str> {
    let start = format!(" {name}=\"");
    let starts: Vec<_> = text.match_indices(&start).map(|(at, _)| at + start.len()).collect();
    starts.into_iter().map(|at| text[at..].split('"').next().unwrap())
}

/// The file that a link of a page leads to, by its path within the book.
fn resolve(page: &Path, link: &str) -> PathBuf {
    let mut target = page.parent().unwrap().to_owned();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir => {
                target.pop();
            }
            Component::Normal(name) => target.push(name),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    target
}
