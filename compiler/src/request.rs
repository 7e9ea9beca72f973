//! A request as plain owned data: what tests and explanations decide on, and how it becomes a view.

use crate::abi::{self, METHOD_OTHER, SCHEME_HTTP, SCHEME_HTTPS, Text, View};
use crate::plan::Slot;
use std::net::{IpAddr, Ipv4Addr};
use twp_lang::literal::Method;

/// A request in normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Number of the listener that accepted it.
    pub listener: u16,
    /// Method.
    pub method: Method,
    /// Whether it came over TLS.
    pub https: bool,
    /// Host of the authority: lower case, without port.
    pub host: String,
    /// Port of the authority, else the scheme's.
    pub port: u16,
    /// Normalised path.
    pub path: String,
    /// Normalised query without the question mark; `None` when there was no question mark.
    pub query: Option<String>,
    /// Address of the client.
    pub client_ip: IpAddr,
    /// Header lines: lower-case name and value.
    pub headers: Vec<(String, Vec<u8>)>,
    /// Cookies: name and value.
    pub cookies: Vec<(String, String)>,
}

impl Default for Request {
    /// `GET http://localhost/` from 127.0.0.1 on the first listener.
    fn default() -> Self {
        Request {
            listener: 0,
            method: Method::Get,
            https: false,
            host: "localhost".to_owned(),
            port: 80,
            path: "/".to_owned(),
            query: None,
            client_ip: IpAddr::V4(Ipv4Addr::LOCALHOST),
            headers: Vec::new(),
            cookies: Vec::new(),
        }
    }
}

impl Request {
    /// The first line of a header field.
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_slice())
    }

    /// The first cookie of this name.
    pub fn cookie(&self, name: &str) -> Option<&[u8]> {
        self.cookies.iter().find(|(cookie, _)| cookie == name).map(|(_, value)| value.as_bytes())
    }

    /// The first field of the query; `?x` and `?x=` both are empty.
    pub fn query_field(&self, name: &str) -> Option<&[u8]> {
        let mut fields = self.query.as_deref()?.split('&').filter(|field| !field.is_empty());
        fields.find_map(|field| {
            let (key, value) = field.split_once('=').unwrap_or((field, ""));
            (key == name).then_some(value.as_bytes())
        })
    }

    /// The value of a name the program reads.
    pub fn slot(&self, slot: &Slot) -> Option<&[u8]> {
        match slot {
            Slot::Header(name) => self.header(name),
            Slot::Query(name) => self.query_field(name),
            Slot::Cookie(name) => self.cookie(name),
        }
    }

    /// Builds the view of this request over the names of a plan and hands it to `f`.
    pub fn with_view<T>(&self, slots: &[Slot], f: impl FnOnce(&View<'_>) -> T) -> T {
        let values: Vec<Text<'_>> =
            slots.iter().map(|slot| self.slot(slot).map_or(Text::ABSENT, Text::new)).collect();
        let mut view = View::new(&values);
        view.abi = abi::ABI_VERSION;
        view.method = self.method.number().unwrap_or(METHOD_OTHER);
        view.method_text = Text::new(self.method.as_str().as_bytes());
        view.scheme = if self.https { SCHEME_HTTPS } else { SCHEME_HTTP };
        view.listener = self.listener;
        view.port = self.port;
        view.client_ip = match self.client_ip {
            IpAddr::V4(v4) => v4.to_ipv6_mapped().octets(),
            IpAddr::V6(v6) => v6.octets(),
        };
        view.host = Text::new(self.host.as_bytes());
        view.query = self.query.as_deref().map_or(Text::ABSENT, |query| Text::new(query.as_bytes()));
        view.set_path(self.path.as_bytes());
        f(&view)
    }
}
