//! Struct types.

use std::fmt::Write as _;

use super::table::{Pairs, key_text, string};

/// A struct type.
#[derive(Clone, Debug)]
pub struct Struct {
    name: String,
    fields: Pairs,
}

impl Struct {
    /// A struct type without fields.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), fields: Pairs::new() }
    }

    pairs! {
        /// Adds a field: `("row", "int")`.
        field: fields (name, ty);
    }

    pub(super) fn write(&self, text: &mut String) {
        let _ = writeln!(text, "\n[type.{}]", key_text(&self.name));
        for (name, ty) in &self.fields {
            let _ = writeln!(text, "{} = {}", key_text(name), string(ty));
        }
    }
}
