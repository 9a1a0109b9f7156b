//! What is known of a body in Rust: which names its text binds, and which stand for values of the node.
//!
//! The text is cut into words and signs and not parsed, as it may be unfinished. Where it cannot be told what a word means,
//! it counts as one that the text binds: then a renaming leaves the text alone, and the Rust compiler says where the old name
//! is still used. A wrong guess would change what the body computes without a word.

use std::collections::BTreeSet;
use std::ops::Range;

use toml_edit::Item;

use crate::lex::rust::{KEYWORDS, pieces};
use crate::lex::{Kind, Piece};

/// Names that strings capture.
mod capture;
/// Names that the text binds.
mod patterns;

/// The text of a body that is `{ rust = '''text''' }`.
pub(crate) fn rust_of(body: &Item) -> Option<&str> {
    let table = body.as_table_like().filter(|table| !table.contains_key("native"))?;
    table.get("rust")?.as_str()
}

/// A text cut into words and signs.
struct Cut<'t> {
    text: &'t str,
    /// No white space, no comments.
    all: Vec<Piece>,
    /// For each piece the position of the innermost bracket that is open around it.
    around: Vec<Option<usize>>,
}

impl<'t> Cut<'t> {
    /// Cost: linear.
    fn new(text: &'t str) -> Self {
        let mut all = pieces(text);
        all.retain(|piece| !matches!(piece.kind, Kind::Space | Kind::Comment));
        let mut cut = Self { text, all, around: Vec::new() };
        let mut open: Vec<usize> = Vec::new();
        for idx in 0..cut.all.len() {
            if matches!(cut.sign(idx), ")" | "]" | "}") {
                open.pop();
            }
            cut.around.push(open.last().copied());
            if matches!(cut.sign(idx), "(" | "[" | "{") {
                open.push(idx);
            }
        }
        cut
    }

    /// The spelling of a piece; empty where there is none.
    fn spelled(&self, idx: usize) -> &'t str {
        self.all.get(idx).map_or("", |piece| &self.text[piece.range.clone()])
    }

    /// The spelling of a sign; empty of anything else.
    fn sign(&self, idx: usize) -> &'t str {
        if self.is(idx, Kind::Sign) { self.spelled(idx) } else { "" }
    }

    /// The spelling of the piece so many before another one; empty where there is none.
    fn before(&self, idx: usize, n_before: usize) -> &'t str {
        idx.checked_sub(n_before).map_or("", |idx| self.spelled(idx))
    }

    fn is(&self, idx: usize, kind: Kind) -> bool {
        self.all.get(idx).is_some_and(|piece| piece.kind == kind)
    }

    /// A word that is no keyword, without `r#`.
    fn name(&self, idx: usize) -> Option<&'t str> {
        let word = self.spelled(idx);
        (self.is(idx, Kind::Word) && !KEYWORDS.contains(&word) && word != "_").then(|| plain(word))
    }

    /// The macro that has a bracket behind its name.
    fn called_macro(&self, open: usize) -> Option<&'t str> {
        let name = open.checked_sub(2).filter(|_| self.before(open, 1) == "!")?;
        self.is(name, Kind::Word).then(|| self.spelled(name))
    }

    /// Whether a word is the name of a value: no field, function, macro, part of a path or of an attribute.
    fn is_value(&self, idx: usize) -> bool {
        let is_macro = self.spelled(idx + 1) == "!" && matches!(self.spelled(idx + 2), "(" | "[" | "{");
        let is_attribute =
            self.around[idx].is_some_and(|open| self.before(open, 1) == "#" || self.before(open, 2) == "#");
        self.name(idx).is_some()
            && !matches!(self.before(idx, 1), "." | "::")
            && !matches!(self.spelled(idx + 1), "(" | "::" | ":")
            && !is_macro
            && !is_attribute
    }

    /// Names in the braces of a struct that stand for a field and a value at once: `Point { x, y }`.
    fn shorthands(&self) -> impl Iterator<Item = &'t str> {
        let is_struct = |open: usize| {
            let before = self.before(open, 1);
            self.sign(open) == "{" && (before == ">" || before.starts_with(char::is_uppercase))
        };
        (0..self.all.len()).filter_map(move |idx| {
            let is_alone = matches!(self.before(idx, 1), "{" | "," | "ref" | "mut")
                && matches!(self.spelled(idx + 1), "," | "}");
            self.name(idx).filter(|_| is_alone && self.around[idx].is_some_and(is_struct))
        })
    }
}

/// A word without `r#`.
pub(crate) fn plain(word: &str) -> &str {
    word.strip_prefix("r#").unwrap_or(word)
}

/// Names that a text binds itself, in order, each once: only those that routing rules know, which `let` binds on the outermost
/// level, or all.
pub(crate) fn locals(text: &str, is_outer_only: bool) -> Vec<&str> {
    let cut = Cut::new(text);
    let found = if is_outer_only { cut.outer_lets() } else { cut.bound() };
    let mut seen = BTreeSet::new();
    found.into_iter().filter(|name| seen.insert(*name)).collect()
}

