//! Large values are shared on their way, and written in place where nobody else holds them. A value is known by the address of
//! what it holds: a copy has another one.
#![allow(clippy::unwrap_used, reason = "a test that fails to unwrap has failed")]

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use hasse::{NativeBody, Natives, Options, Program, RecordingMode, ScriptTiers, Type, Value};
use hasse_model::value::Matrix;

/// Number of entries, items or bytes.
const N: usize = 10_000;

/// Values with their addresses, in the order in which they were seen.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<(usize, Value)>>>);

impl Seen {
    fn note(&self, value: Value) {
        self.0.lock().unwrap().push((address(&value), value));
    }

    fn addresses(&self) -> BTreeSet<usize> {
        self.0.lock().unwrap().iter().map(|(address, _)| *address).collect()
    }
}

fn address(value: &Value) -> usize {
    match value {
        Value::Vector(entries) => entries.as_ptr().addr(),
        Value::Matrix(matrix) => matrix.entries().as_ptr().addr(),
        Value::Array(items) => items.as_ptr().addr(),
        Value::Bytes(bytes) => bytes.as_ptr().addr(),
        other => panic!("{other} has no address"),
    }
}

/// A kind of large values, and the statement by which a body writes one entry of `x`, the `count`-th.
#[derive(Clone, Copy, Debug)]
struct Kind {
    ty: &'static str,
    writes: &'static str,
}

const VECTOR: Kind = Kind { ty: "vector", writes: "x[k] = 7.0;" };
const MATRIX: Kind = Kind { ty: "matrix", writes: "x.set(k, 1, 7.0);" };
const ARRAY: Kind = Kind { ty: "int[]", writes: "x[k] = 7;" };
const BYTES: Kind = Kind { ty: "bytes", writes: "x[k] = 7;" };

impl Kind {
    fn value(self) -> Value {
        match self.ty {
            "vector" => Value::Vector(Arc::new(vec![0.0; N])),
            "matrix" => Value::Matrix(Arc::new(Matrix::zeros(N / 10, 10))),
            "int[]" => Value::Array(Arc::new(vec![Value::Int(0); N])),
            _ => Value::Bytes(Arc::new(vec![0; N])),
        }
    }

    fn type_of(self) -> Type {
        match self.ty {
            "vector" => Type::Vector,
            "matrix" => Type::Matrix,
            "int[]" => Type::Array(Box::new(Type::Int)),
            _ => Type::Bytes,
        }
    }

    /// Number of entries that hold what bodies write.
    fn n_written(self, value: &Value) -> usize {
        match value {
            Value::Vector(entries) => entries.iter().filter(|entry| **entry == 7.0).count(),
            Value::Matrix(matrix) => matrix.entries().iter().filter(|entry| **entry == 7.0).count(),
            Value::Array(items) => items.iter().filter(|item| **item == Value::Int(7)).count(),
            Value::Bytes(bytes) => bytes.iter().filter(|byte| **byte == 7).count(),
            _ => 0,
        }
    }
}

/// Bodies in Rust: `make` sets `x`, `see` notes it and passes it on, `write` writes an entry.
fn natives(kind: Kind, see: impl Fn(Value) + Send + Sync + 'static) -> Natives {
    let mut natives = Natives::new();
    let make = NativeBody::new("make").lets([("x", kind.type_of())]);
    natives.body(make, move |context| context.set("x", kind.value()));
    natives.body(NativeBody::new("see").needs([("x", kind.type_of())]), move |context| {
        see(context.get("x")?);
        Ok(())
    });
    let write = NativeBody::new("write").needs([("x", kind.type_of())]).lets([("y", kind.type_of())]);
    natives.body(write, move |context| {
        let mut x: Value = context.take("x")?;
        let k = context.count() as usize;
        match &mut x {
            Value::Vector(entries) => Arc::get_mut(entries).unwrap()[k] = 7.0,
            Value::Matrix(matrix) => *Arc::get_mut(matrix).unwrap().get_mut(k, 1).unwrap() = 7.0,
            Value::Array(items) => Arc::get_mut(items).unwrap()[k] = Value::Int(7),
            Value::Bytes(bytes) => Arc::get_mut(bytes).unwrap()[k] = 7,
            _ => {}
        }
        context.set("y", x)
    });
    natives
}

