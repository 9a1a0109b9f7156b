//! The fields of the form while it is open.

use std::ops::Range;

use hasse_editor::run::{PointField, PointForm, PointOffer, PointReaction};
use hasse_ui::{EditorWindow, Point as UiPoint, PointOfferItem};
use slint::{ComponentHandle, SharedString};

use crate::models::Rows;

/// The form while it is open.
pub(crate) struct Points {
    pub(super) form: Option<PointForm>,
    /// Number of breakpoints that were typed and set when this one was handed in; `None` before.
    pub(super) handed_in: Option<u64>,
    pub(super) focused: PointField,
    pub(super) offers: Vec<PointOffer>,
    /// The bytes of the field that an offer replaces.
    pub(super) replaced: Range<usize>,
    pub(super) offer: usize,
    /// Set after a key has moved in the list of completions.
    pub(super) is_offer_chosen: bool,
    pub(super) version: i32,
    pub(super) cursor: usize,
    /// Changes when the field is to have the keyboard again.
    pub(super) n_asked: i32,
    pub(super) fields: Rows<SharedString>,
    reactions: Rows<SharedString>,
    pub(super) places: Rows<SharedString>,
    pub(super) rows: Rows<PointOfferItem>,
}

impl Points {
    pub(crate) fn new(window: &EditorWindow) -> Self {
        let points = Self {
            form: None,
            handed_in: None,
            focused: PointField::Condition,
            offers: Vec::new(),
            replaced: 0..0,
            offer: 0,
            is_offer_chosen: false,
            version: 0,
            cursor: 0,
            n_asked: 0,
            fields: Rows::new(),
            reactions: Rows::new(),
            places: Rows::new(),
            rows: Rows::new(),
        };
        let ui = window.global::<UiPoint>();
        ui.set_fields(points.fields.model());
        ui.set_reactions(points.reactions.model());
        ui.set_places(points.places.model());
        ui.set_offers(points.rows.model());
        points.reactions.set(PointReaction::ALL.map(|reaction| SharedString::from(reaction.name())));
        points
    }

    pub(crate) fn is_open(&self) -> bool {
        self.form.is_some()
    }

    pub(super) fn close_offers(&mut self) {
        self.offers.clear();
        self.offer = 0;
        self.is_offer_chosen = false;
    }
}
