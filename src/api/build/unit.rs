//! Units of computation.

use super::table::{Keys, Pairs, number_or_text, string};

/// A unit of computation.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    pub(super) name: String,
    label: Option<String>,
    doc: Option<String>,
    indices: Vec<String>,
    inputs: Pairs,
    /// Input ports on which values may be left.
    leftover_ports: Vec<String>,
    /// Bounds, by input port.
    bounds: Pairs,
    /// Policies of full ports, by input port.
    full: Pairs,
    /// Values at the start, by input port.
    initial: Pairs,
    outputs: Pairs,
    vars: Pairs,
    shared: Pairs,
    init: Option<String>,
    is_start: bool,
    after: Option<String>,
    every: Option<String>,
    is_stop: bool,
    prefers: bool,
    at_once: Option<String>,
    priority: i32,
    fire: Vec<String>,
    body: Option<String>,
    native: Option<String>,
    route: Vec<String>,
    on_error: Vec<String>,
    deadline: Option<String>,
    cancel: Option<String>,
    retry: Option<String>,
    backoff: Option<String>,
}

impl Unit {
    /// A unit that does nothing.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    pairs! {
        /// Adds an input port, or with `"p[j]"` a family of them.
        input: inputs (port, ty);
        /// Adds an output port, or with `"p[j]"` a family of them.
        output: outputs (port, ty);
        /// Adds a var: `("k", "int = 0")`.
        var: vars (name, declaration);
        /// Adds a shared name; `access` is `"read"` or `"write"`.
        shared: shared (name, access);
    }

    lists! {
        /// Adds an index name.
        index: indices;
        /// Adds a firing rule: `"a -> v if k > 0"`.
        fire: fire;
        /// Adds a routing rule: `"o <- v * v"`.
        route: route;
        /// Adds a routing rule for failed events, `"bad <- error"`, or the policy `"continue"`.
        on_error: on_error;
    }

    texts! {
        /// Sets the text shown in its box instead of its name.
        label: label;
        /// Sets the time after the beginning of the run at which it executes once without input: `"5s"`.
        after: after;
        /// Makes it a timer with this period: `"100ms"`.
        every: every;
        /// Sets the maximum time that an execution waits for the world outside: `"2s"`.
        deadline: deadline;
        /// Sets the input port whose values cancel an event that waits.
        cancel: cancel;
        /// Sets the pause before the first retry, which doubles with each further one: `"100ms"`.
        backoff: backoff;
        /// Says what the unit is for.
        doc: doc;
        /// Sets the Rhai text that initializes an instance.
        init: init;
    }

    /// Adds an input port on which values may be left when the program ends: `left = "ok"`.
    #[must_use]
    pub fn leftover_input(mut self, port: &str, ty: &str) -> Self {
        self.leftover_ports.push(port.to_owned());
        self.input(port, ty)
    }

    /// Sets the most values that may wait on an input port, or on each element of a family: a number, or an expression over the
    /// parameters of the graph. `port` is as it was added. Whoever sends more waits.
    #[must_use]
    pub fn bound(mut self, port: &str, bound: &str) -> Self {
        self.bounds.push((port.to_owned(), bound.to_owned()));
        self
    }

    /// Sets the policy of an input port that has as many values as its bound admits: `"wait"`, `"drop-oldest"` or `"drop-newest"`.
    #[must_use]
    pub fn full(mut self, port: &str, policy: &str) -> Self {
        self.full.push((port.to_owned(), policy.to_owned()));
        self
    }

    /// Adds a value that is on an input port when the program starts, behind those added before: a number, a truth value, or an
    /// expression over the parameters of the graph.
    #[must_use]
    pub fn initial(mut self, port: &str, value: &str) -> Self {
        self.initial.push((port.to_owned(), value.to_owned()));
        self
    }

    /// Makes it a start node.
    #[must_use]
    pub fn start(mut self) -> Self {
        self.is_start = true;
        self
    }

    /// Sets its priority for the scheduler, from -100 to 100: instances of nodes with a higher priority are served first.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }

    /// Makes it the stop node.
    #[must_use]
    pub fn stop(mut self) -> Self {
        self.is_stop = true;
        self
    }

    /// Takes the first of several enabled firing rules, in place of a free choice.
    #[must_use]
    pub fn prefer(mut self) -> Self {
        self.prefers = true;
        self
    }

    /// Sets how many instances execute at a time at most, over all graph instances: a number, or an expression over the parameters of
    /// the graph.
    #[must_use]
    pub fn at_once(mut self, number: &str) -> Self {
        self.at_once = Some(number.to_owned());
        self
    }

    /// Sets the maximum number of retries of a failing body: a number, or an expression over the parameters of the graph.
    #[must_use]
    pub fn retry(mut self, number: &str) -> Self {
        self.retry = Some(number.to_owned());
        self
    }

    /// Sets the body as a Rhai text.
    #[must_use]
    pub fn body(mut self, text: &str) -> Self {
        (self.body, self.native) = (Some(text.to_owned()), None);
        self
    }

    /// Sets the body as a native one, by its name.
    #[must_use]
    pub fn native(mut self, name: &str) -> Self {
        (self.body, self.native) = (None, Some(name.to_owned()));
        self
    }

    pub(super) fn keys(&self) -> Keys {
        let mut keys = Keys::default();
        keys.add_text("label", self.label.as_ref());
        keys.add_text("doc", self.doc.as_ref());
        keys.add_list("index", &self.indices);
        keys.add_inputs(&self.inputs, &self.leftover_ports, [&self.bounds, &self.full, &self.initial]);
        keys.add_pairs("out", &self.outputs);
        keys.add_pairs("vars", &self.vars);
        keys.add_pairs("shared", &self.shared);
        keys.add_text("init", self.init.as_ref());
        let flag = |keys: &mut Keys, key, is_set: bool| {
            if is_set {
                keys.add(key, "true".to_owned());
            }
        };
        flag(&mut keys, "start", self.is_start);
        keys.add_text("after", self.after.as_ref());
        keys.add_text("every", self.every.as_ref());
        flag(&mut keys, "stop", self.is_stop);
        flag(&mut keys, "prefer", self.prefers);
        if let Some(number) = &self.at_once {
            keys.add("at_once", number_or_text(number));
        }
        if self.priority != 0 {
            keys.add("priority", self.priority.to_string());
        }
        keys.add_list("fire", &self.fire);
        keys.add_text("do", self.body.as_ref());
        if let Some(native) = &self.native {
            keys.add("do", format!("{{ native = {} }}", string(native)));
        }
        keys.add_text("deadline", self.deadline.as_ref());
        keys.add_text("cancel", self.cancel.as_ref());
        if let Some(number) = &self.retry {
            keys.add("retry", number_or_text(number));
        }
        keys.add_text("backoff", self.backoff.as_ref());
        keys.add_list("route", &self.route);
        keys.add_list("on_error", &self.on_error);
        keys
    }
}
