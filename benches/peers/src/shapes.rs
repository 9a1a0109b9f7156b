//! One pipeline in many shapes: what an event takes where values are reals, structs or vectors, where rules have guards and
//! expressions, where nodes keep vars or share objects, in every mode of recording. Each figure is beside that of the plainest
//! shape in the same mode. Run by `cargo bench -p hasse-bench --bench shapes`; a number is that of the rounds, the name of a
//! mode restricts the table to it (and to full recording, for a replay), any other word is a part of the names of the shapes
//! that are measured.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use hasse::{Natives, Options, Program, RecordingMode, RunReport};
use hasse_model::trace::TraceReader;
use hasse_runtime::capture::Capture;
use hasse_runtime::run::{self as runtime, DEFAULT_RECLAIM_ABOVE, RunOptions};
use sample::{BenchError, spread};

#[allow(dead_code, reason = "runs are timed here")]
mod sample;

/// The allocator of the command.
#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const N_ROUNDS: usize = 5;
const N_LINKS: usize = 16;
/// Values that are sent together.
const WAVE: i64 = 1000;
/// A shape of compiled bodies takes at most so many times what the plainest one takes in the same mode.
const MOST_RATIO: f64 = 2.0;
/// A replay takes at most so many times what full recording takes.
const MOST_REPLAY: f64 = 1.5;
/// What a figure of a cheaper mode may be above that of a dearer one: noise.
const NOISE: f64 = 1.1;

/// The modes, the cheaper ones first; a replay needs the full record of its round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    None,
    Minimal,
    Restricted,
    Full,
    Perf,
    Replay,
}

impl Mode {
    const ALL: [Mode; 6] =
        [Mode::None, Mode::Minimal, Mode::Restricted, Mode::Full, Mode::Perf, Mode::Replay];

    fn name(self) -> &'static str {
        match self {
            Mode::None => "none",
            Mode::Minimal => "minimal",
            Mode::Restricted => "restricted",
            Mode::Full => "full",
            Mode::Perf => "perf",
            Mode::Replay => "replay",
        }
    }
}

/// A shape of the nodes of the pipeline.
struct Shape {
    name: &'static str,
    /// The type of the values.
    ty: &'static str,
    /// The value that the source makes of `k`.
    made: &'static str,
    /// Lines of each node but its ports.
    node: &'static str,
    /// True where the nodes are instances of one node, by index.
    is_indexed: bool,
    /// True where each node is in a graph of its own, which the pipeline calls.
    is_called: bool,
    /// Number of values that go together, by the elements of a family of ports; 0 where ports are plain.
    n_elements: i64,
    /// Maximum number of values that wait on a port; 0 where there is no bound.
    bound: i64,
    /// False where no body and no rule can be compiled.
    is_compiled: bool,
    n_waves: i64,
}

const PLAIN: Shape = Shape {
    name: "int",
    ty: "int",
    made: "k",
    node: "fire = [\"x -> x\"]\nroute = [\"y <- x\"]",
    is_indexed: false,
    is_called: false,
    n_elements: 0,
    bound: 0,
    is_compiled: true,
    n_waves: 60,
};

const fn shape(name: &'static str, node: &'static str) -> Shape {
    Shape { name, node, ..PLAIN }
}

