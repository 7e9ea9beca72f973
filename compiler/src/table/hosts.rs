//! The site of a host: exact name, then wildcards by longest suffix, one label before many, then `*`; and the search
//! in probed tables, which hosts and wide choices of segments share.
//!
//! A probed table is lines of eight places. A text's hash names its line and where to begin in it; the text itself
//! lies where the place leads, before what comes next, so that finding it costs no line of its own.

use super::Watch;
use super::words::{LINE, Op, byte, halves, high, is_text, low, text_words};
use crate::plan::SiteId;
use crate::text_map::plain_hash;

/// The line of a listener: where its tables are, and the name of its only host when that is short.
pub(super) struct Line;

impl Line {
    /// Table of names; 0 for none, here and below.
    pub(super) const EXACT: usize = 0;
    /// Table of suffixes that one label comes before.
    pub(super) const ONE_LABEL: usize = 1;
    /// Table of suffixes that labels come before.
    pub(super) const ANY_DEPTH: usize = 2;
    /// The site of all other hosts.
    pub(super) const ANY: usize = 3;
    /// Bytes of the only name; 0 when there is none or it is long.
    pub(super) const ONLY_LEN: usize = 4;
    /// The only name.
    pub(super) const ONLY: usize = 5;
    /// Its site.
    pub(super) const ONLY_SITE: usize = 7;
    /// Longest only name.
    pub(super) const ONLY_MAX: usize = 16;
}

/// Stands for the site of hosts that have none.
pub(super) const NO_SITE: u64 = u64::MAX;

/// The site of a host and where its decisions begin.
#[inline]
pub(super) fn site(
    words: &[u64],
    listener: u16,
    host: &[u8],
    watch: &mut impl Watch,
) -> Option<(SiteId, u32)> {
    let start = usize::from(listener) * LINE;
    let line = words.get(start..start + LINE)?.first_chunk::<LINE>()?;
    watch.read(line);
    // Names are not empty.
    let only = usize::try_from(line[Line::ONLY_LEN]).unwrap_or(0);
    if only != 0 && only == host.len() {
        let text = &line[Line::ONLY..(Line::ONLY + text_words(only)).min(Line::ONLY_SITE)];
        if is_text(host, text) {
            return split(line[Line::ONLY_SITE]);
        }
    }
    let found = find_site(words, line[Line::EXACT], host, watch);
    if found.is_some() {
        return found;
    }
    let any = split(line[Line::ANY]);
    if line[Line::ONE_LABEL] == 0 && line[Line::ANY_DEPTH] == 0 {
        return any;
    }
    wildcard(words, line, host, watch).or(any)
}

/// Suffixes from the longest on; hosts have at most 127 labels (RFC 1035, section 2.3.4).
fn wildcard(words: &[u64], line: &[u64; LINE], host: &[u8], watch: &mut impl Watch) -> Option<(SiteId, u32)> {
    // Labels are not empty, so neither is what stands before the first dot of a suffix.
    let mut dots = memchr::memchr_iter(b'.', host).filter(|at| *at > 0);
    let first = dots.next()?;
    let suffix = &host[first + 1..];
    if host.first() != Some(&b'.') {
        let one_label = find_site(words, line[Line::ONE_LABEL], suffix, watch);
        if one_label.is_some() {
            return one_label;
        }
    }
    let mut any_depth = |suffix| find_site(words, line[Line::ANY_DEPTH], suffix, watch);
    any_depth(suffix).or_else(|| dots.find_map(|at| any_depth(&host[at + 1..])))
}

#[inline]
fn find_site(words: &[u64], table: u64, text: &[u8], watch: &mut impl Watch) -> Option<(SiteId, u32)> {
    let (key, behind) = find_text(words, table, text, watch)?;
    // Places of words are numbers of 32 bits, as `Places` makes them.
    Some((low(key) >> 8, u32::try_from(behind).unwrap_or(u32::MAX)))
}

/// A site in the lower half, its start in the upper.
#[inline]
fn split(word: u64) -> Option<(SiteId, u32)> {
    (word != NO_SITE).then(|| (low(word), high(word)))
}

/// The word that begins a text of a table, and the place behind the text.
#[inline]
pub(super) fn find_text(
    words: &[u64],
    table: u64,
    text: &[u8],
    watch: &mut impl Watch,
) -> Option<(u64, usize)> {
    if table == 0 {
        return None;
    }
    let hash = plain_hash(text);
    let mut line = low(table) as usize + line_of(hash, high(table));
    // The last line of every table has a free place, so the search ends.
    loop {
        let places = words.get(line * LINE..line * LINE + LINE)?.first_chunk::<LINE>()?;
        watch.read(places);
        for turn in 0..LINE {
            let place = places[(first_place(hash) + turn) % LINE];
            if place == 0 {
                return None;
            }
            if high(place) == hash
                && let Some(found) = key(words, low(place) as usize, text, watch)
            {
                return Some(found);
            }
        }
        line += 1;
    }
}

