use super::settings::RecordOption;
use super::{Selector, SelectorError};

fn fault(text: &str) -> String {
    match text.parse::<Selector>() {
        Ok(selector) => panic!("`{selector}` was read"),
        Err(error) => format!("{error}: {}", error.hint().unwrap_or_default()),
    }
}

#[test]
fn what_can_be_written() {
    for text in [
        "Mult",
        "Graph.Mult",
        "Mult[3]",
        "Mult[-3]",
        "Mult[2..5]",
        "Mult[1..3, *]",
        "Mult[1][*]",
        "/",
        "/Mult",
        "/dobts[2]/Mult[3]",
        "/dobts[2]/*",
        "/dobts[*]/Mult",
        "/a/b/c",
        "*",
        "Graph.*",
        " Mult ",
    ] {
        let selector: Selector = text.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(selector.to_string(), text);
    }
}

#[test]
fn what_cannot_be_written_is_told_with_its_column() {
    let faults: Vec<String> = [
        "",
        "Mult[",
        "Mult[x]",
        "Mult[5..2]",
        "Mult[3",
        "Mult 3",
        "dobts/Mult",
        "/dobts/",
        "*.Mult",
        "Mult[1..]",
        "Mult[99999999999999999999]",
        "/a//b",
    ]
    .iter()
    .map(|text| fault(text))
    .collect();
    insta::assert_snapshot!(faults.join("\n"));
}

/// Table 5-4: an own option counts only where that of the parent is `restrict`.
#[test]
fn the_effective_option() {
    use RecordOption::{Full, Off, Restrict};
    for own in [Full, Restrict, Off] {
        assert_eq!(own.effective(Full), Full);
        assert_eq!(own.effective(Restrict), own);
        assert_eq!(own.effective(Off), Off);
    }
}

#[test]
fn columns_count_characters() {
    let error = "Übung[?]".parse::<Selector>().expect_err("`?` is no number");
    assert_eq!(error.column(), 7);
    assert!(matches!(error, SelectorError::Syntax { .. }));
}

proptest::proptest! {
    /// A column lies within the text, or right behind it.
    #[test]
    fn any_text_is_read_or_refused(text in "[a-zÜ/*.,\\[\\]0-9 -]{0,24}") {
        if let Err(error) = text.parse::<Selector>() {
            proptest::prop_assert!((1..=text.chars().count() + 1).contains(&error.column()));
            proptest::prop_assert!(error.hint().is_some());
        }
    }
}
