//! A `twp` that a test starts, talks to and ends.
//!
//! It runs in a process group of its own, so that no generation outlives the test whatever happens in between.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::scratch::Scratch;

/// How long a start may take on a busy two-core machine.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// How long an orderly end may take before the group is killed.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);
/// How long a test waits for something that must happen.
const PATIENCE: Duration = Duration::from_secs(20);
/// Between two looks.
const STEP: Duration = Duration::from_millis(20);

/// A running `twp run`; ended, with all its generations, when dropped.
#[derive(Debug)]
pub struct Program {
    child: Child,
    addr: SocketAddr,
    scratch: Scratch,
    bin: PathBuf,
}

/// Ports that are given out: below those that the system gives to clients and to whoever asks for any port.
const PORTS: Range<u16> = 10_000..32_000;

/// A loopback port that nobody listens on and that nobody else in this process is given. Two programs on one port would
/// not refuse each other for sure: both may share it, and each would get some of the other's requests.
pub fn free_port() -> u16 {
    static GIVEN: AtomicU32 = AtomicU32::new(0);
    let is_free = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
    let count = u32::from(PORTS.end - PORTS.start);
    // Tests of other processes begin elsewhere.
    let first = std::process::id().wrapping_mul(101);
    let next = || first.wrapping_add(GIVEN.fetch_add(1, Ordering::Relaxed)) % count;
    let mut ports = (0..count).map(|_| PORTS.start + u16::try_from(next()).expect("less than all ports"));
    ports.find(is_free).expect("a loopback port is free")
}

impl Program {
    /// Writes the configuration, with `{port}` replaced by a free port, starts the program and waits until it
    /// answers. Panics with the program's own words when it does not.
    pub fn start(bin: impl AsRef<Path>, config: &str) -> Self {
        Self::start_as(bin, config, |_| ())
    }

    /// As [`Program::start`]; `prepare` may change the command, as by more options or another environment.
    pub fn start_as(bin: impl AsRef<Path>, config: &str, prepare: impl FnOnce(&mut Command)) -> Self {
        let (scratch, port) = (Scratch::new(), free_port());
        scratch.write("site.twp", &with_port(config, port));
        Self::spawn(bin.as_ref(), scratch, port, prepare)
    }

    /// As [`Program::start`], in a folder where `site.twp` already leads to a configuration for this port.
    pub fn start_in(bin: impl AsRef<Path>, scratch: Scratch, port: u16) -> Self {
        Self::spawn(bin.as_ref(), scratch, port, |_| ())
    }

    /// As [`Program::start_in`], with more arguments of `run`.
    pub fn start_with(bin: impl AsRef<Path>, scratch: Scratch, port: u16, arguments: &[&str]) -> Self {
        Self::spawn(bin.as_ref(), scratch, port, |command| {
            command.args(arguments);
        })
    }

    fn spawn(bin: &Path, scratch: Scratch, port: u16, prepare: impl FnOnce(&mut Command)) -> Self {
        let said = fs::File::create(scratch.path().join("stderr")).expect("a file in the temporary folder");
        let mut command = Command::new(bin);
        command
            .args(["run", "site.twp", "--control", "control"])
            .current_dir(scratch.path())
            .stdin(Stdio::null())
            .stdout(fs::File::create(scratch.path().join("stdout")).expect("a file in the temporary folder"))
            .stderr(said)
            .process_group(0);
        prepare(&mut command);
        let child = command.spawn().expect("the program starts");
        let addr = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let mut program = Self { child, addr, scratch, bin: bin.to_owned() };
        program.wait_until_it_answers();
        program
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The file it was started with; everything else of this test lies beside it.
    pub fn site(&self) -> PathBuf {
        self.scratch.path().join("site.twp")
    }

    /// Writes the configuration in place; `{port}` stands for the same port as at the start.
    pub fn write(&self, config: &str) {
        self.scratch.write("site.twp", &with_port(config, self.addr.port()));
    }

    /// As [`Program::write`], but as an editor does it, by a rename.
    pub fn change(&self, config: &str) {
        let new = self.scratch.write("site.new", &with_port(config, self.addr.port()));
        fs::rename(new, self.site()).expect("a file in the temporary folder can be renamed");
    }

    /// The processes that the supervisor has started and that live: its generations.
    pub fn generations(&self) -> Vec<u32> {
        let pid = self.child.id();
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
        children.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
    }

    /// Sends a signal, such as `-KILL`, to a process of this program.
    pub fn signal(&self, which: &str, pid: u32) {
        signal(which, &pid.to_string());
    }

    /// Waits for the end of the supervisor: its exit status, or `None` when it goes on or was killed.
    pub fn wait(&mut self, patience: Duration) -> Option<i32> {
        let deadline = Instant::now() + patience;
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return status.code();
            }
            if Instant::now() > deadline {
                return None;
            }
            thread::sleep(STEP);
        }
    }

    /// Waits until something holds; panics with all that was printed when it never does.
    pub fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !holds(self) {
            assert!(Instant::now() < deadline, "never: {what}; it said:\n{}", self.said().1);
            thread::sleep(STEP);
        }
    }

    /// The process id of the supervisor.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it has printed so far: standard output, then standard error.
    pub fn said(&self) -> (String, String) {
        let read = |name| fs::read_to_string(self.scratch.path().join(name)).unwrap_or_default();
        (read("stdout"), read("stderr"))
    }

    /// Runs another subcommand (`reload`, `status --json`, `stop`) against this program: exit status, output, errors.
    pub fn command(&self, words: &str) -> (Option<i32>, String, String) {
        self.run(&format!("{words} site.twp --control control"))
    }

    /// Runs the program with these words, in the folder of this test: exit status, output, errors.
    pub fn run(&self, words: &str) -> (Option<i32>, String, String) {
        let output = Command::new(&self.bin)
            .args(words.split_whitespace())
            .current_dir(self.scratch.path())
            .stdin(Stdio::null())
            .output()
            .expect("the program starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    fn wait_until_it_answers(&mut self) {
        let deadline = Instant::now() + START_TIMEOUT;
        loop {
            if answers(self.addr) {
                return;
            }
            let ended = self.child.try_wait().ok().flatten();
            if ended.is_some() || Instant::now() > deadline {
                let (out, err) = self.said();
                panic!("twp does not serve (exit: {ended:?})\nstdout:\n{out}\nstderr:\n{err}");
            }
            thread::sleep(STEP);
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let pid = self.child.id();
        signal("-TERM", &pid.to_string());
        self.wait(STOP_TIMEOUT);
        // Draining generations may live on by design; the group id names exactly what this test started.
        signal("-KILL", &format!("-{pid}"));
        drop(self.child.wait());
    }
}

fn with_port(config: &str, port: u16) -> String {
    config.replace("{port}", &port.to_string())
}

fn signal(which: &str, target: &str) {
    drop(Command::new("kill").arg(which).arg("--").arg(target).stderr(Stdio::null()).status());
}

/// Whether a whole exchange works; a connection alone says nothing, since the supervisor binds early.
fn answers(addr: SocketAddr) -> bool {
    let Ok(mut stream) = TcpStream::connect_timeout(&addr, Duration::from_millis(200)) else { return false };
    drop(stream.set_read_timeout(Some(Duration::from_secs(2))));
    drop(stream.write_all(b"GET /ready-probe HTTP/1.1\r\nhost: ready.invalid\r\nconnection: close\r\n\r\n"));
    stream.read(&mut [0; 16]).is_ok_and(|n| n > 0)
}
