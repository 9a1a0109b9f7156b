//! `hasse check --explain-lowering`: the tier in which each rule and body is executed, and why it is not a faster one.

use std::path::PathBuf;

use hasse_model::plan::routine::{Lowering, Obstacle};
use hasse_model::plan::{Body, Code, Plan, RoutingRule, Template};
use hasse_runtime::capture::Capture;
use hasse_runtime::lowering::{Explanation, NodeLowering, PartKind, PartLowering, Tier, explain};
use hasse_runtime::natives::Natives;
use hasse_runtime::run::{DEFAULT_RECLAIM_ABOVE, RunOptions};
use serde_json::{Value as Json, json};

/// Tiers of the rules and bodies of a program.
pub(crate) struct Lowered<'p> {
    /// Tiers of the parts of each node, in the order of the program.
    nodes: Vec<NodeLowering>,
    /// Nodes with a body in Rhai, by label, and whether it is compiled.
    bodies: Vec<(String, bool)>,
    /// What is interpreted, in the order of the program.
    interpreted: Vec<Interpreted<'p>>,
    /// Branches of compiled bodies that are left to the interpreter, in the order of the program.
    exits: Vec<Exit<'p>>,
}

/// A branch of a compiled body in which the interpreter takes over.
struct Exit<'p> {
    node: String,
    obstacle: &'p Obstacle,
}

/// A text that stays with the interpreter.
struct Interpreted<'p> {
    node: String,
    /// `body` or `rule`
    what: &'static str,
    obstacle: &'p Obstacle,
}

impl<'p> Lowered<'p> {
    /// Looks at all bodies and rules of a plan, which calls `natives`.
    pub(crate) fn of(plan: &'p Plan, natives: &Natives) -> Self {
        let (mut bodies, mut interpreted, mut exits) = (Vec::new(), Vec::new(), Vec::new());
        for template in &plan.templates {
            let node = plan.template_label(template);
            let mut note = |what, script: hasse_model::id::ScriptId| {
                let lowering = plan.lowerings.get(script.idx()).and_then(Option::as_ref);
                if let Some(Lowering::Interpreted(obstacle)) = lowering {
                    interpreted.push(Interpreted { node: node.clone(), what, obstacle });
                }
                if let Some(Lowering::Routine { exits: found, .. }) = lowering {
                    exits.extend(found.iter().map(|obstacle| Exit { node: node.clone(), obstacle }));
                }
                matches!(lowering, Some(Lowering::Routine { .. }))
            };
            if let Some(Body::Script(script)) = template.body {
                let is_compiled = note("body", script);
                bodies.push((node.clone(), is_compiled));
            }
            for code in codes(template) {
                if let Code::Script(script) = code {
                    note("rule", *script);
                }
            }
        }
        Self { nodes: explain(plan, &options(natives)), bodies, interpreted, exits }
    }

    /// For a person: how many nodes there are in each tier, then a line for each rule and body, with a hint where there is one.
    pub(crate) fn text(&self, program: &str) -> String {
        let n_compiled = self.bodies.iter().filter(|(_, is_compiled)| *is_compiled).count();
        let n_rules = self.interpreted.iter().filter(|interpreted| interpreted.what == "rule").count();
        let mut text = format!("{program}: {}\n", self.counted());
        text += &format!("{program}: {n_compiled} of {} bodies in Rhai compiled", self.bodies.len());
        text += &match n_rules {
            0 => ", no rule needs the interpreter\n".to_owned(),
            1 => ", 1 expression of a rule needs the interpreter\n".to_owned(),
            _ => format!(", {n_rules} expressions of rules need the interpreter\n"),
        };
        for node in &self.nodes {
            let mut last = None;
            for part in &node.parts {
                text += &part_text(program, &node.node, part, &mut last);
            }
        }
        for Exit { node, obstacle } in &self.exits {
            let (at, message) = (obstacle.at, &obstacle.message);
            text += &format!(
                "{program}:{}:{}: body of {node} is interpreted where it comes here: {message}\n",
                at.line, at.column
            );
        }
        text
    }

