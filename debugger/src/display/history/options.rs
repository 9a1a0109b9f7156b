//! Options of a page of the event history.

/// Where a page begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// At the event in this place, from 1.
    At(u64),
    /// So many events before the end.
    BeforeEnd(u64),
    /// At this event, such as `/Mult[3]:2`.
    Event(String),
}

impl Start {
    /// Reads `120`, `-40` or `/Mult[3]:2`; `None` where the text is none of them.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Ok(number) = text.parse::<i64>() {
            return match number {
                0 => None,
                1.. => Some(Self::At(number.unsigned_abs())),
                _ => Some(Self::BeforeEnd(number.unsigned_abs())),
            };
        }
        let (action, count) = text.rsplit_once(':')?;
        let has_count = count.parse::<u64>().is_ok_and(|count| count > 0);
        let name = action.trim_start_matches('/');
        (has_count && !name.is_empty()).then(|| Self::Event(format!("/{name}:{count}")))
    }
}

/// What has a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lanes {
    /// Each action.
    Action,
    /// Each node of the program.
    #[default]
    Template,
}

/// Whether lanes are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Columns {
    /// Where they fit.
    #[default]
    Auto,
    /// Whatever the width.
    Always,
    /// Not at all.
    Never,
}

/// What is shown of a history.
#[derive(Clone, Debug)]
pub struct HistoryOptions {
    /// Where the page begins.
    pub start: Start,
    /// Most events of the page.
    pub n_events: usize,
    /// What has a lane.
    pub lanes: Lanes,
    /// Whether lanes are drawn.
    pub columns: Columns,
    /// Letters of a line that lanes may take.
    pub lanes_width: usize,
    /// Whether the mappings follow.
    pub has_map: bool,
}

impl Default for HistoryOptions {
    fn default() -> Self {
        Self {
            start: Start::At(1),
            n_events: 40,
            lanes: Lanes::default(),
            columns: Columns::default(),
            lanes_width: 60,
            has_map: false,
        }
    }
}
