use std::fmt::Write;

use serde_json::{Value as Json, json};

use hasse_model::quantity::counted;

use super::{ArcCoverage, Coverage, NodeCoverage, RuleCoverage};

impl Coverage {
    /// The coverage for a person: the numbers, then nodes with their rules, then arcs. With `only_missed`, only what was never
    /// taken or used.
    pub fn to_text(&self, only_missed: bool) -> String {
        let mut text = String::new();
        self.put_text(&mut text, only_missed).expect("a string takes every write");
        text
    }

    fn put_text(&self, text: &mut String, only_missed: bool) -> std::fmt::Result {
        writeln!(text, "{}", self.headline())?;
        for node in self.nodes.iter().filter(|node| !only_missed || node.n_missed() > 0) {
            writeln!(text, "\n{}: {}", node.node, counted(node.n_events, "event"))?;
            for (kind, rules) in [("fire", &node.fire), ("route", &node.route)] {
                for (number, rule) in rules.iter().enumerate() {
                    if !only_missed || rule.n_taken == 0 {
                        let n_taken = times(rule.n_taken);
                        let what = format!("{kind} {number}");
                        writeln!(text, "  {n_taken:>7}  line {:<5} {what:<8} {}", rule.line, rule.text)?;
                    }
                }
            }
        }
        let arcs: Vec<&ArcCoverage> = self.arcs.iter().filter(|arc| !only_missed || !arc.is_used).collect();
        if !arcs.is_empty() {
            writeln!(text, "\narcs")?;
        }
        for arc in arcs {
            let n_taken = match (arc.n_taken, arc.is_used) {
                (0, true) => "waiting".to_owned(),
                (n_taken, _) => times(n_taken),
            };
            writeln!(text, "  {n_taken:>7}  line {:<5} {}", arc.line, arc.text)?;
        }
        Ok(())
    }

    /// The coverage as data.
    pub fn to_json(&self) -> Json {
        json!({
            "events": self.n_events,
            "rules": self.n_rules(),
            "missed_rules": self.n_missed_rules(),
            "missed_arcs": self.n_missed_arcs(),
            "nodes": self.nodes.iter().map(NodeCoverage::to_json).collect::<Vec<_>>(),
            "arcs": self.arcs.iter().map(ArcCoverage::to_json).collect::<Vec<_>>(),
        })
    }
}

fn times(n_taken: u64) -> String {
    if n_taken == 0 { "never".to_owned() } else { n_taken.to_string() }
}

impl NodeCoverage {
    fn to_json(&self) -> Json {
        let rules = |rules: &[RuleCoverage]| rules.iter().map(RuleCoverage::to_json).collect::<Vec<_>>();
        json!({
            "node": self.node,
            "events": self.n_events,
            "fire": rules(&self.fire),
            "route": rules(&self.route),
        })
    }
}

impl RuleCoverage {
    fn to_json(&self) -> Json {
        json!({ "text": self.text, "line": self.line, "taken": self.n_taken })
    }
}

impl ArcCoverage {
    fn to_json(&self) -> Json {
        json!({
            "graph": self.graph,
            "text": self.text,
            "line": self.line,
            "taken": self.n_taken,
            "used": self.is_used,
        })
    }
}
