//! The tier of each rule and body, and the reason why it is not a faster one.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::support::{Folder, repository};

/// Nodes by name: inputs, outputs, and all other lines; each with an input `x`. Each is in another tier for another reason.
const NODES: &[(&str, &str, &str, &str)] = &[
    (
        "Columns",
        "x = \"int\"",
        "y = \"int\"",
        "fire = [\"x -> x\"]\ndo = 'let z = x + 1;'\nroute = [\"y <- z if z > 3\"]",
    ),
    (
        "Interpreted",
        "x = \"int\"",
        "y = \"int\"",
        "fire = [\"x -> x\"]\ndo = 'let z = `${x}`;'\nroute = [\"y <- z.len\"]",
    ),
    ("RuleInterpreted", "x = \"int\"", "y = \"string\"", "fire = [\"x -> x\"]\nroute = [\"y <- `${x}`\"]"),
    (
        "Family",
        "x = \"int\", \"f[k]\" = \"int\"",
        "\"y[k]\" = \"int\"",
        "fire = [\"f[k] -> v[k] for k in 0..2\"]\nroute = [\"y[k] <- v[1 - k] + k for k in 0..2 if v[0] > 3\"]",
    ),
    (
        "FamilyBody",
        "x = \"int\", \"f[k]\" = \"int\"",
        "",
        "fire = [\"f[k] -> v[k] for k in 0..2\"]\ndo = 'let z = v[0] + v[1];'",
    ),
    ("FamilyGuard", "x = \"int\", \"f[k]\" = \"int\"", "", "fire = [\"f[0] -> v if count < 3\"]"),
    (
        "FamilyVar",
        "x = \"int\", \"f[k]\" = \"int\"",
        "",
        "vars = { turn = \"int\" }\nfire = [\"f[turn] -> v\"]\ndo = 'turn = 1 - turn;'",
    ),
    (
        "Nested",
        "x = \"int\"",
        "y = \"int\"",
        "fire = [\"x -> x\"]\nroute = [\"y <- x for i in 0..2 for j in 0..2\"]",
    ),
    (
        "Reads",
        "x = \"int\"",
        "y = \"int\"",
        "shared = { box = \"read\" }\nfire = [\"x -> x\"]\ndo = 'let z = x + box;'\nroute = [\"y <- z\"]",
    ),
    (
        "Locks",
        "x = \"int\"",
        "",
        "shared = { box = \"write\", list = \"write\" }\nfire = [\"x -> x\"]\ndo = 'box += x;'",
    ),
    ("Lists", "x = \"int\"", "", "shared = { list = \"write\" }\nfire = [\"x -> x\"]\ndo = 'list[0] = 1.0;'"),
    ("Struct", "x = \"P\"", "y = \"P\"", "fire = [\"x -> x\"]\nroute = [\"y <- x\"]"),
    ("Text", "x = \"string\"", "", "fire = [\"x -> x\"]"),
    ("Anything", "x = \"any\"", "y = \"any\"", "fire = [\"x -> x\"]\nroute = [\"y <- x\"]"),
    ("Wraps", "x = \"int\"", "y = \"any\"", "fire = [\"x -> x\"]\nroute = [\"y <- x\"]"),
    (
        "Makes",
        "x = \"int\"",
        "y = \"P\"",
        "fire = [\"x -> x\"]\ndo = 'let z = P(x, 1.0);'\nroute = [\"y <- z\"]",
    ),
    ("Loops", "x = \"int\"", "y = \"int\"", "fire = [\"x -> x\"]\nroute = [\"y <- x for k in 0..3\"]"),
    ("Elements", "x = \"int\"", "\"y[k]\" = \"int\"", "fire = [\"x -> x\"]\nroute = [\"y[x % 2] <- x\"]"),
    (
        "Guard",
        "x = \"int\"",
        "",
        "vars = { total = \"int\" }\nfire = [\"x -> x if total < 9\"]\ndo = 'total += x;'",
    ),
    (
        "Object",
        "x = \"int\"",
        "",
        "vars = { seen = \"vector = vector(3)\" }\nfire = [\"x -> x\"]\ndo = 'seen[x] = 1.0;'",
    ),
    ("Array", "x = \"int\"", "", "fire = [\"x -> x\"]\ndo = 'let n = 0; for k in [1, 2] { n += k; }'"),
    ("Prints", "x = \"int\"", "", "fire = [\"x -> x\"]\ndo = 'if x == 2 { print(x); }'"),
    (
        "Optional",
        "x = \"int\", w = \"int\"",
        "",
        "fire = [\"x -> x\", \"w -> w\"]\ndo = 'let z = if rule == 0 { x } else { 0 };'",
    ),
    ("Waits", "x = \"int\"", "", "fire = [\"x -> x\"]\ndo = 'sleep(x);'"),
    ("Counts", "x = \"int\"", "", "fire = [\"x -> x\"]\ndo = 'let z = x + count;'"),
    ("Assigns", "x = \"int\"", "y = \"int\"", "fire = [\"x -> x\"]\ndo = 'x += 1;'\nroute = [\"y <- x\"]"),
    (
        "SendsTwice",
        "x = \"int\"",
        "y = \"int\"",
        "fire = [\"x -> x\"]\nroute = [\"y <- x\", \"y <- 0 if x == 3\"]",
    ),
    ("Own", "x = \"int\", s = \"int\"", "t = \"int\"", "fire = [\"x -> x, s -> s\"]\nroute = [\"t <- x\"]"),
    (
        "OwnRules",
        "x = \"int\", s = \"int\"",
        "t = \"int\"",
        "fire = [\"x -> v\", \"s -> v\"]\nroute = [\"t <- v if v > 0\"]",
    ),
    (
        "OwnKinds",
        "x = \"int\", s = \"real\"",
        "t = \"int\", u = \"real\"",
        "fire = [\"x -> x, s -> s\"]\nroute = [\"t <- x\", \"u <- s\"]",
    ),
    (
        "OwnGuard",
        "x = \"int\", s = \"int\"",
        "t = \"int\"",
        "fire = [\"s -> s\"]\nroute = [\"t <- s if s % 7 > 0\"]",
    ),
    ("Kinds", "x = \"int\", w = \"real\"", "", "fire = [\"x -> v\", \"w -> v\"]"),
    (
        "Looks",
        "x = \"int\"",
        "y = \"real\"",
        "vars = { seen = \"vector = vector(3)\" }\nfire = [\"x -> x\"]\nroute = [\"y <- seen[x] + 0.5\"]",
    ),
    (
        "Lengths",
        "x = \"int\"",
        "y = \"int\"",
        "vars = { seen = \"vector\" }\nfire = [\"x -> x\"]\nroute = [\"y <- x + seen.len\"]",
    ),
    ("Sums", "x = \"int\"", "y = \"real\"", "fire = [\"x -> x\"]\nroute = [\"y <- sum(vector([x, 1]))\"]"),
    (
        "Unbound",
        "x = \"int\", w = \"int\"",
        "y = \"int\"",
        "fire = [\"x -> x\", \"w -> w\"]\nroute = [\"y <- x if rule == 0\"]",
    ),
    (
        "Perhaps",
        "x = \"int\", w = \"int\"",
        "y = \"real\"",
        "fire = [\"x -> x\", \"w -> w\"]\nroute = [\"y <- x * 0.5 if rule == 0\"]",
    ),
    ("Gives", "x = \"int\"", "y = \"real\"", "fire = [\"x -> x\"]\nroute = [\"y <- max(x, 3)\"]"),
    (
        "Compares",
        "x = \"int\"",
        "y = \"int\"",
        "vars = { on = \"bool = true\" }\nfire = [\"x -> x\"]\nroute = [\"y <- x if on == true\"]",
    ),
    (
        "Indexed",
        "x = \"int\"",
        "y = \"int\"",
        "index = [\"i\"]\nvars = { total = \"int\" }\nfire = [\"x -> x\"]\ndo = 'total += x;'\nroute = [\"y <- x if i < 9\"]",
    ),
    (
        "Asks",
        "x = \"int\"",
        "y = \"int\"",
        "fire = [\"x -> x\"]\ndo = 'let z = random_int(0, x); if z > 8 { print(z); }'\nroute = [\"y <- z\"]",
    ),
    ("Stops", "x = \"int\"", "", "stop = true\nfire = [\"x -> x\"]"),
];

