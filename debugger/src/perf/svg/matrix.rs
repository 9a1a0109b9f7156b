//! Communication as a matrix: senders and writers by row, takers by column.

use std::fmt::Write as _;

use super::picture::{LEFT, MARGIN, PLOT_WIDTH, Picture, escaped, number, shortened};
use crate::perf::report::Report;
use crate::perf::text::exchanged;

/// Groups that have a row and a column.
const MOST_GROUPS: usize = 24;
const CELL_HEIGHT: f64 = 24.0;

/// Draws what groups had of each other.
pub(super) fn draw(picture: &mut Picture, report: &Report) {
    let mut amount = vec![0; report.groups.len()];
    for cell in &report.cells {
        amount[cell.from] += cell.values + cell.transfers;
        amount[cell.to] += cell.values + cell.transfers;
    }
    let mut groups: Vec<usize> = (0..amount.len()).filter(|&group| amount[group] > 0).collect();
    if groups.is_empty() {
        picture.top += MARGIN;
        return;
    }
    let n_left_out = groups.len().saturating_sub(MOST_GROUPS);
    groups.sort_by_key(|&group| (std::cmp::Reverse(amount[group]), group));
    groups.truncate(MOST_GROUPS);
    groups.sort_unstable();
    let has_objects = report.cells.iter().any(|cell| cell.transfers > 0);
    let mut remark = "values taken, from the row to the column".to_owned();
    if has_objects {
        remark += "; + objects found as others had written them";
    }
    if n_left_out > 0 {
        let _ = write!(remark, "; the {n_left_out} with least are not drawn");
    }
    picture.section("Communication", &remark);
    let names: Vec<String> = groups.iter().map(|&group| shortened(&report.groups[group], 28)).collect();
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0) as f64;
    let left = (MARGIN + 6.4 * longest + 44.0).max(LEFT);
    let width = ((LEFT + PLOT_WIDTH - left) / groups.len() as f64).min(92.0);
    let top = picture.top + 16.0;
    for (column, name) in names.iter().enumerate() {
        let x = left + width * (column as f64 + 0.5);
        // A name that does not fit is told by its number.
        let fits = 6.6 * name.chars().count() as f64 <= width - 6.0;
        let text = if fits { name.clone() } else { (column + 1).to_string() };
        picture.text("quiet middle", x, top - 6.0, &text);
    }
    let most = report.cells.iter().map(|cell| cell.values + cell.transfers).max().unwrap_or(1).max(1);
    for (row, (&from, name)) in groups.iter().zip(&names).enumerate() {
        let y = top + CELL_HEIGHT * row as f64;
        picture.text("right quiet", MARGIN + 18.0, y + 16.0, &(row + 1).to_string());
        picture.text("right", left - 8.0, y + 16.0, name);
        for (column, &to) in groups.iter().enumerate() {
            let area = [left + width * column as f64, y, width - 1.5, CELL_HEIGHT - 1.5];
            picture.rect("plot", area);
            if let Ok(at) = report.cells.binary_search_by_key(&(from, to), |cell| (cell.from, cell.to)) {
                let cell = report.cells[at];
                let share = (cell.values + cell.transfers) as f64 / most as f64;
                put_cell(picture, area, share, &exchanged(cell.values, cell.transfers));
            }
        }
    }
    picture.top = top + CELL_HEIGHT * groups.len() as f64 + MARGIN;
}

fn put_cell(picture: &mut Picture, [x, y, width, height]: [f64; 4], share: f64, text: &str) {
    // The root shows small amounts beside large ones.
    let strength = 0.12 + 0.88 * share.sqrt();
    let [left, top, wide, high] = [x, y, width, height].map(number);
    let _ = writeln!(
        picture.body,
        "<rect class=\"heat\" x=\"{left}\" y=\"{top}\" width=\"{wide}\" height=\"{high}\" fill-opacity=\"{}\">\
         <title>{}</title></rect>",
        number(strength),
        escaped(text)
    );
    if 6.2 * text.chars().count() as f64 <= width - 2.0 {
        let class = if strength > 0.68 { "heat-text on-heat" } else { "heat-text" };
        picture.text(class, x + width / 2.0, y + height / 2.0 + 4.0, text);
    }
}
