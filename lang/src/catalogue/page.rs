//! The reference page of the settings.

use super::{BLOCKS, Block, Kind, Setting, Word};
use std::fmt::Write;

const HEAD: &str = "\
# Settings

Every setting, where it stands, what it takes and what holds without it. This page is made from the table that the
checker reads; `twpc check` says where something else is written. Values are known when the file is checked: literals
and constants.

A setting that is **later** is checked like any other. `twp run` refuses a file with it, one `E0002` for each place, and
so does `twpc check --for-run`; on a reload what ran before goes on.
";

/// The page, as Markdown.
pub fn page() -> String {
    let mut page = HEAD.to_owned();
    for block in BLOCKS {
        let _ = write!(page, "\n## {}\n\n", title(block));
        page.push_str("| setting | value | default | |\n| --- | --- | --- | --- |\n");
        rows(&mut page, block, "", true);
    }
    page
}

fn title(block: &Block) -> String {
    if block.name.contains(' ') { block.name.to_owned() } else { format!("`{}`", block.name) }
}

fn rows(page: &mut String, block: &Block, outer: &str, is_served: bool) {
    for setting in block.settings {
        let name = format!("{outer}{}", setting.name);
        let is_served = is_served && setting.served;
        if let Kind::Block(inner) = setting.kind {
            let _ = writeln!(page, "| `{name} {{ … }}` | | | {}{} |", setting.doc, later(is_served));
            rows(page, inner, &format!("{name}."), is_served);
            continue;
        }
        let default = match setting.default {
            "" => String::new(),
            text if is_written(setting, text) => format!("`{text}`"),
            text => text.to_owned(),
        };
        let value = value(setting.kind, is_served);
        let _ = writeln!(page, "| `{name}` | {value} | {default} | {}{} |", setting.doc, later(is_served));
    }
}

fn later(is_served: bool) -> &'static str {
    if is_served { "" } else { "; **later**" }
}

/// Whether a default is what a person would write, not a description.
fn is_written(setting: &Setting, default: &str) -> bool {
    match setting.kind {
        Kind::Int(..) | Kind::Percent(_) => default.bytes().all(|b| b.is_ascii_digit() || b == b'%'),
        Kind::Size(..) | Kind::Duration(_) => default.starts_with(|c: char| c.is_ascii_digit()),
        Kind::Bool
        | Kind::Word(_)
        | Kind::Words(_)
        | Kind::Failures
        | Kind::Statuses
        | Kind::Tls
        | Kind::Path => true,
        Kind::Text
        | Kind::Host
        | Kind::Ints(..)
        | Kind::Networks
        | Kind::Endpoints
        | Kind::Key
        | Kind::Secret
        | Kind::Block(_) => false,
    }
}

/// What a setting takes, in words.
fn value(kind: Kind, is_served: bool) -> String {
    match kind {
        Kind::Bool => "`true` or `false`".to_owned(),
        Kind::Int(least, most) => format!("{least} to {most}"),
        Kind::Size(least, most) => format!("a size, {} to {}", size(least), size(most)),
        Kind::Duration(_) => "a duration, up to 24h".to_owned(),
        Kind::Percent(most) => format!("a percentage, up to {}%", most / 100),
        Kind::Text => "text".to_owned(),
        Kind::Path => "a path".to_owned(),
        Kind::Host => "a host".to_owned(),
        Kind::Ints(least, most) => format!("a list of numbers, each {least} to {most}"),
        Kind::Networks => "a list of addresses and networks".to_owned(),
        Kind::Endpoints => {
            "a list of `10.0.0.1:80`, `[::1]:80`, `:80`, `name:80`, `unix:/run/a.sock`".to_owned()
        }
        Kind::Statuses => "a status or a range of them".to_owned(),
        Kind::Failures => "a list of failures and statuses".to_owned(),
        Kind::Key => "a text or address of the exchange".to_owned(),
        Kind::Secret => "the name of a secret".to_owned(),
        Kind::Tls => "`none`, `acme(…)`, `files(…)` or a constant of type Tls".to_owned(),
        Kind::Word(choice) => words(choice.words, is_served),
        Kind::Words(choice) => format!("a list of {}", words(choice.words, is_served)),
        Kind::Block(_) => String::new(),
    }
}

fn words(words: &[Word], is_served: bool) -> String {
    let show = |word: &Word| {
        let arguments: Vec<String> =
            word.arguments.iter().map(|argument| format!("{}: …", argument.name)).collect();
        let written = if arguments.is_empty() {
            word.name.to_owned()
        } else {
            format!("{}({})", word.name, arguments.join(", "))
        };
        let mark = if is_served && !word.served { " (later)" } else { "" };
        format!("`{written}`{mark}")
    };
    words.iter().map(show).collect::<Vec<_>>().join(" · ")
}

/// A size in the largest unit that gives a whole number.
pub(crate) fn size(bytes: u64) -> String {
    let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    match units.into_iter().find(|(bits, _)| bytes > 0 && bytes.is_multiple_of(1 << bits)) {
        Some((bits, unit)) => format!("{}{unit}", bytes >> bits),
        None => format!("{bytes}B"),
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCKS, Block, Kind};

    #[test]
    fn entries_are_written_like_the_others() {
        fn walk(block: &Block, n_settings: &mut usize) {
            let mut names: Vec<_> = block.names().collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), block.settings.len(), "{} names a setting twice", block.place);
            for setting in block.settings {
                *n_settings += 1;
                let doc = setting.doc;
                assert!(
                    !doc.is_empty() && doc.len() <= 120 && !doc.ends_with('.'),
                    "{}: {doc}",
                    setting.name
                );
                assert!(!doc.contains('|') && !doc.contains('\n'), "{}: {doc}", setting.name);
                if let Kind::Block(inner) = setting.kind {
                    walk(inner, n_settings);
                }
            }
        }
        let mut n_settings = 0;
        for block in BLOCKS {
            walk(block, &mut n_settings);
        }
        assert!(n_settings > 60, "only {n_settings} settings were found");
    }
}
