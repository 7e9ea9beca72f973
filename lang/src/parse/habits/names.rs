//! Unknown and misplaced words, names that are none, and the forms of settings and assignments.

use crate::diagnostic::Diagnostic;
use crate::parse::grammar::Rule;
use crate::parse::mistake::Mistake;
use crate::parse::words::{CLAIMS, DECLARATIONS, Place, RESERVED, ROUTES, STATEMENTS, opens};
use crate::scan::{Scan, Token, TokenKind};
use crate::span::Ident;
use crate::suggest::closest;

/// `X-Name: "…"` and `set X-Name = "…"`: a header without saying of which message.
pub(super) fn header_name(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    let assigns = matches!(mistake.first_word(), "set" | "add" | "remove");
    if mistake.place == Place::Top {
        return None;
    }
    let first = if assigns { mistake.second() } else { mistake.first };
    let (name, end) = dashed(mistake.scan, first)?;
    let start = mistake.scan.tokens().get(first)?.start;
    let capital = name.starts_with(|c: char| c.is_ascii_uppercase());
    let looks_like_one = name.contains('-') || assigns && capital;
    if !looks_like_one || mistake.at >= end + 2 {
        return None;
    }
    let span = mistake.span(start, end);
    let name = name.to_ascii_lowercase();
    let diagnostic = Diagnostic::error("E0118", "this header belongs to no message", span);
    let request = format!("request.header[\"{name}\"]");
    if !assigns {
        let help = format!(
            "write `set {request} = …` for what the upstream gets, `set response.header[\"{name}\"] = …` for the client"
        );
        return Some(diagnostic.help(help));
    }
    let help =
        format!("write `{request}` for what the upstream gets, `response.header[\"{name}\"]` for the client");
    Some(diagnostic.fix(help, span, request))
}

/// The name that is proposed for the one at `at`.
pub(in crate::parse) fn proposed_name(scan: &Scan<'_>, at: usize) -> Option<String> {
    let (name, _) = dashed(scan, scan.index_at(at))?;
    let name = snake_case(name);
    (!name.is_empty() && !RESERVED.contains(&name.as_str())).then_some(name)
}

/// The words joined by `-` from token `first` on, and where they end.
fn dashed<'t>(scan: &Scan<'t>, first: usize) -> Option<(&'t str, usize)> {
    let tokens = scan.tokens().get(first..)?;
    let start = tokens.first().filter(|token| token.kind == TokenKind::Word)?.start;
    let belongs =
        |token: &&Token| matches!(token.kind, TokenKind::Word | TokenKind::Number) || scan.str(token) == "-";
    let end = tokens.iter().take_while(belongs).last()?.end;
    Some((&scan.text[start..end], end))
}

/// `name = value` for `name: value`.
pub(super) fn setting_with_equals(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    let name = mistake.first_word();
    let equals = *mistake.scan.tokens().get(mistake.second())?;
    let keyword = STATEMENTS.contains(&name) || ROUTES.contains(&name) || RESERVED.contains(&name);
    if name.is_empty() || keyword || !mistake.place.has_settings() || mistake.scan.str(&equals) != "=" {
        return None;
    }
    let line = &mistake.scan.text[equals.end..mistake.scan.line_end(equals.end)];
    let value = value_text(line);
    let name_end = mistake.scan.tokens()[mistake.first].end;
    let diagnostic =
        Diagnostic::error("E0104", "settings are written with `:`", mistake.span(equals.start, equals.end));
    let help =
        if value.is_empty() { format!("write `{name}: …`") } else { format!("write `{name}: {value}`") };
    Some(diagnostic.fix(help, mistake.span(name_end, equals.end), ":"))
}

/// The value at the start of a line: up to a closing brace, `;`, comment or two blanks.
fn value_text(line: &str) -> &str {
    let scan = crate::scan::Scan::new(line);
    let mut open = 0usize;
    let mut end = 0;
    for token in scan.tokens() {
        match token.kind {
            TokenKind::Open => open += 1,
            TokenKind::Close if open == 0 => break,
            TokenKind::Close => open -= 1,
            TokenKind::Comment | TokenKind::HashComment => break,
            TokenKind::Space if open == 0 && end > 0 && token.end - token.start > 1 => break,
            TokenKind::Mark if open == 0 && scan.str(token) == ";" => break,
            _ => {}
        }
        if token.kind != TokenKind::Space {
            end = token.end;
        }
    }
    line[..end].trim()
}

