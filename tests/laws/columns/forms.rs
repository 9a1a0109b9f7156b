//! Forms of the nodes of generated programs whose values go in columns.

/// Nodes that take a value `x` of a type: the type of what they send, more inputs, more outputs, and all else.
pub(super) type Form = (&'static str, &'static str, &'static str, &'static str);

pub(super) const INT_FORMS: [Form; 27] = [
    ("int", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x\"]"),
    ("int", "", "", "fire = [\"x -> x\"]\ndo = 'let z = x + 1;'\nroute = [\"y <- z\"]"),
    (
        "int",
        "",
        "",
        "vars = { total = \"int\" }\nfire = [\"x -> x\"]\ndo = 'total = (total + x) % 1000; let z = total;'\nroute = [\"y <- z\"]",
    ),
    ("int", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x if count % 3 != 0\"]"),
    ("int", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x\", \"y <- x if count % 5 == 0\"]"),
    ("int", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x + 1\"]"),
    // Some events speak, and are executed by themselves.
    (
        "int",
        "",
        "",
        "fire = [\"x -> x\"]\ndo = 'if x % 50 == 7 { print(x); } let z = x + 1;'\nroute = [\"y <- z\"]",
    ),
    // Answers of the world, which are the same in all runs.
    ("int", "", "", "fire = [\"x -> x\"]\ndo = 'let z = random_int(x, x) + 1;'\nroute = [\"y <- z\"]"),
    (
        "int",
        "",
        "",
        "vars = { total = \"int\" }\nfire = [\"x -> x\"]\ndo = 'for k in 0..x % 3 { total += random_int(k, k); } let z = total % 1000;'\n\
         route = [\"y <- z if x % 4 != 1\"]",
    ),
    // Some events ask nothing, some ask more than others, and some are executed again after they have asked.
    (
        "int",
        "",
        "",
        "fire = [\"x -> x\"]\ndo = 'let z = x; if x % 3 == 1 { z = random_int(x, x) + random_int(1, 1); }'\nroute = [\"y <- z if x % 5 != 3\"]",
    ),
    (
        "int",
        "",
        "",
        "fire = [\"x -> x\"]\ndo = 'let z = random_int(x, x); if x % 40 == 9 { let s = `${z}`; z += s.len(); } z += random_int(0, 0);'\n\
         route = [\"y <- z\"]",
    ),
    // Rules that take turns, one by one and in longer runs, where each event has one and where some have several.
    (
        "int",
        "",
        "",
        "fire = [\"x -> x if count % 2 == 0\", \"x -> x if count % 2 == 1\"]\nroute = [\"y <- x\"]",
    ),
    (
        "int",
        "",
        "",
        "fire = [\"x -> x\", \"x -> x if count % 3 == 0\", \"x -> x if count % 50 < 20\"]\ndo = 'let z = x + rule;'\nroute = [\"y <- z\"]",
    ),
    (
        "int",
        "",
        "",
        "fire = [\"x -> x if count % 7 < 4\", \"x -> x if count % 7 >= 4 || count < 0\"]\ndo = 'let z = random_int(x, x);'\n\
         route = [\"y <- z if count % 3 != 0\", \"y <- x + rule if x % 4 == 1\"]",
    ),
    (
        "int",
        "",
        "",
        "shared = { box = \"write\" }\nfire = [\"x -> x if count % 2 == 0\", \"x -> x if count % 5 != 0\", \"x -> x\"]\n\
         do = 'box += 0; let z = (x + box) % 1000;'\nroute = [\"y <- z\"]",
    ),
    ("int", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- 1000 / (x % 4) if x % 4 != 0\"]"),
    (
        "int",
        "",
        "",
        "fire = [\"x -> x\"]\ndo = 'let z = 2 * x;'\nroute = [\"y <- z - count if z > x + 3 || x == 0\"]",
    ),
    ("real", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x * 0.5\"]"),
    ("bool", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x % 3 == 0\"]"),
    ("P", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- P(x, 0.5)\"]"),
    ("vector", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- vector(3, 1.0 * x) if x % 5 != 2\"]"),
    ("string", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- `${x}`\"]"),
    ("map[string]int", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- #{a: x, b: 7}\"]"),
    (
        "int",
        "",
        "",
        "vars = { seen = \"map[string]int\" }\nfire = [\"x -> x\"]\n\
         do = 'let key = `${x % 5}`; seen[key] = (seen[key] ?? 0) + 1; let z = seen[key];'\nroute = [\"y <- z\"]",
    ),
    // An object that others read at the same time, and that some write without changing it.
    (
        "int",
        "",
        "",
        "shared = { box = \"read\" }\nfire = [\"x -> x\"]\ndo = 'let z = (x + box) % 1000;'\nroute = [\"y <- z\"]",
    ),
    (
        "int",
        "",
        "",
        "shared = { box = \"write\" }\nfire = [\"x -> x\"]\ndo = 'box += 0; let z = (x + box) % 1000;'\nroute = [\"y <- z if x % 4 != 2\"]",
    ),
    // The one that follows takes what it has sent to itself as well.
    (
        "int",
        ", s = \"int\"",
        ", t = \"int\"",
        "fire = [\"x -> x, s -> s\"]\ndo = 'let z = (x + s) % 1000;'\nroute = [\"y <- z\", \"t <- z\"]",
    ),
];

/// Firing rules of which an event may have several, and what they are where that is not to be: one of them is a free choice.
pub(super) const FREE_RULES: [(&str, &str); 2] = [
    (
        "fire = [\"x -> x\", \"x -> x if count % 3 == 0\", \"x -> x if count % 50 < 20\"]",
        "fire = [\"x -> x if count % 3 == 1\", \"x -> x if count % 3 == 0\", \"x -> x if count % 3 == 2\"]",
    ),
    (
        "fire = [\"x -> x if count % 2 == 0\", \"x -> x if count % 5 != 0\", \"x -> x\"]",
        "fire = [\"x -> x if count % 20 < 8\", \"x -> x if count % 20 == 8\", \"x -> x if count % 20 > 8\"]",
    ),
];

pub(super) const REAL_FORMS: [Form; 7] = [
    ("real", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x\"]"),
    ("real", "", "", "fire = [\"x -> x\"]\ndo = 'let z = x * 0.5 + 1.0;'\nroute = [\"y <- z\"]"),
    (
        "real",
        "",
        "",
        "vars = { total = \"real\" }\nfire = [\"x -> x\"]\ndo = 'total = total * 0.5 + x;'\nroute = [\"y <- total\"]",
    ),
    (
        "real",
        "",
        "",
        "fire = [\"x -> x\"]\nroute = [\"y <- x - 1.5 if x > 3.0\", \"y <- 0.5 if count % 4 == 0\"]",
    ),
    ("int", "", "", "fire = [\"x -> x\"]\ndo = 'let z = x.to_int() % 1000;'\nroute = [\"y <- z\"]"),
    ("bool", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x < 20.0\"]"),
    (
        "real",
        ", s = \"real\"",
        ", t = \"real\"",
        "fire = [\"x -> x, s -> s\"]\ndo = 'let z = (x + s) * 0.5;'\nroute = [\"y <- z\", \"t <- z\"]",
    ),
];

pub(super) const BOOL_FORMS: [Form; 5] = [
    ("bool", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x\"]"),
    ("bool", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- !x\"]"),
    (
        "bool",
        "",
        "",
        "vars = { odd = \"bool\" }\nfire = [\"x -> x\"]\ndo = 'odd = odd != x;'\nroute = [\"y <- odd\"]",
    ),
    (
        "int",
        "",
        "",
        "fire = [\"x -> x\"]\ndo = 'let z = if x { count } else { 0 };'\nroute = [\"y <- z if x\"]",
    ),
    (
        "bool",
        ", s = \"bool\"",
        ", t = \"bool\"",
        "fire = [\"x -> x, s -> s\"]\nroute = [\"y <- x || s\", \"t <- x && s\"]",
    ),
];

pub(super) const STRUCT_FORMS: [Form; 7] = [
    ("P", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x\"]"),
    ("P", "", "", "fire = [\"x -> x\"]\ndo = 'x.a += 1; x.b *= 0.5;'\nroute = [\"y <- x\"]"),
    ("P", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x if x.a % 3 != 1\", \"y <- x if count % 4 == 0\"]"),
    ("int", "", "", "fire = [\"x -> x\"]\ndo = 'let z = x.a;'\nroute = [\"y <- z\"]"),
    (
        "P",
        "",
        "",
        "vars = { last = \"P\" }\nfire = [\"x -> x\"]\ndo = 'let z = last; last = x;'\nroute = [\"y <- z\"]",
    ),
    ("P", "", "", "fire = [\"x -> x\"]\ndo = 'let text = `${x.a}`;'\nroute = [\"y <- x\"]"),
    (
        "P",
        ", s = \"P\"",
        ", t = \"P\"",
        "fire = [\"x -> x, s -> s\"]\ndo = 's.a = (s.a + x.a) % 1000;'\nroute = [\"y <- x\", \"t <- s\"]",
    ),
];

pub(super) const VECTOR_FORMS: [Form; 5] = [
    ("vector", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x\"]"),
    (
        "vector",
        "",
        "",
        "fire = [\"x -> x\"]\ndo = 'x[1] += 1.0;'\nroute = [\"y <- x\", \"y <- x if count % 6 == 0\"]",
    ),
    ("vector", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x if x[0] > 4.0\"]"),
    ("real", "", "", "fire = [\"x -> x\"]\ndo = 'let z = x[0] + x[2];'\nroute = [\"y <- z\"]"),
    ("vector", "", "", "fire = [\"x -> x\"]\ndo = 'let z = x * 0.5;'\nroute = [\"y <- z\"]"),
];

pub(super) const STRING_FORMS: [Form; 2] = [
    ("string", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x\"]"),
    ("int", "", "", "fire = [\"x -> x\"]\ndo = 'let z = x.len();'\nroute = [\"y <- z if count % 3 != 0\"]"),
];

pub(super) const MAP_FORMS: [Form; 3] = [
    ("map[string]int", "", "", "fire = [\"x -> x\"]\nroute = [\"y <- x if x.a % 3 != 1\"]"),
    (
        "map[string]int",
        "",
        "",
        "fire = [\"x -> x\"]\ndo = 'x.a += 1; x[`${count % 9}`] = 0;'\nroute = [\"y <- x\", \"y <- x if count % 6 == 0\"]",
    ),
    ("int", "", "", "fire = [\"x -> x\"]\ndo = 'let z = x.len() + x.a % 50;'\nroute = [\"y <- z\"]"),
];

/// Nodes that take `N` values of a type together, by the elements of a family of ports, and send as many: the type that they are for,
/// or none for any, and all but the ports.
pub(super) const FAMILY_FORMS: [(&str, &str); 12] = [
    ("", "fire = [\"x[k] -> v[k] for k in 0..N\"]\nroute = [\"y[k] <- v[N - 1 - k] for k in 0..N\"]"),
    (
        "",
        "fire = [\"x[k] -> v[k] for k in 0..few, x[k] -> w[k - few] for k in few..N\"]\n\
         route = [\"y[k] <- v[k] for k in 0..few\", \"y[k] <- w[k - few] for k in few..N\"]",
    ),
    (
        "",
        "fire = [\"x[k] -> v[N - 1 - k] for k in 0..N\"]\n\
         route = [\"y[k] <- v[k] for k in 0..N if count % 3 != 0\", \"y[0] <- v[-1] if count % 5 == 0\"]",
    ),
    (
        "",
        "fire = [\"x[0] -> a, x[k + 1] -> v[k] for k in 0..N - 1\"]\nroute = [\"y[0] <- a\", \"y[k + 1] <- v[k] for k in 0..N - 1\"]",
    ),
    (
        "",
        "fire = [\"x[k] -> v[k] for k in 0..N\"]\ndo = 'v[0] = v[1];'\nroute = [\"y[k] <- v[k] for k in 0..N\"]",
    ),
    ("", "fire = [\"x[k] -> v[k] for k in 0..N\"]\nroute = [\"y[k] <- v[(count + k) % N] for k in 0..N\"]"),
    (
        "",
        "vars = { last = \"(T)[]\" }\nfire = [\"x[k] -> v[k] for k in 0..N\"]\ndo = 'last = v;'\nroute = [\"y[k] <- v[k] for k in 0..N\"]",
    ),
    (
        "int",
        "fire = [\"x[k] -> v[k] for k in 0..N\"]\nroute = [\"y[k] <- (v[k] + k * v[0]) % 1000 for k in 0..N\"]",
    ),
    (
        "int",
        "fire = [\"x[k] -> v[k] for k in 0..N\"]\ndo = 'let z = 0; for k in 0..N { z += v[k]; }'\n\
         route = [\"y[k] <- (z + k) % 1000 for k in 0..N if v[1] % 4 != 2\"]",
    ),
    (
        "int",
        "vars = { total = \"int\" }\nfire = [\"x[k] -> v[k] for k in 0..N\"]\n\
         do = 'total = (total + v[0] - v[1]) % 1000; if v[0] % 50 == 7 { print(v[0]); }'\n\
         route = [\"y[k] <- if k == 0 { total } else { v[k] } for k in 0..N\"]",
    ),
    (
        "real",
        "fire = [\"x[k] -> v[k] for k in 0..N\"]\nroute = [\"y[k] <- (v[k] + v[0]) * 0.5 for k in 0..N if v[1] < 20.0\"]",
    ),
    (
        "P",
        "fire = [\"x[k] -> v[k] for k in 0..N\"]\ndo = 'v[1].a += 1;'\nroute = [\"y[k] <- v[k] for k in 0..N if v[0].a % 3 != 1\"]",
    ),
];

/// A condition that holds for some values of a type and not for others.
pub(super) fn test_of(ty: &str) -> &'static str {
    match ty {
        "int" => "x % 7 < 3",
        "real" => "x > 10.25",
        "P" => "x.a % 7 < 3",
        "vector" => "x[1] > 10.25",
        "string" => "x.len() % 2 == 1",
        "map[string]int" => "x.a % 7 < 3",
        _ => "x",
    }
}

/// A value of a type.
pub(super) fn first_of(ty: &str) -> &'static str {
    match ty {
        "int" => "1",
        "real" => "1.5",
        "P" => "P(1, 1.5)",
        _ => "true",
    }
}
