//! Which earlier route of a list takes all that a route could take.
//!
//! Asking every earlier route would take time that grows with the square of the list, so those that cannot be it are
//! passed over by their segments: what remains is asked.

use crate::ast::{CaptureKind, PathPattern, PatternPart, PatternSegment, Route};
use crate::literal::{Method, Regex};
use crate::span::Spanned;
use std::collections::HashMap;

/// Routes without a condition, by the segments of their patterns.
pub(super) struct Earlier<'t> {
    /// In the order of the text.
    routes: Vec<&'t Route>,
    nodes: Vec<Node<'t>>,
}

/// A beginning of patterns.
#[derive(Default)]
struct Node<'t> {
    /// Routes whose pattern ends here but for a rest, by their place; at the root also those without a pattern.
    routes: Vec<usize>,
    /// What goes on with `{name}`.
    any: Option<usize>,
    /// What goes on with anything else.
    same: HashMap<Key<'t>, usize>,
}

/// A segment but for the names of its captures.
#[derive(PartialEq, Eq, Hash)]
enum Key<'t> {
    Text(&'t str),
    Parts(Vec<KeyPart<'t>>),
}

#[derive(PartialEq, Eq, Hash)]
enum KeyPart<'t> {
    Text(&'t str),
    Segment,
    Rest,
    Typed(&'t str),
    Regex(&'t Regex),
}

impl<'t> Earlier<'t> {
    pub(super) fn new() -> Earlier<'t> {
        Earlier { routes: Vec::new(), nodes: vec![Node::default()] }
    }

    pub(super) fn len(&self) -> usize {
        self.routes.len()
    }

    pub(super) fn push(&mut self, route: &'t Route) {
        let segments = route.path.as_ref().map_or(&[][..], |path| split_rest(path).0);
        let mut at = 0;
        for segment in segments {
            let new = self.nodes.len();
            let node = &mut self.nodes[at];
            at = if is_plain_capture(segment) {
                *node.any.get_or_insert(new)
            } else {
                *node.same.entry(key(segment)).or_insert(new)
            };
            if at == new {
                self.nodes.push(Node::default());
            }
        }
        self.nodes[at].routes.push(self.routes.len());
        self.routes.push(route);
    }

    /// The first route that takes all that this one could take.
    pub(super) fn first(&self, route: &'t Route, same_slash: bool) -> Option<&'t Route> {
        let segments = route.path.as_ref().map_or(&[][..], |path| split_rest(path).0);
        let mut found: Option<usize> = None;
        let mut open: Vec<(usize, &[PatternSegment])> = vec![(0, segments)];
        while let Some((at, rest)) = open.pop() {
            let node = &self.nodes[at];
            let covering =
                node.routes.iter().find(|earlier| covers(self.routes[**earlier], route, same_slash));
            found = covering.copied().into_iter().chain(found).min();
            let Some((segment, rest)) = rest.split_first() else { continue };
            if let Some(next) = node.any.filter(|_| !segment.parts.is_empty()) {
                open.push((next, rest));
            }
            if let Some(next) = node.same.get(&key(segment)) {
                open.push((*next, rest));
            }
        }
        found.map(|earlier| self.routes[earlier])
    }
}

fn key<'t>(segment: &'t PatternSegment) -> Key<'t> {
    if let [PatternPart::Literal(text)] = segment.parts.as_slice() {
        return Key::Text(&text.value);
    }
    let part = |part: &'t PatternPart| match part {
        PatternPart::Literal(text) => KeyPart::Text(&text.value),
        PatternPart::Capture(capture) => match &capture.kind {
            CaptureKind::Segment => KeyPart::Segment,
            CaptureKind::Rest => KeyPart::Rest,
            CaptureKind::Typed(ty) => KeyPart::Typed(&ty.value),
            CaptureKind::Regex(regex) => KeyPart::Regex(&regex.value),
        },
    };
    Key::Parts(segment.parts.iter().map(part).collect())
}

/// Whether the first route takes all that the second could take, as far as that is plain to see.
pub(super) fn covers(first: &Route, route: &Route, same_slash: bool) -> bool {
    covers_methods(&first.methods, &route.methods)
        && covers_path(first.path.as_ref(), route.path.as_ref(), same_slash)
}

/// `GET` in a route includes HEAD.
fn covers_methods(first: &[Spanned<Method>], second: &[Spanned<Method>]) -> bool {
    let has = |method: &Method| first.iter().any(|m| m.value == *method);
    let covers = |method: &Method| has(method) || (*method == Method::Head && has(&Method::Get));
    first.is_empty() || (!second.is_empty() && second.iter().all(|method| covers(&method.value)))
}

