//! The tiers in which rules and bodies are executed, and the reasons why some are not in the fastest one.
//!
//! The tiers are chosen when a plan is loaded, by `lane/lower` and `lane/straight/columns`. What is said here is what these say.

use hasse_code::reason::{Cause, Node, Reason, Site};
use hasse_model::diagnostic::Location;
use hasse_model::id::TemplateId;
use hasse_model::plan::routine::Lowering;
use hasse_model::plan::{Body, Code, FiringRule, Plan};
use hasse_request::options::RunOptions;
use hasse_runtime_plan::lane::{Lane, Objects};
use hasse_runtime_plan::program::Program;

use crate::fire::lane::straight::columns::Columns;

/// A way of executing events, the fastest one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// In loops over columns of values, many events at a time.
    Columns,
    /// Compiled, one event at a time.
    Single,
    /// Compiled as far as possible, with all that an event may need around it.
    Slow,
    /// By the interpreter.
    Interpreted,
}

impl Tier {
    /// All of them, the fastest one first.
    pub const ALL: [Tier; 4] = [Tier::Columns, Tier::Single, Tier::Slow, Tier::Interpreted];

    /// Name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Tier::Columns => "columns",
            Tier::Single => "single",
            Tier::Slow => "slow",
            Tier::Interpreted => "interpreted",
        }
    }

    /// Nanoseconds that a small event takes, to an order of magnitude.
    pub fn cost(self) -> u32 {
        match self {
            Tier::Columns => 10,
            Tier::Single => 100,
            Tier::Slow => 500,
            Tier::Interpreted => 1_000,
        }
    }
}

/// Reason why a part of a node is not executed in a faster tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Stable name, by which the book explains it.
    pub code: &'static str,
    /// Description in words of the program.
    pub message: String,
    /// Position of the cause.
    pub at: Location,
    /// Rewrite that would help, if there is one.
    pub help: Option<String>,
}

/// Kind of a part of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// A firing rule with its guard.
    Firing,
    /// The body.
    Body,
    /// A routing rule with its guard, bounds, index numbers and values.
    Routing,
}

/// A rule or the body of a node, and how it is executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartLowering {
    /// Kind of the part.
    pub kind: PartKind,
    /// Text of a rule; empty for a body.
    pub text: String,
    /// Position of the part.
    pub at: Location,
    /// Tier that executes it.
    pub tier: Tier,
    /// Reasons why that is not the fastest one. Several only where several expressions of a rule are interpreted.
    pub reasons: Vec<Explanation>,
}

/// A node, and how its parts are executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeLowering {
    /// Label of the node.
    pub node: String,
    /// The slowest tier of its parts.
    pub tier: Tier,
    /// Firing rules, body and routing rules, in the order of their execution.
    pub parts: Vec<PartLowering>,
}

/// Explains how each part of each node is executed in a run with these options, in the order of the program.
///
/// Nothing of the program is evaluated: parameters whose values the options do not tell are taken to be of their types. Code in
/// Rust that is not registered is taken not to be a function of numbers.
pub fn explain(plan: &Plan, options: &RunOptions) -> Vec<NodeLowering> {
    let program = Program::outline(plan, options);
    (0..plan.templates.len()).map(|template_idx| explain_node(&program, template_idx)).collect()
}

fn explain_node(program: &Program<'_>, template_idx: usize) -> NodeLowering {
    let template = &program.plan.templates[template_idx];
    let node = Node { plan: program.plan, template };
    let chosen: Vec<Choice> =
        (0..template.fire.len()).map(|rule_idx| Choice::of(program, template_idx, rule_idx)).collect();
    // Bodies and routing rules serve all firing rules.
    let slowest = chosen.iter().max_by_key(|choice| choice.tier).copied();
    let slowest = slowest.unwrap_or(Choice {
        tier: Tier::Single,
        reason: Some(Site::Node.because(Cause::Start)),
        guards: None,
    });
    let mut parts = Vec::new();
    for (rule, choice) in template.fire.iter().zip(&chosen) {
        parts.push(part(node, PartKind::Firing, (&rule.text, rule.at), *choice, codes_of_firing(rule)));
    }
    if let Some(body) = &template.body {
        let (at, choice) = match body {
            Body::Script(script) => {
                let is_lowered = program.machines.get(script.idx()).is_some_and(Option::is_some);
                let interpreted =
                    Choice::of_reason(Tier::Interpreted, Site::Body.because(Cause::Interpreted(*script)));
                (node.plan.scripts[script.idx()].at, if is_lowered { slowest } else { interpreted })
            }
            Body::Native { at, .. } => (*at, slowest),
        };
        parts.push(part(node, PartKind::Body, ("", at), choice, Vec::new()));
    }
    let usual = template.route.iter().enumerate().filter(|(_, rule)| !rule.on_error);
    for (rule_idx, rule) in usual {
        let guards = slowest.guards.filter(|reason| reason.site == Site::Route(rule_idx));
        let choice = guards.map_or(slowest, |reason| Choice::of_reason(Tier::Single, reason));
        parts.push(part(node, PartKind::Routing, (&rule.text, rule.at), choice, rule.codes().collect()));
    }
    let tier = parts.iter().map(|part| part.tier).max().unwrap_or(Tier::Single);
    NodeLowering { node: node.plan.template_label(template), tier, parts }
}

