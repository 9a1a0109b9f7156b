//! What an idle instance takes: bytes of a million instances of one node with a scalar port, each of which has executed once
//! and could execute again. Run by `cargo bench -p hasse-bench --bench instances`.

use hasse::{NativeBody, Natives, Options, Program, Type};
use tikv_jemalloc_ctl::{epoch, stats};

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const N_INSTANCES: i64 = 1_000_000;
/// So many instances are sent to at once, so that values on their way take no memory to speak of.
const WAVE: i64 = 1_000;

const TEXT: &str = r#"hasse = 1
main = "main"

[graph.main]
params = { size = "int", wave = "int" }
arcs = [
  "Start.go -> Source.go", "Source.o[i] -> Cell[i].a", "Cell[i].done -> Sink.a", "Sink.next -> Source.go",
  "Source.mark -> Stop.mark", "Sink.end -> Stop.end",
]

[graph.main.uc.Start]
out   = { go = "int" }
start = true
route = ["go <- 0"]

[graph.main.uc.Source]
in    = { go = "int" }
out   = { "o[i]" = "int", mark = "int" }
vars  = { n_sent = "int" }
fire  = ["go -> _go"]
do    = { native = "advance" }
route = ["o[i] <- i for i in n_sent - wave..n_sent", "mark <- n_bytes if count == 1"]

[graph.main.uc.Cell]
index = ["i"]
in    = { a = "int" }
out   = { done = "int" }
fire  = ["a -> x"]
route = ["done <- x"]

[graph.main.uc.Sink]
in    = { a = "int" }
out   = { next = "int", end = "int" }
fire  = ["a -> _a"]
route = ["next <- 0 if count % wave == 0 && count < size", "end <- 0 if count == size"]

[graph.main.uc.Stop]
in    = { mark = "int", end = "int" }
stop  = true
fire  = ["mark -> before, end -> _end"]
do    = { native = "tell" }
"#;

fn main() {
    let program = Program::from_text(TEXT, &natives()).expect("the program is right");
    let options = || Options::new().workers(1).set("size", N_INSTANCES).set("wave", WAVE);
    let off = program.run(&options()).expect("it runs").finished().expect("to its end");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("instances.trace");
    let full = program.record_to_file(&options(), &path).expect("it runs").finished().expect("to its end");
    for (mode, run) in [("debugging off", off), ("full recording", full)] {
        // All cells, and the four others.
        assert_eq!(run.report().n_actions, N_INSTANCES as u64 + 4, "no instance was let go of");
        let n_bytes: i64 = run.result("bytes").expect("a number");
        println!("{mode}: {:.1} bytes an idle instance", n_bytes as f64 / N_INSTANCES as f64);
    }
}

fn natives() -> Natives {
    let int = |name: &'static str| (name, Type::Int);
    let mut natives = Natives::new();
    let advance = NativeBody::new("advance").needs([int("n_sent"), int("wave")]).lets([int("n_bytes")]);
    natives.body(advance, |context| {
        let (n_sent, wave): (i64, i64) = (context.get("n_sent")?, context.get("wave")?);
        context.set("n_sent", n_sent + wave)?;
        let n_bytes = if context.count() == 1 { context.effect(allocated)? } else { 0 };
        context.set("n_bytes", n_bytes)
    });
    let tell = NativeBody::new("tell").needs([int("before")]).results(["bytes"]);
    natives.body(tell, |context| {
        let before: i64 = context.get("before")?;
        let now: i64 = context.effect(allocated)?;
        context.result("bytes", now - before)
    });
    natives
}

/// Bytes that the process has allocated.
fn allocated() -> i64 {
    epoch::advance().expect("statistics are built in");
    stats::allocated::read().expect("statistics are built in") as i64
}
