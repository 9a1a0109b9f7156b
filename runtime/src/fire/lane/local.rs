//! State of the fast path that a worker keeps for the instances of a template.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use hasse_body::script::CodeError;
use hasse_code::natives::scalars::ScalarFunction;
use hasse_lock::shared::Held;
use hasse_model::id::{Index, TemplateId};
use hasse_model::plan::routine::Kind;
use hasse_model::value::Value;
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::ports::PortSet;
use hasse_runtime_plan::rules::{Receiver, Way};
use hasse_store::bounded::HeldBack;
use hasse_store::instance::Ready;
use hasse_store::port::PortQueue;
use hasse_store::queue::Queue;
use thin_vec::ThinVec;

use crate::fire::lane::names::Names;
use crate::fire::lane::prepared::Batch;
use crate::fire::lane::straight::aimed::{Aim, Aimed};
use crate::fire::lane::straight::columns::Columns;
use crate::fire::lane::straight::columns::turns::Turns;
use crate::fire::lane::straight::folded::Alike;

/// State that a worker keeps for the instances of a template.
pub(crate) struct LaneLocal<'s, M: Instrumentation> {
    /// Where no interpreter is needed: what is the same for all events.
    pub(crate) batch: Option<Rc<Batch<'s>>>,
    /// How often instances have been served.
    pub(crate) n_services: u32,
    /// Values to be handed over, by position in [`Lane::receivers`], or of the receiver among those that follow from the
    /// instance.
    pub(crate) outs: Vec<Out<'s, M>>,
    /// To whom the event under way has sent.
    pub(crate) sent: Vec<(Receiver, usize)>,
    /// What names stand for, where no interpreter is needed.
    pub(crate) names: Names,
    /// Whether the vars of the instance that is being served stand there.
    pub(crate) has_vars: bool,
    /// The shared object of the instance that is being served: it is kept from one event to the next.
    pub(crate) held: Option<Held<M>>,
    /// Receivers that follow from the instance.
    pub(crate) aimed: Aimed,
    /// Straight events that are noted together.
    pub(crate) alike: Alike<M>,
    /// By firing rule: where straight events are laid out, if they can be.
    pub(crate) columns: Vec<Option<Columns<'s>>>,
    /// Firing rules of the next events, if several take turns.
    pub(crate) turns: Option<Turns>,
    /// Ports of an instance that has none of its own while it holds no values: those of an indexed instance are lent to it.
    pub(crate) spare_ports: ThinVec<PortQueue<M>>,
    /// Where a value does not fit its name: what is to be said.
    pub(crate) misfit: Option<CodeError>,
    /// Values without room, as another sender was first.
    pub(crate) surplus: Option<Box<HeldBack<M>>>,
    /// Whether bodies are long enough to read the clock for each of them.
    pub(crate) is_slow: bool,
}

/// Values for a port of an instance of a template.
pub(crate) struct Out<'s, M: Instrumentation> {
    pub(crate) template: TemplateId,
    /// The only instance, made by the first value.
    pub(crate) receiver: Option<&'s Ready<M>>,
    /// Identity of an instance that follows from the sender.
    pub(crate) aim: Option<Aim>,
    /// Of the receiver.
    pub(crate) needs: &'s [PortSet],
    pub(crate) port: usize,
    /// Element of a family of ports; else none.
    pub(crate) elements: Index,
    pub(crate) values: Queue<M>,
    /// True if the port has a bound, outside of replays.
    pub(crate) is_bounded: bool,
    /// Number of values for which room is kept on a bounded port.
    pub(crate) n_reserved: usize,
    /// Remaining capacity of a bounded port with one sender; `None` for other ports, and before the first turn.
    pub(crate) room: Option<Arc<AtomicUsize>>,
}

/// An instance that is made ready and is served next, and where the values wait that made it so.
pub(crate) struct Next<'s, M: Instrumentation> {
    pub(crate) instance: &'s Ready<M>,
    pub(crate) sender: TemplateId,
    pub(crate) out_idx: usize,
}

/// A value that is to be sent when its event has ended well.
pub(crate) struct Sent {
    pub(crate) way: Way,
    pub(crate) value: Value,
}

/// Values in [`Worker::lane_sent`] that are moved there when all routing rules have been evaluated: bytes and arrays, which the
/// interpreter holds by themselves.
pub(crate) struct Moved<'p> {
    pub(crate) from: MovedFrom<'p>,
    /// Their positions.
    pub(crate) sent: Range<usize>,
}

/// The name that a value is moved from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MovedFrom<'p> {
    /// A name that the firing rule has bound, by slot.
    Slot(usize),
    /// A name that the body has bound.
    Let(&'p str),
}

/// What a relay needs to know of a template whose one instance maps a scalar by a function, or passes it on as it is: all
/// of it in one place, as there may be many on the way of one value.
pub(crate) struct Step<'s, M: Instrumentation> {
    pub(crate) instance: &'s Ready<M>,
    pub(crate) port: usize,
    /// Kinds of the taken and the sent scalar.
    pub(crate) kinds: [Kind; 2],
    pub(crate) function: Option<&'s ScalarFunction>,
    /// Rules by which it sends.
    pub(crate) routes: &'s [u32],
    /// To whom, and to which input port.
    pub(crate) receiver: (TemplateId, usize),
}
