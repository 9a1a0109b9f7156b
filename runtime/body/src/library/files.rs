//! Files, tables, JSON, images and Matrix Market files.

use super::doc::{Family, FunctionDoc, function};

/// The family.
pub(super) const FILES: Family = Family {
    title: "Files",
    about: "Whole files at once, up to 2 GiB. Files are written beside their place and then moved there: nobody ever finds half of one. A write happens at once and stays, also if the event fails later; of two events that write one file, the last one wins. Writing functions give the number of bytes.",
    functions: FILES_FUNCTIONS,
};

const FILES_FUNCTIONS: &[FunctionDoc] = &[
    function(
        "append_text(path: string, text: string) -> int",
        "Adds to the end of a file; makes it where there is none.",
        "it may not be written (R0011); it cannot be written",
        r#"append_text("log.txt", "a"); append_text("log.txt", "b") == 1"#,
    ),
    function(
        "file_exists(path: string) -> bool",
        "Whether there is a file or folder.",
        "the path may not be read (R0011)",
        r#"file_exists("data.txt") && !file_exists("nowhere")"#,
    ),
    function(
        "file_size(path: string) -> int",
        "In bytes.",
        "it may not be read (R0011); it cannot be read",
        r#"file_size("data.txt") == 8"#,
    ),
    function(
        "list_dir(path: string) -> string[]",
        "The names in a folder, sorted.",
        "it may not be read (R0011); it cannot be read; a name is not UTF-8",
        r#"list_dir(".").contains("data.txt")"#,
    ),
    function(
        "read_bytes(path: string) -> bytes",
        "All bytes.",
        "it may not be read (R0011); it cannot be read",
        r#"read_bytes("data.txt")[0] == 111"#,
    ),
    function(
        "read_lines(path: string) -> string[]",
        r#"The lines without their ends (`\n` or `\r\n`)."#,
        "it may not be read (R0011); it cannot be read; it is not UTF-8",
        r#"read_lines("data.txt") == ["one", "two"]"#,
    ),
    function(
        "read_text(path: string) -> string",
        "The whole text.",
        "it may not be read (R0011); it cannot be read; it is not UTF-8",
        r#"read_text("data.txt") == "one\ntwo\n""#,
    ),
    function(
        "write_bytes(path: string, bytes: bytes) -> int",
        "Writes a file of these bytes.",
        "it may not be written (R0011); it cannot be written",
        r#"write_bytes("x.bin", blob(3, 255)) == 3"#,
    ),
    function(
        "write_text(path: string, text: string) -> int",
        "Writes a file of this text.",
        "it may not be written (R0011); it cannot be written",
        r#"write_text("x.txt", "hi") == 2"#,
    ),
];

/// The family.
pub(super) const TABLES: Family = Family {
    title: "Tables and JSON",
    about: "CSV as of RFC 4180, in UTF-8. With a header, a cell is an int, a real, `true` or `false`, or a text, whichever it looks like; an empty cell is `()`. In JSON, `null` is `()`, objects are maps, and a number is an int if it is written as one that fits.",
    functions: TABLES_FUNCTIONS,
};

