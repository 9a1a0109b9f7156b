//! What can be a name.

use hasse_model::name::is_name;

use super::error::EditError;

/// Refuses what is no name.
pub(crate) fn check_name(name: &str) -> Result<(), EditError> {
    if is_name(name) { Ok(()) } else { Err(EditError::BadName { name: name.to_owned() }) }
}
