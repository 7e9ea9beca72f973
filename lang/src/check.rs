//! The checker: syntax tree in, typed program out, with every rule of the language applied.
//!
//! It resolves names, gives every expression a type, brings literals to their normal form and proves that each
//! route answers. It reports each mistake once, at the place that has to change, and is silent about what follows
//! from a mistake that was reported elsewhere.

mod allow;
mod arguments;
mod call;
mod collect;
mod compare;
mod covers;
mod data;
mod declare;
mod docs;
mod endpoint;
mod enums;
mod env;
mod expr;
mod field;
mod file;
mod flow;
mod fold;
mod function;
mod graph;
mod header;
mod host;
mod imports;
mod impossible;
mod later;
mod let_in;
mod limits;
mod lints;
mod listen;
mod literal;
mod locals;
mod map;
mod mismatch;
mod mount;
mod names;
mod path;
mod pattern;
mod policy;
mod redirect;
mod regex;
mod render;
mod route;
mod scope;
mod server;
mod settings;
mod site;
mod statement;
mod template;
mod terminal;
#[cfg(test)]
mod tests;
mod tls;
mod types;
mod upstream;

use crate::ast::{ConstDecl, EnumDecl, EnvDecl, FnDecl, ItemKind, Named, RuleDecl, Setting, SiteDecl, Tree};
use crate::diagnostic::keep_first;
use crate::hir::{self, EnumTy, Expr, Ty};
use crate::limits::DIAGNOSTICS_MAX;
use crate::module::{Files, Loaded, NoFiles};
use crate::source::Sources;
use crate::suggest::closest;
use crate::{Diagnostic, Level, Span};
use arguments::Head;
use data::DataFile;
pub use lints::LINTS;
use mount::RoutesInfo;
use names::Names;
use policy::PolicyInfo;
use scope::Scope;
use std::collections::BTreeMap;

/// Checks a program. It is there exactly when neither this nor loading found an error: a program with pieces that
/// could not be parsed has none, even when nothing is wrong with the rest. Data files are read on the way and added to
/// the sources.
pub fn check_program(loaded: &mut Loaded, files: &mut dyn Files) -> (Option<hir::Program>, Vec<Diagnostic>) {
    let Loaded { sources, modules } = loaded;
    let modules =
        modules.iter().map(|module| View { name: &module.name, tree: &module.tree, uses: &module.uses });
    run(Check::new(modules.collect(), sources, files))
}

/// Checks a program of one text, which has neither modules nor data files: every `use` leads nowhere.
pub fn check(tree: &Tree) -> (Option<hir::Program>, Vec<Diagnostic>) {
    let modules = vec![View { name: "", tree, uses: &[] }];
    run(Check::new(modules, &mut Sources::default(), &mut NoFiles))
}

fn run(mut ctx: Check<'_>) -> (Option<hir::Program>, Vec<Diagnostic>) {
    collect::all(&mut ctx);
    declare::enums(&mut ctx);
    env::heads(&mut ctx);
    graph::order(&mut ctx);
    upstream::reserve(&mut ctx);
    function::heads(&mut ctx);
    declare::rule_heads(&mut ctx);
    policy::heads(&mut ctx);
    mount::heads(&mut ctx);
    declare::in_order(&mut ctx);
    env::defaults(&mut ctx);
    policy::defaults(&mut ctx);
    mount::defaults(&mut ctx);
    let rules = declare::rules(&mut ctx);
    let server = server::server(&mut ctx);
    server::listeners(&mut ctx);
    upstream::declared(&mut ctx);
    let policies = policy::policies(&mut ctx);
    let routes = mount::declared(&mut ctx);
    let sites = site::sites(&mut ctx);
    site::at_least_one(&mut ctx);
    lints::unused(&mut ctx);
    imports::unused(&mut ctx);
    allow::apply(&mut ctx);

    let consts = std::mem::take(&mut ctx.consts);
    let consts = consts
        .into_iter()
        .filter_map(|c| Some(hir::Const { name: ctx.qualified(&c.decl.name), value: c.value? }))
        .collect();
    let fns = std::mem::take(&mut ctx.fns);
    let fns = fns.into_iter().filter_map(|info| function::finish(&ctx, info)).collect();
    let docs = docs::collect(ctx.modules.iter().map(|module| module.tree));
    let Check { mut diagnostics, listeners, upstreams, envs, incomplete, mut unserved, .. } = ctx;
    diagnostics.sort_by_key(|d| (d.primary.span.source, d.primary.span.start));
    keep_first(&mut diagnostics);
    if incomplete || diagnostics.iter().any(|d| d.level == Level::Error) {
        return (None, diagnostics);
    }
    let envs = envs.into_iter().filter_map(env::finish).collect();
    unserved.sort_by_key(|unserved| (unserved.span.source, unserved.span.start));
    let program = hir::Program {
        server,
        listeners,
        upstreams,
        consts,
        fns,
        envs,
        rules,
        policies,
        routes,
        sites,
        docs,
        unserved,
    };
    (Some(program), diagnostics)
}

/// A module as the checker sees it.
#[derive(Clone, Copy)]
struct View<'t> {
    /// `self.shared.nets`; empty for the entry file.
    name: &'t str,
    tree: &'t Tree,
    /// For each `use` the module it names.
    uses: &'t [Option<u16>],
}

