//! Steps that can be undone and made again, without limit.

use super::patch::Patch;

/// What is undone at once.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) label: String,
    /// What is typed on and on into one place has the same key.
    key: Option<String>,
    patches: Vec<Patch>,
}

impl Step {
    pub(super) fn undo(&self, text: &mut String) {
        self.patches.iter().rev().for_each(|patch| patch.revert(text));
    }

    pub(super) fn redo(&self, text: &mut String) {
        self.patches.iter().for_each(|patch| patch.apply(text));
    }
}

/// Rule by which an edit becomes part of the step before.
#[derive(Clone, Copy, Debug)]
pub(super) enum Key<'k> {
    /// It is a step by itself.
    None,
    /// The step before has the same key.
    Of(&'k str),
    /// The step before has the same key and was made at the same place.
    Typed(&'k str),
}

/// Steps made, of which the last ones may be undone.
#[derive(Clone, Debug)]
pub(super) struct History {
    steps: Vec<Step>,
    /// Steps that are not undone.
    n_done: usize,
    /// Groups within each other: how many patches there were when each began.
    open: Vec<usize>,
    /// Patches of the outermost group.
    grouped: Vec<Patch>,
    /// Whether the last step does not take in what has its key.
    is_sealed: bool,
    /// Steps done when the file was written; `None` where no steps lead there any more.
    mark: Option<usize>,
}

impl Default for History {
    fn default() -> Self {
        // A new document is as its file.
        let mark = Some(0);
        Self { steps: Vec::new(), n_done: 0, open: Vec::new(), grouped: Vec::new(), is_sealed: true, mark }
    }
}

impl History {
    /// Adds a patch of a text: to the group under way, to the last step where the key says so, or as a step.
    pub(super) fn push(&mut self, label: &str, key: Key<'_>, patch: Patch, text: &str) {
        if !self.open.is_empty() {
            self.grouped.push(patch);
            return;
        }
        self.drop_undone();
        let (key, is_typed) = match key {
            Key::None => (None, false),
            Key::Of(key) => (Some(key), false),
            Key::Typed(key) => (Some(key), true),
        };
        let goes_on = |last: &Step| {
            let is_next = last.patches.last().is_none_or(|last| patch.follows(last, text));
            key.is_some() && last.key.as_deref() == key && (is_next || !is_typed)
        };
        let is_sealed = self.is_sealed;
        match self.steps.last_mut().filter(|last| !is_sealed && goes_on(last)) {
            Some(last) => last.patches.push(patch),
            None => self.add(label, key, vec![patch]),
        }
    }

    fn add(&mut self, label: &str, key: Option<&str>, patches: Vec<Patch>) {
        self.drop_undone();
        self.steps.push(Step { label: label.to_owned(), key: key.map(str::to_owned), patches });
        self.n_done = self.steps.len();
        self.is_sealed = false;
    }

    /// What was undone cannot be made again once something else is done.
    fn drop_undone(&mut self) {
        self.steps.truncate(self.n_done);
        self.mark = self.mark.filter(|&mark| mark <= self.n_done);
    }

    /// Begins a group.
    pub(super) fn open(&mut self) {
        self.open.push(self.grouped.len());
    }

    /// Ends a group; the outermost one becomes a step where anything was done in it.
    pub(super) fn close(&mut self, label: &str) {
        self.open.pop();
        if self.open.is_empty() && !self.grouped.is_empty() {
            let patches = std::mem::take(&mut self.grouped);
            self.add(label, None, patches);
        }
    }

    /// Ends a group of which nothing is to stay; gives what undoes it.
    pub(super) fn abandon(&mut self) -> Step {
        let n_before = self.open.pop().unwrap_or(0);
        Step { label: String::new(), key: None, patches: self.grouped.split_off(n_before) }
    }

    /// Whether the last step is one of typing that is not closed.
    pub(super) fn is_typing(&self) -> bool {
        let last = self.steps[..self.n_done].last();
        !self.is_sealed && last.is_some_and(|last| last.key.is_some())
    }

    pub(super) fn seal(&mut self) {
        self.is_sealed = true;
    }

    pub(super) fn back(&mut self) -> Option<Step> {
        let step = self.steps[..self.n_done].last()?.clone();
        self.n_done -= 1;
        self.is_sealed = true;
        Some(step)
    }

    pub(super) fn forth(&mut self) -> Option<Step> {
        let step = self.steps.get(self.n_done)?.clone();
        self.n_done += 1;
        self.is_sealed = true;
        Some(step)
    }

    pub(super) fn next_back(&self) -> Option<&str> {
        self.steps[..self.n_done].last().map(|step| &*step.label)
    }

    pub(super) fn next_forth(&self) -> Option<&str> {
        self.steps.get(self.n_done).map(|step| &*step.label)
    }

    pub(super) fn mark(&mut self) {
        self.mark = Some(self.n_done);
        self.is_sealed = true;
    }

    pub(super) fn is_at_mark(&self) -> bool {
        self.mark == Some(self.n_done)
    }
}
