//! What an event with an interpreted body takes, beside a call of the same lines alone, and what one with the same body compiled
//! takes, beside the same lines in Rust: a chain of nodes with debugging off on one worker, a function that the interpreter
//! compiles once and calls, and one in Rust, in turn. Run by
//! `cargo bench -p hasse-bench --bench bodies`; a number is that of the rounds.

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use hasse::{Natives, Program, StopSignal, Value};
use hasse_body::builtin;
use hasse_body::effects::SharedContext;
use hasse_runtime::capture::Capture;
use hasse_runtime::memory::{MemoryLimit, Meter};
use hasse_runtime::run::{self as runtime, DEFAULT_RECLAIM_ABOVE, Recording, RunOptions, ScriptTiers};
use hasse_runtime::sandbox::Sandbox;
use rhai::{AST, CallFnOptions, Dynamic, Engine, Scope};
use sample::{BenchError, spread};

#[allow(dead_code, reason = "runs are timed here")]
mod sample;

/// The allocator of the command.
#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const N_ROUNDS: usize = 9;
/// An event takes not more than so many times what the call takes.
const MOST_RATIO: f64 = 1.2;
/// A compiled loop takes not more than so many times what one in Rust takes; better, so many.
const MOST_OF_RUST: (f64, f64) = (3.0, 1.5);
const N_LINKS: i64 = 64;
/// Values that are sent together.
const WAVE: i64 = 128;

/// Lines that make `y` of `x`; both are below 1,000, so that nothing overflows.
struct Lines {
    name: &'static str,
    text: &'static str,
    /// The same in Rust: what must come out.
    rust: fn(i64) -> i64,
    n_waves: i64,
}

const BODIES: [Lines; 4] = [
    Lines { name: "1 line", text: "let y = (x * 3 + 1) % 1000;", rust: |x| (x * 3 + 1) % 1000, n_waves: 64 },
    Lines {
        name: "10 lines",
        text: "let a = x * 3 + 1;\nlet b = a - x;\nlet c = a * b + 7;\nlet d = c % 1009;\nlet e = d * 2 - b;\n\
               let f = e + a * 5;\nlet g = f % 509;\nlet h = g * g + d;\nlet k = h - e;\nlet y = k % 1000;",
        rust: |x| {
            let a = x * 3 + 1;
            let b = a - x;
            let d = (a * b + 7) % 1009;
            let e = d * 2 - b;
            let g = (e + a * 5) % 509;
            (g * g + d - e) % 1000
        },
        n_waves: 12,
    },
    Lines {
        name: "loop of 100",
        text: "let y = x;\nfor n in 0..100 {\n    y = (y * 3 + n) % 1000;\n}",
        rust: |x| (0..100).fold(x, |y, n| (y * 3 + n) % 1000),
        n_waves: 2,
    },
    Lines {
        name: "loop of 1,000",
        text: "let y = x;\nfor n in 0..1000 {\n    y = (y * 3 + n) % 1000;\n}",
        rust: |x| (0..1000).fold(x, |y, n| (y * 3 + n) % 1000),
        // With one wave alone the routing rule for the next would never send.
        n_waves: 2,
    },
];

fn main() -> Result<(), BenchError> {
    let n_rounds = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(N_ROUNDS);
    println!(
        "nanoseconds, medians of {n_rounds} rounds, one worker, debugging off; ratios are medians of those of the rounds"
    );
    for lines in &BODIES {
        race(lines, n_rounds)?;
    }
    Ok(())
}

