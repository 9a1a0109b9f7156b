//! Programs with families: indexed nodes and ports, some of them in a graph that is called.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::{Dice, Net, Node, Sends};

/// Number of instances of an indexed node, and of elements of a family.
const WIDTH: usize = 2;

/// A node of a program with families.
struct Template {
    is_indexed: bool,
    /// Whether each port is a family; of nodes without index alone.
    ports: Vec<bool>,
    rules: Vec<(BTreeSet<usize>, u64)>,
    /// In which execution it fails, and the instance that does.
    fails_at: Option<(u64, usize)>,
}

/// Where nodes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// In one graph.
    Flat,
    /// Some are in a graph that is called.
    Called,
    /// Those with an index are without it in a graph that is called with the index.
    IndexedCall,
}

/// Writes arcs, through the interface of the called graph where they lead into it or out of it.
#[derive(Default)]
struct Arcs {
    main: Vec<String>,
    inner: Vec<String>,
    inputs: Vec<String>,
    outputs: Vec<String>,
}

/// An end of an arc: its node, with the index, and its port.
struct End {
    is_inner: bool,
    /// Index of the call, where it has one.
    call: String,
    text: String,
    /// The index of what passes through the interface; empty without one.
    passes: String,
}

impl Arcs {
    fn add(&mut self, from: &End, to: &End) {
        let number = self.main.len() + self.inner.len();
        match (from.is_inner, to.is_inner) {
            (false, false) => self.main.push(format!("\"{} -> {}\"", from.text, to.text)),
            (true, true) if from.call == to.call => {
                self.inner.push(format!("\"{} -> {}\"", from.text, to.text));
            }
            _ => {
                let declared = |port: &str, passes: &str| match passes {
                    "" => format!("{port} = \"int\""),
                    _ => format!("\"{port}[i]\" = \"int\""),
                };
                let mut source = from.text.clone();
                if from.is_inner {
                    self.outputs.push(declared(&format!("x{number}"), &from.passes));
                    self.inner.push(format!("\"{} -> out.x{number}{}\"", from.text, from.passes));
                    source = format!("C{}.x{number}{}", from.call, from.passes);
                }
                let mut target = to.text.clone();
                if to.is_inner {
                    self.inputs.push(declared(&format!("e{number}"), &from.passes));
                    self.inner.push(format!("\"in.e{number}{} -> {}\"", from.passes, to.text));
                    target = format!("C{}.e{number}{}", to.call, from.passes);
                }
                self.main.push(format!("\"{source} -> {target}\""));
            }
        }
    }
}

