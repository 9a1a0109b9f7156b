//! Graphs, and what stands in them beside units: shared objects and calls.

use super::table::{Keys, Pairs};
use super::unit::Unit;

/// A graph: its interface, its nodes and what ties them together.
#[derive(Clone, Debug)]
pub struct Graph {
    name: String,
    label: Option<String>,
    doc: Option<String>,
    params: Pairs,
    inputs: Pairs,
    outputs: Pairs,
    formals: Pairs,
    on_error: Option<String>,
    arcs: Vec<String>,
    shares: Vec<String>,
    shared: Vec<Shared>,
    calls: Vec<Call>,
    units: Vec<Unit>,
}

impl Graph {
    /// An empty graph.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            label: None,
            doc: None,
            params: Pairs::new(),
            inputs: Pairs::new(),
            outputs: Pairs::new(),
            formals: Pairs::new(),
            on_error: None,
            arcs: Vec::new(),
            shares: Vec::new(),
            shared: Vec::new(),
            calls: Vec::new(),
            units: Vec::new(),
        }
    }

    pairs! {
        /// Adds a creation parameter: `("n", "int = 4")`.
        param: params (name, declaration);
        /// Adds a formal input port, `in.NAME`.
        input: inputs (port, ty);
        /// Adds a formal output port, `out.NAME`.
        output: outputs (port, ty);
        /// Adds a formal shared object, `inout.NAME`.
        inout: formals (name, ty);
    }

    lists! {
        /// Adds an arc: `"Src.o[i] -> Work[i].a"`.
        arc: arcs;
        /// Adds a share line: `"total -- Work[i].sum"`.
        share: shares;
    }

    texts! {
        /// Sets the text shown instead of its name.
        label: label;
        /// Says what the graph is for.
        doc: doc;
        /// Names the output port to which nodes without a policy for failed events send their errors.
        on_error: on_error;
    }

    parts! {
        /// Adds a shared object.
        shared: shared Shared;
        /// Adds a call of a graph.
        call: calls Call;
        /// Adds a unit of computation.
        unit: units Unit;
    }

    pub(super) fn write(&self, text: &mut String) {
        let mut keys = Keys::default();
        keys.add_text("label", self.label.as_ref());
        keys.add_text("doc", self.doc.as_ref());
        keys.add_pairs("params", &self.params);
        keys.add_pairs("in", &self.inputs);
        keys.add_pairs("out", &self.outputs);
        keys.add_pairs("inout", &self.formals);
        keys.add_text("on_error", self.on_error.as_ref());
        keys.add_list("arcs", &self.arcs);
        keys.add_list("share", &self.shares);
        keys.write(&["graph", &self.name], text);
        for shared in &self.shared {
            shared.keys().write(&["graph", &self.name, "shared", &shared.name], text);
        }
        for call in &self.calls {
            call.keys().write(&["graph", &self.name, "call", &call.name], text);
        }
        for unit in &self.units {
            unit.keys().write(&["graph", &self.name, "uc", &unit.name], text);
        }
    }
}

/// A shared object.
#[derive(Clone, Debug)]
pub struct Shared {
    name: String,
    ty: String,
    indices: Vec<String>,
    init: Option<String>,
    label: Option<String>,
    doc: Option<String>,
}

impl Shared {
    /// A shared object of a type.
    pub fn new(name: &str, ty: &str) -> Self {
        Self {
            name: name.to_owned(),
            ty: ty.to_owned(),
            indices: Vec::new(),
            init: None,
            label: None,
            doc: None,
        }
    }

    lists! {
        /// Adds an index name.
        index: indices;
    }

    texts! {
        /// Sets the expression of its content at the start.
        init: init;
        /// Sets the text shown in its box instead of its name.
        label: label;
        /// Says what it is for.
        doc: doc;
    }

    fn keys(&self) -> Keys {
        let mut keys = Keys::default();
        keys.add_text("label", self.label.as_ref());
        keys.add_text("doc", self.doc.as_ref());
        keys.add_text("type", Some(&self.ty));
        keys.add_list("index", &self.indices);
        keys.add_text("init", self.init.as_ref());
        keys
    }
}

/// A call of a graph.
#[derive(Clone, Debug)]
pub struct Call {
    name: String,
    graph: String,
    indices: Vec<String>,
    args: Pairs,
    label: Option<String>,
    doc: Option<String>,
}

impl Call {
    /// A call node `name` of a graph.
    pub fn new(name: &str, graph: &str) -> Self {
        let (name, graph) = (name.to_owned(), graph.to_owned());
        Self { name, graph, indices: Vec::new(), args: Pairs::new(), label: None, doc: None }
    }

    lists! {
        /// Adds an index name.
        index: indices;
    }

    pairs! {
        /// Adds the value of a creation parameter: `("n", "n / 2")`.
        arg: args (param, expression);
    }

    texts! {
        /// Sets the text shown in its box instead of its name.
        label: label;
        /// Says what it is for.
        doc: doc;
    }

    fn keys(&self) -> Keys {
        let mut keys = Keys::default();
        keys.add_text("label", self.label.as_ref());
        keys.add_text("doc", self.doc.as_ref());
        keys.add_text("graph", Some(&self.graph));
        keys.add_list("index", &self.indices);
        keys.add_pairs("args", &self.args);
        keys
    }
}
