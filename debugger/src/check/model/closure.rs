//! Which dependences a program can have: the transitive closure of its arcs and shared objects.
//!
//! Values go along arcs, through the interfaces of graphs; and whoever accesses an object that another one writes, or
//! writes one that another one reads, can come after it. Calls of one graph are not told apart, so that too many
//! dependences are found rather than too few.

use rustc_hash::{FxHashMap, FxHashSet};

use hasse_model::id::{GraphId, SharedId, TemplateId};
use hasse_model::plan::{Access, Plan, ShareBinding, ShareSource, Source, Target};

/// A place that effects pass through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    Unit(TemplateId),
    /// A formal input port of a graph.
    In(GraphId, usize),
    /// A formal output port of a graph.
    Out(GraphId, usize),
    /// An object as its writers leave it: whoever accesses it comes after them.
    Written(SharedId),
    /// An object as its readers leave it: its writers come after them.
    Read(SharedId),
}

/// Dependences of a program (`F*`).
#[derive(Debug)]
pub(super) struct Closure {
    /// Where effects go from a place, directly.
    onward: FxHashMap<Place, Vec<Place>>,
}

impl Closure {
    pub(super) fn new(plan: &Plan, has_shared: bool) -> Self {
        let mut onward: FxHashMap<Place, Vec<Place>> = FxHashMap::default();
        let mut add = |from, to| onward.entry(from).or_default().push(to);
        for arc in &plan.arcs {
            let source = match arc.source {
                Source::Unit(template) => Place::Unit(template),
                Source::Call(call) => Place::Out(plan.call(call).graph, arc.source_port),
                Source::Interface => Place::In(arc.graph, arc.source_port),
            };
            let target = match arc.target {
                Target::Unit(template) => Place::Unit(template),
                Target::Call(call) => Place::In(plan.call(call).graph, arc.target_port),
                Target::Interface => Place::Out(arc.graph, arc.target_port),
            };
            add(source, target);
        }
        for (idx, template) in plan.templates.iter().enumerate().filter(|_| has_shared) {
            let unit = Place::Unit(TemplateId::from_idx(idx));
            for used in &template.shared {
                let mut objects = Vec::new();
                objects_of(plan, template.graph, &used.bindings, &mut FxHashSet::default(), &mut objects);
                for object in objects {
                    add(Place::Written(object), unit);
                    match used.access {
                        Access::Read => add(unit, Place::Read(object)),
                        Access::Write => {
                            add(Place::Read(object), unit);
                            add(unit, Place::Written(object));
                        }
                    }
                }
            }
        }
        Self { onward }
    }

    /// Whether an event of `target` can come after one of `source`.
    pub(super) fn has(&self, source: TemplateId, target: TemplateId) -> bool {
        let mut seen = FxHashSet::default();
        let mut open = vec![Place::Unit(source)];
        while let Some(place) = open.pop() {
            for &to in self.onward.get(&place).into_iter().flatten() {
                if seen.insert(to) {
                    open.push(to);
                }
            }
        }
        seen.contains(&Place::Unit(target))
    }
}

/// The declared objects that `share` lines of a graph lead to, through the formal objects of its callers.
fn objects_of(
    plan: &Plan,
    graph: GraphId,
    bindings: &[ShareBinding],
    seen: &mut FxHashSet<(GraphId, usize)>,
    objects: &mut Vec<SharedId>,
) {
    for binding in bindings {
        match binding.object {
            ShareSource::Own(shared) => objects.push(shared),
            ShareSource::Formal(position) if seen.insert((graph, position)) => {
                for call in plan.calls.iter().filter(|call| call.graph == graph) {
                    if let Some(outer) = call.bindings.get(position) {
                        objects_of(plan, call.owner, outer, seen, objects);
                    }
                }
            }
            ShareSource::Formal(_) => {}
        }
    }
}
