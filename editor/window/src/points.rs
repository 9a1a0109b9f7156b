//! The form of one breakpoint: what is typed, what can be typed, and what is wrong with it.

/// The fields of the form while it is open.
pub(crate) mod fields;

use std::rc::Rc;

use hasse_editor::run::{PointField, PointForm, PointReaction};
use hasse_editor::state::Status;
use hasse_editor::state::input::Key;
use hasse_editor::target::Target;
use hasse_ui::{EditorWindow, Point as UiPoint, PointOfferItem};
use slint::ComponentHandle;

use crate::hub::Shared;
use crate::keys;
use crate::studio::update::go;
use crate::studio::{Later, Studio};

/// The fields, by the numbers of the window.
const FIELDS: [PointField; 5] =
    [PointField::Actions, PointField::Condition, PointField::Text, PointField::Ignored, PointField::Command];

fn position(field: PointField) -> i32 {
    FIELDS.iter().position(|known| *known == field).and_then(|at| i32::try_from(at).ok()).unwrap_or(0)
}

impl Studio {
    /// Opens the form for a new breakpoint on a node or an arc, or for one that is set.
    pub(crate) fn open_point(&mut self, target: &Target, number: Option<u64>, reaction: PointReaction) {
        self.tell_program(false);
        let Some(running) = &self.running else { return };
        let Some(mut form) = running.panel.point_form(target, number) else {
            let text = "no breakpoint can be set here: the program has to be compiled first".to_owned();
            self.editor.set_status(Status { text, is_refusal: true });
            return;
        };
        if number.is_none() {
            form.reaction = reaction;
        }
        let field = match form.reaction {
            _ if form.is_command() => PointField::Command,
            PointReaction::Log => PointField::Text,
            PointReaction::Stop | PointReaction::Once => PointField::Condition,
        };
        self.points.focused = field;
        self.points.cursor = form.field(field).len();
        self.points.handed_in = None;
        self.points.version += 1;
        self.points.form = Some(form);
        self.points.close_offers();
    }

    pub(crate) fn close_point(&mut self) {
        self.points.form = None;
        self.points.close_offers();
        self.later.push(Later::FocusCanvas);
    }

    fn point_edited(&mut self, field: PointField, text: &str, cursor: usize) {
        let Some(form) = &mut self.points.form else { return };
        form.set_field(field, text);
        let facts = self.running.as_ref().and_then(|running| running.panel.facts());
        let (replaced, offers) = form.offers(field, cursor, facts.map(AsRef::as_ref), &self.functions);
        self.points.close_offers();
        self.points.focused = field;
        self.points.replaced = replaced;
        self.points.offers = offers;
        self.points.handed_in = None;
        if let Some(running) = &mut self.running {
            running.panel.edit_breakpoint();
        }
    }

    fn take_point_offer(&mut self, index: usize) {
        let (Some(offer), Some(form)) = (self.points.offers.get(index).cloned(), &mut self.points.form)
        else {
            return;
        };
        let field = self.points.focused;
        let mut text = form.field(field).to_owned();
        let range = self.points.replaced.clone();
        if text.get(range.clone()).is_some() {
            text.replace_range(range.clone(), &offer.text);
            form.set_field(field, &text);
            self.points.cursor = range.start + offer.text.len();
            self.points.version += 1;
        }
        self.points.close_offers();
    }

    fn set_point(&mut self) {
        if !self.can_set_point() {
            return;
        }
        let (Some(form), Some(running)) = (&self.points.form, &mut self.running) else { return };
        self.points.handed_in = Some(running.panel.n_breakpoints_typed());
        running.panel.set_point(form);
    }

    fn remove_point(&mut self) {
        let number = self.points.form.as_ref().and_then(PointForm::replaced);
        if let (Some(number), Some(running)) = (number, &mut self.running) {
            running.panel.delete_breakpoint(number);
        }
        self.close_point();
    }

    /// Error in the fields of the form.
    fn point_problem(&self) -> Option<String> {
        let facts = self.running.as_ref().and_then(|running| running.panel.facts());
        self.points.form.as_ref()?.problem(facts.map(AsRef::as_ref))
    }

    fn can_set_point(&self) -> bool {
        self.points.form.as_ref().is_some_and(PointForm::is_complete) && self.point_problem().is_none()
    }

    /// A key while the form is open; tells whether it is taken from the field.
    pub(crate) fn point_key(&mut self, text: &str) -> bool {
        let n_offers = self.points.offers.len();
        match keys::key(text) {
            Some(Key::Escape) if n_offers > 0 => self.points.close_offers(),
            Some(Key::Escape) => self.close_point(),
            Some(Key::Down) if n_offers > 0 => {
                let by = usize::from(self.points.is_offer_chosen);
                self.points.offer = (self.points.offer + by).min(n_offers - 1);
                self.points.is_offer_chosen = true;
            }
            Some(Key::Up) if n_offers > 0 => {
                self.points.offer = self.points.offer.saturating_sub(1);
                self.points.is_offer_chosen = true;
            }
            Some(Key::Tab) if n_offers > 0 => self.take_point_offer(self.points.offer),
            Some(Key::Enter) if self.points.is_offer_chosen => self.take_point_offer(self.points.offer),
            Some(Key::Enter) => self.set_point(),
            _ => return false,
        }
        true
    }

