//! `hasse graph --expanded`: the instances that may come to be in a run with given parameters.

use std::collections::BTreeMap;
use std::fmt::Write;

use hasse_model::plan::{Access, Plan};
use hasse_model::quantity::counted;
use hasse_model::value::{Value, brief};
use hasse_runtime::expansion::{Expansion, ExpansionOptions, PossibleFlow, expand};
use serde_json::{Value as Json, json};

use super::{Format, GraphAsked, put};
use crate::ending::Ending;
use crate::fault::Fault;
use crate::picture::scene::{Cluster, Link, Node, Scene, Shape, Stroke};
use crate::picture::{dot, mermaid, svg};
use crate::program::{self, Program};
use crate::{params, report};

/// Maximum number of characters of a parameter's value.
const MOST_SHOWN: usize = 40;

/// Writes the expanded graph of a program.
pub(super) fn draw(args: &GraphAsked, program: &Program) -> Result<Ending, Fault> {
    let compiled = program.compile();
    let Some(plan) = program::sound_plan(&compiled) else {
        report::print_diagnostics(program, &compiled.diagnostics);
        return Ok(Ending::Failed);
    };
    let params = params::param_values(plan, &args.settings)?;
    let max_instances = usize::try_from(args.max_instances).unwrap_or(usize::MAX);
    let expansion = expand(plan, &ExpansionOptions { params, max_instances }).map_err(Fault::Runtime)?;
    let expanded = Expanded { plan, expansion: &expansion };
    let name = program.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let of_file = || Format::of_file(args.out.as_deref()).unwrap_or(Format::Text);
    let written = match args.format.unwrap_or_else(of_file) {
        Format::Text => expanded.text(),
        Format::Json => format!("{}\n", expanded.json(&program.name())),
        Format::Dot => dot::write(&expanded.scene(), &name),
        Format::Svg => svg::write(&expanded.scene(), "", &name),
        Format::Mermaid => mermaid::write(&expanded.scene()),
    };
    put(args, program, &written)?;
    Ok(Ending::Fine)
}

struct Expanded<'e> {
    plan: &'e Plan,
    expansion: &'e Expansion,
}

