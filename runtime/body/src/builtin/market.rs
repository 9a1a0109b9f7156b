//! Matrix Market files, and the entries that are read from them in parts.
//!
//! Effects record the bytes that were read; parsing comes after, so that a replay parses again and
//! the record is no larger than the file. `mm_part` cuts the data of a file into equal ranges of
//! bytes, so that a program can parse a large file with as many instances as it likes.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;

use rhai::{Array, Dynamic, Engine};

use self::format::{Fault, Header, dense, for_each_entry, head_of};
use super::effect::bytes_from;
use super::files::{bytes_of, open, unreadable, write_file};
use super::limits::{self, MOST_ENTRIES, Outcome, failure};
use super::matrix::{matrix_of, zero_entries};
use super::registry::Common;
use crate::convert::{MatrixValue, VectorValue};
use crate::effects::SharedContext;
use crate::memory;

/// The format: header and entries.
mod format;
/// Writing.
mod write;

/// Most bytes read for one part of a file: 2 GiB.
const MOST_PART_BYTES: u64 = 1 << 31;
/// Most parts of a file, and most row blocks.
const MOST_PARTS: usize = 1 << 20;
/// Most bytes of the line with which a part ends.
const MOST_LINE_BYTES: u64 = 1 << 20;

/// Registers the family.
pub(super) fn register(common: &mut Common) {
    common
        .register_fn("mm_parse", parse)
        .register_fn("entries_by_row_block", entries_by_row_block)
        .register_fn("dense_from_entries", dense_from_entries);
}

/// Registers those that ask the world outside.
pub(super) fn register_effects(engine: &mut Engine, context: &SharedContext) {
    let (matrices, vectors) = (context.clone(), context.clone());
    engine
        .register_fn("read_matrix", move |path: &str| read_matrix(&matrices, path))
        .register_fn("read_vector", move |path: &str| read_vector(&vectors, path));
    let (dense, sparse, vectors) = (context.clone(), context.clone(), context.clone());
    engine
        .register_fn("write_matrix", move |path: &str, matrix: MatrixValue| {
            write_file(&dense, path, || write::array(&matrix.0))
        })
        .register_fn("write_sparse", move |path: &str, matrix: MatrixValue| {
            write_file(&sparse, path, || write::coordinate(&matrix.0))
        })
        .register_fn("write_vector", move |path: &str, vector: VectorValue| {
            write_file(&vectors, path, || write::column(&vector.0))
        });
    let (sizes, parts) = (context.clone(), context.clone());
    engine
        .register_fn("mm_size", move |path: &str| size(&sizes, path))
        .register_fn("mm_part", move |path: &str, part: i64, n_parts: i64| {
            part_of(&parts, path, part, n_parts)
        });
}

/// `mm_parse(text)`: the matrix that the text of a Matrix Market file describes: coordinate or
/// array, real or integer, general or symmetric. Entries given twice are added up. Cost: linear in
/// the text and the matrix. Errors name the line.
fn parse(text: &str) -> Outcome<MatrixValue> {
    dense(text.as_bytes()).map_err(failure)
}

/// `read_matrix(path)`: as `mm_parse`, of a file. Recorded.
fn read_matrix(context: &SharedContext, path: &str) -> Outcome<MatrixValue> {
    let bytes = bytes_from(context, |context| bytes_of(context, path))?;
    dense(&bytes).map_err(|message| failure(format!("`{path}`: {message}")))
}

/// `read_vector(path)`: the vector that a file with one column or one row describes. Recorded.
fn read_vector(context: &SharedContext, path: &str) -> Outcome<VectorValue> {
    let matrix = read_matrix(context, path)?.0;
    let (n_rows, n_cols) = (matrix.n_rows(), matrix.n_cols());
    if n_rows != 1 && n_cols != 1 {
        return Err(failure(format!("`{path}` holds a {n_rows} x {n_cols} matrix, not a vector")));
    }
    Ok(VectorValue(Arc::new(matrix.entries().to_vec())))
}

/// `mm_size(path)`: `[rows, cols, entries]` of a file, entries being the number of lines with an
/// entry. Reads the header only. Recorded.
fn size(context: &SharedContext, path: &str) -> Outcome<Array> {
    let (header, _) = header_from(context, path)?;
    let numbers = [header.n_rows, header.n_cols, header.n_lines];
    Ok(numbers.iter().map(|number| Dynamic::from_int(i64::try_from(*number).unwrap_or(i64::MAX))).collect())
}

