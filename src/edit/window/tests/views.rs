//! What the views of the window are given by a real session, and what they give to other commands.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use clap::{Args, FromArgMatches};
use hasse_editor::run::{Button, Mode, RunState, Told};
use hasse_editor::target::Target;
use hasse_editor::views::models::{ModelList, Saved};
use hasse_editor::views::record::RecordSource;
use hasse_editor::views::state::Views;
use hasse_editor::views::task::no_wake;

use super::{BTS, Window};
use crate::ending::Ending;
use crate::linked::Linked;
use crate::verify::{VerifyArgs, verify};

/// Gives the views what the session has told for them since the last time.
fn hand_over(window: &mut Window, views: &mut Views) {
    for told in std::mem::take(&mut window.told) {
        match told {
            Told::Header(header) => views.begin_live((*header).clone()),
            Told::Batch(batch) => views.push_live(batch),
            Told::Recorded(path) => views.replace(RecordSource::File(path)),
            _ => {}
        }
    }
}

/// Ticks until the views rest and show something.
#[track_caller]
fn settle(window: &mut Window, views: &mut Views, is_there: impl Fn(&Views) -> bool) {
    for _ in 0..100_000 {
        window.tick();
        hand_over(window, views);
        views.tick(0.0);
        if !views.is_busy() && is_there(views) {
            return;
        }
        thread::sleep(std::time::Duration::from_millis(1));
    }
    panic!("it is never there: {:?}", views.messages());
}

fn n_events(views: &Views) -> u32 {
    views.page().map_or(0, |page| page.player.n_events())
}

#[test]
fn the_history_grows_to_a_breakpoint_and_beyond() {
    let mut window = Window::on(BTS);
    let mut views = Views::new(hasse_body::functions(), no_wake());
    window.panel.open();
    window.until("open", |panel| panel.state() == RunState::Ready);
    window.panel.toggle_breakpoint(&Target::of_node("bts", "Solve"));
    window.run();
    assert_eq!(window.panel.state(), RunState::Waiting);
    // What has executed so far.
    settle(&mut window, &mut views, |views| n_events(views) > 0 && views.is_live());
    let so_far = n_events(&views);
    let record = Arc::clone(&views.page().unwrap().record);
    assert!(record.instances_by_path().contains_key("/Dist"), "{so_far}");
    assert!(!record.instances_by_path().contains_key("/Gath"));
    assert_eq!(views.marks("bts").nodes["Dist"].n_events, Some(1));
    window.press(Button::Cont);
    settle(&mut window, &mut views, |views| n_events(views) > so_far);
    window.press(Button::End);
    settle(&mut window, &mut views, |views| !views.is_live());
    assert!(views.source().is_some(), "the record of a run that was ended is kept");
}

#[test]
fn a_run_that_records_nothing_has_no_header() {
    for (mode, has_header) in [(Mode::Off, false), (Mode::Minimal, false), (Mode::Perf, true)] {
        let mut window = Window::on(BTS);
        let options = hasse_editor::run::Options { mode, ..window.panel.options().clone() };
        window.panel.set_options(options);
        window.run();
        assert_eq!(window.told.iter().any(|told| matches!(told, Told::Header(_))), has_header, "{mode:?}");
    }
}

/// Whether `hasse verify` finds all as expected.
fn verified(trace: &Path, model: &Path) -> Ending {
    let command = VerifyArgs::augment_args(clap::Command::new("verify"));
    let arguments = ["verify".as_ref(), trace.as_os_str(), "--model".as_ref(), model.as_os_str()];
    let args = VerifyArgs::from_arg_matches(&command.get_matches_from(arguments)).unwrap();
    verify(&args, &Linked::nothing()).unwrap()
}

#[test]
fn saved_models_are_taken_by_verify() {
    let mut window = Window::on(BTS);
    window.run();
    let trace = window.record();
    let text = std::fs::read_to_string(BTS).unwrap();
    let graphs = hasse_compiler::outline(&text).unwrap();
    let graph = graphs.iter().find(|graph| graph.is_main).unwrap();
    let mut views = Views::new(hasse_body::functions(), no_wake());
    for nodes in [["Solve", "Mult"], ["Solve", "Gath"]] {
        let nodes: BTreeSet<String> = nodes.map(str::to_owned).into();
        views.draw_model(graph, &nodes, &BTreeSet::new());
    }
    assert_eq!(views.models.texts().len(), 2);
    let folder = tempfile::tempdir().unwrap();
    let path = ModelList::path_of(&folder.path().join("bts.hasse"));
    assert_eq!(views.models.save(&path, false).unwrap(), Saved::Written);
    window.told.clear();
    views.open(RecordSource::File(trace.clone()));
    settle(&mut window, &mut views, |views| views.source().is_some());
    let holds =
        views.findings().iter().all(|found| found.status == hasse_editor::views::findings::Status::Holds);
    let expected = if holds { Ending::Fine } else { Ending::Failed };
    assert_eq!(verified(&trace, &path), expected, "{:?}", views.findings());
    // One that leaves out what is expected does not hold.
    views.set_model(0, "[model.half]\nnodes = [\"Solve\", \"Mult\"]\narcs = [\"Solve -> Mult\"]\n").unwrap();
    assert_eq!(views.models.save(&path, false).unwrap(), Saved::Written);
    assert_eq!(verified(&trace, &path), Ending::Failed);
}
