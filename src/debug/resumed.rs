//! The last session on a trace, which the next one goes on with: scope, breakpoints, what is displayed, and the moment.
//!
//! The file is written after each command that has changed something, so that a session that is killed loses nothing. It is a session file
//! with the place in the record, in the user's state folder.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use toml_edit::{Document, DocumentMut, Item, Table, value};

use super::place::{KeptPlace, KeptPoint};
use super::saved::{Saved, broken, hash};
use super::session::{Session, Settings};
use crate::fault::Fault;
use crate::state_folder::state_folder;
use crate::whole_file;

/// Bytes at the beginning and at the end of a trace that are looked at to know it again.
const LOOKED_AT: u64 = 64 << 10;

/// Where the session on a trace is kept.
#[derive(Debug)]
pub(super) struct Resumption {
    path: PathBuf,
    trace: Mark,
    /// The text that was written last, or that would say nothing.
    known: String,
}

/// What a trace is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mark {
    n_bytes: u64,
    checksum: String,
}

impl Mark {
    fn of(trace: &Path) -> io::Result<Self> {
        let mut file = File::open(trace)?;
        let n_bytes = file.metadata()?.len();
        let mut looked_at = Vec::new();
        file.by_ref().take(LOOKED_AT).read_to_end(&mut looked_at)?;
        file.seek(SeekFrom::Start(n_bytes.saturating_sub(LOOKED_AT)))?;
        file.take(LOOKED_AT).read_to_end(&mut looked_at)?;
        Ok(Self { n_bytes, checksum: hash(&looked_at) })
    }
}

impl Resumption {
    /// The place for the session on a trace; `None` where the user has no state folder or the trace is no file.
    pub(super) fn of(trace: &Path) -> Option<Self> {
        let whole = trace.canonicalize().ok().filter(|trace| trace.is_file())?;
        let name = hash(whole.as_os_str().as_encoded_bytes());
        let path = state_folder()?.join("sessions").join(format!("{}.session", &name[..16]));
        Some(Self { path, trace: Mark::of(&whole).ok()?, known: String::new() })
    }

    /// Forgets the last session.
    pub(super) fn forget(&self) -> Result<(), Fault> {
        match fs::remove_file(&self.path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(Fault::Write { path: self.path.clone(), source })
            }
            _ => Ok(()),
        }
    }
}

/// What becomes of the last session on a trace.
#[derive(Debug)]
pub(super) enum TakenUp {
    /// There was none.
    Nothing,
    /// It goes on; with the place that it was at.
    GoesOn(Option<KeptPlace>),
    /// The trace is another one.
    OtherTrace,
}

impl Session<'_, '_> {
    /// Sets what the last session on the trace had set, and returns where it was. What cannot be set again leaves the session as it is.
    ///
    /// # Errors
    /// The file cannot be read, or holds something else.
    pub(super) fn take_up(&mut self, from: &mut Resumption) -> Result<TakenUp, Fault> {
        from.known = self.as_kept(from);
        if !from.path.is_file() {
            return Ok(TakenUp::Nothing);
        }
        let saved = Saved::read(&from.path)?;
        let text = fs::read_to_string(&from.path)
            .map_err(|source| Fault::Read { path: from.path.clone(), source })?;
        let (trace, place) = read_place(&text).map_err(|problem| broken(&from.path, problem))?;
        if trace != from.trace {
            return Ok(TakenUp::OtherTrace);
        }
        let path = from.path.clone();
        let before = std::mem::replace(&mut self.settings, Settings::new(self.subject));
        if let Err(fault) = self.set_all(&saved, &path) {
            self.settings = before;
            self.arm_breakpoints();
            return Err(fault);
        }
        self.arm_breakpoints();
        from.known = text;
        Ok(TakenUp::GoesOn(place))
    }

    /// Keeps what is set, and the place, if either has changed. A state folder that takes no file is no reason to end a session.
    pub(super) fn keep_place(&self, to: &mut Resumption) {
        let text = self.as_kept(to);
        if text == to.known {
            return;
        }
        let folder = to.path.parent().unwrap_or(Path::new("."));
        let written =
            fs::create_dir_all(folder).and_then(|()| whole_file::write_bytes(&to.path, text.as_bytes()));
        if written.is_ok() {
            to.known = text;
        }
    }

