//! What the texts of a node name, assign and hand over to functions.

use std::collections::{BTreeMap, BTreeSet};

use hasse_model::diagnostic::Location;

use crate::decl::NodeDecl;
use crate::grammar::rules::{parse_firing, parse_routing};
use crate::grammar::token::tokens;
use crate::rhai_front::Front;
use crate::rhai_front::uses::handed_over;
use crate::rhai_front::walk::walk;
use crate::text::Excerpt;

/// Names in the texts of a node.
#[derive(Default)]
pub(super) struct NodeTexts {
    /// Names whose values are asked for.
    pub(super) read: BTreeSet<String>,
    /// Names that `init` or `do` assigns.
    pub(super) assigned: BTreeSet<String>,
    /// Those of `init` alone.
    pub(super) assigned_in_init: BTreeSet<String>,
    /// Names and the functions that they are handed to.
    pub(super) handed_over: BTreeSet<(String, String)>,
    /// Names that `init` or `do` binds itself.
    pub(super) lets: BTreeSet<String>,
    /// Where firing rules bind a name first.
    pub(super) bound_at: BTreeMap<String, Location>,
}

impl NodeTexts {
    /// Reads the texts of a node.
    pub(super) fn new(node: &NodeDecl<'_>, front: &Front) -> Self {
        let mut texts = Self::default();
        if let Some(text) = &node.unit.init {
            texts.add_body(&text.all(), front);
        }
        texts.assigned_in_init = texts.assigned.clone();
        if let Some(text) = node.unit.script_body() {
            texts.add_body(&text.all(), front);
        }
        if node.unit.has_native_body() {
            let names = || node.slots.iter().map(|slot| slot.name.clone());
            texts.read.extend(names());
            texts.assigned.extend(names());
        }
        for text in &node.unit.fire {
            texts.add_firing_rule(&text.all(), front);
        }
        for text in node.unit.all_routes() {
            texts.add_routing_rule(&text.all(), front);
        }
        texts
    }

    fn add_body(&mut self, text: &Excerpt<'_>, front: &Front) {
        let Ok(ast) = front.parse_body(text) else { return };
        let facts = walk(&ast);
        self.lets.extend(facts.lets);
        for free in facts.free {
            let names = if free.is_assigned { &mut self.assigned } else { &mut self.read };
            names.insert(free.name);
        }
        self.handed_over.extend(handed_over(&ast));
    }

    fn add_firing_rule(&mut self, text: &Excerpt<'_>, front: &Front) {
        let Ok(parts) = parse_firing(text) else { return };
        for binding in &parts.bindings {
            let at = binding.target.at();
            self.bound_at.entry(binding.target.as_str().to_owned()).or_insert(at);
            let bounds = binding.loops.iter().flat_map(|looped| looped.low.iter().chain([&looped.high]));
            for text in binding.elements.iter().chain(&binding.target_elements).chain(bounds) {
                self.add_expression(text, front);
            }
        }
        parts.after.iter().for_each(|after| self.add_expression(&after.number, front));
        parts.guard.iter().for_each(|guard| self.add_expression(guard, front));
    }

    fn add_routing_rule(&mut self, text: &Excerpt<'_>, front: &Front) {
        let Ok(parts) = parse_routing(text) else { return };
        for send in &parts.sends {
            let bounds = send.loops.iter().flat_map(|looped| looped.low.iter().chain([&looped.high]));
            for text in send
                .elements
                .iter()
                .chain(bounds)
                .chain([&send.value])
                .chain(send.after.as_ref().map(|after| &after.number))
            {
                self.add_expression(text, front);
            }
        }
        parts.guard.iter().for_each(|guard| self.add_expression(guard, front));
    }

    fn add_expression(&mut self, text: &Excerpt<'_>, front: &Front) {
        self.read.extend(names_in(text, front).unwrap_or_default());
    }
}

/// Free names of an expression; `None` where it cannot be read.
pub(super) fn names_in(text: &Excerpt<'_>, front: &Front) -> Option<BTreeSet<String>> {
    let ast = front.parse_expression(text).ok()?;
    Some(walk(&ast).free.into_iter().map(|free| free.name).collect())
}

/// A text with one space between its tokens.
pub(super) fn spelled(text: &Excerpt<'_>) -> String {
    let whole = text.as_str();
    tokens(whole).into_iter().map(|token| &whole[token.range]).collect::<Vec<_>>().join(" ")
}
