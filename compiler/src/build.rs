//! Core to match IR: the first-match machine of a site.
//!
//! Patterns become a trie. A state of the machine is the set of trie nodes that the segments so far may stand for,
//! together with the routes that already match whatever follows; states are made when first reached, so their
//! number stays near that of the trie. What a state finally chooses from is a list of routes in the order of the
//! text, turned into tests by `chain`. Beyond the limits the site becomes one `Linear` node.

use crate::capture::CaptureTest;
use crate::ir::{Arena, CaptureId, LinearRoute, Node, NodeId};
use crate::limits::{MachineLimits, TYPED_MAX};
use crate::predicate::regex::RegexTables;
use crate::quick_hash::QuickMap;
use chain::Chains;
use trie::{Trie, TrieId};

mod chain;
mod trie;

/// The machine would exceed its limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TooLarge;

/// What all sites share while their machines are built.
pub(crate) struct Shared<'a> {
    /// Nodes of all sites.
    pub(crate) arena: &'a mut Arena,
    /// Tests of captures, by number.
    pub(crate) captures: &'a [CaptureTest],
    /// Tables that captures need.
    pub(crate) regexes: &'a RegexTables,
    /// Bounds.
    pub(crate) limits: MachineLimits,
}

/// The first node of a site with these routes, in the order of the text.
pub(crate) fn site(shared: &mut Shared<'_>, routes: Vec<LinearRoute>) -> NodeId {
    let mark = shared.arena.nodes.len();
    Machine::new(shared, &routes).root().unwrap_or_else(|TooLarge| {
        shared.arena.truncate(mark);
        shared.arena.add(Node::Linear(routes))
    })
}

/// A set of places where the path so far may stand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct State {
    /// Trie nodes, sorted.
    nodes: Vec<TrieId>,
    /// Routes that match whatever follows, in order, up to the first that takes every request.
    settled: Vec<u32>,
}

/// Work left before the machine counts as too large.
#[derive(Debug)]
struct Budget {
    states: usize,
    steps: usize,
}

impl Budget {
    fn new(limits: MachineLimits, trie_nodes: usize) -> Budget {
        let at_least = |limit: usize, floor: usize| if limit == 0 { 0 } else { limit.max(floor) };
        let states = trie_nodes.saturating_mul(limits.states_per_trie_node);
        let steps = trie_nodes.saturating_mul(limits.steps_per_trie_node);
        Budget {
            states: at_least(states, MachineLimits::STATES_FREE).min(limits.states_max),
            steps: at_least(steps, MachineLimits::STEPS_FREE),
        }
    }

    fn state(&mut self) -> Result<(), TooLarge> {
        self.states = self.states.checked_sub(1).ok_or(TooLarge)?;
        Ok(())
    }

    fn steps(&mut self, n: usize) -> Result<(), TooLarge> {
        self.steps = self.steps.checked_sub(n).ok_or(TooLarge)?;
        Ok(())
    }
}

struct Machine<'a, 's> {
    shared: &'a mut Shared<'s>,
    trie: Trie<'a>,
    chains: Chains<'a>,
    states: QuickMap<(usize, State), NodeId>,
    budget: Budget,
}

/// A capture at a position and the trie nodes behind it.
type TypedBranch = (CaptureId, Vec<TrieId>);

impl<'a, 's> Machine<'a, 's> {
    fn new(shared: &'a mut Shared<'s>, routes: &'a [LinearRoute]) -> Self {
        let trie = Trie::new(routes);
        let budget = Budget::new(shared.limits, trie.len() + routes.len());
        Machine { shared, trie, chains: Chains::new(routes), states: QuickMap::default(), budget }
    }

    fn root(mut self) -> Result<NodeId, TooLarge> {
        let start = self.arrive(vec![Trie::ROOT], Vec::new());
        self.state(0, start)
    }

    /// The node of a state: `depth` segments of the path are behind it.
    fn state(&mut self, depth: usize, state: State) -> Result<NodeId, TooLarge> {
        if state.nodes.is_empty() {
            return self.chain(state.settled);
        }
        let key = (depth, state);
        if let Some(id) = self.states.get(&key) {
            return Ok(*id);
        }
        self.budget.state()?;
        let state = &key.1;
        let more = self.segment(depth, state)?;
        let id = if depth == 0 {
            // A path has at least one segment.
            more
        } else {
            let ends = state.nodes.iter().flat_map(|node| self.trie.ends(*node));
            let end = merge(state.settled.iter().copied().chain(ends));
            let end = self.chain(end)?;
            self.shared.arena.add(Node::Segments { depth: short(depth), end, more })
        };
        self.states.insert(key, id);
        Ok(id)
    }