/// A program of these nodes, with what they send led to one that takes it.
fn program(nodes: &[(&str, &str, &str, &str)]) -> String {
    let (mut arcs, mut tables) = (String::new(), String::new());
    for (name, inputs, outputs, lines) in nodes {
        let own = |port: &str| inputs.contains("s = ") && matches!(port, "t" | "u");
        for output in outputs.split(", ").filter(|output| !output.is_empty()) {
            let (port, ty) = output.split_once(" = ").unwrap();
            let port = port.trim_matches('"');
            let (from, to) = match *name {
                "Indexed" => ("Indexed[i]".to_owned(), "Indexed[i + 1].x".to_owned()),
                _ if own(port) => ((*name).to_owned(), format!("{name}.s")),
                _ => ((*name).to_owned(), format!("Sink{}.x", ty.trim_matches('"'))),
            };
            let _ = writeln!(arcs, "  \"{from}.{port} -> {to}\",");
        }
        for object in ["box", "list"].into_iter().filter(|object| lines.contains(&format!("{object} = \""))) {
            let _ = writeln!(arcs, "  SHARE \"{object} -- {name}.{object}\",");
        }
        let outputs = if outputs.is_empty() { String::new() } else { format!("out = {{ {outputs} }}\n") };
        let _ = write!(tables, "\n[graph.g.uc.{name}]\nin = {{ {inputs} }}\n{outputs}{lines}\n");
    }
    let (share, arcs): (Vec<&str>, Vec<&str>) = arcs.lines().partition(|line| line.contains("SHARE"));
    let share = share.join("\n").replace("SHARE ", "");
    let sinks = ["int", "real", "string", "P", "any"]
        .map(|ty| format!("\n[graph.g.uc.Sink{ty}]\nin = {{ x = \"{ty}\" }}\nfire = [\"x -> x\"]\n"));
    format!(
        "hasse = 1\nmain = \"g\"\n\n[type.P]\na = \"int\"\nb = \"real\"\n\n[graph.g]\narcs = [\n  \"Begin.x -> Inner.x\",\n  \"Inner.y -> Sinkint.x\",\n{}\n]\nshare = [\n{share}\n]\n\n\
         [graph.g.uc.Begin]\nout = {{ x = \"int\" }}\nstart = true\nroute = [\"x <- k for k in 0..3\"]\n\n\
         [graph.g.call.Inner]\ngraph = \"inner\"\n\n[graph.inner]\nin = {{ x = \"int\" }}\nout = {{ y = \"int\" }}\n\
         arcs = [\"in.x -> Inside.x\", \"Inside.y -> out.y\"]\n\n[graph.inner.uc.Inside]\nin = {{ x = \"int\" }}\n\
         out = {{ y = \"int\" }}\nfire = [\"x -> x\"]\nroute = [\"y <- x\"]\n\n[graph.g.shared.box]\ntype = \"int\"\n\n[graph.g.shared.list]\ntype = \"vector\"\ninit = \"vector(3)\"\n{tables}{}",
        arcs.join("\n"),
        sinks.concat()
    )
}

