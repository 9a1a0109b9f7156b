//! Predicates with quantifiers over events: `forall m: Mult, s: Solve where m -> s : m.index == m.count`.
//!
//! The grammar; a SPEC is that of [`command`](super::command), and CONDITION a Rhai expression over attributes:
//!
//! ```text
//! predicate = ("forall" | "exists" | "never") NAME ":" SPEC {"," NAME ":" SPEC} ["where" formula] [":" formula]
//! formula   = either ["=>" formula]
//! either    = both {"or" both}
//! both      = unary {("&&" | "and") unary}
//! unary     = ("!" | "not") unary | "(" formula ")" | predicate | order | "true" | "false" | CONDITION
//! order     = NAME {("->" | "<" | ">" | "||" | "==" | "!=") NAME}
//! ```
//!
//! `a -> b`: the record of b lists a among its predecessors, by a value, as the writer of an object, or relayed. `a < b`:
//! causal order. `a || b`: two events, none before the other.
//!
//! Evaluation, ours: a predicate is a search for combinations of events, such as those that violate it. A combination
//! is looked at when the last of its events is delivered, for then all that is asked of its order is known. The
//! search goes through the variables one by one. What is known of a variable's order to those before it leaves,
//! of each action, a range of events without a gap: what is before an event begins with the action's first one, what
//! is after it ends with the last one, and what is concurrent lies between; vector clocks give the ends of the
//! ranges (Mattern 1989; slots as in Hyder 1994, section 6.5.2). `m -> s` leaves the predecessors that the record
//! lists. An inner quantifier that later events can decide otherwise is left open, and looked at again at the end.

mod attribute;
mod condition;
mod explain;
mod formula;
mod grammar;
mod levels;
mod lower;
mod relation;
mod search;
mod search_plan;
mod store;
mod token;
mod watch;

pub use formula::Predicate;
pub(super) use grammar::read;
pub(super) use watch::PredicateCheck;

#[cfg(test)]
mod tests;
