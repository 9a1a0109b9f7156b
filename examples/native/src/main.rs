//! Functions and bodies of nodes in Rust, in two programs: one is made in Rust, the other is a file.
//!
//! Each is run with 1, 2 and 8 workers, recorded, replayed, and compared with a computation that knows
//! nothing of graphs. Ends with an error if anything differs.

/// The Mandelbrot set; the program is `mandelbrot.hasse`.
mod mandelbrot;
/// Blocked matrix multiply; the program is made in Rust.
mod multiply;

use std::error::Error;

use hasse::{FromValue, Natives, Options, Program};

/// Numbers of worker threads to run with.
const WORKERS: [usize; 3] = [1, 2, 8];

fn main() -> Result<(), Box<dyn Error>> {
    let mut natives = Natives::new();
    multiply::register(&mut natives);
    mandelbrot::register(&mut natives);

    let built = multiply::program().compile(&natives)?;
    println!("multiply: made in Rust, {} lines of text", built.text().lines().count());
    let options = Options::new().set("n", 4_i64).set("size", 16_i64);
    check(&built, &options, "c", &multiply::oracle(64))?;

    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/mandelbrot.hasse");
    let read = Program::from_file(path, &natives)?;
    println!("mandelbrot: read from a file, {} lines of text", read.text().lines().count());
    let options = Options::new().set("rows", 48_i64).set("strips", 6_i64);
    check(&read, &options, "picture", &mandelbrot::oracle(48))?;
    let picture: Vec<u8> = read.run(&options.output(|_| {}))?.finished()?.result("picture")?;
    print!("{}", mandelbrot::drawn(&picture, 48));
    Ok(())
}

/// Runs, records and replays a program, and compares its result with what is expected.
fn check<T>(program: &Program, options: &Options, name: &str, expected: &T) -> Result<(), Box<dyn Error>>
where
    T: FromValue + PartialEq,
{
    for n_workers in WORKERS {
        let options = options.clone().workers(n_workers).output(|_| {});
        let plain = program.run(&options)?.finished()?;
        let (recorded, trace) = program.record(&options)?;
        let recorded = recorded.finished()?;
        let replayed = program.replay(&trace, &options)?.finished()?;
        for (run, what) in [(&plain, "run"), (&recorded, "recorded run"), (&replayed, "replay")] {
            if run.result::<T>(name)? != *expected {
                return Err(format!("the {what} with {n_workers} workers differs from the oracle").into());
            }
        }
        let n_events = recorded.report().n_events;
        println!("  {n_workers} workers: {n_events} events, replayed, as expected");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn both_programs_compute_what_their_oracles_do() {
        super::main().expect("nothing differs");
    }
}
