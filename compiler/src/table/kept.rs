//! The match IR kept small: what native code is made from and what dumps show.
//!
//! Deciding does not look in here, except for long lists of routes and for texts that a word of the tables cannot
//! describe.

use crate::capture::CaptureTest;
use crate::ir::{CaptureId, Hosts, Ir, LinearRoute, Node, NodeId};
use crate::plan::{PredicateId, RouteId, SiteId};

/// The graph of a program.
#[derive(Debug, Default)]
pub(super) struct Kept {
    hosts: Vec<KeptHosts>,
    /// Where each site begins.
    pub(super) roots: Vec<NodeId>,
    /// The nodes; their numbers are those of the IR.
    pub(super) steps: Vec<Step>,
    methods: Vec<[NodeId; 10]>,
    edges: Vec<Edge>,
    texts: Vec<u8>,
    linear: Vec<LinearRoute>,
    /// Tests of captures.
    pub(super) captures: Vec<CaptureTest>,
}

/// A node.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Miss,
    Leaf(RouteId),
    /// Number of the row of targets.
    Method(u32),
    Segments {
        depth: u8,
        end: NodeId,
        more: NodeId,
    },
    Seg {
        depth: u8,
        edges: Range,
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
    /// Routes that are tried one after the other.
    Linear(Range),
}

/// Neighbours in a list.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Range {
    /// The first.
    pub(super) first: u32,
    /// How many.
    pub(super) count: u32,
}

/// A text and where it leads: a node, or for hosts a site.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    start: u32,
    len: u32,
    /// Where to.
    pub(super) target: u32,
}

/// The hosts of one listener, as edges to sites.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeptHosts {
    /// By name.
    pub(super) exact: Range,
    /// `*.suffix`
    pub(super) one_label: Range,
    /// `**.suffix`
    pub(super) any_depth: Range,
    /// `*`
    pub(super) any: Option<SiteId>,
}

impl Range {
    fn of<T>(self, list: &[T]) -> &[T] {
        list.get(self.first as usize..(self.first as usize + self.count as usize)).unwrap_or_default()
    }
}

impl Kept {
    pub(super) fn new(ir: &Ir) -> Kept {
        let mut kept = Kept { roots: ir.roots.clone(), captures: ir.captures.clone(), ..Kept::default() };
        for hosts in &ir.hosts {
            let mut list = |pairs: &[(String, SiteId)]| {
                kept.edges(pairs.iter().map(|(text, site)| (text.as_bytes(), *site)))
            };
            let (exact, one_label) = (list(&hosts.exact), list(&hosts.one_label));
            let any_depth = list(&hosts.any_depth);
            kept.hosts.push(KeptHosts { exact, one_label, any_depth, any: hosts.any });
        }
        for node in &ir.nodes {
            let step = kept.add(node);
            kept.steps.push(step);
        }
        kept
    }

    fn add(&mut self, node: &Node) -> Step {
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
            Node::Seg { depth, literals, other } => {
                let edges = self.edges(literals.iter().map(|(text, target)| (text.as_bytes(), *target)));
                Step::Seg { depth: *depth, edges, other: *other }
            }
            Node::Typed { depth, capture, yes, no } => {
                Step::Typed { depth: *depth, capture: *capture, yes: *yes, no: *no }
            }
            Node::Test { predicate, yes, no } => Step::Test { predicate: *predicate, yes: *yes, no: *no },
            Node::Linear(routes) => {
                let first = number(self.linear.len());
                self.linear.extend(routes.iter().cloned());
                Step::Linear(Range { first, count: number(routes.len()) })
            }
        }
    }

    fn edges<'t>(&mut self, pairs: impl Iterator<Item = (&'t [u8], u32)>) -> Range {
        let first = number(self.edges.len());
        for (text, target) in pairs {
            self.edges.push(Edge { start: number(self.texts.len()), len: number(text.len()), target });
            self.texts.extend_from_slice(text);
        }
        Range { first, count: number(self.edges.len()) - first }
    }

    /// What a node asks; a number that is none is a miss.
    pub(super) fn step(&self, node: NodeId) -> Step {
        self.steps.get(node as usize).copied().unwrap_or(Step::Miss)
    }

    /// The hosts of each listener.
    pub(super) fn hosts(&self) -> &[KeptHosts] {
        &self.hosts
    }

    /// The targets by number of the method; the last is for all others.
    pub(super) fn row(&self, row: u32) -> [NodeId; 10] {
        self.methods[row as usize]
    }

    /// The text of an edge and where it leads.
    pub(super) fn edge(&self, edge: u32) -> (&[u8], u32) {
        let edge = self.edges[edge as usize];
        (&self.texts[edge.start as usize..(edge.start + edge.len) as usize], edge.target)
    }

    /// Routes that are tried one after the other.
    pub(super) fn linear(&self, range: Range) -> &[LinearRoute] {
        range.of(&self.linear)
    }

    /// The IR that this stands for.
    pub(super) fn ir(&self) -> Ir {
        Ir {
            hosts: self.hosts.iter().map(|hosts| self.to_hosts(hosts)).collect(),
            roots: self.roots.clone(),
            nodes: self.steps.iter().map(|step| self.node(*step)).collect(),
            captures: self.captures.clone(),
        }
    }

    fn to_hosts(&self, hosts: &KeptHosts) -> Hosts {
        let pairs = |range: Range| self.texts(range).map(|(text, site)| (text.into_string(), site)).collect();
        Hosts {
            exact: pairs(hosts.exact),
            one_label: pairs(hosts.one_label),
            any_depth: pairs(hosts.any_depth),
            any: hosts.any,
        }
    }

    fn texts(&self, range: Range) -> impl Iterator<Item = (Box<str>, u32)> {
        (range.first..range.first + range.count).map(|edge| {
            let (text, target) = self.edge(edge);
            (String::from_utf8_lossy(text).into_owned().into_boxed_str(), target)
        })
    }

    fn node(&self, step: Step) -> Node {
        match step {
            Step::Miss => Node::Miss,
            Step::Leaf(route) => Node::Leaf(route),
            Step::Method(row) => {
                let row = self.row(row);
                let mut known = [row[9]; 9];
                known.copy_from_slice(&row[..9]);
                Node::Method { known, other: row[9] }
            }
            Step::Segments { depth, end, more } => Node::Segments { depth, end, more },
            Step::Seg { depth, edges, other } => {
                Node::Seg { depth, literals: self.texts(edges).collect(), other }
            }
            Step::Typed { depth, capture, yes, no } => Node::Typed { depth, capture, yes, no },
            Step::Test { predicate, yes, no } => Node::Test { predicate, yes, no },
            Step::Linear(range) => Node::Linear(self.linear(range).to_vec()),
        }
    }
}

/// Counts of a program stay far below the range.
pub(super) fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
