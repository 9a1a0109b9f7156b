//! A body that is looked at before each statement: stepping, and breakpoints at lines (Hyder 1994, section 8.2.1).
//!
//! Such a body is executed by a second interpreter of its worker, which calls back at each node; the first one, which
//! executes all others, does not. What is executed is the same. While a function is called, this interpreter holds
//! copies of its arguments, which count as memory of the event.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use hasse_body::convert::value_from_dynamic;
use hasse_body::effects::SharedContext;
use hasse_body::interrupt::StopSignal;
use hasse_body::output::Note;
use hasse_body::statements::{Statement, Statements};
use hasse_body::{memory, script};
use hasse_breakpoint::breakpoint::{LogPart, Place, PointCommand, Reaction};
use hasse_code::graph::GraphInstance;
use hasse_model::id::{Index, TemplateId};
use hasse_model::value::Value;
use hasse_request::control::armed::Armed;
use hasse_request::control::board::Board;
use hasse_request::control::stepping::Frame;
use parking_lot::Mutex;
use rhai::debugger::{CallStackFrame, DebuggerCommand};
use rhai::{Dynamic, Engine, EvalContext};

use crate::fire::course::{Course, Goal};
use crate::fire::lines::{LineScene, Lines, Order, Outline};

pub(crate) use hasse_request::control::news::{News, Part, Printed, Said};
pub(crate) use hasse_request::control::state::StopPoint;
pub(crate) use hasse_request::control::state::Why;

/// Watched values at the last hit, by breakpoint.
pub(crate) type LastValues = BTreeMap<u64, Vec<Option<Value>>>;

/// The interpreter of a worker for bodies that are looked at.
pub(crate) struct Stepper {
    pub(crate) engine: Engine,
    walking: Arc<Mutex<Walking>>,
}

/// What the interpreter's callback works on.
struct Walking {
    walk: Option<Walk>,
    queries: Engine,
}

/// A body that is looked at.
pub(crate) struct Walk {
    pub(crate) outline: Arc<Outline>,
    pub(crate) statements: Arc<Statements>,
    pub(crate) lines: Arc<Lines>,
    pub(crate) graph: Arc<GraphInstance>,
    pub(crate) template: TemplateId,
    pub(crate) index: Index,
    /// Where it was told to stop.
    pub(crate) goal: Option<Goal>,
    pub(crate) course: Course,
    /// It was told to go on and to stop behind its body.
    pub(crate) stops_at_aftcomp: bool,
    /// The version of the board that `armed` is of.
    pub(crate) version: u64,
    /// Breakpoints at lines of this body, with the lines on which the statements begin.
    pub(crate) armed: Vec<(Arc<Armed>, u32)>,
    pub(crate) last: LastValues,
    pub(crate) context: SharedContext,
    /// Of a replay: the position after the last line in the past of the event.
    pub(crate) past: u64,
}

impl Stepper {
    /// `engine` has what all interpreters of the worker have.
    pub(crate) fn new(mut engine: Engine, structs: &Arc<hasse_model::value::StructTable>) -> Self {
        let walking = Arc::new(Mutex::new(Walking { walk: None, queries: queries(structs) }));
        let told = Arc::clone(&walking);
        #[allow(deprecated, reason = "marked so as its interface may change between versions")]
        engine.register_debugger(
            |_, debugger| debugger,
            move |context, _, node, _, _| {
                // Only the worker's thread comes here.
                let Walking { walk, queries } = &mut *told.lock();
                let Some(walk) = walk else { return Ok(DebuggerCommand::Continue) };
                if let Some(statement) = walk.statements.at(node).cloned() {
                    memory::uncounted(|| walk.at_statement(&statement, &context, queries));
                }
                Ok(if walk.is_over() { DebuggerCommand::Continue } else { DebuggerCommand::StepInto })
            },
        );
        Self { engine, walking }
    }

    /// A body begins.
    pub(crate) fn begin(&self, walk: Walk) {
        self.walking.lock().walk = Some(walk);
    }

    /// The body has ended.
    pub(crate) fn end(&self) -> Option<Walk> {
        self.walking.lock().walk.take()
    }
}

