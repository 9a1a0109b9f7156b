//! A function of the library that can be called without an interpreter.

use std::any::TypeId;
use std::sync::Arc;

use hasse_model::plan::routine::LibrarySignature;
use hasse_model::value::{Type, Value};
use hasse_routine::Library;
use rhai::{Array, Dynamic, RhaiFunc};

use crate::convert::{MatrixValue, VectorValue, dynamic_from_value, value_from_dynamic};
use crate::library;

/// A function that can be called without an interpreter.
pub(super) struct Direct {
    pub(super) name: String,
    takes: Vec<Type>,
    /// `None` where it changes its first argument. Of an array it is not known what its items are.
    pub(super) gives: Option<Type>,
    pub(super) function: Arc<Library>,
}

impl Direct {
    /// The function, unless it works on something else. `R` is what it gives.
    pub(super) fn new<R: 'static>(name: &str, takes: &[TypeId], function: &RhaiFunc) -> Option<Self> {
        let takes = takes.iter().map(|id| type_of(*id)).collect::<Option<_>>()?;
        let gives =
            if TypeId::of::<R>() == TypeId::of::<()>() { None } else { Some(type_of(TypeId::of::<R>())?) };
        let changes_first = gives.is_none();
        let function = function.clone();
        function.get_native_fn()?;
        let function = Arc::new(move |arguments: &mut [Value]| call(&function, changes_first, arguments));
        Some(Self { name: name.to_owned(), takes, gives, function })
    }

    /// What it takes and gives; `None` where it gives items of a type that is not told.
    pub(super) fn signature(&self) -> Option<LibrarySignature> {
        let gives = match &self.gives {
            Some(Type::Array(_)) => Some(documented(&self.name, &self.takes)?),
            gives => gives.clone(),
        };
        Some(LibrarySignature { takes: self.takes.clone(), gives })
    }
}

/// The type of values that the interpreter holds by that type.
pub(super) fn type_of(id: TypeId) -> Option<Type> {
    let known = [
        (TypeId::of::<i64>(), Type::Int),
        (TypeId::of::<f64>(), Type::Real),
        (TypeId::of::<bool>(), Type::Bool),
        (TypeId::of::<VectorValue>(), Type::Vector),
        (TypeId::of::<MatrixValue>(), Type::Matrix),
        (TypeId::of::<Array>(), Type::Array(Box::new(Type::Any))),
    ];
    known.into_iter().find(|(known, _)| *known == id).map(|(_, ty)| ty)
}

/// The array that a function gives for arguments of these types, by its row in the table of the library.
pub(super) fn documented(name: &str, takes: &[Type]) -> Option<Type> {
    let calls = library::find(name)?.calls.split("; ");
    let mut given = calls.filter_map(|call| {
        let (call, gives) = call.split_once(") -> ")?;
        let arguments = call.split_once('(')?.1.split(", ");
        let arguments = arguments.map(|argument| argument.split_once(": ").map_or("", |(_, ty)| ty));
        let is_taken = |(ty, told): (&Type, &str)| match ty {
            Type::Array(_) => told.ends_with("[]"),
            ty => ty.to_string() == told,
        };
        let n_arguments = arguments.clone().count();
        (n_arguments == takes.len() && takes.iter().zip(arguments).all(is_taken)).then_some(gives)
    });
    let gives = given.next()?;
    let mut items = gives;
    let mut n_levels = 0;
    while let Some(inner) = items.strip_suffix("[]") {
        (items, n_levels) = (inner, n_levels + 1);
    }
    let items = match items {
        "int" => Type::Int,
        "real" => Type::Real,
        "bool" => Type::Bool,
        "vector" => Type::Vector,
        "matrix" => Type::Matrix,
        _ => return None,
    };
    if n_levels == 0 || given.next().is_some() {
        return None;
    }
    Some((0..n_levels).fold(items, |items, _| Type::Array(Box::new(items))))
}

pub(super) fn call(function: &RhaiFunc, changes_first: bool, arguments: &mut [Value]) -> Option<Value> {
    let take = |argument: &mut Value| dynamic_from_value(std::mem::take(argument));
    // Few functions take more.
    let mut held: [Dynamic; 6] = Default::default();
    let mut more = Vec::new();
    for (place, argument) in arguments.iter_mut().enumerate() {
        match held.get_mut(place) {
            Some(held) => *held = take(argument),
            None => more.push(take(argument)),
        }
    }
    let mut all: Vec<&mut Dynamic> = held.iter_mut().chain(&mut more).take(arguments.len()).collect();
    let answer = function.get_native_fn()?(None, &mut all);
    if changes_first {
        // Also where it has failed: what it was given is the caller's.
        *arguments.first_mut()? = value_from_dynamic(all.first()?).ok()?;
    }
    value_from_dynamic(&answer.ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_have_the_items_of_the_table() {
        let reals = Type::Array(Box::new(Type::Real));
        assert_eq!(documented("to_array", &[Type::Vector]), Some(reals));
        assert_eq!(documented("no_function", &[Type::Int]), None);
        assert_eq!(documented("norm", &[Type::Vector]), None);
    }
}
