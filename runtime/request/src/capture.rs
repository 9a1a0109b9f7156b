//! Values of executions that are to be kept with their records.
//!
//! A trace holds no values: a replay gives them again. What is asked for here goes to the sink in
//! [`EventRecord::local`](hasse_model::event::EventRecord::local). Where nothing is asked for, an execution pays for one
//! look at a flag.

pub use hasse_code::layout::Captured;
use hasse_model::id::{Index, TemplateId};

/// Which values of which nodes are kept; of the others none are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capture {
    of: Vec<(TemplateId, Captured)>,
    /// Of these executions alone: index of the instance, and count.
    pub only: Option<(Index, u64)>,
}

impl Capture {
    /// No values.
    pub fn none() -> Self {
        Self::default()
    }

    /// Everything of the `count`-th executions of the instances of a node that have this index: in a program
    /// whose node stands in several instances of a graph there may be several.
    pub fn event(template: TemplateId, index: Index, count: u64) -> Self {
        Self { of: vec![(template, Captured::ALL)], only: Some((index, count)) }
    }

    /// Keeps values of the `count`-th executions of instances with this index, and of no others.
    #[must_use]
    pub fn only(self, index: Index, count: u64) -> Self {
        Self { only: Some((index, count)), ..self }
    }

    /// Adds what is kept of a node to what was asked for before.
    pub fn add(&mut self, template: TemplateId, more: Captured) {
        let of_template = match self.of.iter_mut().find(|(known, _)| *known == template) {
            Some((_, captured)) => captured,
            None => {
                self.of.push((template, Captured::NONE));
                let (_, captured) = self.of.last_mut().expect("it was pushed just now");
                captured
            }
        };
        of_template.took |= more.took;
        of_template.before |= more.before;
        of_template.after |= more.after;
        of_template.sent |= more.sent;
        of_template.around |= more.around;
    }

    /// What is kept of a node.
    pub fn of(&self, template: TemplateId) -> Captured {
        self.of.iter().find(|(known, _)| *known == template).map_or(Captured::NONE, |(_, captured)| *captured)
    }
}
