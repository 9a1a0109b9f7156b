//! One event alone: all that it is a function of, and its execution.

/// Setting an input to another value.
mod input;
mod text;

use hasse_debugger::check::evidence::Quote;
use hasse_debugger::json::serialize_named;
use hasse_model::event::{Effect, EventRecord, LocalState, Outcome};
use hasse_model::id::{CallId, GraphInstanceId, Index, TemplateId};
use hasse_model::key;
use hasse_model::plan::{Plan, Slot, SlotKind, Template};
use hasse_model::quantity::counted;
use hasse_model::trace::Names;
use hasse_model::value::{Type, Value};
use hasse_runtime::isolate::{self as runtime, Input, Refusal};
use hasse_runtime::run::RunOptions;
use serde::Serialize;

use super::compare::{Difference, differences};
use super::described::{Answer, Failure, Replayed, Sent};
use super::error::EventError;
use super::ground::Ground;
use super::regenerate::{Regenerated, regenerate};
use super::values::{answer, rule_taken, sent};

/// All that one event is a function of, and what came of it when it was recorded. Can be kept in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Isolation {
    /// Where the event comes from.
    pub origin: Origin,
    /// Its inputs.
    pub given: Given,
    /// What came of it; `None` where it was interrupted by the end of its run.
    pub(super) recorded: Option<Outcomes>,
    /// Inputs that were set by hand, as `port b`, `var acc` or `shared total`.
    pub(super) changed: Vec<String>,
}

/// Where an isolated event comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The path of the program file, as it was recorded.
    pub program_path: String,
    /// Its text.
    pub program_text: String,
    /// Values of the creation parameters.
    pub params: Vec<(String, Value)>,
    /// The seed of the run.
    pub seed: Option<u64>,
    /// Path and count of the event.
    pub event: String,
    /// Label of its node.
    pub node: String,
    /// Labels of the calls around it, outermost first, each with its index.
    pub calls: Vec<(String, Index)>,
    /// Index of the action.
    pub index: Index,
    /// Which execution it is, from 1.
    pub count: u64,
    /// Position of the firing rule; -1 for a start node's first execution.
    pub rule: i32,
}

/// The inputs of an event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    /// Vars before the firing rule is selected.
    pub vars: Vec<(String, Value)>,
    /// Values to be taken, in order: port, index of the element of a family, value.
    pub took: Vec<(String, Index, Value)>,
    /// Shared objects, by the node's names.
    pub shared: Vec<(String, Value)>,
    /// Answers of the world.
    pub answers: Vec<Effect>,
    /// The memory limit in bytes, where the event went over it.
    pub most_bytes: Option<u64>,
}

/// What came of an event.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Outcomes {
    pub(super) outcome: Outcome,
    pub(super) error: Option<String>,
    /// Positions of the routing rules taken.
    pub(super) routes: Vec<u32>,
    pub(super) vars: Vec<(String, Value)>,
    pub(super) shared: Vec<(String, Value)>,
    pub(super) sent: Vec<Sent>,
    pub(super) lines: Vec<String>,
    pub(super) results: Vec<(String, Value)>,
}

/// What came of an event that was executed alone. Serializes for other programs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Executed {
    /// Path and count.
    pub event: String,
    /// Label of its node.
    pub node: String,
    /// Inputs that were set, as `port b`.
    pub changed: Vec<String>,
    /// `done`, `failed` or `stopped`.
    pub outcome: &'static str,
    /// How it failed.
    pub failure: Option<Failure>,
    /// The routing rules taken.
    pub routes: Vec<Quote>,
    /// Vars after the body.
    #[serde(serialize_with = "serialize_named")]
    pub vars: Vec<(String, Value)>,
    /// Shared objects after it, as far as it may write them.
    #[serde(serialize_with = "serialize_named")]
    pub shared: Vec<(String, Value)>,
    /// What the body bound by `let` at its outermost level.
    #[serde(serialize_with = "serialize_named")]
    pub lets: Vec<(String, Value)>,
    /// What it sent, and where that would go.
    pub sent: Vec<Sent>,
    /// Lines printed.
    pub lines: Vec<String>,
    /// Results set.
    #[serde(serialize_with = "serialize_named")]
    pub results: Vec<(String, Value)>,
    /// What it asked the world.
    pub answers: Vec<Answer>,
    /// What is otherwise than recorded; `None` where the record does not tell what came of the event.
    pub differences: Option<Vec<Difference>>,
    /// How often it was executed.
    pub n_times: u64,
    /// What an execution did otherwise than the first one: nothing, for an event that is a function of its inputs.
    pub not_repeated: Vec<Difference>,
}

