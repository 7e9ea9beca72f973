//! The tables of a program: the match IR as words in lines of memory, and the walk over them.
//!
//! Where the memory is slow, what counts is how many lines a decision has to read one after the other. Hosts and wide
//! choices of segments are probed tables, whose places lead right to the text and what follows it; everything else
//! lies behind each other in runs.

use crate::abi::View;
use crate::ir::{Ir, NodeId};
use crate::plan::{PredicateId, RouteId, SiteId};
use crate::predicate::Conditions;
use crate::predicate::regex::RegexTables;
use kept::Kept;
use pack::Packed;
use walk::Walk;
pub(crate) use watch::Watch;

mod hosts;
mod kept;
mod pack;
mod walk;
mod watch;
mod words;

/// The tables of a program.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    kept: Kept,
    packed: Packed,
}

/// Where a walk may begin: a number of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Start(pub(crate) u32);

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
        let kept = Kept::new(ir);
        let packed = Packed::new(&kept);
        Tables { kept, packed }
    }

    /// The site that serves a host on a listener, and where its decisions begin.
    #[inline]
    pub(crate) fn site(&self, view: &View<'_>, watch: &mut impl Watch) -> Option<(SiteId, Start)> {
        if usize::from(view.listener) >= self.kept.hosts().len() {
            return None;
        }
        let found = hosts::site(self.packed.words(), view.listener, view.host.or_empty(), watch);
        found.map(|(site, start)| (site, Start(start)))
    }

    /// The route of a request by conditions as they are.
    pub(crate) fn decide(
        &self,
        conditions: &Conditions,
        view: &View<'_>,
        watch: &mut impl Watch,
    ) -> Option<RouteId> {
        let (_, start) = self.site(view, watch)?;
        let test = |predicate: PredicateId| conditions.test(predicate, view);
        self.walk(start, &Asks { regexes: &conditions.regexes, test }, view, watch)
    }

    /// The route that a start leads to.
    #[inline]
    pub(crate) fn walk<T: Fn(PredicateId) -> bool>(
        &self,
        start: Start,
        asks: &Asks<'_, T>,
        view: &View<'_>,
        watch: &mut impl Watch,
    ) -> Option<RouteId> {
        Walk { words: self.packed.words(), kept: &self.kept, asks, view }.from(start.0, watch)
    }

    /// Where walks begin that go on at these nodes.
    pub(crate) fn starts(&mut self, nodes: &[NodeId]) -> Vec<Start> {
        self.packed.ensure(&self.kept, nodes);
        let start = |node: &NodeId| self.packed.goal(&self.kept, *node).map(Start);
        nodes.iter().map(|node| start(node).expect("every node has just got a place")).collect()
    }

    /// The IR that the tables stand for.
    pub(crate) fn ir(&self) -> Ir {
        self.kept.ir()
    }

    /// Bytes that decisions may read.
    #[cfg(test)]
    pub(crate) fn n_bytes(&self) -> usize {
        size_of_val(self.packed.words())
    }
}
