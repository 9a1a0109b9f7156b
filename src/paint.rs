//! Color in what a person reads at a terminal: verdicts and races.

use std::env;
use std::io::{self, IsTerminal};

const GREEN: &str = "\u{1b}[32m";
const RED: &str = "\u{1b}[31m";
const YELLOW: &str = "\u{1b}[33m";
const PLAIN: &str = "\u{1b}[0m";

/// Beginnings of lines, with their color.
const WORDS: [(&str, &str); 7] = [
    ("holds:", GREEN),
    ("does not hold:", RED),
    ("undecided so far:", YELLOW),
    ("cannot be decided:", YELLOW),
    ("no races", GREEN),
    ("race for ", RED),
    ("updates of ", RED),
];

/// Whether standard output is a terminal that shows colors, and nobody has asked for none.
fn shows_color() -> bool {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stdout().is_terminal() && !is_set("NO_COLOR") && !is_dumb
}

/// Verdicts and races, for standard output.
pub(crate) fn for_stdout(text: String) -> String {
    if shows_color() { painted(&text) } else { text }
}

/// The text with the first words of its findings in color.
fn painted(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match WORDS.iter().find(|(word, _)| line.starts_with(word)) {
            Some((word, color)) => {
                let word = word.trim_end();
                shown.extend([color, word, PLAIN, &line[word.len()..]]);
            }
            None => shown.push_str(line),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_words_of_findings_are_colored_and_nothing_else() {
        let text = "does not hold: never a: A\n  holds: no\nrace for /x: A writes and B writes\nholds: b";
        let shown = "\u{1b}[31mdoes not hold:\u{1b}[0m never a: A\n  holds: no\n\u{1b}[31mrace for\u{1b}[0m /x: A writes and \
                     B writes\n\u{1b}[32mholds:\u{1b}[0m b";
        assert_eq!(painted(text), shown);
    }
}