/// `mm_part(path, part, n_parts)`: a 3 x m matrix with a column (row, column, value) for each entry,
/// counted from 0, of those lines of a coordinate file that begin within the part-th of n_parts
/// equal ranges of bytes of its data. Of a symmetric file each entry beside the diagonal gives two
/// columns. Reads only that range. Recorded. Errors: part is not within 0..n_parts; the file is not
/// a coordinate file; a line is wrong, named by its number within the part.
fn part_of(context: &SharedContext, path: &str, part: i64, n_parts: i64) -> Outcome<MatrixValue> {
    let n_parts =
        usize::try_from(n_parts).ok().filter(|n_parts| (1..=MOST_PARTS).contains(n_parts)).ok_or_else(
            || failure(format!("the number of parts is {n_parts}, which is not within 1..={MOST_PARTS}")),
        )?;
    let part = limits::index("part", part, n_parts)?;
    let (header, n_header_bytes) = header_from(context, path)?;
    if !header.is_coordinate {
        return Err(failure(format!("`{path}` is an array file: only coordinate files are read in parts")));
    }
    let bytes = bytes_from(context, |context| {
        part_bytes(open(context, path)?, n_header_bytes as u64, part, n_parts)
            .map_err(|error| unreadable(context, path, &error))
    })?;
    entries_of(&header, &bytes, n_parts).map_err(|fault| {
        failure(format!(
            "`{path}`, line {} of part {part} of {n_parts}: {}",
            fault.line(&bytes),
            fault.message
        ))
    })
}

/// Entries as columns (row, column, value) of a 3 x m matrix.
fn entries_of(header: &Header, bytes: &[u8], n_parts: usize) -> Result<MatrixValue, Fault> {
    const FEWEST_LINE_BYTES: usize = 6;
    let n_expected =
        (header.n_lines / n_parts + header.n_lines / n_parts / 8).min(bytes.len() / FEWEST_LINE_BYTES);
    let too_many = || Fault { offset: 0, message: format!("more than {MOST_ENTRIES} numbers in one part") };
    let mut entries = limits::empty(3 * n_expected + 3).map_err(|_| too_many())?;
    for_each_entry(header, bytes, |row, col, number| {
        entries.extend_from_slice(&[row as f64, col as f64, number]);
        (entries.len() <= MOST_ENTRIES).then_some(()).ok_or_else(|| too_many().message)
    })?;
    matrix_of(3, entries.len() / 3, entries).map_err(|error| Fault { offset: 0, message: error.to_string() })
}

/// The header of a file and the number of its bytes. Recorded.
fn header_from(context: &SharedContext, path: &str) -> Outcome<(Header, usize)> {
    let head = bytes_from(context, |context| {
        head_of(&mut BufReader::new(open(context, path)?)).map_err(|error| unreadable(context, path, &error))
    })?;
    let header = Header::parse(&head).map_err(|message| failure(format!("`{path}`: {message}")))?;
    Ok((header, head.len()))
}

/// The lines that begin within the part-th of `n_parts` equal ranges of a file's bytes from
/// `data_start` on.
fn part_bytes(mut file: File, data_start: u64, part: usize, n_parts: usize) -> io::Result<Vec<u8>> {
    let n_data = file.metadata()?.len().saturating_sub(data_start);
    let bound = |part: usize| data_start + (u128::from(n_data) * part as u128 / n_parts as u128) as u64;
    let (low, high) = (bound(part), bound(part + 1));
    // With the byte before the range: a line begins at `low` where that is a line end.
    let start = if low > data_start { low - 1 } else { low };
    if high - start > MOST_PART_BYTES {
        return Err(io::Error::other(format!(
            "a part of {} bytes is too large: use more parts",
            high - start
        )));
    }
    memory::reserve_for_answer(high - start).map_err(io::Error::other)?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::with_capacity((high - start) as usize + 128);
    file.by_ref().take(high - start).read_to_end(&mut bytes)?;
    if start < low {
        let n_before = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| end + 1);
        bytes.drain(..n_before);
    }
    if bytes.last().is_some_and(|last| *last != b'\n') {
        let mut rest = BufReader::with_capacity(1 << 10, file).take(MOST_LINE_BYTES);
        io::BufRead::read_until(&mut rest, b'\n', &mut bytes)?;
    }
    Ok(bytes)
}

