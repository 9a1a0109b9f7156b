//! Lowered scripts where they run: what goes from names to a routine, and back.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use hasse_body::builtin::question::Question;
use hasse_body::convert::{dynamic_from_value, value_from_dynamic};
use hasse_body::natives::put;
use hasse_body::print::ContextSink;
use hasse_body::rows::RowSink;
use hasse_body::{interrupt, memory};
use hasse_model::id::SlotId;
use hasse_model::plan::routine::{Input, Kind, Lowering, Object, Place, Routine};
use hasse_model::plan::{SlotKind, Template};
use hasse_model::value::{Type, Value};
use hasse_routine::{EffectSink, Ended, Machine, Scratch, Table, Tiers, Undo};
use rhai::Dynamic;

use crate::eval::Env;
use crate::frame::Frame;
use crate::natives::error::{GaveUp, Yielded};
use crate::natives::node::{BodyContext, BodyError, BodyResult, NativeBody, Registered};
use crate::natives::registry::Natives;
use crate::natives::scalars::{FunctionNames, RowWorld, ScalarFailure, ScalarFunction, ScalarTable};
use crate::natives::scope::BodyScope;
use crate::reason::{Cause, Reason, Site};

/// How bodies and expressions in Rhai are executed, of those that could be lowered to routines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScriptTiers {
    /// Without the interpreter, and in machine code as soon as that is worth it.
    #[default]
    Auto,
    /// By the interpreter, as all others are.
    Interpreted,
    /// Without the interpreter, and without machine code.
    Evaluated,
    /// In machine code, which is made before the run begins.
    Native,
}

impl ScriptTiers {
    /// The tiers for expressions of rules that never need the interpreter.
    #[inline]
    pub fn of_expressions(self) -> Tiers {
        match self {
            ScriptTiers::Auto => Tiers::Auto,
            ScriptTiers::Interpreted | ScriptTiers::Evaluated => Tiers::Evaluated,
            ScriptTiers::Native => Tiers::Native,
        }
    }

    /// The machine for a lowered script. Where a function that it calls is no longer registered as it was when the program was
    /// compiled, all its runs give up, so that the interpreter tells.
    #[inline]
    pub fn machine(self, lowering: Option<&Lowering>, natives: &Natives) -> Option<Arc<Machine>> {
        let tiers = match self {
            ScriptTiers::Auto => Tiers::Auto,
            ScriptTiers::Interpreted => return None,
            ScriptTiers::Evaluated => Tiers::Evaluated,
            ScriptTiers::Native => Tiers::Native,
        };
        let routine = lowering?.routine()?;
        let called = natives.called_by(routine).unwrap_or_default();
        let library = natives.library_of(routine).unwrap_or_default();
        let machine = routine.kept.get_or_make(
            |machine: &Machine| machine.tiers() == tiers && machine.calls(&called, &library),
            // The machine must not keep what keeps it.
            || Machine::new(Arc::new(Routine::clone(routine)), &called, &library, tiers),
        );
        debug_assert_eq!(machine.flaw(), None, "the compiler makes routines that can be run");
        Some(machine)
    }
}

/// What a thread runs routines with.
#[derive(Default)]
struct Workplace {
    words: Vec<u64>,
    objects: Vec<Value>,
    scratch: Scratch,
    /// Writes of the last body that uses a shared object.
    undo: Undo,
}

thread_local! {
    static WORKPLACE: RefCell<Workplace> = RefCell::default();
}

