//! Choosing by typing: what to add to a graph, what a dropped wire goes to, or a command.

use crate::palette::{self, Action, Entry, Ranked, Wire, fuzzy};

/// How many choices are remembered, of nodes and of commands each.
pub const MOST_RECENT: usize = 20;

/// A command of the window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// What the window knows it by.
    pub id: String,
    /// What is shown and searched.
    pub label: String,
    /// The keys that do the same; may be empty.
    pub shortcut: String,
}

/// What was chosen before, the latest first; kept with the [`settings`](crate::panels::settings).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recent {
    /// What was added to graphs.
    pub actions: Vec<Action>,
    /// Commands, by their ids.
    pub commands: Vec<String>,
}

impl Recent {
    fn remember(&mut self, chosen: &Chosen) {
        match chosen {
            // What a wire goes to is about this wire.
            Chosen::Node(Action::Connect(..)) => {}
            Chosen::Node(action) => to_front(&mut self.actions, action),
            Chosen::Command(id) => to_front(&mut self.commands, id),
        }
    }
}

fn to_front<T: Clone + PartialEq>(list: &mut Vec<T>, chosen: &T) {
    list.retain(|known| known != chosen);
    list.insert(0, chosen.clone());
    list.truncate(MOST_RECENT);
}

/// What was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// Something for the graph.
    Node(Action),
    /// A command, by its id.
    Command(String),
}

/// A line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchRow {
    /// What is searched.
    pub label: String,
    /// Which characters of the label were typed, ascending, from 0.
    pub letters: Vec<usize>,
    /// More about it, or the keys that do the same.
    pub detail: String,
    /// Whether it was chosen before.
    pub is_recent: bool,
    /// What it is.
    pub chosen: Chosen,
}

/// What can be chosen.
#[derive(Clone, Debug)]
enum Choices {
    Nodes(Vec<Entry>),
    Commands(Vec<Command>),
}

/// The state of the popup while it is open.
#[derive(Clone, Debug)]
pub struct SearchPopup {
    choices: Choices,
    recent: Recent,
    query: String,
    rows: Vec<SearchRow>,
    selected: usize,
    /// True if what was chosen before does not come first.
    keeps_order: bool,
    version: u64,
}

impl SearchPopup {
    /// What can be put into a graph of a program; with a wire only what can take it. Cost: reads the whole text.
    pub fn nodes(program: &str, graph: &str, wire: Option<&Wire>, recent: &Recent) -> Self {
        let mut popup = Self::of(Choices::Nodes(palette::entries(program, graph, wire)), recent);
        if wire.is_some() {
            // The first entry is chosen without a look: it is always the same.
            popup.keeps_order = true;
            popup.rank();
        }
        popup
    }

    /// Commands, in the order in which they are shown with nothing typed.
    pub fn commands(commands: Vec<Command>, recent: &Recent) -> Self {
        Self::of(Choices::Commands(commands), recent)
    }

    fn of(choices: Choices, recent: &Recent) -> Self {
        let (recent, query) = (recent.clone(), String::new());
        let mut popup =
            Self { choices, recent, query, rows: Vec::new(), selected: 0, keeps_order: false, version: 0 };
        popup.rank();
        popup
    }

    /// What was typed.
    pub fn query(&self) -> &str {
        &self.query
    }

    /// What fits, best first.
    pub fn rows(&self) -> &[SearchRow] {
        &self.rows
    }

    /// Position of the selected row; 0 where there are none.
    pub fn selected(&self) -> usize {
        self.selected
    }

    /// Another number whenever what is shown has changed.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Takes in what was typed; the best row is selected.
    pub fn set_query(&mut self, query: &str) {
        if self.query != query {
            query.clone_into(&mut self.query);
            self.rank();
        }
    }

    /// Selects another row, by so many further down; around the ends.
    pub fn select(&mut self, n_down: isize) {
        self.selected = super::moved(self.selected, n_down, self.rows.len());
        self.version += 1;
    }

    /// Enter, or a click on a row: what is chosen, which `recent` remembers. The window closes the popup, and writes the
    /// settings.
    pub fn accept(&self, clicked: Option<usize>, recent: &mut Recent) -> Option<Chosen> {
        let chosen = self.rows.get(clicked.unwrap_or(self.selected))?.chosen.clone();
        recent.remember(&chosen);
        Some(chosen)
    }

    fn rank(&mut self) {
        self.rows = match &self.choices {
            Choices::Nodes(entries) => {
                let recent = if self.keeps_order { &[][..] } else { &self.recent.actions };
                let ranked = palette::rank(entries, &self.query, recent);
                ranked.into_iter().map(node_row).collect()
            }
            Choices::Commands(commands) => self.ranked_commands(commands),
        };
        self.selected = 0;
        self.version += 1;
    }

    fn ranked_commands(&self, commands: &[Command]) -> Vec<SearchRow> {
        let mut found = Vec::new();
        for command in commands {
            let Some(matched) = fuzzy(&command.label, &self.query) else { continue };
            let age = self.recent.commands.iter().position(|known| *known == command.id);
            let row = SearchRow {
                label: command.label.clone(),
                letters: matched.letters,
                detail: command.shortcut.clone(),
                is_recent: age.is_some(),
                chosen: Chosen::Command(command.id.clone()),
            };
            found.push(((-matched.score, age.unwrap_or(self.recent.commands.len())), row));
        }
        found.sort_by_key(|(rank, _)| *rank);
        found.into_iter().map(|(_, row)| row).collect()
    }
}

fn node_row(ranked: Ranked) -> SearchRow {
    SearchRow {
        label: ranked.entry.label,
        letters: ranked.letters,
        detail: ranked.entry.detail,
        is_recent: ranked.is_recent,
        chosen: Chosen::Node(ranked.entry.action),
    }
}