/// The breakpoints at lines of a script, with the lines on which the statements begin.
pub(crate) fn armed_lines(armed: &[Arc<Armed>], statements: &Statements) -> Vec<(Arc<Armed>, u32)> {
    let at_line = |armed: &Arc<Armed>| match armed.breakpoint.place {
        Place::Line(line) => statements.line_from(line).map(|line| (Arc::clone(armed), line)),
        _ => None,
    };
    armed.iter().filter_map(at_line).collect()
}

impl Walk {
    /// Whether nothing is left to stop at; a breakpoint that is set later counts from the next body on.
    fn is_over(&self) -> bool {
        self.goal.is_none() && self.armed.is_empty()
    }

    fn board(&self) -> &Arc<Board> {
        &self.lines.board
    }

    /// A statement is about to begin.
    fn at_statement(
        &mut self,
        statement: &Statement,
        context: &EvalContext<'_, '_, '_, '_, '_, '_>,
        queries: &Engine,
    ) {
        if self.lines.stop.is_set() {
            return;
        }
        self.look_at_board();
        let level = context.call_level();
        self.course.begin(level);
        let is_armed = self.armed.iter().any(|(_, line)| *line == statement.at.line);
        let is_there = self.goal.as_mut().is_some_and(|goal| goal.reaches(level));
        if !is_there && !is_armed {
            return;
        }
        let mut scene = self.scene(statement, context);
        if is_there {
            self.goal = None;
            scene.reasons.push(Why::Step);
        }
        for (armed, line) in self.armed.clone() {
            if line == statement.at.line {
                self.hit(&armed, &mut scene, queries);
            }
        }
        if scene.reasons.is_empty() {
            return;
        }
        // Whoever looks at the action sees what was said on the way.
        let notes = {
            let mut context = self.context.lock();
            context.flush_early();
            std::mem::take(&mut context.notes)
        };
        self.lines.output.note(self.past, notes.into_iter().map(|(_, note)| note));
        self.tell(&scene, Said::Stopped(scene.reasons.clone()));
        match self.lines.wait(scene) {
            Order::Step(step) => {
                self.goal = Goal::of(step, level);
                self.stops_at_aftcomp |= self.goal.is_none();
            }
            Order::Go => {}
            Order::ToAftcomp => self.stops_at_aftcomp = true,
        }
        self.look_at_board();
    }

    fn look_at_board(&mut self) {
        if self.version == self.board().version() {
            return;
        }
        let path = || self.outline.path.clone();
        let (version, watched) = self.board().watched(path, &self.graph, self.template, &self.index);
        self.version = version;
        self.armed = watched.map_or_else(Vec::new, |watched| armed_lines(&watched.armed, &self.statements));
    }

