//! Parts of two texts that belong together: by name, else by content.

use std::collections::BTreeSet;

use super::read::{Content, LinkText};
use super::{LinkDifference, Presence};
use crate::format::token_texts;
use crate::outline::{EndOutline, link_ends};

/// Least share of fields that two parts have in common so that they are one that was renamed.
const LEAST_SHARE: f64 = 0.6;
/// Least number of such fields.
const LEAST_FIELDS: usize = 2;

/// Names before and now of the parts that are in both lists: those of one name, and those that were renamed. A part was
/// renamed where its content is that of one part alone, or more like it than any other one.
pub(super) fn paired_names<T>(
    old: &[T],
    new: &[T],
    name: impl Fn(&T) -> &str,
    content: impl Fn(&T) -> Content,
) -> Vec<(String, String)> {
    let known: BTreeSet<&str> = old.iter().map(&name).collect();
    let wanted: BTreeSet<&str> = new.iter().map(&name).collect();
    let mut pairs: Vec<(String, String)> =
        known.intersection(&wanted).map(|same| ((*same).to_owned(), (*same).to_owned())).collect();
    let mut gone: Vec<(&T, Content)> =
        old.iter().filter(|part| !wanted.contains(name(part))).map(|part| (part, content(part))).collect();
    let mut fresh: Vec<(&T, Content)> =
        new.iter().filter(|part| !known.contains(name(part))).map(|part| (part, content(part))).collect();
    // The same content first: what is left is compared more loosely.
    for least in [1.0, LEAST_SHARE] {
        while let Some((from, to)) = best(&gone, &fresh, least) {
            let ((before, _), (now, _)) = (gone.remove(from), fresh.remove(to));
            pairs.push((name(before).to_owned(), name(now).to_owned()));
        }
    }
    pairs
}

/// Positions of the two parts that are most alike; `None` where none is enough, or another one is as much.
fn best<T>(gone: &[(&T, Content)], fresh: &[(&T, Content)], least: f64) -> Option<(usize, usize)> {
    let mut found: Vec<(f64, usize, usize)> = Vec::new();
    for (from, (_, before)) in gone.iter().enumerate() {
        for (to, (_, now)) in fresh.iter().enumerate() {
            let share = likeness(before, now);
            if share >= least {
                found.push((share, from, to));
            }
        }
    }
    let is_alone = |(share, from, to): &&(f64, usize, usize)| {
        let rivals = found.iter().filter(|(_, other_from, other_to)| other_from == from || other_to == to);
        rivals.filter(|(other, ..)| other >= share).count() == 1
    };
    let alone = found.iter().filter(is_alone);
    alone.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, from, to)| (*from, *to))
}

/// The share of what two parts hold that both have; 0 where they are of two kinds, or have too little in common.
fn likeness(old: &Content, new: &Content) -> f64 {
    if old.kind != new.kind {
        return 0.0;
    }
    if old.parts == new.parts {
        return 1.0;
    }
    let n_common = old.parts.intersection(&new.parts).count();
    if n_common < LEAST_FIELDS {
        return 0.0;
    }
    n_common as f64 / old.parts.len().max(new.parts.len()) as f64
}

/// Arcs and share lines that differ, with nodes by their new names.
pub(super) fn paired_links(
    old: &[LinkText],
    new: &[LinkText],
    renamed: &[(String, String)],
) -> Vec<LinkDifference> {
    let now = |node: &str| {
        renamed.iter().find(|(before, _)| before == node).map_or(node, |(_, now)| now.as_str()).to_owned()
    };
    let mut gone: Vec<(&LinkText, Key)> = old.iter().map(|link| (link, Key::of(link, now))).collect();
    let mut fresh: Vec<(&LinkText, Key)> =
        new.iter().map(|link| (link, Key::of(link, str::to_owned))).collect();
    fresh.retain(|(_, key)| match gone.iter().position(|(_, known)| known == key) {
        Some(at) => {
            gone.remove(at);
            false
        }
        None => true,
    });
    let mut found = Vec::new();
    for (link, key) in fresh {
        let before = gone.iter().position(|(_, known)| key.has_the_ports_of(known));
        let before = before.map(|at| gone.remove(at).0);
        found.push(LinkDifference {
            presence: if before.is_some() { Presence::Changed } else { Presence::Added },
            is_arc: link.is_arc,
            old: before.map(|before| (before.text.clone(), before.row)),
            new: Some((link.text.clone(), link.row)),
            line: link.line,
        });
    }
    found.extend(gone.into_iter().map(|(link, _)| LinkDifference {
        presence: Presence::Removed,
        is_arc: link.is_arc,
        old: Some((link.text.clone(), link.row)),
        new: None,
        line: link.line,
    }));
    found
}

/// A link without its spelling.
#[derive(PartialEq, Eq)]
struct Key {
    is_arc: bool,
    /// Node and port of both ends; none of what cannot be read.
    ports: Option<[(String, String); 2]>,
    /// Index maps of both ends; the text of what cannot be read.
    maps: Vec<String>,
}

impl Key {
    fn of(link: &LinkText, now: impl Fn(&str) -> String) -> Self {
        let is_arc = link.is_arc;
        let Some((source, target)) = link_ends(&link.text) else {
            return Self { is_arc, ports: None, maps: vec![link.text.clone()] };
        };
        let end = |end: &EndOutline| (now(&end.node), end.port.clone());
        let maps = [&source, &target].into_iter().flat_map(|end| {
            let map = |texts: &[String]| -> String {
                texts.iter().map(|text| token_texts(text).join(" ")).collect::<Vec<_>>().join(", ")
            };
            [map(&end.index), map(&end.elements)]
        });
        Self { is_arc, ports: Some([end(&source), end(&target)]), maps: maps.collect() }
    }

    fn has_the_ports_of(&self, other: &Self) -> bool {
        self.is_arc == other.is_arc && self.ports.is_some() && self.ports == other.ports
    }
}
