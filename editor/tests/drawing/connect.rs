use std::fmt::Write as _;

use hasse_compiler::PortKind;
use hasse_editor::drawing::color::{DARK_PAPER, LIGHT_PAPER, Rgb, Shape, type_token};
use hasse_editor::drawing::connect::{PortName, may_connect};
use hasse_editor::drawing::scene::{Layout, PortPlace, Scene};
use hasse_editor::edit::link::{self, LinkList};
use hasse_editor::edit::port::Side;
use hasse_model::function::FunctionTable;
use toml_edit::DocumentMut;

use crate::graphs;

/// Contrast of two colors (WCAG 2.2).
fn contrast(one: Rgb, other: Rgb) -> f64 {
    let luminance = |color: Rgb| {
        let [red, green, blue] = color.map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
    one.max(other) / one.min(other)
}

const TYPES: [&str; 10] =
    ["int", "real", "bool", "char", "string", "bytes", "vector", "matrix", "map[string]int", "any"];

#[test]
fn types_are_told_apart_without_colors_and_seen_on_both_papers() {
    let names: Vec<String> = (0..40).map(|number| format!("Block{number}")).collect();
    let all = TYPES.iter().copied().chain(names.iter().map(String::as_str)).chain(["", "9x"]);
    for ty in all {
        let token = type_token(ty);
        assert!(contrast(token.light, LIGHT_PAPER) >= 3.0, "{ty} on light paper");
        assert!(contrast(token.dark, DARK_PAPER) >= 3.0, "{ty} on dark paper");
        let grouped = if ty.starts_with("map") { format!("({ty})") } else { ty.to_owned() };
        let array = type_token(&format!(" {grouped} [ ][]"));
        assert_eq!((array.shape, array.n_arrays, array.light), (token.shape, 2, token.light));
        let n_alike = TYPES.iter().filter(|other| type_token(other).shape == token.shape).count();
        assert_eq!(n_alike, usize::from(TYPES.contains(&ty)), "{ty}");
    }
    assert_eq!(type_token("Block").shape, Shape::Hexagon);
    let of_arrays = type_token("map[string]int[]");
    assert_eq!((of_arrays.shape, of_arrays.n_arrays), (Shape::Columns, 0), "the arrays are in the map");
    let colors: std::collections::BTreeSet<Rgb> = names.iter().map(|name| type_token(name).light).collect();
    assert_eq!(colors.len(), 6, "names spread over all colors");
}

const PORTS: &str = r#"hasse = 1
main = "g"

[graph.g]
in = { a = "int", "many[k]" = "vector" }
out = { r = "real", "rows[k]" = "vector" }
inout = { "acct[i]" = "real" }
arcs = ["A.x -> B[0].y"]
share = ["t -- A.t"]

[graph.g.shared.t]
type = "real"

[graph.g.shared.log]
type = "string"
index = ["k"]

[graph.g.call.Sub]
graph = "h"
index = ["i"]

[graph.g.call.Lost]
graph = "nowhere"

[graph.g.uc.A]
start = true
in = { a = "int", any = "any", s = "Block" }
out = { x = "int", any = "any", "parts[i]" = "int[]", s = "Block" }
shared = { t = "write" }

[graph.g.uc.B]
index = ["j"]
in = { y = "real", "rows[i, j]" = "real[]", word = "string", go = "int" }
out = { "done[j]" = "vector", x = "real" }
shared = { t = "read", log = "write" }

[graph.h]
in = { "p[j]" = "vector" }
out = { q = "int" }
inout = { acct = "real" }
"#;

fn port_name(text: &str) -> PortName {
    // `A.x>`, `A.x<`, `A.x=`: output, input, shared; formal ports and objects without a port.
    let (name, sign) = text.split_at(text.len() - 1);
    let side = match sign {
        ">" => Side::Output,
        "<" => Side::Input,
        _ => Side::Shared,
    };
    let is_formal = ["in.", "out.", "inout."].iter().any(|start| name.starts_with(start));
    let (node, port) = if is_formal { (name, "") } else { name.split_once('.').unwrap_or((name, "")) };
    PortName { node: node.to_owned(), side, port: port.to_owned() }
}

#[test]
fn connections_are_offered_or_refused_with_a_reason() {
    let graphs = graphs(PORTS);
    let mut lines = String::new();
    for (from, to) in [
        ("A.x>", "B.go<"),
        ("B.go<", "A.x>"),
        ("A.x>", "B.y<"),
        ("A.parts>", "B.y<"),
        ("A.parts>", "B.rows<"),
        ("B.done>", "Sub.p<"),
        ("B.done>", "out.rows<"),
        ("in.many>", "Sub.p<"),
        ("Sub.q>", "out.r<"),
        ("in.a>", "A.any<"),
        ("A.any>", "A.a<"),
        ("A.any>", "A.any<"),
        ("A.s>", "A.s<"),
        ("A.s>", "A.a<"),
        ("B.x>", "A.a<"),
        ("A.x>", "B.word<"),
        ("A.x>", "B.x>"),
        ("A.a<", "B.y<"),
        ("in.a>", "A.x>"),
        ("t=", "B.t="),
        ("B.log=", "log="),
        ("inout.acct=", "Sub.acct="),
        ("log=", "Sub.acct="),
        ("t=", "A.t="),
        ("log=", "A.t="),
        ("t=", "log="),
        ("A.t=", "B.t="),
        ("t=", "A.a<"),
        ("A.x>", "B.t="),
        ("A.z>", "B.y<"),
        ("Z.x>", "B.y<"),
        ("Lost.x>", "B.y<"),
    ] {
        let said = match may_connect(&graphs[0], &graphs, &port_name(from), &port_name(to)) {
            Ok(link) => format!("{} {}", link.list.key(), link.text),
            Err(refusal) => refusal.to_string(),
        };
        let _ = writeln!(lines, "{from} {to}: {said}");
    }
    insta::assert_snapshot!(lines);
}

/// All pairs of ports: what is offered is right for the compiler, what is refused for types is wrong for it, too.
#[test]
fn the_compiler_agrees() {
    const CODES: [&str; 10] =
        ["E0104", "E0105", "E0203", "E0301", "E0302", "E0303", "E0304", "E0305", "E0601", "E0602"];
    let text = PORTS
        .replace("[graph.g.call.Lost]\ngraph = \"nowhere\"\n", "")
        .replace("[graph.g]", "[type.Block]\nrow = \"int\"\n[graph.g]");
    let graphs = graphs(&text);
    let scene = Scene::new(&graphs[0], &graphs, &Layout::default());
    let mut places = Vec::new();
    for (box_idx, node) in scene.boxes.iter().enumerate() {
        places.extend((0..node.ports.len()).map(|port_idx| PortPlace { box_idx, port_idx }));
    }
    let faults = |list: LinkList, line: &str| -> Vec<&'static str> {
        let mut tables: DocumentMut = text.parse().unwrap();
        link::add(&mut tables, "g", list, line).unwrap();
        let compiled = hasse_compiler::compile(&tables.to_string(), &FunctionTable::default());
        let codes = compiled.diagnostics.iter().map(|diagnostic| diagnostic.code);
        codes.filter(|code| CODES.contains(code) || *code == "E0705" || *code == "E0606").collect()
    };
    let (mut n_offered, mut n_refused) = (0, 0);
    for &from in &places {
        for &to in &places {
            let names = [from, to].map(|place| scene.port_name(place).unwrap());
            match may_connect(&graphs[0], &graphs, &names[0], &names[1]) {
                Ok(link) => {
                    assert_eq!(faults(link.list, &link.text), Vec::<&str>::new(), "{}", link.text);
                    n_offered += 1;
                }
                Err(refusal) if refusal.to_string().contains(" sends `") => {
                    let is_source = |place: PortPlace| scene.port(place).unwrap().kind == PortKind::Output;
                    let (source, target) = if is_source(from) { (0, 1) } else { (1, 0) };
                    let line = format!("{} -> {}", end(&names[source]), end(&names[target]));
                    // Indices may be missing, too; the types are wrong whatever they are.
                    assert!(faults(LinkList::Arcs, &line).contains(&"E0203"), "{line}");
                    n_refused += 1;
                }
                Err(_) => {}
            }
        }
    }
    assert!(n_offered > 50 && n_refused > 50, "{n_offered} {n_refused}");
}

fn end(name: &PortName) -> String {
    if name.port.is_empty() { name.node.clone() } else { format!("{}.{}", name.node, name.port) }
}
