//! The match IR as flat tables, and the walk over them that takes every decision.
//!
//! A node is one small fixed-size step; its number is that of the IR node. Wide choices of literals are hash maps,
//! small ones short lists. The walk allocates nothing and ends, since steps only lead to earlier ones.

use crate::abi::{METHOD_OTHER, View};
use crate::capture::CaptureTest;
use crate::ir::{CaptureId, Ir, LinearRoute, Node, NodeId, OtherMethods, SegTest, TailTest};
use crate::limits::SMALL_NODE_MAX;
use crate::plan::{PredicateId, RouteId, SiteId};
use crate::predicate::Conditions;
use crate::predicate::regex::RegexTables;
use crate::text_map::TextMap;
use hosts::HostTable;

mod hosts;

/// The tables of a program.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    hosts: Vec<HostTable>,
    roots: Vec<NodeId>,
    steps: Vec<Step>,
    methods: Vec<[NodeId; 10]>,
    edges: Vec<Edge>,
    texts: Vec<u8>,
    wide: Vec<TextMap>,
    linear: Vec<LinearRoute>,
    captures: Vec<CaptureTest>,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Miss,
    Leaf(RouteId),
    /// Number of the row in `methods`.
    Method(u32),
    Segments {
        depth: u8,
        end: NodeId,
        more: NodeId,
    },
    /// Compares with `count` edges from `first` on.
    Small {
        depth: u8,
        count: u8,
        first: u32,
        other: NodeId,
    },
    /// Looks into a map.
    Wide {
        depth: u8,
        map: u32,
        other: NodeId,
    },
    Typed {
        depth: u8,
        capture: CaptureId,
        yes: NodeId,
        no: NodeId,
    },
    Test {
        predicate: PredicateId,
        yes: NodeId,
        no: NodeId,
    },
    /// Tries `count` routes from `first` on.
    Linear {
        first: u32,
        count: u32,
    },
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    start: u32,
    len: u32,
    target: NodeId,
}

/// What a walk needs beside the tables.
pub(crate) struct Asks<'a, T> {
    /// Tables of regular expressions.
    pub(crate) regexes: &'a RegexTables,
    /// Answers whether a condition holds.
    pub(crate) test: T,
}

impl Tables {
    /// The tables of an IR.
    pub(crate) fn new(ir: &Ir) -> Tables {
        let mut tables = Tables {
            hosts: ir.hosts.iter().map(HostTable::new).collect(),
            roots: ir.roots.clone(),
            captures: ir.captures.clone(),
            ..Tables::default()
        };
        for node in &ir.nodes {
            let step = tables.step(node);
            tables.steps.push(step);
        }
        tables
    }

    fn step(&mut self, node: &Node) -> Step {
        match node {
            Node::Miss => Step::Miss,
            Node::Leaf(route) => Step::Leaf(*route),
            Node::Method { known, other } => {
                let mut row = [*other; 10];
                row[..9].copy_from_slice(known);
                self.methods.push(row);
                Step::Method(number(self.methods.len() - 1))
            }
            Node::Segments { depth, end, more } => Step::Segments { depth: *depth, end: *end, more: *more },
            Node::Seg { depth, literals, other } if literals.len() <= SMALL_NODE_MAX => {
                let first = number(self.edges.len());
                for (text, target) in literals {
                    let edge =
                        Edge { start: number(self.texts.len()), len: number(text.len()), target: *target };
                    self.texts.extend_from_slice(text.as_bytes());
                    self.edges.push(edge);
                }
                let count = u8::try_from(literals.len()).unwrap_or(u8::MAX);
                Step::Small { depth: *depth, count, first, other: *other }
            }
            Node::Seg { depth, literals, other } => {
                self.wide
                    .push(TextMap::new(literals.iter().map(|(text, target)| (text.as_bytes(), *target))));
                Step::Wide { depth: *depth, map: number(self.wide.len() - 1), other: *other }
            }
            Node::Typed { depth, capture, yes, no } => {
                Step::Typed { depth: *depth, capture: *capture, yes: *yes, no: *no }
            }
            Node::Test { predicate, yes, no } => Step::Test { predicate: *predicate, yes: *yes, no: *no },
            Node::Linear(routes) => {
                let first = number(self.linear.len());
                self.linear.extend(routes.iter().cloned());
                Step::Linear { first, count: number(routes.len()) }
            }
        }
    }

    /// The site that serves a host on a listener.
    pub(crate) fn site(&self, view: &View<'_>) -> Option<SiteId> {
        self.hosts.get(usize::from(view.listener))?.find(view.host.or_empty())
    }

    /// The route of a site; `visited` is called for each step and each route tried.
    pub(crate) fn walk(
        &self,
        site: SiteId,
        conditions: &Conditions,
        view: &View<'_>,
        visited: impl FnMut(),
    ) -> Option<RouteId> {
        let test = |predicate: PredicateId| conditions.test(predicate, view);
        self.walk_from(self.root(site)?, &Asks { regexes: &conditions.regexes, test }, view, visited)
    }

    /// Where the walk of a site begins.
    pub(crate) fn root(&self, site: SiteId) -> Option<NodeId> {
        self.roots.get(site as usize).copied()
    }

