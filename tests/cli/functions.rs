use std::fs;

use super::support::{Folder, repository};

#[test]
fn the_library_page_is_what_the_tables_say() {
    let page = Folder::new().hasse(&["functions", "--markdown"]).ends(0).stdout;
    let path = repository().join("docs/library.md");
    if std::env::var_os("HASSE_BLESS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let stored = fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == page, "docs/library.md is out of date: run this test with HASSE_BLESS=1");
}

#[test]
fn a_function_is_described() {
    let folder = Folder::new();
    let mut shown = String::new();
    for name in ["sqrt", "write_png", "choles"] {
        shown += &folder.hasse(&["functions", name]).ends(0).stdout;
        shown.push('\n');
    }
    shown += &folder.hasse(&["functions", "frobnicate"]).ends(2).stderr;
    insta::assert_snapshot!(shown);
}

#[test]
fn all_functions_are_listed_by_family() {
    let shown = Folder::new().hasse(&["functions"]).ends(0).stdout;
    for line in ["Numbers", "Systems of equations", "* in `do` only"] {
        assert!(shown.lines().any(|found| found.starts_with(line)), "{line}: {shown}");
    }
    assert!(shown.contains(" read_text* ") && shown.contains(" sqrt "), "{shown}");
}
