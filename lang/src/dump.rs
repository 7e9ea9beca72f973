//! The syntax tree as text for people: one node per line, indented, with the bytes it was read from.

use crate::Span;
use crate::ast::{
    BodyItem, CaptureKind, Expr, ExprKind, HostPattern, Item, ItemKind, Literal, Named, Param, PathPattern,
    PathTemplate, PatternPart, RedirectTarget, Setting, SettingValue, SiteItem, Stmt, StmtKind, TemplatePart,
    Terminal, TerminalKind, TextPiece, Tree, TypeName, UnaryOp, UpstreamTarget,
};
use std::fmt::Write as _;

/// Writes a tree, one node per line.
pub fn dump_ast(tree: &Tree) -> String {
    let mut out = Dump { text: String::new(), depth: 0 };
    if let Some(edition) = &tree.edition {
        out.line(Some(edition.span), &format!("edition {}", edition.value));
    }
    for item in &tree.items {
        out.item(item);
    }
    out.text
}

struct Dump {
    text: String,
    depth: usize,
}

impl Dump {
    fn line(&mut self, span: Option<Span>, text: &str) {
        let blanks = self.depth * 2;
        // Writing to a String cannot fail.
        let _ = match span {
            Some(span) => writeln!(self.text, "{:blanks$}{text}  @{}..{}", "", span.start, span.end),
            None => writeln!(self.text, "{:blanks$}{text}", ""),
        };
    }

    fn inside(&mut self, write: impl FnOnce(&mut Self)) {
        self.depth += 1;
        write(self);
        self.depth -= 1;
    }

    fn item(&mut self, item: &Item) {
        for attribute in &item.attributes {
            self.line(
                Some(attribute.name.span),
                &format!("@{}({})", attribute.name.value, attribute.argument.value),
            );
        }
        match &item.kind {
            ItemKind::Server(settings) => self.settings(item.span, "server", settings),
            ItemKind::Listener(named) => self.named(item.span, "listener", named),
            ItemKind::Upstream(named) => self.named(item.span, "upstream", named),
            ItemKind::Const(decl) => {
                let ty = decl.ty.as_ref().map(|ty| format!(": {}", type_name(ty))).unwrap_or_default();
                self.line(Some(item.span), &format!("const {}{ty}", decl.name.value));
                self.inside(|out| out.expr(&decl.value));
            }
            ItemKind::Rule(decl) => {
                let params: Vec<_> = decl.params.iter().map(param).collect();
                self.line(Some(item.span), &format!("rule {}({})", decl.name.value, params.join(", ")));
                self.inside(|out| {
                    for default in decl.params.iter().filter_map(|param| param.default.as_ref()) {
                        out.expr(default);
                    }
                    out.expr(&decl.condition);
                });
            }
            ItemKind::Site(site) => {
                let hosts: Vec<_> = site.hosts.iter().map(|pattern| host(&pattern.value)).collect();
                let names: Vec<_> = site.listeners.iter().map(|name| name.value.as_str()).collect();
                let on = if names.is_empty() { String::new() } else { format!(" on {}", names.join(", ")) };
                self.line(Some(item.span), &format!("site {}{on}", hosts.join(", ")));
                self.inside(|out| site.items.iter().for_each(|item| out.site_item(item)));
            }
            ItemKind::Later(later) => self.line(Some(later.span), &format!("later {}", later.what)),
            ItemKind::Error(_) => self.line(Some(item.span), "error"),
        }
    }

    fn named(&mut self, span: Span, word: &str, named: &Named) {
        self.settings(span, &format!("{word} {}", named.name.value), &named.settings);
    }

    fn settings(&mut self, span: Span, head: &str, settings: &[Setting]) {
        self.line(Some(span), head);
        self.inside(|out| settings.iter().for_each(|setting| out.setting(setting)));
    }

    fn setting(&mut self, setting: &Setting) {
        match &setting.value {
            SettingValue::Expr(value) => {
                self.line(Some(setting.span), &format!("{}:", setting.name.value));
                self.inside(|out| out.expr(value));
            }
            SettingValue::Block(settings) => self.settings(setting.span, &setting.name.value, settings),
        }
    }

