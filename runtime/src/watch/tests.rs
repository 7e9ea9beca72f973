//! The ways in which files change, on real directories with real events.

use super::*;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::fs;
use std::os::unix::fs::symlink;
use std::time::Duration;

/// A directory that goes away with the test.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn new(name: &str) -> io::Result<Scratch> {
        let path = std::env::temp_dir().join(format!("twp-watch-{}-{name}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Scratch(path.canonicalize()?))
    }

    pub(super) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A watch over one file with the contents "one".
fn watching(file: &Path) -> io::Result<Watch> {
    let mut watch = Watch::new(Instant::now())?;
    watch.expect([(file.to_owned(), Some(Fingerprint::of(b"one")))]);
    Ok(watch)
}

/// Waits as the supervisor does; how long until a change was seen, if it was within `limit`.
fn wait_for_change(watch: &mut Watch, limit: Duration) -> io::Result<Option<Duration>> {
    let start = Instant::now();
    loop {
        let now = Instant::now();
        if watch.is_changed(now) {
            return Ok(Some(start.elapsed()));
        }
        if start.elapsed() > limit {
            return Ok(None);
        }
        let left = watch.deadline().saturating_duration_since(now).min(Duration::from_millis(200));
        let timeout = PollTimeout::try_from(left + Duration::from_millis(1)).map_err(io::Error::other)?;
        poll(&mut [PollFd::new(watch.as_fd(), PollFlags::POLLIN)], timeout)?;
        watch.wake(Instant::now());
    }
}

const SOON: Duration = Duration::from_secs(10);
const A_WHILE: Duration = Duration::from_millis(400);

#[test]
fn writing_in_place_is_one_change_after_it_went_quiet() -> io::Result<()> {
    let root = Scratch::new("in-place")?;
    let file = root.join("site.twp");
    fs::write(&file, "one")?;
    let mut watch = watching(&file)?;
    assert_eq!(wait_for_change(&mut watch, A_WHILE)?, None);
    fs::write(&file, "two")?;
    assert!(wait_for_change(&mut watch, SOON)?.is_some_and(|after| after >= WATCH_QUIET / 2));
    watch.settle();
    assert_eq!(wait_for_change(&mut watch, A_WHILE)?, None);
    Ok(())
}

#[test]
fn identical_contents_are_no_change() -> io::Result<()> {
    let root = Scratch::new("identical")?;
    let file = root.join("site.twp");
    fs::write(&file, "one")?;
    let mut watch = watching(&file)?;
    fs::write(&file, "one")?;
    fs::write(root.join("other"), "two")?;
    assert_eq!(wait_for_change(&mut watch, A_WHILE)?, None);
    Ok(())
}

#[test]
fn a_program_has_the_fingerprint_of_all_its_files() {
    let [one, two] = ["one", "two"].map(|text| Some(Fingerprint::of(text.as_bytes())));
    assert_eq!(Fingerprint::of_all([one]), one);
    assert_eq!((Fingerprint::of_all([]), Fingerprint::of_all([one, None])), (None, None));
    let all = [Fingerprint::of_all([one, two]), Fingerprint::of_all([two, one]), one, two];
    assert!(all.iter().enumerate().all(|(at, a)| all[at + 1..].iter().all(|b| a != b)), "{all:?}");
}

#[test]
fn renaming_over_the_file_is_a_change() -> io::Result<()> {
    let root = Scratch::new("rename")?;
    let file = root.join("site.twp");
    fs::write(&file, "one")?;
    let mut watch = watching(&file)?;
    for text in ["two", "three"] {
        fs::write(root.join(".site.twp.swp"), text)?;
        fs::rename(root.join(".site.twp.swp"), &file)?;
        assert!(wait_for_change(&mut watch, SOON)?.is_some(), "{text}");
        watch.settle();
    }
    Ok(())
}

#[test]
fn deleting_and_making_anew_are_changes() -> io::Result<()> {
    let root = Scratch::new("delete")?;
    let file = root.join("site.twp");
    fs::write(&file, "one")?;
    let mut watch = watching(&file)?;
    fs::remove_file(&file)?;
    assert!(wait_for_change(&mut watch, SOON)?.is_some());
    watch.settle();
    fs::write(&file, "two")?;
    assert!(wait_for_change(&mut watch, SOON)?.is_some());
    Ok(())
}

/// As the kubelet does it: a new directory, a new link beside the old, one rename.
#[test]
fn swapping_a_link_on_the_way_is_a_change_each_time() -> io::Result<()> {
    let root = Scratch::new("swap")?;
    let publish = |version: &str, text: &str| -> io::Result<()> {
        fs::create_dir(root.join(version))?;
        fs::write(root.join(version).join("site.twp"), text)?;
        symlink(version, root.join("..data_tmp"))?;
        fs::rename(root.join("..data_tmp"), root.join("..data"))
    };
    publish("..v1", "one")?;
    symlink("..data/site.twp", root.join("site.twp"))?;
    let mut watch = watching(&root.join("site.twp"))?;
    for (version, text) in [("..v2", "two"), ("..v3", "three")] {
        publish(version, text)?;
        assert!(wait_for_change(&mut watch, SOON)?.is_some(), "{version}");
        watch.settle();
    }
    fs::write(root.join("..v3/site.twp"), "in the target")?;
    assert!(wait_for_change(&mut watch, SOON)?.is_some(), "a write behind the link");
    Ok(())
}

#[test]
fn removing_the_whole_directory_and_making_it_anew_is_a_change() -> io::Result<()> {
    let root = Scratch::new("directory")?;
    fs::create_dir(root.join("sites"))?;
    let file = root.join("sites/site.twp");
    fs::write(&file, "one")?;
    let mut watch = watching(&file)?;
    fs::remove_dir_all(root.join("sites"))?;
    assert!(wait_for_change(&mut watch, SOON)?.is_some());
    watch.settle();
    fs::create_dir(root.join("sites"))?;
    fs::write(&file, "two")?;
    assert!(wait_for_change(&mut watch, SOON)?.is_some(), "the slow look finds it");
    watch.settle();
    fs::write(&file, "three")?;
    assert!(wait_for_change(&mut watch, SOON)?.is_some());
    Ok(())
}

#[test]
fn without_events_the_slow_look_finds_changes() -> io::Result<()> {
    let root = Scratch::new("poll")?;
    let file = root.join("site.twp");
    fs::write(&file, "one")?;
    let mut watch = watching(&file)?;
    watch.events = None;
    fs::write(&file, "two")?;
    let after = wait_for_change(&mut watch, SOON)?;
    assert!(after.is_some_and(|after| after >= WATCH_POLL / 2), "{after:?}");
    Ok(())
}

#[test]
fn steady_writing_delays_the_look_only_so_long() -> io::Result<()> {
    let root = Scratch::new("steady")?;
    let file = root.join("site.twp");
    fs::write(&file, "one")?;
    let mut watch = watching(&file)?;
    let start = Instant::now();
    let mut n = 0;
    while !watch.is_changed(Instant::now()) {
        n += 1;
        fs::write(&file, format!("{n}"))?;
        std::thread::sleep(Duration::from_millis(20));
        watch.wake(Instant::now());
        assert!(start.elapsed() < SOON, "the look never came");
    }
    Ok(())
}
