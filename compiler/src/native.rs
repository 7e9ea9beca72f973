//! The native engine: the first levels of every site and the conditions as machine code, over the same tables.
//!
//! It is an accelerator, never a second source of truth: where its code ends, the tables go on at the node it names.

use crate::abi::View;
use crate::codegen::{Answer, Code, Extras};
use crate::ir::NodeId;
use crate::jit::{CodeUnit, Context};
use crate::limits::{NATIVE_BYTES_MAX, NativeLimits};
use crate::plan::{PredicateId, RouteId, SiteId};
use crate::predicate::Conditions;
use crate::table::{Asks, Start, Tables, Watch};
use std::ops::Range;

/// The native code of a program and what it needs beside it.
#[derive(Debug)]
pub(crate) struct Native {
    unit: CodeUnit,
    extras: Extras,
    /// The function that each site begins with, plus one; 0 for those that begin in the tables, which at the end of the
    /// list are left out.
    roots: Box<[u32]>,
    /// Where the tables have what each function begins with.
    starts: Vec<Start>,
    /// The node that each function begins with, by which dumps call it.
    nodes: Vec<NodeId>,
    /// The function of each condition, plus one; 0 for those without.
    predicates: Vec<u32>,
    n_nodes: usize,
}

/// What a function stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FunctionName {
    /// The beginning of a site's decision: its place among the sites.
    Site(usize),
    /// Nodes from this one on.
    Node(NodeId),
    /// A condition.
    Condition(PredicateId),
}

impl Native {
    /// Compiles and loads. The error says why tables have to serve.
    pub(crate) fn build(
        tables: &mut Tables,
        conditions: &Conditions,
        n_slots: usize,
        limits: &NativeLimits,
    ) -> Result<Native, String> {
        let code = Code::generate(tables, conditions, limits)?;
        let blob = code.blob(n_slots);
        if blob.bytes.len() > NATIVE_BYTES_MAX {
            return Err(format!("the code has more than {} KiB", NATIVE_BYTES_MAX / 1024));
        }
        let unit = CodeUnit::load(code.isa.clone(), &code.signature(), &blob)?;
        let n_native = code.roots.iter().rposition(|function| *function != 0).map_or(0, |last| last + 1);
        Ok(Native {
            unit,
            roots: code.roots[..n_native].into(),
            starts: tables.starts(&code.starts),
            nodes: code.starts,
            predicates: code.predicates,
            n_nodes: code.n_nodes,
            extras: code.extras,
        })
    }

    /// The route of a site, whose decisions begin at `start` in the tables.
    #[inline]
    pub(crate) fn walk(
        &self,
        (context, tables): (&Context<'_>, &Tables),
        (site, mut start): (SiteId, Start),
        view: &View<'_>,
        watch: &mut impl Watch,
    ) -> Option<RouteId> {
        let root = self.roots.get(site as usize).inspect(|root| watch.read(*root));
        let mut place = root.copied().unwrap_or(0);
        while let Some(function) = (place as usize).checked_sub(1) {
            match self.unit.call(function, view, context).and_then(Answer::decode) {
                Some(Answer::Route(route)) => return Some(route),
                Some(Answer::Miss) => return None,
                Some(Answer::Function(next)) => {
                    start = self.starts[next as usize];
                    place = next + 1;
                }
                Some(Answer::Table(next)) => {
                    start = next;
                    break;
                }
                // Not compiled in time, or a view without a path.
                None => break,
            }
        }
        let test = |predicate: PredicateId| self.test(context, predicate, view);
        tables.walk(start, &Asks { regexes: &context.conditions().regexes, test }, view, watch)
    }

    /// Whether a condition holds.
    pub(crate) fn test(&self, context: &Context<'_>, predicate: PredicateId, view: &View<'_>) -> bool {
        let function =
            self.predicates.get(predicate as usize).and_then(|number| (*number as usize).checked_sub(1));
        let answer = function.and_then(|function| self.unit.call(function, view, context));
        answer.map_or_else(|| context.conditions().test(predicate, view), |answer| answer != 0)
    }

    /// What helpers look into.
    pub(crate) fn extras(&self) -> &Extras {
        &self.extras
    }

    /// Every function with its addresses and what it stands for.
    pub(crate) fn functions(&self) -> Vec<(Range<usize>, FunctionName)> {
        let nodes = (0..).zip(&self.nodes).map(|(function, node)| {
            let number = u32::try_from(function + 1).unwrap_or(0);
            let site = self.roots.iter().position(|root| *root == number);
            (function, site.map_or(FunctionName::Node(*node), FunctionName::Site))
        });
        let conditions = (0..).zip(&self.predicates).filter_map(|(predicate, number)| {
            let function = (*number as usize).checked_sub(1)?;
            Some((function, FunctionName::Condition(predicate)))
        });
        nodes
            .chain(conditions)
            .filter_map(|(function, name)| Some((self.unit.range(function)?, name)))
            .collect()
    }

    /// Where all code lies.
    #[cfg(test)]
    pub(crate) fn memory(&self) -> Range<usize> {
        self.unit.memory()
    }

    /// Nodes and conditions compiled.
    pub(crate) fn n_nodes(&self) -> usize {
        self.n_nodes
    }

    /// Bytes of code.
    pub(crate) fn n_bytes(&self) -> usize {
        self.unit.n_bytes()
    }
}
