//! One value looked at: a table, and a plot, heat map or image where its numbers make one.

use hasse_body::builtin::decoded_image;
use hasse_model::show::{Limits, Shown};
use hasse_model::value::{Matrix, Value};

use super::timeline::Table;

/// Drawing plots, heat maps and images.
mod draw;

/// Most rows and columns of a table; a note says how many there are.
const MOST_ROWS: usize = 1_000;
const MOST_COLUMNS: usize = 30;
/// Characters of a number that is written in full.
const MOST_DIGITS: usize = 9;
/// Most pixels of an image.
const MOST_PIXELS: usize = 1 << 26;

/// A value as it is looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueView {
    /// Its [`summary`].
    pub summary: String,
    /// Its parts, one a row; empty where the summary says all.
    pub table: Table,
    /// Number of rows and columns that the table leaves out.
    pub n_more: (usize, usize),
    /// Its picture.
    pub picture: Option<Picture>,
}

/// A picture of numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Picture {
    /// Values over their positions.
    Plot(Vec<f64>),
    /// Entries by row and column.
    HeatMap(Matrix),
    /// Rows of pixels, three bytes each: red, green, blue.
    Image {
        /// Pixels of a row.
        width: usize,
        /// Number of rows.
        height: usize,
        /// `3 * width * height` bytes.
        rgb: Vec<u8>,
    },
}

impl Picture {
    /// The word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Plot(_) => "plot",
            Self::HeatMap(_) => "heat map",
            Self::Image { .. } => "image",
        }
    }
}

impl ValueView {
    /// Looks at a value. Cost: linear in its numbers.
    pub fn of(value: &Value) -> Self {
        let (table, n_more) = table(value);
        Self { summary: summary(value), table, n_more, picture: picture(value) }
    }
}

/// Short text of a value: the value itself, or the shape of a vector or matrix.
pub fn brief(value: &Value) -> String {
    let text = summary(value);
    match (value, text.split_once(':')) {
        (Value::Vector(_) | Value::Matrix(_), Some((shape, _))) => shape.to_owned(),
        _ => text,
    }
}

/// A value on one line: itself, or its shape and figures.
pub fn summary(value: &Value) -> String {
    let shown = Shown::new(value, &Limits { width: 160, ..Limits::one_line() });
    shown.lines().first().cloned().unwrap_or_default()
}

/// A value on one line of a table.
fn cell(value: &Value) -> String {
    let shown = Shown::new(value, &Limits { width: 60, ..Limits::one_line() });
    shown.lines().first().cloned().unwrap_or_default()
}

/// A number with six digits, as columns beside each other have room for.
fn number(value: f64) -> String {
    let whole = cell(&Value::Real(value));
    if whole.len() <= MOST_DIGITS || !value.is_finite() {
        return whole;
    }
    let exponent = value.abs().log10().floor();
    if (-5.0..7.0).contains(&exponent) {
        let n_decimals = (5.0 - exponent).max(1.0) as usize;
        format!("{value:.n_decimals$}")
    } else {
        format!("{value:.5e}")
    }
}

fn numbered(columns: impl IntoIterator<Item = String>) -> Vec<String> {
    std::iter::once(String::new()).chain(columns).collect()
}

