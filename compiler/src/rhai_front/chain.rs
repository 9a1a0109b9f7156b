//! Chains: the fields and items that a text reaches from a name, as in `b.rows[3].n`.

use hasse_model::diagnostic::{Diagnostic, Location};
use hasse_model::value::Type;
use rhai::{ASTFlags, Expr, Position};

use super::walk::Facts;
use crate::scope::{Meaning, Scope};
use crate::suggest;

/// A name and what is reached from it, up to the first call.
#[derive(Debug)]
pub(crate) struct Chain {
    pub(crate) root: String,
    pub(crate) steps: Vec<Step>,
    /// Whether it ends in something else than a field or an item.
    pub(crate) goes_on: bool,
}

/// One step of a chain.
#[derive(Debug)]
pub(crate) enum Step {
    /// `.field`
    Field(String, Position),
    /// `[..]`; whether the index is a literal integer or a name or expression is not known.
    Item,
}

impl Chain {
    /// The chain of an expression, where it begins with a name.
    pub(crate) fn of(expression: &Expr) -> Option<Self> {
        let (Expr::Dot(parts, ..) | Expr::Index(parts, ..)) = expression else { return None };
        let Expr::Variable(variable, ..) = &parts.lhs else { return None };
        let mut chain = Self { root: variable.1.to_string(), steps: Vec::new(), goes_on: false };
        let mut rest = Some(expression);
        while let Some(link) = rest {
            let (parts, flags, is_dot) = match link {
                Expr::Dot(parts, flags, _) => (parts, flags, true),
                Expr::Index(parts, flags, _) => (parts, flags, false),
                _ => break,
            };
            // The right side of a link that is not the last one is the next link, and begins with
            // what this link reaches.
            let next = match &parts.rhs {
                Expr::Dot(next, ..) | Expr::Index(next, ..) if !flags.contains(ASTFlags::BREAK) => {
                    Some(&next.lhs)
                }
                _ => None,
            };
            match next.unwrap_or(&parts.rhs) {
                Expr::Property(property, position) if is_dot => {
                    chain.steps.push(Step::Field(property.2.to_string(), *position));
                }
                _ if !is_dot => chain.steps.push(Step::Item),
                _ => {
                    chain.goes_on = true;
                    break;
                }
            }
            rest = next.map(|_| &parts.rhs);
        }
        Some(chain)
    }
}

/// A field that its struct type does not have.
pub(crate) struct UnknownField {
    pub(crate) position: Position,
    name: String,
    ty: String,
    known: Vec<String>,
}

impl UnknownField {
    pub(crate) fn diagnostic(&self, at: Location) -> Diagnostic {
        let message = format!("`{}` has no field `{}`", self.ty, self.name);
        let help = suggest::help(&self.name, "fields", self.known.iter().map(String::as_str));
        Diagnostic::error("E0207", message, at, "").with_help(help)
    }
}

/// The fields that a text names and that the declared types of its names do not have. A name that the
/// text assigns as a whole may hold anything on the way, and is not looked at.
pub(crate) fn unknown_fields(facts: &Facts, scope: &Scope) -> Vec<UnknownField> {
    let is_replaced = |name: &str| facts.free.iter().any(|free| free.name == name && free.is_replaced);
    let mut unknown: Vec<UnknownField> = Vec::new();
    for chain in facts.chains.iter().filter(|chain| !is_replaced(&chain.root)) {
        let Some(mut ty) = root_type(&chain.root, scope) else { continue };
        for step in &chain.steps {
            let next = match (step, &ty) {
                (Step::Item, Type::Array(items)) => Some((**items).clone()),
                (Step::Item | Step::Field(..), Type::Map(values)) => Some((**values).clone()),
                (Step::Field(name, position), Type::Struct(of)) => {
                    let next = of.field(name);
                    if next.is_none() {
                        let known = of.shape().fields.iter().map(ToString::to_string).collect();
                        let (name, ty) = (name.clone(), of.name().to_owned());
                        unknown.push(UnknownField { position: *position, name, ty, known });
                    }
                    next
                }
                _ => None,
            };
            let Some(next) = next else { break };
            ty = next;
        }
    }
    unknown
}

/// The type of what a name stands for, where it is certain.
pub(crate) fn root_type(name: &str, scope: &Scope) -> Option<Type> {
    match scope.get(name)? {
        Meaning::Script(ty) => ty.clone(),
        Meaning::Slot { ty, .. } | Meaning::Param { ty, .. } => Some(ty.clone()),
        Meaning::Local(_) => Some(Type::Int),
        Meaning::Hidden(_) | Meaning::Nearby(_) => None,
    }
}
