//! What came of an event that was executed alone, for a person.

use std::io::{self, Write};

use super::Executed;
use crate::api::event::compare::Difference;
use crate::api::event::values::{write_answers, write_lines, write_named, write_sent};

impl Executed {
    /// Writes it for a person; `program_path` stands before the line numbers.
    ///
    /// # Errors
    /// `out` does not take it.
    pub fn write_text(&self, program_path: &str, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{} alone", self.event)?;
        match self.changed.as_slice() {
            [] => writeln!(out)?,
            changed => writeln!(out, ", with another {}", changed.join(" and "))?,
        }
        match &self.failure {
            None if self.outcome == "done" => {}
            None => writeln!(out, "{}", self.outcome)?,
            Some(failure) => {
                let place = if failure.line > 0 {
                    format!(" ({program_path}:{})", failure.line)
                } else {
                    String::new()
                };
                writeln!(out, "{}: {} {}{place}", self.outcome, failure.code, failure.message)?;
            }
        }
        write_named(out, "vars after", &self.vars)?;
        write_named(out, "shared objects after", &self.shared)?;
        write_named(out, "bound by let", &self.lets)?;
        for route in &self.routes {
            writeln!(out, "routing rule `{}` ({program_path}:{})", route.text, route.line)?;
        }
        write_sent(out, &self.sent)?;
        write_lines(out, &self.lines)?;
        write_named(out, "results", &self.results)?;
        write_answers(out, &self.answers)?;
        if self.n_times > 1 {
            match self.not_repeated.as_slice() {
                [] => writeln!(out, "the same {} times", self.n_times)?,
                differences => {
                    writeln!(out, "not the same each of {} times:", self.n_times)?;
                    write_differences(out, differences, "once", "then")?;
                }
            }
        }
        match self.differences.as_deref() {
            None => writeln!(out, "the record does not tell what came of it: its run was ended while it ran"),
            Some([]) => writeln!(out, "the same as recorded"),
            Some(differences) => {
                writeln!(out, "not as recorded:")?;
                write_differences(out, differences, "recorded", "now")
            }
        }
    }
}

fn write_differences(
    out: &mut dyn Write,
    differences: &[Difference],
    recorded: &str,
    found: &str,
) -> io::Result<()> {
    differences.iter().try_for_each(|difference| {
        let Difference { what, recorded: was, found: is } = difference;
        writeln!(out, "  {what}: {recorded} {was}, {found} {is}")
    })
}
