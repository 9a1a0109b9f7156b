//! Ways into objects while they are lowered.

use hasse_model::plan::routine::{Kind, Measure, Reg, Step};
use hasse_model::value::Type;

/// A way from an object inwards, with the registers that say where it goes.
#[derive(Clone)]
pub(super) struct Route {
    pub(super) object: u32,
    pub(super) steps: Vec<Step>,
    pub(super) operands: Vec<Reg>,
    /// The type of what stands at its end; that of a scalar where it is one.
    pub(super) ty: Type,
    /// Its end, as the text has it.
    text: String,
    /// Whether the object was made for the expression whose value it is, so that nothing else has it.
    is_made: bool,
    /// Whether it is another one's, and not to be changed.
    pub(super) is_lent: bool,
    /// Whether a function of the text has given it, which gives another one when it is called again.
    is_given: bool,
}

impl Route {
    /// All of an object.
    pub(super) fn of_object(object: u32, ty: &Type, name: &str) -> Self {
        let text = if name.is_empty() { "what is made here".to_owned() } else { format!("`{name}`") };
        Self {
            object,
            steps: Vec::new(),
            operands: Vec::new(),
            ty: ty.clone(),
            text,
            is_made: false,
            is_lent: false,
            is_given: false,
        }
    }

    /// All of an object that a function has been given.
    pub(super) fn lent(object: u32, ty: &Type, name: &str) -> Self {
        Self { is_lent: true, ..Self::of_object(object, ty, name) }
    }

    /// All of an object that a function has given.
    pub(super) fn given(object: u32, ty: &Type, text: String) -> Self {
        Self { text, is_given: true, ..Self::of_object(object, ty, "") }
    }

    pub(super) fn is_given(&self) -> bool {
        self.is_given
    }

    /// The object, if it is all of one.
    pub(super) fn whole(&self) -> Option<u32> {
        self.steps.is_empty().then_some(self.object)
    }

    /// All of an object that was just made.
    pub(super) fn made(object: u32, ty: Type) -> Self {
        Self { is_made: true, ..Self::of_object(object, &ty, "") }
    }

    pub(super) fn object(&self) -> u32 {
        self.object
    }

    pub(super) fn operands(&self) -> &[Reg] {
        &self.operands
    }

    pub(super) fn ty(&self) -> &Type {
        &self.ty
    }

    /// The same way to what is known to be of a type.
    pub(super) fn of_type(self, ty: Type) -> Self {
        Self { ty, ..self }
    }

    pub(super) fn is_made(&self) -> bool {
        self.is_made && self.steps.is_empty()
    }

    /// The type of what stands at its end in an object of a type.
    pub(super) fn end(&self, object: &Type) -> Option<Type> {
        self.steps.iter().try_fold(object.clone(), |ty, step| step_type(*step, &ty))
    }

    /// Makes the type of what stands at its end known in that of its object. Types of structs are declared.
    pub(super) fn refine(&mut self, object: &mut Type, ty: &Type) {
        let mut end = object;
        for step in &self.steps {
            end = match (step, end) {
                (Step::Item, Type::Array(items)) => items,
                _ => return,
            };
        }
        *end = ty.clone();
        self.ty = ty.clone();
    }

    pub(super) fn shown(&self) -> &str {
        &self.text
    }

    /// The kind of the scalar at its end; `None` where there is none.
    pub(super) fn scalar_kind(&self) -> Option<Kind> {
        if self.steps.is_empty() { None } else { Kind::of(&self.ty) }
    }

    /// Whether an int that is written to its end becomes a real.
    pub(super) fn is_widening(&self) -> bool {
        matches!(self.steps.last(), Some(Step::Entry | Step::Cell))
    }

    pub(super) fn is_matrix(&self) -> bool {
        self.ty == Type::Matrix
    }

    /// The step to an item, and what items are, if they are scalars.
    pub(super) fn item(&self) -> Option<(Step, Kind)> {
        match &self.ty {
            Type::Vector => Some((Step::Entry, Kind::Real)),
            Type::Array(items) => Some((Step::Item, Kind::of(items)?)),
            _ => None,
        }
    }

    /// The measure that a function or property of a name gives.
    pub(super) fn measure(&self, name: &str) -> Option<Measure> {
        match (&self.ty, name) {
            (Type::Vector | Type::Array(_), "len") => Some(Measure::Len),
            (Type::Matrix, "rows") => Some(Measure::Rows),
            (Type::Matrix, "cols") => Some(Measure::Cols),
            _ => None,
        }
    }

    /// One step further.
    pub(super) fn then(&self, step: Step, operands: Vec<Reg>) -> Self {
        let mut further = self.clone();
        further.steps.push(step);
        further.operands.extend(operands);
        further.ty = step_type(step, &self.ty).unwrap_or(Type::Any);
        further.is_made = false;
        further
    }
}

/// The type of what a step leads to; `None` where it leads nowhere.
pub(super) fn step_type(step: Step, ty: &Type) -> Option<Type> {
    match (step, ty) {
        (Step::Item, Type::Array(items)) => Some((**items).clone()),
        (Step::Item, Type::Any) => Some(Type::Any),
        (Step::Field(field_idx), Type::Struct(of)) => of.field_type(field_idx as usize),
        (Step::Entry, Type::Vector) | (Step::Cell, Type::Matrix) => Some(Type::Real),
        _ => None,
    }
}
