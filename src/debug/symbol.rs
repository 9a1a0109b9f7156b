//! Names of a program: what each is, where it is declared, and who uses it (Hyder 1994, section 4.4.1).
//!
//! The plan is the symbol table. Uses are found in the texts of rules and bodies, word by word, with strings and comments
//! left out; the places of vars and indices, which the plan does not keep, in the program's text.

/// Words of rules and bodies.
mod mention;
/// Places in the program's text.
mod place;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use hasse_model::diagnostic::Location;
use hasse_model::id::{GraphId, ScriptId, SharedId, TemplateId};
use hasse_model::plan::{Access, Code, Plan, Port, ShareSource, SlotKind, Source, Target, Template};

use super::scope::Scope;

/// A declared name.
pub(super) struct Symbol {
    pub(super) name: String,
    pub(super) kind: Kind,
    owner: Owner,
    /// The type as programs write it; `None` where there is none.
    ty: Option<String>,
    at: Option<Location>,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Graph(GraphId),
    Unit(TemplateId),
    Call(usize),
    Param,
    /// A port of a graph's interface, or a formal shared object.
    Formal(&'static str),
    Shared(SharedId),
    Input(usize),
    Output(usize),
    Index,
    Var,
    LocalShared,
    Bound,
    Let,
    Special,
}

/// Where a name belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Program,
    Graph(GraphId),
    Unit(TemplateId),
}

/// A program with its text, and the name that messages give it.
pub(super) struct Subject<'s> {
    pub(super) plan: &'s Plan,
    pub(super) text: &'s str,
    pub(super) file: &'s str,
}

