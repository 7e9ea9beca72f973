//! Constant sets: sorted, searched by halving.

use super::text::Got;
use std::cmp::Ordering;
use twp_lang::literal::Cidr;

/// A set of texts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TextSet {
    /// INVARIANT: sorted by bytes, each once.
    texts: Vec<Box<[u8]>>,
}

impl TextSet {
    pub(crate) fn new<'t>(texts: impl IntoIterator<Item = &'t str>) -> TextSet {
        TextSet::of_bytes(texts.into_iter().map(str::as_bytes))
    }

    pub(crate) fn of_bytes<'t>(texts: impl IntoIterator<Item = &'t [u8]>) -> TextSet {
        let mut texts: Vec<Box<[u8]>> = texts.into_iter().map(Box::from).collect();
        texts.sort();
        texts.dedup();
        TextSet { texts }
    }

    pub(crate) fn contains(&self, value: &Got<'_>) -> bool {
        self.texts.binary_search_by(|text| value.order(&Got::Slice(text)).reverse()).is_ok()
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = &[u8]> {
        self.texts.iter().map(AsRef::as_ref)
    }
}

/// A set of numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct IntSet {
    /// INVARIANT: sorted, apart, both ends included, none empty.
    ranges: Vec<(i64, i64)>,
}

impl IntSet {
    pub(crate) fn new(ranges: &[(i64, i64)]) -> IntSet {
        IntSet { ranges: merged(ranges.iter().copied()) }
    }

    pub(crate) fn contains(&self, number: i64) -> bool {
        find(&self.ranges, number)
    }

    pub(crate) fn ranges(&self) -> &[(i64, i64)] {
        &self.ranges
    }
}

/// A set of addresses, IPv4 as mapped IPv6.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NetSet {
    /// INVARIANT: sorted, apart, both ends included.
    intervals: Vec<(u128, u128)>,
}

impl NetSet {
    pub(crate) fn new(nets: &[Cidr]) -> NetSet {
        NetSet { intervals: merged(nets.iter().map(Cidr::interval)) }
    }

    pub(crate) fn contains(&self, addr: u128) -> bool {
        find(&self.intervals, addr)
    }

    pub(crate) fn intervals(&self) -> &[(u128, u128)] {
        &self.intervals
    }
}

/// Sorted intervals, those that overlap joined.
fn merged<T: Ord + Copy>(intervals: impl Iterator<Item = (T, T)>) -> Vec<(T, T)> {
    let mut sorted: Vec<(T, T)> = intervals.filter(|(low, high)| low <= high).collect();
    sorted.sort_unstable();
    let mut out: Vec<(T, T)> = Vec::with_capacity(sorted.len());
    for (low, high) in sorted {
        match out.last_mut() {
            Some(last) if low <= last.1 => last.1 = last.1.max(high),
            Some(_) | None => out.push((low, high)),
        }
    }
    out
}

fn find<T: Ord + Copy>(intervals: &[(T, T)], value: T) -> bool {
    let place = intervals.binary_search_by(|(low, high)| {
        if *high < value {
            Ordering::Less
        } else if *low > value {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    });
    place.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::IpAddr;

    #[test]
    fn overlapping_ranges_are_joined() {
        let set = IntSet::new(&[(10, 20), (1, 3), (15, 30), (40, 35), (3, 3)]);
        assert_eq!(set.ranges(), [(1, 3), (10, 30)]);
        let inside: Vec<i64> = (0..=41).filter(|n| set.contains(*n)).collect();
        assert_eq!(inside, (1..=3).chain(10..=30).collect::<Vec<i64>>());
    }

    #[test]
    fn networks_end_at_their_borders() {
        let net = |text: &str, prefix| Cidr::network(text.parse::<IpAddr>().expect("an address"), prefix);
        let set = NetSet::new(&[net("10.0.0.0", 8), net("192.0.2.0", 24), net("2001:db8::", 32)]);
        let inside = |text: &str| set.contains(Cidr::single(text.parse().expect("an address")).interval().0);
        let answers =
            ["9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0", "192.0.2.255", "2001:db9::"]
                .map(inside);
        assert_eq!(answers, [false, true, true, false, true, false]);
    }
}
