//! Words of rules, arcs and Rhai texts: where a name is mentioned, with strings, comments and fields left out.

use hasse_model::name::{begins_name, is_of_name};

/// The lines of a text, from 0, that mention a name; each once. Behind a dot a name is a field or a method, unless
/// `takes_fields`; what a string in backticks puts in is looked at, too.
pub(super) fn lines(text: &str, name: &str, takes_fields: bool) -> Vec<usize> {
    let letters: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut line = 0;
    let mut at = 0;
    // Depth of braces at which a part put into a backtick string ends.
    let mut strings: Vec<usize> = Vec::new();
    let mut depth = 0;
    while let Some(&letter) = letters.get(at) {
        match letter {
            '\n' => line += 1,
            '/' if letters.get(at + 1) == Some(&'/') => {
                while letters.get(at + 1).is_some_and(|&next| next != '\n') {
                    at += 1;
                }
            }
            '/' if letters.get(at + 1) == Some(&'*') => {
                at += 2;
                while at < letters.len() && !(letters[at] == '*' && letters.get(at + 1) == Some(&'/')) {
                    line += usize::from(letters[at] == '\n');
                    at += 1;
                }
                at += 1;
            }
            '"' => {
                at += 1;
                while at < letters.len() && letters[at] != '"' {
                    at += usize::from(letters[at] == '\\');
                    at += 1;
                }
            }
            '`' => skip_template(&letters, &mut at, &mut line, &mut strings, depth),
            '{' => depth += 1,
            '}' if strings.last() == Some(&depth) => {
                strings.pop();
                skip_template(&letters, &mut at, &mut line, &mut strings, depth);
            }
            '}' => depth = depth.saturating_sub(1),
            first if begins_name(first) => {
                let start = at;
                while letters.get(at + 1).is_some_and(|&next| is_of_name(next)) {
                    at += 1;
                }
                let is_field =
                    start > 0 && letters[start - 1] == '.' && (start < 2 || letters[start - 2] != '.');
                let is_it = letters[start..=at].iter().copied().eq(name.chars());
                if is_it && (takes_fields || !is_field) && found.last() != Some(&line) {
                    found.push(line);
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Passes from inside a backtick string to its end, or to the beginning of the next part put in.
fn skip_template(letters: &[char], at: &mut usize, line: &mut usize, strings: &mut Vec<usize>, depth: usize) {
    *at += 1;
    while *at < letters.len() && letters[*at] != '`' {
        match letters[*at] {
            '\n' => *line += 1,
            '\\' => *at += 1,
            '$' if letters.get(*at + 1) == Some(&'{') => {
                *at += 1;
                strings.push(depth);
                return;
            }
            _ => {}
        }
        *at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[usize]) {
        assert_eq!(lines(text, "acc", false), expected, "{text}");
    }

    #[test]
    fn a_name_is_a_whole_word_outside_of_strings_and_comments() {
        check("acc += 1;\nlet x = accu;\nprint(acc);", &[0, 2]);
        check("// acc\n/* acc\nacc */ acc", &[2]);
        check("print(\"acc \\\" acc\");", &[]);
        check("x.acc; acc.len; 0..acc", &[0]);
        check("y.acc;", &[]);
        check("`acc ${ acc } acc`", &[0]);
        check("`acc\n${ #{ a: 1 } } acc ${\nacc}` + acc", &[2]);
        check("`acc", &[]);
    }

    #[test]
    fn in_an_arc_what_is_behind_a_dot_is_a_port() {
        assert_eq!(lines("Mult[i].done -> Solve.b", "done", true), [0]);
        assert!(lines("Mult[i].done -> Solve.b", "done", false).is_empty());
    }
}
