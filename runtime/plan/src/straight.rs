//! Templates whose events have no side effects but what they send, laid out for loops over columns.

use std::sync::Arc;

use hasse_body::natives::put;
use hasse_code::calc::{Calc, Leaf};
use hasse_code::layout::Layout;
use hasse_code::reason::{Cause, Reason, Site};
use hasse_model::id::{ArcId, Index, SlotId};
use hasse_model::plan::routine::Kind;
use hasse_model::plan::{Slot, Template};
use hasse_model::value::{Type, Value};
use hasse_routine::{Machine, Tiers};

use crate::arcs::IndexedWay;
use crate::expression::machine_of;
use crate::form::Form;
use crate::items::Items;
use crate::resolve::resolved;
use crate::rules::{LaneRule, LaneTake, PlainRoute, Receiver, Way};

/// Events that take values of known forms by one firing rule, run a native body or none, and send such values to ports that are
/// the same for all of them.
pub struct Straight {
    /// The firing rule.
    pub rule_idx: usize,
    /// Values that it takes, in the order of the rule.
    pub takes: Vec<StraightTake>,
    /// True if it takes or sends values that are no scalars.
    pub holds_values: bool,
    /// Ports of the takes, with their elements.
    pub ports: Vec<(usize, Index)>,
    /// Arrays that are filled with what is taken.
    pub arrays: Vec<FilledArray>,
    /// True if they are looked at as wholes, or by the body.
    pub fills_arrays: bool,
    /// Routing rules, by position.
    pub routes: Vec<StraightRoute>,
    /// Rules without a guard, as bits.
    pub always: u64,
    /// Guards of the other routing rules.
    pub guards: Vec<StraightGuard>,
    /// Values that are sent to plain ports of others, each once.
    pub sent: Vec<StraightSend>,
    /// Sendings to plain ports of others whose receivers are the same for all instances.
    pub sends: Vec<Sending>,
    /// Sendings whose receivers follow from the instance, where there are any: all of them go this way then.
    pub indexed: Vec<IndexedSend>,
    /// Sendings to the sender.
    pub own: Vec<OwnSend>,
    /// Whether what an action sends to itself goes to the ports that it takes from.
    pub sends_to_taken: bool,
    /// True if it takes one scalar, sends one, and has nothing else to do.
    pub is_relay: bool,
    /// Rules without a guard.
    pub always_list: Vec<u32>,
    /// True if an event can send two values to one port whose instance is the same for all senders.
    pub sends_twice: bool,
    /// Values that follow the slots of names: items of arrays, then constants that are sent, and nothing where one is taken or
    /// derived.
    pub extras: Vec<Value>,
    /// Values that are computed when the body has run.
    pub derived: Vec<Derived>,
}

/// A value that is taken from a port.
#[derive(Clone, PartialEq, Eq)]
pub struct StraightTake {
    /// Input port, by position.
    pub port: usize,
    /// Element, if the port is a family; else none.
    pub element: Index,
    /// Slot of the name that the value is bound to, or of an item of an array.
    pub slot_idx: usize,
    /// Form of the value.
    pub form: Form,
}

/// An array whose items are taken from elements of a family of ports.
pub struct FilledArray {
    slot_idx: usize,
    /// Slots of its items; `None` where nothing is put.
    items: Vec<Option<usize>>,
    /// True if nothing else looks at the items.
    moves: bool,
}

impl FilledArray {
    /// Fills the array with its items.
    #[inline]
    fn fill(&self, values: &mut [Value]) {
        if let Value::Array(mut array) = std::mem::take(&mut values[self.slot_idx])
            && let Some(items) = Arc::get_mut(&mut array)
            && items.len() == self.items.len()
        {
            for (item, slot_idx) in items.iter_mut().zip(&self.items) {
                put(item, self.item(*slot_idx, values));
            }
            values[self.slot_idx] = Value::Array(array);
            return;
        }
        let items = self.items.iter().map(|slot_idx| self.item(*slot_idx, values)).collect();
        values[self.slot_idx] = Value::Array(Arc::new(items));
    }

    #[inline]
    fn item(&self, slot_idx: Option<usize>, values: &mut [Value]) -> Value {
        match slot_idx {
            Some(slot_idx) if self.moves => std::mem::take(&mut values[slot_idx]),
            Some(slot_idx) => values[slot_idx].clone(),
            None => Value::Unit,
        }
    }
}