/// Whether a word stands anywhere in the text, strings and comments included.
pub(crate) fn mentions(text: &str, name: &str) -> bool {
    words(text).any(|word| word == name)
}

/// All words of a text, those in strings and comments included.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter| !hasse_model::name::is_of_name(letter)).filter(|word| !word.is_empty())
}

/// The text with another name for a value; as it is where it binds one of both names itself, or may do so.
pub(crate) fn renamed(text: &str, name: &str, new: &str) -> String {
    // The raw form of a name remains where nothing is renamed.
    if name == new {
        return text.to_owned();
    }
    let cut = Cut::new(text);
    let mut captured = Vec::new();
    let mut own: BTreeSet<&str> = cut.bound().into_iter().chain(cut.shorthands()).collect();
    for (word, range, is_certain) in cut.captured() {
        if is_certain {
            captured.push((word, range));
        } else {
            own.insert(word);
        }
    }
    let has_no_raw_form = matches!(new, "self" | "Self" | "super" | "crate" | "_");
    if own.contains(name) || own.contains(new) || has_no_raw_form {
        return text.to_owned();
    }
    let code = if KEYWORDS.contains(&new) { format!("r#{new}") } else { new.to_owned() };
    let values = (0..cut.all.len()).filter(|idx| cut.name(*idx) == Some(name) && cut.is_value(*idx));
    let mut changes: Vec<(Range<usize>, &str)> =
        values.map(|idx| (cut.all[idx].range.clone(), code.as_str())).collect();
    changes.extend(captured.into_iter().filter(|(word, _)| *word == name).map(|(_, range)| (range, new)));
    changes.sort_by_key(|(range, _)| range.start);
    let mut written = text.to_owned();
    for (range, new) in changes.into_iter().rev() {
        written.replace_range(range, new);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_renamed_and_nothing_else() {
        let renamed = |text| renamed(text, "n", "m");
        for (text, expected) in [
            ("a.n + n.abs() + n(1) + f(n) - x::n + n::x", "a.n + m.abs() + n(1) + f(m) - x::n + n::x"),
            ("n = P { n: n, ..n }; // n", "m = P { n: m, ..m }; // n"),
            (
                "format!(\"{n:>n$} {{n}} {0}\", n); vec![0; n]",
                "format!(\"{m:>m$} {{n}} {0}\", m); vec![0; m]",
            ),
            (
                "write!(out, \"{n}\")?; assert!(n != 1, \"{n}\")",
                "write!(out, \"{m}\")?; assert!(m != 1, \"{m}\")",
            ),
            ("#[n] 'n: loop { if n { break 'n } } n![n]", "#[n] 'n: loop { if m { break 'n } } n![m]"),
            ("r#n + 1.n + 'n' as i64 + 0..n", "m + 1.n + 'n' as i64 + 0..m"),
        ] {
            assert_eq!(renamed(text), expected);
        }
        assert_eq!(
            super::renamed("n + 1; println!(\"{n}\")", "n", "type"),
            "r#type + 1; println!(\"{type}\")"
        );
    }

    #[test]
    fn a_text_that_binds_one_of_the_names_is_left_alone() {
        for text in [
            "let n = 1; f(n)",
            "let m = 1; f(n)",
            "let (a, Some(n)) = b else { return };",
            "for (i, n) in x {}",
            "x.map(|n| n); f(n)",
            "x.map(move |(a, n): (i64, i64)| n)",
            "fn f(n: i64) -> i64 { n }",
            "match x { Some(1) => { n } Some(n) if n > 1 => n, _ => 0 }",
            "if matches!(x, Some(n) if n > 1) { n }",
            "let p = Point { n };",
            "let Point { x: n, .. } = p;",
            "const n: i64 = 1;",
            "use a::{b as n};",
            "say(\"{n}\"); n",
        ] {
            assert_eq!(renamed(text, "n", "m"), text);
        }
        let arms = "match n { 1 => { n } 2 => n, x if x > n => x + n, _ => f(n), }";
        assert_eq!(renamed(arms, "n", "m"), "match m { 1 => { m } 2 => m, x if x > m => x + m, _ => f(m), }");
    }

    #[test]
    fn what_the_outermost_level_binds_is_known_to_rules() {
        let text = "let a = 1; let mut b: Vec<f64> = Vec::new(); { let c = 2; } if let Some(d) = e {}\n\
                    let (f, Point { x, y: ref z }) = g; let Some(h) = i else { return Ok(()) }; let r#type = 1;";
        assert_eq!(locals(text, true), ["a", "b", "f", "x", "z", "h", "type"]);
        assert_eq!(locals("for k in 0..n { x.map(|y| y) } while let Some(a) = b {}", false), ["k", "y", "a"]);
        assert!(mentions("\"{n}\"", "n") && !mentions("nn", "n"));
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_read(text in "[a-c0\"'{}$#/*|.,:()=>!\\\\é \nr]{0,40}|(let|for|in|fn|match|matches!|=>|\\||\\{|\\}|n|,|\\(|\\)| ){0,20}") {
            let _ = (locals(&text, true), locals(&text, false), renamed(&text, "n", "m"));
            proptest::prop_assert_eq!(renamed(&text, "a", "a"), text);
        }
    }
}
