//! Predicates as data, and their one spelling.

use std::fmt;

use super::attribute::Attribute;
use super::condition::Condition;
use super::relation::{Relation, VarId};
use crate::check::moment::Moment;
use crate::check::spec::Spec;

/// A predicate: a quantifier at the top, and what stands in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    pub(super) top: Quantified,
    /// Event variables of all quantifiers; a `VarId` is a position here.
    pub(super) variables: Vec<Variable>,
    /// Conditions on attributes.
    pub(super) conditions: Vec<Condition>,
}

impl Predicate {
    /// Range of each of its event variables, in the order of the text.
    pub(in crate::check) fn specs(&self) -> impl Iterator<Item = &Spec> {
        self.variables.iter().map(|variable| &variable.spec)
    }

    /// The values that conditions ask for, with the events that they are of.
    pub(in crate::check) fn values(&self) -> impl Iterator<Item = (&Spec, Moment)> {
        let inputs = self.conditions.iter().flat_map(|condition| &condition.inputs);
        inputs.filter_map(|input| match input.attribute {
            Attribute::Values(moment, _) => Some((&self.variables[input.var].spec, moment)),
            _ => None,
        })
    }
}

/// An event variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    pub(super) name: String,
    /// Which events it may stand for.
    pub(super) spec: Spec,
}

/// What a quantifier says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantifier {
    Forall,
    Exists,
    Never,
}

/// A quantifier with its variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Quantified {
    pub(super) quantifier: Quantifier,
    pub(super) variables: Vec<VarId>,
    /// What stands behind `where`.
    pub(super) guard: Option<Formula>,
    /// What stands behind `:`; always there for `forall`.
    pub(super) body: Option<Formula>,
}

/// What is true or false of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Formula {
    Constant(bool),
    Order(VarId, Relation, VarId),
    /// Position in [`Predicate::conditions`].
    Condition(usize),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Quantified(Box<Quantified>),
}

impl Formula {
    /// How strongly its parts are held together; more is stronger.
    fn strength(&self) -> u8 {
        match self {
            Formula::Quantified(_) => 0,
            Formula::Implies(..) => 1,
            Formula::Or(_) => 2,
            Formula::And(_) => 3,
            Formula::Not(_) => 4,
            Formula::Constant(_) | Formula::Order(..) | Formula::Condition(_) => 5,
        }
    }
}

impl Predicate {
    /// Writes a part of the predicate as it is read.
    pub(super) fn shown<'p>(&'p self, formula: &'p Formula) -> impl fmt::Display + 'p {
        fmt::from_fn(move |f| self.write(f, formula, 0))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, formula: &Formula, outer: u8) -> fmt::Result {
        let strength = formula.strength();
        if strength < outer {
            write!(f, "(")?;
            self.write(f, formula, 0)?;
            return write!(f, ")");
        }
        let joined = |f: &mut fmt::Formatter<'_>, parts: &[Formula], word: &str| {
            parts.iter().enumerate().try_for_each(|(part_idx, part)| {
                if part_idx > 0 {
                    write!(f, " {word} ")?;
                }
                self.write(f, part, strength + 1)
            })
        };
        match formula {
            Formula::Constant(flag) => write!(f, "{flag}"),
            Formula::Order(left, relation, right) => {
                let name = |var: &VarId| &self.variables[*var].name;
                write!(f, "{} {} {}", name(left), relation.symbol(), name(right))
            }
            Formula::Condition(condition) => write!(f, "{}", self.conditions[*condition].text),
            Formula::Not(inner) => {
                write!(f, "!")?;
                // Not without brackets in front of a comparison, which people read otherwise.
                let outer =
                    if matches!(**inner, Formula::Not(_) | Formula::Constant(_)) { strength } else { 6 };
                self.write(f, inner, outer)
            }
            Formula::And(parts) => joined(f, parts, "&&"),
            Formula::Or(parts) => joined(f, parts, "or"),
            Formula::Implies(left, right) => {
                self.write(f, left, strength + 1)?;
                write!(f, " => ")?;
                self.write(f, right, strength)
            }
            Formula::Quantified(quantified) => self.write_quantified(f, quantified),
        }
    }

    fn write_quantified(&self, f: &mut fmt::Formatter<'_>, quantified: &Quantified) -> fmt::Result {
        let word = match quantified.quantifier {
            Quantifier::Forall => "forall",
            Quantifier::Exists => "exists",
            Quantifier::Never => "never",
        };
        for (position, &var) in quantified.variables.iter().enumerate() {
            let Variable { name, spec } = &self.variables[var];
            let before = if position == 0 { word } else { "," };
            write!(f, "{before} {name}: {spec}")?;
        }
        if let Some(guard) = &quantified.guard {
            write!(f, " where ")?;
            self.write(f, guard, 1)?;
        }
        if let Some(body) = &quantified.body {
            write!(f, " : ")?;
            self.write(f, body, 0)?;
        }
        Ok(())
    }
}

/// Writes the predicate in one spelling.
impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_quantified(f, &self.top)
    }
}
