//! Who the client is, through proxies that are trusted, and how that is told to upstreams (RFC 7239; APP-02).
//!
//! The chain is believed from its right end: each address that is a trusted proxy vouches for the one before it.
//! What an untrusted peer says is neither read nor passed on.

use super::field::{Field, FieldId, flag, trim_blanks};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// The client of a request: the peer, or whom trusted peers name. `X-Forwarded-For` counts, without it `Forwarded`.
///
/// `is_trusted` tells whether an address is a trusted proxy. An element that is no address ends the walk: the last
/// address before it is the client.
pub fn client_address(
    peer: IpAddr,
    fields: &[Field],
    bytes: &[u8],
    is_trusted: impl Fn(IpAddr) -> bool,
) -> IpAddr {
    let peer = peer.to_canonical();
    if !is_trusted(peer) {
        return peer;
    }
    let mut walk = Walk { is_trusted, client: None };
    let mut seen = false;
    for value in lines(fields, bytes, FieldId::XForwardedFor) {
        seen = true;
        value.split(|byte| *byte == b',').for_each(|element| walk.step(parse_address(trim_blanks(element))));
    }
    if !seen {
        for value in lines(fields, bytes, FieldId::Forwarded) {
            each_part(value, b',', |element| walk.step(forwarded_for(element)));
        }
    }
    walk.client.unwrap_or(peer)
}

fn lines<'a>(fields: &[Field], bytes: &'a [u8], id: FieldId) -> impl Iterator<Item = &'a [u8]> {
    fields
        .iter()
        .filter(move |field| field.id == id && field.flags & flag::DROPPED == 0)
        .map(|field| field.value.of(bytes))
}

/// The walk from the right end, done from the left without memory: the last untrusted address wins, and an element
/// that is no address makes all before it forgotten.
struct Walk<F> {
    is_trusted: F,
    client: Option<IpAddr>,
}

impl<F: Fn(IpAddr) -> bool> Walk<F> {
    fn step(&mut self, address: Option<IpAddr>) {
        match address {
            None => self.client = None,
            Some(address) if self.client.is_none() || !(self.is_trusted)(address) => {
                self.client = Some(address);
            }
            Some(_) => {}
        }
    }
}

/// An address as proxies write it: with or without port, IPv6 with or without brackets.
fn parse_address(text: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(text).ok()?;
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let address = match bare {
        Some(inside) => inside.parse::<Ipv6Addr>().map(IpAddr::V6).ok(),
        None => text.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|addr| addr.ip())),
    };
    address.map(|address| address.to_canonical())
}

/// The address of the `for` parameter of one element; `None` for names, `unknown` and malformed elements.
fn forwarded_for(element: &[u8]) -> Option<IpAddr> {
    let mut address = None;
    let mut n_found = 0;
    each_part(element, b';', |pair| {
        let (name, value) = pair.split_at(pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len()));
        if name.eq_ignore_ascii_case(b"for") {
            n_found += 1;
            let value = value.strip_prefix(b"=").unwrap_or_default();
            let unquoted = value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\""));
            address = parse_address(unquoted.unwrap_or(value));
        }
    });
    address.filter(|_| n_found == 1)
}

/// Calls `visit` for each part between separators that stand outside of quoted strings, without blanks around it.
fn each_part<'a>(text: &'a [u8], separator: u8, mut visit: impl FnMut(&'a [u8])) {
    let mut quoted = false;
    let mut escaped = false;
    let parts = text.split(|byte| {
        let ends = !quoted && *byte == separator;
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ => {}
        }
        ends
    });
    parts.for_each(|part| visit(trim_blanks(part)));
}

/// What a request says about its way to us.
#[derive(Clone, Copy, Debug)]
pub struct Forwarding<'a> {
    /// Address of the peer as text, IPv6 without brackets; formatted once per connection.
    pub peer: &'a [u8],
    /// Whether the peer is a trusted proxy: what it says is kept and ours appended.
    pub peer_is_trusted: bool,
    /// `http` or `https`: how the peer reached us.
    pub scheme: &'a [u8],
    /// Host that the client asked for, normalised; empty when it named none.
    pub host: &'a [u8],
    /// Port that the client named.
    pub port: Option<u16>,
}

impl Forwarding<'_> {
    /// Appends `host` or `host:port`.
    pub(crate) fn write_authority(&self, out: &mut Vec<u8>) {
        write_authority(self.host, self.port, out);
    }

    /// Appends the element of `Forwarded` for this hop.
    pub(crate) fn write_element(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"for=");
        if self.peer.contains(&b':') {
            out.extend_from_slice(b"\"[");
            out.extend_from_slice(self.peer);
            out.extend_from_slice(b"]\"");
        } else if self.peer.is_empty() {
            // A Unix socket has no address.
            out.extend_from_slice(b"unknown");
        } else {
            out.extend_from_slice(self.peer);
        }
        out.extend_from_slice(b";proto=");
        out.extend_from_slice(self.scheme);
        if self.host.is_empty() {
            return;
        }
        // A colon or bracket is not a token character, so such a host is quoted (RFC 7239 section 4).
        let quote = self.port.is_some() || self.host.contains(&b':');
        out.extend_from_slice(if quote { b";host=\"" } else { b";host=" });
        self.write_authority(out);
        if quote {
            out.push(b'"');
        }
    }
}