    /// Closes the form once its breakpoint is set.
    pub(crate) fn close_set_point(&mut self) {
        if let (Some(before), Some(running)) = (self.points.handed_in, &self.running)
            && running.panel.n_breakpoints_typed() > before
        {
            self.points.handed_in = None;
            self.close_point();
        }
    }

    /// Shows what has changed of the form.
    pub(crate) fn show_point(&mut self, window: &EditorWindow) {
        let ui = window.global::<UiPoint>();
        let Some(form) = &self.points.form else {
            ui.set_is_open(false);
            return;
        };
        let facts = self.running.as_ref().and_then(|running| running.panel.facts());
        let subject = facts
            .map_or_else(|| form.target().node().unwrap_or_default().to_owned(), |facts| form.subject(facts));
        ui.set_title(match form.replaced() {
            Some(number) => format!("Breakpoint #{number} on {subject}").into(),
            None => format!("Breakpoint on {subject}").into(),
        });
        let place = form.places().iter().position(|place| *place == form.place).unwrap_or(0);
        let reaction = PointReaction::ALL.iter().position(|held| *held == form.reaction).unwrap_or(0);
        self.points.places.set(form.places().iter().map(|place| place.name().into()));
        self.points.fields.set(FIELDS.map(|field| form.field(field).into()));
        self.points.rows.set(
            self.points
                .offers
                .iter()
                .map(|offer| PointOfferItem { text: (&offer.text).into(), detail: offer.detail.into() }),
        );
        ui.set_offer(i32::try_from(self.points.offer).unwrap_or(0));
        ui.set_reaction(i32::try_from(reaction).unwrap_or(0));
        ui.set_place(i32::try_from(place).unwrap_or(0));
        ui.set_is_log(form.reaction == PointReaction::Log && !form.is_command());
        ui.set_is_command(form.is_command());
        ui.set_can_remove(form.replaced().is_some());
        let own = self.point_problem();
        ui.set_can_set(self.can_set_point());
        let told = self.running.as_ref().map(|running| running.panel.breakpoint_problem().to_owned());
        // A word that is being typed is no fault yet.
        let shown = own.or(told).filter(|_| self.points.offers.is_empty());
        ui.set_problem(shown.unwrap_or_default().into());
        ui.set_first_field(position(self.points.focused));
        ui.set_cursor(i32::try_from(self.points.cursor).unwrap_or(0));
        ui.set_version(self.points.version);
        ui.set_n_asked(self.points.n_asked);
        ui.set_is_open(true);
    }
}

/// Connects the callbacks of the form.
pub(crate) fn connect(window: &EditorWindow, shared: &Shared) {
    let ui = window.global::<UiPoint>();
    let field = |number: i32| usize::try_from(number).ok().and_then(|number| FIELDS.get(number)).copied();
    let weak = Rc::downgrade(shared);
    ui.on_react(move |index| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            let chosen = usize::try_from(index).ok().and_then(|index| PointReaction::ALL.get(index));
            if let (Some(form), Some(reaction)) = (&mut studio.points.form, chosen) {
                form.reaction = *reaction;
                // A field that goes must not keep the keyboard.
                let is_log = *reaction == PointReaction::Log;
                studio.points.focused = if is_log { PointField::Text } else { PointField::Condition };
                studio.points.close_offers();
                studio.points.n_asked += 1;
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_move_to(move |index| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            let Some(form) = &mut studio.points.form else { return };
            if let Some(place) = usize::try_from(index).ok().and_then(|index| form.places().get(index)) {
                form.place = *place;
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_edited(move |number, text, cursor| {
        let Some(shared) = weak.upgrade() else { return };
        let Some(field) = field(number) else { return };
        go(&shared, |studio| studio.point_edited(field, &text, usize::try_from(cursor).unwrap_or(0)));
    });
    let weak = Rc::downgrade(shared);
    ui.on_entered(move |number| {
        let Some(shared) = weak.upgrade() else { return };
        let Some(field) = field(number) else { return };
        go(&shared, |studio| {
            if studio.points.focused != field {
                studio.points.focused = field;
                studio.points.close_offers();
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_take_offer(move |index| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.take_point_offer(usize::try_from(index).unwrap_or(usize::MAX)));
    });
    let weak = Rc::downgrade(shared);
    ui.on_set(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, Studio::set_point);
    });
    let weak = Rc::downgrade(shared);
    ui.on_remove(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, Studio::remove_point);
    });
    let weak = Rc::downgrade(shared);
    ui.on_close(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, Studio::close_point);
    });
}