const SHAPES: [Shape; 34] = [
    PLAIN,
    Shape { bound: 1000, ..shape("int, ports with a bound of 1,000", PLAIN.node) },
    Shape { bound: 100, ..shape("int, ports with a bound of 100", PLAIN.node) },
    shape(
        "handles errors",
        "fire = [\"x -> x\"]\ndo = 'let z = x + 1;'\nroute = [\"y <- z\"]\non_error = \"continue\"",
    ),
    Shape {
        is_compiled: false,
        ..shape(
            "handles errors, kept var",
            "fire = [\"x -> x\"]\nvars = { k = \"int\" }\ndo = 'k += x;'\nroute = [\"y <- k\"]\non_error = \"continue\"",
        )
    },
    shape("int, body", "fire = [\"x -> x\"]\ndo = 'let z = x + 1;'\nroute = [\"y <- z\"]"),
    shape("int, expression in rule", "fire = [\"x -> x\"]\nroute = [\"y <- x + 1\"]"),
    Shape { ty: "real", made: "k * 1.0", ..shape("real", PLAIN.node) },
    Shape {
        ty: "real",
        made: "k * 1.0",
        ..shape("real, body", "fire = [\"x -> x\"]\ndo = 'let z = x + 1.0;'\nroute = [\"y <- z\"]")
    },
    Shape {
        ty: "real",
        made: "k * 1.0",
        ..shape("real, expression in rule", "fire = [\"x -> x\"]\nroute = [\"y <- x + 1.0\"]")
    },
    Shape { ty: "bool", made: "k % 2 == 0", ..shape("bool", PLAIN.node) },
    Shape {
        ty: "bool",
        made: "k % 2 == 0",
        ..shape("bool, expression in rule", "fire = [\"x -> x\"]\nroute = [\"y <- !x\"]")
    },
    Shape { ty: "P", made: "P(k, 1.0)", n_waves: 20, ..shape("struct", PLAIN.node) },
    Shape {
        ty: "P",
        made: "P(k, 1.0)",
        n_waves: 20,
        ..shape("struct, body", "fire = [\"x -> x\"]\ndo = 'x.a += 1;'\nroute = [\"y <- x\"]")
    },
    Shape { ty: "vector", made: "vector(16, 1.0)", n_waves: 20, ..shape("vector of 16", PLAIN.node) },
    Shape {
        ty: "vector",
        made: "vector(16, 1.0)",
        n_waves: 20,
        ..shape("vector of 16, body", "fire = [\"x -> x\"]\ndo = 'x[3] += 1.0;'\nroute = [\"y <- x\"]")
    },
    shape("two rules", "fire = [\"x -> x\", \"w -> x\"]\nroute = [\"y <- x\"]"),
    shape("guard", "fire = [\"x -> x if count >= 0\"]\nroute = [\"y <- x\"]"),
    shape(
        "two rules with guards",
        "fire = [\"x -> x if count % 2 == 0\", \"x -> x if count % 2 == 1\"]\nroute = [\"y <- x\"]",
    ),
    Shape { is_indexed: true, ..shape("index map", "fire = [\"x -> x\"]\nroute = [\"y <- x\"]") },
    Shape { is_called: true, ..shape("called graphs", PLAIN.node) },
    Shape {
        n_elements: 2,
        ..shape(
            "family of ports",
            "fire = [\"x[k] -> v[k] for k in 0..2\"]\nroute = [\"y[k] <- v[k] for k in 0..2\"]",
        )
    },
    Shape {
        n_elements: 8,
        ..shape(
            "family of 8 ports",
            "fire = [\"x[k] -> v[k] for k in 0..8\"]\nroute = [\"y[k] <- v[7 - k] for k in 0..8\"]",
        )
    },
    Shape {
        n_elements: 4,
        ..shape(
            "family by a parameter",
            "fire = [\"x[k] -> v[k] for k in 0..lanes\"]\nroute = [\"y[k] <- v[k] + 1 for k in 0..lanes\"]",
        )
    },
    Shape {
        n_elements: 4,
        ..shape(
            "family, body",
            "fire = [\"x[k] -> v[k] for k in 0..4\"]\ndo = 'let z = 0; for k in 0..4 { z += v[k]; }'\nroute = [\"y[k] <- z for k in 0..4\"]",
        )
    },
    shape(
        "kept var",
        "vars = { total = \"int\" }\nfire = [\"x -> x\"]\ndo = 'total += x;'\nroute = [\"y <- x\"]",
    ),
    shape(
        "shared object read",
        "shared = { box = \"read\" }\nfire = [\"x -> x\"]\ndo = 'let z = x + box;'\nroute = [\"y <- z\"]",
    ),
    shape(
        "shared object written",
        "shared = { box = \"write\" }\nfire = [\"x -> x\"]\ndo = 'box += 1;'\nroute = [\"y <- x\"]",
    ),
    shape("random number", "fire = [\"x -> x\"]\ndo = 'let z = random_int(0, 9);'\nroute = [\"y <- z\"]"),
    shape(
        "recorded function",
        "fire = [\"x -> x\"]\ndo = 'let z = if time() > 0.0 { x } else { 0 };'\nroute = [\"y <- z\"]",
    ),
    shape(
        "body with loop",
        "fire = [\"x -> x\"]\ndo = 'let z = x; for n in 0..8 { z = (z * 3 + n) % 1000; }'\nroute = [\"y <- z\"]",
    ),
    shape(
        "body with branch",
        "fire = [\"x -> x\"]\ndo = 'let z = x; if x % 2 == 0 { z += 1; } else { z -= 1; }'\nroute = [\"y <- z\"]",
    ),
    shape("print every 1,000", "fire = [\"x -> x\"]\ndo = 'if x == 999 { print(x); }'\nroute = [\"y <- x\"]"),
    Shape {
        is_compiled: false,
        n_waves: 10,
        ..shape(
            "interpreted only",
            "fire = [\"x -> x\"]\ndo = 'let s = `${x}`; let z = x + s.len - s.len;'\nroute = [\"y <- z\"]",
        )
    },
];