impl View<'_> {
    /// Whether it is part of the standard library.
    fn is_std(&self) -> bool {
        self.name.starts_with("std.")
    }
}

/// Everything the checker knows and has found.
struct Check<'t> {
    /// What was found, in the order it was found.
    diagnostics: Vec<Diagnostic>,
    /// The modules by number; the first is the entry file.
    modules: Vec<View<'t>>,
    /// The texts of the program.
    sources: &'t mut Sources,
    /// What reads data files.
    files: &'t mut dyn Files,
    /// Top-level names of each module.
    names: Names,
    /// Data files that were read, by path.
    data: BTreeMap<String, Option<DataFile>>,
    /// Constants by number.
    consts: Vec<ConstInfo<'t>>,
    /// Constants, functions and policies so that each comes after those it uses; rules and routes stand among them.
    order: Vec<graph::Node>,
    /// Functions by number.
    fns: Vec<FnInfo<'t>>,
    /// Variables of the environment by number.
    envs: Vec<EnvInfo<'t>>,
    /// Declarations of enums.
    enum_decls: Vec<&'t EnumDecl>,
    /// Enums by number.
    enums: Vec<EnumTy>,
    /// What each `let` bound, by number; behind `else` what is present.
    lets: Vec<Expr>,
    /// Rules by number.
    rules: Vec<RuleInfo<'t>>,
    /// Policies by number.
    policies: Vec<PolicyInfo<'t>>,
    /// `routes` by number.
    routes: Vec<RoutesInfo<'t>>,
    /// Settings of declared listeners.
    listener_decls: Vec<&'t Named>,
    /// Settings of declared upstreams.
    upstream_decls: Vec<&'t Named>,
    /// Sites.
    site_decls: Vec<&'t SiteDecl>,
    /// Listeners by number.
    listeners: Vec<hir::Listener>,
    /// Upstreams by number.
    upstreams: Vec<hir::Upstream>,
    /// What the place under the checker's eye may see.
    scope: Scope,
    /// What is sound and not served by this version.
    unserved: Vec<hir::Unserved>,
    /// Some piece was not parsed or is of a later version, so nothing may be said about what is missing.
    incomplete: bool,
}

/// A constant on its way to a value.
struct ConstInfo<'t> {
    decl: &'t ConstDecl,
    /// Its value, once it is checked; never for one that is defined by itself.
    value: Option<Expr>,
    /// Part of a cycle that was reported.
    cyclic: bool,
}

/// A rule with what its callers need to know.
struct RuleInfo<'t> {
    decl: &'t RuleDecl,
    head: Head,
}

/// A function with what its callers need to know.
struct FnInfo<'t> {
    decl: &'t FnDecl,
    head: Head,
    result: Ty,
    /// Its value, once it is checked.
    body: Option<Expr>,
}

/// A variable of the environment.
struct EnvInfo<'t> {
    decl: &'t EnvDecl,
    ty: Ty,
    /// Its value when the environment has none.
    default: Option<Expr>,
}

impl<'t> Check<'t> {
    fn new(modules: Vec<View<'t>>, sources: &'t mut Sources, files: &'t mut dyn Files) -> Check<'t> {
        Check {
            diagnostics: Vec::new(),
            names: Names::new(modules.len()),
            modules,
            sources,
            files,
            data: BTreeMap::new(),
            consts: Vec::new(),
            order: Vec::new(),
            fns: Vec::new(),
            envs: Vec::new(),
            enum_decls: Vec::new(),
            enums: Vec::new(),
            lets: Vec::new(),
            rules: Vec::new(),
            policies: Vec::new(),
            routes: Vec::new(),
            listener_decls: Vec::new(),
            upstream_decls: Vec::new(),
            site_decls: Vec::new(),
            listeners: Vec::new(),
            upstreams: Vec::new(),
            scope: Scope::default(),
            unserved: Vec::new(),
            incomplete: false,
        }
    }

    /// The tree of the entry file.
    fn entry(&self) -> &'t Tree {
        self.modules[0].tree
    }

    /// Reports a finding.
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// The name that may have been meant. Nobody reads beyond the first findings, and looking through all names for
    /// each of many mistakes would take time that grows with the square of the file.
    fn similar<'c>(&self, name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
        (self.diagnostics.len() <= DIAGNOSTICS_MAX).then(|| closest(name, candidates)).flatten()
    }

    /// Notes something sound that this version does not serve, in backticks: a program with it cannot run yet.
    fn unserved(&mut self, what: impl Into<String>, span: Span) {
        self.unserved.push(hir::Unserved { what: what.into(), span });
    }

    /// Reports that something written is not in this version yet.
    fn later(&mut self, what: &str, span: Span) {
        self.incomplete = true;
        self.report(Diagnostic::error("E0001", format!("{what} is not in this version yet"), span));
    }

    /// Settings of all `server` blocks.
    fn server_blocks(tree: &'t Tree) -> impl Iterator<Item = (&'t Vec<Setting>, Span)> {
        tree.items.iter().filter_map(|item| {
            let ItemKind::Server(settings) = &item.kind else { return None };
            Some((settings, item.span))
        })
    }
}
