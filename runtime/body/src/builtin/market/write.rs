//! Writing Matrix Market files: numbers in the shortest form that reads back as the same number.

use std::io::Write;

use hasse_model::value::Matrix;

use super::super::limits::{Outcome, failure, room_for_bytes};

/// About how many bytes a line with a number takes.
const LINE_BYTES: usize = 24;

/// An array file: all entries, column after column.
pub(super) fn array(matrix: &Matrix) -> Outcome<Vec<u8>> {
    numbers(matrix.n_rows(), matrix.n_cols(), matrix.entries())
}

/// An array file of one column.
pub(super) fn column(entries: &[f64]) -> Outcome<Vec<u8>> {
    numbers(entries.len(), 1, entries)
}

fn numbers(n_rows: usize, n_cols: usize, entries: &[f64]) -> Outcome<Vec<u8>> {
    room_for_bytes(entries.len().saturating_mul(LINE_BYTES))?;
    let mut text = format!("%%MatrixMarket matrix array real general\n{n_rows} {n_cols}\n").into_bytes();
    for entry in entries {
        check_finite(*entry)?;
        writeln!(text, "{entry:?}").expect("writing to memory does not fail");
    }
    Ok(text)
}

/// A coordinate file: the entries that are not 0, column after column.
pub(super) fn coordinate(matrix: &Matrix) -> Outcome<Vec<u8>> {
    let n_rows = matrix.n_rows();
    let n_entries = matrix.entries().iter().filter(|entry| **entry != 0.0).count();
    room_for_bytes(n_entries.saturating_mul(2 * LINE_BYTES))?;
    let mut text =
        format!("%%MatrixMarket matrix coordinate real general\n{n_rows} {} {n_entries}\n", matrix.n_cols())
            .into_bytes();
    for (place, entry) in matrix.entries().iter().enumerate().filter(|(_, entry)| **entry != 0.0) {
        check_finite(*entry)?;
        let (row, col) = (place % n_rows + 1, place / n_rows + 1);
        writeln!(text, "{row} {col} {entry:?}").expect("writing to memory does not fail");
    }
    Ok(text)
}

fn check_finite(entry: f64) -> Outcome<()> {
    if entry.is_finite() {
        return Ok(());
    }
    Err(failure(format!("a Matrix Market file cannot hold the entry {entry}")))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::super::testing::{check_error, engine_in};

    #[test]
    fn what_is_written_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let (engine, _) = engine_in(folder.path());
        let script = r#"
            let m = matrix([[1, 0, -2.5], [0.1, 1e300, 0]]);
            write_matrix("a.mtx", m); write_sparse("c.mtx", m); write_vector("v.mtx", vector([1, 0.5]));
            [read_matrix("a.mtx") == m, read_matrix("c.mtx") == m, mm_size("c.mtx"), read_vector("v.mtx"),
             read_text("v.mtx")].to_string()"#;
        assert_eq!(
            engine.eval::<String>(script).unwrap(),
            "[true, true, [2, 3, 4], vector [1.0, 0.5], \
             \"%%MatrixMarket matrix array real general\\n2 1\\n1.0\\n0.5\\n\"]"
        );
        check_error("write_vector(\"v\", vector([0.0 / 0.0]))", "cannot hold the entry NaN");
        check_error("write_sparse(\"v\", matrix([[1.0 / 0.0]]))", "cannot hold the entry inf");
    }
}
