//! The Mandelbrot set, strip by strip: `mandelbrot.hasse` divides the work, native code does it.

use hasse::{NativeBody, Natives, Type};

/// Number of steps after which a point counts as inside.
const MOST_STEPS: u8 = 100;
/// Letters are twice as high as wide.
const COLUMNS_FOR_A_ROW: usize = 2;

/// Registers the function `strip_start` and the body `escape`.
pub(crate) fn register(natives: &mut Natives) {
    // First row of a strip, so that strips differ by one row at most.
    natives.function("strip_start", |strip: i64, rows: i64, strips: i64| {
        if strips < 1 { Err("there must be a strip") } else { Ok(strip * rows / strips) }
    });
    let escape = NativeBody::new("escape")
        .needs([("first", Type::Int), ("behind", Type::Int), ("rows", Type::Int)])
        .lets([("steps", Type::Bytes)]);
    natives.body(escape, |context| {
        let (first, behind, n_rows): (usize, usize, usize) =
            (context.get("first")?, context.get("behind")?, context.get("rows")?);
        let mut steps = Vec::new();
        for row in first..behind {
            context.check_stop()?;
            steps.extend((0..n_rows * COLUMNS_FOR_A_ROW).map(|col| steps_at(row, col, n_rows)));
        }
        context.set("steps", steps)
    });
}

/// Number of steps until the point of a row and column leaves the circle of radius 2.
fn steps_at(row: usize, col: usize, n_rows: usize) -> u8 {
    let n_cols = n_rows * COLUMNS_FOR_A_ROW;
    let re = -2.2 + 3.2 * (col as f64 + 0.5) / n_cols as f64;
    let im = -1.2 + 2.4 * (row as f64 + 0.5) / n_rows as f64;
    let (mut x, mut y) = (0.0_f64, 0.0_f64);
    for steps in 0..MOST_STEPS {
        if x * x + y * y > 4.0 {
            return steps;
        }
        (x, y) = (x * x - y * y + re, 2.0 * x * y + im);
    }
    MOST_STEPS
}

/// The whole picture in one loop.
pub(crate) fn oracle(n_rows: usize) -> Vec<u8> {
    let cols = 0..n_rows * COLUMNS_FOR_A_ROW;
    (0..n_rows).flat_map(|row| cols.clone().map(move |col| steps_at(row, col, n_rows))).collect()
}

/// The picture in letters, every second row.
pub(crate) fn drawn(picture: &[u8], n_rows: usize) -> String {
    const SHADES: &[u8] = b" .:-=+*#";
    let mut text = String::new();
    for row in picture.chunks(n_rows * COLUMNS_FOR_A_ROW).step_by(2) {
        text.extend(row.iter().map(|steps| {
            // One shade for each doubling of the number of steps; 100 steps are the darkest.
            let shade = steps.checked_ilog2().map_or(0, |log| log as usize + 1);
            char::from(SHADES[shade])
        }));
        text.push('\n');
    }
    text
}
