//! Computations: what is done with objects as wholes. Both tiers come here.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hasse_model::plan::routine::{
    Answer, Argument, Computation, Kind, LibraryFunction, Routine, TextPart, What,
};
use hasse_model::value::{StructType, StructValue, Value};

use crate::effects::{Piece, Sink};
use crate::journal::Journal;
use crate::route::{Route, value_of, word_of};
use crate::view::View;

/// A function of the library: changes the first of its arguments or gives a value. `None` where the interpreter is to call it, as
/// it fails.
pub type Library = dyn Fn(&mut [Value]) -> Option<Value> + Send + Sync;

/// Bytes that what a routine makes may take as the interpreter would count them, at the least: with a copy of each array where there
/// are two handles of one. What is replaced is given back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    pub(crate) left: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { left: u64::MAX }
    }
}

impl Budget {
    /// Takes what a value takes.
    fn take(&mut self, value: &Value) -> Option<()> {
        self.exchange(0, weight(value))
    }

    /// Takes what is there now, and gives back what was there before.
    fn exchange(&mut self, before: u64, now: u64) -> Option<()> {
        self.left = self.left.saturating_add(before).checked_sub(now)?;
        Some(())
    }
}

/// Bytes of a value in the interpreter, or more.
fn weight(value: &Value) -> u64 {
    const OF_ITEM: u64 = 48;
    match value {
        Value::Array(items) => match items.first() {
            Some(
                Value::Array(_)
                | Value::Struct(_)
                | Value::String(_)
                | Value::Vector(_)
                | Value::Matrix(_)
                | Value::Map(_),
            ) => items.iter().map(weight).sum::<u64>() + OF_ITEM,
            _ => (items.len() as u64 + 1) * OF_ITEM,
        },
        Value::Struct(held) => held.fields().iter().map(weight).sum::<u64>() + OF_ITEM,
        Value::Map(entries) => {
            let entry = |(key, value): (&Arc<str>, &Value)| OF_ITEM + key.len() as u64 + weight(value);
            entries.iter().map(entry).sum::<u64>() + OF_ITEM
        }
        Value::Vector(entries) => entries.len() as u64 * 8 + OF_ITEM,
        Value::Matrix(matrix) => matrix.entries().len() as u64 * 8 + OF_ITEM,
        Value::String(text) => text.len() as u64 + OF_ITEM,
        _ => OF_ITEM,
    }
}

/// A computation that was checked.
pub(crate) struct Task {
    computation: Computation,
    /// How many operands the arguments take together.
    pub(crate) n_operands: usize,
    /// Objects that it looks at or changes: how they are seen may be another way behind it.
    pub(crate) touched: Vec<usize>,
}

impl Task {
    pub(crate) fn new(computation: &Computation, routes: &[Route]) -> Self {
        let part = |argument: &Argument| match *argument {
            Argument::Part(path) => routes.get(path as usize),
            Argument::Scalar(_) => None,
        };
        let n_operands =
            computation.arguments.iter().map(|argument| part(argument).map_or(1, |route| route.n_operands));
        let n_operands = n_operands.sum();
        let mut touched: Vec<usize> =
            computation.arguments.iter().filter_map(|argument| Some(part(argument)?.object_idx)).collect();
        if let Answer::Object(object) = computation.result {
            touched.push(object as usize);
        }
        touched.sort_unstable();
        touched.dedup();
        Self { computation: computation.clone(), n_operands, touched }
    }
}

/// What computations of a run work on.
pub(crate) struct Bench<'a> {
    pub(crate) routine: &'a Routine,
    pub(crate) routes: &'a [Route],
    pub(crate) library: &'a [Arc<Library>],
    pub(crate) objects: &'a mut [Value],
    pub(crate) journal: &'a mut Journal,
    pub(crate) budget: &'a mut Budget,
    pub(crate) effects: Sink<'a>,
    /// The row, where the run is one of many; else 0.
    pub(crate) row: usize,
}

