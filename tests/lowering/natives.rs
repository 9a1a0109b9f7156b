//! Functions and effects in Rust.

use hasse_runtime::natives::Natives;

/// Functions in Rust that bodies and rules call. Some of them fail now and then.
pub fn natives() -> Natives {
    let mut natives = Natives::new();
    natives.function("third", |n: i64| if n % 7 == 3 { Err(format!("{n} is none")) } else { Ok(n / 3) });
    natives.function("blend", |x: f64, y: f64, n: i64| x * 0.25 + y * 0.75 - n as f64);
    natives.function("is_apart", |x: f64, n: i64, flag: bool| flag == (x.floor() as i64 != n));
    natives.function("small", |n: u8, flag: bool| u32::from(n) + u32::from(flag));
    natives.function("root", |x: f64| if x < -1e9 { panic!("no root of {x}") } else { x.abs().sqrt() });
    natives.function("seven", || 7_i32);
    natives.function("mirrored", |mut v: Vec<f64>, x: f64| {
        v.reverse();
        v.push(x);
        v
    });
    natives.function("total", |a: Vec<i64>| {
        a.iter().try_fold(0_i64, |sum, item| sum.checked_add(*item)).ok_or("the total is too large")
    });
    natives.function("below", |n: i64| (0..n.rem_euclid(4)).collect::<Vec<i64>>());
    natives
        .effect("asked", |n: i64| if n % 11 == 4 { Err(format!("{n} is not answered")) } else { Ok(n % 5) });
    natives.effect("measured", |x: f64, is_half: bool| if is_half { x / 2.0 } else { x });
    natives
}