impl Net {
    /// A net with indexed nodes, families of ports and one level of calls.
    pub fn of_families(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let layout = [Layout::Flat, Layout::Called, Layout::IndexedCall][dice.below(3)];
        let n_templates = 2 + dice.below(2);
        let mut templates: Vec<Template> = Vec::new();
        for template in 0..n_templates {
            let is_indexed = template == 0 || dice.below(2) == 0;
            let ports: Vec<bool> =
                (0..1 + dice.below(2)).map(|_| !is_indexed && dice.below(2) == 0).collect();
            let rules = (0..1 + dice.below(2)).map(|_| {
                let mut taken: BTreeSet<usize> = (0..ports.len()).filter(|_| dice.below(3) > 0).collect();
                taken.insert(dice.below(ports.len()));
                (taken, 1 + dice.below(2) as u64)
            });
            let rules = rules.collect();
            let fails_at = (dice.below(4) == 0).then(|| (1 + dice.below(2) as u64, dice.below(WIDTH)));
            templates.push(Template { is_indexed, ports, rules, fails_at });
        }
        let is_inner: Vec<bool> = templates
            .iter()
            .map(|template| match layout {
                Layout::Flat => false,
                Layout::Called => dice.below(2) == 0,
                Layout::IndexedCall => template.is_indexed,
            })
            .collect();
        // Whether the index of a node is that of its call.
        let is_called_by_index =
            |template: usize| layout == Layout::IndexedCall && templates[template].is_indexed;
        let first_of: Vec<usize> = templates
            .iter()
            .scan(0, |next, template| {
                let first = *next;
                *next += if template.is_indexed { WIDTH } else { 1 };
                Some(first)
            })
            .collect();
        let mut nodes = Vec::new();
        for (position, template) in templates.iter().enumerate() {
            for index in 0..if template.is_indexed { WIDTH } else { 1 } {
                let path = match (is_inner[position], template.is_indexed) {
                    (true, true) if is_called_by_index(position) => format!("/C[{index}]/N{position}"),
                    (true, true) => format!("/C/N{position}[{index}]"),
                    (true, false) => format!("/C/N{position}"),
                    (false, true) => format!("/N{position}[{index}]"),
                    (false, false) => format!("/N{position}"),
                };
                let (mut ports, mut elements_of) = (Vec::new(), Vec::new());
                for (port, is_family) in template.ports.iter().enumerate() {
                    let n_elements = if *is_family { WIDTH } else { 1 };
                    elements_of.push(ports.len()..ports.len() + n_elements);
                    ports.extend((0..n_elements).map(|element| match is_family {
                        true => format!("p{port}[{element}]"),
                        false => format!("p{port}"),
                    }));
                }
                let rules = template.rules.iter().map(|(taken, last)| {
                    (taken.iter().flat_map(|port| elements_of[*port].clone()).collect(), *last)
                });
                let fails = |(_, failing): &(u64, usize)| !template.is_indexed || *failing == index;
                nodes.push(Node {
                    path,
                    ports,
                    rules: rules.collect(),
                    arcs: Vec::new(),
                    fails_at: template.fails_at.filter(fails).map(|(count, _)| count),
                });
            }
        }
        let port_of = |template: usize, port: usize, element: usize| {
            let before = templates[template].ports[..port].iter();
            before.map(|is_family| if *is_family { WIDTH } else { 1 }).sum::<usize>() + element
        };
        let end = |template: usize, port: &str, index: &str| {
            let is_called = is_called_by_index(template);
            let own = if templates[template].is_indexed && !is_called { index } else { "" };
            let call = if is_called { index } else { "" };
            let text = format!("N{template}{own}.{port}");
            let (is_inner, call) = (is_inner[template], call.to_owned());
            End { is_inner, call, text, passes: String::new() }
        };
        let mut arcs = Arcs::default();
        let mut outs: Vec<Vec<String>> = vec![Vec::new(); n_templates];
        let mut routes: Vec<Vec<String>> = vec![Vec::new(); n_templates];
        for source in 0..n_templates {
            for out in 0..1 + dice.below(2) {
                let target = dice.below(n_templates);
                let port = dice.below(templates[target].ports.len());
                let sends = match dice.below(4) {
                    0 => Sends::UpTo(1),
                    1 if templates[source].rules.len() > 1 => Sends::ByRule(dice.below(2)),
                    _ => Sends::Always,
                };
                let (from, to) = (&templates[source], &templates[target]);
                let is_family = to.ports[port];
                let offset = if from.is_indexed && to.is_indexed { dice.below(3) as i64 - 1 } else { 0 };
                // One element of a family of its own, or all.
                let is_fan = !from.is_indexed && (to.is_indexed || is_family);
                let one = (is_fan && dice.below(3) == 0).then(|| dice.below(WIDTH));
                let index = match offset {
                    0 => "[i]".to_owned(),
                    _ => format!("[i {} 1]", if offset < 0 { '-' } else { '+' }),
                };
                let mut sender = end(source, &format!("q{out}{}", if is_fan { "[i]" } else { "" }), "[i]");
                let element = if is_family { "[i]" } else { "" };
                let receiver = end(target, &format!("p{port}{element}"), &index);
                let is_index_passed = !is_called_by_index(source) && !is_called_by_index(target);
                if is_index_passed && (from.is_indexed || is_fan) {
                    sender.passes = "[i]".to_owned();
                }
                arcs.add(&sender, &receiver);
                outs[source].push(match is_fan {
                    true => format!("\"q{out}[i]\" = \"int\""),
                    false => format!("q{out} = \"int\""),
                });
                let element = one.map_or("i".to_owned(), |one| one.to_string());
                let mut route =
                    if is_fan { format!("q{out}[{element}] <- 1") } else { format!("q{out} <- 1") };
                if is_fan && one.is_none() {
                    let _ = write!(route, " for i in 0..{WIDTH}");
                }
                let mut guards = match sends {
                    Sends::Always => Vec::new(),
                    Sends::UpTo(last) => vec![format!("count <= {last}")],
                    Sends::ByRule(rule) => vec![format!("rule == {rule}")],
                };
                // Instances beyond the net, which a value could create, send nothing.
                if from.is_indexed {
                    let low = if offset < 0 { 1 } else { 0 };
                    let high = if offset > 0 { WIDTH - 1 } else { WIDTH };
                    guards.push(format!("i >= {low} && i < {high}"));
                }
                if !guards.is_empty() {
                    let _ = write!(route, " if {}", guards.join(" && "));
                }
                routes[source].push(format!("\"{route}\""));
                for index in 0..WIDTH {
                    let sender = first_of[source] + if from.is_indexed { index } else { 0 };
                    let reached = index as i64 + offset;
                    let is_sent = (0..WIDTH as i64).contains(&reached) && one.is_none_or(|one| one == index);
                    if !is_sent || index > 0 && !from.is_indexed && !is_fan {
                        continue;
                    }
                    let receiver = first_of[target] + if to.is_indexed { reached as usize } else { 0 };
                    let port = port_of(target, port, if is_family { index } else { 0 });
                    nodes[sender].arcs.push((receiver, port, sends));
                }
            }
        }
        let (mut first, mut sent, mut ports) = (Vec::new(), Vec::new(), Vec::new());
        for (target, template) in templates.iter().enumerate() {
            for (port, is_family) in template.ports.iter().enumerate() {
                for index in 0..if template.is_indexed || *is_family { WIDTH } else { 1 } {
                    if dice.below(3) > 0 {
                        continue;
                    }
                    let n_values = 1 + dice.below(2) as u64;
                    let out = first.len();
                    let element = if *is_family { format!("[{index}]") } else { String::new() };
                    let from = End {
                        is_inner: false,
                        call: String::new(),
                        text: format!("S.o{out}"),
                        passes: String::new(),
                    };
                    arcs.add(&from, &end(target, &format!("p{port}{element}"), &format!("[{index}]")));
                    ports.push(format!("o{out} = \"int\""));
                    sent.push(format!("\"o{out} <- k for k in 0..{n_values}\""));
                    let node = first_of[target] + if template.is_indexed { index } else { 0 };
                    first.push((node, port_of(target, port, if *is_family { index } else { 0 }), n_values));
                }
            }
        }
        let mut text = format!(
            "hasse = 1\nmain = \"main\"\n[graph.main]\narcs = [{}]\n\
             [graph.main.uc.S]\nstart = true\nout = {{ {} }}\nroute = [{}]\n",
            arcs.main.join(", "),
            ports.join(", "),
            sent.join(", ")
        );
        if is_inner.contains(&true) {
            let (index, params) = match layout {
                Layout::IndexedCall => {
                    ("index = [\"i\"]\nargs = { i = \"i\" }\n", "params = { i = \"int\" }\n")
                }
                Layout::Flat | Layout::Called => ("", ""),
            };
            let _ = writeln!(
                text,
                "[graph.main.call.C]\ngraph = \"inner\"\n{index}[graph.inner]\n{params}in = {{ {} }}\n\
                 out = {{ {} }}\narcs = [{}]",
                arcs.inputs.join(", "),
                arcs.outputs.join(", "),
                arcs.inner.join(", ")
            );
        }
        for (position, template) in templates.iter().enumerate() {
            let graph = if is_inner[position] { "inner" } else { "main" };
            let index =
                if template.is_indexed && !is_called_by_index(position) { "index = [\"i\"]\n" } else { "" };
            let ports = template.ports.iter().enumerate().map(|(port, is_family)| match is_family {
                true => format!("\"p{port}[i]\" = \"int\""),
                false => format!("p{port} = \"int\""),
            });
            let rules = template.rules.iter().map(|(taken, last)| {
                let takes = taken.iter().map(|port| match template.ports[*port] {
                    true => format!("p{port}[k] -> x{port}[k] for k in 0..{WIDTH}"),
                    false => format!("p{port} -> x{port}"),
                });
                format!("\"{} if count <= {last}\"", takes.collect::<Vec<_>>().join(", "))
            });
            let _ = writeln!(
                text,
                "[graph.{graph}.uc.N{position}]\n{index}in = {{ {} }}\nout = {{ {} }}\nfire = [{}]\nroute = [{}]",
                ports.collect::<Vec<_>>().join(", "),
                outs[position].join(", "),
                rules.collect::<Vec<_>>().join(", "),
                routes[position].join(", ")
            );
            if let Some((count, index)) = template.fails_at {
                let of_index = if template.is_indexed { format!(" && i == {index}") } else { String::new() };
                let _ = writeln!(text, "do = 'if count == {count}{of_index} {{ throw \"no\"; }}'");
            }
        }
        Self { nodes, first, text }
    }
}