/// A value that goes round: each turn goes through the node `Write`, of which these are the lines, and is seen by `See`.
fn round(kind: Kind, write: &str) -> String {
    let ty = kind.ty;
    format!(
        "hasse = 1\nmain = 'm'\n[graph.m]\narcs = ['Make.x -> Write.x', 'Write.y -> Pass.x', 'Pass.y -> See.x', 'See.y -> Write.x']\n\
         [graph.m.uc.Make]\nout = {{ x = '{ty}' }}\nstart = true\ndo = {{ native = 'make' }}\nroute = ['x <- x']\n\
         [graph.m.uc.Write]\nin = {{ x = '{ty}' }}\nout = {{ y = '{ty}' }}\nfire = ['x -> x']\n{write}\n\
         [graph.m.uc.Pass]\nin = {{ x = '{ty}' }}\nout = {{ y = '{ty}' }}\nfire = ['x -> x']\nroute = ['y <- x']\n\
         [graph.m.uc.See]\nin = {{ x = '{ty}' }}\nout = {{ y = '{ty}' }}\nfire = ['x -> x']\ndo = {{ native = 'see' }}\n\
         route = ['y <- x if count < 100']\n"
    )
}

fn run(text: &str, natives: &Natives, tiers: ScriptTiers, mode: RecordingMode, n_workers: usize) {
    let program = Program::from_text(text, natives).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let options = Options::new().workers(n_workers).scripts(tiers).output(|_| {}).mode(mode);
    program.record(&options).unwrap().0.finished().unwrap_or_else(|error| panic!("{error}\n{text}"));
}

/// Values pass through bodies and are written there without a copy.
fn check_round(kind: Kind, write: &str, tiers: ScriptTiers) {
    let modes = [RecordingMode::Full, RecordingMode::Minimal, RecordingMode::Restricted, RecordingMode::Perf];
    for mode in modes {
        for n_workers in [1, 2] {
            let seen = Seen::default();
            let noted = seen.clone();
            let natives = natives(kind, move |value| noted.note(value));
            run(&round(kind, write), &natives, tiers, mode, n_workers);
            let case = format!("{kind:?} {tiers:?} {mode:?} {n_workers}");
            let noted = seen.0.lock().unwrap();
            assert_eq!(noted.len(), 100, "{case}");
            // The test holds each value that it has seen, so that a written one is another one; see below.
            let written: Vec<_> = noted.iter().map(|(_, value)| kind.n_written(value)).collect();
            assert!(
                written.is_sorted() && written[99] > 0 || write.starts_with("route"),
                "{case}: {written:?}"
            );
        }
    }
}

/// The same where nobody holds what has been seen: all values that were seen are one.
fn check_in_place(kind: Kind, write: &str, tiers: ScriptTiers, n_workers: usize, mode: RecordingMode) {
    let addresses = Seen::default();
    let noted = addresses.clone();
    let natives = natives(kind, move |value| {
        let n_written = Value::Int(kind.n_written(&value) as i64);
        noted.0.lock().unwrap().push((address(&value), n_written));
    });
    run(&round(kind, write), &natives, tiers, mode, n_workers);
    let case = format!("{kind:?} {tiers:?} {mode:?} {n_workers} {write}");
    assert_eq!(addresses.0.lock().unwrap().len(), 100, "{case}");
    assert_eq!(addresses.addresses().len(), 1, "{case}: a value was copied");
}

const MODES: [RecordingMode; 4] =
    [RecordingMode::Full, RecordingMode::Minimal, RecordingMode::Restricted, RecordingMode::Perf];

fn check_all_in_place(kinds: &[Kind], write: impl Fn(Kind) -> String, tiers: ScriptTiers) {
    for &kind in kinds {
        for n_workers in [1, 2] {
            for mode in MODES {
                check_in_place(kind, &write(kind), tiers, n_workers, mode);
            }
        }
    }
}