impl Subject<'_> {
    /// All declared names: the main graph and its nodes first, in the order of the file.
    pub(super) fn symbols(&self) -> Vec<Symbol> {
        let plan = self.plan;
        let mut found = Vec::new();
        for (graph_idx, graph) in plan.graphs.iter().enumerate() {
            let graph_id = GraphId::from_idx(graph_idx);
            let owner = Owner::Graph(graph_id);
            found.push(Symbol {
                name: graph.name.clone(),
                kind: Kind::Graph(graph_id),
                owner: Owner::Program,
                ty: None,
                at: Some(graph.at),
            });
            for param in &graph.params {
                let ty = Some(param.ty.to_string());
                found.push(Symbol {
                    name: param.name.clone(),
                    kind: Kind::Param,
                    owner,
                    ty,
                    at: Some(param.at),
                });
            }
            let formals = [("in", &graph.inputs), ("out", &graph.outputs), ("inout", &graph.formals)];
            for (what, ports) in formals {
                found.extend(ports.iter().map(|port| of_port(port, Kind::Formal(what), owner)));
            }
            for (shared_idx, shared) in
                plan.shared.iter().enumerate().filter(|(_, shared)| shared.graph == graph_id)
            {
                let kind = Kind::Shared(SharedId::from_idx(shared_idx));
                let ty = Some(shared.ty.to_string());
                found.push(Symbol { name: shared.name.clone(), kind, owner, ty, at: Some(shared.at) });
            }
            for (call_idx, call) in plan.calls.iter().enumerate().filter(|(_, call)| call.owner == graph_id) {
                let kind = Kind::Call(call_idx);
                found.push(Symbol { name: call.name.clone(), kind, owner, ty: None, at: Some(call.at) });
            }
            for (unit_idx, unit) in
                plan.templates.iter().enumerate().filter(|(_, unit)| unit.graph == graph_id)
            {
                self.put_unit(TemplateId::from_idx(unit_idx), unit, &mut found);
            }
        }
        found
    }

    fn put_unit(&self, id: TemplateId, unit: &Template, found: &mut Vec<Symbol>) {
        let owner = Owner::Unit(id);
        let graph = &self.plan.graphs[unit.graph.idx()].name;
        let kind = Kind::Unit(id);
        found.push(Symbol {
            name: unit.name.clone(),
            kind,
            owner: Owner::Graph(unit.graph),
            ty: None,
            at: Some(unit.at),
        });
        let inputs = unit.inputs.iter().enumerate();
        found.extend(inputs.map(|(port_idx, port)| of_port(port, Kind::Input(port_idx), owner)));
        let outputs = unit.outputs.iter().enumerate();
        found.extend(outputs.map(|(port_idx, port)| of_port(port, Kind::Output(port_idx), owner)));
        let first_shared = unit.slots_of(SlotKind::Shared).start;
        for (slot_idx, slot) in unit.slots.iter().enumerate() {
            let (kind, at) = match slot.kind {
                // Those of the graph.
                SlotKind::Param => continue,
                SlotKind::Index => (Kind::Index, place::index(self.text, graph, &unit.name, &slot.name)),
                SlotKind::Var => (Kind::Var, place::key(self.text, graph, &unit.name, "vars", &slot.name)),
                SlotKind::Shared => {
                    (Kind::LocalShared, unit.shared.get(slot_idx - first_shared).map(|shared| shared.at))
                }
                SlotKind::Bound => {
                    let binds = |take: &hasse_model::plan::Take| take.target.idx() == slot_idx;
                    (
                        Kind::Bound,
                        unit.fire.iter().find(|rule| rule.takes.iter().any(binds)).map(|rule| rule.at),
                    )
                }
                SlotKind::Let => (Kind::Let, place::key(self.text, graph, &unit.name, "lets", &slot.name)),
                SlotKind::Rule | SlotKind::Count => (Kind::Special, None),
            };
            found.push(Symbol { name: slot.name.clone(), kind, owner, ty: Some(slot.ty.to_string()), at });
        }
    }

    /// The symbols of a name as a scope sees it: what is nearest first. A name with a dot is one of a node or graph.
    pub(super) fn look_up(&self, name: &str, scope: &Scope) -> (Vec<Symbol>, Vec<Symbol>) {
        let (around, last) = match name.rsplit_once('.') {
            Some((around, last)) => (Some(around), last),
            None => (None, name),
        };
        let mut same: Vec<Symbol> = self.symbols().into_iter().filter(|symbol| symbol.name == last).collect();
        if let Some(around) = around {
            let is_in = |symbol: &Symbol| match symbol.owner {
                Owner::Program => false,
                Owner::Graph(graph) => self.plan.graphs[graph.idx()].name == around,
                Owner::Unit(unit) => {
                    let template = self.plan.template(unit);
                    let graph = &self.plan.graphs[template.graph.idx()].name;
                    template.name == around || format!("{graph}.{}", template.name) == around
                }
            };
            same.retain(is_in);
            return (same, Vec::new());
        }
        let unit = scope.template(self.plan).map(Owner::Unit);
        let graph = Owner::Graph(scope.graph(self.plan));
        for owner in unit.into_iter().chain([graph, Owner::Program]) {
            if same.iter().any(|symbol| symbol.owner == owner) {
                return same.into_iter().partition(|symbol| symbol.owner == owner);
            }
        }
        (Vec::new(), same)
    }

    /// What a scope sees: what is nearest first, and in the order of the file.
    pub(super) fn seen(&self, scope: &Scope) -> Vec<Symbol> {
        let unit = scope.template(self.plan).map(Owner::Unit);
        let owners = unit.into_iter().chain([Owner::Graph(scope.graph(self.plan)), Owner::Program]);
        let owners: Vec<Owner> = owners.collect();
        let rank = |symbol: &Symbol| owners.iter().position(|owner| *owner == symbol.owner);
        let mut seen: Vec<Symbol> =
            self.symbols().into_iter().filter(|symbol| rank(symbol).is_some()).collect();
        seen.sort_by_key(rank);
        seen
    }

    /// The names that a scope sees, for suggestions and completion.
    pub(super) fn visible(&self, scope: &Scope) -> BTreeSet<String> {
        self.seen(scope).into_iter().map(|symbol| symbol.name).collect()
    }

    /// The name by which a symbol is told from others.
    pub(super) fn qualified(&self, symbol: &Symbol) -> String {
        match symbol.owner {
            Owner::Program => symbol.name.clone(),
            Owner::Graph(graph) => format!("{}.{}", self.plan.graphs[graph.idx()].name, symbol.name),
            Owner::Unit(unit) => {
                format!("{}.{}", self.plan.template_label(self.plan.template(unit)), symbol.name)
            }
        }
    }

    /// Kind and type in a line.
    pub(super) fn told(&self, symbol: &Symbol) -> String {
        let of = match symbol.owner {
            Owner::Program => String::new(),
            Owner::Graph(graph) => {
                let word = if matches!(symbol.kind, Kind::Unit(_) | Kind::Call(_)) { "in" } else { "of" };
                format!(" {word} graph {}", self.plan.graphs[graph.idx()].name)
            }
            Owner::Unit(unit) => format!(" of {}", self.plan.template_label(self.plan.template(unit))),
        };
        let ty = symbol.ty.as_ref().map(|ty| format!(": {ty}")).unwrap_or_default();
        format!("{}{of}{ty}", self.kind(symbol))
    }

    /// Where it is declared; empty where that is not in the file.
    pub(super) fn place(&self, symbol: &Symbol) -> String {
        symbol.at.map(|at| format!("{}:{}:{}", self.file, at.line, at.column)).unwrap_or_default()
    }

    fn kind(&self, symbol: &Symbol) -> String {
        match symbol.kind {
            Kind::Graph(graph) if graph == self.plan.main => "main graph".to_owned(),
            Kind::Graph(_) => "graph".to_owned(),
            Kind::Unit(_) => "unit of computation".to_owned(),
            Kind::Call(call) => {
                let graph = self.plan.calls[call].graph;
                format!("call of graph {}", self.plan.graphs[graph.idx()].name)
            }
            Kind::Param => "parameter".to_owned(),
            Kind::Formal("inout") => "formal shared object".to_owned(),
            Kind::Formal("in") => "formal input port".to_owned(),
            Kind::Formal(_) => "formal output port".to_owned(),
            Kind::Shared(_) => "shared object".to_owned(),
            Kind::Input(_) => "input port".to_owned(),
            Kind::Output(_) => "output port".to_owned(),
            Kind::Index => "index".to_owned(),
            Kind::Var => "var".to_owned(),
            Kind::LocalShared => match self.access(symbol) {
                Some(Access::Read) => "shared name (read)".to_owned(),
                _ => "shared name (write)".to_owned(),
            },
            Kind::Bound => "bound name".to_owned(),
            Kind::Let => "name set by the native body".to_owned(),
            Kind::Special => "special name".to_owned(),
        }
    }

    fn access(&self, symbol: &Symbol) -> Option<Access> {
        let Owner::Unit(unit) = symbol.owner else { return None };
        let template = self.plan.template(unit);
        let mut slots = template.slots[template.slots_of(SlotKind::Shared)].iter();
        let position = slots.position(|slot| slot.name == symbol.name)?;
        template.shared.get(position).map(|shared| shared.access)
    }

    /// All that is known of a symbol.
    pub(super) fn description(&self, symbol: &Symbol) -> String {
        let mut lines: Vec<(&str, String)> = Vec::new();
        let place = self.place(symbol);
        if !place.is_empty() {
            lines.push(("declared", place));
        }
        match symbol.kind {
            Kind::Unit(unit) => self.put_unit_lines(unit, &mut lines),
            Kind::Graph(graph) => {
                let nodes =
                    self.plan.templates.iter().filter(|unit| unit.graph == graph).map(|unit| &unit.name);
                let calls = self.plan.calls.iter().filter(|call| call.owner == graph).map(|call| &call.name);
                lines.push(("nodes", listed(nodes.chain(calls))));
                lines.push((
                    "params",
                    listed(self.plan.graphs[graph.idx()].params.iter().map(|param| &param.name)),
                ));
                let callers = self.plan.calls.iter().filter(|call| call.graph == graph);
                lines.extend(
                    callers.map(|call| ("called", format!("{} ({})", call.name, self.line(call.at)))),
                );
            }
            _ => lines.extend(self.uses(symbol).into_iter().map(|used| ("used by", used))),
        }
        if let Kind::Call(call) = symbol.kind {
            let call = &self.plan.calls[call];
            lines.push(("index", listed(&call.index_names)));
        }
        let mut text = format!("{}  {}\n", self.qualified(symbol), self.told(symbol));
        let mut last = "";
        for (label, line) in lines.iter().filter(|(_, line)| !line.is_empty()) {
            let shown = if *label == last { "" } else { label };
            let _ = writeln!(text, "  {shown:8}  {line}");
            last = label;
        }
        text
    }

    fn put_unit_lines(&self, unit: TemplateId, lines: &mut Vec<(&'static str, String)>) {
        let template = self.plan.template(unit);
        let names = |kind| listed(template.slots[template.slots_of(kind)].iter().map(|slot| &slot.name));
        lines.push(("index", names(SlotKind::Index)));
        lines.push(("in", listed(template.inputs.iter().map(|port| &port.name))));
        lines.push(("out", listed(template.outputs.iter().map(|port| &port.name))));
        lines.push(("vars", names(SlotKind::Var)));
        lines.push(("shared", names(SlotKind::Shared)));
        for (rule_idx, rule) in template.fire.iter().enumerate() {
            lines.push(("fire", format!("rule {rule_idx} `{}` ({})", rule.text, self.line(rule.at))));
        }
        for (rule_idx, rule) in template.route.iter().enumerate() {
            lines.push(("route", format!("rule {rule_idx} `{}` ({})", rule.text, self.line(rule.at))));
        }
        for arc in &self.plan.arcs {
            if arc.source == Source::Unit(unit) || arc.target == Target::Unit(unit) {
                lines.push(("arcs", format!("`{}` ({})", arc.text, self.line(arc.at))));
            }
        }
    }

    /// The rules, bodies, arcs and lines that use a symbol.
    fn uses(&self, symbol: &Symbol) -> Vec<String> {
        let plan = self.plan;
        let mut uses = Vec::new();
        match (symbol.owner, symbol.kind) {
            (Owner::Unit(unit), kind) => {
                self.put_uses_in(unit, &symbol.name, "", &mut uses);
                for arc in &plan.arcs {
                    let from = (arc.source, Kind::Output(arc.source_port)) == (Source::Unit(unit), kind);
                    let to = (arc.target, Kind::Input(arc.target_port)) == (Target::Unit(unit), kind);
                    if from || to {
                        uses.push(format!("arc `{}` ({})", arc.text, self.line(arc.at)));
                    }
                }
            }
            (_, Kind::Shared(shared)) => {
                for template in &plan.templates {
                    let slots = &template.slots[template.slots_of(SlotKind::Shared)];
                    for (used, slot) in template.shared.iter().zip(slots) {
                        let binding =
                            used.bindings.iter().find(|line| line.object == ShareSource::Own(shared));
                        if let Some(binding) = binding {
                            let verb = if used.access == Access::Read { "reads" } else { "writes" };
                            let label = plan.template_label(template);
                            uses.push(format!(
                                "{label} {verb} it as {} ({})",
                                slot.name,
                                self.line(binding.at)
                            ));
                        }
                    }
                }
            }
            (Owner::Graph(graph), Kind::Param) => {
                for (unit_idx, template) in plan.templates.iter().enumerate() {
                    if template.graph == graph {
                        let of = format!(" of {}", template.name);
                        self.put_uses_in(TemplateId::from_idx(unit_idx), &symbol.name, &of, &mut uses);
                    }
                }
                self.put_arcs(graph, &symbol.name, &mut uses);
            }
            (Owner::Graph(graph), Kind::Call(_) | Kind::Formal(_)) => {
                self.put_arcs(graph, &symbol.name, &mut uses);
            }
            _ => {}
        }
        uses
    }

    fn put_arcs(&self, graph: GraphId, name: &str, uses: &mut Vec<String>) {
        for arc in self.plan.arcs.iter().filter(|arc| arc.graph == graph) {
            if !mention::lines(&arc.text, name, true).is_empty() {
                uses.push(format!("arc `{}` ({})", arc.text, self.line(arc.at)));
            }
        }
    }

    fn put_uses_in(&self, unit: TemplateId, name: &str, of: &str, uses: &mut Vec<String>) {
        let template = self.plan.template(unit);
        uses.extend(template.init.and_then(|id| self.use_in_script(id, name, &format!("init{of}"))));
        let first_var = template.slots_of(SlotKind::Var).start;
        for (default_idx, default) in template.var_defaults.iter().enumerate() {
            if let Some(Code::Script(id)) = default {
                let what = format!("default of {}{of}", template.slots[first_var + default_idx].name);
                uses.extend(self.use_in_script(*id, name, &what));
            }
        }
        for (rule_idx, rule) in template.fire.iter().enumerate() {
            if !mention::lines(&rule.text, name, false).is_empty() {
                uses.push(format!("firing rule {rule_idx}{of} `{}` ({})", rule.text, self.line(rule.at)));
            }
        }
        let body = template.body_script();
        uses.extend(body.and_then(|id| self.use_in_script(id, name, &format!("body{of}"))));
        for (rule_idx, rule) in template.route.iter().enumerate() {
            if !mention::lines(&rule.text, name, false).is_empty() {
                uses.push(format!("routing rule {rule_idx}{of} `{}` ({})", rule.text, self.line(rule.at)));
            }
        }
    }

    /// The lines of a script that mention a name; `None` where none does.
    fn use_in_script(&self, id: ScriptId, name: &str, what: &str) -> Option<String> {
        let script = &self.plan.scripts[id.idx()];
        let found = mention::lines(&script.text, name, false);
        let lines: Vec<String> =
            found.iter().map(|line| (script.at.line as usize + line).to_string()).collect();
        (!lines.is_empty()).then(|| format!("{what} ({}:{})", self.file, lines.join(", ")))
    }

    fn line(&self, at: Location) -> String {
        format!("{}:{}", self.file, at.line)
    }
}

fn of_port(port: &Port, kind: Kind, owner: Owner) -> Symbol {
    Symbol { name: port.name.clone(), kind, owner, ty: Some(port.ty.to_string()), at: Some(port.at) }
}

fn listed<'n>(names: impl IntoIterator<Item = &'n String>) -> String {
    names.into_iter().cloned().collect::<Vec<_>>().join(", ")
}
