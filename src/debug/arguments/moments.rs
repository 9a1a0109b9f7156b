//! Arguments of moves in time.

use super::{Arguments, Parsed};
use crate::debug::command::{AskedEvent, At, Command, Move, Target};

impl Arguments<'_> {
    /// `N | N% | end | EVENT [before|after|befcomp|aftcomp]`
    pub(in super::super) fn goto(&self) -> Parsed<Command> {
        let Some(first) = self.words.first() else {
            return Err(self.wrong(0, "a moment or an event is missing"));
        };
        let (word, column) = (first.text.as_str(), first.column);
        let number = |text: &str| {
            text.parse::<u64>().map_err(|_| self.wrong(0, format!("`{text}` is not a number of events")))
        };
        let target = if word == "end" {
            Target::Share(100)
        } else if let Some(share) = word.strip_suffix('%') {
            let percent = share.parse().ok().filter(|percent| *percent <= 100);
            Target::Share(percent.ok_or_else(|| self.wrong(0, format!("`{word}` is no share: 0% to 100%")))?)
        } else if word.starts_with(|letter: char| letter.is_ascii_digit()) {
            Target::Position { number: number(word)?, column }
        } else {
            let at = match self.word(1) {
                None | Some("after") => At::After,
                Some("before") => At::Before,
                Some("befcomp") => At::Befcomp,
                Some("aftcomp") => At::Aftcomp,
                Some(_) => return Err(self.unexpected(1)),
            };
            self.ends_at(2)?;
            return Ok(Command::Goto(Target::Event {
                event: AskedEvent { target: Some(word.to_owned()), column },
                at,
            }));
        };
        self.ends_at(1)?;
        Ok(Command::Goto(target))
    }

    /// `[N]` events.
    pub(in super::super) fn by_events(&self, way: fn(u64) -> Move) -> Parsed<Command> {
        Ok(Command::Move { way: way(self.times(0)?), column: self.command.column })
    }

    /// A way to one of the ends.
    pub(in super::super) fn to_end(&self, way: Move) -> Parsed<Command> {
        self.plain(Command::Move { way, column: self.command.column })
    }
}
