//! Watching source files: tells when their contents differ from what was last tried.
//!
//! Events come for the directories of the files and of all symbolic links on the way to them, because editors
//! rename over a file and Kubernetes swaps a link far from it. A slow look at the files' identities stands in where
//! no events come. Events only cause a look; the contents decide, so a file that is touched or half written and
//! mended in time starts nothing.

mod paths;

use crate::limits::{SOURCE_BYTES_MAX, WATCH_POLL, WATCH_QUIET, WATCH_QUIET_MAX};
use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The fingerprint of a file's contents: 128 bits that tell changes, not attackers, apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Fingerprint(u128);

impl Fingerprint {
    /// Of these contents.
    pub fn of(contents: &[u8]) -> Fingerprint {
        const FACTORS: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F];
        // Two lanes as in FNV-1a, but over words of eight bytes: a file is looked at several times for each change.
        // Each step can be undone, so contents that differ in one word never meet.
        let step = |lane: u64, word: u64, factor: u64| (lane ^ word).wrapping_mul(factor).rotate_left(29);
        let mut lanes = [contents.len() as u64; 2];
        let mut words = contents.chunks_exact(8);
        for word in words.by_ref().filter_map(<[u8]>::first_chunk::<8>) {
            let word = u64::from_le_bytes(*word);
            lanes = [step(lanes[0], word, FACTORS[0]), step(lanes[1], word, FACTORS[1])];
        }
        let rest = words.remainder().iter().rev().fold(0, |rest, byte| (rest << 8) | u64::from(*byte));
        // The second round lets the last words reach every bit.
        for word in [rest, 0, 0] {
            lanes = [step(lanes[0], word, FACTORS[0]), step(lanes[1], word, FACTORS[1])];
        }
        Fingerprint((u128::from(lanes[0]) << 64) | u128::from(lanes[1]))
    }

    /// Of a program that consists of these files, in an order that is the same for the same files: that of the only
    /// one, or of all together. `None` when one of them could not be read.
    pub fn of_all(files: impl IntoIterator<Item = Option<Fingerprint>>) -> Option<Fingerprint> {
        let files: Vec<Fingerprint> = files.into_iter().collect::<Option<_>>()?;
        match files.as_slice() {
            [] => None,
            [only] => Some(*only),
            all => {
                let bytes: Vec<u8> = all.iter().flat_map(|file| file.0.to_be_bytes()).collect();
                Some(Fingerprint::of(&bytes))
            }
        }
    }

    /// Of a file as it is now; `None` when it cannot be read, is none, or is larger than any source may be.
    pub fn of_file(path: &Path) -> Option<Fingerprint> {
        // A pipe or device would keep whoever reads it waiting.
        let meta = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
        let most = SOURCE_BYTES_MAX as u64;
        if meta.len() > most {
            return None;
        }
        let mut contents = Vec::new();
        std::fs::File::open(path).ok()?.take(most).read_to_end(&mut contents).ok()?;
        Some(Fingerprint::of(&contents))
    }
}

impl From<Fingerprint> for String {
    fn from(fingerprint: Fingerprint) -> String {
        fingerprint.to_string()
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> Result<Fingerprint, Self::Error> {
        u128::from_str_radix(&text, 16).map(Fingerprint)
    }
}

impl std::fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// Watches a set of files.
pub struct Watch {
    /// `None` where the system gives no events; the slow look remains.
    events: Option<RecommendedWatcher>,
    /// What events may be about: shared with the thread that receives them.
    interesting: Arc<Mutex<BTreeSet<PathBuf>>>,
    woken: UnixStream,
    watched: BTreeSet<PathBuf>,
    files: BTreeMap<PathBuf, File>,
    /// First and latest event that no look has followed yet.
    pending: Option<(Instant, Instant)>,
    polled: Instant,
}

struct File {
    /// What was last tried; `None` when it could not be read.
    tried: Option<Fingerprint>,
    identity: Option<paths::Identity>,
}

impl Watch {
    /// Watches nothing yet.
    pub fn new(now: Instant) -> io::Result<Watch> {
        let (woken, mut wake) = UnixStream::pair()?;
        woken.set_nonblocking(true)?;
        wake.set_nonblocking(true)?;
        let interesting = Arc::new(Mutex::new(BTreeSet::new()));
        let filter = Arc::clone(&interesting);
        let events = notify::recommended_watcher(move |event: notify::Result<Event>| {
            let filter = filter.lock().unwrap_or_else(PoisonError::into_inner);
            if event.is_ok_and(|event| is_about(&event, &filter)) {
                // A full pipe has woken the reader already.
                let _ = wake.write(&[1]);
            }
        });
        Ok(Watch {
            events: events.ok(),
            interesting,
            woken,
            watched: BTreeSet::new(),
            files: BTreeMap::new(),
            pending: None,
            polled: now,
        })
    }

