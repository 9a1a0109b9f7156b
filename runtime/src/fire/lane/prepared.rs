//! The part of a template that is the same for all its events, prepared for one worker.

use hasse_code::layout::Layout;
use hasse_code::natives::node::{BodyTemplate, Registered};
use hasse_model::diagnostic::Location;
use hasse_model::plan::Template;
use hasse_routine::Machine;
use hasse_runtime_plan::lane::{Lane, Plain};

/// What is the same for all events of a template, for one worker.
pub(crate) struct Batch<'b> {
    pub(crate) lane: &'b Lane<'b>,
    pub(crate) plain: &'b Plain<'b>,
    pub(crate) template: &'b Template,
    pub(crate) layout: &'b Layout,
    pub(crate) body: Option<NodeBody<'b>>,
    /// The routine of the body, where that can take back what it has written to the one shared object, which it writes in
    /// place. All other bodies write a copy, so that the object is as it was where an event fails.
    pub(crate) writer: Option<&'b Machine>,
    /// True if events by all firing rules can be laid out in columns.
    pub(crate) has_columns: bool,
}

/// A native body, or a lowered one.
pub(crate) struct NodeBody<'b> {
    pub(crate) native: &'b Registered,
    pub(crate) at: Location,
    pub(crate) template: BodyTemplate<'b>,
}
