//! Which server comes next.

use crate::limits::CONNECT_TRIES_MAX;
use std::cell::Cell;

/// Takes the servers in turn.
#[derive(Debug)]
pub(super) struct RoundRobin {
    next: Cell<usize>,
}

impl RoundRobin {
    /// Begins at this server.
    pub(super) fn starting_at(first: usize) -> RoundRobin {
        RoundRobin { next: Cell::new(first) }
    }

    /// The servers to try for one exchange, in order: each at most once, those that rest only when no other is left.
    pub(super) fn order<'a, T>(
        &self,
        servers: &'a [T],
        is_resting: impl Fn(&T) -> bool + Copy + 'a,
    ) -> impl Iterator<Item = &'a T> {
        let first = self.next.get();
        self.next.set(first.wrapping_add(1));
        let turn = move || (0..servers.len()).map(move |n| &servers[first.wrapping_add(n) % servers.len()]);
        let awake = turn().filter(move |server| !is_resting(server));
        let resting = turn().filter(move |server| is_resting(server));
        awake.chain(resting).take(CONNECT_TRIES_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn orders(servers: &[&str], resting: &[&str]) -> Vec<String> {
        let round_robin = RoundRobin::starting_at(0);
        let order = || {
            let order: Vec<&str> =
                round_robin.order(servers, |server| resting.contains(server)).copied().collect();
            order.concat()
        };
        (0..3).map(|_| order()).collect()
    }

    #[test]
    fn in_turn_and_resting_ones_last() {
        assert_eq!(orders(&["a"], &[]), ["a", "a", "a"]);
        assert_eq!(orders(&["a", "b", "c"], &[]), ["abc", "bca", "cab"]);
        assert_eq!(orders(&["a", "b", "c"], &["b"]), ["acb", "cab", "cab"]);
        assert_eq!(orders(&["a", "b"], &["a", "b"]), ["ab", "ba", "ab"]);
    }
}