    fn site_item(&mut self, item: &SiteItem) {
        match item {
            SiteItem::Route(route) => {
                let methods: Vec<_> = route.methods.iter().map(|method| method.value.as_str()).collect();
                let path = route.path.as_ref().map(|path| format!(" {}", pattern(path))).unwrap_or_default();
                let name = route.name.as_ref().map(|name| format!(" as {}", name.value)).unwrap_or_default();
                let methods =
                    if methods.is_empty() { String::new() } else { format!(" {}", methods.join("|")) };
                self.line(Some(route.span), &format!("route{methods}{path}{name}"));
                self.inside(|out| {
                    out.guard(route.guard.as_ref());
                    out.body(&route.body);
                });
            }
            SiteItem::Group(group) => {
                let path = group.path.as_ref().map(|path| format!(" {}", pattern(path))).unwrap_or_default();
                self.line(Some(group.span), &format!("group{path}"));
                self.inside(|out| {
                    out.guard(group.guard.as_ref());
                    group.items.iter().for_each(|item| out.site_item(item));
                });
            }
            SiteItem::Fallback(fallback) => {
                self.line(Some(fallback.span), "fallback");
                self.inside(|out| out.body(&fallback.body));
            }
            SiteItem::Stmt(stmt) => self.stmt(stmt),
            SiteItem::Setting(setting) => self.setting(setting),
            SiteItem::Later(later) => self.line(Some(later.span), &format!("later {}", later.what)),
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

    fn stmt(&mut self, stmt: &Stmt) {
        let at = Some(stmt.span);
        match &stmt.kind {
            StmtKind::Set { target, value } => self.with(at, "set", &[target, value]),
            StmtKind::Add { target, value } => self.with(at, "add", &[target, value]),
            StmtKind::Remove { target } => self.with(at, "remove", &[target]),
            StmtKind::RewritePath(path) => self.line(at, &format!("rewrite path {}", template(path))),
            StmtKind::RewriteHost(value) => self.with(at, "rewrite host", &[value]),
            StmtKind::RewriteStrip(path) => self.line(at, &format!("rewrite strip {}", pattern(path))),
            StmtKind::When { condition, then, otherwise } => {
                self.with(at, "when", &[condition]);
                self.inside(|out| then.iter().for_each(|stmt| out.stmt(stmt)));
                if let Some(otherwise) = otherwise {
                    self.line(None, "else");
                    self.inside(|out| otherwise.iter().for_each(|stmt| out.stmt(stmt)));
                }
            }
            StmtKind::Require { condition, otherwise } => {
                self.with(at, "require", &[condition]);
                self.inside(|out| out.terminal(otherwise));
            }
            StmtKind::Terminal(terminal) => self.terminal(terminal),
            StmtKind::Later(later) => self.line(at, &format!("later {}", later.what)),
            StmtKind::Error => self.line(at, "error"),
        }
    }

    fn with(&mut self, span: Option<Span>, head: &str, values: &[&Expr]) {
        self.line(span, head);
        self.inside(|out| values.iter().for_each(|value| out.expr(value)));
    }

    fn terminal(&mut self, terminal: &Terminal) {
        let at = Some(terminal.span);
        match &terminal.kind {
            TerminalKind::To { target, settings } => {
                let target = match target {
                    UpstreamTarget::Name(name) => name.value.clone(),
                    UpstreamTarget::Endpoint(endpoint) => endpoint.value.to_string(),
                };
                self.settings(terminal.span, &format!("to {target}"), settings);
            }
            TerminalKind::Respond { status, body } => {
                self.with(at, "respond", &[status]);
                self.inside(|out| body.iter().for_each(|body| out.expr(body)));
            }
            TerminalKind::Redirect { status, location: RedirectTarget::Path(path) } => {
                self.line(at, &format!("redirect {} {}", status.value, template(path)));
            }
            TerminalKind::Redirect { status, location: RedirectTarget::Text(text) } => {
                self.with(at, &format!("redirect {}", status.value), &[text]);
            }
            TerminalKind::Later(later) => self.line(at, &format!("later {}", later.what)),
        }
    }

    fn expr(&mut self, expr: &Expr) {
        let at = Some(expr.span);
        match &expr.kind {
            ExprKind::Literal(value) => self.line(at, &literal(value)),
            ExprKind::Text(pieces) => {
                self.line(at, "text");
                self.inside(|out| {
                    for piece in pieces {
                        match piece {
                            TextPiece::Literal(text) => out.line(None, &format!("{text:?}")),
                            TextPiece::Expr(expr) => out.expr(expr),
                        }
                    }
                });
            }
            ExprKind::Name(name) => self.line(at, name),
            ExprKind::Access { base, name } => self.with(at, &format!(".{}", name.value), &[base]),
            ExprKind::Index { base, index } => self.with(at, "[ ]", &[base, index]),
            ExprKind::Call { callee, arguments } => {
                self.with(at, "call", &[callee]);
                self.inside(|out| {
                    for argument in arguments {
                        if let Some(name) = &argument.name {
                            out.line(None, &format!("{}:", name.value));
                        }
                        out.expr(&argument.value);
                    }
                });
            }
            ExprKind::Unary { op: UnaryOp::Not, operand } => self.with(at, "not", &[operand]),
            ExprKind::Unary { op: UnaryOp::Negate, operand } => self.with(at, "negate", &[operand]),
            ExprKind::Binary { op, left, right } => self.with(at, op.value.as_str(), &[left, right]),
            ExprKind::If { condition, then, otherwise } => self.with(at, "if", &[condition, then, otherwise]),
            ExprKind::List(items) => self.with(at, "list", &items.iter().collect::<Vec<_>>()),
            ExprKind::Map(entries) => {
                let values: Vec<_> = entries.iter().flat_map(|(key, value)| [key, value]).collect();
                self.with(at, "map", &values);
            }
            ExprKind::Error => self.line(at, "error"),
        }
    }
}

fn param(param: &Param) -> String {
    format!("{}: {}", param.name.value, type_name(&param.ty))
}

fn type_name(ty: &TypeName) -> String {
    if ty.arguments.is_empty() {
        return ty.name.value.clone();
    }
    let arguments: Vec<_> = ty.arguments.iter().map(type_name).collect();
    format!("{}<{}>", ty.name.value, arguments.join(", "))
}

fn host(pattern: &HostPattern) -> String {
    match pattern {
        HostPattern::Exact(name) => name.clone(),
        HostPattern::OneLabel { capture: Some(name), suffix } => format!("{{{}}}.{suffix}", name.value),
        HostPattern::OneLabel { capture: None, suffix } => format!("*.{suffix}"),
        HostPattern::AnyDepth(suffix) => format!("**.{suffix}"),
        HostPattern::Any => "*".to_owned(),
    }
}

fn pattern(path: &PathPattern) -> String {
    let mut text = String::new();
    for segment in &path.segments {
        text.push('/');
        for part in &segment.parts {
            match part {
                PatternPart::Literal(literal) => text.push_str(&literal.value),
                PatternPart::Capture(capture) => {
                    let kind = match &capture.kind {
                        CaptureKind::Segment => String::new(),
                        CaptureKind::Rest => "...".to_owned(),
                        CaptureKind::Typed(ty) => format!(":{}", ty.value),
                        CaptureKind::Regex(regex) => format!(":re\"{}\"", regex.value.pattern),
                    };
                    let _ = write!(text, "{{{}{kind}}}", capture.name.value);
                }
            }
        }
    }
    text
}

fn template(path: &PathTemplate) -> String {
    let mut text = String::new();
    for part in &path.parts {
        match part {
            TemplatePart::Literal(literal) => text.push_str(&literal.value),
            TemplatePart::Capture { name, rest, span: _ } => {
                let _ = write!(text, "{{{}{}}}", name.value, if *rest { "..." } else { "" });
            }
        }
    }
    text
}

fn literal(value: &Literal) -> String {
    match value {
        Literal::Int(number) => number.to_string(),
        Literal::Duration(milliseconds) => format!("{milliseconds}ms"),
        Literal::Size(bytes) => format!("{bytes}B"),
        Literal::Rate { count, seconds } => format!("{count} in {seconds}s"),
        Literal::Percent(hundredths) => format!("{}.{:02}%", hundredths / 100, hundredths % 100),
        Literal::Text(text) => format!("{text:?}"),
        Literal::Regex(regex) => format!("re{:?}{}", regex.pattern, if regex.ignore_case { "i" } else { "" }),
        Literal::Glob(glob) => format!("glob{glob:?}"),
        Literal::Ip(addr) => addr.to_string(),
        Literal::Cidr(cidr) => cidr.to_string(),
        Literal::Endpoint(endpoint) => endpoint.to_string(),
        Literal::Bool(value) => value.to_string(),
        Literal::Method(method) => method.to_string(),
        Literal::Path(path) => path.clone(),
        Literal::Upper(name) => name.clone(),
    }
}
