//! Stopping, querying and continuing runs, through the runtime's public interface.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, dead_code, reason = "tests")]

#[path = "control/breakpoints.rs"]
mod breakpoints;
#[path = "control/decided.rs"]
mod decided;
#[path = "control/disturbed.rs"]
mod disturbed;
#[path = "laws/faulty.rs"]
mod faulty;
#[path = "laws/generator.rs"]
mod generator;
#[path = "control/killed.rs"]
mod killed;
#[path = "control/nets.rs"]
mod nets;
#[path = "control/queues.rs"]
mod queues;
#[path = "laws/recording.rs"]
mod recording;
#[path = "control/stepping.rs"]
mod stepping;
#[path = "control/tiers.rs"]
mod tiers;
#[path = "control/waiting.rs"]
mod waiting;

use std::thread;

use hasse_model::plan::Plan;
use hasse_runtime::control::Control;
use hasse_runtime::run::{EventSink, Recording, RunOptions};
use recording::{Recorded, record_as};

/// Runs a plan on a thread of its own under a control, and drives it by `drive`; gives what `drive` gives and what was
/// recorded.
pub fn driven<R>(
    plan: &Plan,
    options: &RunOptions,
    control: &Control,
    recording: impl FnOnce(Box<dyn EventSink>) -> Recording<'static> + Send,
    drive: impl FnOnce(&Control) -> R,
) -> (R, Recorded) {
    driven_as(options, control, |options| record_as(plan, options, recording), drive)
}

/// As [`driven`], of anything that a control can drive.
pub fn driven_as<R>(
    options: &RunOptions,
    control: &Control,
    run: impl FnOnce(&RunOptions) -> Recorded + Send,
    drive: impl FnOnce(&Control) -> R,
) -> (R, Recorded) {
    let options = RunOptions { control: Some(control.clone()), ..options.clone() };
    control.begin();
    thread::scope(|scope| {
        let run = scope.spawn(|| {
            let recorded = run(&options);
            control.end();
            recorded
        });
        // A test that fails must not wait for a run that nobody drives any more.
        let ending = EndOnPanic { control, options: &options };
        let driven = drive(control);
        std::mem::forget(ending);
        control.release();
        (driven, run.join().unwrap())
    })
}

struct EndOnPanic<'c> {
    control: &'c Control,
    options: &'c RunOptions,
}

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        self.options.stop.stop();
        self.control.wake();
        self.control.release();
    }
}
