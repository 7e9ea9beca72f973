//! The log on real files in a directory of its own.

use super::{Log, Output, WorkerLog, whole_lines};
use crate::limits::{LOG_BATCH_BYTES, LOG_QUEUE, RECORD_BYTES_MAX};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use twp_compiler::plan::LogTarget;

const LONG: Duration = Duration::from_secs(10);

/// A directory that goes away with the value.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Directory {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("twp-log-{name}-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory for the test");
        Directory(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

fn start(path: &Path) -> Log {
    Log::start(&LogTarget::File(path.to_string_lossy().into_owned())).expect("the log opens")
}

fn read(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("the log is readable");
    assert!(text.is_empty() || text.ends_with('\n'), "lines are whole");
    text.lines().map(str::to_owned).collect()
}

/// The lines that `write` leaves in a log.
pub(crate) fn lines_of(name: &str, write: impl FnOnce(&WorkerLog)) -> Vec<String> {
    let directory = Directory::new(name);
    let path = directory.file("access.log");
    let log = start(&path);
    let worker = log.worker();
    write(&worker);
    drop(worker);
    assert!(log.finish(LONG), "all is written");
    read(&path)
}

fn wait_for(path: &Path, n_lines: usize) -> Vec<String> {
    let deadline = Instant::now() + LONG;
    loop {
        if path.exists() {
            let lines = read(path);
            if lines.len() >= n_lines {
                return lines;
            }
        }
        assert!(Instant::now() < deadline, "{} never had {n_lines} lines", path.display());
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn lines_of_all_workers_arrive_in_order() {
    const N: usize = 5000;
    let directory = Directory::new("order");
    let path = directory.file("access.log");
    let log = start(&path);
    let threads: Vec<_> = ["a", "b"]
        .into_iter()
        .map(|name| {
            let worker = log.worker();
            std::thread::spawn(move || {
                for n in 0..N {
                    worker.push(format!("{name} {n}\n").as_bytes());
                    // About a batch per hundred lines: the queue never fills.
                    if n % 100 == 0 {
                        worker.flush();
                        std::thread::sleep(Duration::from_micros(200));
                    }
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("no panic");
    }
    assert_eq!(log.dropped(), 0);
    assert!(log.finish(LONG));
    let lines = read(&path);
    assert_eq!(lines.len(), 2 * N);
    for name in ["a", "b"] {
        let own = lines.iter().filter_map(|line| line.strip_prefix(name)?.trim().parse::<usize>().ok());
        assert!(own.eq(0..N), "lines of worker {name} are complete and in order");
    }
}

#[test]
fn a_log_is_appended_to() {
    let directory = Directory::new("append");
    let path = directory.file("access.log");
    for line in ["first\n", "second\n"] {
        let log = start(&path);
        log.worker().push(line.as_bytes());
        assert!(log.finish(LONG));
    }
    assert_eq!(read(&path), ["first", "second"]);
}

#[test]
fn a_renamed_or_removed_file_is_opened_anew() {
    let directory = Directory::new("rotate");
    let path = directory.file("access.log");
    let rotated = directory.file("access.log.1");
    let log = start(&path);
    let worker = log.worker();
    worker.push(b"before\n");
    worker.flush();
    wait_for(&path, 1);
    std::fs::rename(&path, &rotated).expect("renames");
    worker.push(b"after\n");
    worker.flush();
    assert_eq!(wait_for(&path, 1), ["after"]);
    std::fs::remove_file(&path).expect("removes");
    worker.push(b"again\n");
    worker.flush();
    assert_eq!(wait_for(&path, 1), ["again"]);
    assert_eq!(read(&rotated), ["before"]);
    drop(worker);
    assert!(log.finish(LONG));
}

#[test]
fn a_vanished_directory_drops_and_counts_until_it_is_back() {
    let directory = Directory::new("vanish");
    let inner = directory.file("inner");
    let path = inner.join("access.log");
    std::fs::create_dir(&inner).expect("creates");
    let log = start(&path);
    let worker = log.worker();
    std::fs::remove_dir_all(&inner).expect("removes");
    worker.push(b"lost one\n");
    worker.push(b"lost two\n");
    worker.flush();
    let deadline = Instant::now() + LONG;
    while log.dropped() < 2 {
        assert!(Instant::now() < deadline, "the loss is counted");
        std::thread::sleep(Duration::from_millis(2));
    }
    std::fs::create_dir(&inner).expect("creates");
    worker.push(b"kept\n");
    worker.flush();
    let lines = wait_for(&path, 2);
    assert_eq!(lines[0], "kept");
    assert!(lines[1].contains(r#""event":"records_dropped","count":2}"#), "{lines:?}");
    drop(worker);
    assert!(log.finish(LONG));
    assert_eq!(read(&path).len(), 2, "the loss is told once");
}

#[test]
fn a_stuck_reader_never_holds_up_a_worker() {
    let directory = Directory::new("stuck");
    let path = directory.file("pipe");
    let name = std::ffi::CString::new(path.to_string_lossy().as_bytes()).expect("no NUL");
    nix::unistd::mkfifo(name.as_c_str(), nix::sys::stat::Mode::S_IRWXU).expect("makes a pipe");
    // Open for reading and writing, so that opening does not wait for the other side; nobody reads.
    let _holder = std::fs::OpenOptions::new().read(true).write(true).open(&path).expect("opens");
    let log = start(&path);
    let worker = log.worker();
    let line = [b"x".repeat(1000), b"\n".to_vec()].concat();
    let n_records = 2 * LOG_QUEUE * LOG_BATCH_BYTES / line.len();
    let begin = Instant::now();
    (0..n_records).for_each(|_| worker.push(&line));
    assert!(begin.elapsed() < Duration::from_secs(5), "pushing does not wait");
    assert!(log.dropped() > 0);
    drop(worker);
    assert!(!log.finish(Duration::from_millis(50)), "the end is bounded too");
}

#[test]
fn a_pipe_gets_whole_lines_it_takes_undivided() {
    let lines = [b"a".repeat(3000), b"\n".to_vec(), b"b".repeat(2000), b"\n".to_vec()].concat();
    assert_eq!(whole_lines(&lines, RECORD_BYTES_MAX), 3001);
    assert_eq!(whole_lines(&lines, usize::MAX), lines.len());
    assert_eq!(whole_lines(b"ab\ncd\n", 1), 3, "one line at least");
    assert_eq!(whole_lines(b"ab\ncd\n", 6), 6);
}

#[test]
fn a_torn_line_is_ended_before_the_next() {
    let directory = Directory::new("torn");
    let path = directory.file("access.log");
    let mut output = Output::open(&LogTarget::File(path.to_string_lossy().into_owned())).expect("opens");
    output.write(b"{\"half").expect("writes");
    output.is_torn = true;
    output.write(b"{}\n").expect("writes");
    assert_eq!(read(&path), ["{\"half", "{}"]);
}

#[test]
fn a_log_that_is_off_takes_nothing() {
    let log = WorkerLog::off();
    assert!(!log.is_on());
    log.push(b"x\n");
    log.flush();
}

#[test]
fn an_unusable_target_is_an_error_at_the_start() {
    let directory = Directory::new("unusable");
    let path = directory.file("missing").join("access.log");
    assert!(Log::start(&LogTarget::File(path.to_string_lossy().into_owned())).is_err());
}
