//! Texts of bounded length, which errors show: of a value of 16 MB the start is enough.

use std::fmt::{self, Display, Write};

/// Writes a value, and stops after so many bytes; `...` marks the cut. Cost: the length of what is kept.
///
/// ```
/// use hasse_model::value::{Value, brief};
///
/// assert_eq!(brief(&Value::Int(12), 80), "12");
/// assert_eq!(brief(&"x".repeat(1 << 20), 4), "xxxx...");
/// ```
pub fn brief(shown: &impl Display, max_bytes: usize) -> String {
    let mut brief = Brief { text: String::new(), max_bytes };
    match write!(brief, "{shown}") {
        Ok(()) => brief.text,
        Err(fmt::Error) => brief.text + "...",
    }
}

/// A text that refuses what does not fit, which ends the writing.
struct Brief {
    text: String,
    max_bytes: usize,
}

impl Write for Brief {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        let room = self.max_bytes - self.text.len();
        let kept = &part[..part.floor_char_boundary(room)];
        self.text.push_str(kept);
        if kept.len() == part.len() { Ok(()) } else { Err(fmt::Error) }
    }
}
