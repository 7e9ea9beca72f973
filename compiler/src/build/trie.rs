//! The patterns of a site as a trie over segments.

use super::literal;
use crate::ir::{CaptureId, LinearRoute, SegTest, TailTest};
use std::collections::HashMap;

/// Number of a trie node.
pub(super) type TrieId = u32;

/// A position in patterns.
#[derive(Debug, Default)]
pub(super) struct TrieNode {
    /// Literal segments that follow.
    pub(super) literals: HashMap<Box<str>, TrieId>,
    /// Captures that follow.
    pub(super) captures: Vec<(CaptureId, TrieId)>,
    /// Routes that match when the path ends here.
    pub(super) ends: Vec<u32>,
    /// Routes that match when another segment follows, whatever it is.
    pub(super) rests: Vec<u32>,
    /// Routes that match whatever follows.
    pub(super) belows: Vec<u32>,
    /// The first route that still needs this node: one that ends here or goes on from here.
    pub(super) first_route: u32,
}

impl TrieNode {
    /// Whether nothing depends on what follows.
    pub(super) fn is_done(&self) -> bool {
        self.literals.is_empty() && self.captures.is_empty() && self.ends.is_empty() && self.rests.is_empty()
    }
}

/// The trie; routes are numbered by their place in the site.
#[derive(Debug)]
pub(super) struct Trie {
    nodes: Vec<TrieNode>,
}

impl Trie {
    /// The node where every path begins.
    pub(super) const ROOT: TrieId = 0;

    pub(super) fn new(routes: &[LinearRoute]) -> Trie {
        let mut trie = Trie { nodes: vec![TrieNode { first_route: u32::MAX, ..TrieNode::default() }] };
        for (number, route) in (0..).zip(routes) {
            trie.insert(number, route);
        }
        trie
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn node(&self, id: TrieId) -> &TrieNode {
        &self.nodes[id as usize]
    }

    fn insert(&mut self, number: u32, route: &LinearRoute) {
        let mut at = Trie::ROOT;
        for segment in &route.segments {
            at = self.follow(at, segment, number);
        }
        match route.tail {
            TailTest::End => self.end(at, number),
            TailTest::EndOrSlash => {
                self.end(at, number);
                let slash = self.follow(at, &literal(""), number);
                self.end(slash, number);
            }
            TailTest::Rest => {
                let node = self.needed(at, number);
                node.rests.push(number);
            }
            TailTest::Below => self.nodes[at as usize].belows.push(number),
        }
    }

    fn end(&mut self, at: TrieId, number: u32) {
        let node = self.needed(at, number);
        node.ends.push(number);
    }

    fn needed(&mut self, at: TrieId, number: u32) -> &mut TrieNode {
        let node = &mut self.nodes[at as usize];
        node.first_route = node.first_route.min(number);
        node
    }

    fn follow(&mut self, at: TrieId, segment: &SegTest, number: u32) -> TrieId {
        let new = TrieId::try_from(self.nodes.len()).unwrap_or(TrieId::MAX);
        let node = self.needed(at, number);
        let next = match segment {
            SegTest::Literal(text) => *node.literals.entry(text.clone()).or_insert(new),
            SegTest::Capture(capture) => {
                let known = node.captures.iter().find(|(known, _)| known == capture).map(|(_, child)| *child);
                known.unwrap_or_else(|| {
                    node.captures.push((*capture, new));
                    new
                })
            }
        };
        if next == new {
            self.nodes.push(TrieNode { first_route: u32::MAX, ..TrieNode::default() });
        }
        next
    }
}
