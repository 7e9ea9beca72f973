//! HTTP/1 behaviour of the real program over loopback: raw bytes in, raw bytes out, with an origin that records.
//!
//! Each test starts its own `twp` on a free port. What is asserted is what a client and an origin can see, never how
//! the program comes to it.

#[path = "e2e_http/connections.rs"]
mod connections;
#[path = "e2e_http/fields.rs"]
mod fields;
#[path = "e2e_http/reuse.rs"]
mod reuse;
#[path = "e2e_http/sockets.rs"]
mod sockets;
#[path = "e2e_http/statuses.rs"]
mod statuses;
#[path = "e2e_http/vectors.rs"]
mod vectors;

use twp_testkit::{Origin, Program};

/// The program under test.
const TWP: &str = env!("CARGO_BIN_EXE_twp");

/// Starts the program with one site `a.test` that sends everything to the origin.
fn proxy_to(origin: &Origin) -> Program {
    program("to origin", origin)
}

/// Starts the program with one site `a.test` of this content; the upstream `origin` has short time limits.
fn program(site: &str, origin: &Origin) -> Program {
    let config = format!(
        "edition 1
server {{ workers: 1 }}
listener web {{ plain: [127.0.0.1:{{port}}] }}
upstream origin {{
  servers: [{}]
  timeout {{ connect: 1s  response: 1s  idle: 2s }}
}}
site a.test on web {{
  {site}
}}
",
        origin.addr()
    );
    Program::start(TWP, &config)
}

/// A request without body to `a.test`.
fn get(target: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nhost: a.test\r\n\r\n")
}
