//! The Matrix Market format: header and entries (Boisvert, Pozo and Remington 1996, "The Matrix
//! Market exchange formats: initial design", NIST IR 5935).
//!
//! Accepted: `matrix`, `coordinate` or `array`, `real` or `integer`, `general` or `symmetric`; beyond
//! the standard, blank lines and comments between entries.

use std::io::{self, BufRead, Read};

use super::super::matrix::{matrix_of, zero_entries};
use crate::convert::MatrixValue;

/// What the banner and the size line say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Header {
    /// Coordinate as opposed to array.
    pub(super) is_coordinate: bool,
    is_symmetric: bool,
    /// Number of rows.
    pub(super) n_rows: usize,
    /// Number of columns.
    pub(super) n_cols: usize,
    /// Number of lines with an entry.
    pub(super) n_lines: usize,
}

/// Something wrong at a byte of the data.
#[derive(Debug)]
pub(super) struct Fault {
    /// Where the line begins, or a place within it.
    pub(super) offset: usize,
    /// What is wrong.
    pub(super) message: String,
}

impl Fault {
    /// The line of the data, counted from 1.
    pub(super) fn line(&self, data: &[u8]) -> usize {
        1 + data[..self.offset.min(data.len())].iter().filter(|byte| **byte == b'\n').count()
    }
}

/// Reads up to and with the size line: banner, comments, and the first line that is neither
/// comment nor blank. At most 1 MiB.
pub(super) fn head_of(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    const MOST_HEAD_BYTES: u64 = 1 << 20;
    let mut reader = reader.take(MOST_HEAD_BYTES);
    let mut head = Vec::new();
    loop {
        let line_start = head.len();
        if reader.read_until(b'\n', &mut head)? == 0 {
            return Ok(head);
        }
        if head[line_start..].trim_ascii().first().is_some_and(|byte| *byte != b'%') {
            return Ok(head);
        }
    }
}

impl Header {
    /// The header of what [`head_of`] gives.
    ///
    /// # Errors
    /// What is wrong with it, with the line.
    pub(super) fn parse(head: &[u8]) -> Result<Header, String> {
        let head = String::from_utf8_lossy(head);
        let banner = head.lines().next().unwrap_or_default().to_ascii_lowercase();
        let words: Vec<&str> = banner.split_whitespace().collect();
        let [b"%%matrixmarket", b"matrix", layout, field, symmetry] =
            words.iter().map(|word| word.as_bytes()).collect::<Vec<_>>()[..]
        else {
            return Err("line 1: expected `%%MatrixMarket matrix <coordinate|array> <real|integer> \
                        <general|symmetric>`"
                .to_owned());
        };
        let is_coordinate = one_of(layout, ["array", "coordinate"])?;
        one_of(field, ["real", "integer"])?;
        let is_symmetric = one_of(symmetry, ["general", "symmetric"])?;
        let is_text = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('%');
        let (line_idx, sizes) =
            head.lines().enumerate().find(|(_, line)| is_text(line)).ok_or("the line of sizes is missing")?;
        let numbers: Option<Vec<usize>> = sizes.split_whitespace().map(|word| word.parse().ok()).collect();
        let (n_rows, n_cols, n_lines) = match (is_coordinate, numbers.as_deref()) {
            (true, Some([n_rows, n_cols, n_lines])) => (*n_rows, *n_cols, *n_lines),
            (false, Some([n_rows, n_cols])) => (*n_rows, *n_cols, 0),
            _ => {
                let names = if is_coordinate { "rows, columns and entries" } else { "rows and columns" };
                return Err(format!("line {}: expected the numbers of {names}", line_idx + 1));
            }
        };
        if [n_rows, n_cols, n_lines].iter().any(|number| *number > 1 << 52) {
            return Err(format!("line {}: a number is too large", line_idx + 1));
        }
        if is_symmetric && n_rows != n_cols {
            return Err(format!("line {}: a symmetric matrix of {n_rows} x {n_cols}", line_idx + 1));
        }
        let n_lines = match (is_coordinate, is_symmetric) {
            (true, _) => n_lines,
            (false, false) => n_rows.saturating_mul(n_cols),
            (false, true) => n_rows.saturating_mul(n_rows + 1) / 2,
        };
        Ok(Header { is_coordinate, is_symmetric, n_rows, n_cols, n_lines })
    }
}

