//! A list of routes in order to nodes: first by method, then condition by condition.
//!
//! Short lists become a diagram in which no condition is asked twice on one way; long ones are asked one after the
//! other, which is linear in their length.

use crate::ir::{Arena, LinearRoute, MethodSet, Node, NodeId, OtherMethods};
use crate::limits::DIAGRAM_CANDIDATES_MAX;
use crate::plan::{PredicateId, RouteId};
use crate::quick_hash::QuickMap;

/// A route and the conditions still to be asked.
type Candidate = (RouteId, Vec<PredicateId>);

/// Makes the nodes for lists of routes, equal lists once.
pub(super) struct Chains<'a> {
    routes: &'a [LinearRoute],
    by_routes: QuickMap<Vec<u32>, NodeId>,
    by_candidates: QuickMap<Vec<Candidate>, NodeId>,
}

impl<'a> Chains<'a> {
    pub(super) fn new(routes: &'a [LinearRoute]) -> Self {
        Chains { routes, by_routes: QuickMap::default(), by_candidates: QuickMap::default() }
    }

    /// Whether a route whose path matches takes the request for sure.
    pub(super) fn takes_everything(&self, route: u32) -> bool {
        let route = &self.routes[route as usize];
        route.methods == MethodSet::ANY && route.guard.is_empty()
    }

    /// The list up to the first route that takes everything.
    pub(super) fn cut(&self, mut routes: Vec<u32>) -> Vec<u32> {
        if let Some(last) = routes.iter().position(|route| self.takes_everything(*route)) {
            routes.truncate(last + 1);
        }
        routes
    }

    /// The node that chooses the first of these routes, whose paths all match.
    pub(super) fn node(&mut self, routes: Vec<u32>, arena: &mut Arena) -> NodeId {
        if let Some(id) = self.by_routes.get(&routes) {
            return *id;
        }
        let any_method = routes.iter().all(|route| self.routes[*route as usize].methods == MethodSet::ANY);
        let id = if any_method {
            let all = self.candidates(&routes, None);
            self.guards(all, arena)
        } else {
            let mut known = [0; 9];
            for number in 0..known.len() {
                // Most methods have the same routes as one before.
                let same = (0..number).find(|earlier| self.take_the_same(&routes, *earlier, number));
                known[number] = if let Some(earlier) = same {
                    known[earlier]
                } else {
                    let taking = self.candidates(&routes, Some(1 << number));
                    self.guards(taking, arena)
                };
            }
            let others = self.others(&routes);
            let other = self.guards(others, arena);
            arena.add(Node::Method { known, other })
        };
        self.by_routes.insert(routes, id);
        id
    }

    /// Whether two known methods have the same routes.
    fn take_the_same(&self, routes: &[u32], left: usize, right: usize) -> bool {
        let mut routes = routes.iter().map(|route| self.routes[*route as usize].methods.known);
        routes.all(|known| (known >> left) & 1 == (known >> right) & 1)
    }

    /// The routes for a known method, or for any when all take any.
    fn candidates(&self, routes: &[u32], method: Option<u16>) -> Vec<Candidate> {
        let routes = routes.iter().map(|route| &self.routes[*route as usize]);
        let taking = routes.filter(|route| method.is_none_or(|bit| route.methods.known & bit != 0));
        taking.map(|route| (route.route, route.guard.clone())).collect()
    }

    /// The routes for methods without a number.
    fn others(&self, routes: &[u32]) -> Vec<Candidate> {
        let routes = routes.iter().map(|route| &self.routes[*route as usize]);
        let taking = routes.filter_map(|route| match route.methods.other {
            OtherMethods::None => None,
            OtherMethods::All => Some((route.route, route.guard.clone())),
            OtherMethods::If(predicate) => {
                let guard = [predicate].into_iter().chain(route.guard.iter().copied());
                Some((route.route, guard.collect()))
            }
        });
        taking.collect()
    }

    fn guards(&mut self, mut candidates: Vec<Candidate>, arena: &mut Arena) -> NodeId {
        cut_candidates(&mut candidates);
        match candidates.first() {
            None => return arena.add(Node::Miss),
            Some((route, guard)) if guard.is_empty() => return arena.add(Node::Leaf(*route)),
            Some(_) => {}
        }
        if candidates.len() > DIAGRAM_CANDIDATES_MAX {
            return plain(&candidates, arena);
        }
        let conditions: usize = candidates.iter().map(|(_, guard)| guard.len()).sum();
        let mut budget = 16 + 4 * conditions;
        let mark = candidates.clone();
        self.diagram(candidates, arena, &mut budget).unwrap_or_else(|| plain(&mark, arena))
    }

    /// Asks the first condition of the first route; whatever the answer, nobody asks it again.
    fn diagram(
        &mut self,
        candidates: Vec<Candidate>,
        arena: &mut Arena,
        budget: &mut usize,
    ) -> Option<NodeId> {
        if let Some(id) = self.by_candidates.get(&candidates) {
            return Some(*id);
        }
        let id = match candidates.first() {
            None => arena.add(Node::Miss),
            Some((route, guard)) => match guard.first() {
                None => arena.add(Node::Leaf(*route)),
                Some(predicate) => {
                    *budget = budget.checked_sub(1)?;
                    let predicate = *predicate;
                    let mut holds = candidates.clone();
                    for (_, guard) in &mut holds {
                        guard.retain(|other| *other != predicate);
                    }
                    cut_candidates(&mut holds);
                    let mut fails = candidates.clone();
                    fails.retain(|(_, guard)| !guard.contains(&predicate));
                    let yes = self.diagram(holds, arena, budget)?;
                    let no = self.diagram(fails, arena, budget)?;
                    arena.add(Node::Test { predicate, yes, no })
                }
            },
        };
        self.by_candidates.insert(candidates, id);
        Some(id)
    }
}

fn cut_candidates(candidates: &mut Vec<Candidate>) {
    if let Some(last) = candidates.iter().position(|(_, guard)| guard.is_empty()) {
        candidates.truncate(last + 1);
    }
}

/// Each route in turn, from the last to the first.
fn plain(candidates: &[Candidate], arena: &mut Arena) -> NodeId {
    let mut next = arena.add(Node::Miss);
    for (route, guard) in candidates.iter().rev() {
        let mut node = arena.add(Node::Leaf(*route));
        for predicate in guard.iter().rev() {
            node = arena.add(Node::Test { predicate: *predicate, yes: node, no: next });
        }
        next = node;
    }
    next
}