    fn scene(&self, statement: &Statement, context: &EvalContext<'_, '_, '_, '_, '_, '_>) -> LineScene {
        let is_in_function = context.call_level() > 0;
        let n_slots = if is_in_function { 0 } else { self.outline.kinds.len() };
        let scope = context.scope();
        let mut names: Vec<(String, &'static str, Option<Dynamic>)> = Vec::new();
        // The interpreter lists the newest names first: of several of one name the first one is what it means now.
        for (n_newer, (name, _, held)) in scope.iter_raw().enumerate() {
            let slot_idx = scope.len() - 1 - n_newer;
            let kind = if slot_idx < n_slots { self.outline.kinds[slot_idx] } else { "let" };
            // A compiled body has slots for what it binds; the interpreter does not use them.
            let is_unused_slot = slot_idx < n_slots && kind == "let";
            if is_unused_slot || names.iter().any(|(known, ..)| known == name) {
                continue;
            }
            // A native function that calls back may be changing it.
            let held = (!held.is_locked()).then(|| held.flatten_clone());
            names.push((name.to_owned(), kind, held));
        }
        names.reverse();
        LineScene {
            outline: Arc::clone(&self.outline),
            at: statement.at,
            text: statement.text.clone(),
            names,
            reasons: Vec::new(),
            body: self.course.view(self.frames(context)),
        }
    }

    /// The calls under way, the innermost first.
    fn frames(&self, context: &EvalContext<'_, '_, '_, '_, '_, '_>) -> Vec<Frame> {
        let calls = context.debugger().map_or(&[][..], |debugger| debugger.call_stack());
        let frame = |call: &CallStackFrame| Frame {
            function: call.fn_name.to_string(),
            arguments: call.args.iter().map(value_from_dynamic).collect(),
            called_at: self.statements.line_of(call.pos),
        };
        calls.iter().rev().map(frame).collect()
    }

    fn tell(&self, scene: &LineScene, said: Said) {
        let event = self.outline.event.clone();
        let is_printed = matches!(said, Said::Printed { .. });
        let news = News { event, point: StopPoint::Line, at: Some(scene.at), said };
        match self.board().printer().filter(|_| is_printed) {
            Some(printer) => {
                let mut context = self.context.lock();
                let n_before = context.lines.len();
                context.notes.push((n_before, Note::new(move || printer(&news))));
            }
            None => self.board().tell(news),
        }
    }

    /// Looks at one breakpoint at its line.
    fn hit(&mut self, armed: &Arc<Armed>, scene: &mut LineScene, queries: &Engine) {
        let number = armed.number;
        if let Some(condition) = &armed.breakpoint.condition {
            let held = scene.evaluate(queries, condition).and_then(|held| {
                held.as_bool().map_err(|found| format!("`{}` is a {found}, not a bool", condition.text()))
            });
            match held {
                Ok(true) => {}
                Ok(false) => return,
                Err(message) => {
                    scene.reasons.push(Why::Condition { number, message });
                    return;
                }
            }
        }
        if armed.n_hits.fetch_add(1, Ordering::Relaxed) < armed.breakpoint.n_ignored {
            return;
        }
        let why = Why::Breakpoint { number, detail: String::new() };
        match &armed.breakpoint.reaction {
            Reaction::Stop => scene.reasons.push(why),
            Reaction::Once => {
                if self.board().delete(number) {
                    scene.reasons.push(why);
                }
            }
            Reaction::When(commands) => {
                for command in commands {
                    match carry_out(command, scene, queries) {
                        Some(printed) => self.tell(scene, Said::Printed { breakpoint: number, printed }),
                        None => scene.reasons.push(why.clone()),
                    }
                }
            }
            Reaction::Watch(expressions) => {
                let last = self.last.entry(number).or_insert_with(|| vec![None; expressions.len()]);
                let mut changes = Vec::new();
                for (expression, last) in expressions.iter().zip(last) {
                    let value = scene.value(queries, expression);
                    let now = value.as_ref().ok();
                    if now.is_none() || now != last.as_ref() {
                        let before = std::mem::replace(last, now.cloned());
                        let expression = expression.text().to_owned();
                        changes.push(Printed::Changed { expression, before, value });
                    }
                }
                for printed in changes {
                    self.tell(scene, Said::Printed { breakpoint: number, printed });
                }
            }
        }
    }
}

/// Why nothing is assigned in the middle of a body.
pub(crate) const NO_ASSIGNMENT: &str =
    "values are assigned at befcomp and aftcomp: a replay could not repeat it in the middle of a body";

/// Carries a command out; `None` for the one that stops.
fn carry_out(command: &PointCommand, scene: &LineScene, queries: &Engine) -> Option<Printed> {
    Some(match command {
        PointCommand::Print(expression) => Printed::Value {
            expression: expression.text().to_owned(),
            value: scene.value(queries, expression),
        },
        PointCommand::Dump => Printed::Names(scene.named()),
        PointCommand::Log(parts) => {
            let part = |part: &LogPart| match part {
                LogPart::Text(text) => Part::Text(text.clone()),
                LogPart::Value(expression) => Part::Value(scene.value(queries, expression)),
            };
            Printed::Log(parts.iter().map(part).collect())
        }
        PointCommand::Assign { name, .. } => {
            Printed::Assigned { name: name.clone(), value: Err(NO_ASSIGNMENT.to_owned()) }
        }
        PointCommand::Where => Printed::Where,
        PointCommand::Stop => return None,
    })
}

/// An interpreter for expressions of the user: it can do nothing but compute.
pub(crate) fn queries(structs: &Arc<hasse_model::value::StructTable>) -> rhai::Engine {
    script::engine(&SharedContext::default(), &StopSignal::default(), structs)
}
