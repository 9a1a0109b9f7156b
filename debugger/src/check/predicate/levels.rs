//! In which order variables are tried, and what is known of a variable beforehand.

use super::relation::{Relation, VarId};
use super::search_plan::{Form, Level, Part};
use super::store::Keep;

/// The order in which variables are tried: next, whichever is held closest by those before it.
pub(super) fn levels(variables: &[VarId], start: Option<usize>, parts: &[Part]) -> Vec<Level> {
    let mut bound: Vec<VarId> = start.map(|start| variables[start]).into_iter().collect();
    let mut left: Vec<VarId> = variables.iter().copied().filter(|var| !bound.contains(var)).collect();
    let mut levels = Vec::new();
    let mut is_checked: Vec<bool> = vec![false; parts.len()];
    let orders = |var: VarId, left: &[VarId]| -> Vec<(bool, Relation, VarId)> {
        let orders = parts.iter().filter_map(|part| match part.form {
            Form::Order(one, relation, other) if one != other => match () {
                () if one == var && !left.contains(&other) => Some((true, relation, other)),
                () if other == var && !left.contains(&one) => Some((false, relation, one)),
                () => None,
            },
            _ => None,
        });
        orders.collect()
    };
    loop {
        // What can be evaluated before the next variable; the start has an empty level for what it brings.
        let is_known = |part: &Part| !part.free.iter().any(|var| left.contains(var));
        let mut checks = Vec::new();
        for (part_idx, part) in parts.iter().enumerate() {
            let is_outer = start.is_none() && !part.free.iter().any(|var| variables.contains(var));
            if !is_checked[part_idx] && !is_outer && is_known(part) {
                is_checked[part_idx] = true;
                checks.push(part_idx);
            }
        }
        match levels.last_mut() {
            Some(Level { checks: last, .. }) => *last = checks,
            None if start.is_some() => {
                let var = bound[0];
                levels.push(Level { var, orders: Vec::new(), checks, is_earlier: false });
            }
            None => {}
        }
        let closeness = |var: &VarId| {
            let weight = |(is_left, relation, _): &(bool, Relation, VarId)| match (relation, is_left) {
                (Relation::Same, _) => 4,
                (Relation::Immediate, true) => 3,
                (Relation::Immediate, false) => 2,
                (Relation::Before | Relation::Concurrent, _) => 1,
            };
            orders(*var, &left).iter().map(weight).max().unwrap_or(0)
        };
        let Some(position) = (0..left.len()).rev().max_by_key(|&position| closeness(&left[position])) else {
            return levels;
        };
        let var = left[position];
        let orders = orders(var, &left);
        left.remove(position);
        bound.push(var);
        let place = |var: VarId| variables.iter().position(|&known| known == var);
        let is_earlier = start.is_some_and(|start| place(var) < Some(start));
        levels.push(Level { var, orders, checks: Vec::new(), is_earlier });
    }
}

/// Whether each variable is before an outer one, or before one that is.
pub(super) fn is_bounded(variables: &[VarId], parts: &[Part]) -> bool {
    let mut open: Vec<VarId> = variables.to_vec();
    loop {
        let n_open = open.len();
        open = open
            .iter()
            .copied()
            .filter(|var| {
                !parts.iter().any(|part| match part.form {
                    Form::Order(left, Relation::Immediate | Relation::Before, right) => {
                        left == *var && !open.contains(&right)
                    }
                    Form::Order(left, Relation::Same, right) => {
                        left == *var && !open.contains(&right) || right == *var && !open.contains(&left)
                    }
                    _ => false,
                })
            })
            .collect();
        if open.is_empty() || open.len() == n_open {
            return open.is_empty();
        }
    }
}

/// Which events matter to `exists` of one variable.
pub(super) fn kept(var: VarId, parts: &[Part]) -> Keep {
    let mut speaking = parts.iter().filter(|part| part.free.contains(&var)).peekable();
    let is_first = |part: &&Part| matches!(part.form, Form::Order(left, Relation::Before, right) if left == var && right != var);
    let is_last = |part: &&Part| matches!(part.form, Form::Order(left, Relation::Before, right) if right == var && left != var);
    if speaking.clone().all(|part| is_first(&part)) {
        return Keep::First;
    }
    match speaking.all(|part| is_last(&part)) {
        true => Keep::Last,
        false => Keep::All,
    }
}