/// A part, executed as the events are, or by the interpreter where one of its expressions is.
fn part(
    node: Node<'_>,
    kind: PartKind,
    (text, at): (&str, Location),
    choice: Choice,
    codes: Vec<&Code>,
) -> PartLowering {
    let interpreted: Vec<Reason> =
        codes.into_iter().filter_map(|code| interpreted(node.plan, code)).collect();
    let (tier, reasons) = match interpreted.is_empty() {
        true => (choice.tier, choice.reason.into_iter().collect()),
        false => (Tier::Interpreted, interpreted),
    };
    let explained = |reason: &Reason| Explanation {
        code: reason.code(),
        message: reason.message(node),
        at: reason.at(node),
        help: reason.help(node),
    };
    let reasons = reasons.iter().map(explained).collect();
    PartLowering { kind, text: text.to_owned(), at, tier, reasons }
}

/// The reason why the interpreter evaluates an expression, if it does.
fn interpreted(plan: &Plan, code: &Code) -> Option<Reason> {
    let Code::Script(script) = code else { return None };
    let lowering = plan.lowerings.get(script.idx()).and_then(Option::as_ref);
    let is_lowered = matches!(lowering, Some(Lowering::Routine { .. }));
    (!is_lowered).then(|| Site::Node.because(Cause::Interpreted(*script)))
}

fn codes_of_firing(rule: &FiringRule) -> Vec<&Code> {
    rule.guard.iter().collect()
}

/// The tier of the events of a firing rule.
#[derive(Clone, Copy)]
struct Choice {
    tier: Tier,
    /// Not for the fastest one.
    reason: Option<Reason>,
    /// Why guards of routing rules are evaluated for each event by itself, where events are served in columns.
    guards: Option<Reason>,
}

impl Choice {
    fn of_reason(tier: Tier, reason: Reason) -> Self {
        Self { tier, reason: Some(reason), guards: None }
    }

    /// Asks what the runtime asks, in its order.
    fn of(program: &Program<'_>, template_idx: usize, rule_idx: usize) -> Self {
        let (template, layout) = (&program.plan.templates[template_idx], &program.layouts[template_idx]);
        if program.bounded.drops(TemplateId::from_idx(template_idx))
            && let Some(port) = template.inputs.iter().position(|port| port.full.drops())
        {
            return Self::of_reason(Tier::Slow, Site::Node.because(Cause::Drops(port)));
        }
        let lane: &Lane<'_> = match &program.lanes[template_idx] {
            Ok(lane) => lane,
            Err(reason) => return Self::of_reason(Tier::Slow, *reason),
        };
        let plain = match &lane.plain {
            Ok(plain) => plain,
            // Events with an interpreted body are served like others, as long as rules need no interpreter.
            Err(reason) if lane.routes.is_ok() => return Self::of_reason(Tier::Single, *reason),
            Err(reason) => return Self::of_reason(Tier::Slow, *reason),
        };
        if let Objects::General(reason) = plain.objects {
            return Self::of_reason(Tier::Slow, reason);
        }
        if lane.most_sent.is_none() && program.bounded.sends(TemplateId::from_idx(template_idx)) {
            return Self::of_reason(Tier::Single, Site::Node.because(Cause::RoomUnknown));
        }
        if let Some(reason) = plain.bend.or_else(|| program.column_obstacle()) {
            return Self::of_reason(Tier::Single, reason);
        }
        if let Some(reason) = plain.turn_obstacle(rule_idx) {
            return Self::of_reason(Tier::Single, reason);
        }
        if let Objects::Whole(reason) = plain.objects {
            return Self::of_reason(Tier::Single, reason);
        }
        if plain.matching.is_some() {
            return Self { tier: Tier::Columns, reason: None, guards: None };
        }
        let body = program.native_bodies[template_idx].as_deref();
        match Columns::of(&plain.straights[rule_idx], (template, layout), body) {
            Ok(columns) => Self { tier: Tier::Columns, reason: None, guards: columns.guard_obstacle() },
            Err(reason) => Self::of_reason(Tier::Single, reason),
        }
    }
}
