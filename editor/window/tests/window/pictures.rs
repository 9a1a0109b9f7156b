use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

use roxmltree::Document;
use slint::platform::Key;

use crate::common::Driver;
use crate::common::programs::{PROGRAM, RUNNING};

/// Saves a picture under a name, from the menu.
fn save(hand: &Driver, name: &str) {
    hand.click("File menu");
    hand.click("Save picture...");
    hand.ctrl('a');
    hand.type_text(name);
    hand.key(Key::Return);
}

fn size_of(path: &Path) -> (u32, u32) {
    let reader = png::Decoder::new(BufReader::new(File::open(path).unwrap())).read_info().unwrap();
    (reader.info().width, reader.info().height)
}

#[test]
fn picture_of_a_graph_is_saved_with_lines_and_texts() {
    let hand = Driver::of(PROGRAM);
    hand.click("File menu");
    hand.click("Save picture...");
    assert_eq!(hand.value("path"), "a.svg", "the name is that of the program");
    hand.key(Key::Return);
    let path = hand.file("a.svg");
    assert_eq!(hand.status(), format!("Saved {}", path.display()));
    let text = fs::read_to_string(&path).unwrap();
    let svg = Document::parse(&text).unwrap();
    let texts: Vec<&str> =
        svg.descendants().filter(|node| node.has_tag_name("text")).filter_map(|node| node.text()).collect();
    for name in ["A", "B", "C", "D", "E", "H", "total", "group", "says one or two words"] {
        assert!(texts.contains(&name), "{name} is not among {texts:?}");
    }
    let of_class =
        |class: &str| svg.descendants().filter(|node| node.attribute("class") == Some(class)).count();
    assert_eq!([of_class("node"), of_class("arc"), of_class("share")], [7, 2, 0]);
    assert_eq!([of_class("frame"), of_class("comment")], [1, 1]);
    // An arrow head is a part of its wire: the tip and two wings.
    let arc = svg.descendants().find(|node| node.attribute("class") == Some("arc")).unwrap();
    assert_eq!(arc.attribute("d").unwrap().matches('L').count(), 2);
}

#[test]
fn picture_shows_index_maps_and_share_lines() {
    let hand = Driver::of(RUNNING);
    save(&hand, "run");
    let text = fs::read_to_string(hand.file("run.svg")).unwrap();
    let svg = Document::parse(&text).unwrap();
    let has =
        |text: &str| svg.descendants().any(|node| node.has_tag_name("text") && node.text() == Some(text));
    assert!(has("b[i] \u{2192} i") || has("b[i] \u{2192} [i]"), "{text}");
    let n_shares = svg.descendants().filter(|node| node.attribute("class") == Some("share")).count();
    assert_eq!(n_shares, 1);
}

#[test]
fn picture_in_pixels_is_twice_as_large_and_in_the_colors_of_the_window() {
    let hand = Driver::of(PROGRAM);
    save(&hand, "a.svg");
    save(&hand, "dark.png");
    let dark = fs::read_to_string(hand.file("a.svg")).unwrap();
    let svg = Document::parse(&dark).unwrap();
    let length = |name| svg.root_element().attribute(name).unwrap().parse::<u32>().unwrap();
    let (width, height) = size_of(&hand.file("dark.png"));
    assert!(width.abs_diff(2 * length("width")) <= 2 && height.abs_diff(2 * length("height")) <= 2);
    hand.command("Dark");
    save(&hand, "light.svg");
    save(&hand, "light.png");
    let light = fs::read_to_string(hand.file("light.svg")).unwrap();
    assert!(dark.contains("#1e1f24") && !dark.contains("fill=\"#ffffff\""));
    assert!(light.contains("fill=\"#ffffff\"") && !light.contains("#1e1f24"));
    assert_ne!(fs::read(hand.file("dark.png")).unwrap(), fs::read(hand.file("light.png")).unwrap());
    assert_eq!(size_of(&hand.file("light.png")), (width, height));
}

#[test]
fn picture_has_all_of_the_graph_whatever_is_seen_and_selected() {
    let hand = Driver::of(PROGRAM);
    save(&hand, "a.svg");
    let all = fs::read_to_string(hand.file("a.svg")).unwrap();
    hand.click_at(hand.node_at("B"));
    hand.wheel(hand.node_at("B"), 900.0);
    save(&hand, "near.svg");
    assert_eq!(fs::read_to_string(hand.file("near.svg")).unwrap(), all);
    assert_eq!(hand.selected(), ["B"], "what was selected still is");
}

#[test]
fn picture_with_another_ending_is_refused() {
    let hand = Driver::of(PROGRAM);
    save(&hand, "a.jpeg");
    assert!(hand.reads("a picture is saved as .svg or .png"));
    assert!(!hand.file("a.jpeg").exists());
    hand.key(Key::Escape);
    // What is there is written over when it is asked for twice.
    fs::write(hand.file("b.svg"), "old").unwrap();
    save(&hand, "b.svg");
    assert_eq!(fs::read_to_string(hand.file("b.svg")).unwrap(), "old");
    hand.key(Key::Return);
    assert!(fs::read_to_string(hand.file("b.svg")).unwrap().starts_with("<svg"));
}
