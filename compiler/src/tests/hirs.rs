//! Routes made by hand, from texts.

pub(super) use crate::testing::hirs::{program, site};

use crate::testing::hirs::NOWHERE;
use twp_lang::hir::{CaptureTy, PathPattern, Route, RouteSettings, SegmentPattern, Stmt, Terminal};
use twp_lang::literal::Method;

/// A route that answers 200; methods and pattern as in `GET|POST /users/{id:int}/{rest...}`.
pub(super) fn route(text: &str) -> Route {
    let (methods, path) = match text.split_once(' ') {
        Some((methods, path)) => (methods.split('|').map(Method::from_text).collect(), path),
        None => (Vec::new(), text),
    };
    Route {
        name: None,
        methods,
        path: (!path.is_empty()).then(|| pattern(path)),
        guard: None,
        settings: RouteSettings::default(),
        statements: vec![respond(200)],
        head: NOWHERE,
    }
}

fn respond(status: u16) -> Stmt {
    Stmt::Terminal(Terminal::Respond { status, body: None })
}

/// A path pattern as written; types are `int`, `uuid`, `slug` and `hex`.
fn pattern(path: &str) -> PathPattern {
    let mut segments = Vec::new();
    let mut rest = None;
    for segment in path.strip_prefix('/').expect("a pattern starts with a slash").split('/') {
        match segment.strip_prefix('{').and_then(|segment| segment.strip_suffix("...}")) {
            Some(name) => rest = Some(name.to_owned()),
            None => segments.push(segment_pattern(segment)),
        }
    }
    PathPattern { segments, rest, span: NOWHERE }
}

fn segment_pattern(segment: &str) -> SegmentPattern {
    let Some((prefix, capture)) = segment.split_once('{') else {
        return SegmentPattern::Literal(segment.to_owned());
    };
    let (capture, suffix) = capture.split_once('}').expect("a capture ends");
    let (name, ty) = capture.split_once(':').unwrap_or((capture, ""));
    let ty = match ty {
        "int" => CaptureTy::Int,
        "uuid" => CaptureTy::Uuid,
        "slug" => CaptureTy::Slug,
        "hex" => CaptureTy::Hex,
        "" => CaptureTy::Segment,
        other => panic!("unknown type {other}"),
    };
    SegmentPattern::Capture {
        name: name.to_owned(),
        ty,
        prefix: prefix.to_owned(),
        suffix: suffix.to_owned(),
    }
}