/// Whether a word of the banner is the second of two.
fn one_of(word: &[u8], words: [&str; 2]) -> Result<bool, String> {
    words.iter().position(|candidate| candidate.as_bytes() == word).map(|place| place == 1).ok_or_else(|| {
        let word = String::from_utf8_lossy(word);
        format!("line 1: `{word}` is not supported, only `{}` and `{}` are", words[0], words[1])
    })
}

/// The matrix of a whole file.
///
/// # Errors
/// What is wrong with it, with the line.
pub(super) fn dense(bytes: &[u8]) -> Result<MatrixValue, String> {
    let mut data = bytes;
    let head = head_of(&mut data).map_err(|error| error.to_string())?;
    let header = Header::parse(&head)?;
    let (n_rows, n_cols) = (header.n_rows, header.n_cols);
    let mut entries = zero_entries(n_rows, n_cols).map_err(|error| error.to_string())?;
    let read = if header.is_coordinate {
        for_each_entry(&header, data, |row, col, number| {
            entries[col * n_rows + row] += number;
            Ok(())
        })
    } else {
        read_array(&header, data, &mut entries)
    };
    let n_lines = read.map_err(|fault| {
        let n_head_lines = head.iter().filter(|byte| **byte == b'\n').count();
        format!("line {}: {}", n_head_lines + fault.line(data), fault.message)
    })?;
    if n_lines != header.n_lines {
        return Err(format!("{} entries are announced, {n_lines} follow", header.n_lines));
    }
    matrix_of(n_rows, n_cols, entries).map_err(|error| error.to_string())
}

/// Calls `take(row, col, value)`, counted from 0, for each line of coordinate data, and for the
/// mirrored entry of a symmetric matrix. Returns the number of lines with an entry. Linear, without
/// allocation.
///
/// # Errors
/// The first line that is wrong, or that `take` refuses.
pub(super) fn for_each_entry(
    header: &Header,
    data: &[u8],
    mut take: impl FnMut(usize, usize, f64) -> Result<(), String>,
) -> Result<usize, Fault> {
    let mut cursor = Cursor { data, offset: 0 };
    let mut n_lines = 0;
    while cursor.find_line() {
        let line_start = cursor.offset;
        let fault = |message: String| Fault { offset: line_start, message };
        let row = cursor.place("row", header.n_rows)?;
        let col = cursor.place("column", header.n_cols)?;
        let number = cursor.number()?;
        cursor.end_line()?;
        take(row, col, number).map_err(fault)?;
        if header.is_symmetric && row != col {
            take(col, row, number).map_err(fault)?;
        }
        n_lines += 1;
    }
    Ok(n_lines)
}

/// Fills `entries` with array data; returns the number of lines with an entry.
fn read_array(header: &Header, data: &[u8], entries: &mut [f64]) -> Result<usize, Fault> {
    let mut cursor = Cursor { data, offset: 0 };
    let n_rows = header.n_rows;
    let (mut row, mut col, mut n_lines) = (0, 0, 0);
    while cursor.find_line() {
        if n_lines == header.n_lines {
            return Err(cursor.fault(format!("more than the {n_lines} entries announced")));
        }
        let number = cursor.number()?;
        cursor.end_line()?;
        entries[col * n_rows + row] = number;
        if header.is_symmetric {
            entries[row * n_rows + col] = number;
        }
        n_lines += 1;
        row += 1;
        if row == n_rows {
            col += 1;
            row = if header.is_symmetric { col } else { 0 };
        }
    }
    Ok(n_lines)
}

