//! Nodes of the match IR as blocks of a function.

use super::answer::Answer;
use super::emit::Emit;
use super::fault::{Fault, active};
use super::select::{self, Selection};
use crate::abi::{METHOD_OTHER, layout};
use crate::ir::{Ir, Node, NodeId, targets};
use crate::jit::Helper;
use crate::limits::NativeLimits;
use crate::predicate::Conditions;
use crate::table::Tables;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder as _, Value};
use std::collections::BTreeMap;

// The bit for methods without a number, see `Writer::method`.
const _: () = assert!(METHOD_OTHER % 64 > 9);

/// What the nodes belong to.
pub(super) struct Graph<'a> {
    pub(super) ir: &'a Ir,
    pub(super) tables: &'a Tables,
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
                if let Some(map) = self.graph.tables.wide_map(id).filter(|_| self.is_wide(id)) {
                    let map = emit.number(u64::from(map));
                    let found = emit.call(Helper::Find, &[segment.ptr, segment.len, map]);
                    return self.probed(emit, id, found, other);
                }
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

    fn is_wide(&self, id: NodeId) -> bool {
        select::is_wide(&self.graph.ir.nodes[id as usize], self.graph.limits)
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

    /// Goes on with what the table of a node has: a node, or nothing.
    fn probed(&self, emit: &mut Emit<'_>, id: NodeId, found: Value, other: Block) {
        let missed = emit.compare_to(IntCC::Equal, found, crate::jit::NOT_FOUND);
        let hit = emit.block();
        emit.branch(missed, other, hit);
        emit.start(hit);
        let place = |target: &NodeId| self.graph.selection.place.contains_key(target);
        let answer = if targets(&self.graph.ir.nodes[id as usize]).iter().any(place) {
            Answer::Node(0)
        } else {
            Answer::Table(0)
        };
        let tag = emit.number(answer.encode());
        let answer = emit.builder.ins().bor(found, tag);
        emit.return_value(answer);
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
            | Node::Linear(_) => match self.graph.selection.place.get(&id) {
                // INVARIANT: a node of another function that is jumped to is that function's entry.
                Some(place) => {
                    debug_assert!(place.entry && place.chunk != self.chunk);
                    Answer::Function(u32::try_from(place.chunk).unwrap_or(u32::MAX))
                }
                None => Answer::Table(id.saturating_sub(u32::from(active(Fault::ContinuationOffByOne)))),
            },
        };
        emit.answer(answer.encode())
    }
}
