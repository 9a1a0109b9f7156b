//! Which of three kinds a body is: typing into it, and making it one of another kind.

use toml_edit::DocumentMut;

use super::change::{Refusal, form_of, set_field};
use super::section::Section;
use crate::edit::EditError;
use crate::edit::identifier::check_name;
use crate::forms::{BodyKind, FieldValue};
use crate::panels::subject::Subject;

/// What the body of a section is.
fn kind_of(section: &Section) -> BodyKind {
    let named = section.cell(0, 1).map(|cell| cell.base.as_str());
    BodyKind::ALL.into_iter().find(|kind| named == Some(kind.name())).unwrap_or(BodyKind::Rhai)
}

/// What a body says whose text was typed.
pub(super) fn typed(section: &Section, text: &str) -> Result<FieldValue, EditError> {
    Ok(match kind_of(section) {
        BodyKind::Rhai => FieldValue::Text(text.to_owned()),
        BodyKind::Rust => FieldValue::Rust(text.to_owned()),
        BodyKind::Native => {
            check_name(text)?;
            FieldValue::Native(text.to_owned())
        }
    })
}

/// Makes a body one of another kind: a text stays what it is, to be translated; a native body is called as its node is.
pub(super) fn set_kind(
    tables: &mut DocumentMut,
    subject: &Subject,
    section: &Section,
    kind: &str,
) -> Result<(), Refusal> {
    let kind = BodyKind::ALL.into_iter().find(|known| known.name().eq_ignore_ascii_case(kind));
    let (kind, old) = (kind.ok_or(Refusal::NoBodyKind)?, kind_of(section));
    let held = section.cell(0, 0).filter(|_| old != BodyKind::Native);
    let text = held.map(|cell| cell.base.clone()).unwrap_or_default();
    let value = match kind {
        _ if kind == old => return Ok(()),
        BodyKind::Rhai => FieldValue::Text(text),
        BodyKind::Rust => FieldValue::Rust(text),
        BodyKind::Native => {
            FieldValue::Native(form_of(subject).and_then(|(_, node)| node).unwrap_or_default().to_owned())
        }
    };
    Ok(set_field(tables, subject, &section.key, &value)?)
}