/// The node whose bodies are in Rust.
const NATIVE: Shape =
    shape("native", "fire = [\"x -> x\"]\ndo = { native = \"step\" }\nroute = [\"y <- z\"]");

impl Shape {
    /// The program.
    fn text(&self) -> String {
        let ty = self.ty;
        let mut text = "hasse = 1\nmain = \"main\"\n\n".to_owned();
        if ty == "P" {
            text += "[type.P]\na = \"int\"\nb = \"real\"\n\n";
        }
        let port = |name: &str| if self.n_elements > 0 { format!("\"{name}[k]\"") } else { name.to_owned() };
        let arc = |from: &str, to: &str| match self.n_elements > 0 {
            true => format!("  \"{from}[k] -> {to}[k]\",\n"),
            false => format!("  \"{from} -> {to}\",\n"),
        };
        text += "[graph.main]\nparams = { wave = \"int = 1000\", size = \"int = 60000\", lanes = \"int = 4\" }\narcs = [\n";
        text += "  \"Start.go -> Src.go\", \"Sink.next -> Src.go\", \"Sink.s -> Stop.s\",\n";
        if self.is_indexed {
            text += "  \"Src.o -> L[0].x\", \"L[i].y -> L[i + 1].x\", \"L[i].out -> Sink.x\",\n";
        } else {
            text += &arc("Src.o", "L0.x");
            (1..N_LINKS).for_each(|link| text += &arc(&format!("L{}.y", link - 1), &format!("L{link}.x")));
            text += &arc(&format!("L{}.y", N_LINKS - 1), "Sink.x");
        }
        if self.node.contains("\"w ->") {
            // Nobody sends there; the port has to be led somewhere.
            (0..N_LINKS).for_each(|link| text += &format!("  \"Start.idle -> L{link}.w\",\n"));
        }
        text += "]\n";
        if self.node.contains("box") {
            text += "share = [\n";
            (0..N_LINKS).for_each(|link| text += &format!("  \"box -- L{link}.box\",\n"));
            text += "]\n\n[graph.main.shared.box]\ntype = \"int\"\n";
        }
        let idle = if self.node.contains("\"w ->") { format!(", idle = \"{ty}\"") } else { String::new() };
        text += &format!(
            "\n[graph.main.uc.Start]\nout = {{ go = \"int\"{idle} }}\nstart = true\nroute = [\"go <- 0\""
        );
        if !idle.is_empty() {
            text += ", \"idle <- 0 if wave < 0\"";
        }
        text += "]\n";
        let made = self.made;
        let sent = if self.n_elements > 0 {
            let n_elements = self.n_elements;
            let sent = (0..n_elements)
                .map(|element| format!("\"o[{element}] <- n for n in 0..wave / {n_elements}\""));
            sent.collect::<Vec<_>>().join(", ")
        } else {
            format!("\"o <- {made} for k in 0..wave\"")
        };
        text += &format!(
            "\n[graph.main.uc.Src]\nin = {{ go = \"int\" }}\nout = {{ {} = \"{ty}\" }}\nfire = [\"go -> _go\"]\nroute = [{sent}]\n",
            port("o")
        );
        let inputs = |x: &str| match (self.node.contains("\"w ->"), self.bound) {
            (true, _) => format!("{x} = \"{ty}\", w = \"{ty}\""),
            (false, 0) => format!("{x} = \"{ty}\""),
            (false, bound) => format!("{x} = {{ type = \"{ty}\", bound = {bound} }}"),
        };
        if self.is_indexed {
            let node = self.node.replace("\"y <- x\"", "\"y <- x if i < 15\", \"out <- x if i == 15\"");
            text += &format!(
                "\n[graph.main.uc.L]\nindex = [\"i\"]\nin = {{ x = \"{ty}\" }}\nout = {{ y = \"{ty}\", out = \"{ty}\" }}\n{node}\n"
            );
        } else if self.is_called {
            (0..N_LINKS).for_each(|link| text += &format!("\n[graph.main.call.L{link}]\ngraph = \"Link\"\n"));
            text += &format!(
                "\n[graph.Link]\nin = {{ x = \"{ty}\" }}\nout = {{ y = \"{ty}\" }}\narcs = [\"in.x -> Node.x\", \"Node.y -> out.y\"]\n\
                 \n[graph.Link.uc.Node]\nin = {{ x = \"{ty}\" }}\nout = {{ y = \"{ty}\" }}\n{}\n",
                self.node
            );
        } else {
            for link in 0..N_LINKS {
                text += &format!(
                    "\n[graph.main.uc.L{link}]\nin = {{ {} }}\nout = {{ {} = \"{ty}\" }}\n{}\n",
                    inputs(&port("x")),
                    port("y"),
                    self.node
                );
            }
        }
        let (taken, each) = match self.n_elements {
            0 => ("x -> _x".to_owned(), 1),
            n_elements => (format!("x[k] -> _x[k] for k in 0..{n_elements}"), n_elements),
        };
        text += &format!(
            "\n[graph.main.uc.Sink]\nin = {{ {} = \"{ty}\" }}\nout = {{ next = \"int\", s = \"int\" }}\nfire = [\"{taken}\"]\n\
             route = [\"next <- 1 if count * {each} % wave == 0 && count * {each} < size\", \"s <- count if count * {each} == size\"]\n",
            port("x")
        );
        text += "\n[graph.main.uc.Stop]\nin = { s = \"int\" }\nstop = true\nfire = [\"s -> s\"]\ndo = 'result(\"out\", s);'\n";
        text
    }

