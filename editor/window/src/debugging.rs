//! Debugging where one points: breakpoints and checks in the menu of the picture, and what its dots and badges do.

/// Items of menus about breakpoints and checks.
pub(crate) mod item;

use hasse_compiler::{GraphOutline, LinkKind, NodeKind};
use hasse_editor::edit::link::LinkList;
use hasse_editor::run::{PointForm, PointPlace, PointReaction};
use hasse_editor::state::input::Button as MouseButton;
use hasse_editor::target::{Part, Target};
use hasse_editor::views::findings::Query;
use hasse_model::quantity::counted;

use crate::canvas::Spot;
use crate::command::panel;
use crate::menus::menu::{Does, MenuRow};
use crate::studio::Studio;
use item::DebugItem;

fn row(label: impl Into<String>, item: DebugItem) -> MenuRow {
    MenuRow::new(label, Does::Debug(item))
}

/// A unit as checks name it: with its graph where several graphs have the name.
fn spec(graphs: &[GraphOutline], graph: &str, node: &str) -> Option<String> {
    let is_unit = |graph: &&GraphOutline| {
        graph.nodes.iter().any(|known| known.name == node && matches!(known.kind, NodeKind::Unit { .. }))
    };
    graphs.iter().filter(is_unit).find(|known| known.name == graph)?;
    let is_alone = graphs.iter().filter(is_unit).count() == 1;
    Some(if is_alone { node.to_owned() } else { format!("{graph}.{node}") })
}

impl Studio {
    /// Label of F9 for a target, and true if there is a breakpoint already.
    pub(crate) fn breakpoint_label(&self, target: &Target) -> Option<(&'static str, bool)> {
        let panel = &self.running.as_ref()?.panel;
        let form = panel.point_form(target, None);
        let is_call = form.as_ref().is_some_and(PointForm::is_call);
        let place = match &target.part {
            Part::Node(_) => *form?.places().first()?,
            Part::Link(LinkList::Arcs, _) => PointPlace::Arc,
            Part::Link(LinkList::Shares, _) | Part::Program | Part::Type(_) | Part::Graph => return None,
        };
        let label = match place {
            PointPlace::Arc => "Break when a value is sent",
            PointPlace::Access => "Break at each access",
            _ if is_call => "Break before each body inside",
            _ => "Break before the body",
        };
        Some((label, panel.point_at(target, place).is_some()))
    }

    /// Items about the breakpoints of a node or an arc.
    pub(crate) fn breakpoint_items(&self, target: &Target) -> Vec<MenuRow> {
        let Some(running) = &self.running else { return Vec::new() };
        let (panel, mut rows) = (&running.panel, Vec::new());
        if let Some(form) = panel.point_form(target, None) {
            let others = form.places().iter().skip(1);
            let others = others.filter(|place| matches!(place, PointPlace::After | PointPlace::Write));
            for place in others {
                let item = DebugItem::Toggle(target.clone(), *place);
                let is_checked = panel.point_at(target, *place).is_some();
                rows.push(MenuRow { is_checked, ..row(format!("Break {}", place.name()), item) });
            }
            rows.push(row("Break when...", DebugItem::New(target.clone(), PointReaction::Stop)));
            rows.push(row("Write a line...", DebugItem::New(target.clone(), PointReaction::Log)));
        }
        rows.extend(self.held_items(target));
        rows
    }

    /// Items about the breakpoints that a target has.
    fn held_items(&self, target: &Target) -> Vec<MenuRow> {
        let Some(running) = &self.running else { return Vec::new() };
        let held = running.panel.breakpoints_on(target);
        let mut rows = Vec::new();
        if held.is_empty() {
            return rows;
        }
        for known in &held {
            let label = format!("Edit #{}: {}", known.number, known.command);
            rows.push(row(label, DebugItem::Edit(target.clone(), known.number)));
        }
        let what =
            if held.len() == 1 { "the breakpoint".to_owned() } else { counted(held.len(), "breakpoint") };
        let switch = if held.iter().any(|known| known.is_enabled) { "off" } else { "on" };
        rows.push(row(format!("Switch {what} {switch}"), DebugItem::Switch(target.clone())));
        let numbers = held.iter().map(|known| known.number).collect();
        rows.push(row(format!("Remove {what}"), DebugItem::Delete(numbers)));
        rows
    }

    /// Checks on the units that are selected, or on the ends of an arc.
    pub(crate) fn check_items(&self, target: &Target) -> Vec<MenuRow> {
        let mut rows = self.checks_of(target);
        if let Some(first) = rows.first_mut() {
            first.is_apart = true;
        }
        rows
    }

