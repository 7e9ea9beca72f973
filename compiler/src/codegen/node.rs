//! Nodes of the match IR as blocks of a function.

use super::answer::Answer;
use super::emit::Emit;
use super::fault::{Fault, active};
use super::select::Selection;
use crate::abi::{METHOD_OTHER, layout};
use crate::ir::{Ir, Node, NodeId};
use crate::jit::Helper;
use crate::limits::NativeLimits;
use crate::predicate::Conditions;
use crate::table::Start;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder as _};
use std::collections::BTreeMap;

// The bit for methods without a number, see `Writer::method`.
const _: () = assert!(METHOD_OTHER % 64 > 9);

/// What the nodes belong to.
pub(super) struct Graph<'a> {
    pub(super) ir: &'a Ir,
    /// Where the tables go on.
    pub(super) exits: &'a BTreeMap<NodeId, Start>,
    pub(super) conditions: &'a Conditions,
    pub(super) selection: &'a Selection,
    pub(super) limits: &'a NativeLimits,
}

/// Writes the nodes of one function.
pub(super) fn chunk(emit: &mut Emit<'_>, graph: &Graph<'_>, number: usize) {
    let nodes = &graph.selection.chunks[number];
    let mut blocks: BTreeMap<NodeId, Block> = BTreeMap::new();
    // The first one is the entry, which no other node of the function leads to.
    for id in nodes.iter().skip(1) {
        let block = emit.block();
        blocks.insert(*id, block);
    }
    let writer = Writer { graph, chunk: number, blocks };
    for id in nodes {
        if let Some(block) = writer.blocks.get(id) {
            emit.start(*block);
        }
        writer.node(emit, *id);
    }
}

struct Writer<'a> {
    graph: &'a Graph<'a>,
    chunk: usize,
    blocks: BTreeMap<NodeId, Block>,
}

impl Writer<'_> {
    fn node(&self, emit: &mut Emit<'_>, id: NodeId) {
        match &self.graph.ir.nodes[id as usize] {
            Node::Miss | Node::Leaf(_) | Node::Linear(_) => {
                let to = self.target(emit, id);
                emit.jump(to);
            }
            Node::Method { known, other } => self.method(emit, known, *other),
            Node::Segments { depth, end, more } => {
                let n_segments = emit.field(1, layout::N_SEGMENTS);
                let how = if active(Fault::SegmentsOffByOne) {
                    IntCC::UnsignedLessThan
                } else {
                    IntCC::UnsignedLessThanOrEqual
                };
                let ends = emit.compare_to(how, n_segments, u64::from(*depth));
                let (end, more) = (self.target(emit, *end), self.target(emit, *more));
                emit.branch(ends, end, more);
            }
            Node::Seg { depth, literals, other } => {
                let segment = emit.segment(*depth);
                let other = self.target(emit, *other);
                let cases: Vec<(&[u8], Block)> =
                    literals.iter().map(|(text, node)| (text.as_bytes(), self.target(emit, *node))).collect();
                emit.dispatch(segment, &cases, other);
            }
            Node::Typed { depth, capture, yes, no } => {
                let segment = emit.segment(*depth);
                let (yes, no) = (self.target(emit, *yes), self.target(emit, *no));
                emit.capture(&self.graph.ir.captures[*capture as usize], segment, yes, no);
            }
            Node::Test { predicate, yes, no } => {
                let (yes, no) = if active(Fault::TestSwapped) { (*no, *yes) } else { (*yes, *no) };
                let (yes, no) = (self.target(emit, yes), self.target(emit, no));
                match self.graph.conditions.list.get(*predicate as usize) {
                    Some(cond) if super::condition::cost(cond) <= self.graph.limits.condition_cost_max => {
                        emit.condition(cond, yes, no);
                    }
                    Some(_) | None => {
                        let view = emit.view();
                        let number = emit.number(u64::from(*predicate));
                        let holds = emit.call(Helper::Test, &[view, number]);
                        emit.branch(holds, yes, no);
                    }
                }
            }
        }
    }

    /// Tests the bit of the method in the set of each answer.
    fn method(&self, emit: &mut Emit<'_>, known: &[NodeId; 9], other: NodeId) {
        let mut sets: BTreeMap<NodeId, u64> = BTreeMap::new();
        for (number, target) in known.iter().enumerate().filter(|(_, target)| **target != other) {
            *sets.entry(*target).or_default() |= 1 << number;
        }
        let method = emit.field(1, layout::METHOD);
        // A shift counts modulo 64, so methods without a number have a bit that no known one has.
        let one = emit.number(1 + u64::from(active(Fault::MethodShifted)));
        let bit = emit.builder.ins().ishl(one, method);
        for (target, set) in sets {
            let set = emit.number(set);
            let both = emit.builder.ins().band(bit, set);
            let next = emit.block();
            let to = self.target(emit, target);
            emit.branch(both, to, next);
            emit.start(next);
        }
        let other = self.target(emit, other);
        emit.jump(other);
    }

    /// Where a node is: in this function, or what has to be answered to get there.
    fn target(&self, emit: &mut Emit<'_>, id: NodeId) -> Block {
        if let Some(block) = self.blocks.get(&id) {
            return *block;
        }
        let answer = match &self.graph.ir.nodes[id as usize] {
            Node::Miss => Answer::Miss,
            Node::Leaf(route) => Answer::Route(route.wrapping_add(u32::from(active(Fault::RouteOffByOne)))),
            Node::Method { .. }
            | Node::Segments { .. }
            | Node::Seg { .. }
            | Node::Typed { .. }
            | Node::Test { .. }
            | Node::Linear(_) => {
                if let Some(place) = self.graph.selection.place.get(&id) {
                    // INVARIANT: a node of another function that is jumped to is that function's entry.
                    debug_assert!(place.entry && place.chunk != self.chunk);
                    Answer::Function(u32::try_from(place.chunk).unwrap_or(u32::MAX))
                } else {
                    let mut exits = self.graph.exits.range(id..);
                    let (_, start) = exits.nth(usize::from(active(Fault::ContinuationOffByOne))).unzip();
                    // INVARIANT: every node that native nodes lead to and that is not native itself is an exit.
                    start.copied().map_or(Answer::Miss, Answer::Table)
                }
            }
        };
        emit.answer(answer.encode())
    }
}
