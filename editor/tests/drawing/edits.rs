use hasse_editor::document::Document;
use hasse_editor::drawing::scene::Layout;
use hasse_editor::edit::link::{self, LinkList};
use hasse_editor::edit::note::{self, Frame};
use hasse_editor::edit::port::{self, Side};
use hasse_editor::edit::{EditError, graph, node, place, route};
use toml_edit::DocumentMut;

use crate::PROGRAM;

/// Lines that are gone and lines that are new; the text formatted has the same layout.
fn edited(edit: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>) -> String {
    let mut document = Document::new(PROGRAM);
    document.edit("edit", edit).unwrap();
    let text = document.text().to_owned();
    let formatted = hasse_compiler::format(&text).unwrap();
    let read = |text: &str| Layout::read(&text.parse().unwrap(), "g");
    assert_eq!(read(&formatted), read(&text), "{formatted}");
    document.undo();
    assert_eq!(document.text(), PROGRAM);
    let diff = similar::TextDiff::from_lines(PROGRAM, &text);
    let changed = diff.iter_all_changes().filter(|change| change.tag() != similar::ChangeTag::Equal);
    changed.map(|change| format!("{}{}", change.tag(), change.value())).collect()
}

fn refused(edit: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>) -> String {
    Document::new(PROGRAM).edit("edit", edit).unwrap_err().to_string()
}

fn a_frame(number: u64) -> Frame {
    Frame { number, at: [0, 0], size: [300, 200], title: "Reads \"a\"".to_owned(), color: "blue".to_owned() }
}

#[test]
fn bends_comments_and_frames_are_edited() {
    const ARCS: LinkList = LinkList::Arcs;
    let changes = [
        edited(|tables| route::add_bend(tables, "g", ARCS, 1, 1, [270, 120])),
        edited(|tables| route::move_bend(tables, "g", ARCS, 1, 0, [1, 2])),
        edited(|tables| route::remove_bend(tables, "g", ARCS, 1, 1)),
        edited(|tables| route::set_bends(tables, "g", ARCS, 1, &[])),
        edited(|tables| route::set_bends(tables, "g", ARCS, 1, &[[260, 100], [280, 140]])),
        edited(|tables| route::add_bend(tables, "g", LinkList::Shares, 0, 9, [5, 6])),
        edited(|tables| note::add_comment(tables, "g", [7, 8], "two\nlines").map(drop)),
        edited(|tables| note::add_comment(tables, "h", [7, 8], "x").map(drop)),
        edited(|tables| note::set_comment(tables, "g", 3, "writes")),
        edited(|tables| note::move_comment(tables, "g", 3, [9, 9])),
        edited(|tables| note::remove_comment(tables, "g", 3)),
        edited(|tables| note::add_frame(tables, "g", &a_frame(0)).map(drop)),
        edited(|tables| note::set_frame(tables, "g", &a_frame(1))),
        edited(|tables| note::move_frame(tables, "g", 1, [9, 9])),
        edited(|tables| note::remove_frame(tables, "g", 1)),
        refused(|tables| route::add_bend(tables, "g", ARCS, 70, 0, [0, 0])),
        refused(|tables| route::add_bend(tables, "z", ARCS, 0, 0, [0, 0])),
        refused(|tables| route::move_bend(tables, "g", ARCS, 1, 2, [0, 0])),
        refused(|tables| route::remove_bend(tables, "g", ARCS, 0, 0)),
        refused(|tables| note::set_comment(tables, "g", 1, "x")),
        refused(|tables| note::move_comment(tables, "h", 1, [0, 0])),
        refused(|tables| note::remove_comment(tables, "g", 1)),
        refused(|tables| note::set_frame(tables, "g", &a_frame(2))),
        refused(|tables| note::move_frame(tables, "g", 2, [0, 0])),
        refused(|tables| note::remove_frame(tables, "g", 2)),
    ];
    insta::assert_snapshot!(changes.join("\n"));
}

#[test]
fn bends_follow_their_line() {
    let changes = [
        edited(|tables| node::rename(tables, "g", "Mult", "Times")),
        edited(|tables| port::rename(tables, "g", "A", Side::Output, "x", "first")),
        edited(|tables| link::set(tables, "g", LinkList::Arcs, 1, "A.x -> Mult[1].y")),
        edited(|tables| link::set(tables, "g", LinkList::Arcs, 1, "A.x  ->  Mult[0].y")),
        edited(|tables| link::remove(tables, "g", LinkList::Arcs, 1)),
        edited(|tables| node::remove(tables, "g", &["A"])),
        edited(|tables| port::remove(tables, "g", "A", Side::Output, "x")),
        edited(|tables| graph::rename(tables, "g", "k")),
        edited(|tables| {
            tables["graph"]["g"].as_table_mut().unwrap().remove("arcs");
            assert_eq!(route::prune(tables, "g"), 1);
            assert_eq!(route::prune(tables, "g"), 0);
            Ok(())
        }),
    ];
    insta::assert_snapshot!(changes.join("\n"));
}

#[test]
fn bends_of_equal_lines_stay_with_the_one_that_is_left() {
    let text = "[graph.g]\narcs = ['A.x -> B.y', 'A.x->B.y']\n[layout.g]\n'A.x -> B.y' = [[1, 2]]\n";
    let mut tables: DocumentMut = text.parse().unwrap();
    link::remove(&mut tables, "g", LinkList::Arcs, 0).unwrap();
    assert_eq!(route::bends(&mut tables, "g", LinkList::Arcs, 0), Ok(vec![[1, 2]]));
    link::set(&mut tables, "g", LinkList::Arcs, 0, "A.x -> C.y").unwrap();
    assert_eq!(route::bends(&mut tables, "g", LinkList::Arcs, 0), Ok(vec![[1, 2]]));
    link::remove(&mut tables, "g", LinkList::Arcs, 0).unwrap();
    assert!(!tables.to_string().contains("layout"), "{tables}");
}

#[test]
fn formal_ports_have_places_as_keys_and_as_tables() {
    let tables: DocumentMut = PROGRAM.parse().unwrap();
    let names: Vec<String> = place::positions(&tables, "g").into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["in.a", "A", "Mult", "Sub", "t", "out.r"]);
}

#[test]
fn formal_ports_in_a_table_are_moved_renamed_and_removed_there() {
    let changes = [
        edited(|tables| place::set(tables, "g", &[("out.r", [1, 2])])),
        edited(|tables| node::rename(tables, "g", "out.r", "s")),
        edited(|tables| node::remove(tables, "g", &["out.r"])),
    ];
    insta::assert_snapshot!(changes.join("\n"));
}
