//! What takes the batches of a run or replay, and gives them to a file and to the facilities.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use hasse_debugger::facility::{Facilities, Findings, Outlet, View};
use hasse_model::event::EventBatch;
use hasse_model::plan::Plan;
use hasse_model::trace::{Names, RecordingMode, TraceFooter};
use hasse_model::value::Value;
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{EventSink, Idle, StopSignal};
use parking_lot::Mutex;

use super::Stops;
use super::requested::Requested;
use crate::api::trace::Bytes;
use crate::fault::Fault;
use crate::progress::Progress;
use crate::sink::TraceSink;

/// Takes the batches of a run or replay: files them, and gives them to the facilities.
pub(crate) struct OnlineSink<'a> {
    facilities: Shared<'a>,
    streams: Streams,
    /// Whether batches are filed as they come, and not by the facilities.
    files_record: bool,
    stops: Option<Stops>,
}

/// Facilities that the thread of a run feeds and others look at.
pub(crate) type Shared<'a> = Arc<Mutex<Facilities<'a>>>;

impl<'a> OnlineSink<'a> {
    pub(crate) fn new(facilities: Shared<'a>, streams: Streams, file: View) -> Self {
        Self { facilities, streams, files_record: file == View::Record, stops: None }
    }

    /// The same, which stops the run at what it finds.
    pub(crate) fn stopping(self, stops: Option<Stops>) -> Self {
        Self { stops, ..self }
    }
}

impl OnlineSink<'_> {
    /// Takes in a batch of records that exist already.
    pub(crate) fn look(&mut self, batch: &EventBatch) -> Result<(), Fault> {
        self.take_batch(batch).map_err(Fault::of_facility)
    }

    /// Files what is left, and the end. The records may be part of a run.
    pub(crate) fn close(&mut self, footer: TraceFooter) -> Result<(), Fault> {
        let flushed = self.facilities.lock().flush(&mut self.streams).map_err(io::Error::other);
        flushed.map_err(Fault::of_facility)?;
        match &mut self.streams.trace {
            Some(trace) => trace.close(footer).map_err(Fault::of_facility),
            None => Ok(()),
        }
    }
}

impl EventSink for OnlineSink<'_> {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        if let Some(tap) = &self.streams.tap {
            tap(batch);
        }
        if let Some(kept) = &mut self.streams.kept {
            kept.take_batch(batch)?;
        }
        if self.files_record {
            self.streams.file(batch)?;
        } else {
            self.streams.progress.add(batch.n_events() as u64);
        }
        let mut facilities = self.facilities.lock();
        facilities.push(batch, &mut self.streams).map_err(io::Error::other)?;
        if let Some(stops) = &mut self.stops {
            stops.look(&facilities, batch);
        }
        Ok(())
    }

    fn segment(&self) -> Option<Arc<AtomicU32>> {
        self.streams.trace.as_ref().and_then(TraceSink::segment)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.streams.trace.as_mut().map_or(Ok(()), TraceSink::sync)
    }

    fn finish(&mut self, report: &RunReport, idle: &Idle) -> io::Result<()> {
        self.facilities.lock().flush(&mut self.streams).map_err(io::Error::other)?;
        if let Some(kept) = &mut self.streams.kept {
            kept.finish(report, idle)?;
        }
        if let Some(kept) = &self.streams.idle {
            kept.lock().clone_from(idle);
        }
        match &mut self.streams.trace {
            Some(trace) => trace.finish(report, idle),
            None => Ok(()),
        }
    }
}

/// A sink, where there is anything to take events in, and the facilities that it feeds.
pub(crate) type Opened<'a> = (Option<Box<dyn EventSink + 'a>>, Option<Shared<'a>>);

/// The sink of a run or replay: what files its events, and beside it the facilities that were asked for.
pub(crate) fn open<'a>(
    requested: &Requested,
    plan: &'a Plan,
    params: &'a [(String, Value)],
    recorded_as: RecordingMode,
    trace: impl FnOnce() -> Result<Option<TraceSink>, Fault>,
    progress: &Progress,
    stop: &StopSignal,
) -> Result<Opened<'a>, Fault> {
    if !requested.is_any() {
        return Ok((trace()?.map(|trace| Box::new(trace) as Box<dyn EventSink>), None));
    }
    let names = Names::from_parts(plan.template_labels(), plan.shared_labels(), plan.call_labels());
    let facilities = requested.facilities(names, plan, params, recorded_as)?;
    let facilities: Shared<'a> = Arc::new(Mutex::new(facilities));
    // Only when everything else is known to be good is a file begun.
    let streams = Streams {
        trace: trace()?,
        progress: progress.clone(),
        show: Box::new(show_on_stderr),
        tap: None,
        kept: None,
        idle: None,
    };
    let stops = requested.stops.iter().fold(Stops::default(), |stops, condition| {
        let (stop, progress) = (stop.clone(), progress.clone());
        stops.on(condition.clone(), move |found, _| {
            // The first finding ends the run.
            if !stop.is_set() {
                // Where standard error is closed, nobody wants to know.
                let _ = progress.suspend(|| writeln!(io::stderr().lock(), "{found}: stopping"));
                stop.stop();
            }
        })
    });
    let stops = (!stops.is_empty()).then_some(stops);
    let sink = OnlineSink::new(Arc::clone(&facilities), streams, requested.file).stopping(stops);
    Ok((Some(Box::new(sink)), Some(facilities)))
}

/// What the facilities found, when the run is over and its sink is gone.
pub(crate) fn conclude(facilities: Option<Shared<'_>>) -> Option<Findings> {
    let facilities = Arc::into_inner(facilities?).expect("the sink has given it back");
    Some(facilities.into_inner().finish())
}

fn show_on_stderr(line: &str) -> io::Result<()> {
    writeln!(io::stderr().lock(), "{line}")
}

/// Takes a line of the display.
pub(crate) type Show = Box<dyn Fn(&str) -> io::Result<()> + Send>;
/// Looks at a batch.
pub(crate) type Tap = Arc<dyn Fn(&EventBatch) + Send + Sync>;

/// Where what comes out goes while the run is under way.
pub(crate) struct Streams {
    pub(crate) trace: Option<TraceSink>,
    pub(crate) progress: Progress,
    /// Takes lines of the display.
    pub(crate) show: Show,
    /// Looks at the batches as they come.
    pub(crate) tap: Option<Tap>,
    /// The record of a session that is no sequence of events: a minimal one.
    pub(crate) kept: Option<hasse::TraceSink<Bytes>>,
    /// Where it is put at the end which actions never executed.
    pub(crate) idle: Option<Arc<Mutex<Idle>>>,
}

impl Outlet for Streams {
    fn show(&mut self, line: &str) -> io::Result<()> {
        self.progress.suspend(|| (self.show)(line))
    }

    fn file(&mut self, batch: &EventBatch) -> io::Result<()> {
        match &mut self.trace {
            Some(trace) => trace.take_batch(batch),
            None => {
                self.progress.add(batch.n_events() as u64);
                Ok(())
            }
        }
    }
}

/// Takes nothing: for facilities that show and file nothing.
pub(crate) struct Nowhere;

impl Outlet for Nowhere {
    fn show(&mut self, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn file(&mut self, _: &EventBatch) -> io::Result<()> {
        Ok(())
    }
}
