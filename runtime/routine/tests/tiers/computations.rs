//! What routines do with objects as wholes: random computations, the functions of the library that they call, and cases.

use std::panic::resume_unwind;
use std::sync::Arc;

use hasse_model::plan::routine::{
    Answer, Argument, Computation, Function, Kind, Left, LibraryFunction, LibrarySignature, Op, Operands,
    Path, Place, Routine, Step, What,
};
use hasse_model::value::{Type, Value};
use hasse_routine::{Ended, Library, Machine, Scratch, Tiers};

use crate::cases::{function, routine, run};
use crate::tape::Tape;
use crate::values;

/// A function with its name and what it takes and gives.
type Known = (&'static str, &'static [Type], Option<Type>, fn(&mut [Value]) -> Option<Value>);

/// Functions of all kinds, some of which fail now and then.
const KNOWN: [Known; 5] = [
    ("longer", &[Type::Vector, Type::Real], None, |values| {
        let Value::Vector(entries) = &mut values[0] else { return None };
        Arc::make_mut(entries).push(1.5);
        Some(Value::Unit)
    }),
    ("same", &[Type::Vector], Some(Type::Vector), |values| Some(values[0].clone())),
    // Changes what it was given before it fails.
    ("half_done", &[Type::Vector, Type::Int], None, |values| {
        let Value::Vector(entries) = &mut values[0] else { return None };
        Arc::make_mut(entries).clear();
        matches!(values[1], Value::Int(number) if number % 2 == 0).then_some(Value::Unit)
    }),
    ("burst", &[Type::Matrix], Some(Type::Real), |values| match &values[0] {
        // As a panic, but for its message.
        Value::Matrix(matrix) if matrix.n_rows() % 2 == 1 => resume_unwind(Box::new(())),
        Value::Matrix(matrix) => Some(Value::Real(matrix.entries().iter().sum())),
        _ => None,
    }),
    ("zeros", &[Type::Int], Some(Type::Vector), |values| match values[0] {
        Value::Int(number) => Some(Value::Vector(Arc::new(vec![0.0; usize::try_from(number % 9).ok()?]))),
        _ => None,
    }),
];

/// All of them, as a routine has them.
pub(crate) fn library() -> Vec<LibraryFunction> {
    let function = |(name, takes, gives, _): &Known| LibraryFunction {
        name: (*name).to_owned(),
        signature: LibrarySignature { takes: takes.to_vec(), gives: gives.clone() },
        is_native: false,
    };
    KNOWN.iter().map(function).collect()
}

/// The functions that a routine calls.
pub(crate) fn functions(routine: &Routine) -> Vec<Arc<Library>> {
    let function = |wanted: &LibraryFunction| {
        let known = KNOWN.iter().find(|known| known.0 == wanted.name).expect("there is one of the name");
        Arc::new(known.3) as Arc<Library>
    };
    routine.library.iter().map(function).collect()
}

/// Adds objects of its own, with ways into them, and computations.
pub(crate) fn add(routine: &mut Routine, tape: &mut Tape) {
    for _ in 0..tape.below(4) {
        // Most are of a type that another object has, which they can be a copy of.
        let ty = match routine.objects.len() {
            0 => values::object_type(tape),
            _ if tape.below(6) == 0 => values::object_type(tape),
            n_objects => routine.objects[tape.below(n_objects)].ty.clone(),
        };
        routine.own_objects.push(ty);
    }
    routine.library = library();
    let first_own = routine.objects.len();
    for object in first_own..routine.n_objects() {
        let ty = routine.object_type(object).expect("there is one").clone();
        routine.paths.push(Path { object: object as u32, steps: Vec::new() });
        for _ in 0..2 {
            routine.paths.push(Path { object: object as u32, steps: crate::generate::steps(tape, &ty) });
        }
        if tape.below(2) == 1 {
            routine.left.push(Left { place: Place::Value, object: object as u32 });
        }
    }
    if routine.paths.is_empty() {
        return;
    }
    for _ in 0..tape.below(9) {
        let computation = computation(routine, tape);
        routine.computations.extend(computation);
    }
}

/// The type of what stands at the end of a path.
fn end_of(routine: &Routine, path: &Path) -> Type {
    let start = routine.object_type(path.object as usize).cloned().unwrap_or(Type::Any);
    path.steps.iter().fold(start, |ty, step| match (step, ty) {
        (Step::Item, Type::Array(items)) => *items,
        (Step::Field(field_idx), Type::Struct(of)) => of.field_type(*field_idx as usize).unwrap_or(Type::Any),
        (Step::Entry | Step::Cell, _) => Type::Real,
        _ => Type::Any,
    })
}