/// `entries_by_row_block(entries, n_rows, n_blocks)`: the entries, a 3 x m matrix as `mm_part` gives,
/// sorted into n_blocks such matrices: block i has those of the rows from `i * n_rows / n_blocks` to
/// before `(i + 1) * n_rows / n_blocks`. Keeps their order. Cost: m + n_rows + n_blocks. Errors: not
/// three rows, an entry of a row outside of 0..n_rows.
fn entries_by_row_block(entries: MatrixValue, n_rows: i64, n_blocks: i64) -> Outcome<Array> {
    let n_rows = limits::size("the number of rows", n_rows)?;
    let n_blocks =
        usize::try_from(n_blocks).ok().filter(|n_blocks| (1..=MOST_PARTS).contains(n_blocks)).ok_or_else(
            || failure(format!("the number of blocks is {n_blocks}, which is not within 1..={MOST_PARTS}")),
        )?;
    check_entries(&entries)?;
    let bound = |block: usize| (block as u128 * n_rows as u128 / n_blocks as u128) as usize;
    let mut block_of_row = Vec::with_capacity(n_rows);
    for block in 0..n_blocks {
        block_of_row.resize(bound(block + 1), block as u32);
    }
    let mut n_entries_of = vec![0_usize; n_blocks];
    for entry in entries.0.entries().chunks_exact(3) {
        let row = whole(entry[0]).filter(|row| *row < n_rows);
        let row = row.ok_or_else(|| {
            failure(format!("an entry of row {}, which is not within 0..{n_rows}", entry[0]))
        })?;
        n_entries_of[block_of_row[row] as usize] += 1;
    }
    let blocks: Outcome<Vec<_>> = n_entries_of.iter().map(|n_entries| limits::empty(3 * n_entries)).collect();
    let mut blocks = blocks?;
    for entry in entries.0.entries().chunks_exact(3) {
        blocks[block_of_row[entry[0] as usize] as usize].extend_from_slice(entry);
    }
    let matrix = |entries: Vec<f64>| matrix_of(3, entries.len() / 3, entries).map(Dynamic::from);
    blocks.into_iter().map(matrix).collect()
}

/// `dense_from_entries(array of 3 x m matrices, row0, col0, n_rows, n_cols)`: the dense block whose
/// first entry is (row0, col0) of the whole, from the entries of all matrices of the array. Entries
/// given twice are added up. Cost: linear in entries and block. Errors: an item is not a 3 x m
/// matrix, an entry lies outside of the block.
fn dense_from_entries(items: Array, row0: i64, col0: i64, n_rows: i64, n_cols: i64) -> Outcome<MatrixValue> {
    let row0 = limits::size("the first row", row0)?;
    let col0 = limits::size("the first column", col0)?;
    let n_rows = limits::size("the number of rows", n_rows)?;
    let n_cols = limits::size("the number of columns", n_cols)?;
    let mut dense = zero_entries(n_rows, n_cols)?;
    for (item_idx, item) in items.into_iter().enumerate() {
        let type_name = item.type_name();
        let entries = item.try_cast::<MatrixValue>().ok_or_else(|| {
            failure(format!("item {item_idx} is of type {type_name}, not a matrix of entries"))
        })?;
        check_entries(&entries)?;
        for entry in entries.0.entries().chunks_exact(3) {
            let row = whole(entry[0]).and_then(|row| row.checked_sub(row0)).filter(|row| *row < n_rows);
            let col = whole(entry[1]).and_then(|col| col.checked_sub(col0)).filter(|col| *col < n_cols);
            let (Some(row), Some(col)) = (row, col) else {
                let (rows, cols) = (row0..row0 + n_rows, col0..col0 + n_cols);
                let place = format!("({}, {})", entry[0], entry[1]);
                return Err(failure(format!(
                    "entry {place} is not within rows {rows:?} and columns {cols:?}"
                )));
            };
            dense[col * n_rows + row] += entry[2];
        }
    }
    matrix_of(n_rows, n_cols, dense)
}

fn check_entries(entries: &MatrixValue) -> Outcome<()> {
    match (entries.0.n_rows(), entries.0.n_cols()) {
        (3, _) => Ok(()),
        (n_rows, n_cols) => {
            Err(failure(format!("a {n_rows} x {n_cols} matrix where a 3 x m matrix of entries is expected")))
        }
    }
}

