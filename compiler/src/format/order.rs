//! Where tables and keys stand: top of the file, types, graphs with their objects, calls and nodes, how to
//! record, and layout last. What the language does not know keeps its place behind what it knows.

/// Keys of the file's top.
const FILE_KEYS: &[&str] = &["hasse", "main"];
const RECORD_KEYS: &[&str] = &["mode", "options"];
const GRAPH_KEYS: &[&str] = &["label", "doc", "params", "in", "out", "inout", "on_error", "arcs", "share"];
const UNIT_KEYS: &[&str] = &[
    "label", "doc", "index", "in", "out", "vars", "shared", "init", "start", "after", "every", "stop",
    "prefer", "at_once", "priority", "fire", "do", "deadline", "cancel", "retry", "backoff", "route",
    "on_error",
];
const SHARED_KEYS: &[&str] = &["label", "doc", "type", "index", "init"];
const CALL_KEYS: &[&str] = &["label", "doc", "graph", "index", "args"];

/// What may stand below a graph, in order.
const GRAPH_PARTS: &[&str] = &["shared", "call", "uc"];

/// Keys whose arrays hold one arc or rule a line.
const LINE_KEYS: &[&str] = &["arcs", "share", "fire", "route", "on_error"];

/// Place of a table among all: compared part by part.
pub(super) type Rank = Vec<usize>;

/// The keys of the table at a path, such as `["graph", "bts"]`, in canonical order; none of a path that the language
/// does not know.
pub fn keys_of(path: &[&str]) -> &'static [&'static str] {
    match path {
        [] => FILE_KEYS,
        ["record"] => RECORD_KEYS,
        ["graph", _] => GRAPH_KEYS,
        ["graph", _, "uc", _] => UNIT_KEYS,
        ["graph", _, "shared", _] => SHARED_KEYS,
        ["graph", _, "call", _] => CALL_KEYS,
        _ => &[],
    }
}

/// Place of a key in the table at a path.
pub(super) fn key_rank(path: &[&str], key: &str) -> usize {
    let keys = keys_of(path);
    keys.iter().position(|known| *known == key).unwrap_or(keys.len())
}

/// Whether a key of the table at a path holds arcs or rules.
pub(super) fn holds_lines(path: &[&str], key: &str) -> bool {
    LINE_KEYS.contains(&key) && keys_of(path).contains(&key)
}

/// Places of tables with headers, given their paths in the order of the file.
pub(super) fn table_ranks(paths: &[Vec<&str>]) -> Vec<Rank> {
    paths.iter().map(|path| table_rank(path, paths)).collect()
}

fn table_rank(path: &[&str], paths: &[Vec<&str>]) -> Rank {
    match path {
        [] => vec![0],
        ["type", ..] => vec![1],
        ["graph"] => vec![2, 0],
        ["graph", graph, rest @ ..] => {
            let mut rank = vec![2, 1, first_with(paths, &["graph", graph])];
            if let [part, below @ ..] = rest {
                rank.push(1);
                rank.push(match GRAPH_PARTS.iter().position(|known| known == part) {
                    Some(place) => GRAPH_KEYS.len() + 1 + place,
                    None => key_rank(&path[..2], part),
                });
                if let [name, below @ ..] = below {
                    rank.extend([1, first_with(paths, &path[..4])]);
                    let node_path = ["graph", graph, part, name];
                    if let [key, ..] = below {
                        rank.extend([1, key_rank(&node_path, key)]);
                    }
                }
            }
            rank
        }
        ["record", rest @ ..] => vec![3, rest.len()],
        ["layout", ..] => vec![5],
        _ => vec![4],
    }
}

/// Position of the first table at or below a path.
fn first_with(paths: &[Vec<&str>], prefix: &[&str]) -> usize {
    paths.iter().position(|path| path.starts_with(prefix)).unwrap_or(paths.len())
}