impl Bench<'_> {
    /// Does it: with its answer as a word, if that is a scalar, else 0. `None` where it gives up.
    pub(crate) fn run(&mut self, task: &Task, operands: &[u64]) -> Option<u64> {
        let Computation { what, arguments, result } = &task.computation;
        match what {
            What::Print(parts) => return self.print(parts, arguments, operands),
            What::SetResult(name) => return self.set_result(name, arguments, operands),
            What::Ask(asked) => return self.ask(*asked as usize, operands),
            _ => {}
        }
        let answer = if what.changes_first(&self.routine.library) {
            self.change(what, arguments, operands)?
        } else {
            self.value(what, arguments, operands)?
        };
        match *result {
            Answer::Nothing => Some(0),
            Answer::Scalar(kind) => word_of(&answer, kind),
            Answer::Object(object) => {
                let object_idx = object as usize;
                self.budget.exchange(weight(&self.objects[object_idx]), weight(&answer))?;
                View::of(&answer, self.routine.object_type(object_idx)?)?;
                self.journal.before_change(object_idx, &self.objects[object_idx]);
                self.objects[object_idx] = answer;
                Some(0)
            }
        }
    }

    /// Prints a text. Gives up where it would take too much memory.
    fn print(&mut self, parts: &[TextPart], arguments: &[Argument], operands: &[u64]) -> Option<u64> {
        let mut given = Given { bench: self, arguments, operands };
        let pieces = parts.iter().map(|part| match part {
            TextPart::Text(text) => Some(Piece::Text(text)),
            TextPart::Argument => given.next().map(Piece::Value),
        });
        let pieces = pieces.collect::<Option<Vec<_>>>()?;
        let effects = self.effects.as_mut()?;
        // Machine code must not be crossed by a panic.
        let n_bytes = catch_unwind(AssertUnwindSafe(|| effects.print(&pieces))).ok()?;
        self.budget.exchange(0, n_bytes as u64)?;
        Some(0)
    }

    /// Sets a named result of the program's run. Gives up where it would take too much memory.
    fn set_result(&mut self, name: &str, arguments: &[Argument], operands: &[u64]) -> Option<u64> {
        let value = Given { bench: self, arguments, operands }.next()?;
        self.budget.exchange(0, weight(&value))?;
        let effects = self.effects.as_mut()?;
        // Machine code must not be crossed by a panic.
        catch_unwind(AssertUnwindSafe(|| effects.set_result(name, value))).ok()?;
        Some(0)
    }

    /// Asks the world outside. Gives up where it gives no answer of the kind.
    fn ask(&mut self, asked_idx: usize, operands: &[u64]) -> Option<u64> {
        let gives = self.routine.asked.get(asked_idx)?.signature.gives;
        let effects = self.effects.as_mut()?;
        // Machine code must not be crossed by a panic.
        let answer = catch_unwind(AssertUnwindSafe(|| effects.ask(self.row, asked_idx, operands))).ok()??;
        Some(if gives == Kind::Bool { u64::from(answer != 0) } else { answer })
    }

    /// A value of arguments that stay as they are.
    fn value(&self, what: &What, arguments: &[Argument], operands: &[u64]) -> Option<Value> {
        let mut given = Given { bench: self, arguments, operands };
        match what {
            What::Copied => given.next(),
            What::Array => {
                let mut items = Vec::with_capacity(arguments.len());
                for _ in arguments {
                    items.push(given.next()?);
                }
                Some(Value::Array(Arc::new(items)))
            }
            What::Struct(ty) => {
                let fields = arguments.iter().map(|_| given.next()).collect::<Option<_>>()?;
                made(ty, fields)
            }
            What::Extracted => {
                let Value::Array(items) = given.next_ref()? else { return None };
                let from = given.int()?;
                let len = if arguments.len() > 2 { given.int()? } else { i64::MAX };
                let range = extracted(items.len(), from, len);
                Some(Value::Array(Arc::new(items[range].to_vec())))
            }
            What::Joined => {
                let (Value::Array(ones), Value::Array(others)) = (given.next_ref()?, given.next_ref()?)
                else {
                    return None;
                };
                let mut items = Vec::with_capacity(ones.len() + others.len());
                items.extend_from_slice(ones);
                items.extend_from_slice(others);
                Some(Value::Array(Arc::new(items)))
            }
            What::EqualTexts => match (given.next_ref()?, given.next_ref()?) {
                (Value::String(one), Value::String(other)) => Some(Value::Bool(one == other)),
                _ => None,
            },
            What::Library(function) => {
                let mut values = arguments.iter().map(|_| given.next()).collect::<Option<Vec<_>>>()?;
                called(self.library.get(*function as usize)?, &mut values)
            }
            _ => None,
        }
    }

    /// Changes the part that the first argument is.
    fn change(&mut self, what: &What, arguments: &[Argument], operands: &[u64]) -> Option<Value> {
        let (&Argument::Part(path), others) = arguments.split_first()? else { return None };
        let routes = self.routes;
        let route = routes.get(path as usize)?;
        let (places, operands) = operands.split_at_checked(route.n_operands)?;
        let mut values = Vec::new();
        let mut given = Given { bench: self, arguments: others, operands };
        // Most have one argument more, and that a scalar.
        let other = given.next();
        if others.len() > 1 {
            values.extend(others[1..].iter().map(|_| given.next()).collect::<Option<Vec<_>>>()?);
        }
        let other = match other {
            Some(other) => other,
            None if others.is_empty() => Value::Unit,
            None => return None,
        };
        route.part(self.objects, places)?;
        let object = self.objects.get_mut(route.object_idx)?;
        if let Some(place) = route.outer_place(object, places) {
            self.journal.before_write(route.object_idx, object, Some(place));
        } else if matches!(what, What::Push | What::Append | What::Pad) {
            self.journal.before_growth(route.object_idx, object);
        } else {
            self.journal.before_change(route.object_idx, object);
        }
        let target = route.part_mut(self.objects, places)?;
        match (what, &mut *target) {
            (What::Library(function), _) => {
                let before = weight(target);
                let mut all = vec![std::mem::take(target)];
                all.extend(others.first().map(|_| other));
                all.extend(values);
                let answer = called(self.library.get(*function as usize)?, &mut all);
                let mut all = all.into_iter();
                *target = all.next()?;
                self.budget.exchange(before, weight(target))?;
                answer.map(|_| Value::Unit)
            }
            (What::Put, _) => {
                self.budget.exchange(weight(target), weight(&other))?;
                *target = other;
                Some(Value::Unit)
            }
            (What::Truncate | What::Clear, Value::Array(_)) => {
                let before = weight(target);
                let Value::Array(items) = &mut *target else { return None };
                changed(what, Arc::make_mut(items), other, values.first(), self.budget)?;
                self.budget.exchange(before, weight(target))?;
                Some(Value::Unit)
            }
            (_, Value::Array(items)) => {
                changed(what, Arc::make_mut(items), other, values.first(), self.budget)
            }
            _ => None,
        }
    }
}

