//! The functions that bodies and expressions may call, by name and number of arguments.
//!
//! The runtime owns the implementations and lists them here, so that the compiler can refuse an
//! undefined function without knowing the runtime.

use std::collections::BTreeMap;

use crate::plan::routine::{Kind, LibrarySignature};
use crate::value::Type;

/// What is known of the functions of one name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionFacts {
    /// Numbers of arguments that it can be called with, ascending; a method's object counts.
    pub arities: Vec<usize>,
    /// Whether it is an effect: something outside of the program answers, and the answer is
    /// recorded. Effects, `print` and `result` may be called in `do` only.
    pub in_body_only: bool,
    /// True if its answer may have to be waited for.
    pub may_wait: bool,
    /// Those of them that are pure and registered in Rust, by number of arguments.
    pub natives: BTreeMap<usize, NativeFacts>,
}

/// What is known of a pure function that is registered in Rust.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NativeFacts {
    /// What it takes and gives, if that is scalars alone.
    pub scalars: Option<Signature>,
    /// The type of what it gives, if that is known.
    pub gives: Option<Type>,
}

/// What a function takes and gives that works on scalars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Its arguments. One that is a real may be given an int, which is widened.
    pub takes: Vec<Kind>,
    /// Its answer.
    pub gives: Kind,
}

/// What is known of a native body: the body of a node, written in Rust.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BodyFacts {
    /// Names that the node must have, and the types that what they hold must fit.
    pub needs: Vec<(String, Type)>,
    /// Names that the body sets for the routing rules of its node, each of its type.
    pub lets: Vec<(String, Type)>,
    /// Names of the results that it may set.
    pub results: Vec<String>,
}

/// All functions that a program may call, and all native bodies that its nodes may have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionTable {
    facts_of: BTreeMap<String, FunctionFacts>,
    /// Functions and operators of the library that are called without the interpreter.
    library: BTreeMap<String, Vec<LibrarySignature>>,
    /// Effects of scalars, by which the world is asked without the interpreter.
    asked: BTreeMap<String, Vec<Signature>>,
    bodies: BTreeMap<String, BodyFacts>,
}

impl FunctionTable {
    /// Adds a function; the same name may be added with several numbers of arguments.
    pub fn add(&mut self, name: &str, arity: usize, in_body_only: bool) {
        let facts = self.facts_of.entry(name.to_owned()).or_default();
        if let Err(place) = facts.arities.binary_search(&arity) {
            facts.arities.insert(place, arity);
        }
        facts.in_body_only |= in_body_only;
    }

    /// Notes that the answer of a function may have to be waited for.
    pub fn note_waiting(&mut self, name: &str) {
        self.facts_of.entry(name.to_owned()).or_default().may_wait = true;
    }

    /// Adds a pure function that is registered in Rust.
    pub fn add_native(&mut self, name: &str, arity: usize, facts: NativeFacts) {
        self.add(name, arity, false);
        self.facts_of.entry(name.to_owned()).or_default().natives.insert(arity, facts);
    }

    /// Adds a function or operator of the library that can be called without the interpreter.
    pub fn add_library(&mut self, name: &str, signature: LibrarySignature) {
        self.library.entry(name.to_owned()).or_default().push(signature);
    }

    /// Adds what an effect takes and gives that can be called without the interpreter; the same name may be added with several
    /// numbers of arguments.
    pub fn add_asked(&mut self, name: &str, signature: Signature) {
        self.asked.entry(name.to_owned()).or_default().push(signature);
    }

    /// Signature of an effect that can be called without the interpreter.
    pub fn asked(&self, name: &str, n_arguments: usize) -> Option<&Signature> {
        self.asked.get(name)?.iter().find(|signature| signature.takes.len() == n_arguments)
    }

    /// The function or operator of the library of that name for arguments of these types. Of arrays and maps it does not matter
    /// what they hold.
    pub fn library(&self, name: &str, arguments: &[Type]) -> Option<&LibrarySignature> {
        let is_taken = |(takes, found): (&Type, &Type)| {
            takes == found
                || matches!((takes, found), (Type::Array(_), Type::Array(_)) | (Type::Map(_), Type::Map(_)))
        };
        self.library.get(name)?.iter().find(|signature| {
            signature.takes.len() == arguments.len() && signature.takes.iter().zip(arguments).all(is_taken)
        })
    }

    /// What is known of a name, or `None` where no function has it.
    pub fn get(&self, name: &str) -> Option<&FunctionFacts> {
        self.facts_of.get(name)
    }

    /// All names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.facts_of.keys().map(String::as_str)
    }

    /// Adds a native body, in place of one of the same name.
    pub fn add_body(&mut self, name: &str, facts: BodyFacts) {
        self.bodies.insert(name.to_owned(), facts);
    }

    /// What is known of a native body, or `None` where none has the name.
    pub fn body(&self, name: &str) -> Option<&BodyFacts> {
        self.bodies.get(name)
    }

    /// The names of all native bodies, sorted.
    pub fn body_names(&self) -> impl Iterator<Item = &str> {
        self.bodies.keys().map(String::as_str)
    }
}
