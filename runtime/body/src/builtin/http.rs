//! HTTP, as client and server. What asks the world is behind the feature `http`.

use std::collections::BTreeMap;
use std::sync::Arc;

use hasse_model::event::EffectKind;
use hasse_model::value::Value;
use rhai::{Dynamic, Engine, Map};

use super::effect::{answered, ask_waiting};
use super::limits::{Outcome, failure};
use crate::effects::{EventContext, SharedContext};

#[cfg_attr(feature = "http", path = "http/world.rs")]
#[cfg_attr(not(feature = "http"), path = "http/missing.rs")]
mod world;

pub(crate) use world::Servers;

/// A request to a server, or a reply.
#[cfg_attr(not(feature = "http"), expect(dead_code, reason = "a build without HTTP sends nothing"))]
pub(crate) struct Message {
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

/// Registers the family.
pub(super) fn register(engine: &mut Engine, context: &SharedContext) {
    let (get, post, any) = (context.clone(), context.clone(), context.clone());
    let empty = || Message { headers: BTreeMap::new(), body: String::new() };
    engine
        .register_fn("http_get", move |url: &str| request(&get, "GET", url, empty()))
        .register_fn("http_post", move |url: &str, body: &str| {
            request(&post, "POST", url, Message { body: body.to_owned(), ..empty() })
        })
        .register_fn("http_request", move |method: &str, url: &str, headers: Map, body: &str| {
            let headers = texts(&headers)?;
            request(&any, method, url, Message { headers, body: body.to_owned() })
        });
    let listening = context.clone();
    engine.register_fn("http_listen", move |address: &str| {
        let listen = |context: &mut EventContext| {
            context.outside().check_net(address)?;
            context.outside().servers.listen(address).map(Value::Int)
        };
        answered(listening.lock().effect(EffectKind::Http, listen))
    });
    let address = context.clone();
    engine.register_fn("http_address", move |server: i64| {
        let ask = |context: &mut EventContext| {
            context.outside().servers.address(server).map(|address| Value::String(Arc::from(address)))
        };
        answered(address.lock().effect(EffectKind::Http, ask))
    });
    let next = context.clone();
    engine.register_fn("http_next", move |server: i64| {
        ask_waiting(&next, EffectKind::Http, |context| context.outside().servers.next(server))
    });
    let (plain, full) = (context.clone(), context.clone());
    engine
        .register_fn("http_reply", move |asked: i64, status: i64, body: &str| {
            reply(&plain, asked, status, Message { body: body.to_owned(), ..empty() })
        })
        .register_fn("http_reply", move |asked: i64, status: i64, headers: Map, body: &str| {
            let headers = texts(&headers)?;
            reply(&full, asked, status, Message { headers, body: body.to_owned() })
        });
}

fn texts(headers: &Map) -> Outcome<BTreeMap<String, String>> {
    let text = |(name, held): (&rhai::Identifier, &Dynamic)| match held.read_lock::<rhai::ImmutableString>() {
        Some(text) => Ok((name.to_string(), text.to_string())),
        None => Err(failure(format!("the header `{name}` is a string, not a {}", held.type_name()))),
    };
    headers.iter().map(text).collect()
}

fn request(context: &SharedContext, method: &str, url: &str, message: Message) -> Outcome<Dynamic> {
    ask_waiting(context, EffectKind::Http, |context| world::request(context.outside(), method, url, message))
}

fn reply(context: &SharedContext, asked: i64, status: i64, message: Message) -> Outcome<Dynamic> {
    let status = u16::try_from(status)
        .ok()
        .filter(|status| (100..1_000).contains(status))
        .ok_or_else(|| failure(format!("the status {status} is not within 100..1000")))?;
    let reply = |context: &mut EventContext| {
        context.outside().servers.reply(asked, status, message).map(|()| Value::Unit)
    };
    answered(context.lock().effect(EffectKind::Http, reply))
}
