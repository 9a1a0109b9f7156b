//! All of it on the shipped examples.

use super::*;

/// The programs of the examples, by path.
fn examples() -> Vec<(String, String)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut found = Vec::new();
    for example in std::fs::read_dir(folder).unwrap() {
        for file in std::fs::read_dir(example.unwrap().path()).into_iter().flatten() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "hasse") {
                found.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    assert!(found.len() > 20);
    found
}

/// What is colored as unknown, but for calls: the functions are the runtime's.
fn unknown(text: &str, lines: &[Vec<Token>]) -> Vec<String> {
    let mut found = Vec::new();
    for (line, tokens) in text.split('\n').zip(lines) {
        for token in tokens.iter().filter(|token| token.kind == TokenKind::Unknown) {
            if !line[token.range.end..].trim_start().starts_with('(') {
                found.push(format!("{} in {line}", &line[token.range.clone()]));
            }
        }
    }
    found
}

#[test]
fn nothing_in_the_examples_is_unknown() {
    let functions = functions();
    for (path, program) in examples() {
        let outline = hasse_compiler::outline(&program).unwrap();
        for graph in &outline {
            for node in std::iter::once(None).chain(graph.nodes.iter().map(|node| Some(node.name.as_str()))) {
                let names = Names::of(&program, &graph.name, node, &functions);
                for field in form(&program, &graph.name, node).unwrap() {
                    assert!(!field.is_foreign, "{path} {node:?} {}", field.key);
                    let notation = match field.key {
                        "fire" => Some(Notation::Firing),
                        "route" | "on_error" => Some(Notation::Routing),
                        "arcs" => Some(Notation::Arc),
                        "share" => Some(Notation::Share),
                        _ => None,
                    };
                    let texts = match (field.value, notation) {
                        (Some(FieldValue::List(rows)), Some(notation)) => rows
                            .into_iter()
                            .map(|row| (highlight::line(&row, notation, &names, &functions), row))
                            .collect(),
                        (Some(FieldValue::Text(body)), _) if field.kind == FieldKind::Body => {
                            vec![(highlight::body(&body, &names, &functions), body)]
                        }
                        _ => Vec::new(),
                    };
                    for (tokens, text) in texts {
                        let none: [String; 0] = [];
                        assert_eq!(
                            unknown(&text, &tokens),
                            none,
                            "{path} {} {node:?} {}",
                            graph.name,
                            field.key
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn all_that_is_drawn_of_the_examples_has_its_place_and_its_form() {
    for (path, program) in examples() {
        let places = Places::of(&program);
        let outline = hasse_compiler::outline(&program).unwrap();
        let mut document = Document::new(&program);
        for graph in &outline {
            for node in &graph.nodes {
                let target = Target::of_node(&graph.name, &node.name);
                let range = places.range(&target).unwrap();
                let name = node.name.split_once('.').map_or(node.name.as_str(), |(_, port)| port);
                assert!(program[range.clone()].trim_matches('"').starts_with(name), "{path} {target}");
                assert_eq!(places.target(range.start), target, "{path}");
                for field in form(&program, &graph.name, Some(&node.name)).unwrap() {
                    let Some(value) = field.value else { continue };
                    let set =
                        |tables: &mut _| forms::set(tables, &graph.name, Some(&node.name), field.key, &value);
                    assert_eq!(document.edit("form", set), Ok(false), "{path} {target} {}", field.key);
                }
            }
            for link in &graph.links {
                let list = match link.kind {
                    hasse_compiler::LinkKind::Arc => LinkList::Arcs,
                    hasse_compiler::LinkKind::Share { .. } => LinkList::Shares,
                };
                let target = Target::of_link(&graph.name, list, link.row);
                let range = places.range(&target).unwrap();
                assert!(program[range.clone()].starts_with(link.source.node.as_str()), "{path} {target}");
                assert_eq!(places.target(range.start), target, "{path}");
            }
        }
        assert_eq!(document.text(), program);
    }
}
