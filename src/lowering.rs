//! `hasse check --explain-lowering`: which bodies and expressions run without the interpreter, and why others do not.

use hasse_model::plan::routine::{Lowering, Obstacle};
use hasse_model::plan::{Body, Code, Plan, Template};
use serde_json::{Value as Json, json};

/// What became of the Rhai of a program.
pub(crate) struct Lowered<'p> {
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
    /// Looks at all bodies and rules of a plan.
    pub(crate) fn of(plan: &'p Plan) -> Self {
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
        Self { bodies, interpreted, exits }
    }

    /// For a person: one line in all, and one for each text that is interpreted, with a hint where there is one.
    pub(crate) fn text(&self, program: &str) -> String {
        let n_compiled = self.bodies.iter().filter(|(_, is_compiled)| *is_compiled).count();
        let n_rules = self.interpreted.iter().filter(|interpreted| interpreted.what == "rule").count();
        let mut text = format!("{program}: {n_compiled} of {} bodies in Rhai compiled", self.bodies.len());
        text += &match n_rules {
            0 => ", no rule needs the interpreter\n".to_owned(),
            1 => ", 1 expression of a rule needs the interpreter\n".to_owned(),
            _ => format!(", {n_rules} expressions of rules need the interpreter\n"),
        };
        for Interpreted { node, what, obstacle } in &self.interpreted {
            let at = obstacle.at;
            let message = &obstacle.message;
            text +=
                &format!("{program}:{}:{}: {what} of {node} is interpreted: {message}\n", at.line, at.column);
            if let Some(help) = &obstacle.help {
                text += &format!("  help: {help}\n");
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
        json!({
            "bodies": bodies.collect::<Json>(),
            "interpreted": interpreted.collect::<Json>(),
            "exits": exits.collect::<Json>(),
        })
    }
}

/// What rules of a node evaluate, in the order of the program.
fn codes(template: &Template) -> impl Iterator<Item = &Code> {
    let fire = template.fire.iter().filter_map(|rule| rule.guard.as_ref());
    let route = template.route.iter().flat_map(|rule| {
        let sends = rule.sends.iter().flat_map(|send| {
            let bounds = send.loops.iter().flat_map(|range| [&range.low, &range.high]);
            bounds.chain(&send.elements).chain([&send.value])
        });
        sends.chain(&rule.guard)
    });
    fire.chain(route)
}
