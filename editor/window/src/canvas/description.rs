//! The picture in words, for assistive technology.

use hasse_editor::drawing::scene::Edge;
use hasse_editor::marks::{BreakpointMark, CheckMark};
use hasse_editor::state::picture::{self, NodeLook, Picture};

/// The ports of each box in words.
pub(super) fn port_descriptions(picture: &Picture) -> Vec<String> {
    let mut sides = vec![[String::new(), String::new()]; picture.nodes.len()];
    for port in picture.ports.iter().filter(|port| !port.label.is_empty()) {
        let side = usize::from(port.edge == Edge::Right);
        let text = &mut sides[port.node_idx][side];
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(&port.label);
        if !port.ty.is_empty() {
            text.push_str(": ");
            text.push_str(&port.ty);
        }
    }
    let joined = sides.into_iter().map(|[inputs, outputs]| {
        let sides = [("takes", inputs), ("gives", outputs)];
        let sides = sides.into_iter().filter(|(_, ports)| !ports.is_empty());
        sides.map(|(word, ports)| format!("{word} {ports}")).collect::<Vec<_>>().join("; ")
    });
    joined.collect()
}

/// A box in words.
pub(super) fn described(node: &picture::NodeItem, ports: &str) -> String {
    let mut parts = vec![match node.look {
        NodeLook::Unit => "unit".to_owned(),
        NodeLook::Shared => "shared object".to_owned(),
        NodeLook::Call => "call".to_owned(),
        NodeLook::Input => "input port of the graph".to_owned(),
        NodeLook::Output => "output port of the graph".to_owned(),
        NodeLook::InOut => "shared object from outside".to_owned(),
        NodeLook::Missing => "missing".to_owned(),
    }];
    parts.extend([node.note.as_str(), ports].into_iter().filter(|text| !text.is_empty()).map(str::to_owned));
    if node.is_start {
        parts.push("start".to_owned());
    }
    if node.is_stop {
        parts.push("stop".to_owned());
    }
    parts.extend(node.marks.state.map(|state| state.word().to_owned()));
    parts.extend(Some(node.marks.note.clone()).filter(|note| !note.is_empty()));
    parts.extend(node.marks.breakpoint.map(|mark| match mark {
        BreakpointMark::Off => "breakpoint, switched off".to_owned(),
        _ => "breakpoint".to_owned(),
    }));
    parts.extend(node.marks.check.map(|check| match check {
        CheckMark::Violated => "check violated".to_owned(),
        CheckMark::Unknown => "check not decided".to_owned(),
        CheckMark::Holds => "checks hold".to_owned(),
    }));
    if node.error.counts.n_errors + node.error.counts.n_warnings > 0 {
        parts.push(node.error.message.clone());
    }
    parts.join(", ")
}
