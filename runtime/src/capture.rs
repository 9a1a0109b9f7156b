//! Which values of executions are to be kept with their records.
//!
//! A trace holds no values: a replay gives them again. What is asked for here goes to the sink in
//! [`EventRecord::local`](hasse_model::event::EventRecord::local). Where nothing is asked for, an execution pays for one
//! look at a flag.

use hasse_model::id::TemplateId;

/// Which values of a node's executions are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The values taken, with the names of their ports.
    pub took: bool,
    /// The vars when everything was taken and locked, before the body: at `befcomp`.
    pub before: bool,
    /// The vars after the body: at `aftcomp`.
    pub after: bool,
    /// The values sent, with the names of their ports.
    pub sent: bool,
}

impl Captured {
    /// Nothing.
    pub const NONE: Self = Self { took: false, before: false, after: false, sent: false };
    /// Everything.
    pub const ALL: Self = Self { took: true, before: true, after: true, sent: true };

    /// Whether any value is kept.
    pub fn is_any(self) -> bool {
        self != Self::NONE
    }
}

/// Which values of which nodes are kept; of the others none are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capture(Vec<(TemplateId, Captured)>);

impl Capture {
    /// No values.
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds what is kept of a node to what was asked for before.
    pub fn add(&mut self, template: TemplateId, more: Captured) {
        let of_template = match self.0.iter_mut().find(|(known, _)| *known == template) {
            Some((_, captured)) => captured,
            None => {
                self.0.push((template, Captured::NONE));
                let (_, captured) = self.0.last_mut().expect("it was pushed just now");
                captured
            }
        };
        of_template.took |= more.took;
        of_template.before |= more.before;
        of_template.after |= more.after;
        of_template.sent |= more.sent;
    }

    /// What is kept of a node.
    pub fn of(&self, template: TemplateId) -> Captured {
        self.0.iter().find(|(known, _)| *known == template).map_or(Captured::NONE, |(_, captured)| *captured)
    }
}
