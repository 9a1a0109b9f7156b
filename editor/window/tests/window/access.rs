use hasse_ui::Theme;
use i_slint_backend_testing::{AccessibleRole, ElementHandle, ElementQuery};
use slint::platform::Key;
use slint::{Color, ComponentHandle};

use crate::common::Driver;
use crate::common::programs::PROGRAM;

/// Roles of what a person can use or go through.
const USED: [AccessibleRole; 9] = [
    AccessibleRole::Button,
    AccessibleRole::Checkbox,
    AccessibleRole::RadioButton,
    AccessibleRole::TextInput,
    AccessibleRole::Tab,
    AccessibleRole::ListItem,
    AccessibleRole::List,
    AccessibleRole::Slider,
    AccessibleRole::Image,
];

/// What can be used, but has no label; and what takes the mouse, but nothing around it says what it is.
fn unnamed(hand: &Driver) -> Vec<String> {
    let told = |found: &ElementHandle, what: &str| {
        format!("{what} {:?} at {:?}", found.type_name(), found.absolute_position())
    };
    let used = ElementQuery::from_root(&hand.opened.window)
        .match_predicate(|found| found.accessible_role().is_some_and(|role| USED.contains(&role)))
        .find_all();
    let used = used.iter().filter(|found| {
        // The toolkit's list stands inside one with a label.
        let is_inner = found.type_name().is_some_and(|name| name == "ListView");
        let label = found.accessible_label().unwrap_or_default();
        label.trim().is_empty() && found.size().width > 0.0 && !is_inner
    });
    let mut missing: Vec<String> =
        used.map(|found| told(found, &format!("{:?}", found.accessible_role()))).collect();
    let inputs = ElementQuery::from_root(&hand.opened.window).match_inherits("TextInput").find_all();
    let inputs = inputs.iter().filter(|input| input.absolute_position().x >= 0.0);
    missing
        .extend(inputs.filter(|input| input.accessible_role().is_none()).map(|input| told(input, "field")));
    missing
}

#[test]
fn all_that_can_be_used_has_a_role_and_a_label() {
    let hand = Driver::of(PROGRAM);
    assert_eq!(unnamed(&hand), [""; 0], "the window");
    for tab in hand.labels(AccessibleRole::Tab) {
        hand.press(&tab);
        assert_eq!(unnamed(&hand), [""; 0], "{tab}");
    }
    for node in ["A", "H", "total"] {
        hand.click_at(hand.node_at(node));
        assert_eq!(unnamed(&hand), [""; 0], "{node}");
    }
    hand.click_at(hand.opened.arc_at(0).unwrap());
    assert_eq!(unnamed(&hand), [""; 0], "an arc");
    hand.ctrl('o');
    assert_eq!(unnamed(&hand), [""; 0], "the file dialog");
    hand.key(Key::Escape);
    hand.ctrl_shift('p');
    assert_eq!(unnamed(&hand), [""; 0], "the palette");
    hand.key(Key::Escape);
    hand.click("Edit menu");
    assert_eq!(unnamed(&hand), [""; 0], "a menu");
}

#[test]
fn panels_are_used_without_a_mouse() {
    let hand = Driver::of(PROGRAM);
    hand.press("Problems");
    assert_eq!(hand.item("Problems").accessible_item_selected(), Some(true));
    assert_eq!(hand.item("Body").accessible_item_selected(), Some(false));
    hand.press("Find");
    hand.item("find").set_accessible_value("total");
    hand.settle();
    assert!(hand.reads("1 place") && hand.has("total, g.total · line 10"));
    hand.press("Tidy all (L)");
    assert_ne!(hand.program(), PROGRAM);
    hand.press("Undo (Ctrl+Z)");
    assert_eq!(hand.program(), PROGRAM);
    hand.press("B");
    assert_eq!(hand.selected(), ["B"]);
    assert_eq!(hand.item("B").accessible_item_selected(), Some(true));
    let told = hand.item("B").accessible_description().unwrap_or_default();
    assert!(told.contains("takes x: int"), "{told}");
}

#[test]
fn boxes_that_are_drawn_as_blocks_are_used_too() {
    let hand = Driver::of(PROGRAM);
    let near = hand.labels(AccessibleRole::ListItem).len();
    while hand.zoom() > 0.3 {
        hand.ctrl('-');
    }
    assert!(hand.node("B").is_none(), "there is no element for its look");
    assert_eq!(hand.labels(AccessibleRole::ListItem).len(), near);
    let paper = hand.snapshot();
    hand.press("B");
    assert_eq!(hand.item("B").accessible_item_selected(), Some(true));
    assert_eq!(hand.value("Name"), "B");
    assert_ne!(hand.snapshot(), paper);
    assert_eq!(unnamed(&hand), [""; 0]);
}