/// The parts of a value, and how many rows and columns are left out.
fn table(value: &Value) -> (Table, (usize, usize)) {
    let mut n_more = (0, 0);
    let mut cut = |n_rows: usize, n_columns: usize| {
        n_more = (n_rows.saturating_sub(MOST_ROWS), n_columns.saturating_sub(MOST_COLUMNS));
        (n_rows.min(MOST_ROWS), n_columns.min(MOST_COLUMNS))
    };
    let (columns, rows) = match value {
        Value::Vector(entries) => {
            let (n_rows, _) = cut(entries.len(), 1);
            let rows = (0..n_rows).map(|row| vec![row.to_string(), number(entries[row])]).collect();
            (numbered(["value".to_owned()]), rows)
        }
        Value::Matrix(matrix) => {
            let (n_rows, n_columns) = cut(matrix.n_rows(), matrix.n_cols());
            let entry = |row, column| matrix.get(row, column).map(number).unwrap_or_default();
            let row = |row: usize| {
                std::iter::once(row.to_string())
                    .chain((0..n_columns).map(|column| entry(row, column)))
                    .collect()
            };
            (numbered((0..n_columns).map(|column| column.to_string())), (0..n_rows).map(row).collect())
        }
        Value::Array(items) => {
            let names = columns_of(items);
            let (n_rows, n_columns) = cut(items.len(), names.len());
            let has_columns = names.len() != 1;
            let rows = items.iter().take(n_rows).enumerate().map(|(row, item)| {
                let cells: Vec<String> = match item {
                    Value::Struct(held) => held.fields().iter().take(n_columns).map(cell).collect(),
                    Value::Array(inner) if has_columns => inner.iter().take(n_columns).map(cell).collect(),
                    Value::Vector(inner) if has_columns => {
                        inner.iter().take(n_columns).map(|&entry| number(entry)).collect()
                    }
                    item => vec![cell(item)],
                };
                std::iter::once(row.to_string()).chain(cells).collect()
            });
            (numbered(names.into_iter().take(n_columns)), rows.collect())
        }
        Value::Map(entries) => {
            let (n_rows, _) = cut(entries.len(), 1);
            let rows = entries.iter().take(n_rows).map(|(key, value)| vec![key.to_string(), cell(value)]);
            (numbered(["value".to_owned()]), rows.collect())
        }
        Value::Struct(held) => {
            let rows = held.entries().map(|(name, field)| vec![name.to_owned(), cell(field)]).collect();
            (numbered(["value".to_owned()]), rows)
        }
        Value::String(text) if text.contains('\n') => {
            let (n_rows, _) = cut(text.lines().count(), 1);
            let lines = text.lines().take(n_rows).enumerate();
            let rows = lines.map(|(line, text)| vec![(line + 1).to_string(), text.to_owned()]).collect();
            (numbered(["text".to_owned()]), rows)
        }
        Value::Unit
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Real(_)
        | Value::Char(_)
        | Value::String(_)
        | Value::Bytes(_) => (Vec::new(), Vec::new()),
    };
    (Table { title: String::new(), columns, rows }, n_more)
}

/// Column names of an array's rows: fields of structs that are all of one type, positions within items that are all of one
/// length, or `value`.
fn columns_of(items: &[Value]) -> Vec<String> {
    let value = || vec!["value".to_owned()];
    let length = |item: &Value| match item {
        Value::Array(inner) => Some(inner.len()),
        Value::Vector(inner) => Some(inner.len()),
        _ => None,
    };
    match items.first() {
        Some(Value::Struct(first)) => {
            let is_alike =
                |item: &Value| matches!(item, Value::Struct(held) if held.shape() == first.shape());
            match items.iter().all(is_alike) {
                true => first.entries().map(|(name, _)| name.to_owned()).collect(),
                false => value(),
            }
        }
        Some(first) => match length(first).filter(|n_items| *n_items > 1) {
            Some(n_items) if items.iter().all(|item| length(item) == Some(n_items)) => {
                (0..n_items).map(|column| column.to_string()).collect()
            }
            _ => value(),
        },
        None => value(),
    }
}

/// The numbers of an item, if it is one.
fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::Real(number) => Some(*number),
        _ => None,
    }
}

fn picture(value: &Value) -> Option<Picture> {
    match value {
        Value::Vector(entries) if entries.len() > 1 => Some(Picture::Plot(entries.to_vec())),
        Value::Matrix(matrix) => match (matrix.n_rows(), matrix.n_cols()) {
            (0, _) | (_, 0) => None,
            (1, 1) => None,
            (1, _) | (_, 1) => Some(Picture::Plot(matrix.entries().to_vec())),
            _ => Some(Picture::HeatMap((**matrix).clone())),
        },
        Value::Array(items) => {
            if let [Value::Matrix(red), Value::Matrix(green), Value::Matrix(blue)] = items.as_slice()
                && let Some(image) = colors(red, green, blue)
            {
                return Some(image);
            }
            let numbers: Option<Vec<f64>> = items.iter().map(as_number).collect();
            if let Some(numbers) = numbers {
                return (numbers.len() > 1).then_some(Picture::Plot(numbers));
            }
            rows(items).map(Picture::HeatMap)
        }
        Value::Bytes(bytes) => {
            let image = decoded_image(bytes, MOST_PIXELS)?;
            Some(Picture::Image { width: image.width, height: image.height, rgb: image.rgb })
        }
        Value::Unit
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Real(_)
        | Value::Char(_)
        | Value::String(_)
        | Value::Vector(_)
        | Value::Map(_)
        | Value::Struct(_) => None,
    }
}