    fn size(&self) -> i64 {
        WAVE * self.n_waves
    }

    /// One run in a mode; the time that it took for an event.
    fn run(
        &self,
        program: &Program,
        natives: &Natives,
        mode: Mode,
        folder: &Path,
    ) -> Result<f64, BenchError> {
        let path = folder.join(format!("{}.trace", if mode == Mode::Replay { "full" } else { mode.name() }));
        let options = Options::new().workers(1).output(|_| {}).set("size", self.size()).set("wave", WAVE);
        let began = Instant::now();
        let recorded =
            |options: Options| Ok::<_, BenchError>(program.record_to_file(&options, &path)?.report().clone());
        let report = match mode {
            Mode::None => program.run(&options)?.report().clone(),
            Mode::Minimal => recorded(options.mode(RecordingMode::Minimal))?,
            Mode::Restricted => recorded(options.mode(RecordingMode::Restricted).select("Stop"))?,
            Mode::Full => recorded(options.mode(RecordingMode::Full))?,
            Mode::Perf => recorded(options.mode(RecordingMode::Perf))?,
            Mode::Replay => replay(program, natives, &path)?,
        };
        let nanos = began.elapsed().as_nanos() as f64;
        if report.outcome != hasse::RunOutcome::Finished || report.divergence.is_some() {
            let who = format!("{} in mode {}", self.name, mode.name());
            return Err(BenchError::Wrong {
                who,
                found: format!("{report:?}"),
                expected: "a run that finishes".to_owned(),
            });
        }
        Ok(nanos / report.n_events as f64)
    }
}

/// Reads a record and runs it again.
fn replay(program: &Program, natives: &Natives, path: &Path) -> Result<RunReport, BenchError> {
    let file = File::open(path).map_err(BenchError::io(path.display().to_string()))?;
    let unreadable = |error: hasse_model::trace::TraceError| BenchError::Record(error.to_string());
    let reader = TraceReader::open(BufReader::new(file)).map_err(unreadable)?;
    let recorded = hasse::Recorded::read(reader).map_err(|error| BenchError::Record(error.to_string()))?;
    let options = RunOptions {
        n_workers: 1,
        seed: None,
        params: recorded.header.params,
        program_folder: PathBuf::new(),
        sandbox: Default::default(),
        natives: natives.clone(),
        stop: Default::default(),
        reclaim_above: DEFAULT_RECLAIM_ABOVE,
        tiers: Default::default(),
        capture: Capture::none(),
        control: None,
        chooser: None,
        virtual_time: false,
        checkpoints: None,
        writes_ahead: false,
    };
    Ok(runtime::replay(program.plan(), &options, recorded.record, None, Box::new(|_| {}))?)
}