    /// For a machine.
    pub(crate) fn json(&self) -> Json {
        let bodies =
            self.bodies.iter().map(|(node, is_compiled)| json!({ "node": node, "compiled": is_compiled }));
        let interpreted = self.interpreted.iter().map(|Interpreted { node, what, obstacle }| {
            json!({
                "node": node,
                "what": what,
                "message": obstacle.message,
                "line": obstacle.at.line,
                "column": obstacle.at.column,
                "help": obstacle.help,
            })
        });
        let exits = self.exits.iter().map(|Exit { node, obstacle }| {
            json!({
                "node": node,
                "message": obstacle.message,
                "line": obstacle.at.line,
                "column": obstacle.at.column,
            })
        });
        let tiers = Tier::ALL
            .map(|tier| json!({ "tier": tier.name(), "nodes": self.n_nodes(tier), "cost_ns": tier.cost() }));
        json!({
            "tiers": tiers,
            "nodes": self.nodes.iter().map(node_json).collect::<Json>(),
            "bodies": bodies.collect::<Json>(),
            "interpreted": interpreted.collect::<Json>(),
            "exits": exits.collect::<Json>(),
        })
    }

    fn n_nodes(&self, tier: Tier) -> usize {
        self.nodes.iter().filter(|node| node.tier == tier).count()
    }

    /// Numbers of nodes by tier.
    fn counted(&self) -> String {
        let in_tiers = Tier::ALL.map(|tier| {
            let what = match tier {
                Tier::Columns => "in columns",
                Tier::Single => "event by event",
                Tier::Slow => "on the slow path",
                Tier::Interpreted => "with interpreted parts",
            };
            format!("{} {what}", self.n_nodes(tier))
        });
        let n_nodes = self.nodes.len();
        let nodes = if n_nodes == 1 { "node" } else { "nodes" };
        format!("{n_nodes} {nodes}: {}", in_tiers.join(", "))
    }
}

/// Lines about a rule or body. `last` holds the reasons of the part before, which are not repeated.
fn part_text<'n>(
    program: &str,
    node: &str,
    part: &'n PartLowering,
    last: &mut Option<&'n [Explanation]>,
) -> String {
    let what = match part.kind {
        PartKind::Firing => format!("firing rule `{}` of {node}", part.text),
        PartKind::Body => format!("body of {node}"),
        PartKind::Routing => format!("routing rule `{}` of {node}", part.text),
    };
    let tier = match part.tier {
        Tier::Columns => "runs in columns",
        Tier::Single => "runs event by event",
        Tier::Slow => "takes the slow path",
        Tier::Interpreted => "is interpreted",
    };
    let is_repeated = last.is_some_and(|last| !last.is_empty() && last == part.reasons);
    *last = Some(&part.reasons);
    let (line, column) = (part.at.line, part.at.column);
    if is_repeated {
        return format!("{program}:{line}:{column}: {what} {tier}, as above\n");
    }
    if part.reasons.is_empty() {
        return format!("{program}:{line}:{column}: {what} {tier}\n");
    }
    let lines = part.reasons.iter().map(|Explanation { message, at, help, .. }| {
        let help = help.iter().map(|help| format!("  help: {help}\n"));
        let line = format!("{program}:{}:{}: {what} {tier}: {message}\n", at.line, at.column);
        [line].into_iter().chain(help).collect::<String>()
    });
    lines.collect()
}

fn node_json(node: &NodeLowering) -> Json {
    let reason = |reason: &Explanation| {
        json!({
            "code": reason.code,
            "message": reason.message,
            "line": reason.at.line,
            "column": reason.at.column,
            "help": reason.help,
        })
    };
    let parts = node.parts.iter().map(|part| {
        let kind = match part.kind {
            PartKind::Firing => "fire",
            PartKind::Body => "do",
            PartKind::Routing => "route",
        };
        json!({
            "kind": kind,
            "text": part.text,
            "line": part.at.line,
            "column": part.at.column,
            "tier": part.tier.name(),
            "reasons": part.reasons.iter().map(reason).collect::<Json>(),
        })
    });
    json!({ "node": node.node, "tier": node.tier.name(), "parts": parts.collect::<Json>() })
}

/// The options of a run that nobody has said anything about.
fn options(natives: &Natives) -> RunOptions {
    RunOptions {
        chooser: None,
        virtual_time: false,
        checkpoints: None,
        writes_ahead: false,
        n_workers: 1,
        seed: None,
        params: Vec::new(),
        program_folder: PathBuf::new(),
        sandbox: Default::default(),
        natives: natives.clone(),
        stop: Default::default(),
        tiers: Default::default(),
        reclaim_above: DEFAULT_RECLAIM_ABOVE,
        capture: Capture::none(),
        control: None,
    }
}

/// Expressions of the rules of a node, in the order of the program.
fn codes(template: &Template) -> impl Iterator<Item = &Code> {
    let fire = template.fire.iter().filter_map(|rule| rule.guard.as_ref());
    let route = template.route.iter().flat_map(RoutingRule::codes);
    fire.chain(route)
}