#[test]
fn what_is_searched_for_is_found_and_gone_to() {
    let hand = Driver::of(PROGRAM);
    hand.ctrl('f');
    hand.type_text("uc");
    hand.ctrl('a');
    hand.type_text("x + 1");
    assert!(hand.reads("1 place"));
    hand.key(Key::Return);
    assert_eq!(hand.selected(), ["B"]);
    hand.ctrl('a');
    hand.type_text("nowhere");
    assert!(hand.reads("Nothing is found."));
    hand.key(Key::Escape);
    assert_eq!(hand.program(), PROGRAM);
}

/// Texts that stand out of the window. What is clipped by a panel is not looked at by the toolkit's search.
fn outside(hand: &Driver, width: f32, height: f32) -> Vec<String> {
    let texts = hand.all(AccessibleRole::Text).into_iter();
    let out = texts.filter(|text| {
        let (at, size) = (text.absolute_position(), text.size());
        at.x < -1.0 || at.y < -1.0 || at.x + size.width > width + 1.0 || at.y + size.height > height + 1.0
    });
    out.map(|text| format!("{:?} {:?}", text.accessible_label(), text.absolute_position())).collect()
}

#[test]
fn light_and_dark_differ_and_nothing_is_drawn_outside() {
    let hand = Driver::of(PROGRAM);
    for (width, height) in [(1280.0, 800.0), (2560.0, 1440.0)] {
        hand.resize(width, height);
        hand.click_at(hand.node_at("B"));
        assert_eq!(outside(&hand, width, height), [""; 0]);
        let dark = hand.snapshot();
        assert_eq!((dark.0, dark.1), (width as u32, height as u32));
        hand.command("Dark");
        let light = hand.snapshot();
        let brightness = |pixels: &[u8]| {
            let all = pixels
                .chunks_exact(4)
                .step_by(97)
                .map(|pixel| u64::from(pixel[0]) + u64::from(pixel[1]) + u64::from(pixel[2]));
            all.sum::<u64>() / (3 * pixels.len().div_ceil(4 * 97) as u64)
        };
        let (dark, light) = (brightness(&dark.2), brightness(&light.2));
        assert!(dark < 90 && light > 190, "{dark} {light}");
        hand.command("Dark");
    }
}

/// Contrast of two colors, from 1 to 21 (WCAG 2.2, definition of contrast ratio).
fn contrast(one: Color, other: Color) -> f64 {
    let luminance = |color: Color| {
        let linear = |byte: u8| {
            let share = f64::from(byte) / 255.0;
            if share <= 0.03928 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(color.red()) + 0.7152 * linear(color.green()) + 0.0722 * linear(color.blue())
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn texts_have_the_contrast_of_level_aa_in_both_themes() {
    let hand = Driver::of(PROGRAM);
    for is_dark in [true, false] {
        hand.opened.window.invoke_set_dark(is_dark);
        let theme = hand.opened.window.global::<Theme>();
        let quiet =
            [("paper", theme.get_paper()), ("panel", theme.get_panel()), ("sunken", theme.get_sunken())];
        let lit = [
            ("raised", theme.get_raised()),
            ("hover", theme.get_hover()),
            ("selected", theme.get_selected()),
            ("node", theme.get_node()),
            ("node-title", theme.get_node_title()),
        ];
        let texts = [
            ("text", theme.get_text()),
            ("dim", theme.get_dim()),
            ("accent", theme.get_accent()),
            ("error", theme.get_error()),
            ("warning", theme.get_warning()),
            ("good", theme.get_good()),
            ("stopped", theme.get_stopped()),
            ("running", theme.get_running()),
            ("waiting", theme.get_waiting()),
        ];
        for (name, color) in texts {
            for (below, background) in quiet.iter().chain(&lit) {
                let ratio = contrast(color, *background);
                assert!(ratio >= 4.5, "{name} on {below}, dark {is_dark}: {ratio:.2}");
            }
        }
        for (below, background) in quiet {
            assert!(contrast(theme.get_faint(), background) >= 4.5, "faint on {below}, dark {is_dark}");
            // Marks are no texts (criterion 1.4.11).
            assert!(contrast(theme.get_idle(), background) >= 3.0, "idle on {below}, dark {is_dark}");
            assert!(contrast(theme.get_thumb(), background) >= 3.0, "a thumb on {below}, dark {is_dark}");
        }
        assert!(contrast(theme.get_accent_text(), theme.get_accent()) >= 4.5);
    }
}
