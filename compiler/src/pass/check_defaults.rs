//! Defaults of creation parameters and vars, and the first contents of shared objects.

use hasse_model::diagnostic::Diagnostic;
use hasse_model::plan::{Code, Param, Shared, SlotKind};
use hasse_model::value::Type;

use super::pattern::param_scope;
use crate::decl::{GraphDecl, NodeDecl};
use crate::scope::{Meaning, Scope};
use crate::session::{NameCodes, Session};
use crate::text::Excerpt;

/// Creation parameters; a default sees the parameters in front of its own.
pub(crate) fn check_params(graph: &GraphDecl<'_>, session: &mut Session<'_>) -> Vec<Param> {
    let mut scope = Scope::default();
    let mut params = Vec::new();
    for (param_idx, param) in (0..).zip(&graph.params) {
        let default = check_value(param.default.as_ref(), &param.ty, &scope, session);
        let (name, ty) = (param.name.text.clone(), param.ty.clone());
        params.push(Param { name, ty, default, at: param.name.at });
        scope.add(&param.name.text, Meaning::Param { param_idx, ty: param.ty.clone() });
    }
    params
}

/// Shared objects; `init` sees the parameters and the object's index names.
pub(crate) fn check_shared(graph: &GraphDecl<'_>, session: &mut Session<'_>) -> Vec<Shared> {
    let mut objects = Vec::new();
    for object in &graph.shared {
        let mut scope = param_scope(graph);
        for (local, name) in (0..).zip(object.index) {
            scope.add(&name.text, Meaning::Local(local));
        }
        let whole = object.init.map(|text| text.all());
        let init = whole.map(|text| text.part(0..text.as_str().len()));
        objects.push(Shared {
            name: object.name.text.clone(),
            graph: graph.id,
            index_names: object.index.iter().map(|name| name.text.clone()).collect(),
            ty: object.ty.clone(),
            init: check_value(init.as_ref(), &object.ty, &scope, session),
            at: object.name.at,
        });
    }
    objects
}

/// Defaults of a node's vars; they see parameters and index names.
pub(crate) fn check_vars(node: &NodeDecl<'_>, session: &mut Session<'_>) -> Vec<Option<Code>> {
    let mut scope = Scope::default();
    scope.add_slots(&node.slots, |kind| match kind {
        SlotKind::Param | SlotKind::Index => None,
        SlotKind::Var => Some("defaults see parameters and index names only; use `init`"),
        _ => Some("defaults see parameters and index names only"),
    });
    let types: Vec<_> = node.slots_of(SlotKind::Var).map(|slot| slot.ty.clone()).collect();
    let pairs = node.var_defaults.iter().zip(types);
    pairs.map(|(default, ty)| check_value(default.as_ref(), &ty, &scope, session)).collect()
}

/// Checks an expression whose value is to have a type.
pub(super) fn check_value(
    text: Option<&Excerpt<'_>>,
    ty: &Type,
    scope: &Scope,
    session: &mut Session<'_>,
) -> Option<Code> {
    let text = text?;
    let checked = session.expression(text, scope, NameCodes::USUAL)?;
    if let Some(found) = checked.ty.filter(|found| !ty.accepts(found)) {
        let message = format!("`{}` is a value of type `{found}`, not `{ty}`", text.as_str());
        session.report(Diagnostic::error("E0202", message, text.at(), ""));
        return None;
    }
    Some(checked.code)
}
