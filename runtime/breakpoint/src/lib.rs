//! The language of breakpoints: places, conditions and reactions as plain data, expressions over the names of an action, and the
//! commands as text.
//!
//! May know plans and the interpreter. It knows no run: whoever evaluates an expression says what names hold.

pub mod breakpoint;
pub mod expression;
pub mod grammar;