/// A value that is sent.
pub struct StraightSend {
    /// Slot whose value is sent.
    pub slot_idx: usize,
    /// Form of the value.
    pub form: Form,
    /// Rules that send it, as bits.
    pub bits: u64,
    /// Properties of a value that is no scalar.
    pub value: SentValue,
}

/// Properties of a sent value that is no scalar.
#[derive(Clone, Default)]
pub struct SentValue {
    /// The type that it must be of, if that is not certain.
    pub unsure: Option<Type>,
    /// True if its name is emptied after the event, and nothing else sends it: it can be moved.
    pub(crate) moves: bool,
}

impl SentValue {
    /// Returns true if the value of a name can be sent in a form.
    #[inline(always)]
    pub fn can_send(&self, form: Form, value: &Value) -> bool {
        match form {
            Form::Word(kind) => kind.word_of(value).is_some(),
            Form::Value => self.unsure.as_ref().is_none_or(|ty| ty.fits(value)),
        }
    }

    /// Takes or copies the value of a name, to be sent.
    #[inline(always)]
    pub fn sent(&self, name: &mut Value) -> Value {
        if self.moves { std::mem::take(name) } else { name.clone() }
    }
}

/// A sending to the sender itself.
#[derive(Clone)]
pub struct OwnSend {
    /// The bit of the rule.
    pub bit: u64,
    /// Slot whose value is sent.
    pub slot_idx: usize,
    /// Form of the value.
    pub form: Form,
    /// Input port that receives it, by position.
    pub port: usize,
    /// The arc.
    pub arc: ArcId,
    /// Properties of a value that is no scalar.
    pub value: SentValue,
}

/// A sending to a plain port of others.
#[derive(Clone, Copy)]
pub struct Sending {
    /// The bit of the rule.
    pub bit: u64,
    /// Position of the value in [`Straight::sent`].
    pub sent_idx: usize,
    /// Position of the receiver in [`Lane::receivers`](crate::lane::Lane::receivers), or among those that follow from the
    /// instance.
    pub position: usize,
    /// The last arc of the way.
    pub arc: ArcId,
}

/// A sending whose receivers are the same for all events of one instance.
pub struct IndexedSend {
    /// The bit of the rule.
    pub bit: u64,
    /// Position of the value in [`Straight::sent`].
    pub sent_idx: usize,
    /// Receivers.
    pub to: IndexedTo,
    /// Numbers of loops, by which elements are named.
    pub locals: Vec<i64>,
}

/// Receivers of a sending that are the same for all events of one instance.
#[derive(Clone)]
pub enum IndexedTo {
    /// Receivers at the ends of arcs within a graph instance.
    Ways(Vec<IndexedWay>),
    /// Receivers on the ways from an output port, over the bounds of graphs and to elements of families: the port, and its
    /// element as numbers that follow from parameters and index numbers.
    Port(usize, Vec<Calc>),
}

/// A guard of a routing rule, or of a firing rule.
pub struct StraightGuard {
    /// The bit of the rule.
    pub bit: u64,
    /// The guard as an expression.
    pub calc: Calc,
    /// The same for many events, if it takes nothing but scalars; `None` where it is comparisons of integers.
    pub machine: Option<Result<Arc<Machine>, Cause>>,
}

impl StraightGuard {
    /// The guard of the rule with a bit; `kind_of` knows the kinds of slots.
    pub(crate) fn of(bit: u64, calc: Calc, tiers: Tiers, kind_of: &impl Fn(SlotId) -> Option<Kind>) -> Self {
        let is_to_run = !calc.is_of_comparisons();
        let machine = is_to_run.then(|| machine_of(&calc, Kind::Bool, tiers, kind_of));
        Self { bit, calc, machine }
    }
}

/// The value of an expression in a routing rule.
pub struct Derived {
    /// The bit of the rule.
    pub bit: u64,
    /// Slot that holds the value.
    pub slot_idx: usize,
    pub(crate) ty: Type,
    pub(crate) calc: Calc,
    /// Numbers of loops that it looks at.
    locals: Vec<i64>,
    /// The same for many events, if it takes and gives nothing but scalars.
    pub machine: Result<Arc<Machine>, Reason>,
}

