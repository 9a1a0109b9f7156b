//! A generator of bodies in the typed numeric subset: valid Rhai that mostly runs to its end, and now and then fails by an
//! overflow, a division by zero, an index outside of its object, `throw`, or a function in Rust.

use std::fmt::Write;

use crate::dice::Dice;
use objects::Thing;

pub mod natives;
mod objects;

/// What an expression gives.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Int,
    Real,
    Bool,
}

const KINDS: [Kind; 3] = [Kind::Int, Kind::Real, Kind::Bool];

/// A body with the routing rules that tell what it left.
pub struct Generated {
    pub body: String,
    pub routes: Vec<String>,
}

struct Writer<'d> {
    dice: &'d mut Dice,
    text: String,
    /// Names that can be read, innermost last.
    names: Vec<(String, Kind)>,
    /// Names that can be assigned.
    assignable: Vec<(String, Kind)>,
    /// Names of the body that hold arrays, vectors and matrices.
    things: Vec<(String, Thing)>,
    /// Functions that make one thing of an int and another thing.
    thing_functions: Vec<(String, Thing, Thing)>,
    n_names: usize,
    /// Functions with the kinds of their parameters and of what they give.
    functions: Vec<(String, Vec<Kind>, Kind)>,
    in_function: bool,
    n_loops: usize,
    calls_natives: bool,
    /// True in bodies, which may ask the world outside, and false in rules.
    asks: bool,
    /// Prefix of the names of its results.
    node: &'d str,
}

/// A body of about `size` statements for a node; it calls [`natives`] where `calls_natives`.
pub fn body(dice: &mut Dice, node: &str, size: usize, calls_natives: bool) -> Generated {
    let name = |name: &str, kind| (name.to_owned(), kind);
    let names = vec![
        name("n", Kind::Int),
        name("r", Kind::Real),
        name("x", Kind::Int),
        name("y", Kind::Real),
        name("vi", Kind::Int),
        name("vr", Kind::Real),
        name("vb", Kind::Bool),
        name("count", Kind::Int),
    ];
    let assignable = vec![name("vi", Kind::Int), name("vr", Kind::Real), name("vb", Kind::Bool)];
    let mut writer = Writer {
        dice,
        text: String::new(),
        names: Vec::new(),
        assignable: Vec::new(),
        things: Vec::new(),
        thing_functions: Vec::new(),
        n_names: 0,
        functions: Vec::new(),
        in_function: true,
        n_loops: 0,
        calls_natives,
        asks: calls_natives,
        node,
    };
    for _ in 0..writer.dice.below(3) {
        writer.function();
    }
    for _ in 0..writer.dice.below(3) {
        writer.thing_function();
    }
    writer.in_function = false;
    (writer.names, writer.assignable) = (names, assignable);
    for _ in 0..1 + writer.dice.below(size) {
        writer.statement(0);
    }
    let outer = writer.names.clone();
    // Rules do not see the functions of the body, and ask nothing.
    writer.asks = false;
    writer.functions.clear();
    writer.thing_functions.clear();
    let mut routes = Vec::new();
    for (port, kind) in [("i", Kind::Int), ("f", Kind::Real), ("b", Kind::Bool)] {
        let known: Vec<_> = outer.iter().filter(|(_, known)| *known == kind).cloned().collect();
        if let Some((last, _)) = known.last() {
            routes.push(format!("{port} <- {last}"));
        }
        let value = writer.expression(kind, 2);
        let guard = writer.expression(Kind::Bool, 2);
        routes.push(format!("{port} <- {value} if {guard}"));
    }
    routes.extend(writer.thing_routes());
    let element = writer.expression(Kind::Int, 1);
    routes.push(format!("e[({element}) % 3] <- k for k in 0..2"));
    routes.extend(
        ["i <- vi", "f <- vr", "b <- vb", "v <- vv", "a <- va", "m <- vm", "s <- st"].map(str::to_owned),
    );
    Generated { body: writer.text, routes }
}

