//! Lowers bodies and expressions in a typed numeric subset to [routines](hasse_model::plan::routine), or says what is
//! outside of the subset.
//!
//! Types are found by following the text in the order of its execution: a variable has at each place the kind of what
//! was assigned last. Where two ways meet on which it has different kinds, it has none behind, and a text that looks at
//! it there stays with the interpreter. A loop is lowered again until what it begins with is what it comes back with.

use std::collections::BTreeSet;

use hasse_model::diagnostic::Location;
use hasse_model::id::SlotId;
use hasse_model::plan::routine::{Input, Kind, Left, Object, Obstacle, Output, Place, Routine};
use hasse_model::plan::{Script, SlotKind};
use hasse_model::value::Type;
use rhai::{AST, Position};

use super::walk::{Function, functions, walk};
use code::FunctionCode;
use held::{Held, Origin, Var, is_of_objects};
pub(crate) use lowerer::Names;
use lowerer::{Lowered, Lowerer, Parts, Stop, speaks_itself};
use val::Val;

/// Arrays, and what is done with objects.
mod array;
/// Calls of functions.
mod call;
/// Types that must fit when all are known.
mod claim;
/// The operations of a function while it is lowered.
mod code;
/// Text that a `print` writes, and results.
mod effect;
/// Expressions.
mod expression;
/// What names hold.
mod held;
/// State of a loop that is being lowered.
mod loop_state;
/// Loops.
mod loops;
/// The state of lowering.
mod lowerer;
/// Functions that are registered in Rust.
mod native;
/// Operators.
mod operator;
/// Reading and writing by ways into objects.
mod path;
/// Ways into objects.
mod route;
/// Statements.
mod statement;
/// Values of expressions.
mod val;
/// Objects as wholes.
mod whole;

/// Most statements that are lowered of a text, counted again where a loop or a function is lowered again: to be compiled must
/// not take long.
const MOST_STATEMENTS: usize = 20_000;
/// Most functions that are lowered within one another.
const MOST_FUNCTIONS_DEEP: usize = 24;

impl From<Box<Stop>> for Box<Obstacle> {
    fn from(stop: Box<Stop>) -> Self {
        Box::new(stop.obstacle)
    }
}

/// A lowered body.
pub(crate) struct LoweredBody {
    pub(crate) routine: Routine,
    /// What its outermost level binds, in the order of the text: outputs of the slots behind those of the node.
    pub(crate) lets: Vec<(String, Type)>,
    /// Branches that are left to the interpreter.
    pub(crate) exits: Vec<Obstacle>,
}

/// Lowers a body.
pub(crate) fn lower_body(
    ast: &AST,
    script: &Script,
    names: &Names<'_>,
) -> Result<LoweredBody, Box<Obstacle>> {
    let facts = walk(ast);
    let mut lowerer = Lowerer::new(ast, script, names);
    lowerer.outer_lets = facts.outer_lets.iter().map(|(name, _)| name.clone()).collect();
    let replaced = facts.free.iter().filter(|free| free.is_replaced && !free.is_in_function);
    let replaced: BTreeSet<&str> = replaced.map(|free| free.name.as_str()).collect();
    lowerer.begin(facts.free.iter().filter(|free| !free.is_in_function).map(|free| free.name.as_str()))?;
    for (slot_idx, slot) in names.slots.iter().enumerate() {
        if replaced.contains(slot.name.as_str()) {
            lowerer.replaced.push(SlotId::from_idx(slot_idx));
        }
    }
    lowerer.statements(ast.statements())?;
    if lowerer.function.is_reachable {
        lowerer.end_body(Position::NONE)?;
    }
    lowerer.settle()?;
    let type_of = |held: &Held| match held {
        Held::Object(object) => lowerer.object_type(*object),
        Held::Scalar(_, kind) => kind.ty(),
        _ => Type::Any,
    };
    let lets = lowerer.lets.iter().map(|(name, held)| (name.clone(), type_of(held))).collect();
    let exits = std::mem::take(&mut lowerer.exits);
    Ok(LoweredBody { routine: lowerer.finish(), lets, exits })
}

/// Lowers an expression.
pub(crate) fn lower_expression(
    expression: &rhai::Expr,
    ast: &AST,
    script: &Script,
    names: &Names<'_>,
) -> Result<Routine, Box<Obstacle>> {
    let facts = walk(ast);
    let mut lowerer = Lowerer::new(ast, script, names);
    lowerer.begin(facts.free.iter().map(|free| free.name.as_str()))?;
    match lowerer.value(expression, true)? {
        Val::Object(route) if route.scalar_kind().is_none() => {
            let object = lowerer.held_copy(route, expression.start_position())?;
            lowerer.parts.left.push(Left { place: Place::Value, object });
        }
        value => {
            let (reg, kind) = value.scalar(&mut lowerer, expression.start_position())?;
            lowerer.parts.outputs.push(Output { place: Place::Value, kind });
            lowerer.function.give(0, reg);
        }
    }
    lowerer.function.end(None);
    lowerer.settle()?;
    if let Some(exit) = lowerer.exits.pop() {
        return Err(Box::new(exit));
    }
    Ok(lowerer.finish())
}

