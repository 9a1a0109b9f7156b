//! Addresses of servers, as bodies write them.

use std::borrow::Cow;

/// Default ports of schemes.
const PORTS: &[(&str, u16)] = &[("ws", 80), ("wss", 443), ("mqtt", 1883), ("mqtts", 8883)];

/// `host:port` of an address, which may have a scheme and a path: `ws://host:port/path`. The default port of the scheme is added where there
/// is none.
pub(crate) fn host_of(address: &str) -> Cow<'_, str> {
    let Some((scheme, rest)) = address.split_once("://") else { return address.into() };
    let Some((_, port)) = PORTS.iter().find(|(known, _)| *known == scheme) else { return address.into() };
    let place = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    // The colons within brackets are those of an address of IPv6.
    let has_port = place.rsplit(']').next().is_some_and(|rest| rest.contains(':'));
    if has_port { place.into() } else { format!("{place}:{port}").into() }
}

#[cfg(test)]
mod tests {
    use super::host_of;

    #[test]
    fn default_port_of_a_scheme_is_added() {
        for (address, expected) in [
            ("example.org:80", "example.org:80"),
            ("example.org", "example.org"),
            ("ws://example.org:8080/path", "example.org:8080"),
            ("ws://example.org?key=a:b", "example.org:80"),
            ("wss://example.org/a:1", "example.org:443"),
            ("wss://[::1]/", "[::1]:443"),
            ("wss://[::1]:7/", "[::1]:7"),
            ("mqtt://broker/a/#", "broker:1883"),
            ("mqtts://broker/a", "broker:8883"),
            ("ftp://example.org/", "ftp://example.org/"),
        ] {
            assert_eq!(host_of(address), expected);
        }
    }
}
