//! Answers that come one after the other: lines of a stream, connections to a server.
//!
//! A thread of its own reads them, one whenever one is wanted. Nothing is read ahead. This is the back-pressure: a fast peer waits for a
//! slow program.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crossbeam_channel::{Sender, bounded};
use parking_lot::Mutex;

use super::{Answer, CUT_OFF, Pending, Promise, Promised};
use crate::interrupt;

/// A thread that reads answers.
#[derive(Debug)]
pub(crate) struct Feed {
    wanted: Sender<()>,
    state: Arc<Mutex<State>>,
    is_closed: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct State {
    is_reading: bool,
    /// Those who wait for an answer, in order.
    waiting: VecDeque<Promise>,
    /// Answers that were read for somebody who does not wait any more.
    read: VecDeque<Answer>,
}

impl Feed {
    /// A thread that calls `read` for each answer that is wanted. The flag says that none is wanted any more.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(crate) fn start(mut read: impl FnMut(&AtomicBool) -> Answer + Send + 'static) -> io::Result<Self> {
        let (wanted, wishes) = bounded(1);
        let state = Arc::new(Mutex::new(State::default()));
        let is_closed = Arc::new(AtomicBool::new(false));
        let (of_thread, closed) = (Arc::clone(&state), Arc::clone(&is_closed));
        thread::Builder::new().name("hasse-feed".to_owned()).spawn(move || {
            for () in wishes {
                while hand_out(&of_thread, read(&closed)) && !closed.load(Ordering::Relaxed) {}
            }
        })?;
        Ok(Self { wanted, state, is_closed })
    }

    /// Asks for the next answer, as an input of the run.
    ///
    /// # Errors
    /// The run drains: it is to have no more input.
    pub(crate) fn ask_for_input(&self) -> Result<Pending, String> {
        match interrupt::is_draining() {
            true => Err(CUT_OFF.to_owned()),
            false => Ok(Pending::Promised(self.promised().of_input())),
        }
    }

    /// Asks for the next answer.
    pub(crate) fn ask(&self) -> Pending {
        Pending::Promised(self.promised())
    }

    fn promised(&self) -> Promised {
        let (promise, promised) = Promise::new();
        let mut state = self.state.lock();
        if let Some(answer) = state.read.pop_front() {
            promise.keep(answer);
            return promised;
        }
        state.waiting.push_back(promise);
        if !state.is_reading {
            state.is_reading = self.wanted.send(()).is_ok();
            if !state.is_reading {
                // The thread is gone: whoever waits is given an error.
                state.waiting.clear();
            }
        }
        promised
    }
}

impl Feed {
    /// Answers nobody any more: those who wait are given an error.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        self.state.lock().waiting.clear();
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.close();
    }
}

impl State {
    /// Takes out the first one who still waits.
    fn next_wanted(&mut self) -> Option<Promise> {
        while let Some(first) = self.waiting.pop_front() {
            if first.is_wanted() {
                return Some(first);
            }
        }
        None
    }
}

/// Gives an answer to the first one who waits. Returns true if another one is wanted.
fn hand_out(state: &Mutex<State>, answer: Answer) -> bool {
    let mut held = state.lock();
    let first = held.next_wanted();
    let second = held.next_wanted();
    held.is_reading = second.is_some();
    if let Some(second) = second {
        held.waiting.push_front(second);
    }
    let is_more_wanted = held.is_reading;
    let Some(first) = first else {
        held.read.push_back(answer);
        return is_more_wanted;
    };
    drop(held);
    first.keep(answer);
    is_more_wanted
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use hasse_model::value::Value;

    use super::Feed;
    use crate::clock::Clock;

    #[test]
    fn answers_go_to_those_who_wait_in_order() {
        let mut n_read = 0;
        let feed = Feed::start(move |_| {
            n_read += 1;
            Ok(Value::Int(n_read))
        })
        .unwrap();
        let asked = [feed.ask(), feed.ask(), feed.ask()];
        let answers = asked.map(|pending| pending.block(&Clock::new(false), None, false).unwrap());
        assert_eq!(answers, [1, 2, 3].map(Value::Int));
    }

    #[test]
    fn closed_feed_breaks_its_promises() {
        let (started, has_started) = crossbeam_channel::bounded(1);
        let (end, ended) = crossbeam_channel::bounded::<()>(0);
        let feed = Feed::start(move |_| {
            started.send(()).unwrap();
            Err(format!("{:?}", ended.recv()))
        })
        .unwrap();
        let asked = feed.ask();
        has_started.recv().unwrap();
        drop(feed);
        assert!(asked.block(&Clock::new(false), None, false).is_err());
        drop(end);
    }
}
