//! Parts of sites and routes, one node per line.

use super::{Dump, text};
use crate::ast::{Arm, BodyItem, Expr, RedirectTarget, SiteItem, Stmt, StmtKind, Terminal, TerminalKind};

impl Dump {
    pub(super) fn site_item(&mut self, item: &SiteItem) {
        match item {
            SiteItem::Route(route) => {
                self.leading(&route.docs, &route.attributes);
                let methods: Vec<_> = route.methods.iter().map(|method| method.value.as_str()).collect();
                let path =
                    route.path.as_ref().map(|path| format!(" {}", text::pattern(path))).unwrap_or_default();
                let name = text::named(route.name.as_ref());
                let methods =
                    if methods.is_empty() { String::new() } else { format!(" {}", methods.join("|")) };
                self.line(Some(route.span), &format!("route{methods}{path}{name}"));
                self.inside(|out| {
                    out.guard(route.guard.as_ref());
                    out.body(&route.body);
                });
            }
            SiteItem::Group(group) => {
                self.leading(&group.docs, &group.attributes);
                let path =
                    group.path.as_ref().map(|path| format!(" {}", text::pattern(path))).unwrap_or_default();
                self.line(Some(group.span), &format!("group{path}"));
                self.inside(|out| {
                    out.guard(group.guard.as_ref());
                    group.items.iter().for_each(|item| out.site_item(item));
                });
            }
            SiteItem::Mount(mount) => {
                self.leading(&mount.docs, &mount.attributes);
                let at =
                    mount.at.as_ref().map(|path| format!(" at {}", text::pattern(path))).unwrap_or_default();
                let (target, name) = (text::module(&mount.target), text::named(mount.name.as_ref()));
                self.line(Some(mount.span), &format!("mount {target}{at}{name}"));
                self.arguments(&mount.arguments);
            }
            SiteItem::Fallback(fallback) => {
                self.leading(&[], &fallback.attributes);
                self.line(Some(fallback.span), "fallback");
                self.inside(|out| out.body(&fallback.body));
            }
            SiteItem::Stmt(stmt) => self.stmt(stmt),
            SiteItem::Setting(setting) => self.setting(setting),
            SiteItem::Error(span) => self.line(Some(*span), "error"),
        }
    }

    fn guard(&mut self, guard: Option<&Expr>) {
        if let Some(guard) = guard {
            self.line(None, "when");
            self.inside(|out| out.expr(guard));
        }
    }

    fn body(&mut self, body: &[BodyItem]) {
        for item in body {
            match item {
                BodyItem::Stmt(stmt) => self.stmt(stmt),
                BodyItem::Setting(setting) => self.setting(setting),
            }
        }
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt) {
        let at = Some(stmt.span);
        match &stmt.kind {
            StmtKind::Let { name, ty, value, otherwise } => {
                let ty = ty.as_ref().map(|ty| format!(": {}", text::type_name(ty))).unwrap_or_default();
                self.with(at, &format!("let {}{ty}", name.value), &[value]);
                self.otherwise(otherwise.as_deref());
            }
            StmtKind::Set { target, value } => self.with(at, "set", &[target, value]),
            StmtKind::Add { target, value } => self.with(at, "add", &[target, value]),
            StmtKind::Remove { target } => self.with(at, "remove", &[target]),
            StmtKind::RewritePath(path) => self.line(at, &format!("rewrite path {}", text::template(path))),
            StmtKind::RewriteHost(value) => self.with(at, "rewrite host", &[value]),
            StmtKind::RewriteStrip(path) => self.line(at, &format!("rewrite strip {}", text::pattern(path))),
            StmtKind::When { condition, then, otherwise } => {
                self.with(at, "when", &[condition]);
                self.stmts(then);
                if let Some(otherwise) = otherwise {
                    self.line(None, "else");
                    self.stmts(otherwise);
                }
            }
            StmtKind::Require { condition, otherwise } => {
                self.with(at, "require", &[condition]);
                self.inside(|out| out.terminal(otherwise));
            }
            StmtKind::Apply { policy, arguments } => {
                self.line(at, &format!("apply {}", text::module(policy)));
                self.arguments(arguments);
            }
            StmtKind::Limit { settings, otherwise } => {
                self.settings(stmt.span, "limit", settings);
                self.otherwise(otherwise.as_deref());
            }
            StmtKind::Cache(settings) => self.settings(stmt.span, "cache", settings),
            StmtKind::Compress(value) => self.with(at, "compress", &[value]),
            StmtKind::OnResponse { condition, body } => {
                self.line(at, "on response");
                self.inside(|out| out.guard(condition.as_ref()));
                self.stmts(body);
            }
            StmtKind::OnError { failures, body } => {
                let failures = if failures.is_empty() {
                    String::new()
                } else {
                    format!(" {}", text::joined(failures, "|"))
                };
                self.line(at, &format!("on error{failures}"));
                self.stmts(body);
            }
            StmtKind::Terminal(terminal) => self.terminal(terminal),
            StmtKind::Error => self.line(at, "error"),
        }
    }

    pub(super) fn stmts(&mut self, stmts: &[Stmt]) {
        self.inside(|out| stmts.iter().for_each(|stmt| out.stmt(stmt)));
    }

    fn terminal(&mut self, terminal: &Terminal) {
        let at = Some(terminal.span);
        match &terminal.kind {
            TerminalKind::To { target, settings } => {
                self.settings(terminal.span, &format!("to {}", text::upstream(target)), settings);
            }
            TerminalKind::Tunnel { target, settings } => {
                self.settings(terminal.span, &format!("tunnel {}", text::upstream(target)), settings);
            }
            TerminalKind::Respond { status, body } => {
                self.with(at, "respond", &[status]);
                self.inside(|out| body.iter().for_each(|body| out.expr(body)));
            }
            TerminalKind::Redirect { status, location: RedirectTarget::Path(path) } => {
                self.line(at, &format!("redirect {} {}", status.value, text::template(path)));
            }
            TerminalKind::Redirect { status, location: RedirectTarget::Text(text) } => {
                self.with(at, &format!("redirect {}", status.value), &[text]);
            }
            TerminalKind::Files { directory, settings, otherwise } => {
                self.with(at, "files", &[directory]);
                self.inside(|out| settings.iter().for_each(|setting| out.setting(setting)));
                self.otherwise(otherwise.as_deref());
            }
            TerminalKind::Split { sticky, arms } => {
                self.line(at, if sticky.is_some() { "split sticky" } else { "split" });
                self.inside(|out| {
                    sticky.iter().flatten().for_each(|setting| out.setting(setting));
                    for arm in arms {
                        out.arm(arm);
                    }
                });
            }
            TerminalKind::Close => self.line(at, "close"),
        }
    }

    fn otherwise(&mut self, terminal: Option<&Terminal>) {
        if let Some(terminal) = terminal {
            self.line(None, "else");
            self.inside(|out| out.terminal(terminal));
        }
    }

    fn arm(&mut self, arm: &Arm) {
        let (share, name) = (text::percent(arm.share.value), text::named(arm.name.as_ref()));
        self.line(Some(arm.span), &format!("{share}{name}"));
        self.inside(|out| out.terminal(&arm.terminal));
    }
}
