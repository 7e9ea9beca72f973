//! Checks the match IR before anything is built on it: a broken graph is a bug of the compiler, found here.

use super::{Ir, Node, NodeId, OtherMethods, SegTest, all_targets, targets};
use crate::abi::SEGMENTS_MAX;
use crate::quick_hash::QuickSet;

/// How much a program has of what nodes refer to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub(crate) predicates: usize,
    pub(crate) routes: usize,
}

/// What is wrong with the graph, if anything.
pub(crate) fn verify(ir: &Ir, sizes: Sizes) -> Result<(), String> {
    for (number, node) in ir.nodes.iter().enumerate() {
        if !all_targets(node, |target| (target as usize) < number) {
            return Err(format!("n{number} leads to a later node"));
        }
        verify_node(ir, node, sizes).map_err(|reason| format!("n{number}: {reason}"))?;
    }
    for hosts in &ir.hosts {
        let named = hosts.exact.iter().chain(&hosts.one_label).chain(&hosts.any_depth).map(|(_, site)| *site);
        if named.chain(hosts.any).any(|site| site as usize >= ir.roots.len()) {
            return Err("a host leads to no site".to_owned());
        }
    }
    verify_depths(ir)
}

fn verify_node(ir: &Ir, node: &Node, sizes: Sizes) -> Result<(), String> {
    let predicate = |id: u32| ((id as usize) < sizes.predicates).then_some(()).ok_or("no such predicate");
    let route = |id: u32| ((id as usize) < sizes.routes).then_some(()).ok_or("no such route");
    let capture = |id: u32| ((id as usize) < ir.captures.len()).then_some(()).ok_or("no such capture");
    match node {
        Node::Miss | Node::Method { .. } | Node::Segments { .. } => {}
        Node::Leaf(id) => route(*id)?,
        Node::Seg { literals, .. } => {
            if !literals.is_sorted_by(|(a, _), (b, _)| a < b) {
                return Err("literals are not sorted".to_owned());
            }
        }
        Node::Typed { capture: id, .. } => capture(*id)?,
        Node::Test { predicate: id, .. } => predicate(*id)?,
        Node::Linear(routes) => {
            for linear in routes {
                route(linear.route)?;
                linear.guard.iter().try_for_each(|id| predicate(*id))?;
                if let OtherMethods::If(id) = linear.methods.other {
                    predicate(id)?;
                }
                for segment in &linear.segments {
                    match segment {
                        SegTest::Literal(_) => {}
                        SegTest::Capture(id) => capture(*id)?,
                    }
                }
            }
        }
    }
    Ok(())
}

/// A segment may be read only after the path was found to have it, and a deeper one only after it was passed.
fn verify_depths(ir: &Ir) -> Result<(), String> {
    // Every path has a first segment. A place is a node, the number of segments proved, and the least depth that
    // may still be read.
    let mut todo: Vec<(NodeId, usize, usize)> = ir.roots.iter().map(|root| (*root, 1, 0)).collect();
    // Most nodes are reached in one way only.
    let mut first: Vec<Option<(usize, usize)>> = vec![None; ir.nodes.len()];
    let mut others = QuickSet::default();
    while let Some(place @ (id, proved, least)) = todo.pop() {
        let Some(node) = ir.nodes.get(id as usize) else { return Err(format!("n{id} does not exist")) };
        let way = (proved, least);
        let is_new = match first[id as usize] {
            None => {
                first[id as usize] = Some(way);
                true
            }
            Some(seen) => seen != way && others.insert(place),
        };
        if !is_new {
            continue;
        }
        match node {
            Node::Segments { depth, end, more } => {
                let depth = usize::from(*depth);
                if depth > SEGMENTS_MAX || depth > proved {
                    return Err(format!("n{id} asks whether the path ends too early"));
                }
                todo.extend([(*end, proved, least), (*more, proved.max(depth + 1), least)]);
            }
            Node::Seg { depth, literals, other } => {
                let depth = check_read(id, *depth, proved, least)?;
                todo.push((*other, proved, depth));
                todo.extend(literals.iter().map(|(_, target)| (*target, proved, depth + 1)));
            }
            Node::Typed { depth, yes, no, .. } => {
                let depth = check_read(id, *depth, proved, least)?;
                todo.extend([(*yes, proved, depth), (*no, proved, depth)]);
            }
            Node::Method { .. } | Node::Test { .. } => {
                todo.extend(targets(node).into_iter().map(|target| (target, proved, least)));
            }
            Node::Miss | Node::Leaf(_) | Node::Linear(_) => {}
        }
    }
    Ok(())
}

fn check_read(id: NodeId, depth: u8, proved: usize, least: usize) -> Result<usize, String> {
    let depth = usize::from(depth);
    if depth >= proved {
        return Err(format!("n{id} reads a segment that may not exist"));
    }
    if depth < least {
        return Err(format!("n{id} goes back to an earlier segment"));
    }
    Ok(depth)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(nodes: Vec<Node>) -> String {
        let root = u32::try_from(nodes.len()).expect("few nodes") - 1;
        let ir = Ir { nodes, roots: vec![root], ..Ir::default() };
        verify(&ir, Sizes { predicates: 0, routes: 1 }).expect_err("a broken graph")
    }

    #[test]
    fn broken_graphs_are_found() {
        let seg = |depth, other| Node::Seg { depth, literals: vec![("a".into(), 0)], other };
        assert!(broken(vec![Node::Leaf(1)]).contains("no such route"));
        assert!(broken(vec![Node::Miss, seg(0, 1)]).contains("later node"));
        assert!(broken(vec![Node::Miss, seg(1, 0)]).contains("may not exist"));
        assert!(
            broken(vec![Node::Miss, Node::Test { predicate: 0, yes: 0, no: 0 }])
                .contains("no such predicate")
        );
        let back = vec![
            Node::Miss,
            seg(0, 0),
            Node::Seg { depth: 1, literals: vec![("b".into(), 1)], other: 0 },
            Node::Segments { depth: 1, end: 0, more: 2 },
        ];
        assert!(broken(back).contains("earlier segment"));
    }
}
