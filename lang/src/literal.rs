//! The values literals stand for, shared by the syntax tree, the typed program and the compiler.

use std::fmt;
use std::net::IpAddr;

/// A request method.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// `GET`
    Get,
    /// `HEAD`
    Head,
    /// `POST`
    Post,
    /// `PUT`
    Put,
    /// `PATCH`
    Patch,
    /// `DELETE`
    Delete,
    /// `OPTIONS`
    Options,
    /// `CONNECT`
    Connect,
    /// `TRACE`
    Trace,
    /// Any other token, in upper case as written.
    Other(String),
}

impl Method {
    /// The well-known methods in their order of [`Method::number`].
    pub const KNOWN: [Method; 9] = [
        Method::Get,
        Method::Head,
        Method::Post,
        Method::Put,
        Method::Patch,
        Method::Delete,
        Method::Options,
        Method::Connect,
        Method::Trace,
    ];

    /// The method written so; unknown tokens become [`Method::Other`].
    pub fn from_text(text: &str) -> Method {
        Method::KNOWN
            .into_iter()
            .find(|m| m.as_str() == text)
            .unwrap_or_else(|| Method::Other(text.to_owned()))
    }

    /// The token as it stands in a request line.
    pub fn as_str(&self) -> &str {
        match self {
            Method::Get => "GET",
            Method::Head => "HEAD",
            Method::Post => "POST",
            Method::Put => "PUT",
            Method::Patch => "PATCH",
            Method::Delete => "DELETE",
            Method::Options => "OPTIONS",
            Method::Connect => "CONNECT",
            Method::Trace => "TRACE",
            Method::Other(text) => text,
        }
    }

    /// The number of a well-known method: its place in [`Method::KNOWN`].
    pub fn number(&self) -> Option<u8> {
        let place = Method::KNOWN.iter().position(|m| m == self)?;
        u8::try_from(place).ok()
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A network in CIDR notation; bits beyond the prefix are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cidr {
    /// First address.
    pub addr: IpAddr,
    /// Length of the prefix: 0 to 32 or 0 to 128.
    pub prefix: u8,
}

impl Cidr {
    /// The network of one address.
    pub fn single(addr: IpAddr) -> Cidr {
        Cidr { addr, prefix: if addr.is_ipv4() { 32 } else { 128 } }
    }

    /// The network that `addr` belongs to at this prefix length: bits beyond it are cleared.
    pub fn network(addr: IpAddr, prefix: u8) -> Cidr {
        let addr = match addr {
            IpAddr::V4(v4) => {
                let mask = u32::MAX.checked_shl(32 - u32::from(prefix.min(32))).unwrap_or(0);
                IpAddr::V4((v4.to_bits() & mask).into())
            }
            IpAddr::V6(v6) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(prefix.min(128))).unwrap_or(0);
                IpAddr::V6((v6.to_bits() & mask).into())
            }
        };
        Cidr { addr, prefix }
    }

    /// The first and last address as numbers, IPv4 as `::ffff:a.b.c.d`.
    pub fn interval(&self) -> (u128, u128) {
        let (first, bits) = match self.addr {
            IpAddr::V4(v4) => (v4.to_ipv6_mapped().to_bits(), 32 - u32::from(self.prefix.min(32))),
            IpAddr::V6(v6) => (v6.to_bits(), 128 - u32::from(self.prefix.min(128))),
        };
        (first, first | 1u128.checked_shl(bits).map_or(u128::MAX, |size| size - 1))
    }

    /// Whether the address lies in the network; IPv4-mapped IPv6 addresses count as IPv4.
    pub fn contains(&self, addr: IpAddr) -> bool {
        let number = match addr {
            IpAddr::V4(v4) => v4.to_ipv6_mapped().to_bits(),
            IpAddr::V6(v6) => v6.to_bits(),
        };
        let (first, last) = self.interval();
        (first..=last).contains(&number)
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.addr, self.prefix)
    }
}

/// Where to listen or connect.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Endpoint {
    /// `10.0.0.1:80`, `[::1]:80`
    Address(std::net::SocketAddr),
    /// `:443`: every local address.
    Port(u16),
    /// `app.internal:3000`
    Name(String, u16),
    /// `unix:/run/app.sock`
    Unix(String),
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Endpoint::Address(addr) => addr.fmt(f),
            Endpoint::Port(port) => write!(f, ":{port}"),
            Endpoint::Name(name, port) => write!(f, "{name}:{port}"),
            Endpoint::Unix(path) => write!(f, "unix:{path}"),
        }
    }
}

/// A regular expression literal; it always matches the whole value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Regex {
    /// The pattern between the quotes.
    pub pattern: String,
    /// Written `re"…"i`.
    pub ignore_case: bool,
}
