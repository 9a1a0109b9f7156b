//! HTTP, as client and server.

use std::sync::Arc;
use std::time::Duration;

use hasse_model::event::EffectKind;
use hasse_model::value::Value;
use rhai::{Dynamic, Engine, Map};

use super::effect::{answered, ask_waiting};
use super::limits::{Outcome, failure};
use crate::effects::{EventContext, SharedContext};
use crate::http::{self, Asked, Message};

/// Longest wait for a reply where the body states none.
const LONGEST_REQUEST: f64 = 60.0;

/// Registers the family.
pub(super) fn register(engine: &mut Engine, context: &SharedContext) {
    let with_body = |body: &str| Message { body: body.to_owned(), ..Message::default() };
    let sending = || {
        let context = context.clone();
        move |method: &str, url: &str, message: Message, seconds: f64| {
            let limit = Duration::try_from_secs_f64(seconds)
                .map_err(|_| failure(format!("{method} {url}: {seconds} is no number of seconds")))?;
            let asked = Asked { method, url, message, limit };
            ask_waiting(&context, EffectKind::Http, |context| {
                context.outside().check_net(&http::address_of(url)?)?;
                context.outside().write_ahead()?;
                http::send(asked)
            })
        }
    };
    let (get, get_within) = (sending(), sending());
    engine
        .register_fn("http_get", move |url: &str| get("GET", url, Message::default(), LONGEST_REQUEST))
        .register_fn("http_get", move |url: &str, seconds: f64| {
            get_within("GET", url, Message::default(), seconds)
        });
    let (post, post_within) = (sending(), sending());
    engine
        .register_fn("http_post", move |url: &str, body: &str| {
            post("POST", url, with_body(body), LONGEST_REQUEST)
        })
        .register_fn("http_post", move |url: &str, body: &str, seconds: f64| {
            post_within("POST", url, with_body(body), seconds)
        });
    let (any, any_within) = (sending(), sending());
    engine
        .register_fn("http_request", move |method: &str, url: &str, headers: Map, body: &str| {
            any(method, url, message_of(&headers, body)?, LONGEST_REQUEST)
        })
        .register_fn(
            "http_request",
            move |method: &str, url: &str, headers: Map, body: &str, seconds: f64| {
                any_within(method, url, message_of(&headers, body)?, seconds)
            },
        );
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
            reply(&plain, asked, status, with_body(body))
        })
        .register_fn("http_reply", move |asked: i64, status: i64, headers: Map, body: &str| {
            reply(&full, asked, status, message_of(&headers, body)?)
        });
}

fn message_of(headers: &Map, body: &str) -> Outcome<Message> {
    let text = |(name, held): (&rhai::Identifier, &Dynamic)| match held.read_lock::<rhai::ImmutableString>() {
        Some(text) => Ok((name.to_string(), text.to_string())),
        None => Err(failure(format!("the header `{name}` is a string, not a {}", held.type_name()))),
    };
    let headers = headers.iter().map(text).collect::<Outcome<_>>()?;
    Ok(Message { headers, body: body.to_owned() })
}

fn reply(context: &SharedContext, asked: i64, status: i64, message: Message) -> Outcome<Dynamic> {
    let status = u16::try_from(status)
        .ok()
        .filter(|status| (100..1_000).contains(status))
        .ok_or_else(|| failure(format!("the status {status} is not within 100..1000")))?;
    ask_waiting(context, EffectKind::Http, |context| {
        context.outside().write_ahead()?;
        context.outside().servers.reply(asked, status, message)
    })
}
