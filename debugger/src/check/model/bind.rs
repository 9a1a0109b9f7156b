//! A model on a program: names looked up, dependences checked against the program's, conditions compiled.

use hasse_model::name::{begins_name, is_of_name};
use rhai::{Dynamic, Scope};
use rustc_hash::FxHashMap;

use hasse_model::event::EventRecord;
use hasse_model::id::TemplateId;
use hasse_model::plan::{Plan, SlotKind};
use hasse_model::quantity::counted;
use hasse_model::trace::Names;
use hasse_model::value::Value;

use super::super::guard::{ATTRIBUTES, Guard, Guards, attribute_map, attributes, dynamic_from_value};
use super::super::resolve::{self, Target, names_template};
use super::closure::Closure;
use super::error::ModelError;
use super::syntax::{End, IndexText, Model, ModelArc, Placed, Rule};

/// Names that conditions on arcs know beside parameters and those bound by brackets.
const ARC_NAMES: [&str; 4] = ["source", "target", "count", "index"];

/// A model on a program.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) guards: Guards,
    pub(super) nodes: Vec<Target>,
    pub(super) arcs: Vec<BoundArc>,
    pub(super) fire: FxHashMap<TemplateId, Vec<BoundRule>>,
    pub(super) route: FxHashMap<TemplateId, Vec<BoundRule>>,
    /// For each template with rules, the names of its index numbers.
    index_names: FxHashMap<TemplateId, Vec<String>>,
    params: Vec<(String, Dynamic)>,
}

/// An expected dependence.
#[derive(Debug)]
pub(super) struct BoundArc {
    pub(super) source: TemplateId,
    pub(super) target: TemplateId,
    pub(super) source_index: Vec<Element>,
    pub(super) target_index: Vec<Element>,
    pub(super) guard: Option<Guard>,
    pub(super) text: Placed<String>,
    /// Whether a condition asks for attributes of the events as a whole.
    pub(super) asks_ends: bool,
}

/// What an index number of an arc's end must be.
#[derive(Debug)]
pub(super) enum Element {
    /// Anything; the name stands for it from here on.
    Bind(String),
    /// The number.
    Equals(Guard),
}

/// A rule of a node.
#[derive(Debug)]
pub(super) struct BoundRule {
    pub(super) terms: Vec<BoundTerm>,
    pub(super) guard: Option<Guard>,
    pub(super) text: Placed<String>,
}

impl BoundRule {
    /// Whether it is decided only when all actions are known.
    pub(super) fn asks_all(&self) -> bool {
        self.terms.iter().any(|term| term.is_all)
    }
}

/// Events of a node, in a rule.
#[derive(Debug)]
pub(super) struct BoundTerm {
    pub(super) is_all: bool,
    pub(super) template: TemplateId,
    pub(super) index: Vec<BoundIndex>,
    pub(super) text: String,
}

/// An index number in a term.
#[derive(Debug)]
pub(super) enum BoundIndex {
    One(Guard),
    /// From the first to before the second.
    Range(Guard, Guard),
}

impl Bound {
    /// Looks up the names of a model.
    ///
    /// # Errors
    /// Where the program does not have a node, a dependence cannot occur in it, or a condition is none.
    pub(super) fn new(model: &Model, plan: &Plan, params: &[(String, Value)]) -> Result<Self, ModelError> {
        let nodes = model.nodes.iter().map(|node| {
            resolve::resolve(&node.inner, plan).map_err(|error| {
                let text = error.to_string();
                let message = text.split_once(": ").map_or(text.as_str(), |(_, message)| message).to_owned();
                node.error(
                    message,
                    "nodes are named as in `hasse verify`: `Mult`, `Mult[3]`, `/dobts/Mult`".into(),
                )
            })
        });
        let mut bound = Self {
            guards: Guards::new(),
            nodes: nodes.collect::<Result<_, _>>()?,
            arcs: Vec::new(),
            fire: FxHashMap::default(),
            route: FxHashMap::default(),
            index_names: FxHashMap::default(),
            params: params.iter().map(|(name, value)| (name.clone(), dynamic_from_value(value))).collect(),
        };
        let closure = Closure::new(plan, model.has_shared);
        for arc in &model.arcs {
            let arc = bound.arc(arc, plan, &closure)?;
            bound.arcs.push(arc);
        }
        for rules in &model.rules {
            let own = bound.template(&rules.name, plan)?;
            bound.index_names.insert(own, index_names(plan, own));
            let bind_all = |rules: &Vec<Rule>, is_fire| {
                rules.iter().map(|rule| bound.rule(rule, own, is_fire, plan)).collect::<Result<Vec<_>, _>>()
            };
            let fire = rules.fire.as_ref().map(|rules| bind_all(rules, true)).transpose()?;
            let route = rules.route.as_ref().map(|rules| bind_all(rules, false)).transpose()?;
            bound.fire.extend(fire.map(|rules| (own, rules)));
            bound.route.extend(route.map(|rules| (own, rules)));
        }
        Ok(bound)
    }