#[test]
fn values_pass_rules_without_copy() {
    check_all_in_place(
        &[VECTOR, MATRIX, ARRAY, BYTES],
        |_| "route = ['y <- x']".to_owned(),
        ScriptTiers::Auto,
    );
    check_all_in_place(
        &[VECTOR, MATRIX, ARRAY, BYTES],
        |_| "do = 'let k = count * 2;'\nroute = ['y <- x if k > 0']".to_owned(),
        ScriptTiers::Evaluated,
    );
}

#[test]
fn rust_bodies_write_in_place() {
    let write = |_| "do = { native = 'write' }\nroute = ['y <- y']".to_owned();
    check_all_in_place(&[VECTOR, MATRIX, ARRAY, BYTES], write, ScriptTiers::Auto);
}

#[test]
fn lowered_bodies_write_in_place() {
    let write = |kind: Kind| format!("do = 'let k = count; {}'\nroute = ['y <- x']", kind.writes);
    check_all_in_place(&[VECTOR, MATRIX, ARRAY], write, ScriptTiers::Evaluated);
    check_all_in_place(&[VECTOR, MATRIX, ARRAY], write, ScriptTiers::Native);
}

#[test]
fn interpreted_bodies_write_in_place() {
    let write = |kind: Kind| format!("do = 'let k = count; {}'\nroute = ['y <- x']", kind.writes);
    check_all_in_place(&[VECTOR, MATRIX], write, ScriptTiers::Interpreted);
}

#[test]
fn bytes_go_through_interpreter_without_copy() {
    let write = |kind: Kind| format!("do = 'let k = count; {}'\nroute = ['y <- x']", kind.writes);
    check_all_in_place(&[BYTES], write, ScriptTiers::Interpreted);
}

/// A value that another one holds is not changed.
#[test]
fn held_values_are_not_written() {
    let write = |kind: Kind| format!("do = 'let k = count; {}'\nroute = ['y <- x']", kind.writes);
    for tiers in [ScriptTiers::Interpreted, ScriptTiers::Evaluated, ScriptTiers::Native] {
        for kind in [VECTOR, MATRIX, ARRAY, BYTES] {
            check_round(kind, &write(kind), tiers);
        }
    }
}

/// A node that keeps a value in a var, writes one entry in each event, and passes it to a function in Rust that notes its address.
fn check_kept(tiers: ScriptTiers, declared: &str, set: &str, may_copy: &[usize]) {
    let addresses = Arc::new(Mutex::new(Vec::new()));
    let mut natives = Natives::new();
    let noted = Arc::clone(&addresses);
    natives.function("seen", move |v: Arc<Vec<f64>>| -> i64 {
        noted.lock().unwrap().push(v.as_ptr().addr());
        v.iter().filter(|entry| **entry == 7.0).count() as i64
    });
    let text = format!(
        "hasse = 1\nmain = 'm'\n[graph.m]\narcs = ['Go.go -> Work.go', 'Work.go -> Work.go', 'Work.other -> Other.go', 'Other.go -> Work.go']\n\
         {declared}\n\
         [graph.m.uc.Go]\nout = {{ go = 'int' }}\nstart = true\nroute = ['go <- 1']\n\
         [graph.m.uc.Other]\nin = {{ go = 'int' }}\nout = {{ go = 'int' }}\nfire = ['go -> k']\nroute = ['go <- k']\n\
         [graph.m.uc.Work]\nin = {{ go = 'int' }}\nout = {{ go = 'int', other = 'int' }}\nfire = ['go -> k']\n{set}\n\
         do = '''\nif k == 1 {{ x = vector({N}, 0.0); }}\nx[k] = 7.0;\nlet n = seen(x);\nif n != k {{ throw n; }}\n'''\n\
         route = ['go <- k + 1 if k < 300 && k % 3 > 0', 'other <- k + 1 if k % 3 == 0 && k < 300']\n"
    );
    for mode in MODES {
        for n_workers in [1, 2] {
            addresses.lock().unwrap().clear();
            run(&text, &natives, tiers, mode, n_workers);
            let found = addresses.lock().unwrap();
            let is_copied = |count: &usize| found[*count] != found[*count - 1];
            let copies: Vec<_> = (1..found.len()).filter(is_copied).collect();
            assert!(
                copies.iter().all(|count| may_copy.contains(count)),
                "{tiers:?} {mode:?} {n_workers}: copied at {copies:?}\n{text}"
            );
        }
    }
}