/// Measures one body in turn as events and as calls.
fn race(lines: &Lines, n_rounds: usize) -> Result<(), BenchError> {
    let program = Program::from_text(&program_text(lines), &Natives::new())?;
    let warnings = program.warnings();
    assert!(warnings.is_empty(), "a program of the benchmark has no faults: {:?}", warnings.first());
    let (engine, called, script) = compiled(lines);
    let mut rows: [Vec<f64>; 6] = Default::default();
    for _ in 0..n_rounds {
        let mut scope = Scope::new();
        let nanos = [
            events(lines, &program, ScriptTiers::Interpreted, None)?,
            events(lines, &program, ScriptTiers::Interpreted, meter())?,
            alone(lines, |x| {
                let options = CallFnOptions::new().eval_ast(false);
                let called = engine.call_fn_with_options(options, &mut scope, &called, "body", (x,));
                called.expect("the body is right")
            }),
            alone(lines, |x| {
                let mut scope = Scope::new();
                scope.push("x", x);
                engine.run_ast_with_scope(&mut scope, &script).expect("the body is right");
                scope.get_value("y").expect("the body binds it")
            }),
            events(lines, &program, ScriptTiers::Auto, None)?,
            alone(lines, |x| black_box(lines.rust)(black_box(x))),
        ];
        rows.iter_mut().zip(nanos).for_each(|(row, nanos)| row.push(nanos));
    }
    let median = |row: &[f64]| spread(row.iter().copied()).map_or(f64::NAN, |spread| spread.median);
    let [event, metered, call, run, compiled, rust] = &rows;
    let ratio = |one: &[f64], other: &[f64]| {
        median(&one.iter().zip(other).map(|(one, other)| one / other).collect::<Vec<_>>())
    };
    let judged = ratio(event, call);
    let verdict = if judged <= MOST_RATIO { "met" } else { "MISSED" };
    println!(
        "{:12} event {:8.1}, call of the function {:8.1}, ratio {judged:.2}; at most {MOST_RATIO}: {verdict}",
        lines.name,
        median(event),
        median(call)
    );
    println!(
        "{:12} the script on its own {:8.1}, ratio {:.2}; event with memory metered, as the command does, {:8.1}",
        "",
        median(run),
        ratio(event, run),
        median(metered)
    );
    let to_rust = ratio(compiled, rust);
    let (must, aim) = MOST_OF_RUST;
    let verdict = match (lines.name.contains("1,000"), to_rust) {
        (false, _) => String::new(),
        (true, ratio) if ratio <= must => format!("; at most {must} (aim {aim}): met"),
        (true, _) => format!("; at most {must} (aim {aim}): MISSED"),
    };
    println!(
        "{:12} compiled event {:8.1}, the same in Rust {:8.1}, ratio {to_rust:.2}{verdict}",
        "",
        median(compiled),
        median(rust)
    );
    Ok(())
}

/// A chain: the next wave of values is sent when one has come through.
fn program_text(lines: &Lines) -> String {
    let mut arcs = vec!["Start.go -> Source.go".to_owned(), "Source.o -> N0.a".to_owned()];
    let last = N_LINKS - 1;
    arcs.extend((0..last).map(|n| format!("N{n}.o -> N{}.a", n + 1)));
    arcs.extend([format!("N{last}.next -> Source.go"), format!("N{last}.s -> Stop.s")]);
    let (arcs, text) = (arcs.join("\", \""), lines.text);
    let mut units = String::new();
    for n in 0..last {
        units += &format!(
            "[graph.main.uc.N{n}]\nin = {{ a = \"int\" }}\nout = {{ o = \"int\" }}\nfire = [\"a -> x\"]\n\
             do = '''\n{text}\n'''\nroute = [\"o <- y\"]\n"
        );
    }
    let size = WAVE * lines.n_waves;
    format!(
        r#"hasse = 1
main = "main"

[graph.main]
arcs = ["{arcs}"]

[graph.main.uc.Start]
out   = {{ go = "int" }}
start = true
route = ["go <- 0"]

[graph.main.uc.Source]
in    = {{ go = "int" }}
out   = {{ o = "int" }}
fire  = ["go -> _go"]
route = ["o <- k for k in 0..{WAVE}"]

[graph.main.uc.N{last}]
in    = {{ a = "int" }}
out   = {{ next = "int", s = "int" }}
vars  = {{ total = "int" }}
fire  = ["a -> x"]
do    = '''
{text}
total += y;
'''
route = ["next <- 1 if count % {WAVE} == 0 && count < {size}", "s <- total if count == {size}"]

[graph.main.uc.Stop]
in   = {{ s = "int" }}
stop = true
fire = ["s -> s"]
do   = 'result("out", s);'

{units}"#
    )
}

