//! What the names of an expression may stand for, and whether some template of a breakpoint has them.

use std::collections::BTreeMap;

use hasse_model::id::TemplateId;
use hasse_model::plan::{Access, Plan, ScriptKind, SlotKind};
use rhai::Stmt;

use crate::breakpoint::Place;
use crate::expression::special::{SPECIAL_SYMBOLS, port_key};
use crate::expression::{Expression, PARSER};
use crate::grammar::error::{GrammarError, listing};

/// What a name in an expression stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameKind {
    /// A creation parameter of the graph.
    Param,
    /// An index number.
    Index,
    /// A var.
    Var,
    /// A shared object, with whether it may be written.
    Shared {
        /// Whether the node writes it.
        is_written: bool,
    },
    /// What a firing rule binds.
    Bound,
    /// What the body binds with `let` on its outermost level; known when it has ended.
    Let,
    /// `rule` or `count`.
    Counter,
    /// An input port.
    Port,
    /// A symbol that the debugger defines.
    Special,
}

/// A name that an expression on a template's actions may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownName {
    /// The name.
    pub name: String,
    /// What it stands for.
    pub kind: NameKind,
}

/// The names that an expression on the actions of a template may use: those of its scope in their order, what the
/// body binds with `let`, input ports, and the debugger's symbols. Where two have one name, the first is meant.
/// Cost: the body is parsed.
pub fn known_names(plan: &Plan, template: TemplateId) -> Vec<KnownName> {
    let template = plan.template(template);
    let mut names = Vec::new();
    let mut shared = template.shared.iter();
    for slot in &template.slots {
        let kind = match slot.kind {
            SlotKind::Param => NameKind::Param,
            SlotKind::Index => NameKind::Index,
            SlotKind::Var => NameKind::Var,
            SlotKind::Shared => {
                let is_written = shared.next().is_some_and(|used| used.access == Access::Write);
                NameKind::Shared { is_written }
            }
            SlotKind::Bound => NameKind::Bound,
            SlotKind::Let => NameKind::Let,
            SlotKind::Rule | SlotKind::Count => NameKind::Counter,
        };
        names.push(KnownName { name: slot.name.clone(), kind });
    }
    let lets = template.body_script().map(|body| lets_of(plan, body.idx())).unwrap_or_default();
    let lets = lets.into_iter().filter(|name| template.slots.iter().all(|slot| slot.name != *name));
    names.extend(lets.map(|name| KnownName { name, kind: NameKind::Let }));
    names.extend(
        template.inputs.iter().map(|port| KnownName { name: port.name.clone(), kind: NameKind::Port }),
    );
    let symbols = SPECIAL_SYMBOLS.iter().filter(|(symbol, _)| *symbol != "port");
    names
        .extend(symbols.map(|(symbol, _)| KnownName { name: (*symbol).to_owned(), kind: NameKind::Special }));
    names
}

/// What the outermost level of a body binds, in its order.
fn lets_of(plan: &Plan, script_idx: usize) -> Vec<String> {
    let script = &plan.scripts[script_idx];
    debug_assert_eq!(script.kind, ScriptKind::Body, "only bodies bind names for others");
    let Ok(ast) = PARSER.compile(&script.text) else { return Vec::new() };
    let mut names: Vec<String> = Vec::new();
    for statement in ast.statements() {
        if let Stmt::Var(variable, ..) = statement
            && !names.iter().any(|name| *name == variable.0.name)
        {
            names.push(variable.0.name.to_string());
        }
    }
    names
}

/// The names of the templates of a breakpoint.
pub(crate) struct Scope<'p> {
    pub(crate) plan: &'p Plan,
    names: BTreeMap<String, Vec<NameKind>>,
    ports: Vec<String>,
    /// What the templates are called in messages.
    label: String,
    /// Whether the body has ended.
    is_after_body: bool,
    has_value: bool,
}