    /// The route that a node leads to.
    pub(crate) fn walk_from<T: Fn(PredicateId) -> bool>(
        &self,
        node: NodeId,
        asks: &Asks<'_, T>,
        view: &View<'_>,
        mut visited: impl FnMut(),
    ) -> Option<RouteId> {
        let mut at = node;
        loop {
            visited();
            at = match self.steps[at as usize] {
                Step::Miss => return None,
                Step::Leaf(route) => return Some(route),
                Step::Method(row) => {
                    let row = &self.methods[row as usize];
                    row[usize::from(view.method).min(9)]
                }
                Step::Segments { depth, end, more } => {
                    if view.n_segments() <= usize::from(depth) {
                        end
                    } else {
                        more
                    }
                }
                Step::Small { depth, count, first, other } => {
                    let edges = &self.edges[first as usize..first as usize + usize::from(count)];
                    self.small(edges, segment(view, depth)).unwrap_or(other)
                }
                Step::Wide { depth, map, other } => {
                    self.wide[map as usize].get(segment(view, depth)).unwrap_or(other)
                }
                Step::Typed { depth, capture, yes, no } => {
                    let capture = &self.captures[capture as usize];
                    if capture.matches(segment(view, depth), asks.regexes) { yes } else { no }
                }
                Step::Test { predicate, yes, no } => {
                    if (asks.test)(predicate) {
                        yes
                    } else {
                        no
                    }
                }
                Step::Linear { first, count } => {
                    let routes = &self.linear[first as usize..(first + count) as usize];
                    let taking = routes.iter().find(|route| {
                        visited();
                        self.takes(route, asks, view)
                    });
                    return taking.map(|route| route.route);
                }
            };
        }
    }

    fn small(&self, edges: &[Edge], segment: &[u8]) -> Option<NodeId> {
        let found = edges.iter().find(|edge| self.text(**edge) == segment)?;
        Some(found.target)
    }

    fn text(&self, edge: Edge) -> &[u8] {
        &self.texts[edge.start as usize..(edge.start + edge.len) as usize]
    }

    fn takes<T: Fn(PredicateId) -> bool>(
        &self,
        route: &LinearRoute,
        asks: &Asks<'_, T>,
        view: &View<'_>,
    ) -> bool {
        let method = if view.method == METHOD_OTHER {
            match route.methods.other {
                OtherMethods::None => false,
                OtherMethods::All => true,
                OtherMethods::If(predicate) => (asks.test)(predicate),
            }
        } else {
            route.methods.known & 1u16.checked_shl(u32::from(view.method)).unwrap_or(0) != 0
        };
        method && self.path_fits(route, asks.regexes, view) && route.guard.iter().all(|id| (asks.test)(*id))
    }

    fn path_fits(&self, route: &LinearRoute, regexes: &RegexTables, view: &View<'_>) -> bool {
        let n = route.segments.len();
        let Some(after) = view.n_segments().checked_sub(n) else { return false };
        let tail = match route.tail {
            TailTest::End => after == 0,
            TailTest::EndOrSlash => after == 0 || (after == 1 && view.segment(n) == Some(b"")),
            TailTest::Rest => after > 0,
            TailTest::Below => true,
        };
        tail && route.segments.iter().enumerate().all(|(depth, wanted)| {
            let segment = view.segment(depth).unwrap_or_default();
            match wanted {
                SegTest::Literal(text) => text.as_bytes() == segment,
                SegTest::Capture(capture) => self.captures[*capture as usize].matches(segment, regexes),
            }
        })
    }

    /// The number of the map that a node looks into, if it does.
    pub(crate) fn wide_map(&self, node: NodeId) -> Option<u32> {
        match self.steps.get(node as usize)? {
            Step::Wide { map, .. } => Some(*map),
            Step::Miss
            | Step::Leaf(_)
            | Step::Method(_)
            | Step::Segments { .. }
            | Step::Small { .. }
            | Step::Typed { .. }
            | Step::Test { .. }
            | Step::Linear { .. } => None,
        }
    }

    /// The node that a text leads to in a map.
    pub(crate) fn find(&self, map: usize, text: &[u8]) -> Option<NodeId> {
        self.wide.get(map)?.get(text)
    }

    /// The IR that the tables stand for.
    pub(crate) fn ir(&self) -> Ir {
        Ir {
            hosts: self.hosts.iter().map(HostTable::to_hosts).collect(),
            roots: self.roots.clone(),
            nodes: self.steps.iter().map(|step| self.node(*step)).collect(),
            captures: self.captures.clone(),
        }
    }

    fn node(&self, step: Step) -> Node {
        let text = |text: &[u8]| String::from_utf8_lossy(text).into_owned().into_boxed_str();
        match step {
            Step::Miss => Node::Miss,
            Step::Leaf(route) => Node::Leaf(route),
            Step::Method(row) => {
                let row = self.methods[row as usize];
                let mut known = [row[9]; 9];
                known.copy_from_slice(&row[..9]);
                Node::Method { known, other: row[9] }
            }
            Step::Segments { depth, end, more } => Node::Segments { depth, end, more },
            Step::Small { depth, count, first, other } => {
                let edges = &self.edges[first as usize..first as usize + usize::from(count)];
                let literals = edges.iter().map(|edge| (text(self.text(*edge)), edge.target)).collect();
                Node::Seg { depth, literals, other }
            }
            Step::Wide { depth, map, other } => {
                let literals =
                    self.wide[map as usize].iter().map(|(key, target)| (text(key), target)).collect();
                Node::Seg { depth, literals, other }
            }
            Step::Typed { depth, capture, yes, no } => Node::Typed { depth, capture, yes, no },
            Step::Test { predicate, yes, no } => Node::Test { predicate, yes, no },
            Step::Linear { first, count } => {
                Node::Linear(self.linear[first as usize..(first + count) as usize].to_vec())
            }
        }
    }
}

fn segment<'a>(view: &View<'a>, depth: u8) -> &'a [u8] {
    view.segment(usize::from(depth)).unwrap_or_default()
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
