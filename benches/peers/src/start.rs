//! How long it takes until a program runs: `hasse run` from the start of the process to the first byte that the first node
//! prints, and the compiler on a program of 2,000 nodes. Run by `cargo bench -p hasse-bench --bench start`; the command is
//! the one that `cargo build --release` has left, or that of the argument `--command PATH`.

use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use clap::Parser;
use hasse::{Natives, Options, Program};
use sample::BenchError;

#[allow(dead_code, reason = "no units are counted")]
mod sample;

/// The allocator of the command.
#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const N_STARTS: usize = 41;
const MOST_START: Duration = Duration::from_millis(15);
/// Of a program with compiled bodies.
const MOST_START_COMPILED: Duration = Duration::from_millis(25);
const N_COMPILATIONS: usize = 11;
const MOST_COMPILATION: Duration = Duration::from_secs(1);
const N_NODES: usize = 2_000;
/// Nodes that have a node before and one behind.
const N_STEPS: usize = N_NODES - 2;

/// Two nodes, of which the first prints.
const SMALL: &str = r#"hasse = 1
main = "main"

[graph.main]
arcs = ["First.o -> Stop.s"]

[graph.main.uc.First]
out   = { o = "int" }
start = true
do    = 'print("here");'
route = ["o <- 1"]

[graph.main.uc.Stop]
in   = { s = "int" }
stop = true
fire = ["s -> s"]
do   = 'result("out", s);'
"#;

/// The same behind a node whose body is compiled.
const SMALL_COMPILED: &str = r#"hasse = 1
main = "main"

[graph.main]
arcs = ["First.o -> Second.i", "Second.o -> Third.i", "Third.o -> Stop.s"]

[graph.main.uc.First]
out   = { o = "int" }
start = true
route = ["o <- 1"]

[graph.main.uc.Second]
in   = { i = "int" }
out  = { o = "int" }
fire = ["i -> x"]
do = '''
let y = x;
for n in 0..100 { y = (y * 3 + n) % 1000; }
'''
route = ["o <- y"]

[graph.main.uc.Third]
in    = { i = "int" }
out   = { o = "int" }
fire  = ["i -> x"]
do    = 'print("here");'
route = ["o <- x if x < 0", "o <- 1 if x >= 0"]

[graph.main.uc.Stop]
in   = { s = "int" }
stop = true
fire = ["s -> s"]
do   = 'result("out", s);'
"#;