const TABLES_FUNCTIONS: &[FunctionDoc] = &[
    function(
        "parse_csv(text: string) -> map[]",
        "A map for each line behind the header.",
        "a line has another number of cells than the header; a column stands twice",
        r#"parse_csv("a,b\n1,x\n")[0].a == 1"#,
    ),
    function(
        "parse_csv_matrix(text: string, has_header: bool) -> matrix",
        "A row for each line.",
        "a cell is not a number; lines differ in length",
        r#"parse_csv_matrix("1,2\n3,4", false) == matrix([[1, 2], [3, 4]])"#,
    ),
    function(
        "parse_csv_rows(text: string) -> string[][]",
        "The cells of every line, the first too, as they stand.",
        "lines differ in length",
        r#"parse_csv_rows("a,1\nb,2")[1][0] == "b""#,
    ),
    function(
        "parse_json(text: string) -> any",
        "The value of a JSON text.",
        "it is not JSON; it nests deeper than 127 levels",
        r#"parse_json(`{"a": [1, 2.5]}`).a == [1, 2.5]"#,
    ),
    function(
        "read_csv(path: string) -> map[]",
        "`parse_csv` of a file.",
        "it may not be read (R0011); it cannot be read; as `parse_csv`",
        r#"read_csv("table.csv")[1].name == "bob""#,
    ),
    function(
        "read_csv_matrix(path: string, has_header: bool) -> matrix",
        "`parse_csv_matrix` of a file.",
        "it may not be read (R0011); it cannot be read; as `parse_csv_matrix`",
        r#"read_csv_matrix("grid.csv", false).get(1, 0) == 3.0"#,
    ),
    function(
        "read_csv_rows(path: string) -> string[][]",
        "`parse_csv_rows` of a file.",
        "it may not be read (R0011); it cannot be read; as `parse_csv_rows`",
        r#"read_csv_rows("table.csv").len == 3"#,
    ),
    function(
        "read_json(path: string) -> any",
        "`parse_json` of a file.",
        "it may not be read (R0011); it cannot be read; as `parse_json`",
        r#"read_json("data.json").a[1] == 2"#,
    ),
    function(
        "to_csv(rows: map[]) -> string; to_csv(rows: map[], names: string[]) -> string; to_csv(rows: T[][]) -> string; to_csv(m: matrix) -> string",
        "Of maps a header and a line each, with the columns `names` or else the first map's keys in alphabetical order; of arrays and matrices a line for each row.",
        "a cell is an array, map, vector, matrix or bytes; rows differ in length",
        r#"to_csv([#{a: 1, b: "x,y"}]) == "a,b\n1,\"x,y\"\n""#,
    ),
    function(
        "to_json(x: any) -> string",
        "On one line. Vectors become arrays, matrices arrays of rows, bytes arrays of ints, chars texts.",
        "a real is not finite; a function or range; more than 127 levels",
        r#"to_json([1, #{a: ()}]) == `[1,{"a":null}]`"#,
    ),
    function(
        "to_json_pretty(x: any) -> string",
        "As `to_json`, on many lines.",
        "as `to_json`",
        r#"to_json_pretty([1]) == "[\n  1\n]""#,
    ),
    function(
        "write_csv(path: string, rows: map[]) -> int; write_csv(path: string, rows: map[], names: string[]) -> int; write_csv(path: string, rows: T[][]) -> int; write_csv(path: string, m: matrix) -> int",
        "Writes what `to_csv` gives.",
        "it may not be written (R0011); it cannot be written; as `to_csv`",
        r#"write_csv("x.csv", [[1, 2]]); read_text("x.csv") == "1,2\n""#,
    ),
    function(
        "write_json(path: string, x: any) -> int",
        "Writes what `to_json_pretty` gives, and a line end.",
        "it may not be written (R0011); it cannot be written; as `to_json`",
        r#"write_json("x.json", #{a: 1}); read_json("x.json").a == 1"#,
    ),
];

/// The family.
pub(super) const IMAGES: Family = Family {
    title: "Images",
    about: "A gray image is a matrix with a row for each line of pixels and entries from 0.0 (black) to 1.0 (white); a color image is three such matrices. PNG of every depth, PGM and PPM (P2, P3, P5, P6) are read; transparency is not looked at; colors become gray by 0.2126 r + 0.7152 g + 0.0722 b of the stored numbers (the weights of BT.709). Images are written with 8 bits: `round(255 * x)`, `x` first brought within 0 to 1.",
    functions: IMAGES_FUNCTIONS,
};

const IMAGES_FUNCTIONS: &[FunctionDoc] = &[
    function(
        "decode_image(bytes: bytes) -> matrix",
        "The image that bytes hold, in gray.",
        "no image in a known format",
        "decode_image(encode_pgm(matrix(2, 3, 1))) == matrix(2, 3, 1)",
    ),
    function(
        "decode_image_rgb(bytes: bytes) -> matrix[]",
        "The image that bytes hold, as red, green and blue.",
        "no image in a known format",
        "let m = matrix(1, 1); decode_image_rgb(encode_png(matrix(1, 1, 1), m, m))[0].get(0, 0) == 1.0",
    ),
    function(
        "encode_pgm(gray: matrix) -> bytes",
        "As PGM (P5).",
        "there is no pixel; an entry is NaN",
        "encode_pgm(matrix(1, 1)).len == 12",
    ),
    function(
        "encode_png(gray: matrix) -> bytes; encode_png(red: matrix, green: matrix, blue: matrix) -> bytes",
        "As PNG.",
        "there is no pixel; an entry is NaN; the colors differ in size",
        "encode_png(matrix(2, 2))[1] == 80",
    ),
    function(
        "read_image(path: string) -> matrix",
        "`decode_image` of a file.",
        "it may not be read (R0011); it cannot be read; no image in a known format",
        r#"read_image("photo.pgm") == matrix([[0, 1]])"#,
    ),
    function(
        "read_image_rgb(path: string) -> matrix[]",
        "`decode_image_rgb` of a file.",
        "it may not be read (R0011); it cannot be read; no image in a known format",
        r#"read_image_rgb("photo.pgm").len == 3"#,
    ),
    function(
        "write_pgm(path: string, gray: matrix) -> int",
        "Writes what `encode_pgm` gives.",
        "it may not be written (R0011); it cannot be written; as `encode_pgm`",
        r#"write_pgm("x.pgm", matrix([[0, 1]])); read_image("x.pgm").cols == 2"#,
    ),
    function(
        "write_png(path: string, gray: matrix) -> int; write_png(path: string, red: matrix, green: matrix, blue: matrix) -> int",
        "Writes what `encode_png` gives.",
        "it may not be written (R0011); it cannot be written; as `encode_png`",
        r#"write_png("x.png", matrix([[0, 1]])); read_image("x.png") == matrix([[0, 1]])"#,
    ),
];