    /// The selected template of a name.
    fn template(&self, name: &Placed<String>, plan: &Plan) -> Result<TemplateId, ModelError> {
        let label = |template: TemplateId| plan.template_label(plan.template(template));
        let is_meant = |template: &TemplateId| names_template(&name.inner, plan.template(*template), plan);
        let mut selected: Vec<TemplateId> = self.nodes.iter().map(|node| node.template).collect();
        selected.sort_unstable();
        selected.dedup();
        let meant: Vec<TemplateId> = selected.iter().copied().filter(is_meant).collect();
        match meant[..] {
            [template] => Ok(template),
            [] => {
                let listed: Vec<String> =
                    selected.iter().map(|&template| format!("`{}`", label(template))).collect();
                let message = format!("`{}` is not one of the model's nodes", name.inner);
                Err(name
                    .error(message, format!("it selects {}; list others under `nodes`", listed.join(", "))))
            }
            _ => {
                let labels = meant.iter().map(|&template| {
                    let template = plan.template(template);
                    format!("`{}.{}`", plan.graphs[template.graph.idx()].name, template.name)
                });
                let labels: Vec<String> = labels.collect();
                let message = format!("several of the model's nodes are called `{}`", name.inner);
                Err(name.error(message, format!("say one of {}", labels.join(", "))))
            }
        }
    }

    fn arc(&self, arc: &ModelArc, plan: &Plan, closure: &Closure) -> Result<BoundArc, ModelError> {
        let (source, target) =
            (self.template(&arc.source.name, plan)?, self.template(&arc.target.name, plan)?);
        if !closure.has(source, target) {
            let (source, target) = (&arc.source.name.inner, &arc.target.name.inner);
            let message = format!(
                "in this program nothing leads from `{source}` to `{target}`, not even through others"
            );
            return Err(arc.text.error(
                message,
                "a model can only expect what the program's arcs and shared objects make possible".into(),
            ));
        }
        let mut names: Vec<String> = ARC_NAMES.iter().map(|&name| name.to_owned()).collect();
        names.extend(self.params.iter().map(|(name, _)| name.clone()));
        let source_index = self.elements(&arc.source, source, &mut names, plan)?;
        let target_index = self.elements(&arc.target, target, &mut names, plan)?;
        let guard = arc.guard.as_ref().map(|guard| self.compile(guard, &names)).transpose()?;
        let asks_ends = arc.text.inner.contains("source") || arc.text.inner.contains("target");
        let text = arc.text.clone();
        Ok(BoundArc { source, target, source_index, target_index, guard, text, asks_ends })
    }

    fn elements(
        &self,
        end: &End,
        template: TemplateId,
        names: &mut Vec<String>,
        plan: &Plan,
    ) -> Result<Vec<Element>, ModelError> {
        check_index(&end.name, end.index.len(), template, plan)?;
        let mut elements = Vec::new();
        for text in &end.index {
            let is_name = text.inner.starts_with(begins_name) && text.inner.chars().all(is_of_name);
            elements.push(match is_name && !names.contains(&text.inner) {
                true => {
                    names.push(text.inner.clone());
                    Element::Bind(text.inner.clone())
                }
                false => Element::Equals(self.compile(text, names)?),
            });
        }
        Ok(elements)
    }