impl<'p> Scope<'p> {
    pub(crate) fn new(plan: &'p Plan, templates: &[TemplateId], place: &Place) -> Self {
        let mut names: BTreeMap<String, Vec<NameKind>> = BTreeMap::new();
        let mut ports = Vec::new();
        for &template in templates {
            for known in known_names(plan, template) {
                if known.kind == NameKind::Port {
                    ports.push(known.name.clone());
                }
                let kinds = names.entry(known.name).or_default();
                if !kinds.contains(&known.kind) {
                    kinds.push(known.kind);
                }
            }
        }
        ports.sort_unstable();
        ports.dedup();
        let label = match templates {
            [one] => format!("`{}`", plan.template_label(plan.template(*one))),
            _ => "none of the actions named".to_owned(),
        };
        let is_after_body = match place {
            Place::Befcomp | Place::Shared { .. } => false,
            Place::Line(_)
            | Place::Aftcomp
            | Place::Send
            | Place::Failed
            | Place::Arc(_)
            | Place::Creation(_) => true,
        };
        let has_value = matches!(place, Place::Arc(_));
        Self { plan, names, ports, label, is_after_body, has_value }
    }

    /// Looks the names of an expression up. It begins behind `n_before` characters of the line.
    pub(crate) fn check(&self, expression: &Expression, n_before: usize) -> Result<(), GrammarError> {
        for (selector, column) in expression.selectors() {
            let n_before = n_before + column - 1;
            selector.templates(self.plan).map_err(|error| GrammarError::of_selector(error, n_before))?;
        }
        for (name, column) in expression.uses() {
            self.check_name(name, n_before + column)?;
        }
        Ok(())
    }

    fn check_name(&self, name: &str, column: usize) -> Result<(), GrammarError> {
        if self.ports.iter().any(|port| port_key(port) == name) {
            return Ok(());
        }
        if let Some(port) = name.strip_prefix(&port_key("")) {
            let hint = format!("input ports: {}", listing(&self.ports));
            let message = self.lacks("input port", port);
            return Err(GrammarError::new(column, message, hint).unknown(port, self.ports.clone()));
        }
        if name == "value" && !self.has_value && self.names.get(name).is_none_or(|kinds| kinds.len() == 1) {
            let hint = "`on arc NODE.PORT` breaks where a value passes";
            return Err(GrammarError::new(column, "there is a `value` at an arc only", hint));
        }
        match self.names.get(name).map(Vec::as_slice) {
            Some([NameKind::Let]) if !self.is_after_body => {
                let message = format!("`{name}` is bound in the body, which has not begun here");
                Err(GrammarError::new(column, message, "break `at aftcomp`"))
            }
            Some(_) => Ok(()),
            None => Err(self.unknown(name, column)),
        }
    }

    /// Whether a name may be given another value.
    pub(crate) fn check_target(&self, name: &str, column: usize) -> Result<(), GrammarError> {
        let Some(kinds) = self.names.get(name) else { return Err(self.unknown(name, column)) };
        let is_assignable = |kind: &NameKind| match kind {
            NameKind::Var | NameKind::Bound | NameKind::Let => true,
            NameKind::Shared { is_written } => *is_written,
            NameKind::Param | NameKind::Index | NameKind::Counter | NameKind::Port | NameKind::Special => {
                false
            }
        };
        if kinds.iter().any(is_assignable) {
            return self.check_name(name, column);
        }
        let message = match kinds[0] {
            NameKind::Shared { .. } => format!("`{name}` is read, not written, by the node"),
            _ => format!("`{name}` cannot be given another value"),
        };
        let hint = "vars, bound names and written shared objects can be assigned";
        Err(GrammarError::new(column, message, hint))
    }

    fn unknown(&self, name: &str, column: usize) -> GrammarError {
        let is_here = |known: &&String| self.has_value || *known != "value";
        let known: Vec<String> = self.names.keys().filter(is_here).cloned().collect();
        let hint = format!("known here: {}", listing(&known));
        GrammarError::new(column, self.lacks("name", name), hint).unknown(name, known)
    }

    fn lacks(&self, what: &str, name: &str) -> String {
        if self.label.starts_with('`') {
            format!("{} has no {what} `{name}`", self.label)
        } else {
            format!("{} has a{} {what} `{name}`", self.label, if what.starts_with('i') { "n" } else { "" })
        }
    }
}
