//! The site of a host: exact name, then wildcards by longest suffix, one label before many, then `*`.

use crate::ir::Hosts;
use crate::plan::SiteId;
use crate::text_map::TextMap;

/// The hosts of one listener.
#[derive(Debug)]
pub(super) struct HostTable {
    exact: TextMap,
    one_label: TextMap,
    any_depth: TextMap,
    any: Option<SiteId>,
}

impl HostTable {
    pub(super) fn new(hosts: &Hosts) -> HostTable {
        let map = |pairs: &[(String, SiteId)]| {
            TextMap::new(pairs.iter().map(|(text, site)| (text.as_bytes(), *site)))
        };
        HostTable {
            exact: map(&hosts.exact),
            one_label: map(&hosts.one_label),
            any_depth: map(&hosts.any_depth),
            any: hosts.any,
        }
    }

    pub(super) fn find(&self, host: &[u8]) -> Option<SiteId> {
        self.exact.get(host).or_else(|| self.wildcard(host)).or(self.any)
    }

    /// Suffixes from the longest on; hosts have at most 127 labels (RFC 1035, section 2.3.4).
    fn wildcard(&self, host: &[u8]) -> Option<SiteId> {
        // Labels are not empty, so neither is what stands before the first dot of a suffix.
        let mut dots = memchr::memchr_iter(b'.', host).filter(|at| *at > 0);
        let first = dots.next()?;
        let suffix = &host[first + 1..];
        let one_label = if host.first() == Some(&b'.') { None } else { self.one_label.get(suffix) };
        one_label
            .or_else(|| self.any_depth.get(suffix))
            .or_else(|| dots.find_map(|at| self.any_depth.get(&host[at + 1..])))
    }

    /// The hosts the table was made of.
    pub(super) fn to_hosts(&self) -> Hosts {
        let pairs = |map: &TextMap| {
            map.iter().map(|(text, site)| (String::from_utf8_lossy(text).into_owned(), site)).collect()
        };
        Hosts {
            exact: pairs(&self.exact),
            one_label: pairs(&self.one_label),
            any_depth: pairs(&self.any_depth),
            any: self.any,
        }
    }
}
