//! The program: which route a request takes, and whether conditions hold.
//!
//! A program decides by its tables until it is told to use native code; then code takes the first steps and the
//! tables the rest. Both always give the same answer.

use crate::abi::{METHOD_OTHER, Text, View};
use crate::jit::Context;
use crate::limits::NativeLimits;
use crate::native::{FunctionName, Native};
use crate::plan::{Plan, PredicateId, RouteId, SiteId};
use crate::predicate::Conditions;
use crate::slots::SlotIndex;
use crate::table::{Asks, Start, Tables, Watch};
use std::fmt;
use std::ops::Range;
use twp_lang::literal::Method;

/// The decisions of a program. It is read-only: one serves all workers.
#[derive(Debug, Default)]
pub struct Program {
    pub(crate) tables: Tables,
    pub(crate) conditions: Conditions,
    pub(crate) slots: SlotIndex,
    native: Option<Native>,
    /// Why there is no native code.
    reason: String,
}

/// How a program decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Native code, and tables where it ends.
    Native {
        /// Nodes and conditions that are code.
        nodes: usize,
        /// Bytes of code.
        bytes: usize,
    },
    /// Tables alone.
    Table {
        /// Why, unless that was the choice.
        reason: Option<String>,
    },
}

/// A native function as profilers know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Addresses of its code in this process.
    pub range: Range<usize>,
    /// `twp::site::HOST` for the beginning of a site, `twp::node::N` and `twp::condition::N` for the rest, with the
    /// numbers that dumps show. No blanks.
    pub name: String,
}

/// Which engine is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineChoice {
    /// Native code where the machine allows it, else tables.
    #[default]
    Auto,
    /// Native code; its absence is an error.
    Native,
    /// Tables.
    Table,
}

impl EngineChoice {
    /// The choice that a word names.
    pub fn from_word(word: &str) -> Option<EngineChoice> {
        match word {
            "auto" => Some(EngineChoice::Auto),
            "native" => Some(EngineChoice::Native),
            "table" => Some(EngineChoice::Table),
            _ => None,
        }
    }

    /// The word for the choice.
    pub fn word(self) -> &'static str {
        match self {
            EngineChoice::Auto => "auto",
            EngineChoice::Native => "native",
            EngineChoice::Table => "table",
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Engine::Native { nodes, bytes } => {
                write!(f, "native ({nodes} nodes, {} KiB)", bytes.div_ceil(1024))
            }
            Engine::Table { reason: None } => f.write_str("table"),
            Engine::Table { reason: Some(reason) } => write!(f, "table ({reason})"),
        }
    }
}

impl Program {
    /// A program that decides by tables.
    pub(crate) fn new(tables: Tables, conditions: Conditions, slots: SlotIndex) -> Program {
        Program { tables, conditions, slots, native: None, reason: String::new() }
    }

    /// Makes the program decide as chosen. The error says why there can be no native code where it was demanded;
    /// tables decide then.
    pub fn use_engine(&mut self, choice: EngineChoice) -> Result<(), String> {
        self.use_engine_within(choice, &NativeLimits::DEFAULT)
    }

    pub(crate) fn use_engine_within(
        &mut self,
        choice: EngineChoice,
        limits: &NativeLimits,
    ) -> Result<(), String> {
        (self.native, self.reason) = (None, String::new());
        if choice == EngineChoice::Table {
            return Ok(());
        }
        match Native::build(&mut self.tables, &self.conditions, self.slots.len(), limits) {
            Ok(native) => self.native = Some(native),
            Err(reason) => {
                self.reason.clone_from(&reason);
                if choice == EngineChoice::Native {
                    return Err(reason);
                }
            }
        }
        Ok(())
    }

    /// How the program decides.
    pub fn engine(&self) -> Engine {
        match &self.native {
            Some(native) => Engine::Native { nodes: native.n_nodes(), bytes: native.n_bytes() },
            None => Engine::Table { reason: Some(self.reason.clone()).filter(|reason| !reason.is_empty()) },
        }
    }