/// What computations can be made of.
struct Stock<'a> {
    routine: &'a Routine,
    /// The types of what stands at the ends of the paths.
    ends: Vec<Type>,
}

impl Stock<'_> {
    fn is_written(&self, object: u32) -> bool {
        self.routine.objects.get(object as usize).is_none_or(|object| object.is_written)
    }

    /// A path that is as it is to be, mostly, or another one.
    fn part(&self, tape: &mut Tape, is_meant: impl Fn(&Type) -> bool) -> Argument {
        let meant: Vec<usize> = (0..self.ends.len()).filter(|&path| is_meant(&self.ends[path])).collect();
        let path = if meant.is_empty() || tape.below(24) == 0 {
            tape.below(self.ends.len())
        } else {
            tape.one_of(&meant)
        };
        Argument::Part(path as u32)
    }

    /// The same, of paths into what may be written.
    fn changed(&self, tape: &mut Tape, is_meant: impl Fn(&Path, &Type) -> bool) -> Option<Argument> {
        let paths = self.routine.paths.iter().zip(&self.ends).enumerate();
        let meant = paths.filter(|(_, (path, end))| self.is_written(path.object) && is_meant(path, end));
        let meant: Vec<u32> = meant.map(|(place, _)| place as u32).collect();
        (!meant.is_empty()).then(|| Argument::Part(tape.one_of(&meant)))
    }

    /// An object that may be replaced by one of a type.
    fn object(&self, tape: &mut Tape, ty: &Type) -> Option<Answer> {
        let objects = (0..self.routine.n_objects() as u32).filter(|&object| {
            self.is_written(object) && self.routine.object_type(object as usize) == Some(ty)
        });
        let objects: Vec<u32> = objects.collect();
        (!objects.is_empty()).then(|| Answer::Object(tape.one_of(&objects)))
    }

    fn type_of(&self, argument: Argument) -> Type {
        match argument {
            Argument::Scalar(kind) => kind.ty(),
            Argument::Part(path) => self.ends[path as usize].clone(),
        }
    }

    /// Something of a type.
    fn of_type(&self, tape: &mut Tape, ty: &Type) -> Argument {
        match Kind::of(ty) {
            Some(kind) if tape.below(3) > 0 => Argument::Scalar(kind),
            _ => self.part(tape, |end| end == ty),
        }
    }
}

fn is_array(ty: &Type) -> bool {
    matches!(ty, Type::Array(_))
}

fn items_of(ty: &Type) -> Type {
    match ty {
        Type::Array(items) => (**items).clone(),
        _ => Type::Int,
    }
}

