//! Numbers, texts, values and names of instances as bytes, for traces and snapshots.

/// Graph instances, actions and indices.
pub(crate) mod place;
/// Values.
pub(crate) mod value;
/// Numbers and texts.
pub(crate) mod varint;
