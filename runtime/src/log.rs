//! Carries records from the workers to a file or standard output without ever holding up an exchange.
//!
//! A worker gathers lines in a batch of its own; batches go through one bounded queue to a plain thread that writes
//! them. A full queue or a failing disk drops records and counts them; the count appears as a record of its own once
//! writing works again (F-08). The file is opened anew when its name leads to another file, so that rotation needs
//! no signal.

use crate::limits::{LOG_BATCH_BYTES, LOG_QUEUE, LOG_SPARE_BATCHES, RECORD_BYTES_MAX, SCRATCH_KEPT};
use crate::record::{RecordMemory, write_dropped};
use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use twp_compiler::plan::LogTarget;

/// The log of a generation: owns the thread that writes.
#[derive(Debug)]
pub struct Log {
    queue: SyncSender<Message>,
    counters: Arc<Counters>,
    writer: JoinHandle<()>,
}

/// A worker's end of the log.
#[derive(Debug)]
pub struct WorkerLog {
    /// `None` when the log is off.
    route: Option<Route>,
}

#[derive(Debug)]
struct Route {
    queue: SyncSender<Message>,
    counters: Arc<Counters>,
    /// Where the writer puts batches that it has written.
    spare_to: SyncSender<Vec<u8>>,
    spare_from: Receiver<Vec<u8>>,
    gathered: RefCell<Gathered>,
}

#[derive(Debug, Default)]
struct Gathered {
    bytes: Vec<u8>,
    n_records: u64,
    memories: Vec<RecordMemory>,
}

#[derive(Debug)]
enum Message {
    Batch(Batch),
    /// Nothing of interest comes after this.
    Finish,
}

#[derive(Debug)]
struct Batch {
    bytes: Vec<u8>,
    n_records: u64,
    home: SyncSender<Vec<u8>>,
}

#[derive(Debug, Default)]
struct Counters {
    /// Records lost and not yet told.
    untold: AtomicU64,
    /// Records lost in all.
    dropped: AtomicU64,
}

impl Counters {
    fn drop_records(&self, n_records: u64) {
        self.untold.fetch_add(n_records, Ordering::Relaxed);
        self.dropped.fetch_add(n_records, Ordering::Relaxed);
    }
}

impl Log {
    /// Opens the target and starts the writer. The error is that of opening the file.
    pub fn start(target: &LogTarget) -> io::Result<Log> {
        let output = Output::open(target)?;
        let (queue, batches) = sync_channel(LOG_QUEUE);
        let counters = Arc::new(Counters::default());
        let writer = {
            let counters = Arc::clone(&counters);
            thread::Builder::new()
                .name("log".to_owned())
                .spawn(move || write_all(output, &batches, &counters))?
        };
        Ok(Log { queue, counters, writer })
    }

    /// A new end for a worker.
    pub fn worker(&self) -> WorkerLog {
        let (spare_to, spare_from) = sync_channel(LOG_SPARE_BATCHES);
        WorkerLog {
            route: Some(Route {
                queue: self.queue.clone(),
                counters: Arc::clone(&self.counters),
                spare_to,
                spare_from,
                gathered: RefCell::default(),
            }),
        }
    }

    /// Records lost so far.
    pub fn dropped(&self) -> u64 {
        self.counters.dropped.load(Ordering::Relaxed)
    }

    /// Writes all that was handed over and ends the thread. Waits at most this long, since a reader of standard
    /// output may be stuck; says whether all was written. Drop the workers' ends first: they hand over the rest.
    pub fn finish(self, wait: Duration) -> bool {
        let deadline = Instant::now() + wait;
        let mut told = false;
        while !self.writer.is_finished() {
            if !told {
                told = self.queue.try_send(Message::Finish).is_ok();
            }
            if Instant::now() >= deadline {
                return false;
            }
            thread::sleep(Duration::from_millis(1));
        }
        self.writer.join().is_ok()
    }
}

impl WorkerLog {
    /// The end of a log that is off: records cost nothing and go nowhere.
    pub fn off() -> WorkerLog {
        WorkerLog { route: None }
    }

    /// Whether records are written at all.
    pub fn is_on(&self) -> bool {
        self.route.is_some()
    }

    /// Hands over what has been gathered. The worker calls this a few times per second; a full batch goes at once.
    pub fn flush(&self) {
        if let Some(route) = &self.route {
            route.hand_over(&mut route.gathered.borrow_mut());
        }
    }

    /// Takes one line with its line end.
    pub(crate) fn push(&self, line: &[u8]) {
        let Some(route) = &self.route else { return };
        let mut gathered = route.gathered.borrow_mut();
        gathered.bytes.extend_from_slice(line);
        gathered.n_records += 1;
        if gathered.bytes.len() >= LOG_BATCH_BYTES {
            route.hand_over(&mut gathered);
        }
    }

    /// Memory for a record.
    pub(crate) fn memory(&self) -> RecordMemory {
        let memory = self.route.as_ref().and_then(|route| route.gathered.borrow_mut().memories.pop());
        memory.unwrap_or_default()
    }