impl Expanded<'_> {
    /// What is shown: `instances that may come to be with n = 4`.
    fn title(&self) -> String {
        let shown = |value: &Option<Value>| match value {
            Some(value) => brief(value, MOST_SHOWN),
            None => "?".to_owned(),
        };
        let params: Vec<String> =
            self.expansion.params.iter().map(|(name, value)| format!("{name} = {}", shown(value))).collect();
        let with = if params.is_empty() { String::new() } else { format!(" with {}", params.join(", ")) };
        format!("instances that may come to be{with}")
    }

    fn label(&self, instance: usize) -> String {
        self.plan.template_label(self.plan.template(self.expansion.instances[instance].template))
    }

    /// Lines of the program in which the arcs of a flow are.
    fn lines(&self, flow: &PossibleFlow) -> Vec<u32> {
        let mut lines: Vec<u32> = flow.arcs.iter().map(|arc| self.plan.arcs[arc.idx()].at.line).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    fn text(&self) -> String {
        let expansion = self.expansion;
        let mut text = format!("{}: {}\n", self.title(), expansion.instances.len());
        let instances = expansion.instances.iter().enumerate();
        let instances = instances.map(|(at, instance)| {
            let start = if instance.is_start { ", start" } else { "" };
            (instance.path.clone(), format!("{}{start}", self.label(at)))
        });
        put_rows(&mut text, &instances.collect::<Vec<_>>());
        let path = |at: usize| &expansion.instances[at].path;
        let flows = expansion.flows.iter().map(|flow| {
            let lines: Vec<String> = self.lines(flow).iter().map(u32::to_string).collect();
            let noun = if lines.len() == 1 { "line" } else { "lines" };
            let maybe = if flow.is_conditional { ", depends on values" } else { "" };
            let row = format!("{} -> {}", path(flow.source), path(flow.target));
            (row, format!("{noun} {}{maybe}", lines.join(", ")))
        });
        put_rows(&mut text, &flows.collect::<Vec<_>>());
        let accesses = expansion.accesses.iter().map(|access| {
            let object = &expansion.objects[access.object].path;
            (format!("{} -- {object}", path(access.instance)), access_word(access.access).to_owned())
        });
        put_rows(&mut text, &accesses.collect::<Vec<_>>());
        for note in &expansion.notes {
            let _ = writeln!(text, "note: {note}");
        }
        text
    }

    fn json(&self, program: &str) -> Json {
        let expansion = self.expansion;
        let path = |at: usize| expansion.instances[at].path.as_str();
        let index = |numbers: &[Option<i64>]| numbers.iter().map(|number| json!(number)).collect::<Json>();
        let instances = expansion.instances.iter().enumerate().map(|(at, instance)| {
            json!({
                "instance": instance.path,
                "node": self.label(at),
                "index": index(&instance.index.0),
                "is_start": instance.is_start,
            })
        });
        let graphs = expansion
            .graphs
            .iter()
            .map(|graph| json!({ "path": graph.path, "graph": self.plan.graphs[graph.graph.idx()].name }));
        let objects = expansion
            .objects
            .iter()
            .map(|object| json!({ "object": object.path, "index": index(&object.index.0) }));
        let flows = expansion.flows.iter().map(|flow| {
            let arcs = flow.arcs.iter().map(|arc| {
                let arc = &self.plan.arcs[arc.idx()];
                json!({ "text": arc.text, "line": arc.at.line })
            });
            json!({
                "from": path(flow.source),
                "to": path(flow.target),
                "arcs": arcs.collect::<Json>(),
                "depends_on_values": flow.is_conditional,
            })
        });
        let accesses = expansion.accesses.iter().map(|access| {
            json!({
                "instance": path(access.instance),
                "object": expansion.objects[access.object].path,
                "access": match access.access { Access::Read => "read", Access::Write => "write" },
            })
        });
        json!({
            "program": program,
            "graphs": graphs.collect::<Json>(),
            "instances": instances.collect::<Json>(),
            "objects": objects.collect::<Json>(),
            "flows": flows.collect::<Json>(),
            "accesses": accesses.collect::<Json>(),
            "notes": expansion.notes,
            "is_cut": expansion.is_cut,
        })
    }

    /// A picture of boxes for instances and objects.
    fn scene(&self) -> Scene {
        let expansion = self.expansion;
        let name = |path: &str| path.trim_start_matches('/').to_owned();
        let units = expansion.instances.iter().map(|instance| {
            let template = self.plan.template(instance.template);
            let is_stop = template.is_stop && instance.graph == 0;
            let note = match (instance.is_start, is_stop) {
                (true, true) => "start, stop",
                (true, false) => "start",
                (false, true) => "stop",
                (false, false) => "",
            };
            Node {
                name: instance.path.clone(),
                title: name(&instance.path),
                note: note.to_owned(),
                shape: Shape::Unit,
                is_start: instance.is_start,
                is_stop,
            }
        });
        let objects = expansion.objects.iter().map(|object| Node {
            name: format!("object {}", object.path),
            title: name(&object.path),
            note: "shared".to_owned(),
            shape: Shape::Shared,
            is_start: false,
            is_stop: false,
        });
        let flows = expansion.flows.iter().map(|flow| Link {
            source: flow.source,
            target: flow.target,
            label: String::new(),
            stroke: if flow.is_conditional { Stroke::Possible } else { Stroke::Arc },
        });
        // An object is used in one way by an instance: as a writer, if it is one under any of its names.
        let mut used: BTreeMap<(usize, usize), Access> = BTreeMap::new();
        for access in &expansion.accesses {
            let known = used.entry((access.object, access.instance)).or_insert(access.access);
            *known = (*known).max(access.access);
        }
        let n_instances = expansion.instances.len();
        let accesses = used.into_iter().map(|((object, instance), access)| Link {
            source: n_instances + object,
            target: instance,
            label: String::new(),
            stroke: match access {
                Access::Read => Stroke::Read,
                Access::Write => Stroke::Write,
            },
        });
        let title = self.title();
        let title = match expansion.notes.len() {
            0 => title,
            n_notes => format!("{title} ({})", counted(n_notes as u64, "note")),
        };
        let cluster = Cluster {
            name: "expanded".to_owned(),
            title,
            boxes: units.chain(objects).collect(),
            links: flows.chain(accesses).collect(),
        };
        Scene { clusters: vec![cluster] }
    }
}

fn access_word(access: Access) -> &'static str {
    match access {
        Access::Read => "reads",
        Access::Write => "writes",
    }
}

/// Writes rows with their second column aligned.
fn put_rows(text: &mut String, rows: &[(String, String)]) {
    const MOST_WIDTH: usize = 48;
    let width = rows.iter().map(|(first, _)| first.chars().count().min(MOST_WIDTH)).max().unwrap_or(0);
    for (first, second) in rows {
        let _ = writeln!(text, "  {first:width$}  {second}");
    }
}
