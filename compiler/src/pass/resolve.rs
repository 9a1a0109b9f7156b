//! Declared names and types of a graph: what can be named is a name, stands once in its scope, and has
//! a type that exists.

use std::collections::HashMap;

use hasse_model::diagnostic::{Diagnostic, Location};
use hasse_model::id::GraphId;
use hasse_model::name::is_name;
use hasse_model::plan::{Access, ERROR_TYPE, FullPolicy, Port, Slot, SlotKind};
use hasse_model::value::Type;
use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::decl::{
    CallDecl, Forwarded, GraphDecl, LocalShared, NodeDecl, ParamDecl, PortDecl, SharedDecl, Timer,
};
use crate::grammar::types::{declaration, parse_port_key, parse_type};
use crate::session::Session;
use crate::syntax::{Entry, Graph, Name, Program, TIMER_PORT, Unit};
use crate::text::{Excerpt, Text};

/// Names that bodies, rules and expressions of the debugger give a meaning.
const NAMES_OF_RULES: [&str; 5] = ["rule", "count", "NodeIndex", "ExecCnt", "Pred"];
/// Names of a graph's interface, at the ends of arcs.
const NAMES_OF_INTERFACE: [&str; 3] = ["in", "out", "inout"];

/// Use of a name, as far as it decides which words are reserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameUse {
    /// Rhai texts use it: a parameter, index, var, bound or shared name, or a struct type.
    Script,
    /// An end of arcs: a node, a call or a shared object; and a graph, which selectors name next to them.
    Node,
    /// A port, which arcs and rules name.
    Port,
}

