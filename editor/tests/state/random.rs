use hasse_editor::drawing::geometry::Point;
use hasse_editor::palette;
use hasse_editor::state::Request;
use hasse_editor::state::action::{ACTIONS, Action};
use hasse_editor::state::input::{Button, Key, Modifiers, PointerEvent};
use proptest::prelude::*;

use super::{Hand, PROGRAM};

/// What a person may do.
#[derive(Clone, Debug)]
enum Step {
    Pointer(PointerEvent),
    Key(Key, Modifiers),
    Act(usize),
    /// A drag from one place to another, which random events seldom are.
    Drag(Button, Point, Point, Modifiers),
    Answer(String),
    Paste(bool),
    Wait(u64),
    Undo,
}

fn modifiers() -> impl Strategy<Value = Modifiers> {
    prop_oneof![
        3 => Just(Modifiers::NONE),
        1 => any::<[bool; 3]>().prop_map(|[shift, ctrl, alt]| Modifiers { shift, ctrl, alt }),
    ]
}

/// Places on the canvas, most of them where something is drawn; some are none.
fn place() -> impl Strategy<Value = Point> {
    let near = (0_usize..9, -30.0..90.0_f64, -10.0..90.0_f64).prop_map(|(which, x, y)| {
        const CORNERS: [(f64, f64); 9] = [
            (0.0, 0.0),
            (200.0, 0.0),
            (400.0, 0.0),
            (200.0, 200.0),
            (600.0, 200.0),
            (0.0, 200.0),
            (400.0, 200.0),
            (600.0, 0.0),
            (180.0, 150.0),
        ];
        Point::new(CORNERS[which].0 + x + 100.0, CORNERS[which].1 + y + 100.0)
    });
    prop_oneof![
        8 => near,
        2 => (-50.0..1250.0_f64, -50.0..850.0_f64).prop_map(|(x, y)| Point::new(x, y)),
        1 => Just(Point::new(f64::NAN, f64::INFINITY)),
    ]
}

fn button() -> impl Strategy<Value = Button> {
    prop_oneof![6 => Just(Button::Left), 1 => Just(Button::Middle), 1 => Just(Button::Right)]
}

fn pointer() -> impl Strategy<Value = PointerEvent> {
    prop_oneof![
        (place(), button(), modifiers(), 1_u8..4).prop_map(|(at, button, modifiers, clicks)| {
            PointerEvent::Down { at, button, modifiers, clicks }
        }),
        (place(), modifiers()).prop_map(|(at, modifiers)| PointerEvent::Move { at, modifiers }),
        (place(), button(), modifiers()).prop_map(|(at, button, modifiers)| PointerEvent::Up {
            at,
            button,
            modifiers
        }),
        (place(), -400.0..400.0_f64, -400.0..400.0_f64, modifiers()).prop_map(|(at, x, y, modifiers)| {
            PointerEvent::Wheel { at, delta: Point::new(x, y), modifiers }
        }),
        Just(PointerEvent::Leave),
    ]
}

fn key() -> impl Strategy<Value = Key> {
    prop_oneof![
        prop::sample::select("acflhu1+-/sxbzgidqSXB".chars().collect::<Vec<_>>()).prop_map(Key::Char),
        prop::sample::select(vec![
            Key::Space,
            Key::Enter,
            Key::Escape,
            Key::Tab,
            Key::Delete,
            Key::Left,
            Key::Down,
            Key::F(2),
            Key::F(8),
        ]),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => pointer().prop_map(Step::Pointer),
        3 => (button(), place(), place(), modifiers()).prop_map(|(button, from, to, held)| {
            Step::Drag(button, from, to, held)
        }),
        2 => (key(), modifiers()).prop_map(|(key, modifiers)| Step::Key(key, modifiers)),
        3 => (0..ACTIONS.len()).prop_map(Step::Act),
        1 => "[a-zäöü ]{0,4}".prop_map(Step::Answer),
        1 => any::<bool>().prop_map(Step::Paste),
        1 => (0_u64..300).prop_map(Step::Wait),
        1 => Just(Step::Undo),
    ]
}

/// Does what a window does that is asked for something.
fn answer(hand: &mut Hand, text: &str) {
    for request in hand.requests() {
        match request {
            Request::Prompt(prompt) => {
                hand.editor.answer_prompt(&prompt.purpose, text);
            }
            Request::Palette { place, wire, .. } => {
                let wire = wire.as_ref();
                let entries = palette::entries(hand.text(), hand.editor.graph(), wire.map(|(wire, _)| wire));
                if let Some(entry) = entries.get(text.chars().count()) {
                    hand.editor.insert(&entry.action, place, wire.map(|(_, from)| from));
                }
            }
            Request::Menu { at } => {
                hand.editor.context(at);
            }
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn whatever_is_done_can_be_undone(steps in prop::collection::vec(step(), 1..30)) {
        let mut hand = Hand::new();
        let mut clipboard = String::new();
        for step in steps {
            match step {
                Step::Pointer(event) => hand.editor.pointer(event),
                Step::Key(key, modifiers) => {
                    hand.key_as(key, modifiers);
                }
                // Another program has another history.
                Step::Act(row) if ACTIONS[row].action == Action::New => {}
                Step::Act(row) => {
                    hand.editor.act(ACTIONS[row].action);
                }
                Step::Drag(button, from, to, modifiers) => hand.drag_as(button, from, to, modifiers),
                Step::Answer(text) => answer(&mut hand, &text),
                Step::Paste(is_copied) => {
                    if is_copied {
                        clipboard = hand.editor.copy().unwrap_or(clipboard);
                    }
                    hand.editor.paste(&clipboard);
                }
                Step::Wait(millis) => {
                    hand.wait(millis);
                }
                Step::Undo => {
                    hand.editor.act(Action::Undo);
                }
            }
            let picture = hand.editor.picture();
            prop_assert_eq!(&picture.graph, hand.editor.graph());
            for node in &hand.editor.selection().nodes {
                prop_assert!(hand.editor.node_area(node).is_some(), "{} is selected and not there", node);
            }
        }
        hand.key(Key::Escape);
        while hand.editor.act(Action::Undo) {}
        prop_assert_eq!(hand.text(), PROGRAM);
        // What is drawn after all that is what the text says.
        while hand.editor.act(Action::GoUp) {}
        hand.editor.show_graph("g");
        hand.key(Key::Char('h'));
        hand.editor.pointer(PointerEvent::Leave);
        hand.key(Key::Escape);
        let (picture, mut fresh) = (hand.editor.picture(), Hand::new());
        fresh.key(Key::Char('h'));
        let other = fresh.editor.picture();
        let seen = |picture: &hasse_editor::state::picture::Picture| {
            picture.nodes.iter().map(|node| (node.key.clone(), node.area)).collect::<Vec<_>>()
        };
        prop_assert_eq!(seen(&picture), seen(&other));
        prop_assert_eq!((picture.frames, picture.comments), (other.frames, other.comments));
    }
}
