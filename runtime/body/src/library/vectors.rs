//! Vectors.

use super::doc::{Family, FunctionDoc, function};

/// The family.
pub(super) const VECTORS: Family = Family {
    title: "Vectors",
    about: "Dense vectors of reals. Costs are linear in the length. `for x in v` goes over the entries.",
    functions: VECTORS_FUNCTIONS,
};

const VECTORS_FUNCTIONS: &[FunctionDoc] = &[
    function(
        "argmax(v: vector) -> int",
        "Where the greatest entry stands first; a NaN counts as such.",
        "there is no entry",
        "argmax(vector([1, 3, 3])) == 1",
    ),
    function(
        "argmin(v: vector) -> int",
        "Where the least entry stands first; a NaN counts as such.",
        "there is no entry",
        "argmin(vector([2, 1])) == 1",
    ),
    function(
        "axpy(y: vector, a: real, x: vector); axpy(y: vector, a: int, x: vector)",
        "Adds `a * x` to `y`, in place.",
        "lengths differ",
        "let y = vector([1, 2]); y.axpy(2, vector([1, 1])); y == vector([3, 4])",
    ),
    function(
        "concat(parts: vector[]) -> vector",
        "The entries of all, one behind the other.",
        "an item is not a vector",
        "concat([vector([1]), vector([2])]) == vector([1, 2])",
    ),
    function(
        "cumsum(v: vector) -> vector",
        "Entry i is the sum of the first i + 1 entries.",
        "",
        "cumsum(vector([1, 2, 3])) == vector([1, 3, 6])",
    ),
    function(
        "div_elements(v: vector, w: vector) -> vector; div_elements(a: matrix, b: matrix) -> matrix",
        "Entry by entry.",
        "sizes differ",
        "div_elements(vector([6]), vector([2])) == vector([3])",
    ),
    function(
        "dot(v: vector, w: vector) -> real",
        "The inner product.",
        "lengths differ",
        "dot(vector([1, 2]), vector([3, 4])) == 11.0",
    ),
    function(
        "linspace(low: real, high: real, n: int) -> vector; linspace(low: int, high: int, n: int) -> vector",
        "n numbers at equal distances, from `low` to `high`, both exact.",
        "n is negative or too large",
        "linspace(0, 1, 3) == vector([0, 0.5, 1])",
    ),
    function(
        "max_abs(v: vector) -> real; max_abs(m: matrix) -> real",
        "The greatest absolute value; 0 without entries, NaN where one is NaN.",
        "",
        "max_abs(vector([-7, 2])) == 7.0",
    ),
    function(
        "mean(v: vector) -> real",
        "The arithmetic mean.",
        "there is no entry",
        "mean(vector([1, 2])) == 1.5",
    ),
    function(
        "mul_elements(v: vector, w: vector) -> vector; mul_elements(a: matrix, b: matrix) -> matrix",
        "Entry by entry.",
        "sizes differ",
        "mul_elements(vector([2]), vector([3])) == vector([6])",
    ),
    function(
        "norm(v: vector) -> real; norm(m: matrix) -> real",
        "The Euclidean norm, of a matrix the Frobenius norm; without overflow on the way.",
        "",
        "norm(vector([3, 4])) == 5.0",
    ),
    function(
        "norm1(v: vector) -> real; norm1(m: matrix) -> real",
        "The sum of absolute values; of a matrix the greatest such sum of a column.",
        "",
        "norm1(vector([1, -2])) == 3.0",
    ),
    function(
        "norm_inf(v: vector) -> real; norm_inf(m: matrix) -> real",
        "The greatest absolute value; of a matrix the greatest sum of absolute values of a row.",
        "",
        "norm_inf(vector([1, -2])) == 2.0",
    ),
    function(
        "slice(v: vector, from: int, to: int) -> vector",
        "The entries `from..to`.",
        "the range is not within v",
        "slice(vector([1, 2, 3]), 1, 3) == vector([2, 3])",
    ),
    function(
        "sum(v: vector) -> real; sum(m: matrix) -> real",
        "The sum of the entries.",
        "",
        "sum(vector([1, 2])) == 3.0",
    ),
    function(
        "to_array(v: vector) -> real[]; to_array(b: bytes) -> int[]",
        "The entries or bytes as an array.",
        "",
        "vector([1]).to_array() == [1.0]",
    ),
    function(
        "vector(n: int) -> vector; vector(n: int, x: real) -> vector; vector(n: int, x: int) -> vector; vector(items: T[]) -> vector",
        "n zeros; n times x; the numbers of an array.",
        "n is negative or too large; an item is not a number",
        "vector(2, 1) == vector([1, 1.0])",
    ),
];
