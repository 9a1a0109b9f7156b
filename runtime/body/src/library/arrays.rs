//! Arrays; what other sequences share with them stands here, too.

use super::doc::{Family, FunctionDoc, function};

/// The family.
pub(super) const ARRAYS: Family = Family {
    title: "Arrays",
    about: "`[1, 2]` is an array, `a[i]` an item, negative indices count from the end, `a + b` joins. *Test* and *by* stand for functions such as `|x| x > 0`; within them `this` is the item.",
    functions: ARRAYS_FUNCTIONS,
};

const ARRAYS_FUNCTIONS: &[FunctionDoc] = &[
    function(
        "all(items: T[], test: function) -> bool",
        "Whether every item passes.",
        "",
        "[1, 2].all(|x| x > 0)",
    ),
    function(
        "append(items: T[], more: T[]); append(v: vector, w: vector); append(s: string, x: any); append(b: bytes, more: bytes)",
        "Adds the items, entries, text or bytes behind, in place.",
        "",
        "let a = [1]; a.append([2, 3]); a == [1, 2, 3]",
    ),
    function(
        "chop(items: T[], len: int); chop(b: bytes, len: int)",
        "Keeps the last `len` items, in place.",
        "",
        "let a = [1, 2, 3]; a.chop(2); a == [2, 3]",
    ),
    function(
        "clear(items: T[]); clear(m: map); clear(s: string); clear(b: bytes)",
        "Empties it, in place.",
        "",
        "let a = [1]; a.clear(); a.is_empty",
    ),
    function(
        "contains(items: T[], x: T) -> bool; contains(s: string, part: string) -> bool; contains(m: map, key: string) -> bool; contains(range, x: int) -> bool; contains(b: bytes, byte: int) -> bool",
        "Whether it is in there; the same as `x in items`.",
        "",
        r#"[1, 2].contains(2) && "hello".contains("ell")"#,
    ),
    function(
        "dedup(items: T[]); dedup(items: T[], same: function)",
        "Of equal items that follow each other only the first is kept, in place.",
        "",
        "let a = [1, 1, 2]; a.dedup(); a == [1, 2]",
    ),
    function(
        "drain(items: T[], test: function) -> T[]; drain(items: T[], from: int, len: int) -> T[]; drain(m: map, test: function) -> map; drain(b: bytes, from: int, len: int) -> bytes",
        "Takes items out, in place, and gives them. A range may be given.",
        "",
        "let a = [1, 2, 3]; a.drain(|x| x > 1) == [2, 3] && a == [1]",
    ),
    function(
        "extract(items: T[], from: int) -> T[]; extract(items: T[], from: int, len: int) -> T[]; extract(b: bytes, from: int, len: int) -> bytes",
        "A copy of a part; negative positions count from the end. A range may be given.",
        "",
        "[1, 2, 3].extract(1) == [2, 3]",
    ),
    function(
        "filter(items: T[], test: function) -> T[]; filter(m: map, test: function) -> map",
        "A copy of what passes.",
        "",
        "[1, 2, 3].filter(|x| x > 1) == [2, 3]",
    ),
    function(
        "find(items: T[], test: function) -> T or (); find(items: T[], test: function, from: int) -> T or (); find(s: string, part: string) -> int",
        "The first item that passes, or `()`; of a text, where a part begins first, or -1.",
        "",
        r#"[1, 2, 3].find(|x| x > 1) == 2 && find("abc", "c") == 2"#,
    ),
    function(
        "find_map(items: T[], by: function) -> any; find_map(items: T[], by: function, from: int) -> any",
        "The first value of `by` that is not `()`.",
        "",
        "[1, 2].find_map(|x| if x > 1 { x * 10 }) == 20",
    ),
    function(
        "for_each(items: T[], by: function)",
        "Calls `by` for each item, which is `this` and may be changed.",
        "",
        "let a = [1, 2]; a.for_each(|| this *= 2); a == [2, 4]",
    ),
    function(
        "get(items: T[], i: int) -> T or (); get(m: matrix, row: int, col: int) -> real; get(m: map, key: string) -> any; get(s: string, i: int) -> char or (); get(b: bytes, i: int) -> int",
        "An item; `()` where there is none. Of a matrix, an entry.",
        "outside of the matrix",
        "[1, 2].get(5) == () && identity(2).get(1, 1) == 1.0",
    ),
    function(
        "insert(items: T[], i: int, x: T); insert(b: bytes, i: int, byte: int)",
        "Puts an item before position i, in place.",
        "",
        "let a = [1, 3]; a.insert(1, 2); a == [1, 2, 3]",
    ),
    function(
        "is_empty(items: T[]) -> bool; is_empty(s: string) -> bool; is_empty(m: map) -> bool; is_empty(b: bytes) -> bool; is_empty(range) -> bool",
        "Whether there is nothing in it.",
        "",
        r#"[].is_empty() && "".is_empty"#,
    ),
    function(
        "len(items: T[]) -> int; len(s: string) -> int; len(m: map) -> int; len(b: bytes) -> int; len(v: vector) -> int",
        "How many items, characters, keys, bytes or entries.",
        "",
        r#"[1, 2].len() == 2 && "äö".len == 2"#,
    ),
    function(
        "map(items: T[], by: function) -> U[]",
        "The values of `by`.",
        "",
        "[1, 2].map(|x| x * 2) == [2, 4]",
    ),
    function(
        "order(items: T[]) -> T[]; order(items: T[], by: function) -> T[]",
        "A sorted copy; all items must be numbers, or all text, unless `by` compares two, giving a number.",
        "items of different types",
        "[3, 1, 2].order() == [1, 2, 3]",
    ),
    function(
        "order_by(items: T[], by: function) -> T[]",
        "A copy sorted by a comparison of two items, which gives a number below, at or above 0.",
        "",
        "[1, 3, 2].order_by(|x, y| y - x) == [3, 2, 1]",
    ),
    function(
        "order_desc(items: T[]) -> T[]",
        "A copy sorted from the greatest to the least.",
        "items of different types",
        "[1, 3, 2].order_desc() == [3, 2, 1]",
    ),
    function(
        "pad(items: T[], len: int, x: T); pad(s: string, len: int, fill: char); pad(s: string, len: int, fill: string); pad(b: bytes, len: int, byte: int)",
        "Fills it up at the end, in place, until it has this length.",
        "",
        "let a = [1]; a.pad(3, 0); a == [1, 0, 0]",
    ),
    function(
        "pop(items: T[]) -> T or (); pop(s: string) -> char or (); pop(s: string, len: int) -> string; pop(b: bytes) -> int",
        "Takes the last item off, in place, and gives it.",
        "",
        "let a = [1, 2]; a.pop() == 2 && a == [1]",
    ),
    function(
        "push(items: T[], x: T); push(b: bytes, byte: int)",
        "Adds an item at the end, in place.",
        "",
        "let a = [1]; a.push(2); a == [1, 2]",
    ),
    function(
        "reduce(items: T[], by: function) -> any; reduce(items: T[], by: function, start: any) -> any",
        "Folds from the first to the last: `by(so_far, item)`.",
        "",
        "[1, 2, 3].reduce(|sum, x| sum + x, 0) == 6",
    ),
    function(
        "reduce_rev(items: T[], by: function) -> any; reduce_rev(items: T[], by: function, start: any) -> any",
        "Folds from the last to the first.",
        "",
        r#"["a", "b"].reduce_rev(|s, x| s + x, "") == "ba""#,
    ),
    function(
        "remove(items: T[], i: int) -> T or (); remove(m: map, key: string) -> any; remove(s: string, part: string); remove(b: bytes, i: int) -> int",
        "Takes an item out, in place, and gives it; of a text, takes out every occurrence.",
        "",
        "let a = [1, 2]; a.remove(0) == 1 && a == [2]",
    ),
    function(
        "retain(items: T[], test: function) -> T[]; retain(items: T[], from: int, len: int) -> T[]; retain(m: map, test: function) -> map; retain(b: bytes, from: int, len: int) -> bytes",
        "Keeps what passes, in place, and gives the others.",
        "",
        "let a = [1, 2, 3]; a.retain(|x| x > 1) == [1] && a == [2, 3]",
    ),
    function(
        "reverse(items: T[]); reverse(v: vector); reverse(b: bytes)",
        "Puts the items in reverse order, in place.",
        "",
        "let a = [1, 2]; a.reverse(); a == [2, 1]",
    ),
    function(
        "set(items: T[], i: int, x: T); set(m: matrix, row: int, col: int, x: real); set(m: matrix, row: int, col: int, x: int); set(m: map, key: string, x: any); set(s: string, i: int, c: char); set(b: bytes, i: int, byte: int)",
        "Sets an item, in place; nothing happens where there is none. Of a matrix, an entry.",
        "outside of the matrix",
        "let m = matrix(1, 2); m.set(0, 1, 5); m.get(0, 1) == 5.0",
    ),
    function(
        "shift(items: T[]) -> T or (); shift(b: bytes) -> int",
        "Takes the first item off, in place, and gives it.",
        "",
        "let a = [1, 2]; a.shift() == 1 && a == [2]",
    ),
    function(
        "some(items: T[], test: function) -> bool",
        "Whether an item passes.",
        "",
        "[1, 2].some(|x| x > 1)",
    ),
    function(
        "sort(items: T[]); sort(items: T[], by: function); sort(v: vector)",
        "Sorts in place; `by` compares two items, giving a number. NaN stands last in a vector.",
        "items of different types",
        "let a = [2, 1]; a.sort(); a == [1, 2]",
    ),
    function(
        "sort_by(items: T[], by: function)",
        "Sorts in place by a comparison of two items, which gives a number below, at or above 0.",
        "",
        "let a = [1, 2]; a.sort_by(|x, y| y - x); a == [2, 1]",
    ),
    function(
        "sort_desc(items: T[])",
        "Sorts in place from the greatest to the least.",
        "items of different types",
        "let a = [1, 2]; a.sort_desc(); a == [2, 1]",
    ),
    function(
        "splice(items: T[], from: int, len: int, new: T[]); splice(b: bytes, from: int, len: int, new: bytes)",
        "Replaces a part, in place. A range may be given.",
        "",
        "let a = [1, 2, 3]; a.splice(1, 1, [7, 8]); a == [1, 7, 8, 3]",
    ),
    function(
        "truncate(items: T[], len: int); truncate(s: string, len: int); truncate(b: bytes, len: int)",
        "Keeps the first `len` items, in place.",
        "",
        "let a = [1, 2, 3]; a.truncate(2); a == [1, 2]",
    ),
    function(
        "zip(items: T[], others: U[], by: function) -> V[]",
        "The values of `by` of the items that stand at the same places.",
        "",
        "[1, 2].zip([3, 4], |x, y| x + y) == [4, 6]",
    ),
];