/// `set target: value` for `set target = value`, and `const name: value`.
pub(super) fn assignment_with_colon(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    if !matches!(mistake.first_word(), "set" | "add" | "rule" | "let") || mistake.here_text() != ":" {
        return None;
    }
    let span = mistake.here_span();
    let word = mistake.first_word();
    let diagnostic = Diagnostic::error("E0123", format!("`{word}` is written with `=`"), span);
    let blank = if mistake.scan.text[..span.start as usize].ends_with(' ') { "=" } else { " =" };
    Some(diagnostic.fix("replace `:` by `=`", span, blank))
}

/// `else if` for `else when`.
pub(super) fn else_if(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    if mistake.first_word() != "else" || mistake.here_text() != "if" {
        return None;
    }
    let span = mistake.here_span();
    let diagnostic = Diagnostic::error("E0113", "twp has no `else if`", span);
    Some(diagnostic.fix("write `else when`", span, "when"))
}

/// A word of the language at a place where it cannot stand.
pub(super) fn misplaced(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    let word = mistake.first_word();
    let mut known = [DECLARATIONS, ROUTES, STATEMENTS].concat();
    // Among settings those are names like others.
    if mistake.place != Place::Settings {
        known.extend([&["expect"], CLAIMS].concat());
    }
    let allowed = mistake.place.words();
    // A word that may stand here was understood, and the mistake lies further on, except for the head of the file.
    let heads_file = mistake.place == Place::Top && matches!(word, "edition" | "use");
    if !known.contains(&word) || allowed.contains(&word) && !heads_file || !stands_alone(mistake) {
        return if word == "else" { Some(lone_else(mistake)) } else { None };
    }
    let span = first_span(mistake);
    let mut before = mistake.scan.tokens().iter().take(mistake.first);
    if word == "edition" && before.all(|token| token.kind.is_trivia() || token.kind == TokenKind::Doc) {
        let number = mistake.scan.tokens().get(mistake.second());
        let number = number.map_or(span, |token| mistake.span(token.start, token.end));
        let diagnostic = Diagnostic::error("E0109", "an edition is a number", number);
        return Some(diagnostic.help("write `edition 1`"));
    }
    if heads_file {
        let place = if word == "edition" { "the first line" } else { "the head of the file" };
        let diagnostic = Diagnostic::error("E0126", format!("`{word}` cannot stand here"), span);
        return Some(diagnostic.help(format!("move it to {place}, before all declarations")));
    }
    let message = format!("`{word}` cannot stand {}", mistake.place.inside());
    let diagnostic = Diagnostic::error("E0126", message, span);
    let help = if mistake.place == Place::Settings && word == "server" {
        "the servers of an upstream are a list: `servers: [10.0.0.1:8080, 10.0.0.2:8080]`"
    } else if DECLARATIONS.contains(&word) {
        "it stands outside of all blocks; is a `}` missing before it?"
    } else if word == "expect" {
        "it stands inside `test \"…\" { … }`"
    } else if CLAIMS.contains(&word) {
        "it stands inside `invariant \"…\" { … }`"
    } else if ROUTES.contains(&word) {
        "it stands inside a site or group; is a `}` missing before it?"
    } else if mistake.place == Place::Top {
        "statements stand inside a site, group or route"
    } else {
        "statements stand inside a site, group, route, fallback or `when`"
    };
    Some(diagnostic.help(help))
}

/// Whether the first word is used as such and not as the name of a setting.
fn stands_alone(mistake: &Mistake<'_, '_>) -> bool {
    !matches!(mistake.text_of(mistake.second()), ":" | "=" | ".")
}

fn lone_else(mistake: &Mistake<'_, '_>) -> Diagnostic {
    Diagnostic::error("E0126", "`else` has no `when` before it", first_span(mistake))
        .help("`else` follows the `}` of a `when`, or the condition of a `require`")
}

fn first_span(mistake: &Mistake<'_, '_>) -> crate::Span {
    let token = mistake.scan.tokens()[mistake.first];
    mistake.span(token.start, token.end)
}