/// A routing rule.
pub struct StraightRoute {
    pub(crate) guard: Option<Calc>,
    /// Sendings, in the order of the rule.
    pub sends: Vec<RouteSend>,
}

/// A sending of a routing rule to plain ports.
pub struct RouteSend {
    /// Slot whose value is sent.
    pub slot_idx: usize,
    form: Form,
    ty: Type,
    /// True if the value is certain to be of the type.
    is_certain: bool,
    /// Receivers.
    pub to: SentTo,
    /// Numbers of loops, by which elements are named.
    locals: Vec<i64>,
}

/// Receivers of a sending.
pub enum SentTo {
    /// The same one for all events.
    One(Way),
    /// Receivers that follow from the instance.
    Indexed(IndexedTo),
}

impl RouteSend {
    /// The way of values whose receiver is the same for all events.
    fn way(&self) -> Option<Way> {
        match self.to {
            SentTo::One(way) => Some(way),
            SentTo::Indexed(_) => None,
        }
    }
}

/// Most routing rules where events are straight: they are noted as bits.
const MAX_STRAIGHT_ROUTES: usize = 64;

/// Most different values that straight events send.
const MAX_SENT: usize = 256;

impl Straight {
    /// Lowers a firing rule to loops over columns.
    ///
    /// # Errors
    /// They are not so simple.
    pub(crate) fn of(
        (template, layout): (&Template, &Layout),
        tiers: Tiers,
        (rule_idx, rule): (usize, &LaneRule<'_>),
        routes: &[PlainRoute<'_>],
        items: &Items,
    ) -> Result<Self, Reason> {
        if rule.takes.is_empty() {
            return Err(Site::Fire(rule_idx).because(Cause::NothingTaken));
        }
        if template.is_stop {
            return Err(Site::Node.because(Cause::Stop));
        }
        if routes.len() > MAX_STRAIGHT_ROUTES {
            return Err(Site::Node.because(Cause::ManyRoutes));
        }
        let (mut takes, mut arrays) = (Vec::new(), Vec::new());
        for take in &rule.takes {
            takes_of(take, (template, rule_idx), items, &mut takes)?;
            if let Some(targets) = &take.targets {
                let len = targets.iter().max().map_or(0, |last| last + 1);
                let item = |nth| targets.contains(&nth).then(|| items.put(take.slot_idx, nth)).flatten();
                let moves = !items.is_steady(take.slot_idx);
                let items = (0..len).map(item).collect();
                arrays.push(FilledArray { slot_idx: take.slot_idx, items, moves });
            }
        }
        let kind_of = |slot: SlotId| match template.slots.get(slot.idx()) {
            Some(slot) => Kind::of(&slot.ty),
            None => items.kind(slot.idx()),
        };
        let bits = |rule_idx: usize| 1_u64 << rule_idx;
        let (mut extras, mut derived) = (vec![Value::Unit; items.n_items], Vec::new());
        let mut slot_of = |rule_idx: usize, (calc, locals): (&Calc, &[i64]), ty: &Type, form: Form| {
            let kind = form.kind();
            let constant = match (calc, kind) {
                (&Calc::Leaf(Leaf::Slot(slot_idx)), None) => return slot_idx,
                (&Calc::Leaf(Leaf::Slot(slot_idx)), Some(kind))
                    if [None, Some(kind)].contains(&kind_of(SlotId::from_idx(slot_idx))) =>
                {
                    return slot_idx;
                }
                (&Calc::Leaf(Leaf::Int(number)), Some(Kind::Int)) => Some(Value::Int(number)),
                (&Calc::Leaf(Leaf::Int(number)), Some(Kind::Real)) => Some(Value::Real(number as f64)),
                (&Calc::Leaf(Leaf::Bool(flag)), Some(Kind::Bool)) => Some(Value::Bool(flag)),
                _ => None,
            };
            let slot_idx = template.slots.len() + extras.len();
            if constant.is_none() {
                let machine = match kind {
                    Some(kind) => machine_of(calc, kind, tiers, &kind_of),
                    None => Err(Cause::ExpressionOther),
                };
                let machine = machine.map_err(|cause| Site::Route(rule_idx).because(cause));
                let (bit, calc, locals) = (bits(rule_idx), calc.clone(), locals.to_vec());
                derived.push(Derived { bit, slot_idx, ty: ty.clone(), calc, locals, machine });
            }
            extras.push(constant.unwrap_or(Value::Unit));
            slot_idx
        };
        let is_of_instance = |element: &Calc| {
            let mut is_known = true;
            element.each_slot(&mut |slot| {
                is_known &= layout.params.contains(&slot) || layout.indices.contains(&slot);
            });
            is_known
        };
        let mut route = |(rule_idx, route): (usize, &PlainRoute<'_>)| {
            let mut sends = Vec::new();
            for send in &route.sends {
                let site = Site::Route(rule_idx);
                let sent_type = || Site::Output(send.port).because(Cause::SentType(send.port));
                let form = Form::of(send.ty).ok_or_else(sent_type)?;
                let is_plain = send.bounds.is_none() && !route.guards_elements;
                if !is_plain {
                    return Err(site.because(Cause::SendLoop));
                }
                let value = resolved(&send.value, &send.locals, items, tiers);
                let slot_idx = slot_of(rule_idx, (&value, &send.locals), send.ty, form);
                let is_bound = rule.takes.iter().any(|take| take.slot_idx == slot_idx);
                let is_certain = match items.ty(slot_idx) {
                    Some(ty) => ty == send.ty,
                    None => send.is_certain && (slot_idx >= template.slots.len() || is_bound),
                };
                let sending = |to: SentTo| {
                    let (ty, locals) = (send.ty.clone(), send.locals.clone());
                    RouteSend { slot_idx, form, ty, is_certain, to, locals }
                };
                match (&send.ways, &send.indexed) {
                    (Some(ways), _) => sends.extend(ways.iter().map(|&way| sending(SentTo::One(way)))),
                    (None, Some(ways))
                        if send.elements.is_empty() && ways.iter().all(IndexedWay::is_plain) =>
                    {
                        sends.push(sending(SentTo::Indexed(IndexedTo::Ways(ways.clone()))));
                    }
                    (None, _) if send.elements.iter().all(is_of_instance) => {
                        let to = IndexedTo::Port(send.port, send.elements.clone());
                        sends.push(sending(SentTo::Indexed(to)));
                    }
                    (None, _) => return Err(site.because(Cause::FamilySent(send.port))),
                }
            }
            let guard = route.guard.as_ref().map(|guard| resolved(guard, &[], items, tiers));
            Ok(StraightRoute { guard, sends })
        };
        let routes: Vec<StraightRoute> =
            routes.iter().enumerate().map(&mut route).collect::<Result<_, Reason>>()?;
        let mut ways = routes.iter().flat_map(|route| &route.sends).filter_map(RouteSend::way);
        let is_taken =
            |way: Way| way.to != Receiver::Itself || rule.takes.iter().any(|take| take.port == way.port);
        let sends_to_taken = ways.all(is_taken);
        let sends_twice = routes.iter().enumerate().any(|(rule_idx, route)| {
            let earlier = routes[..rule_idx].iter().flat_map(|route| &route.sends);
            let sends = route.sends.iter().enumerate();
            sends.clone().any(|(send_idx, send)| {
                let mut before = earlier.clone().chain(&route.sends[..send_idx]).filter_map(RouteSend::way);
                let is_to = |way: Way| before.any(|other| (other.to, other.port) == (way.to, way.port));
                send.way().is_some_and(is_to)
            })
        });
        let with_bits = || routes.iter().enumerate().map(|(rule_idx, route)| (bits(rule_idx), route));
        let guards = with_bits().filter_map(|(bit, route)| {
            let calc = route.guard.clone()?;
            Some(StraightGuard::of(bit, calc, tiers, &kind_of))
        });
        let always =
            with_bits().filter(|(_, route)| route.guard.is_none()).fold(0, |all, (bit, _)| all | bit);
        let (mut sent, mut sends, mut own) = (Vec::<StraightSend>::new(), Vec::new(), Vec::<OwnSend>::new());
        let mut indexed = Vec::new();
        let all_sends = || routes.iter().flat_map(|route| &route.sends);
        let mut looks_at_array = false;
        let mut look = |slot_idx: usize| {
            looks_at_array |= arrays.iter().any(|array| array.slot_idx == slot_idx);
        };
        derived.iter().for_each(|derived| derived.calc.each_slot(&mut look));
        routes.iter().filter_map(|route| route.guard.as_ref()).for_each(|guard| guard.each_slot(&mut look));
        all_sends().for_each(|send| look(send.slot_idx));
        let fills_arrays = !arrays.is_empty() && (template.body.is_some() || looks_at_array);
        let value = |RouteSend { slot_idx, form, ty, is_certain, .. }: &RouteSend| {
            let is_item = !fills_arrays && items.ty(*slot_idx).is_some();
            let is_emptied = layout.bound.contains(slot_idx) || layout.lets.contains(slot_idx) || is_item;
            let mut others = all_sends().filter(|other| other.slot_idx == *slot_idx);
            let is_to_itself = |send: &RouteSend| send.way().is_some_and(|way| way.to == Receiver::Itself);
            let is_looked_at_once = match others.clone().any(is_to_itself) {
                true => others.count() == 1,
                false => others.all(|other| other.ty == *ty),
            };
            let unsure = (*form == Form::Value && !is_certain).then(|| ty.clone());
            SentValue { unsure, moves: is_emptied && is_looked_at_once }
        };
        // By position in `sent`.
        let mut types: Vec<&Type> = Vec::new();
        for (bit, route) in with_bits() {
            for send in &route.sends {
                let (value, &RouteSend { slot_idx, form, ref ty, ref to, ref locals, .. }) =
                    (value(send), send);
                if let SentTo::One(Way { to: Receiver::Itself, port, arc }) = *to {
                    own.push(OwnSend { bit, slot_idx, form, port, arc, value });
                    continue;
                }
                let known = sent
                    .iter()
                    .zip(&types)
                    .position(|(sent, known)| (sent.slot_idx, *known) == (slot_idx, ty));
                let sent_idx = known.unwrap_or(sent.len());
                if known.is_none() {
                    sent.push(StraightSend { slot_idx, form, bits: 0, value });
                    types.push(ty);
                }
                sent[sent_idx].bits |= bit;
                match to {
                    SentTo::Indexed(to) => {
                        let (to, locals) = (to.clone(), locals.clone());
                        indexed.push(IndexedSend { bit, sent_idx, to, locals });
                    }
                    &SentTo::One(Way { to: Receiver::Other(position), arc, .. }) => {
                        sends.push(Sending { bit, sent_idx, position, arc });
                    }
                    SentTo::One(_) => {}
                }
            }
        }
        // What waits in one column is of one form.
        let forms = takes.iter().map(|take| (take.port, take.form));
        let is_of_one_form = |send: &OwnSend| {
            let others = own.iter().map(|own| (own.port, own.form));
            forms.clone().chain(others).all(|(port, form)| port != send.port || form == send.form)
        };
        if sent.len() > MAX_SENT {
            return Err(Site::Node.because(Cause::ManySent));
        }
        if let Some(send) = own.iter().find(|own| !is_of_one_form(own)) {
            return Err(Site::Node.because(Cause::MixedKinds(send.port)));
        }
        let guards: Vec<_> = guards.collect();
        let is_relay = guards.is_empty()
            && own.is_empty()
            && sends.len() == 1
            && takes.len() == 1
            && takes.iter().all(|take| take.form != Form::Value && take.element.as_slice().is_empty())
            && sent.iter().all(|sent| sent.form != Form::Value)
            && layout.vars.is_empty()
            && layout.indices.is_empty()
            && layout.shared.is_empty();
        let holds_values = takes.iter().map(|take| take.form).chain(all_sends().map(|send| send.form));
        let holds_values = holds_values.into_iter().any(|form| form == Form::Value);
        Ok(Self {
            rule_idx,
            holds_values,
            ports: takes.iter().map(|take| (take.port, take.element.clone())).collect(),
            takes,
            arrays,
            fills_arrays,
            always,
            guards,
            is_relay,
            always_list: bits_of(always).collect(),
            sent,
            sends,
            own,
            routes,
            sends_to_taken,
            sends_twice,
            indexed,
            extras,
            derived,
        })
    }

    /// Returns true if all that is taken, compared and sent are integers, and nothing is derived.
    pub(crate) fn is_of_ints(&self) -> bool {
        self.derived.is_empty()
            && self.takes.iter().all(|take| take.form == Form::Word(Kind::Int))
            && self.sent.iter().all(|sent| sent.form == Form::Word(Kind::Int))
            && !self.guards.iter().any(|guard| matches!(guard.calc, Calc::Routine(_)))
    }

    /// The kind of what a slot holds, or of an extra, if that is always the same.
    #[inline]
    pub fn kind_of(&self, slots: &[Slot], slot_idx: usize) -> Option<Kind> {
        let Some(extra_idx) = slot_idx.checked_sub(slots.len()) else { return Kind::of(&slots[slot_idx].ty) };
        let derived = self.derived.iter().find(|derived| derived.slot_idx == slot_idx);
        let taken = self.takes.iter().find(|take| take.slot_idx == slot_idx);
        match (derived, taken) {
            (Some(derived), _) => Kind::of(&derived.ty),
            (None, Some(taken)) => taken.form.kind(),
            (None, None) => Kind::of_value(self.extras.get(extra_idx)?).map(|(kind, _)| kind),
        }
    }

    /// Fills the arrays of an event with what it has taken.
    #[inline]
    pub fn fill_arrays(&self, values: &mut [Value]) {
        self.arrays.iter().for_each(|array| array.fill(values));
    }

    /// Computes what is derived for the rules that hold; `None` where that fails.
    #[inline(always)]
    pub fn derive(&self, values: &mut [Value], routes: u64) -> Option<()> {
        for derived in &self.derived {
            if routes & derived.bit != 0 {
                let value = derived.calc.value(values, &derived.locals, &derived.ty)?;
                put(&mut values[derived.slot_idx], value);
            }
        }
        Some(())
    }

    /// The rules that hold, as bits; `None` where a guard gives no truth value.
    #[inline(always)]
    pub fn routes_for(&self, values: &[Value]) -> Option<u64> {
        let mut routes = self.always;
        for guard in &self.guards {
            if guard.calc.holds(values, &[])? {
                routes |= guard.bit;
            }
        }
        Some(routes)
    }

    /// Number of values that an event sends by rules, as bits, of what it may send to others.
    pub fn n_values(&self, sends: &[Sending], routes: u64) -> u64 {
        let bits = sends.iter().map(|send| send.bit).chain(self.own.iter().map(|send| send.bit));
        bits.filter(|bit| routes & bit != 0).count() as u64
    }

    /// Returns true if values go to receivers that follow from the instance.
    #[inline(always)]
    pub fn is_indexed(&self) -> bool {
        !self.indexed.is_empty()
    }
}

/// Adds the values that a rule takes from a port, or from elements of a family.
fn takes_of(
    take: &LaneTake<'_>,
    (template, rule_idx): (&Template, usize),
    items: &Items,
    takes: &mut Vec<StraightTake>,
) -> Result<(), Reason> {
    let form = match Form::of(take.taken_type()) {
        // A value of another type has to be converted first.
        Some(Form::Value) if !take.is_checked => None,
        form => form,
    };
    let form = form.ok_or_else(|| match Kind::of(&template.inputs[take.port].ty) {
        // Other rules bind it to something else.
        Some(_) => Site::Fire(rule_idx).because(Cause::AnyKind(take.slot_idx)),
        None => Site::Input(take.port).because(Cause::TakenType(take.port)),
    })?;
    let port = take.port;
    for (nth, element) in take.elements.iter().enumerate() {
        let slot_idx = match &take.targets {
            None => take.slot_idx,
            Some(targets) => {
                let unknown = Site::Fire(rule_idx).because(Cause::FamilyTaken(port));
                items.put(take.slot_idx, targets[nth]).ok_or(unknown)?
            }
        };
        takes.push(StraightTake { port, element: element.clone(), slot_idx, form });
    }
    Ok(())
}

/// The positions of bits that are set.
#[inline]
pub fn bits_of(set: u64) -> impl Iterator<Item = u32> {
    let rest = |set: &u64| Some(set & (set - 1)).filter(|&rest| rest != 0);
    std::iter::successors(Some(set).filter(|&set| set != 0), rest).map(u64::trailing_zeros)
}
