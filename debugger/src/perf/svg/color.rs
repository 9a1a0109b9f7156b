//! Colors of groups.

use crate::perf::report::Report;

/// Groups with a color of their own.
pub(super) const N_COLORS: usize = 8;

/// Colors of groups: the largest ones have their own.
pub(super) struct Colors {
    /// For each group its color; `N_COLORS` for all others.
    color_of: Vec<usize>,
    /// Groups by color.
    pub(super) colored: Vec<usize>,
    pub(super) has_others: bool,
}

impl Colors {
    pub(super) fn new(report: &Report) -> Self {
        let mut order: Vec<usize> = (0..report.groups.len()).collect();
        let weight = |group: &usize| {
            let load = &report.loads[*group];
            if report.times.is_some() { load.computing } else { load.n_events }
        };
        order.sort_by_key(|group| (std::cmp::Reverse(weight(group)), *group));
        let mut color_of = vec![N_COLORS; order.len()];
        let has_others = order.len() > N_COLORS;
        order.truncate(N_COLORS);
        // Neighbors in the program have neighboring colors, whatever they weigh.
        order.sort_unstable();
        order.iter().enumerate().for_each(|(color, &group)| color_of[group] = color);
        Self { color_of, colored: order, has_others }
    }

    pub(super) fn of(&self, group: usize) -> usize {
        self.color_of.get(group).copied().unwrap_or(N_COLORS)
    }
}

/// The class of a color.
pub(super) fn class(color: usize) -> String {
    if color < N_COLORS { format!("g{color}") } else { "gx".to_owned() }
}
