//! Programs made in Rust: graphs, nodes, arcs and rules in the notation of the language reference.
//!
//! A builder checks nothing: it writes the text of a program, and the compiler says what is wrong with
//! it. See the [crate's first example](crate).

use std::path::PathBuf;

use hasse_model::record_options::RecordOption;
use hasse_runtime::natives::Natives;

use super::error::Error;
use super::program;

macro_rules! pairs {
    ($($(#[$doc:meta])* $method:ident: $field:ident ($name:ident, $text:ident);)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $method(mut self, $name: &str, $text: &str) -> Self {
            self.$field.push(($name.to_owned(), $text.to_owned()));
            self
        }
    )*};
}

macro_rules! lists {
    ($($(#[$doc:meta])* $method:ident: $field:ident;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $method(mut self, text: &str) -> Self {
            self.$field.push(text.to_owned());
            self
        }
    )*};
}

macro_rules! texts {
    ($($(#[$doc:meta])* $method:ident: $field:ident;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $method(mut self, text: &str) -> Self {
            self.$field = Some(text.to_owned());
            self
        }
    )*};
}

macro_rules! parts {
    ($($(#[$doc:meta])* $method:ident: $field:ident $part:ty;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $method(mut self, part: $part) -> Self {
            self.$field.push(part);
            self
        }
    )*};
}

/// Graphs, shared objects and calls.
mod graph;
/// Struct types.
mod structure;
/// Tables under construction.
mod table;
/// Units of computation.
mod unit;

pub use graph::{Call, Graph, Shared};
pub use structure::Struct;
use table::{Keys, Pairs, string};
pub use unit::Unit;

/// A program: its graphs, one of which is the main one.
#[derive(Clone, Debug)]
pub struct Program {
    main: String,
    structs: Vec<Struct>,
    graphs: Vec<Graph>,
    is_restricted: bool,
    record_options: Pairs,
}

impl Program {
    /// A program without graphs; `main` names the main one.
    pub fn new(main: &str) -> Self {
        Self {
            main: main.to_owned(),
            structs: Vec::new(),
            graphs: Vec::new(),
            is_restricted: false,
            record_options: Pairs::new(),
        }
    }

    /// Adds a struct type.
    #[must_use]
    pub fn structure(mut self, structure: Struct) -> Self {
        self.structs.push(structure);
        self
    }

    /// Adds a graph.
    #[must_use]
    pub fn graph(mut self, graph: Graph) -> Self {
        self.graphs.push(graph);
        self
    }

    /// Records of the program are restricted where nothing else is asked for.
    #[must_use]
    pub fn records_selected(mut self) -> Self {
        self.is_restricted = true;
        self
    }

    /// Sets an option of restricted recording; the last one that names an instance counts.
    #[must_use]
    pub fn record_option(mut self, selector: &str, option: RecordOption) -> Self {
        self.record_options.push((selector.to_owned(), option.name().to_owned()));
        self
    }

    /// The text of the program, in canonical form: the content of a `.hasse` file.
    pub fn text(&self) -> String {
        let mut text = format!("hasse = 1\nmain = {}\n", string(&self.main));
        self.structs.iter().for_each(|structure| structure.write(&mut text));
        self.graphs.iter().for_each(|graph| graph.write(&mut text));
        let mut record = Keys::default();
        if self.is_restricted {
            record.add("mode", string("restrict"));
        }
        record.add_pairs("options", &self.record_options);
        if !record.0.is_empty() {
            record.write(&["record"], &mut text);
        }
        // A text that cannot be put in form, as with a graph that is there twice, is for the compiler.
        hasse_compiler::format(&text).unwrap_or(text)
    }

    /// Compiles the program; places in messages are those of [`text`](Self::text).
    ///
    /// # Errors
    /// The program or what is registered has errors.
    pub fn compile(&self, natives: &Natives) -> Result<program::Program, Error> {
        program::Program::compile("(built)", &self.text(), PathBuf::new(), natives)
    }
}
