//! The match IR: a decision as a graph without cycles, shared where it is equal.
//!
//! Each node asks one question about the request and goes on to another node. It is the form the tables are made
//! of and the form `twpc dump` shows; it verifies itself.

use crate::capture::CaptureTest;
use crate::plan::{PredicateId, RouteId, SiteId};
use crate::quick_hash::{QuickHasher, QuickMap};
use std::collections::hash_map::Entry;
use std::hash::{Hash as _, Hasher as _};

pub(crate) mod print;
pub(crate) mod verify;

/// Number of a node: its place in [`Ir::nodes`].
pub(crate) type NodeId = u32;
/// Number of a capture test: its place in [`Ir::captures`].
pub(crate) type CaptureId = u32;

/// A question and where its answers lead.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// No route.
    Miss,
    /// This route.
    Leaf(RouteId),
    /// Which method: by number of the known ones, then all others.
    Method { known: [NodeId; 9], other: NodeId },
    /// Whether the path ends after `depth` segments.
    Segments { depth: u8, end: NodeId, more: NodeId },
    /// Which of these texts the segment is; sorted by text.
    Seg { depth: u8, literals: Vec<(Box<str>, NodeId)>, other: NodeId },
    /// Whether the segment passes a capture's test.
    Typed { depth: u8, capture: CaptureId, yes: NodeId, no: NodeId },
    /// Whether a condition holds.
    Test { predicate: PredicateId, yes: NodeId, no: NodeId },
    /// The first of these routes that takes the request: sites whose machine would be too large.
    Linear(Vec<LinearRoute>),
}

/// A route that is tried as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LinearRoute {
    /// Which.
    pub(crate) route: RouteId,
    /// Methods.
    pub(crate) methods: MethodSet,
    /// Segments.
    pub(crate) segments: Vec<SegTest>,
    /// What may follow.
    pub(crate) tail: TailTest,
    /// Conditions, all of which have to hold.
    pub(crate) guard: Vec<PredicateId>,
}

/// The methods a route takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MethodSet {
    /// A bit for each known method.
    pub(crate) known: u16,
    /// The others.
    pub(crate) other: OtherMethods,
}

/// Which of the methods without a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum OtherMethods {
    /// None.
    None,
    /// All.
    All,
    /// Those for which a condition holds.
    If(PredicateId),
}

/// What one segment has to be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SegTest {
    /// This text.
    Literal(Box<str>),
    /// Something that passes a capture's test.
    Capture(CaptureId),
}

/// What may follow the segments of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TailTest {
    /// Nothing.
    End,
    /// Nothing or one slash.
    EndOrSlash,
    /// A slash and anything.
    Rest,
    /// Nothing, or a slash and anything.
    Below,
}

/// Which site serves a host on one listener.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hosts {
    /// By name.
    pub(crate) exact: Vec<(String, SiteId)>,
    /// `*.suffix`
    pub(crate) one_label: Vec<(String, SiteId)>,
    /// `**.suffix`
    pub(crate) any_depth: Vec<(String, SiteId)>,
    /// `*`
    pub(crate) any: Option<SiteId>,
}

/// A program's decisions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ir {
    /// Hosts by listener.
    pub(crate) hosts: Vec<Hosts>,
    /// Where each site begins.
    pub(crate) roots: Vec<NodeId>,
    /// INVARIANT: a node leads only to nodes before it, so every walk ends.
    pub(crate) nodes: Vec<Node>,
    /// Tests of captures.
    pub(crate) captures: Vec<CaptureTest>,
}

impl MethodSet {
    /// Takes every method.
    pub(crate) const ANY: MethodSet = MethodSet { known: 0x1FF, other: OtherMethods::All };
}

/// Makes nodes, equal ones once.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    /// The nodes so far.
    pub(crate) nodes: Vec<Node>,
    /// Their numbers by hash; where nodes share one, the later ones have the next hashes that were free.
    ids: QuickMap<u64, NodeId>,
}

impl Arena {
    /// The number of a node; a question whose answers all lead to one place is that place.
    pub(crate) fn add(&mut self, node: Node) -> NodeId {
        if let Some(same) = same_target(&node) {
            return same;
        }
        let new = NodeId::try_from(self.nodes.len()).unwrap_or(NodeId::MAX);
        let mut key = hash(&node);
        loop {
            match self.ids.entry(key) {
                Entry::Occupied(known) if self.nodes[*known.get() as usize] == node => return *known.get(),
                Entry::Occupied(_) => key = key.wrapping_add(1),
                Entry::Vacant(free) => {
                    free.insert(new);
                    self.nodes.push(node);
                    return new;
                }
            }
        }
    }

    /// Forgets all nodes from number `n` on.
    pub(crate) fn truncate(&mut self, n: usize) {
        while self.nodes.len() > n
            && let Some(node) = self.nodes.pop()
        {
            let id = NodeId::try_from(self.nodes.len()).unwrap_or(NodeId::MAX);
            let mut key = hash(&node);
            // The last node is in nobody's way, so no node behind it can become unreachable.
            while self.ids.get(&key).is_some_and(|known| *known != id) {
                key = key.wrapping_add(1);
            }
            self.ids.remove(&key);
        }
    }
}

fn hash(node: &Node) -> u64 {
    let mut hasher = QuickHasher::default();
    node.hash(&mut hasher);
    hasher.finish()
}

fn same_target(node: &Node) -> Option<NodeId> {
    match node {
        Node::Method { known, other } => known.iter().all(|id| id == other).then_some(*other),
        Node::Segments { end, more, .. } => (end == more).then_some(*end),
        Node::Seg { literals, other, .. } => literals.iter().all(|(_, id)| id == other).then_some(*other),
        Node::Typed { yes, no, .. } | Node::Test { yes, no, .. } => (yes == no).then_some(*yes),
        Node::Miss | Node::Leaf(_) | Node::Linear(_) => None,
    }
}

/// Whether all nodes that a node leads to pass a test.
pub(crate) fn all_targets(node: &Node, test: impl Fn(NodeId) -> bool) -> bool {
    match node {
        Node::Miss | Node::Leaf(_) | Node::Linear(_) => true,
        Node::Method { known, other } => known.iter().chain([other]).all(|id| test(*id)),
        Node::Segments { end, more, .. } => test(*end) && test(*more),
        Node::Seg { literals, other, .. } => literals.iter().all(|(_, id)| test(*id)) && test(*other),
        Node::Typed { yes, no, .. } | Node::Test { yes, no, .. } => test(*yes) && test(*no),
    }
}

/// The nodes that a node leads to.
pub(crate) fn targets(node: &Node) -> Vec<NodeId> {
    match node {
        Node::Miss | Node::Leaf(_) | Node::Linear(_) => Vec::new(),
        Node::Method { known, other } => known.iter().chain([other]).copied().collect(),
        Node::Segments { end, more, .. } => vec![*end, *more],
        Node::Seg { literals, other, .. } => literals.iter().map(|(_, id)| *id).chain([*other]).collect(),
        Node::Typed { yes, no, .. } | Node::Test { yes, no, .. } => vec![*yes, *no],
    }
}