/// Arguments, one after another.
struct Given<'a, 'b> {
    bench: &'a Bench<'b>,
    arguments: &'a [Argument],
    operands: &'a [u64],
}

impl<'a> Given<'a, '_> {
    fn operands(&mut self, n_operands: usize) -> Option<&'a [u64]> {
        let (first, others) = self.operands.split_at_checked(n_operands)?;
        self.operands = others;
        Some(first)
    }

    fn argument(&mut self) -> Option<Argument> {
        let (first, others) = self.arguments.split_first()?;
        self.arguments = others;
        Some(*first)
    }

    /// The next one, as a value of its own.
    fn next(&mut self) -> Option<Value> {
        match self.argument()? {
            Argument::Scalar(kind) => Some(value_of(kind, *self.operands(1)?.first()?)),
            Argument::Part(path) => {
                let route = self.bench.routes.get(path as usize)?;
                let operands = self.operands(route.n_operands)?;
                route.copied(self.bench.objects, operands)
            }
        }
    }

    /// The next one, which is a part that stands in an object.
    fn next_ref(&mut self) -> Option<&'a Value> {
        let Argument::Part(path) = self.argument()? else { return None };
        let route = self.bench.routes.get(path as usize)?;
        let operands = self.operands(route.n_operands)?;
        route.part(self.bench.objects, operands)
    }

    fn int(&mut self) -> Option<i64> {
        match self.next()? {
            Value::Int(number) => Some(number),
            _ => None,
        }
    }
}

