//! Certificates of sites: `none`, `acme(…)`, `files(…)`, or a constant.

use super::names::{self, Kind};
use super::settings::{Chosen, Got, word};
use super::{Check, expr};
use crate::ast::{self, ExprKind};
use crate::catalogue::TLS;
use crate::hir::{Acme, Challenge, Tls};
use crate::{Diagnostic, Span};

/// The certificate that `tls` names; nothing when it was reported or is not known.
pub(super) fn read(ctx: &mut Check<'_>, written: &ast::Expr) -> Option<Tls> {
    if let ExprKind::Name(name) = &written.kind
        && name != "none"
        && ctx.names.place(written.span.source, name).is_some()
    {
        constant(ctx, written, name);
        return None;
    }
    let chosen = word(ctx, "tls", written, &TLS)?;
    of_word(chosen)
}

fn of_word(mut chosen: Chosen) -> Option<Tls> {
    match chosen.word {
        "none" => Some(Tls::None),
        "files" => Some(Tls::Files { cert: chosen.text("cert")?, key: chosen.text("key")? }),
        _ => {
            let email = chosen.text("email")?;
            let directory = chosen.text("directory");
            let challenge = match chosen.take("challenge") {
                Some(Got::Word(challenge)) => of_challenge(challenge)?,
                _ => Challenge::Any,
            };
            Some(Tls::Acme(Acme { email, directory, challenge }))
        }
    }
}

fn of_challenge(mut chosen: Chosen) -> Option<Challenge> {
    match chosen.word {
        "http" => Some(Challenge::Http),
        "tls_alpn" => Some(Challenge::TlsAlpn),
        _ => {
            let (Got::Word(provider), Got::Secret(token)) = (chosen.take("provider")?, chosen.take("token")?)
            else {
                return None;
            };
            Some(Challenge::Dns { provider: provider.word, token })
        }
    }
}

fn constant(ctx: &mut Check<'_>, written: &ast::Expr, name: &str) {
    let found = expr::infer(ctx, written);
    if found.ty != crate::hir::Ty::Error {
        not_a(ctx, name, written.span, &format!("expected Tls, found {}", found.ty));
    }
}

fn not_a(ctx: &mut Check<'_>, name: &str, span: Span, message: &str) {
    let mut found = Diagnostic::error("E0301", message, span);
    if let Some(place) = ctx.names.place(span.source, name) {
        found = found.with(place, "declared here");
    }
    ctx.report(found);
}

/// The name of a declared secret.
pub(super) fn secret(ctx: &mut Check<'_>, argument: &str, written: &ast::Expr) -> Option<String> {
    let ExprKind::Name(name) = &written.kind else {
        ctx.report(
            Diagnostic::error("E0301", format!("`{argument}` is the name of a secret"), written.span)
                .help("declare `secret name from env \"NAME\"` and write its name here"),
        );
        return None;
    };
    match ctx.names.look_up(written.span.source, name).map(|found| found.kind) {
        None => names::unknown_value(ctx, name, written.span),
        Some(Kind::Later) => return Some(name.clone()),
        Some(kind) => {
            let message =
                format!("`{argument}` is the name of a secret, `{name}` is {}", kind.with_article());
            not_a(ctx, name, written.span, &message);
        }
    }
    None
}