fn computation(routine: &Routine, tape: &mut Tape) -> Option<Computation> {
    let ends = routine.paths.iter().map(|path| end_of(routine, path)).collect();
    let stock = Stock { routine, ends };
    let int = Argument::Scalar(Kind::Int);
    let make = |what, arguments, result| Some(Computation { what, arguments, result });
    let array = |tape: &mut Tape| stock.changed(tape, |_, end| is_array(end));
    match tape.below(16) {
        0..3 => {
            let part = stock.part(tape, |end| Kind::of(end).is_none());
            let result = stock.object(tape, &stock.type_of(part))?;
            make(What::Copied, vec![part], result)
        }
        3 => {
            let ty = Type::Array(Box::new(tape.one_of(&[Type::Int, Type::Real, Type::Vector])));
            let items = (0..tape.below(4)).map(|_| stock.of_type(tape, &items_of(&ty))).collect();
            make(What::Array, items, stock.object(tape, &ty)?)
        }
        4 => {
            let part = stock.part(tape, is_array);
            let result = stock.object(tape, &stock.type_of(part))?;
            make(What::Extracted, vec![part, int, int][..2 + tape.below(2)].to_vec(), result)
        }
        5 => {
            let one = stock.part(tape, is_array);
            let other = stock.part(tape, |end| *end == stock.type_of(one));
            make(What::Joined, vec![one, other], stock.object(tape, &stock.type_of(one))?)
        }
        6 if tape.below(4) == 0 => {
            let parts = vec![stock.part(tape, |_| true), stock.part(tape, |_| true)];
            make(What::EqualTexts, parts, Answer::Scalar(Kind::Bool))
        }
        6 | 7 => {
            let is_meant = |path: &Path, _: &Type| {
                !path.steps.is_empty() && !matches!(path.steps.last(), Some(Step::Entry | Step::Cell))
            };
            let part = stock.changed(tape, is_meant)?;
            let value = stock.of_type(tape, &stock.type_of(part));
            make(What::Put, vec![part, value], Answer::Nothing)
        }
        8..10 => {
            let part = array(tape)?;
            let item = stock.of_type(tape, &items_of(&stock.type_of(part)));
            make(What::Push, vec![part, item], Answer::Nothing)
        }
        10 => {
            let part = stock.changed(tape, |_, end| is_array(end) && Kind::of(&items_of(end)).is_some())?;
            let kind = Kind::of(&items_of(&stock.type_of(part)))?;
            make(What::Pop, vec![part], Answer::Scalar(kind))
        }
        11 => {
            let part = array(tape)?;
            let more = stock.part(tape, |end| *end == stock.type_of(part));
            make(What::Append, vec![part, more], Answer::Nothing)
        }
        12 => {
            let part = array(tape)?;
            let item = stock.of_type(tape, &items_of(&stock.type_of(part)));
            make(What::Pad, vec![part, int, item], Answer::Nothing)
        }
        13 => make(tape.one_of(&[What::Clear, What::Reverse]), vec![array(tape)?], Answer::Nothing),
        14 if tape.below(2) == 0 => {
            let is_meant = |_: &Path, end: &Type| is_array(end) && items_of(end) == Type::Int;
            make(What::Sort, vec![stock.changed(tape, is_meant)?], Answer::Nothing)
        }
        14 => make(What::Truncate, vec![array(tape)?, int], Answer::Nothing),
        _ => {
            let function = tape.below(KNOWN.len());
            let (_, takes, gives, _) = &KNOWN[function];
            let mut arguments: Vec<Argument> = Vec::new();
            for ty in *takes {
                arguments.push(match Kind::of(ty) {
                    Some(kind) => Argument::Scalar(kind),
                    None if gives.is_none() && arguments.is_empty() => {
                        stock.changed(tape, |_, end| end == ty)?
                    }
                    None => stock.part(tape, |end| end == ty),
                });
            }
            let result = match gives {
                None => Answer::Nothing,
                Some(ty) => match Kind::of(ty) {
                    Some(kind) => Answer::Scalar(kind),
                    None => stock.object(tape, ty)?,
                },
            };
            make(What::Library(function as u32), arguments, result)
        }
    }
}

/// For each of the routine's own objects a computation that has it hold something, where there is one.
pub(crate) fn first_values(routine: &mut Routine) -> Vec<usize> {
    let mut places = Vec::new();
    for object in routine.objects.len()..routine.n_objects() {
        let ty = routine.object_type(object).expect("there is one").clone();
        let source = routine.objects.iter().position(|declared| declared.ty == ty);
        let (what, arguments) = match source {
            Some(source) => {
                routine.paths.push(Path { object: source as u32, steps: Vec::new() });
                (What::Copied, vec![Argument::Part(routine.paths.len() as u32 - 1)])
            }
            None if Kind::of(&items_of(&ty)).is_some() && is_array(&ty) => {
                let kind = Kind::of(&items_of(&ty)).expect("it was asked for");
                (What::Array, vec![Argument::Scalar(kind); 4])
            }
            None if is_array(&ty) => (What::Array, Vec::new()),
            None => continue,
        };
        places.push(routine.computations.len());
        routine.computations.push(Computation { what, arguments, result: Answer::Object(object as u32) });
    }
    places
}

/// A routine without inputs of some computations in a row, with the numbers that their parts take.
fn in_a_row(
    objects: &[Type],
    own_objects: &[Type],
    paths: &[(u32, &[Step])],
    computations: &[(What, &[Argument], Answer)],
    numbers: &[&[i64]],
) -> Routine {
    let mut kinds = Vec::new();
    let mut ops = Vec::new();
    let mut operands = Vec::new();
    let mut outputs = Vec::new();
    for (place, (_, _, result)) in computations.iter().enumerate() {
        let start = operands.len() as u32;
        for &number in numbers[place] {
            operands.push(kinds.len() as u32);
            ops.push(Op::Int(kinds.len() as u32, number));
            kinds.push(Kind::Int);
        }
        let operands = Operands { start, len: numbers[place].len() as u32 };
        let to = match *result {
            Answer::Scalar(kind) => {
                kinds.push(kind);
                outputs.push(kind);
                Some(kinds.len() as u32 - 1)
            }
            _ => None,
        };
        ops.push(Op::Compute(to, place as u32, operands));
        if let Some(to) = to {
            ops.push(Op::Give(outputs.len() as u32 - 1, to));
        }
    }
    ops.push(Op::Return(None));
    let first = Function { operands, ..function(&kinds, 0, &ops, &[]) };
    let computations = computations.iter().map(|(what, arguments, result)| Computation {
        what: what.clone(),
        arguments: arguments.to_vec(),
        result: *result,
    });
    Routine {
        own_objects: own_objects.to_vec(),
        paths: paths.iter().map(|&(object, steps)| Path { object, steps: steps.to_vec() }).collect(),
        computations: computations.collect(),
        library: library(),
        ..routine(vec![first], &outputs, objects, &[])
    }
}