/// Isolates an event of a record: its inputs are made again as for [`values`](super::values()).
///
/// # Errors
/// As for [`values`](super::values()); also where the event has no inputs, because its node could not be
/// initialized or its run was ended before it had begun.
pub fn isolate(ground: Ground<'_>, event: &str) -> Result<(Isolation, Replayed), EventError> {
    let Regenerated { event, names, replayed, .. } = regenerate(ground, event)?;
    let header = &ground.recorded.header;
    let (calls, index) = calls_of(&names, &event);
    let node = names.template_of(event.id.action).and_then(|template| names.template_name(template));
    let local = event.local.as_deref().cloned().unwrap_or_default();
    let origin = Origin {
        program_path: header.program_path.clone(),
        program_text: header.program_text.clone(),
        params: header.params.clone(),
        seed: header.seed,
        event: names.event(event.id).to_string(),
        node: node.unwrap_or("?").to_owned(),
        calls,
        index,
        count: event.id.count,
        rule: event.rule,
    };
    let given = Given {
        took: local.took.iter().map(|(port, value)| element_of(port, value)).collect(),
        answers: event.effects.clone(),
        most_bytes: event.error.as_deref().and_then(hasse_body::memory::limit_of_excess),
        vars: local.found.clone(),
        shared: local.shared_before.clone(),
    };
    let recorded = (event.outcome != Outcome::Stopped)
        .then(|| outcomes(event.outcome, event.error.clone(), event.routes.clone(), local));
    Ok((Isolation { origin, given, recorded, changed: Vec::new() }, replayed))
}

fn calls_of(names: &Names, event: &EventRecord) -> (Vec<(String, Index)>, Index) {
    let mut calls = Vec::new();
    let mut graph = names.graph_of(event.id.action);
    while let Some(known) =
        graph.filter(|graph| *graph != GraphInstanceId::MAIN).and_then(|graph| names.graph(graph))
    {
        calls.push((names.call_label(known.call).unwrap_or("?").to_owned(), known.index.clone()));
        graph = Some(known.parent);
    }
    calls.reverse();
    (calls, names.index_of(event.id.action).cloned().unwrap_or_default())
}

/// The port and the element that a name such as `diag[2]` stands for.
fn element_of(name: &str, value: &Value) -> (String, Index, Value) {
    let (port, elements) = split_element(name);
    (port.to_owned(), elements, value.clone())
}

pub(crate) fn split_element(name: &str) -> (&str, Index) {
    let (port, elements) = name.split_at(name.find('[').unwrap_or(name.len()));
    let numbers = elements.split(['[', ']', ',']).filter_map(|number| key::parse(number.trim()));
    (port.trim(), numbers.collect())
}

fn outcomes(outcome: Outcome, error: Option<String>, routes: Vec<u32>, local: LocalState) -> Outcomes {
    Outcomes {
        outcome,
        error,
        routes,
        sent: sent(&local),
        vars: local.after,
        shared: local.shared_after,
        lines: local.lines,
        results: local.results,
    }
}

