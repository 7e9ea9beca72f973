//! Did-you-mean: the candidate closest to what was written.

use crate::limits::SUGGESTION_BYTES_MAX;

/// The candidate that differs least from `word`, if it differs little enough to be what was meant.
///
/// One edit is an inserted, left out or changed letter or two letters swapped; a third of the letters may differ, and
/// capital letters count as small ones. Of equally close candidates the first wins.
pub(crate) fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.is_empty() || word.len() > SUGGESTION_BYTES_MAX {
        return None;
    }
    let lower = word.to_ascii_lowercase();
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate.is_empty() || candidate == word || candidate.len() > SUGGESTION_BYTES_MAX {
            continue;
        }
        let allowed = (word.len().max(candidate.len()) / 3).max(1);
        if lower.len().abs_diff(candidate.len()) > allowed {
            continue;
        }
        let edits = distance(lower.as_bytes(), candidate.to_ascii_lowercase().as_bytes());
        // Two words of two letters that differ in one have nothing in common.
        let alike = edits <= allowed && edits < word.len().min(candidate.len());
        if alike && best.is_none_or(|(least, _)| edits < least) {
            best = Some((edits, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Optimal string alignment distance: edits of single bytes and swaps of neighbours.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let changed = usize::from(a[i - 1] != b[j - 1]);
            let mut least = (last[j - 1] + changed).min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row[j] = least;
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{closest, distance};

    #[test]
    fn usual_slips_find_their_word() {
        let words = ["route", "respond", "redirect", "round_robin", "least_conn", "app", "api"];
        for (written, meant) in [
            ("rout", "route"),
            ("rotue", "route"),
            ("leastconn", "least_conn"),
            ("Redirect", "redirect"),
            ("repsond", "respond"),
            ("ap", "app"),
        ] {
            assert_eq!(closest(written, words), Some(meant), "{written}");
        }
    }

    #[test]
    fn other_words_find_nothing() {
        let words = ["to", "set", "route", "when"];
        for written in ["", "x", "location", "at", "proxy_pass", &"route".repeat(100)] {
            assert_eq!(closest(written, words), None, "{written}");
        }
    }

    #[test]
    fn distance_counts_a_swap_as_one() {
        assert_eq!(distance(b"when", b"wehn"), 1);
        assert_eq!(distance(b"", b"abc"), 3);
        assert_eq!(distance(b"abc", b"abc"), 0);
    }
}
