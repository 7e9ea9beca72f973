//! Checked programs made by hand, piece by piece.

use twp_lang::Span;
use twp_lang::ast::HostPattern;
use twp_lang::hir::{
    Comparison, Expr, ExprKind, Field, Listener, Location, PathTemplate, Program, Route, RouteSettings,
    Servers, Site, Terminal, Timeouts, Ty, Upstream, Value,
};
use twp_lang::literal::Endpoint;
use twp_lang::span::Spanned;

pub(crate) const NOWHERE: Span = Span { source: 0, start: 0, end: 0 };

pub(super) fn expr(kind: ExprKind, ty: Ty) -> Expr {
    Expr { kind, ty, span: NOWHERE }
}

pub(super) fn boxed(kind: ExprKind, ty: Ty) -> Box<Expr> {
    Box::new(expr(kind, ty))
}

pub(super) fn text(text: &str) -> Expr {
    expr(ExprKind::Value(Value::Text(text.to_owned())), Ty::String)
}

pub(super) fn int(number: i64) -> Expr {
    expr(ExprKind::Value(Value::Int(number)), Ty::Int)
}

pub(super) fn field(field: Field) -> Expr {
    let ty = match field {
        Field::Method => Ty::Method,
        Field::Scheme => Ty::Scheme,
        Field::Host => Ty::Host,
        Field::Port => Ty::Port,
        Field::Path => Ty::Path,
        Field::Target => Ty::String,
        Field::ClientIp => Ty::Ip,
        Field::QueryString | Field::Header(_) | Field::Query(_) | Field::Cookie(_) => {
            Ty::Option(Box::new(Ty::String))
        }
    };
    expr(ExprKind::Field(field), ty)
}

pub(super) fn compare(op: Comparison, left: Expr, right: Expr) -> Expr {
    expr(ExprKind::Compare { op, left: Box::new(left), right: Box::new(right) }, Ty::Bool)
}

pub(super) fn set(elements: Vec<Expr>, of: Ty) -> Expr {
    expr(ExprKind::Set(elements), Ty::Set(Box::new(of)))
}

/// A program with one listener, one upstream and these sites.
pub(crate) fn program(sites: Vec<Site>) -> Program {
    let port = |port| Spanned::new(Endpoint::Port(port), NOWHERE);
    let listener =
        |name: &str, at| Listener { name: name.to_owned(), plain: vec![port(at)], ..Listener::default() };
    let upstream =
        |name: &str| Upstream { name: name.to_owned(), servers: Servers::Echo, ..Upstream::default() };
    Program {
        listeners: vec![listener("web", 80), listener("inside", 8080)],
        upstreams: vec![upstream("app"), upstream("other")],
        sites,
        ..Program::default()
    }
}

pub(crate) fn site(hosts: Vec<HostPattern>, items: Vec<Route>) -> Site {
    Site {
        hosts: hosts.into_iter().map(|host| Spanned::new(host, NOWHERE)).collect(),
        listeners: vec![0],
        same_slash: false,
        tls: twp_lang::hir::Tls::None,
        http: twp_lang::hir::PlainHttp::Redirect,
        settings: RouteSettings::default(),
        statements: Vec::new(),
        items: items.into_iter().map(twp_lang::hir::SiteItem::Route).collect(),
        fallback: None,
        head: NOWHERE,
    }
}

/// `to` the upstream of this number.
pub(super) fn to(upstream: usize) -> Terminal {
    Terminal::To { upstream: self::upstream(upstream), timeouts: Timeouts::default(), retry: None }
}

pub(super) fn upstream(number: usize) -> Expr {
    expr(ExprKind::Upstream(number), Ty::Upstream)
}

pub(super) fn redirect(status: u16, template: PathTemplate) -> Terminal {
    Terminal::Redirect { status, location: Location::Path(template) }
}
