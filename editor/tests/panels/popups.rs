//! Choosing by typing.

use hasse_editor::palette::{Action, Wire, WireEnd};
use hasse_editor::panels::search_popup::{Chosen, Command, MOST_RECENT, Recent, SearchPopup};

use super::*;

fn labels(popup: &SearchPopup) -> Vec<&str> {
    popup.rows().iter().map(|row| &*row.label).collect()
}

#[test]
fn nodes_are_chosen_by_a_few_letters() {
    let mut recent = Recent::default();
    let mut popup = SearchPopup::nodes(PROGRAM, "top", None, &recent);
    assert_eq!(labels(&popup)[..4], ["unit", "start unit", "stop unit", "Read lines"]);
    let calls: Vec<&str> =
        labels(&popup).into_iter().filter(|label| ["top", "sub"].contains(label)).collect();
    assert_eq!((calls, labels(&popup).pop()), (vec!["sub", "top"], Some("top")), "a call of itself is last");
    let version = popup.version();
    popup.set_query("shre");
    assert_eq!(popup.rows()[0].label, "shared real");
    assert_eq!(popup.rows()[0].letters, [0, 1, 7, 8]);
    assert!(popup.version() > version);
    popup.select(-1);
    assert_eq!(popup.selected(), popup.rows().len() - 1);
    popup.select(1);
    let real = Chosen::Node(Action::Shared("real".to_owned()));
    assert_eq!(popup.accept(None, &mut recent), Some(real));
    popup.set_query("none such");
    assert!(popup.rows().is_empty());
    popup.select(3);
    assert_eq!((popup.selected(), popup.accept(None, &mut recent)), (0, None));
    assert_eq!(recent.actions.len(), 1);
    let popup = SearchPopup::nodes(PROGRAM, "top", None, &recent);
    assert_eq!((labels(&popup)[0], popup.rows()[0].is_recent), ("shared real", true));
    assert!(popup.accept(Some(2), &mut recent).is_some());
    assert_eq!(recent.actions[0], Action::Unit { is_start: true, is_stop: false });
    for popup in [SearchPopup::nodes("[", "top", None, &recent), SearchPopup::nodes("", "", None, &recent)] {
        assert!(labels(&popup).contains(&"unit"));
    }
}

#[test]
fn a_dropped_wire_leaves_what_takes_it() {
    let mut recent = Recent::default();
    let wire = Wire { from: WireEnd::Source, ty: "real".to_owned() };
    let mut popup = SearchPopup::nodes(PROGRAM, "top", Some(&wire), &recent);
    assert_eq!(labels(&popup)[..5], ["unit", "Work.part", "End.sum", "Sub.a", "sub.a"]);
    assert!(labels(&popup)[5..].contains(&"Fold.item"), "graphs of the palette come last");
    assert_eq!(labels(&popup).last(), Some(&"output real"), "an output of the main graph leads nowhere");
    popup.set_query("e.s");
    let chosen = popup.accept(None, &mut recent);
    assert_eq!(chosen, Some(Chosen::Node(Action::Connect("End".to_owned(), "sum".to_owned()))));
    assert!(recent.actions.is_empty(), "an end of one wire is no habit");
    let wire = Wire { from: WireEnd::Source, ty: "string".to_owned() };
    let popup = SearchPopup::nodes(PROGRAM, "top", Some(&wire), &recent);
    assert_eq!(labels(&popup)[..2], ["unit", "Read lines.path"]);
    // What was chosen before stays where it is: the first entry is chosen without a look.
    recent.actions = vec![Action::Output("string".to_owned())];
    let popup = SearchPopup::nodes(PROGRAM, "top", Some(&wire), &recent);
    assert_eq!(labels(&popup)[..2], ["unit", "Read lines.path"]);
}

#[test]
fn commands_are_chosen_with_the_latest_first() {
    let command = |id: &str, label: &str, shortcut: &str| Command {
        id: id.to_owned(),
        label: label.to_owned(),
        shortcut: shortcut.to_owned(),
    };
    let all = || {
        let mut all = vec![command("save", "Save", "Ctrl+S"), command("save-as", "Save As\u{2026}", "")];
        all.extend((0..30).map(|n| command(&format!("c{n}"), &format!("Command {n}"), "")));
        all
    };
    let mut recent = Recent::default();
    let mut popup = SearchPopup::commands(all(), &recent);
    assert_eq!(popup.rows().len(), 32);
    popup.set_query("sa");
    assert_eq!(labels(&popup), ["Save", "Save As\u{2026}"]);
    assert_eq!(popup.rows()[0].detail, "Ctrl+S");
    popup.select(1);
    assert_eq!(popup.accept(None, &mut recent), Some(Chosen::Command("save-as".to_owned())));
    let popup = SearchPopup::commands(all(), &recent);
    assert_eq!(labels(&popup)[..2], ["Save As\u{2026}", "Save"]);
    for row in 0..32 {
        popup.accept(Some(row), &mut recent);
    }
    assert_eq!((recent.commands.len(), &*recent.commands[0]), (MOST_RECENT, "c29"));
    assert!(SearchPopup::commands(Vec::new(), &recent).rows().is_empty());
}