/// Measure how long it takes until a program runs
#[derive(Parser)]
struct Args {
    /// The command `hasse` [default: the one beside the folder of this benchmark]
    #[arg(long, value_name = "PATH")]
    command: Option<PathBuf>,
    /// What cargo passes to every benchmark
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    match measure(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(args: &Args) -> Result<(), BenchError> {
    println!("median, least and most, in milliseconds; the bar is for the median");
    match args.command.clone().map_or_else(built_command, Ok) {
        Ok(command) => measure_start(&command)?,
        Err(BenchError::Io { what, .. }) => println!(
            "hasse run: absent, as there is no {what}; `cargo build --release` makes it, `-- --command PATH` takes another"
        ),
        Err(error) => return Err(error),
    }
    measure_compilation()
}

/// Where `cargo build --release` puts the command if it has the target folder of this process, which runs in
/// `release/deps`.
fn built_command() -> Result<PathBuf, BenchError> {
    let here = std::env::current_exe().map_err(BenchError::io("path of this process"))?;
    let folder = here.parent().and_then(Path::parent).unwrap_or(Path::new("."));
    let command = folder.join(format!("hasse{}", std::env::consts::EXE_SUFFIX));
    command.metadata().map_err(BenchError::io(command.display().to_string()))?;
    Ok(command)
}

fn measure_start(command: &Path) -> Result<(), BenchError> {
    let folder = tempfile::tempdir().map_err(BenchError::io("a folder"))?;
    let written = |name: &str, text: &str| {
        let program = folder.path().join(name);
        std::fs::write(&program, text).map_err(BenchError::io("a program file"))?;
        Ok::<String, BenchError>(program.display().to_string())
    };
    let (path, compiled) = (written("small.hasse", SMALL)?, written("compiled.hasse", SMALL_COMPILED)?);
    // The first of each fills caches of the system.
    let (mut runs, mut autos, mut natives, mut idle) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for nth in 0..=N_STARTS {
        let said = "here\nout = 1\n";
        let run = time_to_first_byte(command, &["run", &path], said)?;
        let auto = time_to_first_byte(command, &["run", &compiled], said)?;
        let native = time_to_first_byte(command, &["run", &compiled, "--scripts", "native"], said)?;
        let alone = time_to_first_byte(command, &["--version"], "hasse ")?;
        if nth > 0 {
            runs.push(run);
            autos.push(auto);
            natives.push(native);
            idle.push(alone);
        }
    }
    tell("hasse run, start of process to first output of the first node", &mut runs, Some(MOST_START));
    tell("behind a compiled body", &mut autos, Some(MOST_START_COMPILED));
    tell("the same, with machine code made before the run begins", &mut natives, Some(MOST_START_COMPILED));
    tell("hasse --version, for comparison: the process alone", &mut idle, None);
    Ok(())
}

/// Time from before the process is made until the first byte of its standard output is here.
fn time_to_first_byte(command: &Path, arguments: &[&str], expected: &str) -> Result<Duration, BenchError> {
    let failed = BenchError::io(command.display().to_string());
    let began = Instant::now();
    let process = Command::new(command).args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let mut process = process.map_err(failed)?;
    let mut said = vec![0];
    let mut stdout = process.stdout.take().expect("it is piped");
    stdout.read_exact(&mut said).map_err(BenchError::io("the first byte"))?;
    let time = began.elapsed();
    stdout.read_to_end(&mut said).map_err(BenchError::io("the rest"))?;
    process.wait().map_err(BenchError::io("the end of the process"))?;
    let said = String::from_utf8_lossy(&said).into_owned();
    if said.starts_with(expected) {
        return Ok(time);
    }
    Err(BenchError::Wrong { who: command.display().to_string(), found: said, expected: expected.to_owned() })
}

fn measure_compilation() -> Result<(), BenchError> {
    let text = large();
    let (mut compiling, mut running) = (Vec::new(), Vec::new());
    for _ in 0..N_COMPILATIONS {
        let began = Instant::now();
        let program = Program::from_text(&text, &Natives::new())?;
        compiling.push(began.elapsed());
        assert!(program.warnings().is_empty(), "the program has no faults: {:?}", program.warnings().first());
        assert_eq!(program.plan().templates.len(), N_NODES, "nodes of the program");
        let began = Instant::now();
        let run = program.run(&Options::new().workers(1))?.finished()?;
        running.push(began.elapsed());
        assert_eq!(run.result::<i64>("out")?, N_STEPS as i64, "every node has executed once");
    }
    let what = format!("compile {N_NODES} nodes, {} lines", text.lines().count());
    tell(&what, &mut compiling, Some(MOST_COMPILATION));
    tell("load them and execute each once, for comparison", &mut running, None);
    Ok(())
}

/// Steps in a row, with a second arc each, to a node further on that merges nothing else into that port.
fn large() -> String {
    let mut text =
        String::from("hasse = 1\nmain = \"main\"\n\n[graph.main]\nparams = { most = \"int = 5000\" }\n");
    text += "arcs = [\n  \"Start.go -> N0.a\",\n";
    for n in 0..N_STEPS {
        let next = if n + 1 < N_STEPS { format!("N{}.a", n + 1) } else { "Stop.s".to_owned() };
        let _ = writeln!(text, "  \"N{n}.o -> {next}\", \"N{n}.side -> N{}.b\",", (n + 5) % N_STEPS);
    }
    text += "]\n\n[graph.main.uc.Start]\nout   = { go = \"int\" }\nstart = true\nroute = [\"go <- 0\"]\n";
    for n in 0..N_STEPS {
        text += &step(n);
    }
    text + "\n[graph.main.uc.Stop]\nin   = { s = \"int\" }\nstop = true\nfire = [\"s -> s\"]\ndo   = 'result(\"out\", s);'\n"
}

/// A node with vars, two firing rules, a body of some lines, guards and two routing rules. One in four has
/// an array in its body, one a loop, one a branch.
fn step(n: usize) -> String {
    let body = match n % 4 {
        0 => "let y = x + 1;\nlet z = y;\ntotal += z;",
        1 => "let y = x + 1;\nlet z = 0;\nfor k in 0..3 {\n    z += k * y;\n}\ntotal += z;",
        2 => "let y = x + 1;\nlet z = y * 3 % 17;\nif z > 8 {\n    total += z;\n} else {\n    total -= 1;\n}",
        _ => {
            "let parts = [x, 1];\nlet y = parts[0] + parts[1];\nlet z = max(y, total);\ntotal = min(z, 100);"
        }
    };
    format!(
        "\n[graph.main.uc.N{n}]\nin    = {{ a = \"int\", b = \"int\" }}\nout   = {{ o = \"int\", side = \"int\" }}\n\
         vars  = {{ total = \"int\", n_seen = \"int\" }}\nfire  = [\"a -> x if n_seen == 0\", \"a -> x, b -> _w if n_seen > 0\"]\n\
         do    = '''\n{body}\nn_seen += 1;\n'''\n\
         route = [\"o <- y if y < most\", \"side <- z + total if n_seen > 1 && total < most\"]\n"
    )
}

fn tell(what: &str, times: &mut [Duration], bar: Option<Duration>) {
    times.sort();
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    let median = times[times.len() / 2];
    let bar = bar.map_or(String::new(), |bar| {
        let verdict = if median <= bar { "met" } else { "MISSED" };
        format!("; at most {:.0}: {verdict}", millis(bar))
    });
    let (least, most) = (millis(times[0]), millis(times[times.len() - 1]));
    println!("{what}: {:.1} ({least:.1} to {most:.1}), {} times{bar}", millis(median), times.len());
}
