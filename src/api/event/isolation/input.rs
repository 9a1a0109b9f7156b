//! The inputs of an isolated event by name, and setting them: what if it had been so?

use hasse_model::plan::{Plan, SlotKind, Template};
use hasse_model::value::{Type, Value};

use super::{EventError, Isolation, split_element};

/// Which kind of input a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InputKind {
    Port,
    Var,
    Shared,
}

impl InputKind {
    const ALL: [(&'static str, Self); 3] =
        [("port", Self::Port), ("var", Self::Var), ("shared", Self::Shared)];

    fn name(self) -> &'static str {
        match self {
            Self::Port => "port",
            Self::Var => "var",
            Self::Shared => "shared",
        }
    }
}

impl Isolation {
    /// The type of an input: `b`, `diag[2]`, or with its kind before it, `port b`, `var acc`, `shared total`.
    ///
    /// # Errors
    /// The event has no such input, or several of different kinds.
    pub fn type_of(&self, plan: &Plan, name: &str) -> Result<Type, EventError> {
        let template = self.template(plan)?.1;
        let (kind, place) = self.input(template, name)?;
        Ok(self.type_at(template, kind, place))
    }

    /// Sets an input to another value: what if it had been so?
    ///
    /// # Errors
    /// As for [`type_of`](Self::type_of); also where the value is of another type.
    pub fn set(&mut self, plan: &Plan, name: &str, value: Value) -> Result<(), EventError> {
        let template = self.template(plan)?.1;
        let (kind, place) = self.input(template, name)?;
        let ty = self.type_at(template, kind, place);
        let shown = value.to_string();
        let value = ty.admit(value).ok_or_else(|| EventError::Set {
            name: name.to_owned(),
            problem: format!("{shown} is no {ty}"),
        })?;
        let (held, name) = match kind {
            InputKind::Port => {
                let (port, elements, held) = &mut self.given.took[place];
                (held, format!("{port}{elements}"))
            }
            InputKind::Var => {
                let (name, held) = &mut self.given.vars[place];
                (held, name.clone())
            }
            InputKind::Shared => {
                let (name, held) = &mut self.given.shared[place];
                (held, name.clone())
            }
        };
        *held = value;
        let changed = format!("{} {name}", kind.name());
        if !self.changed.contains(&changed) {
            self.changed.push(changed);
        }
        Ok(())
    }

    fn type_at(&self, template: &Template, kind: InputKind, place: usize) -> Type {
        let slot_type = |name: &str, kind: SlotKind| {
            let slots = &template.slots[template.slots_of(kind)];
            slots.iter().find(|slot| slot.name == name).map_or(Type::Any, |slot| slot.ty.clone())
        };
        match kind {
            InputKind::Port => {
                let port = &self.given.took[place].0;
                let port = template.inputs.iter().find(|input| input.name == *port);
                port.map_or(Type::Any, |port| port.ty.clone())
            }
            InputKind::Var => slot_type(&self.given.vars[place].0, SlotKind::Var),
            InputKind::Shared => slot_type(&self.given.shared[place].0, SlotKind::Shared),
        }
    }

    /// The input that a name stands for, with its place among those of its kind.
    fn input(&self, template: &Template, name: &str) -> Result<(InputKind, usize), EventError> {
        let fault = |problem: String| EventError::Set { name: name.trim().to_owned(), problem };
        let kinds = InputKind::ALL;
        let prefixed = kinds.iter().find_map(|(word, kind)| {
            let rest = name.trim().strip_prefix(word)?;
            rest.starts_with(char::is_whitespace).then_some((*kind, rest.trim()))
        });
        let (asked, bare) = prefixed.map_or((None, name.trim()), |(kind, rest)| (Some(kind), rest));
        let (port, elements) = split_element(bare);
        let mut found: Vec<(InputKind, usize)> = Vec::new();
        let took = self.given.took.iter().position(|(own, element, _)| own == port && *element == elements);
        found.extend(took.map(|place| (InputKind::Port, place)));
        let position = |list: &[(String, Value)]| list.iter().position(|(own, _)| own == bare);
        found.extend(position(&self.given.vars).map(|place| (InputKind::Var, place)));
        found.extend(position(&self.given.shared).map(|place| (InputKind::Shared, place)));
        found.retain(|(kind, _)| asked.is_none_or(|asked| asked == *kind));
        // What the firing rule assigns anyway cannot be set: it comes from the port.
        if let Some(place) = found.iter().position(|(kind, _)| *kind == InputKind::Var)
            && let Some(port) = self.assigned_from(template, bare)
        {
            found.remove(place);
            if found.is_empty() {
                return Err(fault(format!("the firing rule assigns it; set `port {port}` instead")));
            }
        }
        match found.as_slice() {
            [only] => Ok(*only),
            [] => Err(fault(format!("the event has no such input; it has {}", self.listed()))),
            [(first, _), (second, _), ..] => Err(fault(format!(
                "it is a {} and a {}; write `{} {bare}` or `{} {bare}`",
                first.name(),
                second.name(),
                first.name(),
                second.name()
            ))),
        }
    }

    /// The port from which the firing rule assigns a var.
    fn assigned_from(&self, template: &Template, var: &str) -> Option<String> {
        let rule = template.fire.get(usize::try_from(self.origin.rule).ok()?)?;
        let take = rule.takes.iter().find(|take| template.slots[take.target.idx()].name == var)?;
        Some(template.inputs[take.port].name.clone())
    }

    fn listed(&self) -> String {
        let took = self.given.took.iter().map(|(port, elements, _)| format!("port {port}{elements}"));
        let vars = self.given.vars.iter().map(|(name, _)| format!("var {name}"));
        let shared = self.given.shared.iter().map(|(name, _)| format!("shared {name}"));
        let all: Vec<String> = took.chain(vars).chain(shared).take(16).collect();
        if all.is_empty() { "none".to_owned() } else { all.join(", ") }
    }
}
