//! The patterns of a site as a trie over segments.
//!
//! Large sites have hundreds of thousands of nodes, most with one thing in them, so a node owns next to nothing: texts
//! stay those of the routes, and what follows a node is a list in one of a few arenas.

use crate::ir::{CaptureId, LinearRoute, SegTest, TailTest};
use crate::quick_hash::QuickMap;

/// Number of a trie node.
pub(super) type TrieId = u32;

/// A position in patterns.
#[derive(Debug)]
struct TrieNode {
    /// Literal segments that follow.
    literals: Link,
    /// Captures that follow, in the order of the routes.
    captures: Vec<(CaptureId, TrieId)>,
    /// Routes that match when the path ends here.
    ends: Link,
    /// Routes that match when another segment follows, whatever it is.
    rests: Link,
    /// Routes that match whatever follows.
    belows: Link,
    /// The first route that still needs this node: one that ends here or goes on from here.
    first_route: u32,
}

/// The trie; routes are numbered by their place in the site.
#[derive(Debug)]
pub(super) struct Trie<'r> {
    nodes: Vec<TrieNode>,
    literals: Lists<(&'r str, TrieId)>,
    routes: Lists<u32>,
    /// The child of a node for a literal.
    children: QuickMap<(TrieId, &'r str), TrieId>,
}

impl<'r> Trie<'r> {
    /// The node where every path begins.
    pub(super) const ROOT: TrieId = 0;

    pub(super) fn new(routes: &'r [LinearRoute]) -> Trie<'r> {
        let mut trie = Trie {
            nodes: vec![TrieNode::new()],
            literals: Lists::new(),
            routes: Lists::new(),
            children: QuickMap::default(),
        };
        for (number, route) in (0..).zip(routes) {
            trie.insert(number, route);
        }
        trie
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The literals that may follow a node, in no order.
    pub(super) fn literals(&self, id: TrieId) -> impl Iterator<Item = (&'r str, TrieId)> {
        self.literals.iter(self.node(id).literals)
    }

    /// The captures that may follow a node, in the order of the routes.
    pub(super) fn captures(&self, id: TrieId) -> &[(CaptureId, TrieId)] {
        &self.node(id).captures
    }

    /// Routes that match when the path ends at a node, in no order.
    pub(super) fn ends(&self, id: TrieId) -> impl Iterator<Item = u32> {
        self.routes.iter(self.node(id).ends)
    }

    /// Routes that match when another segment follows, in no order.
    pub(super) fn rests(&self, id: TrieId) -> impl Iterator<Item = u32> {
        self.routes.iter(self.node(id).rests)
    }

    /// Routes that match whatever follows, in no order.
    pub(super) fn belows(&self, id: TrieId) -> impl Iterator<Item = u32> {
        self.routes.iter(self.node(id).belows)
    }

    /// The first route that still needs a node.
    pub(super) fn first_route(&self, id: TrieId) -> u32 {
        self.node(id).first_route
    }

    /// Whether nothing depends on what follows a node.
    pub(super) fn is_done(&self, id: TrieId) -> bool {
        let node = self.node(id);
        node.captures.is_empty() && [node.literals, node.ends, node.rests] == [Link::END; 3]
    }

    fn node(&self, id: TrieId) -> &TrieNode {
        &self.nodes[id as usize]
    }

    fn insert(&mut self, number: u32, route: &'r LinearRoute) {
        let mut at = Trie::ROOT;
        for segment in &route.segments {
            at = match segment {
                SegTest::Literal(text) => self.follow_literal(at, text, number),
                SegTest::Capture(capture) => self.follow_capture(at, *capture, number),
            };
        }
        match route.tail {
            TailTest::End => self.end(at, number),
            TailTest::EndOrSlash => {
                self.end(at, number);
                let slash = self.follow_literal(at, "", number);
                self.end(slash, number);
            }
            TailTest::Rest => {
                self.need(at, number);
                self.routes.push(&mut self.nodes[at as usize].rests, number);
            }
            TailTest::Below => self.routes.push(&mut self.nodes[at as usize].belows, number),
        }
    }

    fn end(&mut self, at: TrieId, number: u32) {
        self.need(at, number);
        self.routes.push(&mut self.nodes[at as usize].ends, number);
    }

    fn need(&mut self, at: TrieId, number: u32) {
        let node = &mut self.nodes[at as usize];
        node.first_route = node.first_route.min(number);
    }

    fn follow_literal(&mut self, at: TrieId, text: &'r str, number: u32) -> TrieId {
        self.need(at, number);
        let new = self.next_id();
        let next = *self.children.entry((at, text)).or_insert(new);
        if next == new {
            self.literals.push(&mut self.nodes[at as usize].literals, (text, new));
            self.nodes.push(TrieNode::new());
        }
        next
    }

    fn follow_capture(&mut self, at: TrieId, capture: CaptureId, number: u32) -> TrieId {
        self.need(at, number);
        let new = self.next_id();
        let captures = &mut self.nodes[at as usize].captures;
        if let Some((_, child)) = captures.iter().find(|(known, _)| *known == capture) {
            return *child;
        }
        captures.push((capture, new));
        self.nodes.push(TrieNode::new());
        new
    }

    fn next_id(&self) -> TrieId {
        TrieId::try_from(self.nodes.len()).unwrap_or(TrieId::MAX)
    }
}

impl TrieNode {
    fn new() -> TrieNode {
        TrieNode {
            literals: Link::END,
            captures: Vec::new(),
            ends: Link::END,
            rests: Link::END,
            belows: Link::END,
            first_route: u32::MAX,
        }
    }
}

/// Where a list goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Link(u32);

impl Link {
    const END: Link = Link(u32::MAX);
}

/// Many short lists in one piece of memory.
#[derive(Debug)]
struct Lists<T>(Vec<(T, Link)>);

impl<T: Copy> Lists<T> {
    fn new() -> Lists<T> {
        Lists(Vec::new())
    }

    /// Puts an item before the first of a list.
    fn push(&mut self, first: &mut Link, item: T) {
        let new = Link(u32::try_from(self.0.len()).unwrap_or(u32::MAX));
        self.0.push((item, *first));
        *first = new;
    }

    fn iter(&self, first: Link) -> impl Iterator<Item = T> {
        let mut at = first;
        std::iter::from_fn(move || {
            let (item, next) = self.0.get(at.0 as usize)?;
            at = *next;
            Some(*item)
        })
    }
}
