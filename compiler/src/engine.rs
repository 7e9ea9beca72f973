//! The program: which route a request takes, and whether conditions hold.

use crate::abi::{METHOD_OTHER, Text, View};
use crate::plan::{Plan, PredicateId, RouteId, SiteId};
use crate::predicate::Conditions;
use crate::slots::SlotIndex;
use crate::table::Tables;
use twp_lang::literal::Method;

/// The decisions of a program. It is read-only: one serves all workers.
#[derive(Debug, Default)]
pub struct Program {
    pub(crate) tables: Tables,
    pub(crate) conditions: Conditions,
    pub(crate) slots: SlotIndex,
}

impl Program {
    /// The route a request takes; `None` when no site serves its host on its listener (421).
    ///
    /// Allocates nothing. The view must hold the method's text and number, host, path and the values of all slots.
    pub fn decide(&self, view: &View<'_>) -> Option<RouteId> {
        let site = self.tables.site(view)?;
        self.tables.walk(site, &self.conditions, view, || {})
    }

    /// The site that serves the request's host on its listener.
    pub fn site(&self, view: &View<'_>) -> Option<SiteId> {
        self.tables.site(view)
    }

    /// Whether a condition holds. Allocates nothing.
    ///
    /// Conditions of a route may read its captures, so they are asked for the route that was decided.
    pub fn test(&self, predicate: PredicateId, view: &View<'_>) -> bool {
        self.conditions.test(predicate, view)
    }

    /// The methods for which a route other than the built-in fallback would take the request, in the order of
    /// [`SitePlan::methods`](crate::plan::SitePlan::methods); none means 404, otherwise they are `Allow`.
    pub fn allowed(&self, plan: &Plan, view: &View<'_>) -> Vec<Method> {
        let Some(site) = self.tables.site(view) else { return Vec::new() };
        let methods = plan.sites.get(site as usize).map_or(&[][..], |site| &site.methods);
        let taken = |method: &&Method| {
            let mut asked = view.clone();
            asked.method = method.number().unwrap_or(METHOD_OTHER);
            asked.method_text = Text::new(method.as_str().as_bytes());
            let route = self.tables.walk(site, &self.conditions, &asked, || {});
            let route = route.and_then(|route| plan.routes.get(route as usize));
            route.is_some_and(|route| !route.builtin_fallback)
        };
        methods.iter().filter(taken).cloned().collect()
    }

    /// Where the values of header, query and cookie fields go.
    pub fn slots(&self) -> &SlotIndex {
        &self.slots
    }
}