impl<'a> Lowerer<'a> {
    fn new(ast: &AST, script: &'a Script, names: &'a Names<'a>) -> Self {
        let script_functions = functions(ast);
        let statements = script_functions.iter().flat_map(|function| &function.statements);
        let has_speaking_functions = statements.into_iter().any(|statement| {
            let mut speaks = false;
            statement.walk(&mut Vec::new(), &mut |path| {
                speaks |=
                    path.last().and_then(expression::call_of).is_some_and(|call| speaks_itself(names, call));
                !speaks
            });
            speaks
        });
        Self {
            script,
            names,
            script_functions,
            has_speaking_functions,
            parts: Parts::default(),
            instances: Vec::new(),
            function: FunctionCode::default(),
            vars: Vec::new(),
            is_outermost: true,
            gives: None,
            loops: Vec::new(),
            is_in_function: false,
            writes: Vec::new(),
            n_statements: 0,
            active: Vec::new(),
            exits: Vec::new(),
            replaced: Vec::new(),
            outer_lets: Vec::new(),
            lets: Vec::new(),
            has_left: false,
            claims: Vec::new(),
            mixed: BTreeSet::new(),
        }
    }

    /// Makes the node's names that the text uses known.
    fn begin<'n>(&mut self, used: impl Iterator<Item = &'n str>) -> Lowered<()> {
        // The text itself comes first.
        self.parts.functions.push(None);
        let used: BTreeSet<&str> = used.collect();
        for name in used {
            let local = self.names.locals.iter().rposition(|local| local == name);
            let slot = self.names.slots.iter().rposition(|slot| slot.name == name);
            let held = match (local, slot) {
                (Some(local), _) => {
                    let input = Input {
                        place: Place::Local(local as u32),
                        kind: Kind::Int,
                        is_optional: false,
                        is_presence: false,
                    };
                    Held::Scalar(self.input(input), Kind::Int)
                }
                (None, Some(slot_idx)) => self.held_by_slot(SlotId::from_idx(slot_idx)),
                (None, None) => continue,
            };
            let is_assignable = slot.is_some_and(|slot_idx| {
                use SlotKind::{Bound, Shared, Var as Kept};
                matches!(self.names.slots[slot_idx].kind, Bound | Shared | Kept)
            });
            self.vars.push(Var { name: name.to_owned(), held, origin: Origin::Node, is_assignable });
        }
        self.function.n_params = self.function.kinds.len();
        Ok(())
    }

    fn held_by_slot(&mut self, slot: SlotId) -> Held {
        let names = self.names;
        let declared = &names.slots[slot.idx()];
        let place = Place::Slot(slot);
        let is_optional = declared.kind == SlotKind::Bound && !(names.is_always_bound)(slot);
        match (&declared.ty, Kind::of(&declared.ty)) {
            (_, Some(kind)) if is_optional => {
                let reg = self.input(Input { place, kind, is_optional: true, is_presence: false });
                let kind_of_presence = Kind::Bool;
                let presence = self.input(Input {
                    place,
                    kind: kind_of_presence,
                    is_optional: false,
                    is_presence: true,
                });
                Held::Optional(reg, kind, presence)
            }
            (_, Some(kind)) => {
                Held::Scalar(self.input(Input { place, kind, is_optional: false, is_presence: false }), kind)
            }
            (ty, None) if is_of_objects(ty) => {
                let object = Object { slot, ty: declared.ty.clone(), is_written: false };
                self.parts.objects.push(object);
                self.writes.push(0);
                Held::Object(self.parts.objects.len() as u32 - 1)
            }
            (ty, None) => Held::Outside(ty.to_string()),
        }
    }

    fn input(&mut self, input: Input) -> u32 {
        let reg = self.function.register(input.kind);
        self.parts.inputs.push(input);
        reg
    }

    /// Leaves what a body leaves, and ends it.
    fn end_body(&mut self, position: Position) -> Lowered<()> {
        let n_outer = self.outer_lets.len();
        let n_bound = self.vars.iter().filter(|var| var.origin == Origin::Outer).count();
        if n_bound < n_outer {
            let message = "the body returns before its outermost level has bound all its names";
            let help = "put what comes behind `return` into the branch of an `if`";
            return Err(self.obstacle(position, message, Some(help)));
        }
        let mut given = Vec::new();
        for slot in self.replaced.clone() {
            let declared = &self.names.slots[slot.idx()];
            let var = self.vars.iter().find(|var| var.name == declared.name && var.origin == Origin::Node);
            let held = var.map(|var| var.held.clone());
            let fits = Kind::of(&declared.ty);
            match held {
                // It is written in its place.
                Some(Held::Object(_)) => {}
                Some(Held::Scalar(reg, kind)) if Some(kind) == fits => {
                    given.push((Place::Slot(slot), kind, reg));
                }
                Some(Held::Scalar(_, kind)) => {
                    let (name, ty) = (&declared.name, &declared.ty);
                    let message = format!("`{name}` is declared as {ty}, but left as {kind}");
                    let help = format!("convert what is assigned to `{name}`, as by `to_real(x)`");
                    return Err(self.obstacle(position, &message, Some(&help)));
                }
                _ => {
                    let message =
                        format!("`{}` may be left as something else than one scalar", declared.name);
                    return Err(self.obstacle(position, &message, None));
                }
            }
        }
        let mut lets: Vec<(String, Held)> = Vec::new();
        let mut left = Vec::new();
        let outer: Vec<Var> = self.vars.iter().filter(|var| var.origin == Origin::Outer).cloned().collect();
        for (place, var) in outer.iter().enumerate() {
            // The last one of a name counts.
            if outer[place + 1..].iter().any(|later| later.name == var.name) {
                continue;
            }
            let place = Place::Slot(SlotId::from_idx(self.names.slots.len() + lets.len()));
            match var.held {
                Held::Scalar(reg, kind) => given.push((place, kind, reg)),
                Held::Object(object) => left.push(Left { place, object }),
                _ => {
                    let message =
                        format!("`{}`, which the outermost level binds, may be left with nothing", var.name);
                    let help = "give it a value where it is bound";
                    return Err(self.obstacle(position, &message, Some(help)));
                }
            }
            lets.push((var.name.clone(), var.held.clone()));
        }
        let outputs: Vec<_> = given.iter().map(|&(place, kind, _)| Output { place, kind }).collect();
        if !self.has_left {
            self.has_left = true;
            self.parts.outputs = outputs;
            self.parts.left = left;
            self.lets = lets;
        } else if self.parts.outputs != outputs || self.parts.left != left {
            return Err(self.obstacle(
                position,
                "the body leaves other kinds of values at this `return`",
                None,
            ));
        }
        for (nth, (_, _, reg)) in given.iter().enumerate() {
            self.function.give(nth as u32, *reg);
        }
        self.function.end(None);
        Ok(())
    }

    fn finish(mut self) -> Routine {
        let first = std::mem::take(&mut self.function).finish(String::new(), None);
        self.parts.functions[0] = Some(first);
        Routine {
            functions: self.parts.functions.into_iter().flatten().collect(),
            inputs: self.parts.inputs,
            outputs: self.parts.outputs,
            objects: self.parts.objects,
            own_objects: self.parts.own_objects,
            left: self.parts.left,
            paths: self.parts.paths,
            natives: self.parts.natives,
            computations: self.parts.computations,
            library: self.parts.library,
            asked: self.parts.asked,
            kept: Default::default(),
        }
    }

    /// Looks whether all that could not be known before is as it must be.
    fn settle(&mut self) -> Lowered<()> {
        self.settle_claims()?;
        for instance in &self.instances {
            if let (true, Some(position)) = (instance.is_recursive, instance.makes_object) {
                let message = format!("`{}` calls itself and makes an object", instance.name);
                let help = "do it in the body itself, or let the function take and give numbers";
                return Err(self.obstacle(position, &message, Some(help)));
            }
        }
        Ok(())
    }

    /// What is outside of the subset.
    fn obstacle(&self, position: Position, message: &str, help: Option<&str>) -> Box<Stop> {
        let at = place(self.script, position);
        let obstacle = Obstacle { message: message.to_owned(), at, help: help.map(str::to_owned) };
        Box::new(Stop { obstacle, is_foreign: false })
    }

    /// What compiled code never does.
    fn foreign(&self, position: Position, message: &str) -> Box<Stop> {
        Box::new(Stop { is_foreign: true, ..*self.obstacle(position, message, None) })
    }
}

/// The place in the program file of a position in a script.
fn place(script: &Script, position: Position) -> Location {
    let Some(line) = position.line() else { return script.at };
    let column = position.position().unwrap_or(1);
    let line_start: usize = script.text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let in_line = script.text[line_start..].char_indices().nth(column - 1);
    let start = script.at.start + (line_start + in_line.map_or(0, |(offset, _)| offset)) as u32;
    let first_column = if line == 1 { script.at.column } else { 1 };
    Location {
        start,
        end: start,
        line: script.at.line + line as u32 - 1,
        column: first_column + column as u32 - 1,
    }
}
