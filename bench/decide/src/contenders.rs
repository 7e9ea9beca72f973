//! The ways to find a route that are compared.

use crate::traffic::{Asked, Route};
use std::collections::HashMap;
use std::hint::black_box;
use std::time::Instant;
use twp_compiler::abi::{Text, View};
use twp_compiler::core::Core;
use twp_compiler::{Artifact, EngineChoice, Request, interp};

/// What twp makes of a configuration.
pub(crate) struct Compiled {
    artifact: Artifact,
    core: Core,
    costs: String,
}

impl Compiled {
    pub(crate) fn new(text: &str, engine: EngineChoice) -> Compiled {
        let start = Instant::now();
        let (tree, mut diagnostics) = twp_lang::parse(text);
        let parsed = start.elapsed();
        let start = Instant::now();
        let (program, found) = twp_lang::check(&tree);
        let checked = start.elapsed();
        diagnostics.extend(found);
        let error = diagnostics.iter().find(|diagnostic| diagnostic.level == twp_lang::Level::Error);
        let program = program.filter(|_| error.is_none()).unwrap_or_else(|| panic!("{error:?}"));
        let start = Instant::now();
        let artifact =
            twp_compiler::compile(&program).unwrap_or_else(|errors| panic!("{:?}", errors.first()));
        let compiled = start.elapsed();
        let core = twp_compiler::lower(&program).unwrap_or_else(|errors| panic!("{:?}", errors.first()));
        let mut this = Compiled { artifact, core, costs: String::new() };
        let start = Instant::now();
        this.artifact.program.use_engine(engine).expect("a machine that allows native code");
        this.costs = format!(
            "parse {parsed:.1?}, check {checked:.1?}, tables {compiled:.1?}, native {:.1?}: {}",
            start.elapsed(),
            this.artifact.program.engine()
        );
        this
    }

    /// What compiling took.
    pub(crate) fn costs(&self) -> &str {
        &self.costs
    }

    /// The view, with the path split, and the decision.
    #[inline]
    pub(crate) fn decide(&self, asked: &Asked) -> Option<u32> {
        self.with_view(asked, |view| self.artifact.program.decide(view))
    }

    /// The view and the site of its host.
    pub(crate) fn site(&self, asked: &Asked) -> Option<u32> {
        self.with_view(asked, |view| self.artifact.program.site(view))
    }

    /// The view alone.
    #[inline]
    pub(crate) fn with_view<T>(&self, asked: &Asked, f: impl FnOnce(&View<'_>) -> T) -> T {
        let mut slots = [Text::ABSENT; 1];
        if let Some(slot) = slots.get_mut(..self.artifact.plan.slots.len().min(1)).and_then(<[_]>::first_mut)
        {
            *slot = Text::new(b"curl/8.0");
        }
        let mut view = View::new(&slots);
        view.method = 0;
        view.method_text = Text::new(b"GET");
        view.client_ip = std::net::Ipv4Addr::LOCALHOST.to_ipv6_mapped().octets();
        view.host = Text::new(asked.host.as_bytes());
        view.set_path(asked.path.as_bytes());
        f(black_box(&view))
    }

    /// Whether a route is not the fallback that nobody wrote.
    pub(crate) fn is_written(&self, route: u32) -> bool {
        self.artifact.plan.routes.get(route as usize).is_some_and(|route| !route.builtin_fallback)
    }

    pub(crate) fn interpret(&self, asked: &Asked) -> Option<usize> {
        let header = ("user-agent".to_owned(), b"curl/8.0".to_vec());
        let request = Request {
            host: asked.host.clone(),
            path: asked.path.clone(),
            headers: vec![header],
            ..Request::default()
        };
        interp::run(&self.core, &request).map(|outcome| outcome.route)
    }
}

/// A map from host and path to the route: what could not be beaten if all routes were literal.
pub(crate) struct Hash(HashMap<String, HashMap<String, usize>>);

impl Hash {
    pub(crate) fn new(routes: &[Route]) -> Hash {
        let mut map: HashMap<String, HashMap<String, usize>> = HashMap::new();
        for (number, route) in routes.iter().enumerate() {
            map.entry(route.host.clone()).or_default().insert(route.path.clone(), number);
        }
        Hash(map)
    }

    #[inline]
    pub(crate) fn decide(&self, asked: &Asked) -> Option<usize> {
        self.0.get(&asked.host)?.get(&asked.path).copied()
    }
}

/// A radix tree for each host.
pub(crate) struct Matchit(HashMap<String, matchit::Router<usize>>);

impl Matchit {
    pub(crate) fn new(routes: &[Route]) -> Matchit {
        let mut map: HashMap<String, matchit::Router<usize>> = HashMap::new();
        for (number, route) in routes.iter().enumerate() {
            let pattern = route.pattern.replace("{id:int}", "{id}").replace("{rest...}", "{*rest}");
            // Patterns that conflict here are told apart by their order in twp; the tree just goes without.
            drop(map.entry(route.host.clone()).or_default().insert(pattern, number));
        }
        Matchit(map)
    }

    pub(crate) fn decide(&self, asked: &Asked) -> Option<usize> {
        self.0.get(&asked.host)?.at(&asked.path).ok().map(|found| *found.value)
    }
}

/// All paths as one set of regular expressions; the first of those that match.
pub(crate) struct RegexSet(Option<regex::RegexSet>);

impl RegexSet {
    pub(crate) fn new(routes: &[Route]) -> RegexSet {
        if routes.len() > 1_000 {
            return RegexSet(None);
        }
        let pattern = |route: &Route| {
            let text = route
                .pattern
                .replace("{id:int}", "[0-9]+")
                .replace("{id}", "[^/]+")
                .replace("{rest...}", ".*");
            format!("^{text}$")
        };
        RegexSet(regex::RegexSet::new(routes.iter().map(pattern)).ok())
    }

    /// Not for so many routes that the set would take minutes.
    pub(crate) fn is_there(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn decide(&self, asked: &Asked) -> Option<usize> {
        self.0.as_ref()?.matches(&asked.path).iter().next()
    }
}
