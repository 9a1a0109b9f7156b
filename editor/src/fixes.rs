//! Edits that the compiler's hints ask for: `did you mean ..?`, ``write `..` for `..` ``, ``declare it as `..` ``.

use std::ops::Range;

use hasse_model::name::is_of_name;
use toml_edit::Document;

use crate::problems::Problem;
use crate::target::Part;

/// A change of the program's text that does what a hint says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// Label of its button.
    pub label: String,
    /// Bytes of the text that are replaced.
    pub range: Range<usize>,
    /// Text that is replaced.
    pub old: String,
    /// Replacement.
    pub new: String,
}

impl Fix {
    /// The text with the change; `None` where something else stands there by now.
    pub fn apply(&self, text: &str) -> Option<String> {
        let is_same = text.get(self.range.clone()) == Some(&self.old);
        is_same.then(|| format!("{}{}{}", &text[..self.range.start], self.new, &text[self.range.end..]))
    }
}

/// The edit that a problem of a text asks for; `None` where it takes a person to know it.
pub(crate) fn fix_of(text: &str, problem: &Problem) -> Option<Fix> {
    let told = [problem.help.as_deref(), Some(problem.message.as_str())];
    told.into_iter().flatten().find_map(|told| {
        replaced_name(text, problem, told)
            .or_else(|| foreign_word(text, problem, told))
            .or_else(|| access(text, problem, told))
    })
}

/// Texts in backticks, in order.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// `did you mean ..?` and `bind it to ..`: a name in place of another one.
fn replaced_name(text: &str, problem: &Problem, told: &str) -> Option<Fix> {
    let (_, behind) = told.split_once("did you mean ").or_else(|| told.split_once("bind it to "))?;
    let new = quoted(behind).next()?;
    let place = problem.at.start as usize..problem.at.end as usize;
    let mut names = quoted(&problem.message).filter(|name| *name != new);
    let range = names.find_map(|name| {
        let within = text.get(place.clone())?;
        let at = word_at(within, name, 0)?;
        Some(place.start + at..place.start + at + name.len())
    });
    // Of a place that is a point, the word that begins there.
    let range = range.or_else(|| {
        let rest = text.get(place.start..)?;
        let n_word = rest.find(|letter| !is_of_name(letter)).unwrap_or(rest.len());
        let is_named = quoted(&problem.message).any(|name| name == &rest[..n_word]);
        (n_word > 0 && is_named).then(|| place.start..place.start + n_word)
    })?;
    replacement(text, range, new)
}

/// ``write `..` for `..` ``: a word or sign of another language, at the place or right before it.
fn foreign_word(text: &str, problem: &Problem, told: &str) -> Option<Fix> {
    let behind = told.split_once("write ")?.1;
    let (new, old) = match behind.split('`').collect::<Vec<_>>()[..] {
        ["", new, " for ", old, ""] => (new, old),
        ["", new, ""] => (new, quoted(&problem.message).next()?),
        _ => return None,
    };
    if new.contains(' ') && new != "else if" {
        // It says how, not what.
        return None;
    }
    let at = (problem.at.start as usize).min(text.len());
    let line_start = text.get(..at)?.rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    let line = &text[line_start..line_end];
    let mut found = None;
    let mut from = 0;
    while let Some(start) = word_at(line, old, from) {
        if line_start + start > at && found.is_some() {
            break;
        }
        found = Some(line_start + start);
        from = start + old.len();
    }
    let start = found?;
    replacement(text, start..start + old.len(), new)
}

/// ``declare it as `name = "write"` ``: how a unit uses a shared object.
fn access(text: &str, problem: &Problem, told: &str) -> Option<Fix> {
    let declared = quoted(told.split_once("declare it as ")?.1).next()?;
    let (name, access) = declared.split_once(" = ")?;
    let Part::Node(node) = &problem.target.part else { return None };
    let tables = Document::parse(text).ok()?;
    let unit = tables.get("graph")?.get(&problem.target.graph)?.get("uc")?.get(node)?;
    let range = unit.get("shared")?.get(name)?.span()?;
    let fix = replacement(text, range, access)?;
    Some(Fix { label: format!("Declare {declared}"), ..fix })
}

fn replacement(text: &str, range: Range<usize>, new: &str) -> Option<Fix> {
    let old = text.get(range.clone())?;
    let label = format!("Replace {old} by {new}");
    Some(Fix { label, range, old: old.to_owned(), new: new.to_owned() })
}

/// Where a word or sign stands in a text as a whole, from an offset on.
fn word_at(text: &str, word: &str, from: usize) -> Option<usize> {
    let is_word = word.starts_with(is_of_name);
    let mut from = from;
    loop {
        let at = from + text.get(from..)?.find(word)?;
        let before = text[..at].chars().next_back().is_some_and(is_of_name);
        let behind = text[at + word.len()..].chars().next().is_some_and(is_of_name);
        if !is_word || !before && !behind {
            return Some(at);
        }
        from = at + word.len();
    }
}

#[cfg(test)]
mod tests {
    use crate::problems::Problems;

    /// Fixes for a program of one unit with these lines, each with the line that it changes.
    fn fixed(lines: &str) -> Vec<(String, String)> {
        let text = format!(
            "hasse = 1\nmain = \"g\"\n\n[graph.g]\nshare = [\"total -- A.total\"]\n\n[graph.g.shared.total]\ntype = \"int\"\n\n[graph.g.uc.A]\nstart = true\nstop = true\n{lines}\n"
        );
        let problems = Problems::of(&text, &hasse_body::functions());
        let fixes = problems.list().iter().filter_map(|problem| problem.fix.clone());
        let changed = fixes.map(|fix| {
            let after = fix.apply(&text).expect("it is the text");
            let line = after.lines().zip(text.lines()).find(|(new, old)| new != old);
            (fix.label, line.map(|(new, _)| new.to_owned()).unwrap_or_default())
        });
        changed.collect()
    }

    #[test]
    fn names_are_replaced_where_they_stand() {
        assert_eq!(
            fixed(
                "shared = { total = \"write\" }\nvars = { count_of = \"int = 1\" }\ndo = '''\ntotal += conut_of + count_of;\n'''"
            ),
            [("Replace conut_of by count_of".to_owned(), "total += count_of + count_of;".to_owned())]
        );
        assert_eq!(
            fixed("shared = { total = \"write\" }\ndo = '''\ntotal += lenn([1]);\n'''"),
            [("Replace lenn by len".to_owned(), "total += len([1]);".to_owned())]
        );
        assert_eq!(
            fixed("shared = { total = \"write\" }\nvars = { a = \"itn\" }\ndo = \"total += a; a = 1;\""),
            [("Replace itn by int".to_owned(), "vars = { a = \"int\" }".to_owned())]
        );
    }

    #[test]
    fn words_of_other_languages_are_replaced() {
        assert_eq!(
            fixed("shared = { total = \"write\" }\ndo = '''\nif total > 1 and total < 4 { total = 0; }\n'''"),
            [("Replace and by &&".to_owned(), "if total > 1 && total < 4 { total = 0; }".to_owned())]
        );
    }

    #[test]
    fn access_to_an_object_is_declared() {
        assert_eq!(
            fixed("shared = { total = \"read\" }\ndo = '''\ntotal = 1;\n'''"),
            [("Declare total = \"write\"".to_owned(), "shared = { total = \"write\" }".to_owned())]
        );
    }

    #[test]
    fn hint_without_an_edit_gives_none() {
        assert_eq!(fixed("shared = { total = \"write\" }\ndo = '''\ntotal = 1\nlet b = 2;\n'''"), []);
    }
}