/// A place in the data.
struct Cursor<'a> {
    data: &'a [u8],
    offset: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<u8> {
        self.data.get(self.offset).copied()
    }

    fn fault(&self, message: String) -> Fault {
        Fault { offset: self.offset, message }
    }

    /// Goes to the next line that has an entry, past blank lines and comments; false at the end.
    fn find_line(&mut self) -> bool {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.offset += 1,
                b'%' => {
                    let rest = &self.data[self.offset..];
                    self.offset += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                }
                _ => return true,
            }
        }
        false
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r')) {
            self.offset += 1;
        }
    }

    /// A row or column, 1 to `most`, counted from 0.
    fn place(&mut self, what: &str, most: usize) -> Result<usize, Fault> {
        self.skip_blanks();
        let start = self.offset;
        let mut number = 0_usize;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            number = number.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
            self.offset += 1;
        }
        if self.offset == start || !matches!(self.peek(), Some(b' ' | b'\t')) {
            return Err(self.fault(format!("expected a {what}, a number and then a blank")));
        }
        if number == 0 || number > most {
            return Err(self.fault(format!("{what} {number} is not within 1..={most}")));
        }
        Ok(number - 1)
    }

    fn number(&mut self) -> Result<f64, Fault> {
        self.skip_blanks();
        let (number, n_bytes) = fast_float2::parse_partial::<f64, _>(&self.data[self.offset..])
            .map_err(|_| self.fault("expected a number".to_owned()))?;
        self.offset += n_bytes;
        Ok(number)
    }

    fn end_line(&mut self) -> Result<(), Fault> {
        self.skip_blanks();
        match self.peek() {
            None | Some(b'\n') => Ok(()),
            Some(_) => Err(self.fault("expected the end of the line".to_owned())),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::super::testing::{check, check_error};

    /// Checks what a text gives with `mm_parse`, after `banner`.
    fn parsed(banner: &str, rest: &str) -> String {
        format!("mm_parse(`%%MatrixMarket matrix {banner}\n{rest}`)")
    }

    #[test]
    fn reads_all_forms() {
        let matrix = parsed("coordinate real symmetric", "% c\n\n2 2 2\n1 1 4\n2 1 -1.5e0\n");
        check(&format!("{matrix} == matrix([[4, -1.5], [-1.5, 0]])"), "true");
        let matrix = parsed("array integer general", "2 3\n1\n2\n3\n4\n5\n6");
        check(&format!("{matrix} == matrix([[1, 3, 5], [2, 4, 6]])"), "true");
        let matrix = parsed("ARRAY Real symmetric", "2 2\n1\n2\n3\n");
        check(&format!("{matrix} == matrix([[1, 2], [2, 3]])"), "true");
        check(&parsed("coordinate real general", "0 0 0"), "matrix 0 x 0");
    }

    #[test]
    fn names_what_is_wrong() {
        check_error("mm_parse(``)", "line 1: expected `%%MatrixMarket matrix");
        check_error(&parsed("coordinate complex general", "1 1 0"), "line 1: `complex` is not supported");
        check_error(&parsed("coordinate real hermitian", "1 1 0"), "line 1: `hermitian` is not supported");
        check_error(&parsed("coordinate real general", ""), "the line of sizes is missing");
        check_error(
            &parsed("coordinate real general", "%\n2 2"),
            "line 3: expected the numbers of rows, columns and",
        );
        check_error(&parsed("array real symmetric", "2 3"), "line 2: a symmetric matrix of 2 x 3");
        check_error(&parsed("coordinate real general", "2 2 1\n3 1 1"), "line 3: row 3 is not within 1..=2");
        check_error(
            &parsed("coordinate real general", "2 2 1\n1 0 1"),
            "line 3: column 0 is not within 1..=2",
        );
        check_error(&parsed("coordinate real general", "2 2 1\n1.5 1 1"), "line 3: expected a row");
        check_error(
            &parsed("coordinate real general", "2 2 1\n1 1 1 1"),
            "line 3: expected the end of the line",
        );
        check_error(&parsed("coordinate real general", "2 2 1\n1 1\n1 1"), "line 3: expected a column");
        check_error(&parsed("coordinate real general", "2 2 2\n1 1 1"), "2 entries are announced, 1 follow");
        check_error(
            &parsed("array real general", "1 1\n1\n2\n"),
            "line 4: more than the 1 entries announced",
        );
        check_error(&parsed("array real general", "0 9\n2\n"), "line 3: more than the 0 entries announced");
        check_error(&parsed("array real general", "999999999999 999999999999"), "entries do not fit");
    }
}