impl Writer<'_> {
    fn fresh(&mut self) -> String {
        self.n_names += 1;
        format!("t{}", self.n_names)
    }

    fn kind(&mut self) -> Kind {
        KINDS[self.dice.below(3)]
    }

    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", 4 * depth);
    }

    fn function(&mut self) {
        let name = format!("f{}", self.functions.len());
        let params: Vec<Kind> = (0..1 + self.dice.below(3)).map(|_| self.kind()).collect();
        let gives = self.kind();
        let shown: Vec<String> = (0..params.len()).map(|place| format!("p{place}")).collect();
        self.names = shown.iter().cloned().zip(params.iter().copied()).collect();
        self.assignable = self.names.clone();
        self.line(0, &format!("fn {name}({}) {{", shown.join(", ")));
        let calls_itself = params[0] == Kind::Int && self.dice.below(3) == 0;
        if calls_itself {
            let end = self.expression(gives, 1);
            // Now and then deeper than calls may nest.
            let most = [5, 20, 100][self.dice.below(3)];
            self.line(1, &format!("if p0 <= 0 || p0 > {most} {{ return {end}; }}"));
        }
        for _ in 0..self.dice.below(3) {
            self.statement(1);
        }
        let value = if calls_itself {
            let mut arguments = vec!["p0 - 1".to_owned()];
            for kind in &params[1..] {
                arguments.push(self.expression(*kind, 1));
            }
            format!("{name}({})", arguments.join(", "))
        } else {
            self.expression(gives, 2)
        };
        self.line(1, &value);
        self.line(0, "}");
        self.functions.push((name, params, gives));
    }

    fn block(&mut self, depth: usize, n_statements: usize) {
        let (n_names, n_assignable, n_things) = (self.names.len(), self.assignable.len(), self.things.len());
        for _ in 0..n_statements {
            self.statement(depth);
        }
        self.names.truncate(n_names);
        self.assignable.truncate(n_assignable);
        self.things.truncate(n_things);
    }

    fn statement(&mut self, depth: usize) {
        let n_inner = 1 + self.dice.below(2);
        if !self.in_function && self.dice.below(4) == 0 {
            return match self.dice.below(6) {
                0 => self.through_table(depth),
                _ => self.thing_statement(depth),
            };
        }
        match self.dice.below(if depth < 3 { 14 } else { 8 }) {
            0 | 1 => {
                let kind = self.kind();
                let (name, value) = (self.fresh(), self.expression(kind, 3));
                self.line(depth, &format!("let {name} = {value};"));
                self.names.push((name.clone(), kind));
                self.assignable.push((name, kind));
            }
            2..=4 => self.assignment(depth),
            5 => self.object_statement(depth),
            6 => {
                if self.in_function {
                    return self.assignment(depth);
                }
                let guard = self.expression(Kind::Bool, 2);
                let line = match self.dice.below(2) {
                    0 => format!("if vi == 77 && {guard} {{ throw \"no\"; }}"),
                    // Left to the interpreter.
                    _ => {
                        let node = self.node;
                        format!("if vi % 5 == 1 && {guard} {{ result(\"{node}.text\", `vi is ${{vi}}`); }}")
                    }
                };
                self.line(depth, &line);
            }
            7 => match self.dice.below(3) {
                0 => match self.dice.below(2) {
                    0 => self.print(depth),
                    _ => self.result(depth),
                },
                _ => self.assignment(depth),
            },
            8 | 9 => {
                let guard = self.expression(Kind::Bool, 2);
                self.line(depth, &format!("if {guard} {{"));
                self.block(depth + 1, n_inner);
                if self.dice.below(2) == 0 {
                    self.line(depth, "} else {");
                    self.block(depth + 1, n_inner);
                }
                self.line(depth, "}");
            }
            10 | 11 => {
                let (name, high) = (self.fresh(), 1 + self.dice.below(6) as i64);
                let range = match self.dice.below(6) {
                    4 => format!("range({high}, -4, -2)"),
                    5 => {
                        let low = self.name(Kind::Int).unwrap_or_else(|| "-1".to_owned());
                        format!("range({low} % 9, {high}, {})", 1 + self.dice.below(3))
                    }
                    0 => format!("0..={high}"),
                    // Not from far below: that would take forever.
                    1 => format!(
                        "max({}, -9)..{high}",
                        self.name(Kind::Int).unwrap_or_else(|| "-1".to_owned())
                    ),
                    2 => format!("-2..{}", high - 2),
                    _ => format!("0..{high}"),
                };
                let counter = self.fresh();
                let is_counted = self.dice.below(3) == 0;
                let head = if is_counted { format!("({name}, {counter})") } else { name.clone() };
                self.line(depth, &format!("for {head} in {range} {{"));
                self.names.push((name.clone(), Kind::Int));
                if is_counted {
                    self.names.push((counter, Kind::Int));
                }
                self.n_loops += 1;
                self.block(depth + 1, n_inner);
                self.jump(depth + 1);
                self.n_loops -= 1;
                self.names.truncate(self.names.len() - 1 - usize::from(is_counted));
                self.line(depth, "}");
            }
            12 if !self.in_function => {
                let (item, object) = (self.fresh(), ["vv", "va"][self.dice.below(2)]);
                self.line(depth, &format!("for {item} in {object} {{"));
                let kind = if object == "vv" { Kind::Real } else { Kind::Int };
                self.names.push((item.clone(), kind));
                self.assignable.push((item, kind));
                let assignments = 1 + self.dice.below(2);
                for _ in 0..assignments {
                    self.assignment(depth + 1);
                }
                self.names.pop();
                self.assignable.pop();
                self.line(depth, "}");
            }
            _ => {
                let (name, most) = (self.fresh(), 1 + self.dice.below(5));
                self.line(depth, &format!("let {name} = 0;"));
                self.names.push((name.clone(), Kind::Int));
                let guard = self.expression(Kind::Bool, 1);
                let is_do = self.dice.below(3) == 0;
                self.line(
                    depth,
                    &if is_do { "do {".to_owned() } else { format!("while {name} < {most} && ({guard}) {{") },
                );
                self.line(depth + 1, &format!("{name} += 1;"));
                self.n_loops += 1;
                self.block(depth + 1, n_inner);
                if !is_do {
                    self.jump(depth + 1);
                }
                self.n_loops -= 1;
                self.line(depth, &if is_do { format!("}} while {name} < {most};") } else { "}".to_owned() });
            }
        }
    }

    /// Prints a value, or values within a text.
    fn print(&mut self, depth: usize) {
        let kinds = [self.kind(), self.kind()];
        let [one, other] = kinds.map(|kind| self.expression(kind, 1));
        let printed = match self.dice.below(if self.in_function { 5 } else { 8 }) {
            0 => one,
            1 => "\"a text\"".to_owned(),
            2 => format!("`it is ${{{one}}}`"),
            3 => format!("`${{{one}}} and ${{{other}}},`"),
            4 => format!("\"it is \" + ({one}) + \", \" + ({other})"),
            5 => ["vv", "va", "vm"][self.dice.below(3)].to_owned(),
            6 => format!("`${{vv}} ${{{one}}}`"),
            _ => format!("\"it is \" + ({one})"),
        };
        self.line(depth, &format!("print({printed});"));
    }

    /// Sets one of a few results.
    fn result(&mut self, depth: usize) {
        let n_ways = if self.in_function { 2 } else { 4 };
        let value = match self.dice.below(n_ways) {
            2 => ["vv", "va", "vm", "st", "st.list"][self.dice.below(5)].to_owned(),
            3 => {
                let thing = self.thing();
                self.thing_expression(thing, 1)
            }
            _ => {
                let kind = self.kind();
                self.expression(kind, 2)
            }
        };
        let (node, number) = (self.node, self.dice.below(3));
        self.line(depth, &format!("result(\"{node}.{number}\", {value});"));
    }

    fn jump(&mut self, depth: usize) {
        if self.dice.below(3) == 0 {
            let guard = self.expression(Kind::Bool, 1);
            let what = ["break", "continue"][self.dice.below(2)];
            self.line(depth, &format!("if {guard} {{ {what}; }}"));
            self.assignment(depth);
        }
    }

    fn assignment(&mut self, depth: usize) {
        if self.assignable.is_empty() {
            return;
        }
        let (name, kind) = self.assignable[self.dice.below(self.assignable.len())].clone();
        let value = self.expression(kind, 3);
        let operator = match kind {
            Kind::Int => ["=", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="][self.dice.below(10)],
            Kind::Real => ["=", "=", "+=", "-=", "*=", "/="][self.dice.below(6)],
            Kind::Bool => ["=", "=", "&=", "|="][self.dice.below(4)],
        };
        self.line(depth, &format!("{name} {operator} {value};"));
    }

    /// A place within an object that can be assigned, and what stands there.
    fn object_place(&mut self) -> (String, Kind) {
        match self.dice.below(6) {
            0 | 1 => (format!("vv[{}]", self.place(4)), Kind::Real),
            2 | 3 => (format!("va[{}]", self.place(3)), Kind::Int),
            4 => ("st.a".to_owned(), Kind::Int),
            _ => (format!("st.list[{}]", self.place(2)), Kind::Real),
        }
    }

    /// An index number, mostly within `0..len`.
    fn place(&mut self, len: usize) -> String {
        match self.dice.below(12) {
            0 => format!("abs({}) % {len}", self.expression(Kind::Int, 1)),
            1 => "-1".to_owned(),
            2 if self.dice.below(4) == 0 => len.to_string(),
            _ => self.dice.below(len).to_string(),
        }
    }

    fn object_statement(&mut self, depth: usize) {
        if self.in_function {
            return self.assignment(depth);
        }
        if self.dice.below(5) == 0 {
            let (row, col) = (self.place(2), self.place(3));
            let kind = [Kind::Int, Kind::Real][self.dice.below(2)];
            let value = self.expression(kind, 2);
            return self.line(depth, &format!("vm.set({row}, {col}, {value});"));
        }
        let (place, kind) = self.object_place();
        let value = self.expression(kind, 2);
        let operator =
            if kind == Kind::Int { ["=", "+=", "*="] } else { ["=", "-=", "/="] }[self.dice.below(3)];
        self.line(depth, &format!("{place} {operator} {value};"));
    }

    fn name(&mut self, kind: Kind) -> Option<String> {
        let known: Vec<&String> =
            self.names.iter().filter(|(_, known)| *known == kind).map(|(name, _)| name).collect();
        if known.is_empty() { None } else { Some(known[self.dice.below(known.len())].clone()) }
    }

    fn constant(&mut self, kind: Kind) -> String {
        match kind {
            Kind::Int => {
                let rare = ["9223372036854775807", "4611686018427387904", "-1", "0", "77"];
                if self.dice.below(20) == 0 {
                    rare[self.dice.below(5)].to_owned()
                } else {
                    (self.dice.below(12) as i64 - 3).to_string()
                }
            }
            Kind::Real => {
                ["0.5", "1.25", "-3.75", "2.0", "1e10", "0.1", "0.0"][self.dice.below(7)].to_owned()
            }
            Kind::Bool => ["true", "false"][self.dice.below(2)].to_owned(),
        }
    }

    /// A call of a function in Rust.
    fn native(&mut self, kind: Kind, depth: usize) -> String {
        let int = self.expression(Kind::Int, depth);
        // An int is a real to them.
        let real = [Kind::Real, Kind::Real, Kind::Int][self.dice.below(3)];
        let real = self.expression(real, depth);
        match (kind, self.dice.below(4)) {
            (Kind::Int, 0) => "seven()".to_owned(),
            (Kind::Int, 1) => format!("third({int})"),
            (Kind::Int, 2) => format!("({int}).third()"),
            (Kind::Int, _) => {
                let flag = self.expression(Kind::Bool, depth);
                if self.dice.below(6) == 0 {
                    format!("small({int}, {flag})")
                } else {
                    format!("small(abs({int} % 9), {flag})")
                }
            }
            (Kind::Real, 0) => format!("root({real})"),
            (Kind::Real, 1) => format!("({real}).blend({real}, {int})"),
            (Kind::Real, _) => format!("blend({}, {real}, {int})", self.expression(Kind::Real, depth)),
            (Kind::Bool, _) => format!("is_apart({real}, {int}, {})", self.expression(Kind::Bool, depth)),
        }
    }

    /// A question to the world outside, whose answer is recorded: it is the same in all runs with one seed.
    fn question(&mut self, kind: Kind, depth: usize) -> String {
        let int = self.expression(Kind::Int, depth);
        match (kind, self.dice.below(4)) {
            (Kind::Int, 0) => format!("asked({int})"),
            // Now and then the first number is the greater one.
            (Kind::Int, 1) => format!("random_int({int} % 9, 7)"),
            (Kind::Int, _) => "random_int(-3, 9)".to_owned(),
            (Kind::Real, 0) => {
                format!("measured({}, {})", self.constant(Kind::Real), self.constant(Kind::Bool))
            }
            (Kind::Real, 1) => format!("random_normal({}, 2.5)", self.constant(Kind::Real)),
            (Kind::Real, 2) => "random_normal()".to_owned(),
            (Kind::Real, _) => "random()".to_owned(),
            (Kind::Bool, _) => "(random() < 0.5)".to_owned(),
        }
    }

    fn expression(&mut self, kind: Kind, depth: usize) -> String {
        if depth == 0 || self.dice.below(5) == 0 {
            return match self.dice.below(3) {
                0 => self.constant(kind),
                _ => self.name(kind).unwrap_or_else(|| self.constant(kind)),
            };
        }
        let below = depth - 1;
        let choice = self.dice.below(13);
        if choice == 0 {
            let meant: Vec<_> =
                self.functions.iter().filter(|function| function.2 == kind).cloned().collect();
            if !meant.is_empty() {
                let (name, params, _) = meant[self.dice.below(meant.len())].clone();
                let arguments: Vec<String> =
                    params.iter().map(|param| self.expression(*param, below.min(1))).collect();
                return format!("{name}({})", arguments.join(", "));
            }
        }
        if choice == 1 {
            let (guard, one) = (self.expression(Kind::Bool, below), self.expression(kind, below));
            let other = self.expression(kind, below);
            return format!("(if {guard} {{ {one} }} else {{ {other} }})");
        }
        if choice == 2 && !self.in_function && kind != Kind::Bool {
            let (place, found) = self.object_place();
            if found == kind {
                return place;
            }
            return match kind {
                Kind::Int => {
                    ["len(vv)", "va.len", "va.len()", "rows(vm)", "vm.cols"][self.dice.below(5)].to_owned()
                }
                _ => format!("vm.get({}, {})", self.place(2), self.place(3)),
            };
        }
        if choice == 4 && !self.in_function && self.dice.below(2) == 0 {
            return self.scalar_of_thing(kind, below);
        }
        if choice == 3 && self.calls_natives {
            return self.native(kind, below);
        }
        if choice == 5 && self.asks && self.dice.below(2) == 0 {
            return self.question(kind, below);
        }
        match kind {
            Kind::Int => {
                let (one, other) = (self.expression(kind, below), self.expression(kind, below));
                match self.dice.below(14) {
                    0..=2 => format!("({one} + {other})"),
                    3 | 4 => format!("({one} - {other})"),
                    5 => format!("({one} * {other})"),
                    6 => format!("({one} / {other})"),
                    7 => format!("({one} % {other})"),
                    8 => format!("({one} {} {other})", ["&", "|", "^"][self.dice.below(3)]),
                    9 => format!("{}({one}, {other})", ["min", "max"][self.dice.below(2)]),
                    10 => format!("(-({one}))"),
                    11 => format!("abs({one})"),
                    12 => format!("to_int({})", self.expression(Kind::Real, below)),
                    _ => {
                        let function = ["mod_floor", "div_floor", "<<", ">>", "**"][self.dice.below(5)];
                        if function.contains('_') {
                            format!("{function}({one}, {other})")
                        } else {
                            format!("(({one} % 9) {function} (abs({other} % 7)))")
                        }
                    }
                }
            }
            Kind::Real => {
                let other_kind = if self.dice.below(4) == 0 { Kind::Int } else { Kind::Real };
                let (one, other) = (self.expression(Kind::Real, below), self.expression(other_kind, below));
                match self.dice.below(10) {
                    0 | 1 => format!("({one} + {other})"),
                    2 => format!("({one} - {other})"),
                    3 => format!("({other} * {one})"),
                    4 => format!("({one} / {other})"),
                    5 => format!("({one} % {other})"),
                    6 => format!("(-({one}))"),
                    7 => format!("{}({one}, {other})", ["min", "max", "hypot", "atan2"][self.dice.below(4)]),
                    8 => {
                        let functions =
                            ["sqrt", "sin", "exp", "floor", "round", "abs", "cbrt", "fraction", "ceil", "ln"];
                        let function = functions[self.dice.below(functions.len())];
                        if self.dice.below(3) == 0 {
                            format!("({one}).{function}()")
                        } else {
                            format!("{function}({one})")
                        }
                    }
                    _ => format!("to_real({})", self.expression(Kind::Int, below)),
                }
            }
            Kind::Bool => match self.dice.below(8) {
                0..=2 => {
                    let of = [Kind::Int, Kind::Real][self.dice.below(2)];
                    let (one, other) = (self.expression(of, below), self.expression(of, below));
                    format!("({one} {} {other})", ["==", "!=", "<", "<=", ">", ">="][self.dice.below(6)])
                }
                3 => {
                    let (one, other) =
                        (self.expression(Kind::Int, below), self.expression(Kind::Real, below));
                    format!("({one} {} {other})", ["==", "<", ">="][self.dice.below(3)])
                }
                4 => format!("!({})", self.expression(kind, below)),
                5 => {
                    let (one, other) = (self.expression(kind, below), self.expression(kind, below));
                    format!("({one} {} {other})", ["&", "|", "^", "==", "!="][self.dice.below(5)])
                }
                _ => {
                    let (one, other) = (self.expression(kind, below), self.expression(kind, below));
                    format!("({one} {} {other})", ["&&", "||"][self.dice.below(2)])
                }
            },
        }
    }
}
