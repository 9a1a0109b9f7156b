//! What programs of the benchmark call: bodies as trivial as those of the peers, and the kernels of the solver.

use std::array;
use std::sync::Arc;

use hasse::{Matrix, NativeBody, Natives, Type};

use crate::solver::{self, N_BLOCKS, system};
use crate::workload::{N_BRANCHES, WAVE_MASK};

/// Everything.
pub(super) fn natives() -> Natives {
    let mut natives = Natives::new();
    trivial(&mut natives);
    solver(&mut natives);
    natives
}

fn trivial(natives: &mut Natives) {
    natives.function_body("step", ["x"], ["y"], |x: i64| x + 1);
    natives.function_body("sum", ["x", "total"], ["total"], |x: i64, total: i64| total + x + 1);
    natives.function_body("plain_sum", ["x", "total"], ["total"], |x: i64, total: i64| total + x);
    let values: [String; N_BRANCHES as usize] = array::from_fn(|n| format!("v{n}"));
    let takes = values.into_iter().chain(["total".to_owned()]);
    // What comes, and the total before.
    const N_TAKES: usize = N_BRANCHES as usize + 1;
    natives.function_body("join", takes, ["total"], |takes: [i64; N_TAKES]| takes.iter().sum::<i64>());
    natives.function_body("cell", ["a", "b"], ["c"], |a: i64, b: i64| (a + b) & WAVE_MASK as i64);
    natives.function_body("add", ["x", "counter"], ["counter", "y"], |x: i64, counter: i64| {
        (counter + 1, x + 1)
    });
}

/// The system is a constant of the process: a body that reads it stays a function of its arguments.
fn solver(natives: &mut Natives) {
    natives.function("segment", |row: usize| system().segment(row).to_vec());
    natives
        .function("block_at", |row: usize, col: usize| -> Arc<Matrix> { system().block(row, col).clone() });
    let solve = NativeBody::new("solve")
        .needs([("seg", Type::Vector), ("below", Type::Int)])
        .lets([("x", Type::Vector), ("first", Type::Int)]);
    natives.body(solve, |context| {
        let (mut seg, at): (Vec<f64>, usize) = (context.take("seg")?, context.get("below")?);
        solver::solve_lower(system().block(at, at), &mut seg);
        context.set("x", seg)?;
        context.set("first", at as i64 + 1)?;
        context.set("below", ((at + 1) % N_BLOCKS) as i64)
    });
    let mult = NativeBody::new("mult").needs([("acc", Type::Vector), ("x", Type::Vector), ("j", Type::Int)]);
    natives.body(mult, |context| {
        let row = context.index().first().copied().unwrap_or_default() as usize;
        let (x, col): (Arc<Vec<f64>>, usize) = (context.get("x")?, context.get("j")?);
        let mut acc: Vec<f64> = context.take("acc")?;
        solver::reduce(system().block(row, col), &x, &mut acc);
        context.set("acc", acc)?;
        context.set("j", ((col + 1) % row) as i64)
    });
    let gather = NativeBody::new("gather").needs([
        ("seg", Type::Vector),
        ("x", Type::Vector),
        ("k", Type::Int),
        ("round", Type::Int),
    ]);
    natives.body(gather, |context| {
        let (seg, mut x): (Arc<Vec<f64>>, Vec<f64>) = (context.get("seg")?, context.take("x")?);
        let (k, round): (usize, i64) = (context.get("k")?, context.get("round")?);
        if k == 0 {
            x.clear();
        }
        x.extend_from_slice(&seg);
        context.set("x", x)?;
        context.set("k", ((k + 1) % N_BLOCKS) as i64)?;
        context.set("round", round + i64::from(k + 1 == N_BLOCKS))
    });
}
