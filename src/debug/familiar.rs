//! Words of other debuggers: what they stand for here, or what to say instead.

use super::line::{LineError, Piece};

/// The command that a word of another debugger stands for, with what follows it; `None` where it is none.
pub(super) fn expand(name: &str, rest: Piece<'_>) -> Result<Option<String>, LineError> {
    let rest = rest.trim();
    let text = rest.text;
    let plain = |command: &str| Ok(Some(format!("{command} {text}").trim_end().to_owned()));
    match name {
        "break" | "b" => breakpoint("stop", rest),
        "tbreak" | "tb" => breakpoint("once", rest),
        "continue" | "fg" => plain("cont"),
        "finish" => plain("next"),
        "exit" => plain("quit"),
        "bt" | "backtrace" => plain("why"),
        "info" | "i" => Ok(Some(info(rest)?)),
        "up" | "down" | "frame" | "thread" => {
            let message = format!("there is no command `{name}`: actions take the place of threads here");
            Err(LineError::new(
                rest.column,
                message,
                "`stopped` lists those that are stopped, `cd` selects one, `stack` shows the calls in its body",
            ))
        }
        "until" | "advance" | "jump" => {
            let message = format!("there is no command `{name}`");
            let hint = "`once at line N` stops there once; `step` goes on by a statement, `next` to the end of a body";
            Err(LineError::new(rest.column, message, hint))
        }
        _ => Ok(None),
    }
}

/// `break NODE`, `break LINE` and `break FILE:LINE`, with a condition or other clauses.
fn breakpoint(command: &str, rest: Piece<'_>) -> Result<Option<String>, LineError> {
    let text = rest.text;
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (place, clauses) = text.split_at(end);
    let line = place.rsplit_once(':').map_or(place, |(_, line)| line);
    let is_line = !line.is_empty() && line.chars().all(|letter| letter.is_ascii_digit());
    Ok(Some(match place {
        "" => {
            let hint = format!("say `{command} in NODE` or `{command} at line N`");
            return Err(LineError::new(rest.column, "a node or a line to stop at is missing", hint));
        }
        "in" | "at" | "on" | "if" | "after" => format!("{command} {text}"),
        _ if is_line => format!("{command} at line {line}{clauses}"),
        node => format!("{command} in {node}{clauses}"),
    }))
}

fn info(rest: Piece<'_>) -> Result<String, LineError> {
    Ok(match rest.text {
        "" | "b" | "break" | "breakpoints" | "watchpoints" | "display" => "status".to_owned(),
        "locals" | "args" | "frame" => "dump".to_owned(),
        "threads" => "stopped".to_owned(),
        other => {
            let hint = "`status` lists what is set, `dump` shows an action, `psym` a name, `lsi` all actions";
            return Err(LineError::new(rest.column, format!("there is no `info {other}`"), hint));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_other_debuggers_are_commands_here() {
        for (line, expected) in [
            ("break Mult", "stop in Mult"),
            ("b Mult[3] if count == 2", "stop in Mult[3] if count == 2"),
            ("b 12", "stop at line 12"),
            ("b solver.hasse:12 if x > 3", "stop at line 12 if x > 3"),
            ("break on failed", "stop on failed"),
            ("tbreak Solve", "once in Solve"),
            ("continue", "cont"),
            ("continue &", "cont &"),
            ("finish", "next"),
            ("bt Mult[3]", "why Mult[3]"),
            ("info breakpoints", "status"),
            ("exit", "quit"),
        ] {
            let end = line.find(' ').unwrap_or(line.len());
            let expanded = expand(&line[..end], Piece::of(line).from(end)).expect("nothing wrong");
            assert_eq!(expanded.as_deref(), Some(expected), "{line}");
        }
        assert_eq!(expand("stop", Piece::of("in Mult")), Ok(None));
        assert!(expand("break", Piece::of("")).is_err());
    }
}