#[inline]
fn key(words: &[u64], at: usize, text: &[u8], watch: &mut impl Watch) -> Option<(u64, usize)> {
    watch.read(&words[at]);
    debug_assert_eq!(byte(words[at], 0), Op::Key as u8);
    if high(words[at]) as usize != text.len() {
        return None;
    }
    let behind = at + 1 + text_words(text.len());
    let known = &words[at + 1..behind];
    for word in known {
        watch.read(word);
    }
    is_text(text, known).then_some((words[at], behind))
}

#[inline]
fn first_place(hash: u32) -> usize {
    (hash >> 29) as usize
}

/// The line of a hash, counted from the table's first: `shape` is a shift in its lowest byte, below a seed.
#[inline]
fn line_of(hash: u32, shape: u32) -> usize {
    let mixed = hash.wrapping_mul((shape >> 8).wrapping_mul(2).wrapping_add(1).wrapping_mul(0x9E37_79B1));
    usize::try_from(u64::from(mixed) >> (shape & 63)).unwrap_or(0)
}

/// The places of a table in the making.
pub(super) struct Places {
    /// A free place is 0; a taken one has the hash in its upper half, and 1 in the lower until it is filled in.
    pub(super) words: Vec<u64>,
    /// Where each text is.
    pub(super) taken: Vec<usize>,
    shape: u32,
}

impl Places {
    /// A table of texts that are all different. Sizes and seeds are tried until every text is in its own line, so that
    /// searching reads one; where that fails, some are in the line behind.
    pub(super) fn new(texts: &[&[u8]]) -> Places {
        let hashes: Vec<u32> = texts.iter().map(|text| plain_hash(text)).collect();
        let bits = texts.len().div_ceil(TEXTS_OF_LINE).next_power_of_two().trailing_zeros();
        let shapes = [bits, bits + 1].into_iter().flat_map(|bits| (0..SEEDS).map(move |seed| (bits, seed)));
        let shape = |(bits, seed): (u32, u32)| (seed << 8) | (32 - bits);
        let good = shapes.map(shape).find_map(|shape| Places::place(&hashes, shape, false));
        // Allowed to go on in the next line, placing always succeeds.
        good.or_else(|| Places::place(&hashes, shape((bits, 0)), true)).unwrap_or(Places {
            words: vec![0; LINE],
            taken: Vec::new(),
            shape: 32,
        })
    }

    fn place(hashes: &[u32], shape: u32, may_overflow: bool) -> Option<Places> {
        let lines = 1usize << (32 - (shape & 63));
        let mut this =
            Places { words: vec![0; lines * LINE], taken: Vec::with_capacity(hashes.len()), shape };
        for hash in hashes {
            let mut line = line_of(*hash, shape);
            let free = loop {
                if line * LINE == this.words.len() {
                    this.words.extend([0; LINE]);
                }
                let mut turns = (0..LINE).map(|turn| line * LINE + (first_place(*hash) + turn) % LINE);
                if let Some(free) = turns.find(|place| this.words[*place] == 0) {
                    break free;
                }
                if !may_overflow {
                    return None;
                }
                line += 1;
            };
            this.words[free] = halves(*hash, 1);
            this.taken.push(free);
        }
        // Every search finds a free place at the end, or looks beyond the table where the next line is not its own.
        let last = this.words.len() - LINE;
        if this.words[last..].iter().all(|place| *place != 0) {
            this.words.extend([0; LINE]);
        }
        Some(this)
    }

    /// The word that describes the table when it begins at this line.
    pub(super) fn named(&self, line: usize) -> u64 {
        halves(self.shape, u32::try_from(line).unwrap_or(u32::MAX))
    }
}

/// Most texts for each line of a table on average: half of that at least, since sizes are powers of two.
const TEXTS_OF_LINE: usize = 3;
/// Seeds tried for each size.
const SEEDS: u32 = 16;

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a table of these texts, each behind its key.
    fn table(texts: &[String]) -> (Vec<u64>, u64) {
        let bytes: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
        let places = Places::new(&bytes);
        let mut words = vec![0; LINE];
        words.extend_from_slice(&places.words);
        for (text, place) in bytes.iter().zip(&places.taken) {
            words[LINE + place] |= 1;
            words[LINE + place] += words.len() as u64 - 1;
            words.push(halves(u32::try_from(text.len()).unwrap_or(0), Op::Key as u32));
            words.extend(crate::table::words::text(text));
        }
        (words, places.named(1))
    }

    #[test]
    fn every_text_is_found_and_no_other() {
        for count in [1, 2, 9, 100, 5_000] {
            let texts: Vec<String> = (0..count).map(|n| format!("t{}", n * 7)).collect();
            let (words, name) = table(&texts);
            for n in 0..count * 7 {
                let found = find_text(&words, name, format!("t{n}").as_bytes(), &mut ());
                assert_eq!(found.is_some(), n % 7 == 0, "{n} of {count}");
            }
        }
    }
}
