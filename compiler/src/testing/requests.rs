//! Requests that are likely to meet the routes of a program, or to miss them narrowly.

use super::generate::{ADDRESSES, HEADERS, METHODS, PORTS, SEGMENTS, TEXTS};
use super::rng::Rng;
use crate::Request;
use crate::core::{Core, Route, SegmentPattern, Site, Tail};
use twp_lang::ast::HostPattern;
use twp_lang::hir::CaptureTy;
use twp_lang::literal::{Method, Regex};

/// A request aimed at some route of the program.
pub(crate) fn request(rng: &mut Rng, core: &Core) -> Request {
    let site = rng.pick(&core.sites);
    // Earlier routes shadow later ones, so the first of two picks makes a hit more likely.
    let number = rng.below(site.routes.len()).min(rng.below(site.routes.len()));
    let route = &site.routes[number];
    let mut headers: Vec<(String, Vec<u8>)> = Vec::new();
    for name in HEADERS {
        if rng.chance(60) {
            headers.push((name.to_owned(), rng.text(TEXTS).into_bytes()));
        }
        if rng.chance(10) {
            headers.push((name.to_owned(), rng.text(TEXTS).into_bytes()));
        }
    }
    let cookies = if rng.chance(50) { vec![("s".to_owned(), rng.text(TEXTS))] } else { Vec::new() };
    Request {
        listener: if rng.chance(95) { *rng.pick(&site.listeners) } else { 2 },
        method: method(rng, route),
        https: rng.chance(50),
        host: host(rng, site),
        port: *rng.pick(PORTS),
        path: path(rng, route),
        query: query(rng),
        client_ip: rng.word(ADDRESSES).parse().expect("an address"),
        headers,
        cookies,
    }
}

fn method(rng: &mut Rng, route: &Route) -> Method {
    if !route.methods.is_empty() && rng.chance(80) {
        return rng.pick(&route.methods).clone();
    }
    Method::from_text(rng.word(METHODS))
}

fn host(rng: &mut Rng, site: &Site) -> String {
    let label = rng.text(&["a", "www", "v1", "0", "7"]);
    let host = match rng.pick(&site.hosts) {
        HostPattern::Exact(name) => name.clone(),
        HostPattern::AnyDepth(suffix) if rng.chance(50) => format!("{label}.x.{suffix}"),
        HostPattern::OneLabel { suffix, .. } | HostPattern::AnyDepth(suffix) => format!("{label}.{suffix}"),
        HostPattern::Any => rng.text(&["elsewhere.test", "localhost", "[::1]", "192.0.2.1"]),
    };
    match rng.below(30) {
        0 => format!("{label}.{host}"),
        1 => host.split_once('.').map_or("nodots".to_owned(), |(_, suffix)| suffix.to_owned()),
        2 => format!("x{host}"),
        _ => host,
    }
}

/// A path in normal form: only the last segment may be empty.
fn path(rng: &mut Rng, route: &Route) -> String {
    let mut segments: Vec<String> = route.path.segments.iter().map(|pattern| segment(rng, pattern)).collect();
    let more = match route.path.tail {
        Tail::End => 0,
        Tail::EndOrSlash => {
            if rng.chance(30) {
                segments.push(String::new());
            }
            0
        }
        Tail::Rest(_) => 1 + rng.below(3),
        Tail::Below(_) => rng.below(3),
    };
    segments.extend((0..more).map(|_| rng.text(SEGMENTS)));
    match rng.below(24) {
        0 => segments.push(String::new()),
        1 => segments.push(rng.text(SEGMENTS)),
        2 => drop(segments.pop()),
        3 => {
            let at = rng.below(segments.len());
            if let Some(segment) = segments.get_mut(at) {
                *segment = rng.text(SEGMENTS);
            }
        }
        4 => {
            if let Some(segment) = segments.last_mut() {
                segment.push_str(rng.word(&["x", "0", ".css", "/"]));
            }
        }
        _ => {}
    }
    let last_is_empty = segments.last().is_none_or(String::is_empty);
    segments.retain(|segment| !segment.is_empty());
    let slash = if last_is_empty { "/" } else { "" };
    segments.insert(0, String::new());
    segments.join("/") + slash
}

fn segment(rng: &mut Rng, pattern: &SegmentPattern) -> String {
    match pattern {
        SegmentPattern::Literal(text) => text.clone(),
        SegmentPattern::Capture { ty, prefix, suffix, .. } => {
            let value = value(rng, ty);
            if rng.chance(3) { format!("{prefix}{value}") } else { format!("{prefix}{value}{suffix}") }
        }
    }
}

fn value(rng: &mut Rng, ty: &CaptureTy) -> String {
    let (good, bad): (&[&'static str], &[&'static str]) = match ty {
        CaptureTy::Segment => (SEGMENTS, &["v", "", "x%20y"]),
        CaptureTy::Int => {
            (&["0", "7", "42", "80", "123456789012345678"], &["00", "07", "1234567890123456789", "4a", "-1"])
        }
        CaptureTy::Uuid => (
            &["6f9619ff-8b86-d011-b42d-00c04fc964ff", "6F9619FF-8B86-D011-B42D-00C04FC964FF"],
            &["6f9619ff-8b86-d011-b42d-00c04fc964f", "6f9619ff08b86-d011-b42d-00c04fc964ff"],
        ),
        CaptureTy::Slug => (&["a", "a-b", "7", "-"], &["A", "a_b", ""]),
        CaptureTy::Hex => (&["0", "af", "DEADBEEF"], &["g", "a-b", ""]),
        CaptureTy::OneOf(_) => (&["a", "ab", "v1"], &["", "b", "a0", "A"]),
        CaptureTy::Regex(Regex { pattern, .. }) => match pattern.as_str() {
            "v[0-9]+" => (&["v1", "v12"], &["v", "v1x", "V1"]),
            "a|ab" => (&["a", "ab"], &["abb", "AB", ""]),
            "(x|y)*" => (&["", "x", "xyx"], &["xz", "a"]),
            _ => (&["é", "a", "€b"], &["", "aa"]),
        },
    };
    if rng.chance(90) { rng.text(good) } else { rng.text(bad) }
}

fn query(rng: &mut Rng) -> Option<String> {
    if rng.chance(40) {
        return None;
    }
    let n = rng.below(4);
    let field = |rng: &mut Rng| {
        let name = rng.text(&["q", "p", "q", "Q"]);
        match rng.below(5) {
            0 => name,
            1 => format!("{name}="),
            _ => format!("{name}={}", rng.text(&["a", "b", "v1", "api", "7"])),
        }
    };
    Some((0..n).map(|_| field(rng)).collect::<Vec<String>>().join("&"))
}
