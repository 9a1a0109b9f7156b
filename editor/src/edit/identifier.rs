//! What can be a name.

use super::error::EditError;

/// Refuses what is no identifier.
pub(crate) fn check_name(name: &str) -> Result<(), EditError> {
    let begins = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
    if begins && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_') {
        return Ok(());
    }
    Err(EditError::BadName { name: name.to_owned() })
}