/// Appends `host` or `host:port`.
pub(crate) fn write_authority(host: &[u8], port: Option<u16>, out: &mut Vec<u8>) {
    out.extend_from_slice(host);
    if let Some(port) = port {
        out.push(b':');
        super::h1::encode::write_number(u64::from(port), out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::h1::HeadLimits;
    use crate::wire::h1::request::RequestHead;

    /// The client as seen from the trusted peer 10.0.0.1; `10.0.0.0/8` and `fd00::/8` are trusted.
    fn client(fields: &str) -> String {
        let bytes = format!("GET / HTTP/1.1\r\nHost: a\r\n{fields}\r\n");
        let mut head = RequestHead::default();
        head.parse(bytes.as_bytes(), &HeadLimits::default()).expect("parses").expect("complete");
        let peer = "10.0.0.1".parse().expect("an address");
        client_address(peer, &head.fields, bytes.as_bytes(), |addr| match addr {
            IpAddr::V4(v4) => v4.octets()[0] == 10,
            IpAddr::V6(v6) => v6.octets()[0] == 0xfd,
        })
        .to_string()
    }

    #[test]
    fn the_chain_is_believed_from_the_right() {
        for (fields, want) in [
            ("", "10.0.0.1"),
            ("X-Forwarded-For: 192.0.2.1\r\n", "192.0.2.1"),
            ("X-Forwarded-For: 203.0.113.9, 192.0.2.1\r\n", "192.0.2.1"),
            ("X-Forwarded-For: 203.0.113.9, 192.0.2.1, 10.0.0.7\r\n", "192.0.2.1"),
            ("X-Forwarded-For: 10.0.0.9,10.0.0.7\r\n", "10.0.0.9"),
            ("X-Forwarded-For: 203.0.113.9\r\nX-Forwarded-For: 10.0.0.7\r\n", "203.0.113.9"),
            ("X-Forwarded-For: 203.0.113.9, spoof, 10.0.0.7\r\n", "10.0.0.7"),
            ("X-Forwarded-For: 203.0.113.9, spoof\r\n", "10.0.0.1"),
            ("X-Forwarded-For: \r\n", "10.0.0.1"),
            ("X-Forwarded-For: 192.0.2.1:4711\r\n", "192.0.2.1"),
            ("X-Forwarded-For: [2001:db8::1]:4711\r\n", "2001:db8::1"),
            ("X-Forwarded-For: 2001:DB8::1, fd00::5\r\n", "2001:db8::1"),
            ("X-Forwarded-For: ::ffff:192.0.2.1\r\n", "192.0.2.1"),
        ] {
            assert_eq!(client(fields), want, "{fields:?}");
        }
    }

    #[test]
    fn forwarded_counts_without_the_older_field() {
        for (fields, want) in [
            ("Forwarded: for=192.0.2.1;proto=http\r\n", "192.0.2.1"),
            ("Forwarded: For=\"[2001:db8::1]:4711\"\r\n", "2001:db8::1"),
            ("Forwarded: proto=http; for=\"192.0.2.1:80\", for=10.0.0.2\r\n", "192.0.2.1"),
            ("Forwarded: for=203.0.113.9, for=unknown, for=10.0.0.2\r\n", "10.0.0.2"),
            ("Forwarded: for=203.0.113.9, for=_hidden\r\n", "10.0.0.1"),
            ("Forwarded: host=\"a, for=203.0.113.9\";for=192.0.2.1\r\n", "192.0.2.1"),
            ("Forwarded: for=192.0.2.1;for=192.0.2.2\r\n", "10.0.0.1"),
            ("Forwarded: for=\"192.0.2.1\r\n", "10.0.0.1"),
            ("Forwarded: for=192.0.2.9\r\nX-Forwarded-For: 192.0.2.1\r\n", "192.0.2.1"),
        ] {
            assert_eq!(client(fields), want, "{fields:?}");
        }
    }

    #[test]
    fn an_untrusted_peer_is_the_client() {
        let bytes = b"GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n";
        let mut head = RequestHead::default();
        head.parse(bytes, &HeadLimits::default()).expect("parses").expect("complete");
        let peer: IpAddr = "::ffff:198.51.100.7".parse().expect("an address");
        assert_eq!(client_address(peer, &head.fields, bytes, |_| false).to_string(), "198.51.100.7");
    }

    fn element(peer: &str, host: &str, port: Option<u16>) -> String {
        let forwarding = Forwarding {
            peer: peer.as_bytes(),
            peer_is_trusted: false,
            scheme: b"http",
            host: host.as_bytes(),
            port,
        };
        let mut out = Vec::new();
        forwarding.write_element(&mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn elements_are_quoted_where_needed() {
        assert_eq!(element("192.0.2.1", "a.test", None), "for=192.0.2.1;proto=http;host=a.test");
        assert_eq!(
            element("2001:db8::1", "a.test", Some(8080)),
            "for=\"[2001:db8::1]\";proto=http;host=\"a.test:8080\""
        );
        assert_eq!(element("", "[::1]", None), "for=unknown;proto=http;host=\"[::1]\"");
        assert_eq!(element("192.0.2.1", "", None), "for=192.0.2.1;proto=http");
    }
}
