//! `programs/wavefront.hasse`, written by hand against the library.

use hasse::build::{Graph, Program, Unit};
use hasse::{Natives, Options};

/// The allocator of the command.
#[global_allocator]
static ALLOCATOR: hasse::command::Allocator = hasse::command::ALLOCATOR;

fn main() -> Result<(), hasse::Error> {
    let mut arguments = std::env::args().skip(1).filter_map(|argument| argument.parse::<i64>().ok());
    let (workers, size) = (arguments.next().unwrap_or(1), arguments.next().unwrap_or(512));

    let mut natives = Natives::new();
    natives.function_body("cell", ["a", "b"], ["c"], |a: i64, b: i64| (a + b) & 0xffff_ffff);

    let start = Unit::new("Start")
        .output("north[j]", "int")
        .output("west[i]", "int")
        .start()
        .route("north[j] <- 1 for j in 0..size")
        .route("west[i] <- 1 for i in 0..size");
    let cell = Unit::new("Cell")
        .index("i")
        .index("j")
        .input("north", "int")
        .input("west", "int")
        .output("south", "int")
        .output("east", "int")
        .output("done", "int")
        .fire("north -> a, west -> b")
        .native("cell")
        .route("south <- c if i < size - 1")
        .route("east <- c if j < size - 1")
        .route("done <- c if i == size - 1 && j == size - 1");
    let stop = Unit::new("Stop").input("s", "int").stop().fire("s -> s").body("result(\"out\", s);");
    let graph = Graph::new("main")
        .param("size", "int")
        .arc("Start.north[j] -> Cell[0][j].north")
        .arc("Start.west[i] -> Cell[i][0].west")
        .arc("Cell[i][j].south -> Cell[i + 1][j].north")
        .arc("Cell[i][j].east -> Cell[i][j + 1].west")
        .arc("Cell[i][j].done -> Stop.s")
        .unit(start)
        .unit(cell)
        .unit(stop);
    let program = Program::new("main").graph(graph).compile(&natives)?;
    let run = program.run(&Options::new().workers(workers as usize).set("size", size))?.finished()?;
    println!("out = {}", run.result::<i64>("out")?);
    Ok(())
}