    /// The native functions; none while tables decide. The addresses are good as long as the program lives.
    pub fn symbols(&self, plan: &Plan) -> Vec<Symbol> {
        let functions = self.native.as_ref().map(Native::functions).unwrap_or_default();
        let symbol = |(range, name)| {
            let name = match name {
                FunctionName::Site(site) => {
                    let host = plan.sites.get(site).map_or("", |site| site.name.as_str());
                    format!("twp::site::{host}")
                }
                FunctionName::Node(node) => format!("twp::node::{node}"),
                FunctionName::Condition(predicate) => format!("twp::condition::{predicate}"),
            };
            Symbol { range, name }
        };
        functions.into_iter().map(symbol).collect()
    }

    #[cfg(test)]
    pub(crate) fn native_memory(&self) -> Option<Range<usize>> {
        self.native.as_ref().map(Native::memory)
    }

    fn context<'a>(&'a self, native: &'a Native) -> Context<'a> {
        Context::new(&self.conditions, native)
    }

    #[inline]
    fn route(&self, found: (SiteId, Start), view: &View<'_>, watch: &mut impl Watch) -> Option<RouteId> {
        if let Some(native) = &self.native {
            return native.walk((&self.context(native), &self.tables), found, view, watch);
        }
        let test = |predicate: PredicateId| self.conditions.test(predicate, view);
        self.tables.walk(found.1, &Asks { regexes: &self.conditions.regexes, test }, view, watch)
    }

    /// As [`Program::decide`], by tables alone.
    pub fn decide_by_tables(&self, view: &View<'_>) -> Option<RouteId> {
        self.tables.decide(&self.conditions, view, &mut ())
    }

    /// As [`Program::test`], by tables alone.
    pub fn test_by_tables(&self, predicate: PredicateId, view: &View<'_>) -> bool {
        self.conditions.test(predicate, view)
    }

    /// The route a request takes; `None` when no site serves its host on its listener (421).
    ///
    /// Allocates nothing. The view must hold the method's text and number, host, path and the values of all slots.
    pub fn decide(&self, view: &View<'_>) -> Option<RouteId> {
        self.decide_watched(view, &mut ())
    }

    /// As [`Program::decide`], with someone looking on.
    #[inline]
    pub(crate) fn decide_watched(&self, view: &View<'_>, watch: &mut impl Watch) -> Option<RouteId> {
        let found = self.tables.site(view, watch)?;
        self.route(found, view, watch)
    }

    /// The site that serves the request's host on its listener.
    pub fn site(&self, view: &View<'_>) -> Option<SiteId> {
        self.tables.site(view, &mut ()).map(|(site, _)| site)
    }

    /// Whether a condition holds. Allocates nothing.
    ///
    /// Conditions of a route may read its captures, so they are asked for the route that was decided.
    pub fn test(&self, predicate: PredicateId, view: &View<'_>) -> bool {
        match &self.native {
            Some(native) => native.test(&self.context(native), predicate, view),
            None => self.conditions.test(predicate, view),
        }
    }

    /// The methods for which a route other than the built-in fallback would take the request, in the order of
    /// [`SitePlan::methods`](crate::plan::SitePlan::methods); none means 404, otherwise they are `Allow`.
    pub fn allowed(&self, plan: &Plan, view: &View<'_>) -> Vec<Method> {
        let Some(found) = self.tables.site(view, &mut ()) else { return Vec::new() };
        let methods = plan.sites.get(found.0 as usize).map_or(&[][..], |site| &site.methods);
        let taken = |method: &&Method| {
            let mut asked = view.clone();
            asked.method = method.number().unwrap_or(METHOD_OTHER);
            asked.method_text = Text::new(method.as_str().as_bytes());
            let route = self.route(found, &asked, &mut ());
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
