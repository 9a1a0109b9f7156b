//! What the window shows of the record, its playback and findings.

use hasse_editor::views::findings::Status;
use hasse_editor::views::pixels::{Pixels, Text, Theme};
use hasse_ui::{App, EditorWindow, LineOfList, PictureData, TextItem, Views as UiViews};
use slint::{Color, ComponentHandle, Image, Rgba8Pixel, SharedPixelBuffer};

use super::Which;
use crate::models::Rows;
use crate::studio::Studio;

fn picture(pixels: &Pixels) -> Image {
    let (width, height) = (pixels.width as u32, pixels.height as u32);
    if width == 0 || height == 0 {
        return Image::default();
    }
    Image::from_rgba8(SharedPixelBuffer::<Rgba8Pixel>::clone_from_slice(&pixels.data, width, height))
}

fn text_item(text: &Text) -> TextItem {
    let [red, green, blue, alpha] = text.color;
    TextItem {
        x: text.x,
        y: text.y - text.size * 0.65,
        width: text.width,
        text: (&text.string).into(),
        color: Color::from_argb_u8(alpha, red, green, blue),
        size: text.size,
        align: -1,
    }
}

fn speed(events: f64) -> String {
    if events < 10.0 { format!("{events:.1} ev/s") } else { format!("{events:.0} ev/s") }
}

fn number(value: usize) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

fn line(badge: &str, tone: i32, text: &str, depth: i32, is_current: bool) -> LineOfList {
    LineOfList { badge: badge.into(), tone, text: text.into(), depth, is_current, ..LineOfList::default() }
}

impl Studio {
    /// Shows what has changed of the record.
    pub(crate) fn show_views(&mut self, window: &EditorWindow) {
        let app = window.global::<App>();
        let open = app.get_panel();
        let shown = (self.viewing.views.version(), open, self.is_dark);
        if self.viewing.shown == Some(shown) {
            return;
        }
        self.viewing.shown = Some(shown);
        let theme = if self.is_dark { Theme::Dark } else { Theme::Light };
        let viewing = &mut self.viewing;
        let ui = window.global::<UiViews>();
        let messages = viewing.views.messages();
        let told = match (viewing.views.progress(), viewing.views.page()) {
            (Some(progress), _) => format!("The record is being loaded: {:.0} %", progress * 100.0),
            (None, None) if messages.is_empty() => {
                "Run the program in a mode that records, or open a record.".to_owned()
            }
            (None, None) => messages.join(" "),
            (None, Some(_)) => messages.join(" "),
        };
        let is_there = viewing.views.page().is_some();
        ui.set_has_record(is_there);
        ui.set_record(if is_there {
            format!("{} {}", viewing.record_name, messages.join(" ")).trim().into()
        } else {
            "".into()
        });
        ui.set_is_restricted(viewing.is_restricted);
        ui.set_history_order(number(viewing.order));
        ui.set_timeline_kind(number(viewing.kind));
        if let Some(page) = viewing.views.page() {
            ui.set_n_events(i32::try_from(page.player.n_events()).unwrap_or(i32::MAX));
            ui.set_position(i32::try_from(page.player.position()).unwrap_or(i32::MAX));
            ui.set_is_playing(page.player.is_playing());
            ui.set_speed(speed(page.player.speed()).into());
            let overlay = viewing.views.overlay();
            match Which::of_panel(open) {
                Some(Which::History) => {
                    let (pixels, texts) = page.history.draw(overlay, theme, Pixels::default());
                    viewing.history_texts.set(texts.iter().map(text_item));
                    let texts = viewing.history_texts.model();
                    ui.set_history(PictureData { image: picture(&pixels), texts, told: told.clone().into() });
                }
                Some(Which::Elaborated) => {
                    let (pixels, texts) = page.elaborated.draw(overlay, theme, Pixels::default());
                    viewing.elaborated_texts.set(texts.iter().map(text_item));
                    let graph = page.elaborated.graph();
                    let count =
                        format!("{} instances, {} arcs between them", graph.boxes.len(), graph.lines.len());
                    let notes: Vec<String> =
                        std::iter::once(count).chain(graph.notes.iter().cloned()).collect();
                    let texts = viewing.elaborated_texts.model();
                    let told = notes.join(". ").into();
                    ui.set_elaborated(PictureData { image: picture(&pixels), texts, told });
                }
                Some(Which::Timeline) => {
                    let (pixels, texts) = page.timeline.draw(overlay, theme, Pixels::default());
                    viewing.timeline_texts.set(texts.iter().map(text_item));
                    let texts = viewing.timeline_texts.model();
                    ui.set_timeline(PictureData {
                        image: picture(&pixels),
                        texts,
                        told: told.clone().into(),
                    });
                }
                None => {}
            }
        } else {
            let empty = |texts: &Rows<TextItem>| {
                texts.set([]);
                PictureData { image: Image::default(), texts: texts.model(), told: told.clone().into() }
            };
            ui.set_history(empty(&viewing.history_texts));
            ui.set_elaborated(empty(&viewing.elaborated_texts));
            ui.set_timeline(empty(&viewing.timeline_texts));
        }
        let facts = viewing.views.facts();
        viewing.fact_events = facts.iter().map(|fact| fact.event).collect();
        viewing.facts.set(facts.iter().map(|fact| LineOfList {
            badge: (&fact.name).into(),
            text: (&fact.text).into(),
            tone: if fact.event.is_some() { 4 } else { 0 },
            ..LineOfList::default()
        }));
        let mut figures = Vec::new();
        if let Some(performance) = viewing.views.performance() {
            for table in performance.tables() {
                figures.push(LineOfList {
                    text: (&table.title).into(),
                    detail: table.columns.get(1..).unwrap_or_default().join("  ").into(),
                    is_title: true,
                    ..LineOfList::default()
                });
                for row in &table.rows {
                    let name = row.first().cloned().unwrap_or_default();
                    let rest = row.get(1..).unwrap_or_default().join("  ");
                    figures.push(LineOfList {
                        depth: 1,
                        text: name.into(),
                        detail: rest.into(),
                        ..LineOfList::default()
                    });
                }
            }
        }
        viewing.figures.set(figures);

        let selected = viewing.views.selected_finding();
        let (mut lines, mut places) = (Vec::new(), Vec::new());
        for (at, finding) in viewing.views.findings().iter().enumerate() {
            let (badge, tone) = match finding.status {
                Status::Holds => ("holds", 3),
                Status::Unknown => ("unknown", 1),
                Status::Violated if finding.is_race => ("race", 2),
                Status::Violated => ("violated", 2),
            };
            lines.push(line(badge, tone, &finding.title, 0, selected == Some(at)));
            places.push((at, None));
            for (number, evidence) in finding.evidence.iter().enumerate() {
                lines.push(line("", 0, &evidence.text, 1, false));
                places.push((at, Some(number)));
            }
        }
        if viewing.views.is_looking() {
            lines.push(line("", 0, "The record is being checked...", 0, false));
            places.push((usize::MAX, None));
        }
        viewing.findings.set(lines);
        viewing.places = places;
    }
}