/// Best times of a shape for an event, by mode.
struct Measured {
    shape: &'static Shape,
    nanos: [f64; Mode::ALL.len()],
}

fn main() -> ExitCode {
    match compare() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn compare() -> Result<(), BenchError> {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let n_rounds = arguments.iter().filter_map(|argument| argument.parse().ok()).next().unwrap_or(N_ROUNDS);
    let mode_of = |argument: &str| Mode::ALL.into_iter().find(|mode| mode.name() == argument);
    let mut modes: Vec<Mode> = arguments.iter().filter_map(|argument| mode_of(argument)).collect();
    if modes.contains(&Mode::Replay) {
        modes.push(Mode::Full);
    }
    let wanted: Vec<&String> = arguments
        .iter()
        .filter(|argument| argument.parse::<usize>().is_err() && mode_of(argument).is_none())
        .collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()));
    let folder = tempfile::tempdir().map_err(BenchError::io("a folder for records"))?;
    let mut natives = Natives::new();
    natives.function_body("step", ["x"], ["z"], |x: i64| x + 1);
    let shapes: &'static [Shape] = const { &SHAPES };
    let shapes: Vec<&'static Shape> = shapes.iter().chain([const { &NATIVE }]).collect();
    println!(
        "nanoseconds an event, medians of {n_rounds} rounds, one worker; in brackets, times what the first line takes"
    );
    let heads = Mode::ALL.map(|mode| format!("{:>16}", mode.name()));
    println!("{:26}{}", "", heads.concat());
    let mut all: Vec<Measured> = Vec::new();
    for shape in shapes.into_iter().filter(|shape| shape.name == PLAIN.name || is_wanted(shape.name)) {
        let measured = measure(shape, (&natives, &modes), folder.path(), n_rounds)?;
        let plain = all.first().map_or(measured.nanos, |plain| plain.nanos);
        let cells =
            measured.nanos.iter().zip(plain).map(|(own, plain)| format!("{own:8.1} ({:4.1})", own / plain));
        println!("{:26}{}", shape.name, cells.map(|cell| format!("{cell:>16}")).collect::<String>());
        all.push(measured);
    }
    if modes.is_empty() {
        judge(&all);
    }
    Ok(())
}

fn measure(
    shape: &'static Shape,
    (natives, modes): (&Natives, &[Mode]),
    folder: &Path,
    n_rounds: usize,
) -> Result<Measured, BenchError> {
    let program = Program::from_text(&shape.text(), natives)?;
    let mut times: [Vec<f64>; Mode::ALL.len()] = Default::default();
    for _ in 0..n_rounds {
        for (mode, times) in Mode::ALL.into_iter().zip(&mut times) {
            if modes.is_empty() || modes.contains(&mode) {
                times.push(shape.run(&program, natives, mode, folder)?);
            }
        }
    }
    let nanos = times.map(|times| spread(times).map_or(f64::NAN, |spread| spread.median));
    Ok(Measured { shape, nanos })
}

/// Counts what is within the bars, and names what is not.
fn judge(all: &[Measured]) {
    let Some(plain) = all.first() else { return };
    let (mut n_met, mut missed) = (0, Vec::new());
    let mut hold = |is_met: bool, what: String| if is_met { n_met += 1 } else { missed.push(what) };
    for measured in all {
        let (name, nanos) = (measured.shape.name, measured.nanos);
        for (mode, (own, plain)) in Mode::ALL.iter().zip(nanos.iter().zip(plain.nanos)) {
            if measured.shape.is_compiled {
                hold(
                    own / plain <= MOST_RATIO,
                    format!("{name}, {}: {:.1} times the plainest", mode.name(), own / plain),
                );
            }
        }
        for pair in [0, 1, 2, 3].map(|at| (at, at + 1)) {
            let [less, more] = [pair.0, pair.1].map(|at| (Mode::ALL[at].name(), nanos[at]));
            let what = format!("{name}: {} takes {:.1}, {} {:.1}", less.0, less.1, more.0, more.1);
            hold(less.1 <= more.1 * NOISE, what);
        }
        let [full, replay] = [nanos[3], nanos[5]];
        hold(replay <= full * MOST_REPLAY, format!("{name}: replay takes {:.1} times full", replay / full));
    }
    println!("{n_met} of {} bars are met; missed:", n_met + missed.len());
    missed.iter().for_each(|what| println!("  {what}"));
}
