//! Numbers of values that full ports have dropped.

use std::sync::atomic::{AtomicU64, Ordering};

use hasse_model::id::TemplateId;
use hasse_model::plan::Plan;
use hasse_request::report::DroppedValues;

/// Numbers of dropped values, by port of a node.
pub(crate) struct DroppedCounts {
    /// By template and port, of those that drop values, in the order of the program.
    counts: Vec<(TemplateId, usize, AtomicU64)>,
}

impl DroppedCounts {
    pub(crate) fn of(plan: &Plan) -> Self {
        let mut counts = Vec::new();
        for (template_idx, template) in plan.templates.iter().enumerate() {
            let ports = template.inputs.iter().enumerate().filter(|(_, port)| port.full.drops());
            counts
                .extend(ports.map(|(port, _)| (TemplateId::from_idx(template_idx), port, AtomicU64::new(0))));
        }
        Self { counts }
    }

    pub(crate) fn add(&self, template: TemplateId, port: usize, n_values: u64) {
        let is_it = |known: &&(TemplateId, usize, AtomicU64)| (known.0, known.1) == (template, port);
        if let Some((_, _, count)) = self.counts.iter().find(is_it) {
            count.fetch_add(n_values, Ordering::Relaxed);
        }
    }

    /// The ports that have dropped values, for a report.
    pub(crate) fn report(&self, plan: &Plan) -> Vec<DroppedValues> {
        let all = self.counts.iter().map(|(template_id, port, count)| {
            let template = plan.template(*template_id);
            let port = &template.inputs[*port].name;
            let port = format!("{}.{port}", plan.template_label(template));
            DroppedValues { port, n_values: count.load(Ordering::Relaxed) }
        });
        all.filter(|dropped| dropped.n_values > 0).collect()
    }
}
