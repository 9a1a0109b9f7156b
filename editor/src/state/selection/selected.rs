//! Selected things of one graph.

use std::collections::BTreeSet;

use super::super::drawn::Shown;
use crate::drawing::connect::PortName;
use crate::drawing::hit::{Hit, Things};
use crate::drawing::scene::Scene;
use crate::edit::link::LinkList;

/// A line of the graph.
pub type LinkKey = (LinkList, usize);

/// Selected things of one graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Nodes, by name.
    pub nodes: BTreeSet<String>,
    /// Arcs and share lines, by list and row.
    pub links: BTreeSet<LinkKey>,
    /// Bends of links, from the source to the target.
    pub bends: BTreeSet<(LinkKey, usize)>,
    /// Comments, by number.
    pub comments: BTreeSet<u64>,
    /// Frames, by number.
    pub frames: BTreeSet<u64>,
}

impl Selection {
    /// Whether nothing is selected.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// How many things are selected.
    pub fn len(&self) -> usize {
        self.nodes.len() + self.links.len() + self.bends.len() + self.comments.len() + self.frames.len()
    }

    /// What is at a place.
    pub(in super::super) fn of_hit(scene: &Scene, hit: Hit) -> Self {
        let mut selection = Self::default();
        let link = |idx: usize| scene.links.get(idx).map(|link| (link.list, link.row));
        match hit {
            Hit::Port(place) => selection.add_box(scene, place.box_idx),
            Hit::Title(idx) | Hit::Box(idx) => selection.add_box(scene, idx),
            Hit::Link(idx) => selection.links.extend(link(idx)),
            Hit::Bend { link_idx, bend_idx } => {
                selection.bends.extend(link(link_idx).map(|key| (key, bend_idx)));
            }
            Hit::Comment(idx) => selection.comments.extend(scene.comments.get(idx).map(|held| held.number)),
            Hit::FrameEdge { frame_idx, .. } | Hit::FrameTitle(frame_idx) => {
                selection.frames.extend(scene.frames.get(frame_idx).map(|held| held.number));
            }
        }
        selection
    }

    fn add_box(&mut self, scene: &Scene, box_idx: usize) {
        self.nodes.extend(scene.boxes.get(box_idx).map(|node| node.name.clone()));
    }

    /// What a rubber band took in.
    pub(in super::super) fn of_things(scene: &Scene, things: &Things) -> Self {
        let mut selection = Self::default();
        things.boxes.iter().for_each(|&idx| selection.add_box(scene, idx));
        selection.links.extend(things.links.iter().map(|&idx| (scene.links[idx].list, scene.links[idx].row)));
        selection.comments.extend(things.comments.iter().map(|&idx| scene.comments[idx].number));
        selection.frames.extend(things.frames.iter().map(|&idx| scene.frames[idx].number));
        selection
    }

    /// All of a scene, bends aside.
    pub(in super::super) fn all(scene: &Scene) -> Self {
        Self {
            nodes: scene.boxes.iter().map(|node| node.name.clone()).collect(),
            links: scene.links.iter().map(|link| (link.list, link.row)).collect(),
            bends: BTreeSet::new(),
            comments: scene.comments.iter().map(|comment| comment.number).collect(),
            frames: scene.frames.iter().map(|frame| frame.number).collect(),
        }
    }

    pub(in super::super) fn contains(&self, other: &Self) -> bool {
        self.nodes.is_superset(&other.nodes)
            && self.links.is_superset(&other.links)
            && self.bends.is_superset(&other.bends)
            && self.comments.is_superset(&other.comments)
            && self.frames.is_superset(&other.frames)
    }

    pub(in super::super) fn add(&mut self, other: &Self) {
        self.nodes.extend(other.nodes.iter().cloned());
        self.links.extend(&other.links);
        self.bends.extend(&other.bends);
        self.comments.extend(&other.comments);
        self.frames.extend(&other.frames);
    }

    /// What is in one and not in the other.
    pub(in super::super) fn toggled(&self, other: &Self) -> Self {
        Self {
            nodes: &self.nodes ^ &other.nodes,
            links: &self.links ^ &other.links,
            bends: &self.bends ^ &other.bends,
            comments: &self.comments ^ &other.comments,
            frames: &self.frames ^ &other.frames,
        }
    }

    /// By what its things are found again once the program has changed.
    pub(in super::super) fn keys(&self, shown: Option<&Shown>) -> Keys {
        let ends = |key: &LinkKey| {
            let scene = &shown?.scene;
            let link = &scene.links[scene.link_at_row(key.0, key.1)?];
            Some((*key, scene.port_name(link.source)?, scene.port_name(link.target)?, link.label.clone()))
        };
        let links = self.links.iter().map(|key| (*key, ends(key))).collect();
        let bends = self.bends.iter().filter_map(|(key, bend)| Some((ends(key)?, *bend))).collect();
        let n_rows = shown.map_or([0; 2], |shown| shown.n_rows);
        Keys { selection: self.clone(), links, bends, n_rows }
    }
}

type Ends = (LinkKey, PortName, PortName, String);

/// A selection with the ends of its links, whose rows change.
pub(in super::super) struct Keys {
    pub(super) selection: Selection,
    /// Without ends where the line is no arc or share line yet.
    pub(super) links: Vec<(LinkKey, Option<Ends>)>,
    bends: Vec<(Ends, usize)>,
    n_rows: [usize; 2],
}

impl Keys {
    /// What of it is there now.
    pub(in super::super) fn selection(self, shown: Option<&Shown>) -> Selection {
        let Some(shown) = shown else { return Selection::default() };
        let scene = &shown.scene;
        let find = |(key, source, target, label): &Ends| {
            let is_it = |idx: &usize| {
                let link = &scene.links[*idx];
                link.list == key.0
                    && link.label == *label
                    && scene.port_name(link.target).as_ref() == Some(target)
                    && scene.port_name(link.source).as_ref() == Some(source)
            };
            let at_row = scene.link_at_row(key.0, key.1).filter(is_it);
            let box_idx = scene.box_named(&source.node);
            let elsewhere = || scene.links_of(box_idx?).iter().copied().find(is_it);
            let link = &scene.links[at_row.or_else(elsewhere)?];
            Some(((link.list, link.row), link.bends.len()))
        };
        let mut selection = self.selection;
        let names: BTreeSet<&str> = scene.boxes.iter().map(|node| &*node.name).collect();
        selection.nodes.retain(|name| names.contains(&**name));
        selection.comments.retain(|number| scene.comments.iter().any(|comment| comment.number == *number));
        selection.frames.retain(|number| scene.frames.iter().any(|frame| frame.number == *number));
        // Where no line has come or gone, the one at the row is the same, however its text was edited.
        let is_same_list = self.n_rows == shown.n_rows;
        let links = self.links.iter().filter_map(|(key, ends)| {
            let found = ends.as_ref().and_then(find).map(|(key, _)| key);
            found.or_else(|| is_same_list.then_some(*key))
        });
        selection.links = links.collect();
        let bends = self.bends.iter().filter_map(|(ends, bend)| {
            let (key, n_bends) = find(ends)?;
            (*bend < n_bends).then_some((key, *bend))
        });
        selection.bends = bends.collect();
        selection
    }
}
