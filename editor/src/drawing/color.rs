//! Colors and shapes by which a person tells the types of ports apart.
//!
//! No two of the language's types have the same shape, so that colors need not be seen; struct types share one, with a
//! color by their name. Colors are dark enough for light pages and light enough for dark ones: at least 3 to 1 against
//! [`LIGHT_PAPER`] and [`DARK_PAPER`] (WCAG 2.2, criterion 1.4.11). Those of the commonest types are near Okabe and Ito's
//! (2008).
//!
//! [`LIGHT_PAPER`]: crate::drawing::color::LIGHT_PAPER
//! [`DARK_PAPER`]: crate::drawing::color::DARK_PAPER

use hasse_model::name::{begins_name, is_of_name};

/// Red, green and blue, each from 0 to 255.
pub type Rgb = [u8; 3];

/// The background of light pages.
pub const LIGHT_PAPER: Rgb = [0xff, 0xff, 0xff];
/// The background of dark pages.
pub const DARK_PAPER: Rgb = [0x1e, 0x1f, 0x24];

/// The shape of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shape {
    /// `int`
    Circle,
    /// `real`
    Diamond,
    /// `bool`
    Triangle,
    /// `char`
    TriangleDown,
    /// `string`
    Square,
    /// `bytes`
    Pentagon,
    /// `vector`: a bar.
    Bar,
    /// `matrix`: a square of four.
    Grid,
    /// `map[string]T`: a square of a narrow and a wide column.
    Columns,
    /// Struct types.
    Hexagon,
    /// `any`: a ring.
    Ring,
    /// What is no type.
    Cross,
}

/// How the ports and links of a type are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeToken {
    /// The shape; for arrays that of their items.
    pub shape: Shape,
    /// How many arrays are around the items: the shape has as many outlines more.
    pub n_arrays: u8,
    /// Color on light pages.
    pub light: Rgb,
    /// Color on dark pages.
    pub dark: Rgb,
}

/// Colors of struct types, by name.
const STRUCT_COLORS: [(Rgb, Rgb); 6] = [
    ([0x8c, 0x51, 0x0a], [0xdf, 0xa5, 0x62]),
    ([0x01, 0x66, 0x5e], [0x5f, 0xc9, 0xbd]),
    ([0x76, 0x2a, 0x83], [0xc8, 0x9b, 0xd6]),
    ([0xb2, 0x18, 0x2b], [0xf0, 0x8a, 0x8f]),
    ([0x21, 0x66, 0xac], [0x8a, 0xb8, 0xe6]),
    ([0x4d, 0x66, 0x0d], [0xb5, 0xcc, 0x6b]),
];

/// The token of a type as it is written; of a text that is none, a gray cross.
pub fn type_token(ty: &str) -> TypeToken {
    let mut item = ty.trim();
    let mut n_arrays = 0_u8;
    // The brackets at the end of a map type belong to its values; an array of maps has parentheses.
    while !item.starts_with("map[")
        && let Some(inner) = item.strip_suffix(']').and_then(|inner| inner.trim_end().strip_suffix('['))
    {
        let inner = inner.trim_end();
        let grouped = inner.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
        item = grouped.map_or(inner, str::trim);
        n_arrays = n_arrays.saturating_add(1);
    }
    let (shape, (light, dark)) = match item {
        "int" => (Shape::Circle, ([0x00, 0x72, 0xb2], [0x56, 0xb4, 0xe9])),
        "real" => (Shape::Diamond, ([0x00, 0x80, 0x5d], [0x2f, 0xc0, 0x95])),
        "bool" => (Shape::Triangle, ([0xc4, 0x52, 0x00], [0xf0, 0x8a, 0x4b])),
        "char" => (Shape::TriangleDown, ([0x8f, 0x65, 0x00], [0xe6, 0xb4, 0x3c])),
        "string" => (Shape::Square, ([0xa8, 0x4a, 0x81], [0xde, 0x9a, 0xc0])),
        "bytes" => (Shape::Pentagon, ([0x5d, 0x5d, 0x5d], [0xa8, 0xa8, 0xa8])),
        "vector" => (Shape::Bar, ([0x5b, 0x3a, 0x9e], [0xb0, 0x99, 0xe8])),
        "matrix" => (Shape::Grid, ([0x8a, 0x1c, 0x5a], [0xf0, 0x86, 0xb8])),
        "any" => (Shape::Ring, ([0x30, 0x30, 0x30], [0xe0, 0xe0, 0xe0])),
        map if map.starts_with("map[") => (Shape::Columns, ([0x3d, 0x5c, 0x10], [0x9d, 0xc4, 0x5f])),
        name if is_name(name) => (Shape::Hexagon, STRUCT_COLORS[struct_color(name)]),
        _ => (Shape::Cross, ([0x70, 0x70, 0x70], [0x98, 0x98, 0x98])),
    };
    TypeToken { shape, n_arrays, light, dark }
}

fn is_name(text: &str) -> bool {
    text.starts_with(begins_name) && text.chars().all(is_of_name)
}

/// The same for a name in each program and release: FNV-1a (Fowler, Noll and Vo).
fn struct_color(name: &str) -> usize {
    let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let hash = name.bytes().fold(0x811c_9dc5, step);
    // The low bits of short names differ least.
    ((hash >> 16) ^ (hash & 0xffff)) as usize % STRUCT_COLORS.len()
}
