//! A build without MQTT.

use crate::waiting::Answer;

/// Messages of a topic, of which there are none.
#[derive(Debug)]
pub(crate) enum Subscription {}

/// Publishes messages, of which there are none.
#[derive(Debug)]
pub(crate) enum Publisher {}

pub(crate) fn open(_: &str) -> Result<(Subscription, Publisher), String> {
    Err("this build of Hasse has no MQTT: build it with `--features mqtt`".to_owned())
}

impl Subscription {
    pub(crate) fn next(&mut self) -> Answer {
        match *self {}
    }
}

impl Publisher {
    pub(crate) fn publish(&self, _: &str) -> Result<(), String> {
        match *self {}
    }

    pub(crate) fn close(&self) {
        match *self {}
    }
}
