//! Statements and expressions that make, copy and change arrays, vectors and matrices as wholes.

use super::{Kind, Writer};

/// What a name holds that is no scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Thing {
    /// `int[]`
    Ints,
    /// `real[]`
    Reals,
    /// `real[][]`
    Table,
    Vector,
    Matrix,
}

const THINGS: [Thing; 5] = [Thing::Ints, Thing::Reals, Thing::Table, Thing::Vector, Thing::Matrix];

impl Writer<'_> {
    pub(super) fn thing(&mut self) -> Thing {
        THINGS[self.dice.below(THINGS.len())]
    }

    /// A name that holds such a thing, one of the node's or of the body's.
    fn thing_name(&mut self, thing: Thing) -> Option<String> {
        let of_node = match thing {
            _ if self.in_function => None,
            Thing::Ints => Some("va"),
            Thing::Reals => Some("st.list"),
            Thing::Vector => Some("vv"),
            Thing::Matrix => Some("vm"),
            Thing::Table => None,
        };
        let own = self.things.iter().filter(|(_, known)| *known == thing).map(|(name, _)| name.clone());
        let known: Vec<String> = own.chain(of_node.map(str::to_owned)).collect();
        if known.is_empty() { None } else { Some(known[self.dice.below(known.len())].clone()) }
    }

    /// A function that makes a thing out of others, which it looks into.
    pub(super) fn thing_function(&mut self) {
        let name = format!("g{}", self.thing_functions.len());
        let (takes, gives) = (self.thing(), self.thing());
        self.names = vec![("p0".to_owned(), Kind::Int)];
        self.assignable = self.names.clone();
        self.things = vec![("q0".to_owned(), takes)];
        self.line(0, &format!("fn {name}(p0, q0) {{"));
        let made = self.thing_expression(gives, 2);
        self.line(1, &format!("let made = {made};"));
        self.things.push(("made".to_owned(), gives));
        for _ in 0..self.dice.below(3) {
            let line = self.change("made", gives);
            self.line(1, &line);
        }
        if self.dice.below(2) == 0 {
            let guard = self.expression(Kind::Bool, 1);
            let value = self.thing_expression(gives, 1);
            self.line(1, &format!("if {guard} {{ return {value}; }}"));
        }
        self.line(1, "made");
        self.line(0, "}");
        self.things.clear();
        self.thing_functions.push((name, takes, gives));
    }

    /// An expression that gives such a thing.
    pub(super) fn thing_expression(&mut self, thing: Thing, depth: usize) -> String {
        let named = self.thing_name(thing);
        if let Some(name) = named
            && (depth == 0 || self.dice.below(4) == 0)
        {
            return name;
        }
        let below = depth.saturating_sub(1);
        let choice = self.dice.below(6);
        let meant = self.thing_functions.iter().find(|function| function.2 == thing).cloned();
        if let (4, Some((name, takes, _))) = (choice, meant)
            && depth > 0
        {
            let number = self.expression(Kind::Int, 1);
            return format!("{name}({number}, {})", self.thing_expression(takes, below));
        }
        if choice == 0 && depth > 0 {
            let guard = self.expression(Kind::Bool, 1);
            let (one, other) = (self.thing_expression(thing, below), self.thing_expression(thing, below));
            return format!("(if {guard} {{ {one} }} else {{ {other} }})");
        }
        if let (1, Thing::Ints | Thing::Reals | Thing::Table) = (choice, thing)
            && depth > 0
        {
            let (one, other) = (self.thing_expression(thing, below), self.thing_expression(thing, below));
            return format!("({one} + {other})");
        }
        if let (2, Thing::Ints | Thing::Reals | Thing::Table) = (choice, thing)
            && depth > 0
        {
            let (array, from) = (self.thing_expression(thing, below), self.dice.below(5) as i64 - 2);
            return match self.dice.below(2) {
                0 => format!("({array}).extract({from})"),
                _ => format!("extract({array}, {from}, {})", self.dice.below(4)),
            };
        }
        match thing {
            Thing::Ints if choice == 5 && self.calls_natives => {
                format!("below({})", self.expression(Kind::Int, 1))
            }
            Thing::Ints => {
                let items: Vec<String> =
                    (0..1 + self.dice.below(4)).map(|_| self.expression(Kind::Int, 1)).collect();
                format!("[{}]", items.join(", "))
            }
            Thing::Reals if choice == 3 && depth > 0 => {
                format!("to_array({})", self.thing_expression(Thing::Vector, below))
            }
            Thing::Reals => {
                let items: Vec<String> =
                    (0..1 + self.dice.below(3)).map(|_| self.expression(Kind::Real, 1)).collect();
                format!("[{}]", items.join(", "))
            }
            Thing::Table => {
                let rows: Vec<String> =
                    (0..1 + self.dice.below(2)).map(|_| self.thing_expression(Thing::Reals, below)).collect();
                format!("[{}]", rows.join(", "))
            }
            Thing::Vector => self.vector(depth),
            Thing::Matrix => self.matrix(depth),
        }
    }

    fn vector(&mut self, depth: usize) -> String {
        let real = self.expression(Kind::Real, 1);
        if depth == 0 {
            // Ints and reals in one array.
            return format!("vector([{real}, {}, 2])", self.expression(Kind::Int, 1));
        }
        match self.dice.below(if self.calls_natives { 9 } else { 7 }) {
            7 => format!("mirrored({}, {real})", self.thing_expression(Thing::Vector, depth - 1)),
            8 => format!("({}).mirrored(2)", self.thing_expression(Thing::Vector, depth - 1)),
            0 => format!("vector({})", self.dice.below(5)),
            1 => format!("({} * {real})", self.thing_expression(Thing::Vector, depth - 1)),
            2 => format!("({real} * {})", self.thing_expression(Thing::Vector, depth - 1)),
            3 => format!("(-{})", self.thing_expression(Thing::Vector, depth - 1)),
            4 => {
                // Not of one length, now and then.
                let (one, other) =
                    (self.thing_name(Thing::Vector), self.thing_expression(Thing::Vector, depth - 1));
                let one = one.unwrap_or_else(|| other.clone());
                if self.dice.below(6) == 0 {
                    format!("({one} + {other})")
                } else {
                    format!("({one} - {one})")
                }
            }
            5 => format!("row({}, 0)", self.thing_expression(Thing::Matrix, depth - 1)),
            _ => format!("slice({}, 0, 1)", self.thing_expression(Thing::Vector, depth - 1)),
        }
    }

    fn matrix(&mut self, depth: usize) -> String {
        match if depth == 0 { 5 } else { self.dice.below(5) } {
            0 => "identity(2)".to_owned(),
            1 => format!("transpose({})", self.thing_expression(Thing::Matrix, depth - 1)),
            2 => format!(
                "({} * {})",
                self.thing_expression(Thing::Matrix, depth - 1),
                self.expression(Kind::Real, 1)
            ),
            3 => {
                let matrix = self.thing_name(Thing::Matrix).unwrap_or_else(|| "identity(3)".to_owned());
                format!("({matrix} + {matrix})")
            }
            4 => format!("block({}, 0, 0, 1, 1)", self.thing_expression(Thing::Matrix, depth - 1)),
            _ => {
                let row: Vec<String> = (0..3).map(|_| self.expression(Kind::Real, 1)).collect();
                format!("matrix([[{0}], [{0}]])", row.join(", "))
            }
        }
    }

    /// A statement that makes a thing or changes one.
    pub(super) fn thing_statement(&mut self, depth: usize) {
        let thing = self.thing();
        if self.dice.below(3) == 0 || self.things.is_empty() {
            let (name, value) = (self.fresh(), self.thing_expression(thing, 2));
            self.line(depth, &format!("let {name} = {value};"));
            self.things.push((name, thing));
            return;
        }
        let (name, thing) = self.things[self.dice.below(self.things.len())].clone();
        let line = self.change(&name, thing);
        self.line(depth, &line);
    }

    fn change(&mut self, name: &str, thing: Thing) -> String {
        let choice = self.dice.below(10);
        if choice < 2 {
            return format!("{name} = {};", self.thing_expression(thing, 2));
        }
        let item = |writer: &mut Self| match thing {
            Thing::Ints => writer.expression(Kind::Int, 2),
            Thing::Reals => writer.expression(Kind::Real, 2),
            _ => writer.thing_expression(Thing::Reals, 1),
        };
        match (thing, choice) {
            (Thing::Ints | Thing::Reals | Thing::Table, 2 | 3) => format!("{name}.push({});", item(self)),
            (Thing::Ints | Thing::Reals | Thing::Table, 4) => {
                format!("{name} += {};", self.thing_expression(thing, 1))
            }
            (Thing::Ints | Thing::Reals | Thing::Table, 5) => {
                let len = self.dice.below(6);
                format!("{name}.pad({len}, {});", item(self))
            }
            (Thing::Ints | Thing::Reals | Thing::Table, 6) => match self.dice.below(4) {
                0 => format!("{name}.clear();"),
                1 => format!("{name}.truncate({});", self.dice.below(4) as i64 - 1),
                2 => format!("{name}.append({});", self.thing_expression(thing, 1)),
                _ => format!("{name}.reverse();"),
            },
            (Thing::Ints | Thing::Reals, 7) => format!("{name}.sort();"),
            (Thing::Ints, 8) if !self.in_function => {
                format!("if !{name}.is_empty() {{ vi = {name}.pop(); }}")
            }
            (Thing::Table, 7 | 8) => {
                let place = self.place(2);
                format!("if {name}.len > 1 {{ {name}[{place}] = {}; }}", item(self))
            }
            (Thing::Table, _) => {
                let real = self.expression(Kind::Real, 1);
                format!("if {name}.len > 0 {{ {name}[0].push({real}); {name}[0][0] += {real}; }}")
            }
            (Thing::Ints | Thing::Reals, _) => {
                let place = self.place(2);
                format!("if {name}.len > 1 {{ {name}[{place}] = {}; }}", item(self))
            }
            (Thing::Vector, 2 | 3) => format!("{name} *= {};", self.expression(Kind::Real, 1)),
            (Thing::Vector, 4 | 5) => format!("{name}.append({});", self.thing_expression(Thing::Vector, 1)),
            (Thing::Vector, 6) => format!("{name} += {name};"),
            (Thing::Vector, _) => {
                let value = self.expression(Kind::Real, 2);
                format!("if {name}.len > 1 {{ {name}[{}] = {value}; }}", self.place(2))
            }
            (Thing::Matrix, 2 | 3) => format!("{name} -= {name};"),
            (Thing::Matrix, _) => {
                let value = self.expression(Kind::Real, 2);
                format!("{name}.set(0, 0, {value});")
            }
        }
    }

    /// A loop through the rows of a table.
    pub(super) fn through_table(&mut self, depth: usize) {
        let (table, row) = (self.thing_expression(Thing::Table, 1), self.fresh());
        self.line(depth, &format!("for {row} in {table} {{"));
        self.things.push((row, Thing::Reals));
        self.assignment(depth + 1);
        self.things.pop();
        self.line(depth, "}");
    }

    /// A scalar out of a thing.
    pub(super) fn scalar_of_thing(&mut self, kind: Kind, depth: usize) -> String {
        match (kind, self.dice.below(4)) {
            (Kind::Int, 1) if self.calls_natives => {
                format!("total({})", self.thing_expression(Thing::Ints, depth.min(1)))
            }
            (Kind::Int, 0) => format!("len({})", self.thing_expression(Thing::Table, depth.min(1))),
            (Kind::Int, _) => match self.thing_name(Thing::Ints) {
                Some(name) => {
                    format!("(if {name}.len > 1 {{ {name}[-1] }} else {{ {name}.len }})")
                }
                None => "1".to_owned(),
            },
            (Kind::Real, 0) => format!("norm({})", self.thing_expression(Thing::Vector, depth.min(1))),
            (Kind::Real, 1) => format!("sum({})", self.thing_expression(Thing::Vector, depth.min(1))),
            (Kind::Real, _) => match self.thing_name(Thing::Reals) {
                Some(name) => format!("(if {name}.len > 0 {{ {name}[0] }} else {{ 0.5 }})"),
                None => "1.5".to_owned(),
            },
            (Kind::Bool, 0) => {
                let vector = self.thing_expression(Thing::Vector, depth.min(1));
                format!("({vector} == {})", self.thing_expression(Thing::Vector, 0))
            }
            (Kind::Bool, _) => format!("{}.is_empty()", self.thing_expression(Thing::Ints, 0)),
        }
    }

    /// Rules that send things of the body, and things that they make.
    pub(super) fn thing_routes(&mut self) -> Vec<String> {
        let mut routes = Vec::new();
        for (port, thing) in
            [("a", Thing::Ints), ("v", Thing::Vector), ("m2", Thing::Matrix), ("t", Thing::Table)]
        {
            if let Some((name, _)) = self.things.iter().rev().find(|(_, known)| *known == thing).cloned() {
                routes.push(format!("{port} <- {name}"));
            }
            let guard = self.expression(Kind::Bool, 1);
            routes.push(format!("{port} <- {} if {guard}", self.thing_expression(thing, 1)));
        }
        routes
    }
}