#[test]
fn each_part_is_told_with_its_tier_and_reason() {
    let folder = Folder::with("tiers.hasse", &program(NODES));
    let ran = folder.hasse(&["check", "tiers.hasse", "--explain-lowering"]).ends(0);
    insta::assert_snapshot!(ran.stdout);
}

/// Every reason has its line in the book.
/// A loop that sends to a bounded port.
const ROOM: &str = "hasse = 1\nmain = \"room\"

[graph.room]
arcs = [\"A.x -> B.x\", \"B.y -> C.y\", \"B.y -> D.z\", \"D.w -> E.w\", \"E.v -> F.v\", \"D.w -> G.w\", \"G.q -> H.q\"]

[graph.room.uc.A]
start = true
out = { x = \"int\" }
route = [\"x <- 3\"]

[graph.room.uc.B]
in = { x = \"int\" }
out = { y = \"int\" }
fire = [\"x -> x\"]
route = [\"y <- k for k in 0..x\"]

[graph.room.uc.C]
in = { y = { type = \"int\", bound = 4 } }
fire = [\"y -> _y\"]

[graph.room.uc.D]
in = { z = { type = \"int\", bound = 4, full = \"drop-oldest\" } }
out = { w = \"int\" }
fire = [\"z -> z\"]
route = [\"w <- z\"]

[graph.room.uc.E]
in = { w = \"int\" }
out = { v = \"int\" }
fire = [\"w -> w\"]
route = [\"v <- w after 1 ms\"]

[graph.room.uc.F]
in = { v = \"int\" }
vars = { n = \"int\" }
fire = [\"v -> v\"]
do = 'n += v; print(n);'
on_error = \"continue\"

[graph.room.uc.G]
in = { w = \"int\" }
out = { q = \"int\" }
fire = [\"w -> w\"]
route = [\"q <- w\"]

[graph.room.uc.H]
in = { q = { type = \"int\", bound = 4, full = \"fail\" } }
fire = [\"q -> _q after 1 s\"]
";

#[test]
fn json_names_reasons_that_the_book_explains() {
    let folder = Folder::with("tiers.hasse", &program(NODES));
    let many: Vec<String> = (0..65).map(|rule| format!("\"y <- {rule} if x == {rule}\"")).collect();
    let many = format!("fire = [\"x -> x\"]\nroute = [{}]", many.join(", "));
    let results =
        ["A", "B"].map(|name| (name, "x = \"int\"", "", "fire = [\"x -> x\"]\ndo = 'result(\"r\", x);'"));
    let plain = ("Plain", "x = \"int\"", "", "fire = [\"x -> x\"]");
    let lines = "fire = [\"x -> x\"]\ndo = 'let t = `${x}`;'\nroute = [\"y <- x\"]";
    folder.write("body.hasse", &program(&[("Body", "x = \"int\"", "y = \"int\"", lines)]));
    folder.write("many.hasse", &program(&[("Many", "x = \"int\"", "y = \"int\"", &many)]));
    folder.write("results.hasse", &program(&[results[0], results[1], plain]));
    folder.write("room.hasse", ROOM);
    let mut codes = BTreeSet::new();
    for name in ["tiers.hasse", "body.hasse", "many.hasse", "results.hasse", "room.hasse"] {
        let found = folder.hasse(&["check", name, "--explain-lowering", "--json"]).ends(0).json();
        let nodes = found["nodes"].as_array().unwrap();
        let counted: u64 =
            found["tiers"].as_array().unwrap().iter().filter_map(|tier| tier["nodes"].as_u64()).sum();
        assert_eq!(counted, nodes.len() as u64, "{found:#}");
        let parts = nodes.iter().flat_map(|node| node["parts"].as_array().unwrap());
        for part in parts {
            let reasons = part["reasons"].as_array().unwrap();
            assert_eq!(reasons.is_empty(), part["tier"] == "columns", "{part:#}");
            codes.extend(reasons.iter().map(|reason| reason["code"].as_str().unwrap().to_owned()));
        }
    }
    let page = std::fs::read_to_string(repository().join("docs/compiled.md")).unwrap();
    let missing: Vec<&String> = codes.iter().filter(|code| !page.contains(&format!("`{code}`"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let named = page.lines().filter(|line| line.starts_with("| `")).flat_map(|line| {
        let names = line.split('|').nth(1).unwrap_or_default();
        names.split(", ").map(|name| name.trim().trim_matches('`').to_owned()).collect::<Vec<_>>()
    });
    // Other tests have these reasons: of code in Rust, of options of a library, and of types with very many values.
    let elsewhere = ["rust-body", "captured", "large-default", "many-sent", "expression-other"];
    let unseen: Vec<String> =
        named.filter(|name| !codes.contains(name) && !elsewhere.contains(&name.as_str())).collect();
    assert!(unseen.is_empty(), "{unseen:?}");
}