/// A value of a struct type; `None` where an argument does not fit its field.
fn made(ty: &StructType, fields: Vec<Value>) -> Option<Value> {
    let admitted = ty.field_types().zip(fields).map(|(ty, field)| ty.admit(field));
    let held = StructValue::new(Arc::clone(ty.shape()), admitted.collect::<Option<_>>()?)?;
    Some(Value::Struct(Arc::new(held)))
}

/// The places of the items that `extract` takes, out of `n_items`: a negative `from` counts from the end.
fn extracted(n_items: usize, from: i64, len: i64) -> std::ops::Range<usize> {
    let from = match usize::try_from(from.unsigned_abs()) {
        Ok(back) if from < 0 => n_items - back.min(n_items),
        Ok(ahead) => ahead.min(n_items),
        Err(_) if from < 0 => 0,
        Err(_) => n_items,
    };
    let len = usize::try_from(len.max(0)).unwrap_or(usize::MAX).min(n_items - from);
    from..from + len
}

/// Changes the items of an array, as the interpreter's function of that name does.
fn changed(
    what: &What,
    items: &mut Vec<Value>,
    other: Value,
    third: Option<&Value>,
    budget: &mut Budget,
) -> Option<Value> {
    match (what, other) {
        (What::Push, item) => {
            budget.take(&item)?;
            items.push(item);
        }
        (What::Pop, _) => {
            let item = items.pop()?;
            budget.exchange(weight(&item), 0)?;
            return Some(item);
        }
        (What::Append, more @ Value::Array(_)) => {
            budget.take(&more)?;
            if let Value::Array(more) = more {
                items.extend_from_slice(&more);
            }
        }
        (What::Pad, Value::Int(len)) => {
            let item = third?;
            if let Ok(len) = usize::try_from(len)
                && len > items.len()
            {
                budget.exchange(0, weight(item).checked_mul((len - items.len()) as u64)?)?;
                items.resize(len, item.clone());
            }
        }
        (What::Truncate, Value::Int(len)) => items.truncate(usize::try_from(len.max(0)).ok()?),
        (What::Clear, _) => items.clear(),
        (What::Reverse, _) => items.reverse(),
        (What::Sort, _) => sort(items)?,
        _ => return None,
    }
    Some(Value::Unit)
}

/// Sorts numbers of one kind, among which nothing is that cannot be compared.
fn sort(items: &mut [Value]) -> Option<()> {
    let is_int = |item: &Value| matches!(item, Value::Int(_));
    let is_real = |item: &Value| matches!(item, Value::Real(number) if !number.is_nan());
    if items.iter().all(is_int) {
        items.sort_by_key(|item| match item {
            Value::Int(number) => *number,
            _ => 0,
        });
        return Some(());
    }
    if !items.iter().all(is_real) {
        return None;
    }
    items.sort_by(|one, other| match (one, other) {
        (Value::Real(one), Value::Real(other)) => one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal),
        _ => std::cmp::Ordering::Equal,
    });
    Some(())
}

/// The answer of a function of the library. Where it panics there is none: the interpreter, which calls it again, says what is
/// wrong, and machine code must not be crossed by a panic.
fn called(function: &Arc<Library>, arguments: &mut [Value]) -> Option<Value> {
    catch_unwind(AssertUnwindSafe(|| function(arguments))).ok()?
}