/// A word that starts nothing.
pub(super) fn unknown_word(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    let word = mistake.first_word();
    let words = mistake.place.words();
    let second = mistake.text_of(mistake.second());
    // `name: value` and `name { … }` are settings; what is wrong with them lies further on.
    let setting = mistake.place.has_settings() && matches!(second, ":" | "{") && !mistake.at_start();
    if word.is_empty() || words.contains(&word) || setting {
        return None;
    }
    let span = first_span(mistake);
    if mistake.place == Place::Settings {
        let diagnostic = Diagnostic::error("E0104", "settings are written with `:`", span.after());
        let help = format!("write `{word}: …` or `{word} {{ … }}`");
        return Some(diagnostic.label(format!("expected `:` or `{{` after `{word}`")).help(help));
    }
    let here = if mistake.place == Place::Top { "" } else { " here" };
    let message = format!("`{word}` does not start {}{here}", mistake.place.part());
    let diagnostic = Diagnostic::error("E0110", message, span);
    let candidates = words.iter().copied().chain((mistake.place != Place::Top).then_some("body"));
    Some(match closest(word, candidates) {
        Some(meant) => diagnostic.fix(format!("did you mean `{meant}`?"), span, meant),
        None if mistake.place == Place::Top => diagnostic
            .help("declarations start with words such as `site`, `upstream`, `listener`, `const` or `rule`"),
        None if mistake.place == Place::Test => {
            diagnostic.help("lines of a test start with `request`, `upstream`, `files` or `expect`")
        }
        None if mistake.place == Place::Invariant => diagnostic.help("claims start with `never` or `always`"),
        None => {
            diagnostic.help("statements start with words such as `set`, `when`, `require`, `to` or `respond`")
        }
    })
}

/// A word that opens a block, misspelt.
pub(in crate::parse) fn misspelt(word: &Ident, meant: &str) -> Diagnostic {
    let message = format!("`{}` does not start a statement here", word.value);
    Diagnostic::error("E0110", message, word.span).fix(format!("did you mean `{meant}`?"), word.span, meant)
}

/// A name in capitals, with dashes, or one that is a word of the language.
pub(super) fn bad_name(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    let here = mistake.here?;
    let text = mistake.here_text();
    if text == "-" {
        return name_with_dash(mistake);
    }
    if here.kind != TokenKind::Word || !mistake.wanted.contains(&Rule::ident) {
        return None;
    }
    let span = mistake.here_span();
    if RESERVED.contains(&text) && !mistake.wanted.contains(&Rule::primary) {
        let diagnostic = Diagnostic::error("E0119", format!("`{text}` is a word of the language"), span);
        return Some(diagnostic.help("choose another name"));
    }
    if !text.starts_with(|c: char| c.is_ascii_uppercase() || c == '_') {
        return None;
    }
    let (text, end) = dashed(mistake.scan, mistake.scan.index_at(here.start))?;
    let span = mistake.span(here.start, end);
    let lower = snake_case(text);
    let message = if text.starts_with('_') {
        "names start with a small letter"
    } else {
        "names are written in small letters"
    };
    let diagnostic = Diagnostic::error("E0119", message, span);
    Some(if lower.is_empty() { diagnostic } else { diagnostic.fix(format!("write `{lower}`"), span, lower) })
}

fn name_with_dash(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    let before = mistake.glued_before().filter(|before| before.kind == TokenKind::Word)?;
    let names_something =
        opens(mistake.first_word()).is_some() || matches!(mistake.first_word(), "const" | "rule");
    // `to my-app` was read up to the dash.
    if !names_something && !mistake.at_start() {
        return None;
    }
    let index = mistake.scan.index_at(before.start);
    let (name, end) = dashed(mistake.scan, index)?;
    let span = mistake.span(before.start, end);
    let written = snake_case(name);
    let diagnostic = Diagnostic::error("E0119", "names have no `-`", span);
    Some(diagnostic.fix(format!("write `{written}`"), span, written))
}

/// `MyName`, `my-name` as `my_name`.
fn snake_case(name: &str) -> String {
    let mut written = String::new();
    let mut small_before = false;
    for c in name.trim_start_matches('_').chars() {
        if c.is_ascii_uppercase() && small_before {
            written.push('_');
        }
        small_before = c.is_ascii_lowercase() || c.is_ascii_digit();
        written.push(if c == '-' { '_' } else { c.to_ascii_lowercase() });
    }
    written
}

/// A block without its opening brace.
pub(super) fn missing_brace(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    let blocks = [Rule::open_brace, Rule::settings, Rule::block, Rule::body];
    let word = mistake.first_word();
    let wanted = mistake.wanted.iter().any(|rule| blocks.contains(rule)) && opens(word).is_some();
    if !wanted || mistake.here_text() == "{" {
        return None;
    }
    let end = mistake.scan.solid_end(mistake.at);
    let place = mistake.span(end, end);
    // Something else between head and brace is the mistake then, not the brace.
    let brace_follows = mistake.scan.text[mistake.at..mistake.scan.line_end(mistake.at)].contains('{');
    if brace_follows || end < mistake.start {
        return None;
    }
    let diagnostic =
        Diagnostic::error("E0121", format!("this `{word}` has no block"), place).label("expected `{`");
    Some(diagnostic.help("put what belongs to it between `{` and `}`"))
}