    /// Takes the memory of a record back.
    pub(crate) fn keep(&self, memory: RecordMemory) {
        if let Some(route) = &self.route {
            let memories = &mut route.gathered.borrow_mut().memories;
            if memories.len() < SCRATCH_KEPT {
                memories.push(memory);
            }
        }
    }
}

impl Drop for WorkerLog {
    fn drop(&mut self) {
        self.flush();
    }
}

impl Route {
    fn hand_over(&self, gathered: &mut Gathered) {
        if gathered.bytes.is_empty() {
            return;
        }
        let spare = self.spare_from.try_recv();
        let next = spare.unwrap_or_else(|_| Vec::with_capacity(LOG_BATCH_BYTES + RECORD_BYTES_MAX));
        let bytes = std::mem::replace(&mut gathered.bytes, next);
        let n_records = std::mem::take(&mut gathered.n_records);
        let batch = Batch { bytes, n_records, home: self.spare_to.clone() };
        match self.queue.try_send(Message::Batch(batch)) {
            Ok(()) => {}
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {
                self.counters.drop_records(n_records);
            }
        }
    }
}

/// The writer's thread.
fn write_all(mut output: Output, batches: &Receiver<Message>, counters: &Counters) {
    let mut told = Vec::new();
    while let Ok(Message::Batch(mut batch)) = batches.recv() {
        if output.write(&batch.bytes).is_err() {
            counters.drop_records(batch.n_records);
        } else {
            tell_dropped(&mut output, counters, &mut told);
        }
        batch.bytes.clear();
        // The worker may be gone or have enough of them.
        drop(batch.home.try_send(batch.bytes));
    }
    tell_dropped(&mut output, counters, &mut told);
}

fn tell_dropped(output: &mut Output, counters: &Counters, line: &mut Vec<u8>) {
    let untold = counters.untold.swap(0, Ordering::Relaxed);
    if untold == 0 {
        return;
    }
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    line.clear();
    write_dropped(untold, u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX), line);
    if output.write(line).is_err() {
        counters.untold.fetch_add(untold, Ordering::Relaxed);
    }
}

/// Where lines go.
#[derive(Debug)]
struct Output {
    /// `None` for standard output.
    path: Option<PathBuf>,
    file: File,
    /// A regular file takes a batch in one write; a pipe takes undivided only as much as one record.
    is_regular: bool,
    /// The last write stopped inside a line.
    is_torn: bool,
}

impl Output {
    fn open(target: &LogTarget) -> io::Result<Output> {
        let (path, file) = match target {
            LogTarget::Stdout => (None, File::from(io::stdout().as_fd().try_clone_to_owned()?)),
            LogTarget::File(path) => {
                let path = PathBuf::from(path);
                let file = open_append(&path)?;
                (Some(path), file)
            }
        };
        let is_regular = file.metadata()?.is_file();
        Ok(Output { path, file, is_regular, is_torn: false })
    }

    /// Writes whole lines. After an error an unknown part of them is written.
    fn write(&mut self, lines: &[u8]) -> io::Result<()> {
        self.follow_name()?;
        if self.is_torn {
            write_patiently(&mut self.file, b"\n", &mut self.is_torn)?;
        }
        let piece_max = if self.is_regular { usize::MAX } else { RECORD_BYTES_MAX };
        let mut rest = lines;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(whole_lines(rest, piece_max));
            write_patiently(&mut self.file, piece, &mut self.is_torn)?;
            rest = after;
        }
        Ok(())
    }

    /// Opens the file anew when its name is gone or leads to another file.
    fn follow_name(&mut self) -> io::Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        let is_same = match std::fs::metadata(path) {
            Ok(named) => {
                let open = self.file.metadata()?;
                (open.dev(), open.ino()) == (named.dev(), named.ino())
            }
            Err(_) => false,
        };
        if !is_same {
            self.file = open_append(path)?;
            self.is_regular = self.file.metadata()?.is_file();
            self.is_torn = false;
        }
        Ok(())
    }
}

fn open_append(path: &Path) -> io::Result<File> {
    // Records name clients, so they are not for everyone on the machine.
    OpenOptions::new().append(true).create(true).mode(0o640).open(path)
}

/// Length of the most whole lines that fit, at least one line.
fn whole_lines(lines: &[u8], bytes_max: usize) -> usize {
    if lines.len() <= bytes_max {
        return lines.len();
    }
    let fitting = lines.get(..bytes_max).unwrap_or(lines);
    let end = memchr::memrchr(b'\n', fitting).or_else(|| memchr::memchr(b'\n', lines));
    end.map_or(lines.len(), |at| at + 1)
}

/// Writes all bytes. Standard output may be a pipe that somebody set to non-blocking: a full one is waited for, a
/// stuck one is an error in the end. `is_torn` tells whether an error left a part of them behind.
fn write_patiently(file: &mut File, bytes: &[u8], is_torn: &mut bool) -> io::Result<()> {
    const WAITS_MAX: u32 = 100;
    let mut rest = bytes;
    let mut n_waits = 0;
    while !rest.is_empty() {
        match file.write(rest) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(n) => {
                rest = rest.get(n..).unwrap_or_default();
                *is_torn = !rest.is_empty();
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock && n_waits < WAITS_MAX => {
                n_waits += 1;
                thread::sleep(Duration::from_millis(10));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests;