/// The family.
pub(super) const MATRIX_MARKET: Family = Family {
    title: "Matrix Market files",
    about: "`matrix`, `coordinate` or `array`, `real` or `integer`, `general` or `symmetric` (NIST IR 5935). Messages name the line. *Entries* are a 3 x m matrix with a column (row, column, value) for each entry, counted from 0.",
    functions: MATRIX_MARKET_FUNCTIONS,
};

const MATRIX_MARKET_FUNCTIONS: &[FunctionDoc] = &[
    function(
        "dense_from_entries(entries: matrix[], row0: int, col0: int, n_rows: int, n_cols: int) -> matrix",
        "The dense block whose first entry is `(row0, col0)`; entries given twice are added up.",
        "an entry lies outside of the block; an item is not entries",
        "dense_from_entries([matrix([[5], [6], [2]])], 5, 5, 1, 2) == matrix([[0, 2]])",
    ),
    function(
        "entries_by_row_block(entries: matrix, n_rows: int, n_blocks: int) -> matrix[]",
        "Entries sorted into blocks of rows: block i has the rows from `i * n_rows / n_blocks` to before `(i + 1) * n_rows / n_blocks`.",
        "a row is not within `0..n_rows`; the matrix has not 3 rows",
        "entries_by_row_block(matrix([[0, 1], [0, 0], [7, 8]]), 2, 2)[1].get(2, 0) == 8.0",
    ),
    function(
        "mm_parse(text: string) -> matrix",
        "The matrix that a text describes.",
        "the text is not such a file",
        r#"mm_parse("%%MatrixMarket matrix array real general\n1 1\n5\n") == matrix([[5]])"#,
    ),
    function(
        "mm_part(path: string, part: int, n_parts: int) -> matrix",
        "The entries in one of `n_parts` equal ranges of a coordinate file's bytes; all parts together hold each line once. Reads that range only.",
        "it may not be read (R0011); it cannot be read; it is an array file; a line is wrong",
        r#"mm_part("m.mtx", 0, 1).cols == 3"#,
    ),
    function(
        "mm_size(path: string) -> int[]",
        "`[rows, columns, lines with an entry]`. Reads the header only.",
        "it may not be read (R0011); it cannot be read; the header is wrong",
        r#"mm_size("m.mtx") == [2, 2, 3]"#,
    ),
    function(
        "read_matrix(path: string) -> matrix",
        "The matrix of a file.",
        "it may not be read (R0011); it cannot be read; it is not such a file",
        r#"read_matrix("m.mtx") == matrix([[4, 0], [1, 3]])"#,
    ),
    function(
        "read_vector(path: string) -> vector",
        "The vector of a file with one column or one row.",
        "it may not be read (R0011); it cannot be read; it is not such a file",
        r#"read_vector("v.mtx") == vector([4, 7])"#,
    ),
    function(
        "write_matrix(path: string, m: matrix) -> int",
        "Writes an array file; numbers read back as the same numbers.",
        "it may not be written (R0011); it cannot be written; an entry is not finite",
        r#"write_matrix("x.mtx", identity(2)); read_matrix("x.mtx") == identity(2)"#,
    ),
    function(
        "write_sparse(path: string, m: matrix) -> int",
        "Writes a coordinate file of the entries that are not 0.",
        "it may not be written (R0011); it cannot be written; an entry is not finite",
        r#"write_sparse("x.mtx", identity(3)); mm_size("x.mtx") == [3, 3, 3]"#,
    ),
    function(
        "write_vector(path: string, v: vector) -> int",
        "Writes an array file of one column.",
        "it may not be written (R0011); it cannot be written; an entry is not finite",
        r#"write_vector("x.mtx", vector([1, 2])); read_vector("x.mtx") == vector([1, 2])"#,
    ),
];