/// Time of an event of a run.
fn events(
    lines: &Lines,
    program: &Program,
    tiers: ScriptTiers,
    meter: Option<Meter>,
) -> Result<f64, BenchError> {
    let memory = MemoryLimit { meter, ..MemoryLimit::default() };
    let options = RunOptions {
        n_workers: 1,
        seed: None,
        params: Vec::new(),
        program_folder: PathBuf::new(),
        sandbox: Sandbox { memory, ..Sandbox::default() },
        natives: Natives::new(),
        stop: StopSignal::default(),
        reclaim_above: DEFAULT_RECLAIM_ABOVE,
        tiers,
        capture: Capture::none(),
        control: None,
        chooser: None,
        virtual_time: false,
        checkpoints: None,
        writes_ahead: false,
    };
    let began = Instant::now();
    let report = runtime::run(program.plan(), &options, Recording::None, Box::new(|_| {}))?;
    let time = began.elapsed();
    match report.results.as_slice() {
        [(_, Value::Int(total))] => {
            assert_eq!(*total, total_of(lines), "{}: the sum of the chain", lines.name)
        }
        _ => panic!("{}: one result, not {report:?}", lines.name),
    }
    Ok(time.as_nanos() as f64 / n_calls(lines))
}

/// Time of a call, when it is made as often and on the same numbers as in a run.
fn alone(lines: &Lines, mut call: impl FnMut(i64) -> i64) -> f64 {
    let (mut total, began) = (0, Instant::now());
    for _ in 0..lines.n_waves {
        for first in 0..WAVE {
            total += (0..N_LINKS).fold(first, |x, _| call(x));
        }
    }
    let time = began.elapsed();
    assert_eq!(total, total_of(lines), "{}: the sum of the calls", lines.name);
    time.as_nanos() as f64 / n_calls(lines)
}

fn n_calls(lines: &Lines) -> f64 {
    (N_LINKS * WAVE * lines.n_waves) as f64
}

fn total_of(lines: &Lines) -> i64 {
    let wave = (0..WAVE).map(|first| (0..N_LINKS).fold(first, |x, _| (lines.rust)(x)));
    lines.n_waves * wave.sum::<i64>()
}

/// An interpreter set up as the runtime sets up that of a worker, and the lines as a function and as a script.
fn compiled(lines: &Lines) -> (Engine, AST, AST) {
    let mut engine = Engine::new_raw();
    engine.disable_symbol("eval");
    engine.set_max_call_levels(64);
    engine.set_max_expr_depths(64, 64);
    engine.set_fast_operators(true);
    builtin::register(&mut engine, &SharedContext::default());
    let stop = StopSignal::default();
    engine.on_progress(move |_| stop.is_set().then_some(Dynamic::UNIT));
    let compile = |text: &str| engine.compile(text).expect("the body is right");
    let (called, script) = (compile(&format!("fn body(x) {{\n{}\ny\n}}", lines.text)), compile(lines.text));
    (engine, called, script)
}

/// What the calling thread holds, by the allocator's counters.
#[cfg(not(target_env = "msvc"))]
fn meter() -> Option<Meter> {
    use tikv_jemalloc_ctl::thread::{ThreadLocal, allocatedp, deallocatedp};

    thread_local! {
        static COUNTERS: Option<(ThreadLocal<u64>, ThreadLocal<u64>)> =
            allocatedp::read().ok().zip(deallocatedp::read().ok());
    }
    Some(|| {
        COUNTERS.with(|counters| {
            counters.map_or(0, |(allocated, freed)| allocated.get().wrapping_sub(freed.get()) as i64)
        })
    })
}

/// Nothing is counted.
#[cfg(target_env = "msvc")]
fn meter() -> Option<Meter> {
    None
}
