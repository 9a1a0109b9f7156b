//! Topics of MQTT brokers, behind the feature `mqtt`: streams whose lines are messages.

#[cfg_attr(feature = "mqtt", path = "topics/world.rs")]
#[cfg_attr(not(feature = "mqtt"), path = "topics/missing.rs")]
mod world;

pub(crate) use world::open;