/// What both tiers make of it: how it ends, the outputs and the objects.
fn ends(routine: &Routine, objects: &[Value]) -> (Ended, Vec<u64>, Vec<Value>) {
    let [one, other] = [Tiers::Evaluated, Tiers::Native].map(|tiers| {
        let machine = Machine::new(Arc::new(routine.clone()), &[], &functions(routine), tiers);
        assert_eq!(machine.flaw(), None);
        let mut objects: Vec<Value> = objects.iter().map(values::unshared).collect();
        objects.resize(routine.n_objects(), Value::Unit);
        let (ended, words) = run(&machine, &[], &mut objects);
        (ended, words, objects)
    });
    assert_eq!(one, other);
    one
}

fn ints(numbers: &[i64]) -> Value {
    Value::Array(Arc::new(numbers.iter().copied().map(Value::Int).collect()))
}

fn of_ints() -> Type {
    Type::Array(Box::new(Type::Int))
}

#[test]
fn arrays_are_changed_in_place() {
    let whole = Argument::Part(0);
    let int = Argument::Scalar(Kind::Int);
    let one = |what, others: &[Argument], numbers: &[i64], result| {
        let arguments: Vec<Argument> = [whole].iter().chain(others).copied().collect();
        in_a_row(&[of_ints()], &[], &[(0, &[])], &[(what, &arguments, result)], &[numbers])
    };
    for (what, others, numbers, expected) in [
        (What::Push, &[int][..], &[7][..], &[3, -1, 5, 7][..]),
        (What::Append, &[whole], &[], &[3, -1, 5, 3, -1, 5]),
        (What::Pad, &[int, int], &[5, 8], &[3, -1, 5, 8, 8]),
        (What::Pad, &[int, int], &[-5, 8], &[3, -1, 5]),
        (What::Truncate, &[int], &[2], &[3, -1]),
        (What::Truncate, &[int], &[-2], &[]),
        (What::Clear, &[], &[], &[]),
        (What::Reverse, &[], &[], &[5, -1, 3]),
        (What::Sort, &[], &[], &[-1, 3, 5]),
    ] {
        let routine = one(what.clone(), others, numbers, Answer::Nothing);
        let (ended, _, objects) = ends(&routine, &[ints(&[3, -1, 5])]);
        assert_eq!((ended, &objects[..]), (Ended::Done, &[ints(expected)][..]), "{what:?}");
    }
    let pop = one(What::Pop, &[], &[], Answer::Scalar(Kind::Int));
    assert_eq!(ends(&pop, &[ints(&[3, 4])]), (Ended::Done, vec![4], vec![ints(&[3])]));
    assert_eq!(ends(&pop, &[ints(&[])]).0, Ended::GaveUp);
}

/// What was changed in any way is as before where the routine gives up behind it.
#[test]
fn what_was_changed_is_taken_back() {
    let (whole, item, int) = (Argument::Part(0), Argument::Part(1), Argument::Scalar(Kind::Int));
    let paths: &[(u32, &[Step])] = &[(0, &[]), (0, &[Step::Item])];
    let fails = (What::Extracted, &[whole, Argument::Scalar(Kind::Bool)][..], Answer::Object(0));
    for len in [2, 600] {
        let before = ints(&(0..len).collect::<Vec<i64>>());
        for is_shared in [false, true] {
            for (first, others, numbers) in [
                (What::Push, &[whole, int][..], &[7][..]),
                (What::Put, &[item, int], &[1, 7]),
                (What::Clear, &[whole], &[]),
                (What::Pad, &[whole, int, int], &[700, 1]),
            ] {
                let last = (What::Put, &[item, int][..], Answer::Nothing);
                let steps = [(first, others, Answer::Nothing), last, fails.clone()];
                let mut routine = in_a_row(&[of_ints()], &[], paths, &steps, &[numbers, &[-1, 5], &[0]]);
                let kinds = &mut routine.functions[0].kinds;
                *kinds.last_mut().expect("there is one") = Kind::Bool;
                let place = routine.functions[0].ops.len() - 3;
                let Op::Int(reg, _) = routine.functions[0].ops[place] else { panic!("it is the constant") };
                routine.functions[0].ops[place] = Op::Bool(reg, true);
                for tiers in [Tiers::Evaluated, Tiers::Native] {
                    let machine = Machine::new(Arc::new(routine.clone()), &[], &functions(&routine), tiers);
                    assert_eq!(machine.flaw(), None);
                    let mut objects = [values::unshared(&before)];
                    let holder = is_shared.then(|| objects[0].clone());
                    assert_eq!(run(&machine, &[], &mut objects).0, Ended::GaveUp);
                    assert_eq!(objects[0], before);
                    assert_eq!(holder.unwrap_or(before.clone()), before);
                }
            }
        }
    }
}