impl Isolation {
    /// Executes the event alone, `n_times` times, and compares it with what was recorded and with itself.
    /// `options` give natives, sandbox and stop signal; parameters and seed are those of the recorded run. Answers of
    /// the world come from the record. Where inputs were set, or `is_changed` says that the program is another one,
    /// questions that the record has no answer to are asked.
    ///
    /// # Errors
    /// The event does not take place on these values, or the program's node has changed; also as for a run.
    pub fn execute(
        &self,
        plan: &Plan,
        options: &RunOptions,
        is_changed: bool,
        n_times: u64,
    ) -> Result<Executed, EventError> {
        let (template_id, template) = self.template(plan)?;
        let event = self.bound(plan, template_id, template, is_changed || !self.changed.is_empty())?;
        let (params, seed) = (self.origin.params.clone(), self.origin.seed);
        let options = RunOptions { params, seed, n_workers: 1, ..options.clone() };
        let mut first: Option<(Outcomes, runtime::Executed)> = None;
        let mut not_repeated = Vec::new();
        for _ in 0..n_times.max(1) {
            let executed = runtime::execute(plan, &options, &event)?;
            let executed = executed.map_err(|refusal| self.refused(template, refusal))?;
            let error = executed.error.as_ref().map(|error| error.message.clone());
            let local = executed.local.clone();
            let came = outcomes(executed.outcome, error, executed.routes.clone(), local);
            match &first {
                None => first = Some((came, executed)),
                Some((first, _)) if not_repeated.is_empty() => not_repeated = differences(first, &came),
                Some(_) => {}
            }
            if options.stop.is_set() {
                break;
            }
        }
        let (came, executed) = first.expect("it was executed at least once");
        let mut differences = self.recorded.as_ref().map(|recorded| differences(recorded, &came));
        if let (Some(differences), Some(mismatch)) = (&mut differences, &executed.mismatch) {
            differences.push(Difference {
                what: "questions to the world".to_owned(),
                recorded: "the recorded ones".to_owned(),
                found: mismatch.clone(),
            });
        }
        let failure = executed.error.map(|error| Failure {
            code: error.code.to_owned(),
            message: error.message,
            line: error.at.line,
        });
        let routes = executed.routes.iter().filter_map(|rule| template.route.get(*rule as usize));
        Ok(Executed {
            event: self.origin.event.clone(),
            node: self.origin.node.clone(),
            changed: self.changed.clone(),
            outcome: came.outcome.name(),
            failure,
            routes: routes.map(|rule| Quote { text: rule.text.clone(), line: rule.at.line }).collect(),
            vars: came.vars,
            shared: came.shared,
            lets: executed.local.lets,
            sent: came.sent,
            lines: came.lines,
            results: came.results,
            answers: executed.effects.iter().map(answer).collect(),
            differences,
            n_times: n_times.max(1),
            not_repeated,
        })
    }

