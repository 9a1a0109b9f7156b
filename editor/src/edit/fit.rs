//! Index maps of arcs and share lines at a node whose index was edited.

use hasse_compiler::link_ends;
use toml_edit::DocumentMut;

use super::error::EditError;
use super::link::line::LinkList;
use super::link::set;
use super::rows::rows;
use super::tables::graph_mut;
use super::way::Spot;

/// Adds a node's index names to its arcs and share lines that have no index there, or only the first names.
///
/// The matching end of a line (source of an arc, user of an object) gets the names: all instances. The computed end gets
/// the variables of the matching end if their number fits; otherwise the line stays, and the compiler reports what is
/// missing. Lines with other index expressions stay.
///
/// # Errors
/// The graph is not there.
pub fn add_index(
    document: &mut DocumentMut,
    graph: &str,
    node: &str,
    names: &[String],
) -> Result<(), EditError> {
    for list in LinkList::ALL {
        for (row, line) in rows(graph_mut(document, graph)?, list.key()) {
            let Some((source, target)) = link_ends(&line) else { continue };
            let (mut source, mut target) = (Spot::from(source), Spot::from(target));
            let held = (source.clone(), target.clone());
            let (matching, computed) = match list {
                LinkList::Arcs => (&mut source, &mut target),
                LinkList::Shares => (&mut target, &mut source),
            };
            let lacks = |spot: &Spot| {
                spot.node == node && spot.index.len() < names.len() && names.starts_with(&spot.index)
            };
            let (is_matching, is_computed) = (lacks(matching), lacks(computed));
            if is_matching {
                matching.index = names.to_vec();
            }
            if is_computed {
                let known: Vec<String> = matching.numbers().cloned().collect();
                if known.len() == names.len()
                    && known.iter().all(|number| super::identifier::check_name(number).is_ok())
                {
                    computed.index = known;
                }
            }
            if (&source, &target) != (&held.0, &held.1) {
                let sign = if list == LinkList::Arcs { "->" } else { "--" };
                let text = format!("{} {sign} {}", source.text(), target.text());
                set(document, graph, list, row, &text)?;
            }
        }
    }
    Ok(())
}
