//! What programs of the benchmark call: bodies as trivial as those of the peers, and the kernels of the solver.

use std::array;
use std::sync::Arc;

use hasse::{BodyContext, BodyResult, Matrix, NativeBody, Natives, Type};

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
    let int = |name: &'static str| (name, Type::Int);
    natives.body(NativeBody::new("step").needs([int("x")]).lets([int("y")]), |context| {
        let x: i64 = context.get("x")?;
        context.set("y", x + 1)
    });
    let sum = NativeBody::new("sum").needs([int("x"), int("total")]);
    natives.body(sum, |context| add_to_total(context, 1));
    let plain_sum = NativeBody::new("plain_sum").needs([int("x"), int("total")]);
    natives.body(plain_sum, |context| add_to_total(context, 0));
    // Names are made here, so that the body itself makes none.
    let names: [String; N_BRANCHES as usize] = array::from_fn(|n| format!("v{n}"));
    let needs = names.clone().map(|name| (name, Type::Int));
    let join = NativeBody::new("join").needs(needs).needs([int("total")]);
    natives.body(join, move |context| {
        let mut total: i64 = context.get("total")?;
        for name in &names {
            total += context.get::<i64>(name)?;
        }
        context.set("total", total)
    });
    let cell = NativeBody::new("cell").needs([int("a"), int("b")]).lets([int("c")]);
    natives.body(cell, |context| {
        let (a, b): (i64, i64) = (context.get("a")?, context.get("b")?);
        context.set("c", (a + b) & WAVE_MASK as i64)
    });
    let add = NativeBody::new("add").needs([int("x"), int("counter")]).lets([int("y")]);
    natives.body(add, |context| {
        let (x, counter): (i64, i64) = (context.get("x")?, context.get("counter")?);
        context.set("counter", counter + 1)?;
        context.set("y", x + 1)
    });
}

fn add_to_total(context: &mut BodyContext<'_>, more: i64) -> BodyResult {
    let (x, total): (i64, i64) = (context.get("x")?, context.get("total")?);
    context.set("total", total + x + more)
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
