//! Finding, and the palette.

use super::*;

fn found(query: &str, is_case_sensitive: bool) -> String {
    let mut text = String::new();
    for found in find(&Places::of(PROGRAM), query, is_case_sensitive) {
        let (before, rest) = found.excerpt.split_at(found.range.start);
        let (hit, behind) = rest.split_at(found.range.len());
        let at = found.at;
        assert_eq!(PROGRAM[at.start as usize..at.end as usize].to_lowercase(), hit.to_lowercase());
        writeln!(text, "{}:{} [{}] {before}<{hit}>{behind}", at.line, at.column, found.target).unwrap();
    }
    text
}

#[test]
fn names_types_rules_and_bodies_are_found() {
    insta::assert_snapshot!(format!("{}\nPart, same case\n{}", found("PART", false), found("Sub", true)));
    assert_eq!(found("", false), "");
    assert_eq!(found("inside", false), "", "comments are not searched");
    assert_eq!(found("start", false), "", "keys of the language are not searched");
    let double = Places::of("a = \"x\\ty\\u00e9 Y\"\n");
    let at: Vec<_> = find(&double, "é y", false).iter().map(|found| (found.at.start, found.at.end)).collect();
    assert_eq!(at, [(9, 17)]);
    let broken = Places::of("[graph.g]\nx = [\n\n[graph.g.uc.A]\ndo = 'find me'");
    let in_broken = find(&broken, "FIND", false);
    assert_eq!(in_broken.len(), 1);
    assert_eq!(in_broken[0].target, Target::of_node("g", "A"));
    assert_eq!(&in_broken[0].excerpt, "do = 'find me'");
}

fn labels(entries: &[palette::Entry]) -> String {
    entries.iter().map(|entry| format!("{} | {} | {:?}\n", entry.label, entry.detail, entry.action)).collect()
}

#[test]
fn the_palette_lists_what_can_be_added() {
    insta::assert_snapshot!(labels(&palette::entries(PROGRAM, "top", None)));
    let broken = palette::entries("[", "top", None);
    assert!(broken.iter().any(|entry| entry.label == "shared int"));
    assert!(!broken.iter().any(|entry| matches!(entry.action, Action::Call(..))));
}

#[test]
fn a_dropped_wire_is_offered_what_can_take_it() {
    let mut all = String::new();
    for (from, ty, what) in [
        (WireEnd::Source, "int", "from an output of int"),
        (WireEnd::Source, "vector", "from an output of vector"),
        (WireEnd::Target, "real", "from an input of real"),
        (WireEnd::Object, "real", "from an object of real"),
        (WireEnd::User, "real", "from a name for an object of real"),
        (WireEnd::User, "int", "from a name for an object of int"),
    ] {
        let wire = Wire { from, ty: ty.to_owned() };
        let _ = writeln!(all, "{what}\n{}", labels(&palette::entries(PROGRAM, "top", Some(&wire))));
    }
    insta::assert_snapshot!(all);
}

fn ranked(names: &[&str], query: &str) -> Vec<String> {
    let entry = |name: &&str| palette::Entry {
        label: (*name).to_owned(),
        detail: String::new(),
        action: Action::Call((*name).to_owned(), None),
    };
    let entries: Vec<_> = names.iter().map(entry).collect();
    let ranked = palette::rank(&entries, query, &[Action::Call("recent".to_owned(), None)]);
    ranked.into_iter().map(|ranked| ranked.entry.label).collect()
}

#[test]
fn the_best_entry_comes_first() {
    assert_eq!(
        ranked(&["subMatrix", "SparseMult", "sum", "some"], "sm"),
        ["subMatrix", "SparseMult", "sum", "some"]
    );
    assert_eq!(ranked(&["shared int", "input int", "int"], "int"), ["int", "input int", "shared int"]);
    assert_eq!(ranked(&["start unit", "stop unit", "unit"], "st un"), ["stop unit", "start unit"]);
    assert_eq!(ranked(&["Solve", "Gather"], "x"), Vec::<String>::new());
    assert_eq!(ranked(&["b", "recent", "a"], ""), ["recent", "b", "a"]);
    assert_eq!(ranked(&["recenter", "recent"], "rec")[0], "recent");
    assert_eq!(fuzzy("DoBTSolver", "bts").unwrap().letters, [2, 3, 4]);
    assert_eq!(fuzzy("to_be_solved", "bs").unwrap().letters, [3, 6]);
}

proptest! {
    /// The letters found are those typed, in order, and exactly the names that hold them are found.
    #[test]
    fn ranking_finds_subsequences(name in "[aAbB_1]{0,12}", query in "[aAbB1]{0,4}") {
        let mut rest = name.chars();
        let holds = query.chars().all(|typed| rest.any(|letter| letter.eq_ignore_ascii_case(&typed)));
        let found = fuzzy(&name, &query);
        prop_assert_eq!(found.is_some(), holds);
        if let Some(found) = found {
            prop_assert!(found.letters.is_sorted_by(|a, b| a < b));
            let letters: String = found.letters.iter().map(|at| name.chars().nth(*at).unwrap()).collect();
            prop_assert!(letters.eq_ignore_ascii_case(&query));
        }
    }
}
