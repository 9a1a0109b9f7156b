//! How values are shown in sessions: as text by [`Shown`], as plain data by [`shown_json`], and parts of them by a
//! [`Query`](query::Query).

/// The same as plain data.
mod data;
/// Parts of values by name.
pub mod query;
#[cfg(test)]
mod tests;

pub use data::shown_json;
pub use hasse_model::show::{Limits, Shown, Summary};