/// A lowered body, as bodies in Rust are called.
#[inline]
pub fn body(machine: &Arc<Machine>, template: &Template, natives: &Natives) -> Registered {
    let routine = machine.routine();
    let questions = natives.questions_of(routine);
    let has_native = questions.iter().flatten().any(Question::is_native);
    let scalars = scalar_function(machine, template, questions.clone()).map(Arc::new);
    let world = World { questions, keeps_answers: has_native || routine.speaks() };
    let lets = template.slots.iter().filter(|slot| slot.kind == SlotKind::Let);
    let lets = lets.map(|slot| (slot.name.clone(), slot.ty.clone()));
    let runs = Arc::clone(machine);
    let shared = template.slots_of(SlotKind::Shared);
    let is_shared = machine.routine().objects.iter().any(|object| shared.contains(&object.slot.idx()));
    Registered {
        body: NativeBody::new(&template.name).lets(lets),
        run: Arc::new(move |context: &mut BodyContext<'_>| run_body(&runs, &world, is_shared, context)),
        scalars,
        is_text: false,
        may_wait: has_native,
        asks: !routine.asked.is_empty() && !routine.speaks(),
    }
}

/// Whether all objects that a routine looks into go over from the interpreter's names in constant time.
#[inline]
pub fn is_cheap_beside_interpreter(machine: &Machine) -> bool {
    machine.routine().objects.iter().all(|object| matches!(object.ty, Type::Vector | Type::Matrix))
}

/// Questions of a lowered body to the world outside.
struct World {
    /// By position in its routine.
    questions: Vec<Option<Question>>,
    /// True if the interpreter, where it takes over, gets the same answers without asking again: somebody may have seen the
    /// question, or a line that was printed of the answer.
    keeps_answers: bool,
}

#[inline]
fn run_body(machine: &Machine, world: &World, is_shared: bool, context: &mut BodyContext<'_>) -> BodyResult {
    // The slow path keeps what stood in the object itself.
    let keeps_writes = is_shared && matches!(context.scope, BodyScope::Lane(_));
    let ended = WORKPLACE.with_borrow_mut(|place| {
        place.scratch.set_keeps_writes(keeps_writes);
        let ended = if machine.has_effects() {
            run_with_effects(machine, world, place, context)
        } else {
            run_on_scope(machine, place, &mut context.scope, None)
        };
        if keeps_writes {
            place.scratch.set_keeps_writes(false);
            place.scratch.keep_writes(&mut place.undo);
        }
        ended
    });
    match ended {
        Ended::Done => Ok(()),
        Ended::GaveUp => Err(GaveUp.into()),
        Ended::Interrupted if interrupt::is_stopped() => Err(BodyError::Interrupted.into()),
        Ended::Interrupted => Err(Yielded.into()),
    }
}

/// Has a shared object, as the last body of this thread left it, hold what it held before that body: its event fails, or is to end
/// in the general way. `machine` is that of the body.
#[inline]
pub fn take_back(machine: &Machine, slot: SlotId, object: &mut Value) {
    let object_idx = machine.routine().objects.iter().position(|known| known.slot == slot);
    WORKPLACE.with_borrow_mut(|place| {
        if let Some(object_idx) = object_idx {
            place.undo.take_back(object_idx, object);
        }
        place.undo.forget();
    });
}

/// Returns true if a body can take back what it writes to an object, by [`take_back`].
#[inline]
pub fn can_take_back(machine: &Machine, slot: SlotId) -> bool {
    machine.routine().objects.iter().any(|object| {
        object.slot == slot
            && matches!(object.ty, Type::Vector | Type::Matrix | Type::Array(_) | Type::Struct(_))
    })
}

/// The event of the last body of this thread has ended well.
#[inline]
pub fn forget_writes() {
    WORKPLACE.with_borrow_mut(|place| place.undo.forget());
}

/// Runs a routine that may print, set results or ask the world outside.
#[inline]
fn run_with_effects(
    machine: &Machine,
    World { questions, keeps_answers }: &World,
    place: &mut Workplace,
    context: &mut BodyContext<'_>,
) -> Ended {
    let effects = context.template.effects;
    let (template, instance, count) = (context.template, context.instance, context.count);
    let announce = || template.announce(instance, count);
    let announce: Option<&dyn Fn()> =
        if context.has_asked.get() || template.unannounced.is_none() { None } else { Some(&announce) };
    let mut sink = ContextSink { context: effects, questions, keeps_answers: *keeps_answers, announce };
    let ended = run_on_scope(machine, place, &mut context.scope, Some(&mut sink));
    if sink.is_used() {
        context.has_asked.set(true);
        if ended == Ended::GaveUp {
            // The interpreter has the same effects again.
            effects.lock().begin_again();
        }
    }
    ended
}

#[inline]
fn run_on_scope(
    machine: &Machine,
    place: &mut Workplace,
    scope: &mut BodyScope<'_>,
    sink: Option<&mut ContextSink<'_>>,
) -> Ended {
    match scope {
        BodyScope::Lane(values) => run_on_values(machine, place, values, sink),
        BodyScope::Frame(frame) => run_on_frame(machine, place, frame, sink),
    }
}

/// Runs a body whose names stand in the lane.
#[inline]
fn run_on_values(
    machine: &Machine,
    place: &mut Workplace,
    values: &mut [Value],
    sink: Option<&mut ContextSink<'_>>,
) -> Ended {
    let routine = machine.routine();
    let Workplace { words, objects, scratch, .. } = place;
    words.clear();
    for input in &routine.inputs {
        let Place::Slot(slot) = input.place else { return Ended::GaveUp };
        let Some(word) = word_of(&values[slot.idx()], input) else { return Ended::GaveUp };
        words.push(word);
    }
    words.resize(routine.inputs.len() + routine.outputs.len(), 0);
    if routine.objects.iter().any(|object| !is_of_type(&values[object.slot.idx()], object)) {
        return Ended::GaveUp;
    }
    objects.clear();
    objects.extend(routine.objects.iter().map(|object| std::mem::take(&mut values[object.slot.idx()])));
    let ended = run(machine, words, objects, scratch, sink);
    if ended == Ended::Done {
        for left in &routine.left {
            if let Place::Slot(slot) = left.place {
                put(&mut values[slot.idx()], std::mem::take(&mut objects[left.object as usize]));
            }
        }
    }
    for (object, value) in routine.objects.iter().zip(objects.drain(..)) {
        values[object.slot.idx()] = value;
    }
    if ended == Ended::Done {
        for (output, word) in routine.outputs.iter().zip(&words[routine.inputs.len()..]) {
            if let Place::Slot(slot) = output.place {
                put(&mut values[slot.idx()], output.kind.value_of(word.cast_signed()));
            }
        }
    }
    ended
}

/// Runs a body whose names stand as the interpreter has them.
#[inline]
fn run_on_frame(
    machine: &Machine,
    place: &mut Workplace,
    frame: &mut Frame,
    sink: Option<&mut ContextSink<'_>>,
) -> Ended {
    let routine = machine.routine();
    let Workplace { words, objects, scratch, .. } = place;
    words.clear();
    for input in &routine.inputs {
        let Place::Slot(slot) = input.place else { return Ended::GaveUp };
        let Some(word) = word_of_held(frame.get(slot), input) else { return Ended::GaveUp };
        words.push(word);
    }
    words.resize(routine.inputs.len() + routine.outputs.len(), 0);
    objects.clear();
    let mut ended = Ended::GaveUp;
    for object in &routine.objects {
        let held = frame.take(object.slot.idx());
        // The interpreter's handle goes first: the value is then the only one.
        match value_from_dynamic(&held) {
            Ok(value) => objects.push(value),
            Err(_) => {
                frame.set(object.slot.idx(), held);
                break;
            }
        }
    }
    let is_whole = objects.len() == routine.objects.len()
        && routine.objects.iter().zip(&*objects).all(|(object, value)| is_of_type(value, object));
    if is_whole {
        ended = run(machine, words, objects, scratch, sink);
    }
    if ended == Ended::Done {
        for left in &routine.left {
            if let Place::Slot(slot) = left.place {
                let value = std::mem::take(&mut objects[left.object as usize]);
                frame.set(slot.idx(), dynamic_from_value(value));
            }
        }
    }
    for (object, value) in routine.objects.iter().zip(objects.drain(..)) {
        frame.set(object.slot.idx(), dynamic_from_value(value));
    }
    if ended == Ended::Done {
        for (output, word) in routine.outputs.iter().zip(&words[routine.inputs.len()..]) {
            if let Place::Slot(slot) = output.place {
                frame.set(slot.idx(), held_of(*word, output.kind));
            }
        }
    }
    ended
}

/// Runs a routine with its objects, behind which there is room for its own.
#[inline]
fn run(
    machine: &Machine,
    words: &mut [u64],
    objects: &mut Vec<Value>,
    scratch: &mut Scratch,
    sink: Option<&mut ContextSink<'_>>,
) -> Ended {
    let routine = machine.routine();
    objects.resize(routine.n_objects(), Value::Unit);
    if !routine.computations.is_empty() {
        // The interpreter decides whether what takes much is too much.
        memory::begin_script();
        scratch.allow(memory::most_bytes() / 2);
    }
    interrupt::with_flag(|stop| match sink {
        Some(sink) => machine.run_with(words, objects, scratch, stop, sink),
        None => machine.run(words, objects, scratch, stop),
    })
}

/// The value of a lowered expression; `None` where the interpreter is to evaluate it.
#[inline]
pub fn evaluate(machine: &Machine, env: &Env<'_>) -> Option<Dynamic> {
    let frame = env.frame?;
    let held_by = |slot: SlotId| frame.get(slot);
    let given = run_expression(
        machine,
        |input| match input.place {
            Place::Slot(slot) => word_of_held(held_by(slot), input),
            Place::Local(local) => env.locals.get(local as usize).map(|number| *number as u64),
            Place::Value => None,
        },
        |object| value_from_dynamic(held_by(object.slot)).ok().filter(|value| is_of_type(value, object)),
    )?;
    Some(dynamic_from_value(given))
}

/// The same, where names stand in the lane.
#[inline]
pub(crate) fn evaluate_on_values(machine: &Machine, values: &[Value], locals: &[i64]) -> Option<Value> {
    run_expression(
        machine,
        |input| match input.place {
            Place::Slot(slot) => word_of(values.get(slot.idx())?, input),
            Place::Local(local) => locals.get(local as usize).map(|number| *number as u64),
            Place::Value => None,
        },
        |object| values.get(object.slot.idx()).filter(|value| is_of_type(value, object)).cloned(),
    )
}

#[inline]
fn run_expression(
    machine: &Machine,
    word: impl Fn(&Input) -> Option<u64>,
    object: impl Fn(&Object) -> Option<Value>,
) -> Option<Value> {
    WORKPLACE.with_borrow_mut(|place| {
        let routine = machine.routine();
        let Workplace { words, objects, scratch, .. } = place;
        words.clear();
        for input in &routine.inputs {
            words.push(word(input)?);
        }
        words.resize(words.len() + routine.outputs.len(), 0);
        objects.clear();
        for wanted in &routine.objects {
            objects.push(object(wanted)?);
        }
        let ended = run(machine, words, objects, scratch, None);
        let given = match (routine.outputs.first(), routine.left.first()) {
            _ if ended != Ended::Done => None,
            (Some(output), _) => words.last().map(|word| output.kind.value_of(word.cast_signed())),
            (None, Some(left)) => objects.get_mut(left.object as usize).map(std::mem::take),
            (None, None) => None,
        };
        objects.clear();
        given
    })
}

/// Whether a value is of an object's type on the outside.
#[inline]
fn is_of_type(value: &Value, object: &Object) -> bool {
    match (&object.ty, value) {
        (Type::Vector, Value::Vector(_))
        | (Type::Matrix, Value::Matrix(_))
        | (Type::Array(_), Value::Array(_))
        | (Type::String, Value::String(_)) => true,
        (Type::Struct(of), Value::Struct(held)) => of.is_type_of(held.shape()),
        _ => false,
    }
}

#[inline(always)]
fn word_of(value: &Value, input: &Input) -> Option<u64> {
    if input.is_presence {
        return Some(u64::from(!matches!(value, Value::Unit)));
    }
    match value {
        Value::Unit if input.is_optional => Some(0),
        value => input.kind.word_of(value).map(i64::cast_unsigned),
    }
}

#[inline]
fn word_of_held(held: &Dynamic, input: &Input) -> Option<u64> {
    if input.is_presence {
        return Some(u64::from(!held.is_unit()));
    }
    if input.is_optional && held.is_unit() {
        return Some(0);
    }
    match input.kind {
        Kind::Int => held.as_int().ok().map(|number| number as u64),
        Kind::Real => held.as_float().ok().map(f64::to_bits),
        Kind::Bool => held.as_bool().ok().map(u64::from),
    }
}

#[inline]
fn held_of(word: u64, kind: Kind) -> Dynamic {
    match kind {
        Kind::Int => Dynamic::from_int(word as i64),
        Kind::Real => Dynamic::from_float(f64::from_bits(word)),
        Kind::Bool => Dynamic::from_bool(word != 0),
    }
}

/// The routine as a function of scalars.
///
/// # Errors
/// It is none of what stays the same while an event is executed.
#[inline]
fn scalar_function(
    machine: &Arc<Machine>,
    template: &Template,
    questions: Vec<Option<Question>>,
) -> Result<ScalarFunction, Reason> {
    let routine = machine.routine();
    let of_body = |cause| Site::Body.because(cause);
    if let Some(object) = routine.objects.first() {
        return Err(of_body(Cause::BodyObject(object.slot.idx())));
    }
    let (speaks, asks) = (routine.speaks(), !routine.asked.is_empty());
    // Code in Rust may take long, and who has seen a question is not to see it again.
    if asks && (speaks || questions.iter().any(|question| question.as_ref().is_none_or(Question::is_native)))
    {
        return Err(of_body(Cause::BodyAsks));
    }
    if routine.n_objects() > 0 {
        return Err(of_body(Cause::BodyMakesObjects));
    }
    for input in &routine.inputs {
        match input.place {
            Place::Slot(slot) if slot == template.count_slot() => return Err(of_body(Cause::BodyCount)),
            Place::Slot(slot) if input.is_optional || input.is_presence => {
                return Err(of_body(Cause::BodyOptional(slot.idx())));
            }
            _ => {}
        }
    }
    let name = |place: Place| match place {
        Place::Slot(slot) => Ok(template.slots[slot.idx()].name.clone()),
        Place::Local(_) | Place::Value => Err(of_body(Cause::ExpressionOther)),
    };
    let takes = routine.inputs.iter().map(|input| name(input.place)).collect::<Result<_, _>>()?;
    let gives = routine.outputs.iter().map(|output| name(output.place)).collect::<Result<_, _>>()?;
    let kinds = routine.inputs.iter().map(|input| input.kind);
    let kinds = kinds.chain(routine.outputs.iter().map(|output| output.kind)).collect();
    let machine = Arc::clone(machine);
    let call = move |table: &ScalarTable<'_>, executions: Range<usize>| match table.world {
        Some(world) if asks => run_asking_rows(&machine, &questions, table, world, executions),
        _ => run_rows(&machine, table, executions, None),
    };
    Ok(ScalarFunction { names: FunctionNames { takes, gives }, kinds, call: Box::new(call), speaks, asks })
}