/// The whole number that an entry's row or column is.
fn whole(number: f64) -> Option<usize> {
    let idx = number as usize;
    (idx as f64 == number && idx <= MOST_ENTRIES * 2).then_some(idx)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::testing::{check, check_error, engine_in};
    use crate::effects::EffectSource;
    use std::fs;
    use std::path::PathBuf;

    const SMALL: &str = "%%MatrixMarket matrix coordinate real general\n% a comment\n3 2 4\n1 1 1.5\n3 1 -2e0\n\
                         \n2 2 3\r\n3 2 .25";

    fn folder_with(name: &str, text: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("hasse-market-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("small.mtx"), text).unwrap();
        folder
    }

    #[test]
    fn parts_hold_each_line_once_and_replay_without_the_file() {
        let folder = folder_with("parts", SMALL);
        let (engine, context) = engine_in(&folder);
        for n_parts in 1..40 {
            let script = format!(
                "let parts = []; for k in 0..{n_parts} {{ parts.push(mm_part(\"small.mtx\", k, {n_parts})); }} \
                 dense_from_entries(parts, 0, 0, 3, 2) == matrix([[1.5, 0], [0, 3], [-2, 0.25]])"
            );
            assert!(engine.eval::<bool>(&script).unwrap(), "{n_parts} parts");
        }
        context.lock().begin(EffectSource::WorldRecorded, 0);
        let script = "[mm_size(\"small.mtx\"), mm_part(\"small.mtx\", 1, 2).column(0), \
                       read_matrix(\"small.mtx\").column(1)].to_string()";
        let recorded = engine.eval::<String>(script).unwrap();
        assert_eq!(recorded, "[[3, 2, 4], vector [1.0, 1.0, 3.0], vector [0.0, 3.0, 0.25]]");
        let answers = context.lock().take_log().into_iter();
        fs::remove_dir_all(&folder).unwrap();
        context.lock().begin(EffectSource::Record { answers, mismatch: None }, 0);
        assert_eq!(engine.eval::<String>(script).unwrap(), recorded);
        assert_eq!(context.lock().mismatch(), None);
    }

    #[test]
    fn reads_vectors_and_names_bad_lines() {
        let folder = folder_with("bad", "%%MatrixMarket matrix array integer general\n3 1\n1\n2\n3\n");
        let (engine, _) = engine_in(&folder);
        assert_eq!(
            engine.eval::<String>("read_vector(\"small.mtx\").to_string()").unwrap(),
            "vector [1.0, 2.0, 3.0]"
        );
        let error = |script: &str| engine.eval::<rhai::Dynamic>(script).unwrap_err().to_string();
        assert!(error("mm_part(\"small.mtx\", 0, 1)").contains("only coordinate files"));
        fs::write(folder.join("small.mtx"), SMALL.replace(".25", "x")).unwrap();
        let message = error("mm_part(\"small.mtx\", 0, 1)");
        assert!(message.contains("`small.mtx`, line 5 of part 0 of 1: expected a number"), "{message}");
        let message = error("read_matrix(\"small.mtx\")");
        assert!(message.contains("`small.mtx`: line 8: expected a number"), "{message}");
        assert!(error("read_vector(\"nowhere.mtx\")").contains("cannot read `nowhere.mtx`"));
        assert!(error("mm_part(\"small.mtx\", 2, 2)").contains("part 2 is not within 0..2"));
        assert!(error("mm_part(\"small.mtx\", 0, 0)").contains("the number of parts is 0"));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn sorts_entries_into_blocks() {
        const ENTRIES: &str = "let e = transpose(matrix([[0, 0, 1], [4, 1, 2], [1, 0, 3], [2, 2, 4]]));";
        check(
            &format!("{ENTRIES} entries_by_row_block(e, 5, 2).map(|b| row(b, 0))"),
            "[vector [0.0, 1.0], vector [4.0, 2.0]]",
        );
        check(
            &format!("{ENTRIES} entries_by_row_block(e, 5, 9).map(|b| b.cols)"),
            "[0, 1, 0, 1, 0, 1, 0, 0, 1]",
        );
        check(
            &format!("{ENTRIES} dense_from_entries([entries_by_row_block(e, 5, 2)[1]], 2, 0, 3, 3).row(0)"),
            "vector [0.0, 0.0, 4.0]",
        );
        check_error(
            &format!("{ENTRIES} entries_by_row_block(e, 4, 2)"),
            "an entry of row 4, which is not within 0..4",
        );
        check_error("entries_by_row_block(matrix(2, 2), 4, 2)", "a 2 x 2 matrix where a 3 x m");
        check_error("entries_by_row_block(matrix(3, 0), 4, 0)", "the number of blocks is 0");
        check_error(
            &format!("{ENTRIES} dense_from_entries([e], 0, 0, 5, 2)"),
            "entry (2, 2) is not within rows 0..5 and columns 0..2",
        );
        check_error("dense_from_entries([matrix([[0.5], [0], [1]])], 0, 0, 1, 1)", "entry (0.5, 0)");
        check_error("dense_from_entries([1], 0, 0, 1, 1)", "item 0 is of type i64");
    }
}