    /// Watches exactly these files from now on; their given contents are what was last tried.
    pub fn expect(&mut self, files: impl IntoIterator<Item = (PathBuf, Option<Fingerprint>)>) {
        self.files = files
            .into_iter()
            .map(|(path, tried)| {
                // Contents that changed since they were tried must differ at the next look, event or not.
                let identity = paths::identity(&path).filter(|_| Fingerprint::of_file(&path) == tried);
                (path, File { tried, identity })
            })
            .collect();
        self.follow();
    }

    /// Takes what is on disk now as tried, before somebody reads it.
    ///
    /// Whatever that reader finds and reports with [`Watch::expect`] goes before this.
    pub fn settle(&mut self) {
        for (path, file) in &mut self.files {
            file.tried = Fingerprint::of_file(path);
            file.identity = paths::identity(path);
        }
        self.pending = None;
    }

    /// Whether what is on disk is what was last tried.
    pub fn is_settled(&self) -> bool {
        self.files.iter().all(|(path, file)| Fingerprint::of_file(path) == file.tried)
    }

    /// When [`Watch::is_changed`] should be asked next.
    pub fn deadline(&self) -> Instant {
        let poll = self.polled + WATCH_POLL;
        self.pending
            .map_or(poll, |(first, latest)| (latest + WATCH_QUIET).min(first + WATCH_QUIET_MAX).min(poll))
    }

    /// Takes the events that have arrived: to be called when the descriptor is readable.
    pub fn wake(&mut self, now: Instant) {
        let mut buf = [0; 256];
        while matches!(self.woken.read(&mut buf), Ok(n) if n > 0) {
            let first = self.pending.map_or(now, |(first, _)| first);
            self.pending = Some((first, now));
        }
    }

    /// Whether some file's contents differ from what was last tried; false before a look is due.
    pub fn is_changed(&mut self, now: Instant) -> bool {
        if now < self.deadline() {
            return false;
        }
        if now >= self.polled + WATCH_POLL {
            self.polled = now;
            if self.pending.is_none()
                && self.files.iter().any(|(path, file)| paths::identity(path) != file.identity)
            {
                // Seen by the slow look: wait for quiet as after an event.
                self.pending = Some((now, now));
            }
            return false;
        }
        self.pending = None;
        self.follow();
        let mut is_changed = false;
        for (path, file) in &mut self.files {
            file.identity = paths::identity(path);
            is_changed |= Fingerprint::of_file(path) != file.tried;
        }
        is_changed
    }

    /// Watches the directories that matter for the files as their links stand now.
    fn follow(&mut self) {
        let interesting: BTreeSet<PathBuf> =
            self.files.keys().flat_map(|file| paths::on_the_way(file)).collect();
        let wanted: BTreeSet<PathBuf> =
            interesting.iter().filter_map(|path| path.parent().map(Path::to_owned)).collect();
        *self.interesting.lock().unwrap_or_else(PoisonError::into_inner) = interesting;
        let Some(events) = &mut self.events else { return };
        for old in self.watched.difference(&wanted) {
            // A directory that is gone has lost its watch already.
            let _ = events.unwatch(old);
        }
        // Watching again is free when nothing changed, and needed when a directory was removed and made anew.
        self.watched =
            wanted.into_iter().filter(|new| events.watch(new, RecursiveMode::NonRecursive).is_ok()).collect();
    }
}

impl AsFd for Watch {
    /// Readable when events have arrived.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.woken.as_fd()
    }
}

/// Whether an event can have changed what a path leads to; reading files, as we do, cannot.
fn is_about(event: &Event, interesting: &BTreeSet<PathBuf>) -> bool {
    let is_change = match event.kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        EventKind::Any
        | EventKind::Create(_)
        | EventKind::Modify(_)
        | EventKind::Remove(_)
        | EventKind::Other => true,
    };
    is_change && (event.need_rescan() || event.paths.iter().any(|path| interesting.contains(path)))
}

#[cfg(test)]
mod tests;
