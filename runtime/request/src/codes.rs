//! Every code that an error of a run can carry.

/// Every code of a run with a one-line title, sorted.
pub const CODES: &[(&str, &str)] = &[
    ("R0001", "a body, `init` or an expression failed"),
    ("R0002", "two concurrent events set the same result"),
    ("R0003", "a value does not fit the type of its var, port or shared object"),
    ("R0004", "no arc takes a value that is sent"),
    ("R0005", "a guard, index number, bound or delay could not be computed"),
    ("R0006", "a shared name leads to no object, or two lead to the same one"),
    ("R0010", "the memory budget of an event is used up"),
    ("R0011", "the sandbox does not grant what was asked for"),
    ("R0012", "the memory of a run is used up"),
    ("R0013", "a port to which an event sends is full"),
];
