//! Symbols that the debugger defines: where an action is, how often it has executed, what came before, and what
//! waits on its ports. Source: Hyder 1994, section 7.4.2.

use std::sync::{Arc, LazyLock};

use hasse_body::object::StructObject;
use hasse_model::record_options::{CalledGraphs, Selector};
use hasse_model::value::StructShape;
use rhai::Dynamic;

use crate::expression::symbol::PRED;

/// The symbols and what they stand for.
pub const SPECIAL_SYMBOLS: [(&str, &str); 6] = [
    ("NodeIndex", "the number of the action's index; an array where it has several"),
    ("index", "the same"),
    ("ExecCnt", "which execution of the action this is, from 1: the same as `count`"),
    (
        PRED,
        "the immediate predecessors of the event, as paths; `Pred(Mult[3], Solve)` asks whether each is among them",
    ),
    ("value", "the value that passes, at an arc"),
    (
        "port",
        "`port(\"a\")` or `port(\"a\", [1, 2])`: the values that wait on an input port, or on an element of it",
    ),
];

const PORT_KEY: &str = "port ";

/// The name under which an expression asks for the queue of an input port.
pub fn port_key(port: &str) -> String {
    format!("{PORT_KEY}{port}")
}

/// The port that a name asks for.
pub(crate) fn port_of_key(name: &str) -> Option<&str> {
    name.strip_prefix(PORT_KEY)
}

/// The value of a symbol that index and count tell.
pub fn special(name: &str, index: &[i64], count: u64) -> Option<Dynamic> {
    match name {
        "NodeIndex" | "index" => Some(match index {
            [number] => Dynamic::from_int(*number),
            numbers => Dynamic::from_array(numbers.iter().map(|&number| Dynamic::from_int(number)).collect()),
        }),
        "ExecCnt" => Some(Dynamic::from_int(i64::try_from(count).unwrap_or(i64::MAX))),
        _ => None,
    }
}

/// Field names of an element of a port family with its queue.
static QUEUE: LazyLock<Arc<StructShape>> = LazyLock::new(|| {
    Arc::new(StructShape { name: "Queue".into(), fields: vec!["element".into(), "values".into()] })
});

/// The queues of a port family: an array with an item for each element that holds values, with its index numbers as
/// `element` and its values, first come first, as `values`.
pub fn family<'e>(queues: impl IntoIterator<Item = (&'e [i64], Vec<Dynamic>)>) -> Dynamic {
    let queue = |(element, values): (&[i64], Vec<Dynamic>)| {
        let numbers = element.iter().map(|&number| Dynamic::from_int(number)).collect();
        let fields = vec![Dynamic::from_array(numbers), Dynamic::from_array(values)];
        Dynamic::from(StructObject { shape: Arc::clone(&QUEUE), fields })
    };
    Dynamic::from_array(queues.into_iter().map(queue).collect())
}

/// Whether each of some actions is among predecessors, which are an array of paths.
pub(crate) fn are_predecessors(found: &Dynamic, wanted: &[(Selector, usize)], graphs: &CalledGraphs) -> bool {
    let Ok(paths) = found.as_array_ref() else { return false };
    let paths: Vec<String> = paths.iter().map(ToString::to_string).collect();
    wanted.iter().all(|(selector, _)| paths.iter().any(|path| selector.names_path_in(path, graphs)))
}
