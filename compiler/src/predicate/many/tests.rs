//! The joined form against each text on its own.

use super::{AnyText, Got, joined};
use crate::abi::View;
use crate::core::{Order, TextTest};
use crate::plan::Read;
use crate::predicate::Cond;
use crate::predicate::sets::TextSet;
use crate::predicate::text::{Operand, Piece};
use crate::testing::rng::Rng;

const OPS: [TextTest; 3] = [TextTest::StartsWith, TextTest::EndsWith, TextTest::Contains];

fn prepared(op: TextTest, texts: &[&[u8]]) -> AnyText {
    let mut any = AnyText::new(op, texts);
    any.prepare();
    any
}

fn plainly(op: TextTest, text: &[u8], part: &[u8]) -> bool {
    match op {
        TextTest::StartsWith => text.starts_with(part),
        TextTest::EndsWith => text.ends_with(part),
        TextTest::Contains => text.windows(part.len()).any(|window| window == part),
    }
}

/// A text over two letters, so that texts begin, end and contain each other all the time.
fn word(rng: &mut Rng, most: usize) -> Vec<u8> {
    (0..=rng.below(most)).map(|_| *rng.pick(b"ab")).collect()
}

#[test]
fn joined_and_single_tests_agree() {
    let mut rng = Rng::new(5);
    let mut held = 0;
    for round in 0..3_000 {
        let parts: Vec<Vec<u8>> = (0..=rng.below(9)).map(|_| word(&mut rng, 6)).collect();
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        let text = if rng.chance(5) { Vec::new() } else { word(&mut rng, 10) };
        let cut = rng.below(text.len() + 1);
        let pieces = [&text[..cut], &text[cut..]].map(|piece| Piece::Literal(piece.into()));
        let view = View::new(&[]);
        for op in OPS {
            let expected = parts.iter().any(|part| plainly(op, &text, part));
            let mut any = prepared(op, &parts);
            if round % 7 == 0 {
                // As if the automaton were too large.
                any.search = None;
            }
            let found = [Got::Slice(&text), Got::Joined(&pieces, &view)].map(|got| any.holds(&got));
            assert_eq!(found, [expected; 2], "{op:?} {parts:?} in {text:?}");
            held += usize::from(expected);
        }
    }
    assert!(held > 2_000 && held < 8_000, "both answers occur often: {held}");
}

#[test]
fn large_lists_are_searched_without_a_table_for_each_byte() {
    let texts: Vec<String> = (0..3_000).map(|n| format!("needle{n:04}x")).collect();
    let parts: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
    let any = prepared(TextTest::Contains, &parts);
    assert!(any.bytes() > 0 && any.bytes() < 1024 * 1024, "{} bytes", any.bytes());
    assert_eq!([b"..needle2999x..".as_slice(), b"needle3000x"].map(|text| any.is_in(text)), [true, false]);
}

#[test]
fn parts_of_an_or_join_by_text_and_kind() {
    let test = |op, read, text: &str| Cond::TextTest {
        op,
        left: Operand::Read(read),
        right: Operand::Literal(text.as_bytes().into()),
    };
    let equal = |text: &str| Cond::TextOrder {
        op: Order::Equal,
        left: Operand::Read(Read::Host),
        right: Operand::Literal(text.as_bytes().into()),
    };
    let contains = |text| test(TextTest::Contains, Read::Path, text);
    let few = vec![contains("a"), test(TextTest::Contains, Read::Host, "b"), equal("x")];
    assert_eq!(joined(few.clone()), few, "three tests without anything in common");

    let parts = vec![equal("x"), contains("a"), Cond::IsSome(Read::QueryString), contains("b"), equal("y")];
    let parts = parts.into_iter().chain(["c", "d", "e", "f"].map(contains)).collect();
    let [first, second, third] = &joined(parts)[..] else { panic!("three tests are left") };
    assert_eq!(*first, Cond::TextIn { value: Operand::Read(Read::Host), set: TextSet::new(["x", "y"]) });
    let Cond::TextAny { value: Operand::Read(Read::Path), any } = second else { panic!("{second:?}") };
    assert_eq!(any.texts().collect::<Vec<&[u8]>>(), [b"a", b"b", b"c", b"d", b"e", b"f"]);
    assert_eq!(*third, Cond::IsSome(Read::QueryString));

    // The empty text is in every text that is present, and the shorter start covers the longer one.
    let starts = |text| test(TextTest::StartsWith, Read::Path, text);
    assert_eq!(joined(["/a", "", "/b", "/c"].map(starts).into()), [starts("")]);
    assert_eq!(joined(["/ab", "/a", "/abc", "/a"].map(starts).into()), [starts("/a")]);
}
