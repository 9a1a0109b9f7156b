//! One value as text, table and picture: the viewer of results and of values at a moment.

use hasse_editor::views::pixels::Theme;
use hasse_editor::views::value::ValueView;
use hasse_model::value::Value;
use hasse_ui::{PictureData, TextItem, ViewedValue};
use slint::SharedString;

use crate::models::Rows;
use crate::pixels::{picture, text_item};

/// Most characters of a cell in the lines of a table.
const MOST_CELL: usize = 28;

/// The value that is looked at, and the rows that show it.
pub(crate) struct Viewer {
    /// Says whether a value is the one that is shown: values themselves may be large.
    key: String,
    name: String,
    view: Option<ValueView>,
    table: Rows<SharedString>,
    texts: Rows<TextItem>,
    /// Size of the picture, in pixels.
    size: (usize, usize),
}

impl Viewer {
    pub(crate) fn new() -> Self {
        let (key, name) = (String::new(), String::new());
        Self { key, name, view: None, table: Rows::new(), texts: Rows::new(), size: (0, 0) }
    }

    /// Looks at a value. `key` tells it from others of its name.
    pub(crate) fn look_at(&mut self, key: &str, name: &str, value: &Value) {
        if self.key == key && self.view.is_some() {
            return;
        }
        (self.key, self.name) = (key.to_owned(), name.to_owned());
        let view = ValueView::of(value);
        self.table.set(table_lines(&view));
        self.view = Some(view);
    }

    pub(crate) fn clear(&mut self) {
        self.key.clear();
        self.name.clear();
        self.view = None;
        self.table.set([]);
    }

    /// Sets the room that a picture has.
    pub(crate) fn resize(&mut self, width: f32, height: f32) {
        self.size = (width.max(0.0) as usize, height.max(0.0) as usize);
    }

    /// Returns the value as the window shows it.
    pub(crate) fn shown(&mut self, is_dark: bool) -> ViewedValue {
        let Some(view) = &self.view else {
            return ViewedValue { lines: self.table.model(), ..ViewedValue::default() };
        };
        let drawn = view.picture.as_ref().map(|held| {
            let theme = if is_dark { Theme::Dark } else { Theme::Light };
            let (pixels, texts) = held.draw(self.size.0, self.size.1, theme);
            self.texts.set(texts.iter().map(text_item));
            let told = format!("{}: {}", held.name(), view.summary).into();
            PictureData { image: picture(&pixels), texts: self.texts.model(), told }
        });
        ViewedValue {
            name: (&self.name).into(),
            summary: (&view.summary).into(),
            lines: self.table.model(),
            has_picture: drawn.is_some(),
            picture: drawn.unwrap_or_default(),
        }
    }
}

/// The lines of a table, columns aligned; the heads first, and a last one that says what is left out.
fn table_lines(view: &ValueView) -> Vec<SharedString> {
    let table = &view.table;
    if table.rows.is_empty() {
        return Vec::new();
    }
    let cut = |cell: &String| match cell.char_indices().nth(MOST_CELL) {
        Some((end, _)) => format!("{}…", &cell[..end]),
        None => cell.clone(),
    };
    // A table of one column of texts has all the room.
    let is_narrow = table.columns.len() > 2;
    let rows: Vec<Vec<String>> = std::iter::once(&table.columns)
        .chain(&table.rows)
        .map(|row| row.iter().map(|cell| if is_narrow { cut(cell) } else { cell.clone() }).collect())
        .collect();
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.columns.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
        SharedString::from(cells.join("  ").trim_end())
    };
    let mut lines: Vec<SharedString> = rows.iter().map(line).collect();
    let left_out = match view.n_more {
        (0, 0) => return lines,
        (n_rows, 0) => format!("{n_rows} more rows"),
        (0, n_columns) => format!("{n_columns} more columns"),
        (n_rows, n_columns) => format!("{n_rows} more rows, {n_columns} more columns"),
    };
    lines.push(left_out.into());
    lines
}
