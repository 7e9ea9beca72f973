//! Which nodes become native code, and how they are grouped into functions.
//!
//! The first levels of sites, as far as the budget goes; below a node either all of its targets are native or
//! none, so that leaving native code is decided when compiling. A function is a part of the graph with one entry:
//! a node joins the function of all its predecessors, or begins one.

use crate::ir::{Ir, Node, NodeId, targets};
use crate::limits::NativeLimits;
use std::collections::{BTreeMap, VecDeque};

/// The choice.
#[derive(Debug, Default)]
pub(super) struct Selection {
    /// Functions by number: their nodes, the entry first, then downwards.
    pub(super) chunks: Vec<Vec<NodeId>>,
    /// The function of each native node, and whether it is its entry.
    pub(super) place: BTreeMap<NodeId, Place>,
}

impl Selection {
    /// The nodes that native ones lead to without being native themselves; leaves and misses are answers.
    pub(super) fn exits(&self, ir: &Ir) -> Vec<NodeId> {
        let mut exits: Vec<NodeId> =
            self.place.keys().flat_map(|id| targets(&ir.nodes[*id as usize])).collect();
        exits.retain(|id| {
            let is_answer = matches!(ir.nodes[*id as usize], Node::Miss | Node::Leaf(_));
            !is_answer && !self.place.contains_key(id)
        });
        exits.sort_unstable();
        exits.dedup();
        exits
    }
}

/// Where a native node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Number of the function.
    pub(super) chunk: usize,
    /// Whether the function begins with it.
    pub(super) entry: bool,
}

/// Chooses the nodes; `costs` is what each costs.
pub(super) fn select(ir: &Ir, costs: &dyn Fn(&Node) -> usize, limits: &NativeLimits) -> Selection {
    let native = first_levels(ir, costs, limits);
    let mut selection = Selection::default();
    let mut spent: Vec<usize> = Vec::new();
    let mut predecessors: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for id in native.keys() {
        for target in targets(&ir.nodes[*id as usize]) {
            predecessors.entry(target).or_default().push(*id);
        }
    }
    // Nodes only lead to earlier ones, so from the last one on all predecessors are placed before.
    for (id, kind) in native.iter().rev() {
        let cost = costs(&ir.nodes[*id as usize]);
        let before = predecessors.get(id).map_or(&[][..], Vec::as_slice);
        let home = common_chunk(before, &selection).filter(|chunk| {
            *kind == Kind::Inner
                && selection.chunks[*chunk].len() < limits.chunk_nodes_max
                && spent[*chunk] + cost <= limits.chunk_cost_max
        });
        let chunk = home.unwrap_or_else(|| {
            selection.chunks.push(Vec::new());
            spent.push(0);
            spent.len() - 1
        });
        selection.chunks[chunk].push(*id);
        spent[chunk] += cost;
        selection.place.insert(*id, Place { chunk, entry: home.is_none() });
    }
    selection
}

/// The function that all of these are in.
fn common_chunk(nodes: &[NodeId], selection: &Selection) -> Option<usize> {
    let mut chunks = nodes.iter().map(|node| selection.place.get(node).map(|place| place.chunk));
    let first = chunks.next()??;
    chunks.all(|chunk| chunk == Some(first)).then_some(first)
}

/// How a native node is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// By jumps only.
    Inner,
    /// Also from outside: the root of a site.
    Outer,
}

/// The choice of nodes in the making.
struct Levels<'a> {
    ir: &'a Ir,
    costs: &'a dyn Fn(&Node) -> usize,
    literals_max: usize,
    left: usize,
    native: BTreeMap<NodeId, Kind>,
    queue: VecDeque<NodeId>,
}

fn first_levels(ir: &Ir, costs: &dyn Fn(&Node) -> usize, limits: &NativeLimits) -> BTreeMap<NodeId, Kind> {
    let (native, queue) = (BTreeMap::new(), VecDeque::new());
    let mut levels =
        Levels { ir, costs, literals_max: limits.literals_max, left: limits.nodes_max, native, queue };
    // A few sites share the budget. Of many, each would get less than it takes to be quicker than the tables, where what
    // a site begins with lies right behind the name of its host.
    if ir.roots.len() <= limits.sites_together_max {
        levels.enter(&ir.roots, Kind::Outer);
        while let Some(id) = levels.queue.pop_front() {
            let node = &ir.nodes[id as usize];
            levels.enter(&targets(node), Kind::Inner);
        }
    }
    levels.native
}

impl Levels<'_> {
    /// Takes these nodes, all or none.
    fn enter(&mut self, ids: &[NodeId], kind: Kind) {
        let node = |id: &NodeId| &self.ir.nodes[*id as usize];
        let mut ids: Vec<NodeId> =
            ids.iter().copied().filter(|id| can_be_native(node(id), self.literals_max)).collect();
        ids.sort_unstable();
        ids.dedup();
        let new = ids.iter().filter(|id| !self.native.contains_key(id));
        let cost: usize = new.map(|id| (self.costs)(node(id))).sum();
        let Some(left) = self.left.checked_sub(cost) else { return };
        self.left = left;
        for id in ids {
            match self.native.get_mut(&id) {
                Some(known) if kind == Kind::Outer => *known = Kind::Outer,
                Some(_) => {}
                None => {
                    self.native.insert(id, kind);
                    self.queue.push_back(id);
                }
            }
        }
    }
}

/// Routes and misses are answers, not code; wide choices and sites without a machine stay in the tables, and so does
/// what is only behind them: it lies right where a table's place leads.
fn can_be_native(node: &Node, literals_max: usize) -> bool {
    match node {
        Node::Miss | Node::Leaf(_) | Node::Linear(_) => false,
        Node::Seg { literals, .. } => literals.len() <= literals_max,
        Node::Method { .. } | Node::Segments { .. } | Node::Typed { .. } | Node::Test { .. } => true,
    }
}
