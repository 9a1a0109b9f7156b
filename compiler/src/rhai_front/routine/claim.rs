//! Claims: types that must fit when all of them are known.

use rhai::Position;

use super::route::Route;

/// That what stands at the end of one way is put where another one leads: their types must fit when all is known.
pub(super) struct Claim {
    pub(super) target: Route,
    /// Whether it becomes an item of the array there.
    pub(super) as_item: bool,
    pub(super) source: Route,
    pub(super) position: Position,
}
