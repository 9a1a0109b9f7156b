//! Colors of the picture.

use hasse_editor::drawing::color::Rgb;
use hasse_editor::marks::{ActionMark, Highlight};
use slint::Color;

pub(super) fn color(rgb: Rgb) -> Color {
    Color::from_rgb_u8(rgb[0], rgb[1], rgb[2])
}

pub(super) fn refused(is_dark: bool) -> Color {
    if is_dark { Color::from_rgb_u8(0xff, 0x80, 0x80) } else { Color::from_rgb_u8(0xbb, 0x1f, 0x28) }
}

pub(super) fn warning(is_dark: bool) -> Color {
    if is_dark { Color::from_rgb_u8(0xf5, 0xb3, 0x4d) } else { Color::from_rgb_u8(0x9a, 0x5b, 0x00) }
}

pub(super) fn accent(is_dark: bool) -> Color {
    if is_dark { Color::from_rgb_u8(0x6b, 0xa6, 0xff) } else { Color::from_rgb_u8(0x0a, 0x5b, 0xc8) }
}

pub(super) fn highlight_color(kind: Highlight, is_dark: bool) -> Color {
    match kind {
        Highlight::Selected => accent(is_dark),
        Highlight::Related => accent(is_dark).with_alpha(0.6),
        Highlight::Finding | Highlight::Race | Highlight::Removed => refused(is_dark),
        Highlight::Moved => accent(is_dark).with_alpha(0.6),
        Highlight::Cycle if is_dark => Color::from_rgb_u8(0xc7, 0x9b, 0xff),
        Highlight::Cycle => Color::from_rgb_u8(0x7a, 0x3f, 0xc0),
        Highlight::Animated | Highlight::Added if is_dark => Color::from_rgb_u8(0x55, 0xc8, 0x90),
        Highlight::Animated | Highlight::Added => Color::from_rgb_u8(0x15, 0x6e, 0x40),
        Highlight::Path | Highlight::Changed if is_dark => Color::from_rgb_u8(0xf0, 0xb4, 0x29),
        Highlight::Path | Highlight::Changed => Color::from_rgb_u8(0x85, 0x55, 0x00),
    }
}

/// What a box is highlighted for, where that is for more than one thing.
pub(super) fn first_highlight(highlights: &[Highlight]) -> Option<Highlight> {
    // Findings before selections, selections before what is related to them.
    let order = [
        Highlight::Race,
        Highlight::Finding,
        Highlight::Cycle,
        Highlight::Selected,
        Highlight::Removed,
        Highlight::Added,
        Highlight::Changed,
        Highlight::Moved,
        Highlight::Animated,
        Highlight::Path,
        Highlight::Related,
    ];
    order.into_iter().find(|kind| highlights.contains(kind))
}

pub(super) fn state_number(mark: ActionMark) -> i32 {
    match mark {
        ActionMark::Failed => 1,
        ActionMark::Stopped => 2,
        ActionMark::WaitingForCycle => 3,
        ActionMark::Waiting => 4,
        ActionMark::Running => 5,
        ActionMark::Enabled => 6,
        ActionMark::Idle => 7,
        ActionMark::Done => 8,
    }
}

/// Colors of texts, of faint texts, and of the paper.
pub(super) fn inks(is_dark: bool) -> [Color; 3] {
    if is_dark {
        [
            Color::from_rgb_u8(0xe2, 0xe4, 0xea),
            Color::from_rgb_u8(0xa6, 0xaa, 0xb6),
            Color::from_rgb_u8(0x1e, 0x1f, 0x24),
        ]
    } else {
        [
            Color::from_rgb_u8(0x1d, 0x21, 0x27),
            Color::from_rgb_u8(0x56, 0x5d, 0x69),
            Color::from_rgb_u8(0xff, 0xff, 0xff),
        ]
    }
}