/// An image of a matrix for each color with entries from 0 to 1, as bodies read and write images.
fn colors(red: &Matrix, green: &Matrix, blue: &Matrix) -> Option<Picture> {
    let channels = [red, green, blue];
    let (height, width) = (red.n_rows(), red.n_cols());
    let is_channel = |channel: &&Matrix| {
        (channel.n_rows(), channel.n_cols()) == (height, width)
            && channel.entries().iter().all(|entry| (0.0..=1.0).contains(entry))
    };
    let n_pixels = width.checked_mul(height)?;
    if n_pixels == 0 || n_pixels > MOST_PIXELS || !channels.iter().all(is_channel) {
        return None;
    }
    let places = (0..height).flat_map(|row| (0..width).map(move |column| (row, column)));
    let rgb = places.flat_map(|(row, column)| {
        channels.map(|channel| (channel.get(row, column).unwrap_or(0.0) * 255.0).round() as u8)
    });
    Some(Picture::Image { width, height, rgb: rgb.collect() })
}

/// Rows of numbers, all of one length and more than one, as a matrix.
fn rows(items: &[Value]) -> Option<Matrix> {
    let row = |item: &Value| -> Option<Vec<f64>> {
        match item {
            Value::Vector(entries) => Some(entries.to_vec()),
            Value::Array(inner) => inner.iter().map(as_number).collect(),
            _ => None,
        }
    };
    let rows: Vec<Vec<f64>> = items.iter().map(row).collect::<Option<_>>()?;
    let n_columns = rows.first()?.len();
    if rows.len() < 2 || n_columns < 2 || rows.iter().any(|row| row.len() != n_columns) {
        return None;
    }
    let entries = (0..n_columns).flat_map(|column| rows.iter().map(move |row| row[column])).collect();
    Matrix::from_columns(rows.len(), n_columns, entries)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::views::pixels::Theme;

    fn array(items: Vec<Value>) -> Value {
        Value::Array(Arc::new(items))
    }

    #[test]
    fn number_has_no_table_and_no_picture() {
        let view = ValueView::of(&Value::Int(204));
        assert_eq!(view.summary, "204");
        assert!(view.table.rows.is_empty() && view.picture.is_none());
    }

    #[test]
    fn numbers_are_plotted_and_listed() {
        let numbers = vec![1.0, f64::NAN, 4.5, -2.0];
        for value in [
            Value::Vector(Arc::new(numbers.clone())),
            array(numbers.iter().map(|&number| Value::Real(number)).collect()),
        ] {
            let view = ValueView::of(&value);
            assert!(matches!(&view.picture, Some(Picture::Plot(held)) if held.len() == 4));
            assert_eq!(view.table.columns, ["", "value"]);
            assert_eq!(view.table.rows[2], ["2", "4.5"]);
        }
    }

    #[test]
    fn map_is_listed_by_its_keys() {
        let entries = [("b", Value::Real(2.5)), ("a", array(vec![Value::Int(1)]))];
        let map = Value::Map(Arc::new(entries.map(|(key, value)| (key.into(), value)).into()));
        let view = ValueView::of(&map);
        assert_eq!(view.table.columns, ["", "value"]);
        assert_eq!(view.table.rows, [["a", "[1]"], ["b", "2.5"]]);
        assert!(view.picture.is_none());
    }

    #[test]
    fn rows_of_one_length_have_columns_and_a_heat_map() {
        let row = |first: i64| array(vec![Value::Int(first), Value::Int(first + 1), Value::Int(9)]);
        let view = ValueView::of(&array(vec![row(1), row(5)]));
        assert_eq!(view.table.columns, ["", "0", "1", "2"]);
        assert_eq!(view.table.rows, [["0", "1", "2", "9"], ["1", "5", "6", "9"]]);
        let Some(Picture::HeatMap(matrix)) = &view.picture else { panic!("{view:?}") };
        assert_eq!((matrix.n_rows(), matrix.n_cols(), matrix.get(1, 0)), (2, 3, Some(5.0)));
        let ragged = ValueView::of(&array(vec![row(1), array(vec![Value::Int(1)])]));
        assert!(ragged.picture.is_none());
        assert_eq!(ragged.table.columns, ["", "value"]);
    }

    #[test]
    fn numbers_of_a_table_have_six_digits() {
        let cases = [
            (4.5, "4.5"),
            (0.004_310_536_183, "0.00431054"),
            (-1.0 / 3.0, "-0.333333"),
            (1_234_567.891, "1234567.9"),
            (6.661_338_147_750_939e-16, "6.66134e-16"),
            (f64::NEG_INFINITY, "-inf"),
        ];
        for (value, expected) in cases {
            assert_eq!(number(value), expected);
        }
    }

    #[test]
    fn large_table_says_how_much_is_left_out() {
        let view = ValueView::of(&Value::Matrix(Arc::new(Matrix::zeros(1_200, 50))));
        assert_eq!((view.table.rows.len(), view.table.columns.len()), (MOST_ROWS, MOST_COLUMNS + 1));
        assert_eq!(view.n_more, (200, 20));
    }

    #[test]
    fn image_is_decoded_or_put_together_from_its_colors() {
        let gray = |entry| Value::Matrix(Arc::new(Matrix::from_columns(1, 2, vec![entry, 1.0]).unwrap()));
        let view = ValueView::of(&array(vec![gray(0.0), gray(0.5), gray(1.0)]));
        let rgb = vec![0, 128, 255, 255, 255, 255];
        assert_eq!(view.picture, Some(Picture::Image { width: 2, height: 1, rgb }));
        let portable = ValueView::of(&Value::Bytes(Arc::new(b"P3 1 1 255 9 8 7".to_vec())));
        assert_eq!(portable.picture, Some(Picture::Image { width: 1, height: 1, rgb: vec![9, 8, 7] }));
        assert_eq!(ValueView::of(&Value::Bytes(Arc::new(b"P3 1 1".to_vec()))).picture, None);
    }

    #[test]
    fn pictures_are_drawn_at_any_size() {
        let values = [
            Value::Vector(Arc::new(vec![0.0, f64::INFINITY, 3.0, f64::NAN, -1e300, 1e300])),
            Value::Vector(Arc::new(vec![f64::NAN; 3])),
            Value::Vector(Arc::new((0..10_000).map(f64::from).collect())),
            Value::Matrix(Arc::new(Matrix::from_columns(2, 2, vec![f64::NAN, 1.0, 1.0, 1.0]).unwrap())),
            Value::Bytes(Arc::new(b"P2 2 2 9 1 2 3 4".to_vec())),
        ];
        for value in values {
            let picture = ValueView::of(&value).picture.unwrap();
            for (width, height) in [(0, 0), (1, 1), (37, 5), (400, 300)] {
                for theme in [Theme::Light, Theme::Dark] {
                    let (pixels, texts) = picture.draw(width, height, theme);
                    assert_eq!((pixels.width, pixels.height), (width, height));
                    assert_eq!(pixels.data.len(), 4 * width * height);
                    let is_inside = |x: f32, y: f32| x >= 0.0 && y >= 0.0;
                    assert!(texts.iter().all(|text| is_inside(text.x, text.y)), "{texts:?}");
                }
            }
        }
    }

    #[test]
    fn plot_goes_from_the_least_to_the_greatest_number() {
        let picture = Picture::Plot(vec![0.0, 10.0]);
        let (pixels, texts) = picture.draw(300, 200, Theme::Light);
        let strings: Vec<&str> = texts.iter().map(|text| text.string.as_str()).collect();
        assert_eq!(strings, ["10.0", "0.0", "0", "1"]);
        let is_drawn = |x: usize, y: usize| pixels.at(x, y) != [0xff, 0xff, 0xff, 255];
        let rising = (100..200).filter(|&x| (20..180).any(|y| is_drawn(x, y))).count();
        assert_eq!(rising, 100, "the line has no gaps");
    }

    #[test]
    fn heat_map_of_a_gray_image_is_gray() {
        let picture = Picture::HeatMap(Matrix::from_columns(2, 2, vec![0.0, 1.0, 0.5, 0.25]).unwrap());
        let (pixels, _) = picture.draw(200, 200, Theme::Light);
        let [red, green, blue, _] = pixels.at(60, 60);
        assert!(red == green && green == blue);
    }
}
