//! Texts: where they are, and comparisons with constant ones by words that overlap inside the text.

use super::emit::{Emit, Str};
use super::fault::{Fault, active};
use crate::abi::layout;
use crate::plan::{Read, SlotId};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder as _, Value};
use std::collections::BTreeMap;

/// A part of the request as native code gets at it.
pub(super) enum Source {
    /// It is here.
    Text(Str),
    /// It never is.
    Absent,
    /// It takes more than loads.
    Foreign,
}

/// A word of a text: where it begins and how many bytes it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Word {
    at: usize,
    bytes: u32,
}

/// A constant text and where it leads.
type Case<'t> = (&'t [u8], Block);

impl Emit<'_> {
    /// A part of the request; goes to `absent` where it is not there.
    pub(super) fn read(&mut self, read: Read, absent: Block) -> Source {
        match read {
            Read::Method => Source::Text(self.present(layout::METHOD_TEXT, absent)),
            Read::Host => Source::Text(self.present(layout::HOST, absent)),
            Read::Path => Source::Text(self.view_text(layout::PATH)),
            Read::QueryString => Source::Text(self.present(layout::QUERY, absent)),
            Read::Slot(SlotId::MAX) | Read::Port | Read::Target | Read::ClientIp => Source::Absent,
            Read::Slot(slot) => {
                let text = self.slot_text(slot);
                Source::Text(self.not_null(text, absent))
            }
            Read::Segment { index, skip, trim } => {
                Source::Text(self.inside_segment(index, u64::from(skip), u64::from(trim), absent))
            }
            Read::Rest(index) => Source::Text(self.rest(index)),
            Read::Scheme | Read::HostLabel => Source::Foreign,
        }
    }

    fn present(&mut self, offset: i32, absent: Block) -> Str {
        let text = self.view_text(offset);
        self.not_null(text, absent)
    }

    fn not_null(&mut self, text: Str, absent: Block) -> Str {
        if active(Fault::PresenceForgotten) {
            return text;
        }
        let there = self.compare_to(IntCC::NotEqual, text.ptr, 0);
        self.require(there, absent);
        text
    }

    /// A segment that exists.
    pub(super) fn segment(&mut self, index: u8) -> Str {
        let index = i32::from(index) + i32::from(active(Fault::SegmentNext));
        let path = self.view_text(layout::PATH);
        let slash = self.field(2, layout::SEGMENT_AT + 2 * index);
        let end = self.field(2, layout::SEGMENT_AT + 2 * (index + 1));
        let one = self.number(u64::from(!active(Fault::SegmentWithSlash)));
        let start = self.builder.ins().iadd(slash, one);
        let end = if active(Fault::SegmentTooLong) { self.builder.ins().iadd(end, one) } else { end };
        Str { ptr: self.builder.ins().iadd(path.ptr, start), len: self.builder.ins().isub(end, start) }
    }

    /// A segment without some bytes at both ends; absent where the segment is or where it has fewer.
    fn inside_segment(&mut self, index: u8, skip: u64, trim: u64, absent: Block) -> Str {
        if !active(Fault::SegmentUnchecked) {
            let n_segments = self.field(1, layout::N_SEGMENTS);
            let exists = self.compare_to(IntCC::UnsignedGreaterThan, n_segments, u64::from(index));
            self.require(exists, absent);
        }
        let segment = self.segment(index);
        self.inside(segment, skip, trim, absent)
    }

    /// A text without some bytes at both ends; goes to `short` where it has fewer.
    pub(super) fn inside(&mut self, text: Str, skip: u64, trim: u64, short: Block) -> Str {
        if skip + trim == 0 {
            return text;
        }
        let both = self.number(skip + trim);
        let long = self.compare(IntCC::UnsignedGreaterThanOrEqual, text.len, both);
        self.require(long, short);
        let kept = if active(Fault::PrefixKept) { 0 } else { skip };
        let kept = self.number(kept);
        Str { ptr: self.builder.ins().iadd(text.ptr, kept), len: self.builder.ins().isub(text.len, both) }
    }

    /// What follows the slash before a segment; empty where the path ends before.
    fn rest(&mut self, index: u8) -> Str {
        let path = self.view_text(layout::PATH);
        let slash = self.field(2, layout::SEGMENT_AT + 2 * i32::from(index));
        let one = self.number(u64::from(!active(Fault::RestWithSlash)));
        let start = self.builder.ins().iadd(slash, one);
        let n_segments = self.field(1, layout::N_SEGMENTS);
        let exists = self.compare_to(IntCC::UnsignedGreaterThan, n_segments, u64::from(index));
        // Both ends are numbers whatever the path, so choosing is cheaper than a jump.
        let start = self.builder.ins().select(exists, start, path.len);
        Str { ptr: self.builder.ins().iadd(path.ptr, start), len: self.builder.ins().isub(path.len, start) }
    }

    /// Goes where the constant text that equals this one leads: first by length, then by words.
    pub(super) fn dispatch(&mut self, text: Str, cases: &[Case<'_>], other: Block) {
        let other = match cases.first() {
            Some((_, first)) if active(Fault::MissIsHit) => *first,
            Some(_) | None => other,
        };
        let mut by_length: BTreeMap<usize, Vec<Case<'_>>> = BTreeMap::new();
        for case in cases {
            by_length.entry(case.0.len()).or_default().push(*case);
        }
        let groups: Vec<(u64, Vec<Case<'_>>)> =
            by_length.into_iter().map(|(length, group)| (length as u64, group)).collect();
        let blocks: Vec<(u64, Block)> = groups.iter().map(|(length, _)| (*length, self.block())).collect();
        if let ([(_, only)], true) = (blocks.as_slice(), active(Fault::SkipLength)) {
            self.jump(*only);
        } else {
            self.search(text.len, &blocks, other);
        }
        for ((length, group), (_, block)) in groups.iter().zip(blocks) {
            self.start(block);
            let words = words(usize::try_from(*length).unwrap_or(usize::MAX));
            self.by_words(text, group, &words, other);
        }
    }

    /// Goes to the block of a number, found by halving; `blocks` are sorted.
    fn search(&mut self, value: Value, blocks: &[(u64, Block)], other: Block) {
        if blocks.len() > 3 {
            let (left, right) = blocks.split_at(blocks.len() / 2);
            let (below, above) = (self.block(), self.block());
            let how = if active(Fault::PivotIncluded) {
                IntCC::UnsignedLessThanOrEqual
            } else {
                IntCC::UnsignedLessThan
            };
            let is_below = self.compare_to(how, value, right[0].0);
            self.branch(is_below, below, above);
            self.start(below);
            self.search(value, left, other);
            self.start(above);
            self.search(value, right, other);
            return;
        }
        for (number, block) in blocks {
            let next = self.block();
            let equal = self.compare_to(IntCC::Equal, value, *number);
            self.branch(equal, *block, next);
            self.start(next);
        }
        self.jump(other);
    }

    /// Chooses among texts of one length by these words.
    fn by_words(&mut self, text: Str, cases: &[Case<'_>], words: &[Word], other: Block) {
        if let [(wanted, block)] = cases {
            self.same_words(text, wanted, words, other);
            return self.jump(*block);
        }
        let values = |word: &Word| {
            let mut groups: BTreeMap<u64, Vec<Case<'_>>> = BTreeMap::new();
            for case in cases {
                groups.entry(constant(case.0, *word)).or_default().push(*case);
            }
            groups
        };
        // The word that tells most of them apart; the first one of several.
        let best = (0..words.len()).rev().max_by_key(|index| values(&words[*index]).len());
        let Some(best) = best else {
            // Texts are different, so without words there is only the empty one, and it was alone.
            return self.jump(other);
        };
        let groups = values(&words[best]);
        let mut rest = words.to_vec();
        let word = rest.remove(best);
        let value = self.word(text, word);
        let blocks: Vec<(u64, Block)> = groups.keys().map(|value| (*value, self.block())).collect();
        self.search(value, &blocks, other);
        for (group, (_, block)) in groups.values().zip(blocks) {
            self.start(block);
            self.by_words(text, group, &rest, other);
        }
    }

    /// Compares these words, several at once; goes to `other` where one differs, goes on where all are equal.
    fn same_words(&mut self, text: Str, wanted: &[u8], words: &[Word], other: Block) {
        let words = match words.split_last() {
            Some((_, before)) if active(Fault::SkipLastWord) => before,
            Some(_) | None => words,
        };
        for some in words.chunks(4) {
            let mut difference = None;
            for word in some {
                let value = self.word(text, *word);
                let expected = self.number(constant(wanted, *word));
                let differs = self.builder.ins().bxor(value, expected);
                difference = Some(match difference {
                    Some(before) => self.builder.ins().bor(before, differs),
                    None => differs,
                });
            }
            if let Some(difference) = difference {
                let equal = self.compare_to(IntCC::Equal, difference, 0);
                self.require(equal, other);
            }
        }
    }

    fn word(&mut self, text: Str, word: Word) -> Value {
        let moved = i32::from(active(Fault::WordMoved) && word.at > 0);
        self.load(word.bytes, text.ptr, i32::try_from(word.at).unwrap_or(0) - moved)
    }

    /// Goes to `yes` where the text begins with these bytes.
    pub(super) fn starts(&mut self, text: Str, part: &[u8], yes: Block, no: Block) {
        if !active(Fault::StartsWithoutLength) {
            let long = self.compare_to(IntCC::UnsignedGreaterThanOrEqual, text.len, part.len() as u64);
            self.require(long, no);
        }
        self.same_words(text, part, &words(part.len()), no);
        self.jump(yes);
    }

    /// What lies between two constant texts; goes to `no` where the text does not begin and end with them, apart.
    pub(super) fn between(&mut self, text: Str, prefix: &[u8], suffix: &[u8], no: Block) -> Str {
        let inner = self.inside(text, prefix.len() as u64, suffix.len() as u64, no);
        self.same_words(text, prefix, &words(prefix.len()), no);
        if !active(Fault::SuffixUnchecked) && !suffix.is_empty() {
            let wanted = self.number(suffix.len() as u64);
            let skip = self.builder.ins().isub(text.len, wanted);
            let ptr = self.builder.ins().iadd(text.ptr, skip);
            self.same_words(Str { ptr, len: wanted }, suffix, &words(suffix.len()), no);
        }
        inner
    }

    /// Goes to `yes` where the text ends with these bytes.
    pub(super) fn ends(&mut self, text: Str, part: &[u8], yes: Block, no: Block) {
        let wanted = self.number(part.len() as u64);
        if !active(Fault::EndsWithoutLength) {
            let long = self.compare(IntCC::UnsignedGreaterThanOrEqual, text.len, wanted);
            self.require(long, no);
        }
        let skip = self.builder.ins().isub(text.len, wanted);
        let ptr = if active(Fault::EndsAtStart) { text.ptr } else { self.builder.ins().iadd(text.ptr, skip) };
        self.same_words(Str { ptr, len: wanted }, part, &words(part.len()), no);
        self.jump(yes);
    }

    /// Goes to `yes` where the text begins with one of these texts, none of which is empty or begins with another.
    pub(super) fn starts_any(&mut self, text: Str, parts: &[&[u8]], yes: Block, no: Block) {
        let bytes = self.shortest_word(text, parts, no);
        let first = self.word(text, Word { at: 0, bytes });
        let word = |part: &[u8]| constant(part, Word { at: 0, bytes });
        for (part, [block, next]) in self.by_word(first, parts, word, no) {
            self.start(block);
            self.starts(text, part, yes, next);
        }
    }

    /// Goes to `yes` where the text ends with one of these texts, none of which is empty or ends with another.
    pub(super) fn ends_any(&mut self, text: Str, parts: &[&[u8]], yes: Block, no: Block) {
        let bytes = self.shortest_word(text, parts, no);
        let len = self.number(u64::from(bytes));
        let skip = self.builder.ins().isub(text.len, len);
        let ptr = self.builder.ins().iadd(text.ptr, skip);
        let last = self.word(Str { ptr, len }, Word { at: 0, bytes });
        let word = |part: &[u8]| constant(part, Word { at: part.len() - bytes as usize, bytes });
        for (part, [block, next]) in self.by_word(last, parts, word, no) {
            self.start(block);
            self.ends(text, part, yes, next);
        }
    }

    /// The longest word that all texts have; goes to `no` where the text has fewer bytes than the shortest of them.
    fn shortest_word(&mut self, text: Str, parts: &[&[u8]], no: Block) -> u32 {
        let shortest = parts.iter().map(|part| part.len()).min().unwrap_or(1);
        if !active(Fault::AnyWithoutLength) {
            let long = self.compare_to(IntCC::UnsignedGreaterThanOrEqual, text.len, shortest as u64);
            self.require(long, no);
        }
        longest_word(shortest)
    }

    /// Finds the texts that have this word. Each is to be compared in a block of its own, and goes to another one, the
    /// block of the next text with the same word, where it is not the text wanted.
    fn by_word<'t>(
        &mut self,
        value: Value,
        parts: &[&'t [u8]],
        word: impl Fn(&[u8]) -> u64,
        no: Block,
    ) -> Vec<(&'t [u8], [Block; 2])> {
        let mut groups: BTreeMap<u64, Vec<&'t [u8]>> = BTreeMap::new();
        for part in parts {
            groups.entry(word(part)).or_default().push(part);
        }
        let mut found = Vec::with_capacity(parts.len());
        let mut heads = Vec::with_capacity(groups.len());
        for (word, mut group) in groups {
            if active(Fault::GroupCut) && group.len() > 1 {
                group.pop();
            }
            let mut next = no;
            for part in group.into_iter().rev() {
                let block = self.block();
                found.push((part, [block, next]));
                next = block;
            }
            heads.push((word, next));
        }
        self.search(value, &heads, no);
        found
    }
}

/// The longest word that a text of this length, at least one byte, has.
fn longest_word(length: usize) -> u32 {
    match length {
        ..=1 => 1,
        2..=3 => 2,
        4..=7 => 4,
        _ => 8,
    }
}

/// The words that cover a text of this length, none of them reaching beyond it.
fn words(length: usize) -> Vec<Word> {
    if length == 0 {
        return Vec::new();
    }
    let bytes = longest_word(length);
    let step = bytes as usize;
    let mut words: Vec<Word> = (0..length / step).map(|n| Word { at: n * step, bytes }).collect();
    match length % step {
        0 => {}
        // One byte is quicker to load than two that overlap.
        1 if length < 8 => words.push(Word { at: length - 1, bytes: 1 }),
        _ => words.push(Word { at: length - step, bytes }),
    }
    words
}

/// What a word of a constant text is when it is loaded.
fn constant(text: &[u8], word: Word) -> u64 {
    let mut bytes = [0u8; 8];
    let n = word.bytes as usize;
    for (byte, from) in bytes.iter_mut().zip(&text[word.at..word.at + n]) {
        *byte = *from;
    }
    // Native code only runs on the machine it was made on.
    if cfg!(target_endian = "big") {
        u64::from_be_bytes(bytes) >> (64 - 8 * n)
    } else {
        u64::from_le_bytes(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_cover_every_byte_and_none_beyond() {
        for length in 0..100 {
            let mut covered = vec![false; length];
            for word in words(length) {
                covered[word.at..word.at + word.bytes as usize].fill(true);
            }
            assert!(covered.iter().all(|byte| *byte), "{length}: {:?}", words(length));
        }
    }
}