    fn rule(
        &self,
        rule: &Rule,
        own: TemplateId,
        is_fire: bool,
        plan: &Plan,
    ) -> Result<BoundRule, ModelError> {
        let mut names: Vec<String> = ATTRIBUTES.iter().map(|&name| name.to_owned()).collect();
        names.extend(self.params.iter().map(|(name, _)| name.clone()));
        names.extend(index_names(plan, own));
        let mut terms = Vec::new();
        for term in &rule.terms {
            let template = self.template(&term.name, plan)?;
            let (source, target) = if is_fire { (template, own) } else { (own, template) };
            if !self.arcs.iter().any(|arc| (arc.source, arc.target) == (source, target)) {
                let label = |template| plan.template_label(plan.template(template));
                let message = format!("the model has no arc from `{}` to `{}`", label(source), label(target));
                return Err(term
                    .name
                    .error(message, "a rule is over the node's arcs: add one under `arcs`".into()));
            }
            check_index(&term.name, term.index.len(), template, plan)?;
            let index = |index: &IndexText| match index {
                IndexText::One(number) => Ok(BoundIndex::One(self.compile(number, &names)?)),
                IndexText::Range(low, high) => {
                    Ok(BoundIndex::Range(self.compile(low, &names)?, self.compile(high, &names)?))
                }
            };
            let index = term.index.iter().map(index).collect::<Result<_, ModelError>>()?;
            terms.push(BoundTerm { is_all: term.is_all, template, index, text: term.to_string() });
        }
        let guard = rule.guard.as_ref().map(|guard| self.compile(guard, &names)).transpose()?;
        Ok(BoundRule { terms, guard, text: rule.text.clone() })
    }

    fn compile(&self, text: &Placed<String>, names: &[String]) -> Result<Guard, ModelError> {
        self.guards.compile(&text.inner, names.iter().map(String::as_str)).map_err(|bad| ModelError {
            line: text.line,
            column: text.column + bad.column - 1,
            message: bad.message,
            hint: bad.hint,
        })
    }

    /// What conditions of rules know of an event.
    pub(super) fn scope_of_event(&self, event: &EventRecord, names: &Names) -> Scope<'static> {
        let mut scope = self.scope_of_params();
        for (name, value) in attributes(event, names) {
            scope.push_dynamic(name, value);
        }
        let template = names.template_of(event.id.action);
        let index_names = template.and_then(|template| self.index_names.get(&template));
        let index = names.index_of(event.id.action);
        for (name, &number) in
            index_names.into_iter().flatten().zip(index.iter().flat_map(|index| index.as_slice()))
        {
            scope.push_dynamic(name.as_str(), Dynamic::from_int(number));
        }
        scope
    }

    /// What conditions of arcs know of an ordering, before brackets bind names.
    pub(super) fn scope_of_ordering(
        &self,
        source: &EventRecord,
        target: &EventRecord,
        asks_ends: bool,
        names: &Names,
    ) -> Scope<'static> {
        let mut scope = self.scope_of_params();
        if asks_ends {
            scope.push_dynamic("source", Dynamic::from_map(attribute_map(source, names)));
            scope.push_dynamic("target", Dynamic::from_map(attribute_map(target, names)));
        }
        for (name, value) in attributes(source, names).into_iter().take(2) {
            scope.push_dynamic(name, value);
        }
        scope
    }

    fn scope_of_params(&self) -> Scope<'static> {
        let mut scope = Scope::new();
        for (name, value) in &self.params {
            scope.push_dynamic(name.as_str(), value.clone());
        }
        scope
    }
}

fn index_names(plan: &Plan, template: TemplateId) -> Vec<String> {
    let slots = plan.template(template).slots.iter();
    slots.filter(|slot| slot.kind == SlotKind::Index).map(|slot| slot.name.clone()).collect()
}

fn check_index(
    name: &Placed<String>,
    found: usize,
    template: TemplateId,
    plan: &Plan,
) -> Result<(), ModelError> {
    let expected = plan.template(template).n_indices;
    if found == 0 || found == expected {
        return Ok(());
    }
    let message = format!("`{}` has {}, not {found}", name.inner, counted(expected, "index number"));
    Err(name.error(message, "leave the brackets out for any instance".to_owned()))
}
