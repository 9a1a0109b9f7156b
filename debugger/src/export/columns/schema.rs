//! Names and types of the columns of each table: a contract, told in `docs/exports.md`.

/// The columns of a table.
pub(super) type Columns = [(&'static str, Type)];

/// A row for each event.
pub(super) const EVENTS: [(&str, Type); 18] = [
    ("event", Type::Int),
    ("path", Type::Text),
    ("action", Type::Text),
    ("template", Type::Text),
    ("graph", Type::Text),
    ("index", Type::Ints),
    ("count", Type::Int),
    ("rule", Type::Int),
    ("rule_text", Type::TextOrNull),
    ("routes", Type::Ints),
    ("values_taken", Type::Int),
    ("values_sent", Type::Int),
    ("effects", Type::Int),
    ("outcome", Type::Text),
    ("error", Type::TextOrNull),
    ("worker", Type::IntOrNull),
    ("start_nanos", Type::IntOrNull),
    ("end_nanos", Type::IntOrNull),
];
/// A row for each value removed.
pub(super) const FLOW: [(&str, Type); 3] =
    [("event", Type::Int), ("nth", Type::Int), ("predecessor", Type::Int)];
/// A row for each access to an object.
pub(super) const SHARED: [(&str, Type); 6] = [
    ("event", Type::Int),
    ("nth", Type::Int),
    ("object", Type::Text),
    ("access", Type::Text),
    ("writer", Type::IntOrNull),
    ("readers", Type::Int),
];
/// A row for each immediate edge of causal order.
pub(super) const EDGES: [(&str, Type); 4] =
    [("event", Type::Int), ("kind", Type::Text), ("predecessor", Type::Int), ("object", Type::TextOrNull)];
/// A row for each action.
pub(super) const ACTIONS: [(&str, Type); 7] = [
    ("action", Type::Text),
    ("template", Type::Text),
    ("graph", Type::Text),
    ("index", Type::Ints),
    ("events", Type::Int),
    ("failed", Type::Int),
    ("first_event", Type::IntOrNull),
];
/// A row for each object.
pub(super) const OBJECTS: [(&str, Type); 6] = [
    ("object", Type::Text),
    ("declared", Type::Text),
    ("graph", Type::Text),
    ("index", Type::Ints),
    ("reads", Type::IntOrNull),
    ("writes", Type::IntOrNull),
];
/// One row.
pub(super) const RUN: [(&str, Type); 9] = [
    ("program", Type::Text),
    ("mode", Type::Text),
    ("workers", Type::Int),
    ("seed", Type::IntOrNull),
    ("params", Type::Text),
    ("outcome", Type::TextOrNull),
    ("events", Type::Int),
    ("executed", Type::IntOrNull),
    ("hasse_version", Type::Text),
];

/// What a column holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Type {
    /// Integers of 64 bits.
    Int,
    /// Integers or nothing.
    IntOrNull,
    /// Texts.
    Text,
    /// Texts or nothing.
    TextOrNull,
    /// Lists of integers.
    Ints,
}