fn covers_path(first: Option<&PathPattern>, second: Option<&PathPattern>, same_slash: bool) -> bool {
    let Some(first) = first else { return true };
    let Some(second) = second else { return false };
    let (known, rest) = split_rest(first);
    let (other, other_rest) = split_rest(second);
    let covers_known = || known.iter().zip(other).all(|(a, b)| covers_segment(a, b));
    match (rest, other_rest) {
        // With `trailing_slash: same` a pattern takes one path more, so only equal shapes are compared.
        (true, true) => {
            other.len() >= known.len() && (!same_slash || other.len() == known.len()) && covers_known()
        }
        (true, false) => !same_slash && other.len() > known.len() && covers_known(),
        (false, false) => known.len() == other.len() && covers_known(),
        (false, true) => false,
    }
}

/// The segments before a rest, and whether there is one.
fn split_rest(pattern: &PathPattern) -> (&[PatternSegment], bool) {
    match pattern.segments.split_last() {
        Some((last, before)) if is_rest(last) => (before, true),
        Some(_) | None => (&pattern.segments, false),
    }
}

fn is_rest(segment: &PatternSegment) -> bool {
    matches!(segment.parts.as_slice(), [PatternPart::Capture(capture)] if capture.kind == CaptureKind::Rest)
}

/// Whether a segment is just `{name}`.
fn is_plain_capture(segment: &PatternSegment) -> bool {
    matches!(segment.parts.as_slice(), [PatternPart::Capture(capture)] if capture.kind == CaptureKind::Segment)
}

fn covers_segment(first: &PatternSegment, second: &PatternSegment) -> bool {
    if is_plain_capture(first) {
        return !second.parts.is_empty();
    }
    first.parts.len() == second.parts.len()
        && first.parts.iter().zip(&second.parts).all(|pair| match pair {
            (PatternPart::Literal(a), PatternPart::Literal(b)) => a.value == b.value,
            (PatternPart::Capture(a), PatternPart::Capture(b)) => same_kind(&a.kind, &b.kind),
            (PatternPart::Literal(_), PatternPart::Capture(_))
            | (PatternPart::Capture(_), PatternPart::Literal(_)) => false,
        })
}

fn same_kind(first: &CaptureKind, second: &CaptureKind) -> bool {
    match (first, second) {
        (CaptureKind::Segment, CaptureKind::Segment) | (CaptureKind::Rest, CaptureKind::Rest) => true,
        (CaptureKind::Typed(a), CaptureKind::Typed(b)) => a.value == b.value,
        (CaptureKind::Regex(a), CaptureKind::Regex(b)) => a.value == b.value,
        (
            CaptureKind::Segment | CaptureKind::Rest | CaptureKind::Typed(_) | CaptureKind::Regex(_),
            CaptureKind::Segment | CaptureKind::Rest | CaptureKind::Typed(_) | CaptureKind::Regex(_),
        ) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::{ItemKind, SiteItem};

    /// The routes of a site with these heads.
    fn tree(heads: &[String]) -> crate::ast::Tree {
        let routes: Vec<String> = heads.iter().map(|head| format!("route {head} {{ to app }}\n")).collect();
        let routes = routes.concat();
        let (tree, found) = crate::parse(&format!("edition 1\nsite a.test {{\n{routes}}}\n"));
        assert_eq!(found, []);
        tree
    }

    #[test]
    fn what_is_found_is_what_asking_all_finds() {
        const METHODS: &[&str] = &["", "", "GET ", "GET|HEAD ", "POST "];
        const SEGMENTS: &[&str] =
            &["a", "a", "b", "{x}", "{y}", "{x:int}", "{z:int}", "v{x}", "v{y}", "{x:re\"a|b\"}", "{x}.js"];
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let mut below = |bound: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state % bound as u64).expect("less than a usize")
        };
        let mut found = 0;
        for round in 0..60 {
            let heads: Vec<String> = (0..40)
                .map(|_| {
                    let segments: Vec<&str> =
                        (0..below(4)).flat_map(|_| ["/", SEGMENTS[below(SEGMENTS.len())]]).collect();
                    let segments = segments.concat();
                    let rest = ["", "", "/", "/{rest...}"][below(4)];
                    format!("{}{segments}{rest}", METHODS[below(METHODS.len())])
                })
                .collect();
            let tree = tree(&heads);
            let ItemKind::Site(site) = &tree.items[0].kind else { panic!("a site") };
            let routes = site.items.iter().filter_map(|item| match item {
                SiteItem::Route(route) => Some(route),
                _ => None,
            });
            let (mut earlier, mut plain): (Earlier<'_>, Vec<&Route>) = (Earlier::new(), Vec::new());
            for route in routes {
                for same_slash in [false, true] {
                    let expected = plain.iter().find(|first| covers(first, route, same_slash)).copied();
                    let first = earlier.first(route, same_slash);
                    assert_eq!(first.map(|r| r.span), expected.map(|r| r.span), "round {round}: {heads:?}");
                    found += usize::from(first.is_some());
                }
                earlier.push(route);
                plain.push(route);
            }
        }
        assert!(found > 1000, "only {found} routes were covered");
    }
}
