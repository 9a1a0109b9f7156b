//! Rules, templates and graph instances in words.

use hasse_model::event::EventRecord;
use hasse_model::id::TemplateId;
use hasse_model::plan::Plan;
use hasse_model::trace::Names;

/// The texts of firing rules, where the program is known.
#[derive(Clone, Debug, Default)]
pub struct Rules(Vec<Vec<String>>);

impl Rules {
    /// The program is not known: rules go by position.
    pub fn unknown() -> Self {
        Self::default()
    }

    /// The rules of a program.
    pub fn of(plan: &Plan) -> Self {
        let texts = |template: &hasse_model::plan::Template| {
            template.fire.iter().map(|rule| rule.text.to_string()).collect()
        };
        Self(plan.templates.iter().map(texts).collect())
    }

    /// The text of a rule by template and position; `None` where it is not known, and for the first execution of a
    /// start node.
    pub fn text(&self, template: Option<TemplateId>, rule: i32) -> Option<&str> {
        let rule_idx = usize::try_from(rule).ok()?;
        Some(self.0.get(template?.idx())?.get(rule_idx)?.as_str())
    }

    /// What an event was started by, in words: `starts`, the text of its rule, or `rule 2`.
    pub(super) fn words(&self, event: &EventRecord, names: &Names) -> String {
        match self.text(names.template_of(event.id.action), event.rule) {
            Some(text) => text.to_owned(),
            None if event.is_failed_init() => "`init`".to_owned(),
            None if event.rule < 0 => "starts".to_owned(),
            None => format!("rule {}", event.rule),
        }
    }
}

/// The label of what an event's action is an instance of.
pub(super) fn template_name(event: &EventRecord, names: &Names) -> String {
    let template = names.template_of(event.id.action);
    template.and_then(|template| names.template_name(template)).unwrap_or("?").to_owned()
}

/// The path of the graph instance of an event's action: `/` for the main one, else such as `/dobts[2]`.
pub(super) fn graph_path(event: &EventRecord, names: &Names) -> String {
    let path = names.graph_of(event.id.action).map(|graph| names.graph_path(graph).to_string());
    match path {
        Some(path) if !path.is_empty() => path,
        Some(_) => "/".to_owned(),
        None => "?".to_owned(),
    }
}

/// An event's routing rules, such as `0,2`.
pub(super) fn routes_text(event: &EventRecord) -> String {
    event.routes.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}
