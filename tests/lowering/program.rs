//! Programs of generated bodies.

use std::fmt::Write;

use crate::dice::Dice;
use crate::generator;

/// Bodies in one program: to compile and to start one takes longer than to run it.
pub const BODIES_EACH: usize = 20;

/// A program with a node for each of some generated bodies; they call functions in Rust where `calls_natives`.
pub fn program(seed: u64, calls_natives: bool) -> String {
    let mut dice = Dice::new(seed);
    let mut arcs = String::new();
    let mut nodes = String::new();
    for node_idx in 0..BODIES_EACH {
        let generated = generator::body(&mut dice, &format!("N{node_idx}"), 6, calls_natives);
        let _ = writeln!(arcs, "  \"Feed.x -> N{node_idx}.x\",\n  \"Feed.y -> N{node_idx}.y\",");
        for port in ["i", "f", "b", "e[k]", "v", "a", "m", "m2", "t", "s"] {
            let to = port.trim_end_matches("[k]");
            let _ = writeln!(arcs, "  \"N{node_idx}.{port} -> O{node_idx}.{to}\",");
        }
        let routes: Vec<String> = generated.routes.iter().map(|rule| format!("{rule:?}")).collect();
        let _ = writeln!(
            nodes,
            r#"
[graph.g.uc.N{node_idx}]
in   = {{ x = "int", y = "real" }}
out  = {{ i = "int", f = "real", b = "bool", "e[k]" = "int", v = "vector", a = "int[]", m = "matrix", m2 = "matrix", t = "real[][]", s = "Pt" }}
vars = {{ vi = "int = 2", vr = "real = 0.75", vb = "bool", vv = "vector", va = "int[]", vm = "matrix", st = "Pt" }}
init = "vv = vector([1.5, -2, 0, 7]); va = [3, -1, 5]; vm = matrix([[1, 2, 3], [4, 5, 6]]); st.list = [0.5, 2.5];"
fire = ["x -> x, y -> y"]
do = '''
{body}'''
route = [{routes}]

[graph.g.uc.O{node_idx}]
in   = {{ i = "int", f = "real", b = "bool", e = "int", v = "vector", a = "int[]", m = "matrix", m2 = "matrix", t = "real[][]", s = "Pt" }}
fire = ["i -> it", "f -> it", "b -> it", "e -> it", "v -> it", "a -> it", "m -> it", "m2 -> it", "t -> it", "s -> it"]
do = '''
if type_of(it) == "matrix" {{
    for r in 0..it.rows {{ for x in row(it, r) {{ print(x); }} }}
}} else if type_of(it) == "vector" {{
    for x in it {{ print(x); }}
}} else {{
    print(`${{it}}`);
}}
'''"#,
            body = generated.body,
            routes = routes.join(", "),
        );
    }
    format!(
        r#"hasse = 1
main = "g"

[type.Pt]
a    = "int"
list = "real[]"

[graph.g]
params = {{ n = "int = 3", r = "real = 0.5" }}
arcs = [
{arcs}]

[graph.g.uc.Feed]
out   = {{ x = "int", y = "real" }}
start = true
route = ["x <- k * k - 5 for k in 0..6", "y <- 0.3 * k - 0.7 for k in 0..6"]
{nodes}"#
    )
}
