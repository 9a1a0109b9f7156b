//! What programs print and give as results: texts of values, and when lines appear.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use super::support::{Folder, Ran};

const MATRICES: &str = r#"hasse = 1
main  = "m"

[graph.m.uc.A]
start = true
do = '''
let m = matrix([[1, 2.5], [3, 4]]);
print(m);
print(`m is ${m}`);
print(linspace(0, 1, 1000));
print([1, 2, 3]);
let long = [];
for k in 0..1000 { long.push(k); }
print(long);
result("m", m);
result("numbers", long);
'''
"#;

#[test]
fn matrices_vectors_and_arrays_show_numbers() {
    let folder = Folder::with("m.hasse", MATRICES);
    let expected = "matrix 2 x 2\n  [1.0  2.5]\n  [3.0  4.0]\nm is matrix [[1.0, 2.5], [3.0, 4.0]]\n\
                    vector of 1000 entries\n  min 0.0 at 0, max 1.0 at 999, mean 0.5\n  \
                    [0.0, 0.001001, 0.002002, 0.003003, 0.004004, 0.00500501, .., 0.997998, 0.998999, 1.0]\n\
                    [1, 2, 3]\n\
                    array of 1000 items\n  min 0.0 at 0, max 999.0 at 999, mean 499.5\n  \
                    [0, 1, 2, 3, 4, 5, .., 997, 998, 999]\n\
                    m = matrix 2 x 2\n  [1.0  2.5]\n  [3.0  4.0]\n\
                    numbers = array of 1000 items\n  min 0.0 at 0, max 999.0 at 999, mean 499.5\n  \
                    [0, 1, 2, 3, 4, 5, .., 997, 998, 999]\n";
    for how in ["interpreted", "evaluated", "native"] {
        assert_eq!(folder.hasse(&["run", "m.hasse", "--scripts", how]).ends(0).stdout, expected, "{how}");
    }
}

/// Every form of `print` that is compiled.
const COMPILED: &str = r#"hasse = 1
main  = "p"

[graph.p]
params = { label = "string = \"x\"" }
arcs   = ["A.k -> B.k"]

[graph.p.uc.A]
out   = { k = "int" }
start = true
route = ["k <- k for k in 0..50"]

[graph.p.uc.B]
in   = { k = "int" }
vars = { v = "vector", a = "int[]" }
fire = ["k -> k"]
do   = '''
fn shown(n) { print(`in a function: ${n * 2}`); n }
print("a text");
print(k);
print(k * 0.1);
print(1e20 * k);
print(k > 20);
print(label);
print(`${label}: ${k} and ${k / 4.0}, ${k == 3}`);
print("sum: " + (k + 1) + "; " + 0.5 + (k < 2));
v = vector([k, 0.5]);
a.push(k);
print(v);
print(a);
print(`v is ${v}`);
print("two\nlines");
let n = shown(k) + 9223372036854775770;
print(n);
'''
"#;

#[test]
fn bodies_that_print_are_compiled_and_print_the_same_in_all_ways() {
    let folder = Folder::with("p.hasse", COMPILED);
    let lowering = folder.hasse(&["check", "p.hasse", "--explain-lowering"]).ends(0);
    assert!(lowering.stdout.contains("1 of 1 bodies in Rhai compiled"), "{}", lowering.shown());
    let ran = |how: &str| {
        let trace = format!("{how}.trace");
        folder.hasse(&["run", "p.hasse", "--scripts", how, "--workers", "1", "--trace", &trace]).ends(1)
    };
    // A sum overflows: until then the lines of the event count.
    let expected = ran("interpreted");
    assert!(expected.stdout.contains("sum: 4; 0.5false\n"), "{}", expected.shown());
    for how in ["evaluated", "native", "auto"] {
        assert_eq!(ran(how).shown(), expected.shown(), "{how}");
        let replayed = folder.hasse(&["replay", &format!("{how}.trace")]);
        assert_eq!(replayed.stdout, expected.stdout, "{how}");
    }
}

/// `A` prints, and then lasts until the run is interrupted.
const LASTING: &str = r#"hasse = 1
main  = "lasting"

[graph.lasting.uc.A]
start = true
do = '''
print("A begins");
let x = 0;
loop { x = (x + 1) % 1000; }
'''
"#;

#[cfg(unix)]
#[test]
fn lines_of_an_event_appear_while_it_lasts() {
    for how in ["interpreted", "evaluated", "native", "auto"] {
        let folder = Folder::with("lasting.hasse", LASTING);
        let mut child = folder
            .command(&["run", "lasting.hasse", "--scripts", how, "--trace", "t"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "A begins", "{how}");
        super::kill::interrupt(&child);
        assert!(lines.next().is_none(), "{how}");
        Ran::of(child.wait_with_output().unwrap()).ends(1);
        assert_eq!(folder.hasse(&["replay", "t"]).stdout, "A begins\n", "{how}");
    }
}

/// `A` and `B` print a line, wait for a line of input and for a file, and print another one.
const TWO: &str = r#"hasse = 1
main  = "two"

[graph.two.uc.A]
start = true
do = '''
print("A begins");
let line = read_line();
print("A has read " + line);
'''

[graph.two.uc.B]
start = true
do = '''
while !file_exists("go") {}
print("B goes");
'''
"#;

#[test]
fn lines_between_those_of_a_lasting_event_are_replayed_there() {
    for mode in ["full", "minimal"] {
        let folder = Folder::with("two.hasse", TWO);
        let mut child = folder
            .command(&["run", "two.hasse", "--workers", "2", "--record", mode, "--trace", "t"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut next = || lines.next().unwrap().unwrap();
        assert_eq!(next(), "A begins");
        folder.write("go", "");
        assert_eq!(next(), "B goes");
        child.stdin.take().unwrap().write_all(b"this\n").unwrap();
        assert_eq!(next(), "A has read this");
        Ran::of(child.wait_with_output().unwrap()).ends(0);
        for workers in ["1", "2"] {
            let ran = folder.hasse(&["replay", "t", "--workers", workers]).ends(0);
            assert_eq!(ran.stdout, "A begins\nB goes\nA has read this\n", "{mode}");
        }
    }
}

#[test]
fn lines_before_an_error_are_printed() {
    let text = LASTING.replace("loop { x = (x + 1) % 1000; }", "print(`x is ${x}`);\nthrow \"and fails\";");
    let folder = Folder::with("fails.hasse", &text);
    for how in ["interpreted", "native"] {
        let ran = folder.hasse(&["run", "fails.hasse", "--scripts", how]).ends(1);
        assert_eq!(ran.stdout, "A begins\nx is 0\n", "{how}");
    }
}