    fn template<'p>(&self, plan: &'p Plan) -> Result<(TemplateId, &'p Template), EventError> {
        let labels = plan.template_labels();
        let found = labels.iter().position(|label| *label == self.origin.node);
        let template_idx = found.ok_or_else(|| self.interface("the program has no such node".to_owned()))?;
        Ok((TemplateId::from_idx(template_idx), &plan.templates[template_idx]))
    }

    fn interface(&self, problem: String) -> EventError {
        EventError::Interface { node: self.origin.node.clone(), problem }
    }

    /// The event in terms of the plan's ids.
    fn bound(
        &self,
        plan: &Plan,
        template_id: TemplateId,
        template: &Template,
        asks_world: bool,
    ) -> Result<runtime::Isolated, EventError> {
        let Self { origin, given, .. } = self;
        if template.n_indices != origin.index.as_slice().len() {
            let (now, then) = (template.n_indices, origin.index.as_slice().len());
            return Err(self.interface(format!("it has {}, not {then}", counted(now, "index number"))));
        }
        let call_labels = plan.call_labels();
        let call = |(label, index): &(String, Index)| {
            let found = call_labels.iter().position(|own| own == label);
            let call = found.ok_or_else(|| self.interface(format!("the program has no call `{label}`")))?;
            Ok((CallId::from_idx(call), index.clone()))
        };
        let calls = origin.calls.iter().map(call).collect::<Result<Vec<_>, EventError>>()?;
        let input = |(name, elements, value): &(String, Index, Value)| {
            let port = template.inputs.iter().position(|port| port.name == *name);
            let port = port.ok_or_else(|| self.interface(format!("it has no input port `{name}`")))?;
            let declared = &template.inputs[port];
            if declared.n_indices != elements.as_slice().len() {
                return Err(self.interface(format!(
                    "port `{name}` has {}",
                    counted(declared.n_indices, "index number")
                )));
            }
            let value = self.admitted(&declared.ty, value, "port", name)?;
            Ok(Input { port, elements: elements.clone(), value })
        };
        let slots = |kind: SlotKind, word: &str, list: &[(String, Value)]| {
            let slots = &template.slots[template.slots_of(kind)];
            let value = |(name, value): &(String, Value)| {
                let slot = slots.iter().find(|slot| slot.name == *name);
                let slot = slot.ok_or_else(|| self.interface(format!("it has no {word} `{name}`")))?;
                Ok((name.clone(), self.admitted(&slot.ty, value, word, name)?))
            };
            list.iter().map(value).collect::<Result<Vec<_>, EventError>>()
        };
        let shared = slots(SlotKind::Shared, "shared object", &given.shared)?;
        let names = &template.slots[template.slots_of(SlotKind::Shared)];
        // What an event that failed early would have found in its objects is not known.
        let is_new = |slot: &&Slot| shared.iter().all(|(name, _)| *name != slot.name);
        if let Some(new) = names.iter().find(is_new).filter(|_| self.recorded_done()) {
            return Err(self.interface(format!("it has a shared object `{}` more", new.name)));
        }
        Ok(runtime::Isolated {
            template: template_id,
            calls,
            index: origin.index.clone(),
            count: origin.count,
            rule: origin.rule,
            vars: slots(SlotKind::Var, "var", &given.vars)?,
            inputs: given.took.iter().map(input).collect::<Result<Vec<_>, EventError>>()?,
            shared,
            answers: given.answers.clone(),
            asks_world,
            most_bytes: given.most_bytes,
        })
    }

    fn recorded_done(&self) -> bool {
        self.recorded.as_ref().is_some_and(|recorded| recorded.outcome == Outcome::Done)
    }

    fn admitted(&self, ty: &Type, value: &Value, kind: &str, name: &str) -> Result<Value, EventError> {
        // A var of type `any` may hold nothing yet.
        if *value == Value::Unit && *ty == Type::Any {
            return Ok(Value::Unit);
        }
        let admitted = ty.admit(value.clone());
        admitted.ok_or_else(|| {
            self.interface(format!(
                "{kind} `{name}` is of type {ty}, and the event has a {}",
                value.type_name()
            ))
        })
    }

    fn refused(&self, template: &Template, refusal: Refusal) -> EventError {
        let text = |rule: usize| {
            let taken = rule_taken(Some(template), rule as i32).and_then(|rule| rule.quote);
            taken.map_or_else(|| rule.to_string(), |quote| format!("{rule} `{}`", quote.text))
        };
        let problem = match refusal {
            Refusal::Guard { rule, others } => {
                let others: Vec<String> = others.into_iter().map(text).collect();
                let others = match others.as_slice() {
                    [] => "and no other rule could be taken".to_owned(),
                    others => format!("and rule {} could be taken instead", others.join(" or ")),
                };
                format!("the guard of firing rule {} does not hold, {others}", text(rule))
            }
            Refusal::Missing { rule, port } => {
                format!("firing rule {} takes a value of port {port}, which has none", text(rule))
            }
            Refusal::Left { rule, n_left } => {
                format!("firing rule {} leaves {n_left} of its values on the ports", text(rule))
            }
            Refusal::NoRule { rule } if rule < 0 => "the node is no start node".to_owned(),
            Refusal::NoRule { rule } => format!("the node has no firing rule {rule}"),
        };
        EventError::Refused { event: self.origin.event.clone(), problem }
    }
}
