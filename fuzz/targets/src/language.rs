//! The way of a configuration: any text ends in a program or in reasons, and every engine decides alike.

use twp_compiler::{EngineChoice, Request, testing};
use twp_lang::{Diagnostic, Level, Span};

/// Reads, checks and compiles any text.
///
/// There is a program exactly when nothing is wrong; every place that a finding names can be shown; and what was
/// compiled decides by native code as by tables.
pub fn parse(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (tree, mut found) = twp_lang::parse(&text);
    let is_read = !has_errors(&found);
    let (program, more) = twp_lang::check(&tree);
    let is_sound = !has_errors(&more);
    found.extend(more);
    for finding in &found {
        can_be_shown(finding, &text);
    }
    assert!(program.is_none() || is_sound, "a program with errors: {found:#?}");
    assert!(program.is_some() || !is_sound || !is_read, "no program and no reason");
    let Some(program) = program else { return };
    match twp_compiler::compile(&program) {
        Ok(mut artifact) => {
            artifact.program.use_engine(EngineChoice::Auto).expect("tables where there is no native code");
            Request::default().with_view(&artifact.plan.slots, |view| {
                let (native, tables) =
                    (artifact.program.decide(view), artifact.program.decide_by_tables(view));
                assert_eq!(native, tables, "native code decides as tables do");
            });
        }
        Err(exceeded) => {
            assert!(has_errors(&exceeded), "no artifact and no reason");
            for finding in &exceeded {
                can_be_shown(finding, &text);
            }
        }
    }
}

/// Makes a program and requests of the bytes and compares the interpreter, the tables and native code on them.
pub fn agree(bytes: &[u8]) {
    let compared = testing::agree_on(bytes);
    assert!(compared.is_none_or(|counts| counts.pairs > 0), "something was compared");
}

fn has_errors(found: &[Diagnostic]) -> bool {
    found.iter().any(|finding| finding.level == Level::Error)
}

/// All that a renderer takes for granted of a finding.
fn can_be_shown(finding: &Diagnostic, text: &str) {
    assert!(!finding.message.is_empty(), "{finding:#?}");
    assert!(twp_lang::explain::explain(finding.code).is_some(), "no page: {finding:#?}");
    let labels = std::iter::once(&finding.primary).chain(&finding.secondary);
    let patches = finding.helps.iter().flat_map(|help| &help.patches);
    let places = labels.map(|label| label.span).chain(patches.map(|patch| patch.span));
    for Span { source, start, end } in places {
        let part = text.get(start as usize..end as usize);
        assert!(source == 0 && part.is_some(), "{start}..{end} is no part of the text: {finding:#?}");
    }
}
