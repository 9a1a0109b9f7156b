//! Single things of the picture as rows, for the legend.

use hasse_editor::marks::ActionMark;
use hasse_editor::state::picture::{
    NodeItem as NodeOfPicture, PortItem as PortOfPicture, WireBadge, WireGroup,
};
use hasse_ui::{LabelItem, NodeItem, PortItem, WireItem};

use super::colors::state_number;
use super::items;

pub(crate) fn node(node: &NodeOfPicture) -> NodeItem {
    items::node_item(node, "", 1.0)
}

pub(crate) fn wire(group: &WireGroup, is_dark: bool) -> WireItem {
    items::wire_item(group, is_dark)
}

pub(crate) fn port(port: &PortOfPicture, is_dark: bool) -> PortItem {
    items::port_item(port, 1.0, is_dark)
}

pub(crate) fn badge(badge: &WireBadge, is_dark: bool) -> LabelItem {
    super::badges::badge_label(badge, 1.0, is_dark).unwrap_or_default()
}

pub(crate) fn state(mark: ActionMark) -> i32 {
    state_number(mark)
}