    fn checks_of(&self, target: &Target) -> Vec<MenuRow> {
        let Ok(graphs) = hasse_compiler::outline(self.editor.document().text()) else { return Vec::new() };
        let Some(graph) = graphs.iter().find(|known| known.name == target.graph) else { return Vec::new() };
        let check = |label: String, command: String| row(label, DebugItem::Check(command));
        let units: Vec<&str> = match &target.part {
            Part::Node(node) => {
                let kind = graph.nodes.iter().find(|known| known.name == *node).map(|known| &known.kind);
                if matches!(kind, Some(NodeKind::Shared(_) | NodeKind::InOut(_))) {
                    return vec![row("Look for races", DebugItem::Races)];
                }
                self.editor.selection().nodes.iter().map(String::as_str).collect()
            }
            Part::Link(LinkList::Arcs, row) => {
                let link = graph.links.iter().find(|link| link.kind == LinkKind::Arc && link.row == *row);
                link.map(|link| vec![link.source.node.as_str(), link.target.node.as_str()])
                    .unwrap_or_default()
            }
            Part::Link(LinkList::Shares, _) | Part::Program | Part::Type(_) | Part::Graph => Vec::new(),
        };
        let specs: Option<Vec<String>> = units.iter().map(|node| spec(&graphs, &graph.name, node)).collect();
        let Some(specs) = specs else { return Vec::new() };
        let is_arc = matches!(target.part, Part::Link(..));
        match &specs[..] {
            [only] => vec![check(
                format!("Check: events of {only} never concurrent"),
                format!("never a: {only}, b: {only} where a || b"),
            )],
            [one, other] if one != other => {
                let before = |u: &str, v: &str| {
                    check(format!("Check: {u} before {v}"), format!("check pred {v} {{{u}}}"))
                };
                let mut rows = vec![before(one, other)];
                if !is_arc {
                    rows.push(before(other, one));
                }
                rows.push(check(
                    format!("Check: {one} and {other} concurrent"),
                    format!("check parall {{{one}, {other}}}"),
                ));
                rows.push(check(
                    format!("Check: {one} and {other} never concurrent"),
                    format!("never a: {one}, b: {other} where a || b"),
                ));
                rows
            }
            [] | [_, _] => Vec::new(),
            several => vec![check(
                format!("Check: events of all {} concurrent", several.len()),
                format!("check parall {{{}}}", several.join(", ")),
            )],
        }
    }

    /// Does what an item says.
    pub(crate) fn debug(&mut self, item: DebugItem) {
        self.tell_program(false);
        match item {
            DebugItem::Toggle(target, place) => {
                if let Some(running) = &mut self.running {
                    running.panel.toggle_point(&target, place);
                }
            }
            DebugItem::New(target, reaction) => self.open_point(&target, None, reaction),
            DebugItem::Edit(target, number) => self.open_point(&target, Some(number), PointReaction::Stop),
            DebugItem::Switch(target) => {
                if let Some(running) = &mut self.running {
                    running.panel.switch_points(&target);
                }
            }
            DebugItem::Delete(numbers) => {
                if let Some(running) = &mut self.running {
                    numbers.into_iter().for_each(|number| running.panel.delete_breakpoint(number));
                }
            }
            DebugItem::Check(command) => {
                self.look_for(Query::Check(command));
                self.show_panel(panel::FINDINGS);
            }
            DebugItem::Races => {
                self.look_for(Query::Races);
                self.show_panel(panel::FINDINGS);
            }
        }
    }

    /// A dot or badge of the picture is clicked.
    pub(crate) fn spot_clicked(&mut self, spot: Spot, button: MouseButton) {
        match (spot, button) {
            (Spot::Breakpoint(target), MouseButton::Right) => {
                let held = self.running.as_ref().map(|running| running.panel.breakpoints_on(&target));
                match held.as_deref() {
                    Some([only]) => {
                        let number = only.number;
                        self.open_point(&target, Some(number), PointReaction::Stop);
                    }
                    _ => self.open_held(&target),
                }
            }
            (Spot::Breakpoint(target), _) => self.debug(DebugItem::Switch(target)),
            (Spot::Problem(target), _) => self.show_problem_of(&target),
            (Spot::Instance { node, path }, button) => self.dot_clicked(&node, &path, button),
            (Spot::Waiting(node), _) => self.show_waiting(&node),
            (Spot::Check(target), _) => {
                let graph = self.editor.graph().to_owned();
                if let Some(finding) = self.viewing.views.finding_of_check(&graph, &target) {
                    self.viewing.views.select_finding(finding, None);
                    self.viewing.forget_shown();
                }
                self.show_panel(panel::FINDINGS);
            }
        }
    }

    /// Shows the values that wait at a node: those of its action while the run is at rest, else those at the end of the record.
    fn show_waiting(&mut self, node: &str) {
        let target = Target::of_node(self.editor.graph(), node);
        self.show_target(&target);
        let is_at_rest = self.running.as_ref().is_some_and(|running| running.panel.state().is_at_rest());
        self.show_panel(if is_at_rest { panel::ACTIONS } else { panel::VALUES });
    }

    /// Opens the menu of several breakpoints on one thing.
    fn open_held(&mut self, target: &Target) {
        let rows = self.held_items(target);
        let at = self.editor.cursor().unwrap_or_default().shifted(self.canvas_origin());
        self.open_rows(at, rows);
    }
}
