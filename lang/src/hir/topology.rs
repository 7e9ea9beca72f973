//! Settings of listeners, upstreams and sites that say how the two sides are spoken to.

use super::Expr;

/// `transport: tcp | udp`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Transport {
    /// TCP, or a Unix stream socket.
    #[default]
    Tcp,
    /// UDP: for a stream.
    Udp,
}

/// A version of HTTP that a listener speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.1 and 1.0.
    H1,
    /// HTTP/2.
    H2,
    /// HTTP/3 on the UDP port.
    H3,
}

/// `client_auth { … }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientAuth {
    /// The file with the authorities.
    pub ca: String,
    /// Refuse clients without a certificate.
    pub required: bool,
}

/// `protocol: …` of an upstream
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum UpstreamProtocol {
    /// HTTP/1.1.
    #[default]
    H1,
    /// HTTP/2 over TLS.
    H2,
    /// HTTP/2 without TLS.
    H2c,
    /// HTTP/3.
    H3,
    /// What the server prefers.
    Auto,
}

/// `balance: …`
#[derive(Clone, Debug, Default)]
pub enum Balance {
    /// In turn.
    #[default]
    RoundRobin,
    /// The server with the fewest exchanges.
    LeastConn,
    /// The first healthy one in the order of the text.
    FirstHealthy,
    /// By this value of the exchange.
    Hash(Expr),
}

/// `discover: dns("name", every: 30s)`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discover {
    /// The name to resolve.
    pub name: String,
    /// Milliseconds between two questions.
    pub every: u64,
}

/// `tls { … }` of an upstream
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct UpstreamTls {
    /// File with the authorities to trust; the system's when absent.
    pub ca: Option<String>,
    /// `verify: false` believes any certificate.
    pub unverified: bool,
    /// The name to ask for and to check.
    pub name: Option<String>,
    /// File with the certificate to show.
    pub cert: Option<String>,
    /// File with its key.
    pub key: Option<String>,
}

/// `health { … }`; `None` is the default of the reference page.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Health {
    /// What is asked for, in normal form.
    pub path: Option<String>,
    /// Milliseconds between two questions.
    pub every: Option<u64>,
    /// Milliseconds for an answer.
    pub timeout: Option<u64>,
    /// First and last status of a healthy server.
    pub expect: Option<(u16, u16)>,
    /// The host to ask as.
    pub host: Option<String>,
    /// Good answers until a server is healthy.
    pub rise: Option<i64>,
    /// Bad answers until it is not.
    pub fall: Option<i64>,
}

/// `retry { … }`; `None` is the default of the reference page, or the upstream's value.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Retry {
    /// Servers asked beside the first.
    pub attempts: Option<i64>,
    /// What another server may mend.
    pub on: Option<Vec<RetryOn>>,
    /// Share of the exchanges that may be sent again, in hundredths of a percent.
    pub budget: Option<u32>,
    /// Send unsafe methods again too.
    pub unsafe_methods: Option<bool>,
    /// Bytes of a request body kept for it.
    pub buffer: Option<u64>,
}

/// What another server may mend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryOn {
    /// A failure, by its word in the language.
    Failure(&'static str),
    /// An answer with a status from the first to the last.
    Status(u16, u16),
}

/// `proxy_protocol: v1 | v2` of an upstream
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyProtocol {
    /// The text form.
    V1,
    /// The binary form.
    V2,
}

/// `tls: …` of a site
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Tls {
    /// Plain HTTP.
    #[default]
    None,
    /// `acme(…)`
    Acme(Acme),
    /// `files(cert: "…", key: "…")`
    Files {
        /// The file of the certificate chain.
        cert: String,
        /// The file of its key.
        key: String,
    },
}

/// `acme(…)`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acme {
    /// The address that the authority writes to.
    pub email: String,
    /// URL of the authority's directory; the default authority when absent.
    pub directory: Option<String>,
    /// How the authority is shown that the host is ours.
    pub challenge: Challenge,
}

/// A challenge of ACME.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Challenge {
    /// Whichever of `http` and `tls_alpn` the listeners allow.
    #[default]
    Any,
    /// A file served by plain HTTP (RFC 8555 section 8.3).
    Http,
    /// A certificate shown in the handshake (RFC 8737).
    TlsAlpn,
    /// A record of the name (RFC 8555 section 8.4).
    Dns {
        /// Who serves the zone.
        provider: &'static str,
        /// The name of the secret that allows to change it.
        token: String,
    },
}

/// `http: redirect | serve | off` of a site with TLS
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum PlainHttp {
    /// Plain HTTP is redirected to TLS.
    #[default]
    Redirect,
    /// Plain HTTP is served as well.
    Serve,
    /// Plain HTTP does not know the site.
    Off,
}

/// `on_reload: …`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnReload {
    /// Streams stay.
    Keep,
    /// Streams end within this many milliseconds.
    Drain(u64),
    /// Streams end at once.
    Close,
}