    /// The node that looks at segment `depth`, which exists.
    fn segment(&mut self, depth: usize, state: &State) -> Result<NodeId, TooLarge> {
        let mut settled = state.settled.clone();
        let mut literals: Vec<(&str, TrieId)> = Vec::new();
        let mut typed: Vec<TypedBranch> = Vec::new();
        for node in &state.nodes {
            settled.extend(self.trie.rests(*node));
            literals.extend(self.trie.literals(*node));
            for (capture, child) in self.trie.captures(*node) {
                match typed.iter_mut().find(|(known, _)| known == capture) {
                    Some((_, children)) => children.push(*child),
                    None => typed.push((*capture, vec![*child])),
                }
            }
        }
        let settled = merge(settled);
        literals.sort_unstable();
        let n_texts = literals.chunk_by(|(left, _), (right, _)| left == right).count();
        self.budget.steps(1 + n_texts * (1 + typed.len() + settled.len()))?;
        let mut edges = Vec::with_capacity(n_texts);
        for same in literals.chunk_by(|(left, _), (right, _)| left == right) {
            let text = same.first().map_or("", |(text, _)| *text);
            let mut nodes: Vec<TrieId> = same.iter().map(|(_, child)| *child).collect();
            for (capture, children) in &typed {
                if self.test(*capture).matches(text.as_bytes(), self.shared.regexes) {
                    nodes.extend(children);
                }
            }
            let next = self.arrive(nodes, settled.clone());
            edges.push((text.into(), self.state(depth + 1, next)?));
        }
        let other = self.other(depth, typed, &settled)?;
        Ok(self.shared.arena.add(Node::Seg { depth: short(depth), literals: edges, other }))
    }

    /// The node for segments that are none of the literals.
    fn other(&mut self, depth: usize, typed: Vec<TypedBranch>, settled: &[u32]) -> Result<NodeId, TooLarge> {
        if typed.len() > TYPED_MAX {
            return Err(TooLarge);
        }
        // The plain capture last: it follows from every other one that holds.
        let (plain, mut ordered): (Vec<TypedBranch>, Vec<TypedBranch>) =
            typed.into_iter().partition(|(capture, _)| self.test(*capture).is_plain());
        ordered.extend(plain);
        self.typed(depth, &ordered, Vec::new(), settled)
    }

    /// Asks the captures one after the other; `chosen` are the trie nodes behind those that hold.
    fn typed(
        &mut self,
        depth: usize,
        open: &[TypedBranch],
        chosen: Vec<TrieId>,
        settled: &[u32],
    ) -> Result<NodeId, TooLarge> {
        self.budget.steps(1 + open.len())?;
        let Some(((capture, children), rest)) = open.split_first() else {
            let next = self.arrive(chosen, settled.to_vec());
            return self.state(depth + 1, next);
        };
        let test = self.test(*capture);
        let mut with = chosen.clone();
        with.extend(children);
        let mut left = Vec::new();
        for (other, children) in rest {
            let other_test = self.test(*other);
            if other_test.is_plain() && test.refuses_empty() {
                with.extend(children);
            } else if test.may_meet(other_test) {
                left.push((*other, children.clone()));
            }
        }
        let yes = self.typed(depth, &left, with, settled)?;
        let no = self.typed(depth, rest, chosen, settled)?;
        Ok(self.shared.arena.add(Node::Typed { depth: short(depth), capture: *capture, yes, no }))
    }

    /// The state of having reached these trie nodes: routes that match from here on are settled, and nodes whose
    /// routes all come after one that takes everything are of no use.
    fn arrive(&self, mut nodes: Vec<TrieId>, settled: Vec<u32>) -> State {
        nodes.sort_unstable();
        nodes.dedup();
        let below = nodes.iter().flat_map(|node| self.trie.belows(*node));
        let settled = self.chains.cut(merge(settled.into_iter().chain(below)));
        if let Some(last) = settled.last().filter(|route| self.chains.takes_everything(**route)) {
            nodes.retain(|node| self.trie.first_route(*node) < *last);
        }
        nodes.retain(|node| !self.trie.is_done(*node));
        State { nodes, settled }
    }

    fn chain(&mut self, routes: Vec<u32>) -> Result<NodeId, TooLarge> {
        let routes = self.chains.cut(routes);
        let before = self.shared.arena.nodes.len();
        self.budget.steps(routes.len())?;
        let node = self.chains.node(routes, self.shared.arena);
        self.budget.steps(self.shared.arena.nodes.len() - before)?;
        Ok(node)
    }

    fn test(&self, capture: CaptureId) -> &CaptureTest {
        &self.shared.captures[capture as usize]
    }
}

/// Route numbers sorted, each once.
fn merge(routes: impl IntoIterator<Item = u32>) -> Vec<u32> {
    let mut routes: Vec<u32> = routes.into_iter().collect();
    routes.sort_unstable();
    routes.dedup();
    routes
}

/// Depths are at most 64.
fn short(depth: usize) -> u8 {
    u8::try_from(depth).unwrap_or(u8::MAX)
}
