//! `programs/solve.hasse`, written by hand against the library.

use std::cmp::Ordering;
use std::sync::Arc;

use hasse::build::{Graph, Program, Unit};
use hasse::{Matrix, NativeBody, Natives, Options, Type};

/// The allocator of the command.
#[global_allocator]
static ALLOCATOR: hasse::command::Allocator = hasse::command::ALLOCATOR;

fn main() -> Result<(), hasse::Error> {
    let mut arguments = std::env::args().skip(1).filter_map(|argument| argument.parse::<i64>().ok());
    let (workers, size) = (arguments.next().unwrap_or(1), arguments.next().unwrap_or(40));
    let program = program().compile(&natives())?;
    let run = program.run(&Options::new().workers(workers as usize).set("size", size))?.finished()?;
    println!("out = {:?}", run.result::<f64>("out")?);
    Ok(())
}

/// Entry of the matrix.
fn entry(row: usize, col: usize, n: usize) -> f64 {
    match row.cmp(&col) {
        Ordering::Less => 0.0,
        Ordering::Equal => 2.0,
        Ordering::Greater => (((7 * row + 3 * col) % 11) as f64 - 5.0) / n as f64,
    }
}

fn natives() -> Natives {
    let mut natives = Natives::new();
    let segments = Type::Array(Box::new(Type::Vector));
    natives.body(NativeBody::new("start").lets([("segments", segments)]), |context| {
        let (n, block): (i64, i64) = (context.get("n")?, context.get("block")?);
        let right = |row: i64| 1.0 + (row % 7) as f64 / 8.0;
        let segments: Vec<Vec<f64>> =
            (0..n).map(|i| (i * block..(i + 1) * block).map(right).collect()).collect();
        context.set("segments", segments)
    });
    natives.body(NativeBody::new("solve").lets([("x", Type::Vector), ("first", Type::Int)]), |context| {
        let (n, n_rows): (usize, usize) = (context.get("n")?, context.get("block")?);
        let (mut x, below): (Vec<f64>, usize) = (context.take("seg")?, context.get("below")?);
        let mut diagonals: Matrix = context.take("diagonals")?;
        if context.count() == 1 {
            diagonals = Matrix::zeros(n_rows, n_rows * n);
            for (place, found) in diagonals.entries_mut().iter_mut().enumerate() {
                let (row, col) = (place % n_rows, place / n_rows);
                *found = entry(row + col / n_rows * n_rows, col, n * n_rows);
            }
        }
        let columns = diagonals.entries()[below * n_rows * n_rows..].chunks_exact(n_rows);
        for (col, column) in columns.take(n_rows).enumerate() {
            x[col] /= column[col];
            let known = x[col];
            for (entry, below) in column[col + 1..].iter().zip(&mut x[col + 1..]) {
                *below -= entry * known;
            }
        }
        context.set("diagonals", diagonals)?;
        context.set("x", x)?;
        context.set("first", below as i64 + 1)?;
        context.set("below", ((below + 1) % n) as i64)
    });
    natives.body(NativeBody::new("mult"), |context| {
        let (n, n_rows): (usize, usize) = (context.get("n")?, context.get("block")?);
        let (i, j): (usize, usize) = (context.get("i")?, context.get("j")?);
        let (x, mut acc): (Arc<Vec<f64>>, Vec<f64>) = (context.get("x")?, context.take("acc")?);
        let mut strip: Matrix = context.take("strip")?;
        if context.count() == 1 {
            strip = Matrix::zeros(n_rows, n_rows * i);
            for (place, found) in strip.entries_mut().iter_mut().enumerate() {
                *found = entry(place % n_rows + i * n_rows, place / n_rows, n * n_rows);
            }
        }
        let columns = strip.entries()[j * n_rows * n_rows..].chunks_exact(4 * n_rows);
        for (four, x) in columns.zip(x.chunks_exact(4)) {
            let (one, two) = four.split_at(2 * n_rows);
            let ((a, b), (c, d)) = (one.split_at(n_rows), two.split_at(n_rows));
            for ((((acc, a), b), c), d) in acc.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                *acc -= (a * x[0] + b * x[1]) + (c * x[2] + d * x[3]);
            }
        }
        context.set("strip", strip)?;
        context.set("acc", acc)?;
        context.set("j", ((j + 1) % i) as i64)
    });
    natives.body(NativeBody::new("gather").lets([("sum", Type::Real)]), |context| {
        let (seg, mut x): (Arc<Vec<f64>>, Vec<f64>) = (context.get("seg")?, context.take("x")?);
        let (n, k, round): (i64, i64, i64) = (context.get("n")?, context.get("k")?, context.get("round")?);
        if k == 0 {
            x.clear();
        }
        x.extend_from_slice(&seg);
        let k = (k + 1) % n;
        let sum = match k {
            0 => x.iter().enumerate().map(|(row, x)| x * (row % 13 + 1) as f64).sum(),
            _ => 0.0,
        };
        context.set("x", x)?;
        context.set("k", k)?;
        context.set("round", round + i64::from(k == 0))?;
        context.set("sum", sum)
    });
    natives
}

fn program() -> Program {
    let start = Unit::new("Start")
        .input("again", "int")
        .output("b", "vector")
        .output("to_mult[i]", "vector")
        .start()
        .fire("again -> _again")
        .native("start")
        .route("b <- segments[0]")
        .route("to_mult[i] <- segments[i] for i in 1..n");
    let solve = Unit::new("Solve")
        .input("b", "vector")
        .output("x[i]", "vector")
        .output("seg", "vector")
        .var("diagonals", "matrix")
        .var("below", "int")
        .fire("b -> seg")
        .native("solve")
        .route("x[i] <- x for i in first..n")
        .route("seg <- x");
    let mult = Unit::new("Mult")
        .index("i")
        .input("b", "vector")
        .input("x", "vector")
        .output("done", "vector")
        .var("strip", "matrix")
        .var("acc", "vector")
        .var("j", "int")
        .fire("b -> acc, x -> x if j == 0")
        .fire("x -> x if j > 0")
        .native("mult")
        .route("done <- acc if j == 0");
    let gather = Unit::new("Gather")
        .input("seg", "vector")
        .output("again", "int")
        .output("sum", "real")
        .var("x", "vector")
        .var("k", "int")
        .var("round", "int")
        .fire("seg -> seg")
        .native("gather")
        .route("again <- round if k == 0 && round < size")
        .route("sum <- sum if k == 0 && round == size");
    let stop = Unit::new("Stop").input("sum", "real").stop().fire("sum -> sum").body("result(\"out\", sum);");
    let graph = Graph::new("main")
        .param("size", "int")
        .param("n", "int = 16")
        .param("block", "int = 256")
        .arc("Start.b -> Solve.b")
        .arc("Start.to_mult[i] -> Mult[i].b")
        .arc("Solve.x[i] -> Mult[i].x")
        .arc("Mult[i].done -> Solve.b")
        .arc("Solve.seg -> Gather.seg")
        .arc("Gather.again -> Start.again")
        .arc("Gather.sum -> Stop.sum");
    Program::new("main").graph(graph.unit(start).unit(solve).unit(mult).unit(gather).unit(stop))
}
