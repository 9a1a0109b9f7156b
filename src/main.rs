//! The `hasse` command: compiles, runs, replays and checks programs.

use std::process::ExitCode;

/// Counts what each thread holds, for the memory budget of events.
#[global_allocator]
static ALLOCATOR: hasse::command::Allocator = hasse::command::ALLOCATOR;

fn main() -> ExitCode {
    hasse::command::main()
}