#[test]
fn vars_are_written_in_place() {
    for tiers in [ScriptTiers::Interpreted, ScriptTiers::Evaluated, ScriptTiers::Native] {
        check_kept(tiers, "", "vars = { x = 'vector' }", &[]);
    }
}

/// Bodies without the interpreter can take back what they write.
#[test]
fn shared_objects_are_written_in_place() {
    for tiers in [ScriptTiers::Evaluated, ScriptTiers::Native] {
        check_kept(
            tiers,
            "share = ['x -- Work.x']\n[graph.m.shared.x]\ntype = 'vector'",
            "shared = { x = 'write' }",
            // An instance comes to its object in the general way, which writes a copy.
            &[1, 2],
        );
    }
}

/// An event that fails after its body leaves the object as it was, though that was written in place.
#[test]
fn failed_event_leaves_shared_object_as_it_was() {
    for tiers in [ScriptTiers::Auto, ScriptTiers::Interpreted, ScriptTiers::Evaluated, ScriptTiers::Native] {
        for (writes, ty, made) in [
            ("x[1] = 5.0;", "vector", "vector(2000, 1.0)"),
            ("for k in 0..2000 { x[k] = 5.0; }", "vector", "vector(2000, 1.0)"),
            ("for k in 0..9 { x[k] = 5.0; }", "vector", "vector(9, 1.0)"),
            ("x.set(1, 1, 5.0);", "matrix", "matrix(50, 50, 1.0)"),
            ("x = vector(3, 5.0);", "vector", "vector(2000, 1.0)"),
            ("x.push(5.0);", "real[]", "[1.0, 1.0]"),
            ("x[1] = 5.0; x.push(3.0);", "real[]", "[1.0, 1.0]"),
        ] {
            // The rule of `Bad` divides by 0: its event fails after the body. `Ask` looks before and after.
            let text = format!(
                "hasse = 1\nmain = 'm'\n[graph.m]\narcs = ['Set.go -> Bad.go', 'Set.go -> Ask.go', 'Ask.go -> Ask.go', 'Bad.go -> Bad.go']\n\
                 share = ['x -- Bad.x', 'x -- Ask.x']\n[graph.m.shared.x]\ntype = '{ty}'\ninit = '{made}'\n\
                 [graph.m.uc.Set]\nout = {{ go = 'int' }}\nstart = true\nroute = ['go <- 0']\n\
                 [graph.m.uc.Bad]\nin = {{ go = 'int' }}\nout = {{ go = 'int' }}\nshared = {{ x = 'write' }}\nfire = ['go -> zero']\n\
                 do = '{writes}'\nroute = ['go <- 1 / zero']\n\
                 [graph.m.uc.Ask]\nin = {{ go = 'int' }}\nout = {{ go = 'int' }}\nshared = {{ x = 'read' }}\nvars = {{ seen = 'any[]' }}\n\
                 fire = ['go -> k']\ndo = '''\nif seen.len() == 0 || seen[seen.len() - 1] != x {{ seen.push(x); }}\n\
                 if k == 500 {{ result(\"seen\", seen); }}\n'''\nroute = ['go <- k + 1 if k < 500']\n"
            );
            let program =
                Program::from_text(&text, &Natives::new()).unwrap_or_else(|error| panic!("{error}\n{text}"));
            for n_workers in [1, 2] {
                let options = Options::new().workers(n_workers).scripts(tiers).output(|_| {});
                let run = program.run(&options).unwrap();
                let seen: Vec<Value> = run.result("seen").unwrap();
                assert_eq!(seen.len(), 1, "{tiers:?} {n_workers}: {seen:?}\n{text}");
                assert!(run.finished().is_err(), "{text}");
            }
        }
    }
}