/// Runs a routine of scalars, which asks the world outside, for some executions.
fn run_asking_rows(
    machine: &Machine,
    questions: &[Option<Question>],
    table: &ScalarTable<'_>,
    &RowWorld { context, events, answers }: &RowWorld<'_>,
    executions: Range<usize>,
) -> Result<(), ScalarFailure> {
    let mut answers = answers.borrow_mut();
    let mut sink = RowSink::new(context, questions, events, &mut answers);
    let first = executions.start;
    let ran = run_rows(machine, table, executions, Some(&mut sink));
    let n_done = table.n_done.get();
    table.n_done.set(sink.end(first..n_done));
    if table.n_done.get() < n_done { Err(ScalarFailure::Misfit) } else { ran }
}

/// Runs a routine of scalars for some executions, whose questions go to `effects`.
///
/// # Errors
/// One of them has not come to its end: whoever executes it by itself finds out why.
#[inline]
pub fn run_rows(
    machine: &Machine,
    table: &ScalarTable<'_>,
    executions: Range<usize>,
    effects: Option<&mut RowSink<'_>>,
) -> Result<(), ScalarFailure> {
    let ScalarTable { cells, takes, gives, n_done, .. } = *table;
    let first = executions.start;
    let table = Table { cells, takes, gives };
    let (n_more, ended) = interrupt::with_flag(|stop| {
        let with_scratch = |run: &mut dyn FnMut(&mut Scratch) -> (usize, Ended)| {
            WORKPLACE.with_borrow_mut(|place| run(&mut place.scratch))
        };
        let effects = effects.map(|sink| sink as &mut dyn EffectSink);
        machine.run_rows(&table, executions, with_scratch, stop, effects)
    });
    n_done.set(first + n_more);
    if ended == Ended::Done { Ok(()) } else { Err(ScalarFailure::Misfit) }
}