/// What is wrong with a computation, if something is. The paths of the routine must have been checked.
pub(crate) fn flaw(computation: &Computation, routine: &Routine) -> Option<&'static str> {
    let Computation { what, arguments, result } = computation;
    let is_there = |argument: &Argument| match argument {
        Argument::Part(path) => (*path as usize) < routine.paths.len(),
        Argument::Scalar(_) => true,
    };
    if !arguments.iter().all(is_there) {
        return Some("an argument is a part by a path that is none");
    }
    let is_part = |place: usize| matches!(arguments.get(place), Some(Argument::Part(_)));
    let has_shape = match what {
        What::Copied => arguments.len() == 1,
        What::Array => true,
        What::Struct(ty) => arguments.len() == ty.shape().fields.len(),
        What::Extracted => is_part(0) && matches!(arguments.len(), 2 | 3),
        What::Joined | What::EqualTexts => arguments.len() == 2 && is_part(0) && is_part(1),
        What::Put | What::Push | What::Append | What::Truncate => arguments.len() == 2,
        What::Pad => arguments.len() == 3,
        What::Pop | What::Clear | What::Reverse | What::Sort => arguments.len() == 1,
        What::Library(function) => {
            let function: Option<&LibraryFunction> = routine.library.get(*function as usize);
            function.is_some_and(|function| function.signature.takes.len() == arguments.len())
        }
        What::Print(parts) => {
            parts.iter().filter(|part| **part == TextPart::Argument).count() == arguments.len()
        }
        What::SetResult(_) => arguments.len() == 1,
        What::Ask(asked) => routine.asked.get(*asked as usize).is_some_and(|asked| {
            let takes = asked.signature.takes.iter().map(|kind| Argument::Scalar(*kind));
            takes.eq(arguments.iter().copied())
        }),
    };
    if !has_shape {
        return Some("a computation has other arguments than it takes");
    }
    let gives = match what {
        What::EqualTexts => *result == Answer::Scalar(Kind::Bool),
        What::Print(_) | What::SetResult(_) => *result == Answer::Nothing,
        What::Ask(asked) => {
            let asked = routine.asked.get(*asked as usize);
            asked.is_some_and(|asked| *result == Answer::Scalar(asked.signature.gives))
        }
        What::Pop => matches!(result, Answer::Scalar(_)),
        _ if what.changes_first(&routine.library) => *result == Answer::Nothing,
        What::Copied | What::Array | What::Struct(_) | What::Extracted | What::Joined => {
            matches!(result, Answer::Object(_))
        }
        _ => *result != Answer::Nothing,
    };
    if !gives {
        return Some("a computation leaves what it gives where it cannot be");
    }
    let is_written = |object_idx: usize| {
        object_idx < routine.n_objects()
            && routine.objects.get(object_idx).is_none_or(|object| object.is_written)
    };
    let changed = match arguments.first() {
        Some(Argument::Part(path)) => Some(&routine.paths[*path as usize]),
        _ => None,
    };
    if *what == What::Put && changed.is_none_or(|path| path.steps.is_empty()) {
        return Some("a computation puts something in the place of what is no part");
    }
    if what.changes_first(&routine.library) && !changed.is_some_and(|path| is_written(path.object as usize)) {
        return Some("a computation changes what is no object that is written");
    }
    match *result {
        Answer::Object(object) if !is_written(object as usize) => {
            Some("a computation leaves what it gives in an object that is not written")
        }
        _ => None,
    }
}

/// For each object whether its size may change while the routine runs.
pub(crate) fn resized(routine: &Routine) -> Vec<bool> {
    let mut resized = vec![false; routine.n_objects()];
    resized[routine.objects.len()..].fill(true);
    for computation in &routine.computations {
        if let Answer::Object(object) = computation.result {
            resized[object as usize] = true;
        }
        if computation.what.changes_first(&routine.library)
            && let Some(Argument::Part(path)) = computation.arguments.first()
        {
            resized[routine.paths[*path as usize].object as usize] = true;
        }
    }
    resized
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_extracted_as_the_interpreter_does() {
        for (n_items, from, len, expected) in [
            (4, 1, i64::MAX, 1..4),
            (4, 1, 2, 1..3),
            (4, -1, 9, 3..4),
            (4, -9, 2, 0..2),
            (4, 4, 1, 4..4),
            (4, i64::MAX, 1, 4..4),
            (4, i64::MIN, 1, 0..1),
            (4, 2, 0, 2..2),
            (4, 2, -3, 2..2),
            (0, 0, 1, 0..0),
        ] {
            let found = extracted(n_items, from, len);
            assert_eq!(found.len(), expected.len(), "{n_items} items from {from}, {len}");
            assert!(found.is_empty() || found == expected, "{n_items} items from {from}, {len}: {found:?}");
        }
    }
}
