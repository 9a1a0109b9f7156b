//! What the window shows of the record, its playback and findings.

use hasse_editor::views::pixels::{Pixels, Theme};
use hasse_model::quantity::counted;
use hasse_ui::{EditorWindow, LineOfList, PictureData, TextItem, Views as UiViews};
use slint::{ComponentHandle, Image};

use super::viewing::Which;
use crate::models::Rows;
use crate::pixels::{picture, text_item};
use crate::studio::Studio;

fn speed(events: f64) -> String {
    if events < 10.0 { format!("{events:.1} ev/s") } else { format!("{events:.0} ev/s") }
}

fn number(value: usize) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

/// Width of the picture of concurrency, and heights of what stands below the time-line, in pixels.
const CONCURRENCY: (usize, usize) = (280, 64);

impl Studio {
    /// Shows what has changed of the record.
    pub(crate) fn show_views(&mut self, window: &EditorWindow) {
        let open = self.shown_panels();
        let is_elaborated_seen = open.iter().any(|&panel| Which::of_panel(panel) == Some(Which::Elaborated));
        self.tell_preview(is_elaborated_seen);
        let pictures: Vec<Which> = open.iter().filter_map(|&panel| Which::of_panel(panel)).collect();
        let shown = (self.viewing.views.version(), open, self.is_dark);
        if self.viewing.shown.as_ref() == Some(&shown) {
            return;
        }
        if let Some(page) = self.viewing.views.page_mut() {
            page.elaborated.set_shown(pictures.contains(&Which::Elaborated));
        }
        self.viewing.shown = Some(shown);
        let theme = if self.is_dark { Theme::Dark } else { Theme::Light };
        let viewing = &mut self.viewing;
        let ui = window.global::<UiViews>();
        let messages = viewing.views.messages();
        let told = match (viewing.views.progress(), viewing.views.page()) {
            (Some(progress), _) => format!("The record is being loaded: {:.0} %", progress * 100.0),
            (None, None) if !viewing.source.note.is_empty() => viewing.source.note.clone(),
            (None, None) if messages.is_empty() => {
                "Run the program in a mode that records, or open a record.".to_owned()
            }
            (None, None) => messages.join(" "),
            (None, Some(_)) => messages.join(" "),
        };
        let is_there = viewing.views.page().is_some();
        ui.set_has_record(is_there);
        let is_previewing = viewing.views.is_previewing();
        ui.set_is_preview(is_previewing);
        ui.set_has_preview(is_previewing && viewing.views.preview().has_graph());
        if is_previewing && is_elaborated_seen {
            let preview = viewing.views.preview();
            let (pixels, texts) = preview.draw(theme, Pixels::default());
            viewing.elaborated_texts.set(texts.iter().map(text_item));
            let texts = viewing.elaborated_texts.model();
            let told = match (preview.message(), messages.as_slice()) {
                ("", _) => "The preview is being made.".to_owned(),
                (message, []) => message.to_owned(),
                // Why there is no record.
                (message, [why, ..]) if !is_there => format!("{message}. No record: {why}"),
                (message, _) => message.to_owned(),
            };
            ui.set_elaborated(PictureData { image: picture(&pixels), texts, told: told.into() });
        }
        let source = &viewing.source;
        let parts = [source.name.as_str(), source.note.as_str(), &messages.join(" ")];
        let record: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        ui.set_record(if is_there { record.join(": ").into() } else { "".into() });
        ui.set_progress(viewing.views.progress().map_or(-1.0, |progress| progress as f32));
        ui.set_is_restricted(!viewing.views.chosen().is_empty());
        ui.set_is_looping(viewing.is_looping);
        ui.set_is_live(viewing.views.is_live());
        ui.set_shows_path(viewing.views.shows_path());
        ui.set_history_order(number(viewing.order));
        ui.set_timeline_kind(number(viewing.kind));
        if let Some(page) = viewing.views.page() {
            ui.set_n_events(i32::try_from(page.player.n_events()).unwrap_or(i32::MAX));
            ui.set_position(i32::try_from(page.player.position()).unwrap_or(i32::MAX));
            ui.set_is_playing(page.player.is_playing());
            ui.set_follows(page.player.follows());
            ui.set_speed(speed(page.player.speed()).into());
            let overlay = viewing.views.overlay();
            for which in pictures {
                match which {
                    Which::History => {
                        let (pixels, texts) = page.history.draw(overlay, theme, Pixels::default());
                        viewing.history_texts.set(texts.iter().map(text_item));
                        let texts = viewing.history_texts.model();
                        ui.set_history(PictureData {
                            image: picture(&pixels),
                            texts,
                            told: told.clone().into(),
                        });
                    }
                    Which::Elaborated if is_previewing => {}
                    Which::Elaborated => {
                        let (pixels, texts) = page.elaborated.draw(overlay, theme, Pixels::default());
                        viewing.elaborated_texts.set(texts.iter().map(text_item));
                        let graph = page.elaborated.graph();
                        let instances = counted(graph.boxes.len(), "instance");
                        let count = format!("{instances}, {}", counted(graph.lines.len(), "arc"));
                        let notes: Vec<String> =
                            std::iter::once(count).chain(graph.notes.iter().cloned()).collect();
                        let texts = viewing.elaborated_texts.model();
                        let told = notes.join(". ").into();
                        ui.set_elaborated(PictureData { image: picture(&pixels), texts, told });
                    }
                    Which::Timeline => {
                        let (pixels, texts) = page.timeline.draw(overlay, theme, Pixels::default());
                        viewing.timeline_texts.set(texts.iter().map(text_item));
                        let texts = viewing.timeline_texts.model();
                        ui.set_timeline(PictureData {
                            image: picture(&pixels),
                            texts,
                            told: told.clone().into(),
                        });
                        if let Some(performance) = viewing.views.performance() {
                            let (pixels, texts) =
                                performance.draw_utilization(&page.timeline, CONCURRENCY.1, theme);
                            viewing.utilization_texts.set(texts.iter().map(text_item));
                            let texts = viewing.utilization_texts.model();
                            let told = "what workers did along the time-line".into();
                            ui.set_utilization(PictureData { image: picture(&pixels), texts, told });
                            let (width, height) = CONCURRENCY;
                            let (pixels, texts) = performance.draw_concurrency(width, height, theme);
                            viewing.concurrency_texts.set(texts.iter().map(text_item));
                            let texts = viewing.concurrency_texts.model();
                            let told: Vec<String> =
                                performance.concurrency().into_iter().map(|(_, _, text)| text).collect();
                            let told = told.join(", ").into();
                            ui.set_concurrency(PictureData { image: picture(&pixels), texts, told });
                        }
                    }
                }
            }
        } else {
            let empty = |texts: &Rows<TextItem>| {
                texts.set([]);
                PictureData { image: Image::default(), texts: texts.model(), told: told.clone().into() }
            };
            ui.set_history(empty(&viewing.history_texts));
            if !is_previewing {
                ui.set_elaborated(empty(&viewing.elaborated_texts));
            }
            ui.set_timeline(empty(&viewing.timeline_texts));
        }
        let facts = viewing.views.facts();
        viewing.facts.set(facts.iter().map(|fact| LineOfList {
            badge: (&fact.name).into(),
            text: (&fact.text).into(),
            tone: if fact.event.is_some() || fact.value.is_some() { 4 } else { 0 },
            ..LineOfList::default()
        }));
        viewing.shown_facts = facts;
        ui.set_has_figures(viewing.views.performance().is_some());
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
        self.show_search_of_history(&ui);
        self.show_findings(window);
    }
}