    fn as_kept(&self, to: &Resumption) -> String {
        let saved = Saved::new(self.subject, &self.options, &self.settings, None);
        with_place(&saved.to_toml(), &to.trace, self.kept_place().as_ref())
    }
}

/// A session file with a place in a record.
fn with_place(text: &str, trace: &Mark, place: Option<&KeptPlace>) -> String {
    let Ok(mut document) = text.parse::<DocumentMut>() else { return text.to_owned() };
    let mut table = Table::new();
    table["trace-bytes"] = value(i64::try_from(trace.n_bytes).unwrap_or(i64::MAX));
    table["trace-blake3"] = value(&trace.checksum);
    if let Some(KeptPlace { position, within }) = place {
        table["moment"] = value(i64::try_from(*position).unwrap_or(i64::MAX));
        if let Some((event, point)) = within {
            table["event"] = value(event);
            table["statement"] = match point {
                KeptPoint::Before => value(0),
                KeptPoint::Statement(number) => value(i64::try_from(*number).unwrap_or(i64::MAX)),
                KeptPoint::Ended => value("ended"),
            };
        }
    }
    document["place"] = Item::Table(table);
    document.to_string()
}

/// The trace and the place that a session file names.
fn read_place(text: &str) -> Result<(Mark, Option<KeptPlace>), String> {
    let document = Document::parse(text).map_err(|error| error.message().to_owned())?;
    let missing = |key: &str| format!("`{key}` is missing, or not what it should be");
    let table = document.as_table().get("place").and_then(Item::as_table_like);
    let table = table.ok_or_else(|| missing("place"))?;
    let number = |item: &Item| item.as_integer().and_then(|number| u64::try_from(number).ok());
    let n_bytes = table.get("trace-bytes").and_then(number).ok_or_else(|| missing("trace-bytes"))?;
    let checksum = table.get("trace-blake3").and_then(Item::as_str).ok_or_else(|| missing("trace-blake3"))?;
    let trace = Mark { n_bytes, checksum: checksum.to_owned() };
    let Some(moment) = table.get("moment") else { return Ok((trace, None)) };
    let position = number(moment).ok_or_else(|| missing("moment"))?;
    let Some(event) = table.get("event") else {
        return Ok((trace, Some(KeptPlace { position, within: None })));
    };
    let event = event.as_str().ok_or_else(|| missing("event"))?.to_owned();
    let statement = table.get("statement").ok_or_else(|| missing("statement"))?;
    let point = match (statement.as_str(), number(statement)) {
        (Some("ended"), _) => KeptPoint::Ended,
        (_, Some(0)) => KeptPoint::Before,
        (_, Some(number)) => KeptPoint::Statement(number),
        (_, None) => return Err(missing("statement")),
    };
    Ok((trace, Some(KeptPlace { position, within: Some((event, point)) })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_back() {
        let trace = Mark { n_bytes: 7, checksum: "ab".to_owned() };
        let within = |point| Some(("/Mult[3]:2".to_owned(), point));
        let places = [
            None,
            Some(KeptPlace { position: 3, within: None }),
            Some(KeptPlace { position: 0, within: within(KeptPoint::Before) }),
            Some(KeptPlace { position: 9, within: within(KeptPoint::Statement(4)) }),
            Some(KeptPlace { position: 9, within: within(KeptPoint::Ended) }),
        ];
        for place in places {
            let text = with_place("hasse-session = 1\n", &trace, place.as_ref());
            assert_eq!(read_place(&text), Ok((trace.clone(), place)), "{text}");
        }
    }

    #[test]
    fn texts_without_a_place_are_refused() {
        for text in ["", "[place]\n", "[place]\ntrace-bytes = 1\ntrace-blake3 = \"a\"\nmoment = -1\n"] {
            assert!(read_place(text).is_err(), "{text}");
        }
    }
}