/// Names taken so far within one scope, and where.
#[derive(Clone, Default)]
struct Taken(HashMap<String, (&'static str, Location)>);

/// Checks the main graph's name and the names of all graphs.
pub(crate) fn resolve_program(program: &Program, session: &mut Session<'_>) {
    for graph in &program.graphs {
        check_word(&graph.name.text, NameUse::Node, graph.name.at, session);
    }
    let Some(main) = &program.main else { return };
    if !program.graphs.iter().any(|graph| graph.name.text == main.text) {
        let message = if program.graphs.is_empty() {
            "the program has no graphs".to_owned()
        } else {
            format!("the main graph `{}` does not exist", main.text)
        };
        let names = program.graphs.iter().map(|graph| graph.name.text.as_str());
        let help = crate::suggest::help(&main.text, "graphs", names);
        session.report(Diagnostic::error("E0006", message, main.at, "").with_help(help));
    }
}

/// Resolves the declarations of all graphs; a [`GraphId`] is a position in the result.
pub(crate) fn resolve_graphs<'t>(program: &'t Program, session: &mut Session<'_>) -> Vec<GraphDecl<'t>> {
    let ids = (0..program.graphs.len()).map(GraphId::from_idx);
    ids.zip(&program.graphs).map(|(id, graph)| resolve(id, graph, program, session)).collect()
}

fn resolve<'t>(id: GraphId, graph: &'t Graph, program: &Program, session: &mut Session<'_>) -> GraphDecl<'t> {
    let mut taken_params = Taken::default();
    let params: Vec<_> = graph
        .params
        .iter()
        .map(|entry| {
            session.claim(&mut taken_params, &entry.name, "parameter");
            let declaration = declaration(&entry.text.all());
            let ty = session.ty(&declaration.ty).unwrap_or(Type::Any);
            ParamDecl { name: &entry.name, ty, default: declaration.default }
        })
        .collect();
    let mut taken_nodes = Taken::default();
    let nodes: Vec<_> = graph
        .units
        .iter()
        .map(|unit| {
            session.claim(&mut taken_nodes, &unit.name, "node");
            resolve_unit(unit, &params, &taken_params, session)
        })
        .collect();
    let shared = graph
        .shared
        .iter()
        .map(|object| {
            session.claim(&mut taken_nodes, &object.name, "shared object");
            let mut taken = taken_params.clone();
            object.index.iter().for_each(|name| session.claim(&mut taken, name, "index"));
            let ty = object.ty.as_ref().and_then(|ty| session.ty(&ty.all())).unwrap_or(Type::Any);
            SharedDecl { name: &object.name, index: &object.index, ty, init: object.init.as_ref() }
        })
        .collect();
    let calls = graph
        .calls
        .iter()
        .map(|node| {
            session.claim(&mut taken_nodes, &node.name, "call");
            let mut taken = taken_params.clone();
            node.index.iter().for_each(|name| session.claim(&mut taken, name, "index"));
            let callee = node.graph.as_ref().and_then(|name| find_graph(name, program, session));
            CallDecl { node, callee }
        })
        .collect();
    let mut nodes = nodes;
    let outputs = resolve_ports(&graph.outputs, session);
    if let Some(name) = &graph.on_error {
        forward_errors(name, &outputs, &mut nodes, session);
    }
    GraphDecl {
        id,
        name: &graph.name,
        params,
        nodes,
        shared,
        arcs: &graph.arcs,
        shares: &graph.shares,
        calls,
        inputs: resolve_ports(&graph.inputs, session),
        outputs,
        formals: resolve_ports(&graph.formals, session),
        names: HashMap::new(),
    }
    .with_names()
}

/// Gives each node without a policy for failed events a port for its errors, from which they go to an output port of the graph.
fn forward_errors(name: &Name, outputs: &[PortDecl], nodes: &mut [NodeDecl<'_>], session: &mut Session<'_>) {
    let error_type = session.error_type.clone().map(Type::Struct);
    let Some(target_port) = outputs.iter().position(|output| output.port.name == name.text) else {
        let message = format!("the graph has no output port `{}` for the errors of its nodes", name.text);
        let names = outputs.iter().map(|output| output.port.name.as_str());
        let help = match name.text.as_str() {
            "stop" | "continue" => {
                "policies belong to nodes; of a graph, `on_error` names the output port that its errors go to"
                    .to_owned()
            }
            other => crate::suggest::help(other, "output ports", names),
        };
        session.report(Diagnostic::error("E0108", message, name.at, "").with_help(help));
        return;
    };
    let Port { n_indices, ty, at, .. } = &outputs[target_port].port;
    let takes_errors = error_type.as_ref().is_none_or(|error| ty.accepts(error)) && *n_indices == 0;
    if !takes_errors {
        let message = format!("the output port `{}` cannot take the errors of the nodes", name.text);
        let help = "declare it as a single port of the type `error`";
        let diagnostic = Diagnostic::error("E0108", message, name.at, "").with_help(help);
        session.report(diagnostic.with_label(*at, "the port is declared here"));
        return;
    }
    for node in nodes.iter_mut().filter(|node| node.unit.on_error.is_none()) {
        let mut port_name = ERROR_TYPE.to_owned();
        while node.outputs.iter().any(|output| output.port.name == port_name) {
            port_name.push('_');
        }
        node.forwarded = Some(Forwarded { port: node.outputs.len(), target_port, at: name.at });
        let port = Port {
            name: port_name,
            n_indices: 0,
            ty: error_type.clone().unwrap_or(Type::Any),
            may_be_left: false,
            bound: None,
            full: FullPolicy::Wait,
            at: name.at,
        };
        node.outputs.push(PortDecl { port, is_sound: true });
    }
}

fn find_graph(name: &Name, program: &Program, session: &mut Session<'_>) -> Option<GraphId> {
    let position = program.graphs.iter().position(|graph| graph.name.text == name.text);
    if position.is_none() {
        let message = format!("the program has no graph `{}` to call", name.text);
        let names = program.graphs.iter().map(|graph| graph.name.text.as_str());
        let help = crate::suggest::help(&name.text, "graphs", names);
        session.report(Diagnostic::error("E0701", message, name.at, "").with_help(help));
    }
    position.map(GraphId::from_idx)
}

fn resolve_unit<'t>(
    unit: &'t Unit,
    params: &[ParamDecl<'t>],
    taken_params: &Taken,
    session: &mut Session<'_>,
) -> NodeDecl<'t> {
    let mut taken = taken_params.clone();
    let slot = |name: &str, kind, ty| Slot { name: name.to_owned(), kind, ty };
    let mut slots: Vec<_> =
        params.iter().map(|param| slot(&param.name.text, SlotKind::Param, param.ty.clone())).collect();
    for name in &unit.index {
        session.claim(&mut taken, name, "index");
        slots.push(slot(&name.text, SlotKind::Index, Type::Int));
    }
    let mut var_defaults = Vec::new();
    for Entry { name, text } in &unit.vars {
        session.claim(&mut taken, name, "var");
        let declaration = declaration(&text.all());
        let ty = session.ty(&declaration.ty).unwrap_or(Type::Any);
        slots.push(slot(&name.text, SlotKind::Var, ty));
        var_defaults.push(declaration.default);
    }
    let mut shared = Vec::new();
    for Entry { name, text } in &unit.shared {
        session.claim(&mut taken, name, "shared name");
        // The type is the object's: pass `check_shares` fills it in.
        slots.push(slot(&name.text, SlotKind::Shared, Type::Any));
        shared.push(LocalShared { name, access: session.access(text), at: name.at });
    }
    let mut inputs = resolve_ports(&unit.inputs, session);
    for input in &mut inputs {
        let options = unit.port_options.iter().find(|options| options.port.at == input.port.at);
        input.port.may_be_left = options.is_some_and(|options| options.may_be_left);
    }
    let mut outputs = resolve_ports(&unit.outputs, session);
    let cancel = unit.cancel.as_ref().and_then(|name| find_cancel(name, &inputs, session));
    let timer = unit.every.as_ref().map(|period| add_timer(period.at(), &mut inputs, &mut outputs, session));
    NodeDecl {
        unit,
        inputs,
        outputs,
        slots,
        var_defaults,
        shared,
        at_once: None,
        retry: None,
        backoff: None,
        deadline: None,
        cancel,
        every: None,
        start_after: None,
        timer,
        error: None,
        forwarded: None,
    }
}

/// Finds the input port whose values cancel an event.
fn find_cancel(name: &Name, inputs: &[PortDecl], session: &mut Session<'_>) -> Option<usize> {
    let position = inputs.iter().position(|input| input.port.name == name.text);
    let Some(position) = position else {
        let message = format!("the node has no input port `{}` for values that cancel its events", name.text);
        let names = inputs.iter().map(|input| input.port.name.as_str());
        let help = crate::suggest::help(&name.text, "input ports", names);
        session.report(Diagnostic::error("E0105", message, name.at, "").with_help(help));
        return None;
    };
    let Port { n_indices, at, .. } = &inputs[position].port;
    if *n_indices > 0 {
        let message =
            format!("`{}` is a family of ports: values that cancel come on a single port", name.text);
        session.report(Diagnostic::error("E0105", message, name.at, "").with_label(*at, "declared here"));
        return None;
    }
    Some(position)
}

/// Adds the ports by which a timer sends to itself.
fn add_timer(
    at: Location,
    inputs: &mut Vec<PortDecl>,
    outputs: &mut Vec<PortDecl>,
    session: &mut Session<'_>,
) -> Timer {
    let mut add = |ports: &mut Vec<PortDecl>| {
        if let Some(other) = ports.iter().find(|port| port.port.name == TIMER_PORT) {
            let message = format!("the name `{TIMER_PORT}` is used twice");
            let diagnostic = Diagnostic::error("E0101", message, other.port.at, "as a port here")
                .with_label(at, "as the port of the timer here");
            session.report(diagnostic);
        }
        let port = Port {
            name: TIMER_PORT.to_owned(),
            n_indices: 0,
            ty: Type::Int,
            may_be_left: true,
            bound: None,
            full: FullPolicy::Wait,
            at,
        };
        ports.push(PortDecl { port, is_sound: true });
        ports.len() - 1
    };
    Timer { input: add(inputs), output: add(outputs), at }
}

fn resolve_ports(entries: &[Entry], session: &mut Session<'_>) -> Vec<PortDecl> {
    let mut taken = Taken::default();
    let mut ports = Vec::new();
    for Entry { name: key, text } in entries {
        let key_text = Text::of_key(key);
        let (name, n_indices) = match parse_port_key(&key_text.all()) {
            Ok(port_key) => (port_key.name.as_str().to_owned(), port_key.indices.len()),
            Err(fault) => {
                let message = format!("`{}` is not a port: {}", key.text, fault.message);
                let help = "write `p` for a port and `\"p[j]\"` for a family of ports";
                session.report(Diagnostic::error("E0102", message, key.at, "").with_help(help));
                continue;
            }
        };
        let ty = session.ty(&text.all());
        session.claim(&mut taken, &Name { text: name.clone(), at: key.at }, "port");
        let is_sound = ty.is_some();
        let port = Port {
            name,
            n_indices,
            ty: ty.unwrap_or(Type::Any),
            may_be_left: false,
            bound: None,
            full: FullPolicy::Wait,
            at: key.at,
        };
        ports.push(PortDecl { port, is_sound });
    }
    ports
}

/// Whether a word can be a name that Rhai texts may use; reports it otherwise.
pub(crate) fn check_name(name: &str, at: Location, session: &mut Session<'_>) -> bool {
    if !check_word(name, NameUse::Script, at, session) {
        return false;
    }
    let is_variable = session.front.is_variable(name);
    if !is_variable {
        report_reserved(name, "Rhai, the language of bodies and rules, reserves the word", at, session);
    }
    is_variable
}

/// The change that a text needs to be a name; `None` where it can be one.
///
/// A name has one spelling (Unicode form C): two that nobody can tell apart are the same name.
pub(super) fn obstacle(text: &str) -> Option<String> {
    if !is_name(text) {
        return Some("names are made of letters, digits and `_`, and begin with a letter".to_owned());
    }
    if is_nfc(text) {
        return None;
    }
    let composed: String = text.nfc().collect();
    Some(format!("write its letters in composed form, as `{composed}`"))
}

/// Whether a word can be a name of this use; reports it otherwise. Rhai's reserved words are looked for in
/// [`check_name`].
pub(super) fn check_word(name: &str, name_use: NameUse, at: Location, session: &mut Session<'_>) -> bool {
    if let Some(help) = obstacle(name) {
        let message = format!("`{name}` is not a name");
        session.report(Diagnostic::error("E0102", message, at, "").with_help(help));
        return false;
    }
    let is_interface = NAMES_OF_INTERFACE.contains(&name);
    let reason = match name_use {
        NameUse::Node if is_interface => Some("in arcs, the word is an interface of the graph"),
        // A firing rule that begins with it would begin with a guard.
        NameUse::Port if name == "if" => Some("in firing rules, the word begins a guard"),
        NameUse::Script if is_interface || NAMES_OF_RULES.contains(&name) => {
            Some("the word has a meaning here")
        }
        NameUse::Script if session.front.is_keyword(name) => Some("the word is a keyword of Rhai"),
        NameUse::Node | NameUse::Port | NameUse::Script => None,
    };
    if let Some(reason) = reason {
        report_reserved(name, reason, at, session);
    }
    reason.is_none()
}

fn report_reserved(name: &str, reason: &str, at: Location, session: &mut Session<'_>) {
    let message = format!("`{name}` is reserved and cannot be a name");
    let help = format!("{reason}; take another one, such as `{name}_1`");
    session.report(Diagnostic::error("E0103", message, at, "").with_help(help));
}

impl Session<'_> {
    /// Takes a name within a scope; reports one that is no name, reserved or taken.
    fn claim(&mut self, taken: &mut Taken, name: &Name, what: &'static str) {
        match what {
            "node" | "shared object" | "call" => check_word(&name.text, NameUse::Node, name.at, self),
            "port" => check_word(&name.text, NameUse::Port, name.at, self),
            _ => check_name(&name.text, name.at, self),
        };
        if let Some((other_what, other_at)) = taken.0.get(&name.text) {
            let message = format!("the name `{}` is used twice", name.text);
            let diagnostic = Diagnostic::error("E0101", message, name.at, format!("as a {what} here"))
                .with_label(*other_at, format!("as a {other_what} here"));
            self.report(diagnostic);
        } else {
            taken.0.insert(name.text.clone(), (what, name.at));
        }
    }

    fn ty(&mut self, text: &Excerpt<'_>) -> Option<Type> {
        match parse_type(text, &self.structs) {
            Ok(ty) => Some(ty),
            Err(fault) => {
                let at = text.at_range(fault.range);
                self.error("E0201", format!("unreadable type: {}", fault.message), at);
                None
            }
        }
    }

    fn access(&mut self, text: &Text) -> Access {
        match text.all().as_str() {
            "read" => Access::Read,
            "write" => Access::Write,
            other => {
                let message = format!("access `{other}` is neither `read` nor `write`");
                self.error("E0605", message, text.at());
                Access::Write
            }
        }
    }
}
