//! Entries that become instances.

use std::sync::Arc;

use hasse_model::id::{Index, TemplateId};
use hasse_model::plan::Plan;
use hasse_model::value::Value;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::result_order::ResultOrder;
use hasse_record::stamp::Directive;
use hasse_runtime_plan::ports::port_bit;

use crate::instance::Instance;
use crate::matching::shard::Shard;
use crate::matching::{AWAITED, Ended, Entry, FILLED, PROMOTED, SCHEDULED, Spot};
use crate::registry::Registry;
use crate::token::{Delivery, Token};

/// What has been taken for an execution that is to be begun again: integers with their stamps, by port.
pub(crate) type Returned<'t, M> = (&'t [i64], &'t [<M as Instrumentation>::Stamp]);

impl<M: Instrumentation> Registry<M> {
    /// Makes an entry an instance. One that is scheduled stays so: whoever has its spot makes it ready. An execution that has
    /// taken what is `returned` counts as not begun.
    pub fn promote(
        &self,
        (plan, notes): (&Plan, &M),
        shard: &mut Shard<M>,
        spot: Spot,
        returned: Option<Returned<'_, M>>,
    ) -> Arc<Instance<M>> {
        let (index, n_ports) = (shard.index(spot), shard.n_ports);
        let block = &mut shard.blocks[spot.block as usize];
        let entry = &mut block.entries[spot.entry as usize];
        let keep = notes.keep(spot.template, self.main(), &index);
        let template = plan.template(spot.template);
        let instance = Instance::new(
            spot.template,
            template,
            entry.action,
            self.main(),
            index,
            (keep, notes.column_order()),
        );
        {
            let mut core = instance.core.lock();
            core.count = entry.count - u64::from(returned.is_some());
            core.is_initialized = core.count > 0;
            let mut inbox = instance.inbox.lock();
            inbox.is_scheduled = entry.is_scheduled();
            let mut put = |port: usize, number: i64, stamp: M::Stamp| {
                inbox.filled |= port_bit(port);
                inbox.put(delivery(port, number, stamp));
            };
            let (numbers, stamps) = returned.unwrap_or_default();
            for (port, (number, stamp)) in numbers.iter().zip(stamps).enumerate() {
                put(port, *number, stamp.clone());
            }
            for port in (0..n_ports).filter(|port| entry.filled() >> port & 1 != 0) {
                let at = spot.entry as usize * n_ports + port;
                put(port, block.numbers[at], block.stamps[at].clone());
            }
        }
        let is_awaited = entry.is_scheduled() && returned.is_none();
        let marks = entry.marks & !(FILLED | SCHEDULED) | PROMOTED;
        entry.marks = if is_awaited { marks | AWAITED } else { marks };
        let instance = Arc::new(instance);
        self.insert(Arc::clone(&instance));
        instance
    }

    /// Takes back an execution that has begun, and makes its entry an instance that is to be served.
    pub fn return_taken(
        &self,
        (plan, notes): (&Plan, &M),
        shard: &mut Shard<M>,
        spot: Spot,
        returned: Returned<'_, M>,
    ) -> Arc<Instance<M>> {
        let promoted = match shard.end(spot) {
            Ended::Promoted => self.promoted(spot.template, &shard.index(spot)),
            Ended::Idle | Ended::Again => None,
        };
        let Some(instance) = promoted else {
            let instance = self.promote((plan, notes), shard, spot, Some(returned));
            instance.inbox.lock().is_scheduled = true;
            return instance;
        };
        // It was promoted while the execution was under way: what has come since is in its inbox, and goes behind.
        let mut core = instance.core.lock();
        core.count -= 1;
        core.is_initialized = core.count > 0;
        core.open_ports(plan.template(spot.template));
        let (numbers, stamps) = returned;
        for (port, (number, stamp)) in numbers.iter().zip(stamps).enumerate() {
            core.ports[port].push(&Index::none(), delivery(port, *number, stamp.clone()).token);
        }
        drop(core);
        instance
    }

    /// Sees to it that an instance stands for an index, if the template has a store.
    pub(crate) fn promote_index(&self, plan: &Plan, notes: &M, template: TemplateId, index: &Index) {
        let Some(store) = self.store(template) else { return };
        let tag = store.tag_of(index);
        let mut shard = store.shard(tag.shard);
        match shard.claim(template, &tag) {
            None => {}
            Some(Some(spot)) => {
                self.promote((plan, notes), &mut shard, spot, None);
            }
            // While the shard is locked: nobody is to find neither.
            Some(None) => self.insert(self.create(plan, notes, self.main(), template, index.clone())),
        }
    }

    /// Makes instances of the entries that `is_wanted` picks.
    pub fn promote_all(&self, plan: &Plan, notes: &M, is_wanted: impl Fn(Entry) -> bool) {
        for (template, store) in self.stores() {
            for (shard_idx, shard) in store.shards.iter().enumerate() {
                let mut shard = shard.lock();
                for spot in shard.spots((template, shard_idx as u32), &is_wanted) {
                    self.promote((plan, notes), &mut shard, spot, None);
                }
            }
        }
    }
}

/// An integer for an instance.
pub fn delivery<M: Instrumentation>(port: usize, number: i64, stamp: M::Stamp) -> Delivery<M> {
    let (known, directive) = (ResultOrder::default(), M::Directive::of(false));
    Delivery {
        port,
        elements: Index::none(),
        token: Token { value: Value::Int(number), stamp, known, directive },
    }
}
