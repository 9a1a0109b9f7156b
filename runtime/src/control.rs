//! Interactive control: stopping, continuing and querying the actions of a run (Hyder 1994, chapter 7).

/// User breakpoints.
pub mod breakpoint;
/// Expressions over an action's names.
pub mod expression;
/// The commands that set breakpoints.
pub mod grammar;
