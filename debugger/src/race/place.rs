//! Where in the program's file an access stands: the node, and the `share` lines that lead to the object.

use hasse_model::diagnostic::Location;
use hasse_model::id::{ActionId, GraphInstanceId, ObjectId};
use hasse_model::plan::{Access, Pattern, Plan, ShareBinding, ShareSource};
use hasse_model::trace::Names;
use hasse_model::value::Value;

use crate::check::evidence::evaluate;

/// A piece of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its text.
    pub text: String,
    /// Its line in the program's file, from 1.
    pub line: u32,
}

/// What it takes to find the place of an access.
pub(super) struct Places<'a> {
    pub(super) names: &'a Names,
    pub(super) plan: &'a Plan,
    /// Parameters of the main graph; those of other graph instances are not recorded.
    pub(super) params: &'a [(String, Value)],
    /// Text of the program's file.
    pub(super) text: &'a str,
}

impl Places<'_> {
    /// The `share` lines from an action to an object, the action's own first, then those of the calls around it.
    /// Empty where they cannot be told.
    pub(super) fn share_lines(&self, action: ActionId, access: Access, object: ObjectId) -> Vec<Line> {
        self.find(action, access, object).unwrap_or_default()
    }

    fn find(&self, action: ActionId, access: Access, object: ObjectId) -> Option<Vec<Line>> {
        let template = self.plan.templates.get(self.names.template_of(action)?.idx())?;
        let (graph, index) = (self.names.graph_of(action)?, self.names.index_of(action)?);
        let index: Vec<Option<i64>> = index.as_slice().iter().copied().map(Some).collect();
        let uses = template.shared.iter().filter(|shared_use| shared_use.access == access);
        uses.filter_map(|shared_use| self.follow(&shared_use.bindings, graph, &index, object)).next()
    }

    /// The lines from a name in a graph instance to the object, if that is where it leads.
    fn follow(
        &self,
        bindings: &[ShareBinding],
        graph: GraphInstanceId,
        index: &[Option<i64>],
        object: ObjectId,
    ) -> Option<Vec<Line>> {
        let try_binding = |binding: &ShareBinding| {
            let elements = self.elements(binding, graph, index)?;
            let mut lines = vec![self.line(binding.at)];
            match binding.object {
                ShareSource::Own(shared) => {
                    let (owner, _, object_index) = self.names.place_of_object(object)?;
                    let is_it = owner == graph && self.names.shared_of(object) == Some(shared);
                    let mut pairs = elements.iter().zip(object_index.as_slice());
                    let fits = pairs.all(|(found, &number)| found.is_none_or(|found| found == number));
                    (is_it && fits).then_some(lines)
                }
                ShareSource::Formal(formal) => {
                    // A graph instance is younger than its parent, so that this ends.
                    let record = self.names.graph(graph)?;
                    let outer = self.plan.calls.get(record.call.idx())?.bindings.get(formal)?;
                    let index =
                        record.index.as_slice().iter().copied().map(Some).chain(elements).collect::<Vec<_>>();
                    lines.extend(self.follow(outer, record.parent, &index, object)?);
                    Some(lines)
                }
            }
        };
        bindings.iter().find_map(try_binding)
    }

    /// The index that a line leads to, as far as it is known; `None` where the line's pattern does not match.
    fn elements(
        &self,
        binding: &ShareBinding,
        graph: GraphInstanceId,
        index: &[Option<i64>],
    ) -> Option<Vec<Option<i64>>> {
        let params = if graph == GraphInstanceId::MAIN { self.params } else { &[] };
        let param = |position: u32| match params.get(position as usize) {
            Some((_, Value::Int(number))) => Some(*number),
            _ => None,
        };
        let mut locals: Vec<Option<i64>> = Vec::new();
        for (pattern, &number) in binding.pattern.iter().zip(index) {
            let expected = match *pattern {
                Pattern::Local(local) => {
                    let local = local as usize;
                    locals.resize(locals.len().max(local + 1), None);
                    locals[local] = locals[local].or(number);
                    locals[local]
                }
                Pattern::Int(expected) => Some(expected),
                Pattern::Param(position) => param(position),
            };
            if expected.zip(number).is_some_and(|(expected, number)| expected != number) {
                return None;
            }
        }
        Some(binding.elements.iter().map(|element| evaluate(element, &locals, &param)).collect())
    }

    /// The text at a place, without quotes.
    fn line(&self, at: Location) -> Line {
        let text = self.text.get(at.start as usize..at.end as usize).unwrap_or_default();
        Line { text: text.trim_matches(['"', '\'']).to_owned(), line: at.line }
    }
}
