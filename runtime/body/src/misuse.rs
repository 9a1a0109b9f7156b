//! Messages for calls of functions and operators that do not exist for the values that they are given.

use hasse_model::name::begins_name;

use crate::library;

/// Most forms of a function that a message lists.
const MOST_FORMS: usize = 4;

/// What is wrong with a call that the interpreter found no function for; `call` is its text, as `pad_left (i64, i64)`.
pub(crate) fn message(call: &str) -> String {
    let (name, arguments) = call.split_once(" (").unwrap_or((call, ")"));
    let arguments = types(arguments.strip_suffix(')').unwrap_or(arguments));
    let is_operator = !name.starts_with(begins_name);
    if is_operator {
        return of_operator(name, &arguments);
    }
    let given = match &arguments[..] {
        [] => "nothing".to_owned(),
        arguments => format!("({})", arguments.join(", ")),
    };
    match library::find(name) {
        Some(function) => {
            let forms: Vec<String> = function.calls.split("; ").map(|form| format!("`{form}`")).collect();
            let more = if forms.len() > MOST_FORMS { ", .." } else { "" };
            let shown = forms[..forms.len().min(MOST_FORMS)].join(", ");
            format!("`{name}` does not take {given}; its forms: {shown}{more}")
        }
        None => format!("there is no function `{name}` that takes {given}"),
    }
}

fn of_operator(sign: &str, arguments: &[String]) -> String {
    let is_nothing = |argument: &&String| *argument == "nothing";
    let about_nothing = if arguments.iter().any(|argument| is_nothing(&argument)) {
        ": a key of a map that is not there, and a name without a value, hold nothing"
    } else {
        ""
    };
    match arguments {
        [one] => format!("there is no `{sign}` of {one}{about_nothing}"),
        [one, other] => format!("there is no `{one} {sign} {other}`{about_nothing}"),
        _ => format!("there is no `{sign}` of ({})", arguments.join(", ")),
    }
}

/// The types of a list of the interpreter, as a program names them.
fn types(list: &str) -> Vec<String> {
    let mut types = Vec::new();
    let (mut level, mut start) = (0, 0);
    for (at, character) in list.char_indices() {
        match character {
            '(' | '<' | '[' => level += 1,
            ')' | '>' | ']' => level -= 1,
            ',' if level == 0 => {
                types.push(type_name(list[start..at].trim()));
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = list[start..].trim();
    if !last.is_empty() {
        types.push(type_name(last));
    }
    types
}

/// A type of the interpreter as a program names it.
fn type_name(name: &str) -> String {
    let name = name.trim_start_matches('&').trim_start_matches("mut ");
    match name {
        "i64" => "int",
        "f64" => "real",
        "()" => "nothing",
        "str" | "ImmutableString" => "string",
        "Array" => "array",
        "Map" => "map",
        "Blob" | "blob" => "bytes",
        "FnPtr" | "Fn" => "function",
        "range" | "range=" => "range",
        other => other.rsplit("::").next().unwrap_or(other),
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_explained_in_words_of_the_language() {
        for (call, expected) in [
            (
                "+ ((), i64)",
                "there is no `nothing + int`: a key of a map that is not there, and a name without a value, hold nothing",
            ),
            ("- (string)", "there is no `-` of string"),
            ("pad_left (i64, i64)", "`pad_left` does not take (int, int); its forms: `pad_left("),
            ("append (array, i64)", "`append` does not take (array, int); its forms: `append("),
            ("nowhere ()", "there is no function `nowhere` that takes nothing"),
            ("nowhere (&str, f64)", "there is no function `nowhere` that takes (string, real)"),
        ] {
            let message = message(call);
            assert!(message.starts_with(expected), "{message}");
        }
    }
}
