//! What has ended is handed over while a body waits.

use std::io;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use hasse::{EventSink, NativeBody, Natives, Options, Program, RecordingMode, Type};
use hasse_model::event::EventBatch;
use hasse_runtime::report::RunReport;
use hasse_runtime::run::Idle;

/// The execution of `Hold` that waits: so many are quick that the worker takes them for short ones.
const WAITS: u64 = 300;

const TEXT: &str = r#"hasse = 1
main  = "main"

[graph.main]
arcs = ["Start.o -> Hold.a", "Hold.o -> Sum.a"]

[graph.main.uc.Start]
start = true
out   = { o = "int" }
route = ["o <- i for i in 0..400"]

[graph.main.uc.Hold]
in    = { a = "int" }
out   = { o = "int" }
fire  = ["a -> x"]
do    = { native = "hold" }
route = ["o <- y"]

[graph.main.uc.Sum]
in   = { a = "int" }
vars = { total = "int" }
fire = ["a -> x"]
do   = 'total += x; result("total", total);'
"#;

/// The last execution of any action that a record tells of.
#[derive(Default)]
struct Told {
    last: Mutex<u64>,
    changed: Condvar,
}

struct Sink(Arc<Told>);

impl EventSink for Sink {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        let cut = batch.cut.iter().flatten().map(|id| id.count);
        let told = if batch.cut.is_some() { cut.max() } else { batch.rows().map(|row| row.id.count).max() };
        let mut last = self.0.last.lock().unwrap();
        *last = last.max(told.unwrap_or(0));
        self.0.changed.notify_all();
        Ok(())
    }

    fn finish(&mut self, _: &RunReport, _: &Idle) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn everything_before_a_body_that_waits_is_handed_over() {
    for mode in [RecordingMode::Full, RecordingMode::Restricted, RecordingMode::Minimal] {
        for n_workers in [1, 2, 4] {
            let told = Arc::new(Told::default());
            let mut natives = Natives::new();
            let (waited_for, is_told) = (Arc::clone(&told), Arc::new(Mutex::new(false)));
            let seen = Arc::clone(&is_told);
            let body = NativeBody::new("hold").needs([("x", Type::Int)]).lets([("y", Type::Int)]);
            natives.body(body, move |context| {
                let x: i64 = context.get("x")?;
                if context.count() == WAITS {
                    let last = waited_for.last.lock().unwrap();
                    let patience = Duration::from_secs(120);
                    let is_early = |last: &mut u64| *last < WAITS - 1;
                    let (last, _) = waited_for.changed.wait_timeout_while(last, patience, is_early).unwrap();
                    *seen.lock().unwrap() = *last >= WAITS - 1;
                }
                context.set("y", x)
            });
            let program = Program::from_text(TEXT, &natives).unwrap();
            let mut options = Options::new().workers(n_workers).mode(mode);
            if mode == RecordingMode::Restricted {
                options = options.select("Hold");
            }
            let run = program.record_to_sink(&options, Box::new(Sink(told))).unwrap();
            assert!(*is_told.lock().unwrap(), "{mode:?}, workers: {n_workers}");
            assert_eq!(run.finished().unwrap().result::<i64>("total").unwrap(), 400 * 399 / 2);
        }
    }
}
