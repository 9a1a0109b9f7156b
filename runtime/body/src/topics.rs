//! Topics of MQTT brokers, behind the feature `mqtt`: streams whose lines are messages.

#[cfg_attr(feature = "mqtt", path = "topics/world.rs")]
#[cfg_attr(not(feature = "mqtt"), path = "topics/missing.rs")]
mod world;

pub(crate) use world::open;

/// Returns true for the name of several topics. Lines then begin with the topic of their message.
pub(crate) fn has_wildcard(topic: &str) -> bool {
    topic.contains(['+', '#'])
}

/// The topic and the message of a line that is written to several topics.
///
/// # Errors
/// There is no message, or the topic is the name of several.
pub(crate) fn addressed(line: &str) -> Result<(&str, &str), String> {
    match line.split_once(' ') {
        Some((topic, message)) if !topic.is_empty() && !has_wildcard(topic) => Ok((topic, message)),
        _ => Err(format!("`{line}` is not a topic, a space and a message")),
    }
}