#[test]
fn an_object_is_copied_when_it_is_written() {
    // The routine's own is a copy, and written through its view; then the original is.
    let paths: &[(u32, &[Step])] = &[(0, &[]), (0, &[Step::Entry]), (1, &[Step::Entry])];
    let copied = (What::Copied, &[Argument::Part(0)][..], Answer::Object(1));
    let mut routine = in_a_row(&[Type::Vector], &[Type::Vector], paths, &[copied], &[&[]]);
    let first = &mut routine.functions[0];
    first.kinds = vec![Kind::Int, Kind::Real, Kind::Real];
    first.operands = vec![0];
    let at = Operands { start: 0, len: 1 };
    let none = Operands { start: 0, len: 0 };
    first.ops = vec![
        Op::Int(0, 1),
        Op::Real(1, 9.0),
        Op::Set(1, at, 1),
        Op::Compute(None, 0, none),
        Op::Real(1, 5.0),
        Op::Set(2, at, 1),
        Op::Real(1, 4.0),
        Op::Set(1, at, 1),
        Op::Get(2, 2, at),
        Op::Return(None),
    ];
    routine.left.push(Left { place: Place::Value, object: 1 });
    let vector = |entries: &[f64]| Value::Vector(Arc::new(entries.to_vec()));
    let (ended, _, objects) = ends(&routine, &[vector(&[1.0, 2.0])]);
    assert_eq!(ended, Ended::Done);
    assert_eq!(objects, [vector(&[1.0, 4.0]), vector(&[1.0, 5.0])]);
}

#[test]
fn functions_of_the_library_that_fail_have_changed_nothing() {
    let whole = Argument::Part(0);
    let call = |function: u32, others: &[Argument], numbers: &[i64], ty: Type, result| {
        let arguments: Vec<Argument> = [whole].iter().chain(others).copied().collect();
        let what = What::Library(function);
        in_a_row(&[ty], &[], &[(0, &[])], &[(what, &arguments, result)], &[numbers])
    };
    let vector = Value::Vector(Arc::new(vec![1.0, 2.0]));
    let half_done =
        |number| call(2, &[Argument::Scalar(Kind::Int)], &[number], Type::Vector, Answer::Nothing);
    assert_eq!(
        ends(&half_done(1), std::slice::from_ref(&vector)),
        (Ended::GaveUp, vec![], vec![vector.clone()])
    );
    let emptied = Value::Vector(Arc::default());
    assert_eq!(ends(&half_done(2), &[vector]), (Ended::Done, vec![], vec![emptied]));
    let burst = call(3, &[], &[], Type::Matrix, Answer::Scalar(Kind::Real));
    let matrix = |n_rows| Value::Matrix(Arc::new(hasse_model::value::Matrix::zeros(n_rows, 1)));
    assert_eq!(ends(&burst, &[matrix(3)]).0, Ended::GaveUp);
    assert_eq!(ends(&burst, &[matrix(2)]).0, Ended::Done);
    // Functions that are not there.
    let machine = Machine::new(Arc::new(burst), &[], &[], Tiers::Native);
    assert_eq!(run(&machine, &[], &mut [matrix(2)]).0, Ended::GaveUp);
}

#[test]
fn what_takes_more_than_it_may_gives_up() {
    let int = Argument::Scalar(Kind::Int);
    let pad = (What::Pad, &[Argument::Part(0), int, int][..], Answer::Nothing);
    let routine = in_a_row(&[of_ints()], &[], &[(0, &[])], &[pad], &[&[100, 0]]);
    for tiers in [Tiers::Evaluated, Tiers::Native] {
        let machine = Machine::new(Arc::new(routine.clone()), &[], &functions(&routine), tiers);
        for (n_bytes, expected) in [(100, Ended::GaveUp), (100_000, Ended::Done)] {
            let mut scratch = Scratch::default();
            scratch.allow(n_bytes);
            let stop = std::sync::atomic::AtomicBool::new(false);
            assert_eq!(machine.run(&mut [], &mut [ints(&[])], &mut scratch, &stop), expected);
        }
    }
}
