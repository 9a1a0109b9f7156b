//! Messages about what was done.

/// A message about what was done, or why it was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// One sentence; empty for nothing.
    pub text: String,
    /// Whether something was refused or failed.
    pub is_refusal: bool,
}

/// Returns a text with its first letter in upper case.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}
