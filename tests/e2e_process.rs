//! The program `twp` as its operators use it: starting, changing, breaking, killing and stopping it on loopback.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

const TWP: &str = env!("CARGO_BIN_EXE_twp");
const PATIENCE: Duration = Duration::from_secs(20);

/// A directory with a configuration, and the supervisor that runs it.
struct Service {
    directory: PathBuf,
    port: u16,
    child: Child,
}

/// A site on this port that answers everything with this text.
fn answering(port: u16, text: &str) -> String {
    format!(
        "edition 1\nlistener web {{ plain: [127.0.0.1:{port}] }}\nsite * {{ respond 200 body \"{text}\" }}\n"
    )
}

fn with_workers(workers: usize, source: &str) -> String {
    source.replace("edition 1\n", &format!("edition 1\nserver {{ workers: {workers} }}\n"))
}

fn scratch(name: &str) -> io::Result<PathBuf> {
    let directory = std::env::temp_dir().join(format!("twp-e2e-{}-{name}", std::process::id()));
    fs::create_dir_all(&directory)?;
    directory.canonicalize()
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

impl Service {
    /// Starts a configuration and waits until it serves.
    fn start(name: &str, source: impl FnOnce(u16) -> String) -> io::Result<Service> {
        let directory = scratch(name)?;
        let port = free_port()?;
        fs::write(directory.join("site.twp"), source(port))?;
        Service::run(directory, port)
    }

    fn run(directory: PathBuf, port: u16) -> io::Result<Service> {
        Service::run_with(directory, port, &[])
    }

    fn run_with(directory: PathBuf, port: u16, arguments: &[&str]) -> io::Result<Service> {
        let child = twp(&directory)
            .args(["run", "site.twp", "--control", "control"])
            .args(arguments)
            .stderr(fs::File::create(directory.join("stderr"))?)
            .stdout(Stdio::null())
            .spawn()?;
        let service = Service { directory, port, child };
        service.until("it serves", |service| service.said().contains("serving"));
        Ok(service)
    }

    /// What the supervisor has printed so far.
    fn said(&self) -> String {
        fs::read_to_string(self.directory.join("stderr")).unwrap_or_default()
    }

    fn write(&self, source: &str) -> io::Result<()> {
        fs::write(self.directory.join("site.twp"), source)
    }

    fn get(&self) -> io::Result<String> {
        get(TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], self.port)))?, "/")
    }

    /// Waits until something holds; fails with all that was printed when it never does.
    fn until(&self, what: &str, holds: impl Fn(&Service) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !holds(self) {
            assert!(Instant::now() < deadline, "never: {what}; it said:\n{}", self.said());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn until_answer(&self, text: &str) {
        self.until(text, |service| service.get().is_ok_and(|answer| answer == text));
    }

    /// A command with the control socket of this service; exit code, output and errors.
    fn ask(&self, arguments: &[&str]) -> io::Result<(i32, String, String)> {
        let output = twp(&self.directory).args(arguments).args(["--control", "control"]).output()?;
        Ok(parts(&output))
    }

    fn status(&self) -> io::Result<serde_json::Value> {
        let (code, out, err) = self.ask(&["status", "--json"])?;
        if code != 0 {
            return Err(io::Error::other(err));
        }
        Ok(serde_json::from_str(&out)?)
    }

    /// Number and process id of the generation that serves.
    fn serving(&self) -> io::Result<(u64, u64)> {
        let status = self.status()?;
        let generations = status["generations"].as_array().cloned().unwrap_or_default();
        let serving = generations.iter().find(|generation| generation["phase"] == "serving");
        let number = |key: &str| serving.and_then(|generation| generation[key].as_u64());
        number("number").zip(number("pid")).ok_or_else(|| io::Error::other(status.to_string()))
    }

    fn wait(&mut self) -> io::Result<ExitStatus> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            assert!(Instant::now() < deadline, "it never ends; it said:\n{}", self.said());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Service {
    /// Leaves no process behind, also when a test has failed.
    fn drop(&mut self) {
        let status = self.status().unwrap_or_default();
        let _ = self.child.kill();
        let _ = self.child.wait();
        for generation in status["generations"].as_array().into_iter().flatten() {
            if let Some(pid) = generation["pid"].as_u64() {
                let _ = signal("KILL", pid);
            }
        }
        let _ = fs::remove_dir_all(&self.directory);
    }
}

fn twp(directory: &Path) -> Command {
    let mut command = Command::new(TWP);
    command.current_dir(directory).stdin(Stdio::null());
    command
}

fn parts(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

fn signal(name: &str, pid: u64) -> io::Result<()> {
    let done =
        Command::new("sh").arg("-c").arg(format!("kill -{name} {pid}")).stderr(Stdio::null()).status()?;
    if done.success() { Ok(()) } else { Err(io::Error::other("no such process")) }
}

/// One exchange on a new connection; the body.
fn get(mut stream: impl io::Read + io::Write, path: &str) -> io::Result<String> {
    write!(stream, "GET {path} HTTP/1.1\r\nhost: example.com\r\nconnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    match answer.split_once("\r\n\r\n") {
        Some((head, body)) if head.starts_with("HTTP/1.1 200") => Ok(body.to_owned()),
        Some(_) | None => Err(io::Error::other(answer)),
    }
}

#[test]
fn it_starts_tells_what_it_does_and_stops() -> io::Result<()> {
    let mut service = Service::start("start", |port| with_workers(2, &answering(port, "one")))?;
    let port = service.port;
    let said = service.said();
    assert!(said.contains("serving site.twp (generation 1, 2 workers)"), "{said}");
    assert!(said.contains(&format!("http://127.0.0.1:{port}  listener web")), "{said}");
    assert_eq!(service.get()?, "one");

    let (code, out, _) = service.ask(&["status"])?;
    assert!(code == 0 && out.contains("generation 1 serving") && out.contains("engine native ("), "{out}");
    let status = service.status()?;
    assert_eq!(status["pid"], service.child.id());
    assert_eq!(status["listeners"][0]["url"], format!("http://127.0.0.1:{port}"));

    let (code, out, err) = service.ask(&["stop", "--wait"])?;
    assert_eq!((code, out.as_str()), (0, "stopped\n"), "{err}");
    assert!(service.wait()?.success());
    assert!(service.get().is_err(), "the port is closed");
    let (code, _, err) = service.ask(&["status"])?;
    assert!(code == 1 && err.contains("nothing answers at control") && err.contains("help:"), "{err}");
    Ok(())
}

#[test]
fn the_engine_can_be_chosen() -> io::Result<()> {
    for (engine, shown) in [("table", "engine table\n"), ("native", "engine native (")] {
        let (directory, port) = (scratch(&format!("engine-{engine}"))?, free_port()?);
        fs::write(directory.join("site.twp"), answering(port, "one"))?;
        let service = Service::run_with(directory, port, &["--engine", engine])?;
        assert_eq!(service.get()?, "one");
        let (code, out, _) = service.ask(&["status"])?;
        assert!(code == 0 && out.contains(shown), "{engine}: {out}");
    }
    Ok(())
}

#[test]
fn a_saved_change_is_served_and_identical_contents_are_not() -> io::Result<()> {
    let service = Service::start("change", |port| answering(port, "one"))?;
    assert_eq!(service.get()?, "one");
    service.write(&answering(service.port, "two"))?;
    service.until_answer("two");
    service
        .until("the new one is confirmed", |service| service.said().contains("generation 2 serves site.twp"));
    service.write(&answering(service.port, "two"))?;
    std::thread::sleep(Duration::from_millis(600));
    assert_eq!(service.serving()?.0, 2);
    Ok(())
}

#[test]
fn a_broken_file_changes_nothing_until_it_is_mended() -> io::Result<()> {
    let service = Service::start("broken", |port| answering(port, "one"))?;
    service.write("edition 1\nsite * { to nowhere }\n")?;
    service.until("the mistake is printed", |service| service.said().contains("nowhere"));
    service.until("the rest is said", |service| service.said().contains("generation 1 goes on serving"));
    assert_eq!(service.get()?, "one");

    let (code, _, err) = service.ask(&["reload"])?;
    assert!(code == 1 && err.contains("nowhere") && err.contains("refused"), "{err}");
    let last = service.status()?["last_reload"].clone();
    assert!(
        last["result"] == "refused" && last["text"].as_str().is_some_and(|t| t.contains("nowhere")),
        "{last}"
    );

    // Half a file, as an editor may leave it for a moment, is only another mistake.
    let whole = answering(service.port, "three");
    service.write(&whole[..whole.len() / 2])?;
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(service.get()?, "one");
    service.write(&whole)?;
    service.until_answer("three");
    Ok(())
}

#[test]
fn a_broken_first_file_is_explained_and_ends_with_status_1() -> io::Result<()> {
    let directory = scratch("first")?;
    fs::write(directory.join("site.twp"), "edition 1\nsite * { to nowhere }\n")?;
    let run = |file: &str| twp(&directory).args(["run", file, "--control", "control"]).output();
    let (code, _, err) = parts(&run("site.twp")?);
    assert!(code == 1 && err.contains("nowhere") && !err.contains("serving"), "{err}");
    let (code, _, err) = parts(&run("missing.twp")?);
    assert!(code == 1 && err.contains("missing.twp"), "{err}");
    let (code, _, err) = parts(&twp(&directory).args(["run"]).output()?);
    assert!(code == 2 && err.contains("FILE"), "{err}");
    fs::remove_dir_all(directory)
}

#[test]
fn a_reload_starts_a_generation_even_without_a_change() -> io::Result<()> {
    let service = Service::start("reload", |port| answering(port, "one"))?;
    let (code, out, err) = service.ask(&["reload", "--wait"])?;
    assert_eq!((code, out.as_str()), (0, "generation 2 serves\n"), "{err}");
    assert_eq!(service.serving()?.0, 2);
    assert_eq!(service.status()?["generations"].as_array().map(Vec::len), Some(1), "the old one has gone");
    signal("HUP", service.child.id().into())?;
    service.until("SIGHUP does the same", |service| service.serving().is_ok_and(|(number, _)| number == 3));
    assert_eq!(service.get()?, "one");
    Ok(())
}

/// An origin that takes its time, so that an exchange is open while the service stops.
fn slow_origin(delay: Duration) -> io::Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let _ = stream.read(&mut [0; 4096]);
                std::thread::sleep(delay);
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nlate");
            });
        }
    });
    Ok(port)
}

fn forwarding(port: u16, origin: u16) -> String {
    format!(
        "edition 1\nlistener web {{ plain: [127.0.0.1:{port}] }}\n\
         upstream slow {{ servers: [127.0.0.1:{origin}] }}\nsite * {{ to slow }}\n"
    )
}

#[test]
fn sigterm_lets_open_exchanges_finish_and_takes_no_new_ones() -> io::Result<()> {
    let origin = slow_origin(Duration::from_secs(1))?;
    let mut service = Service::start("drain", |port| forwarding(port, origin))?;
    let stream = TcpStream::connect(("127.0.0.1", service.port))?;
    let open = std::thread::spawn(move || get(stream, "/"));
    std::thread::sleep(Duration::from_millis(300));
    signal("TERM", service.child.id().into())?;
    service
        .until("new clients are refused", |service| TcpStream::connect(("127.0.0.1", service.port)).is_err());
    assert!(!open.is_finished(), "the exchange is still open");
    assert_eq!(open.join().map_err(|_| io::ErrorKind::Other)??, "late");
    assert!(service.wait()?.success());
    Ok(())
}

#[test]
fn a_second_sigterm_cuts_what_is_left() -> io::Result<()> {
    let origin = slow_origin(Duration::from_secs(30))?;
    let mut service = Service::start("cut", |port| forwarding(port, origin))?;
    let stream = TcpStream::connect(("127.0.0.1", service.port))?;
    let open = std::thread::spawn(move || get(stream, "/"));
    std::thread::sleep(Duration::from_millis(300));
    signal("TERM", service.child.id().into())?;
    service.until("it drains", |service| service.said().contains("stopping"));
    signal("TERM", service.child.id().into())?;
    assert!(service.wait()?.success());
    assert!(open.join().is_ok_and(|answer| answer.is_err()));
    Ok(())
}

#[test]
fn a_second_start_on_one_port_is_refused() -> io::Result<()> {
    let service = Service::start("twice", |port| answering(port, "one"))?;
    fs::write(service.directory.join("other.twp"), answering(service.port, "two"))?;
    let other = twp(&service.directory).args(["run", "other.twp", "--control", "other"]).output()?;
    let (code, _, err) = parts(&other);
    let address = format!("127.0.0.1:{}", service.port);
    assert!(code == 1 && err.contains(&address) && err.contains("another program listens there"), "{err}");
    assert!(err.contains("help:") && !err.contains("serving"), "{err}");
    let same = twp(&service.directory).args(["run", "site.twp", "--control", "control"]).output()?;
    let (code, _, err) = parts(&same);
    assert!(code == 1 && err.contains("twp runs already") && err.contains("twp reload"), "{err}");
    for _ in 0..10 {
        assert_eq!(service.get()?, "one", "no client went astray");
    }
    Ok(())
}

#[test]
fn a_busy_port_in_a_change_leaves_the_service_alone() -> io::Result<()> {
    let service = Service::start("busy", |port| answering(port, "one"))?;
    let busy = TcpListener::bind("127.0.0.1:0")?;
    let port = busy.local_addr()?.port();
    let wider = answering(service.port, "two").replace("plain: [", &format!("plain: [127.0.0.1:{port}, "));
    service.write(&wider)?;
    let (code, _, err) = service.ask(&["reload"])?;
    assert!(code == 1, "{err}");
    service.until("the port is named", |service| service.said().contains(&format!("127.0.0.1:{port}")));
    assert_eq!(service.get()?, "one");
    drop(busy);
    let (code, _, err) = service.ask(&["reload"])?;
    assert_eq!(code, 0, "{err}");
    assert_eq!(service.get()?, "two");
    assert_eq!(get(TcpStream::connect(("127.0.0.1", port))?, "/")?, "two");
    Ok(())
}

#[test]
fn a_killed_generation_is_restarted_and_clients_wait_for_it() -> io::Result<()> {
    let service = Service::start("killed", |port| answering(port, "one"))?;
    let (number, pid) = service.serving()?;
    signal("KILL", pid)?;
    assert_eq!(service.get()?, "one", "the client waited in the queue");
    assert_ne!(service.serving()?.0, number);
    assert!(service.said().contains("was killed by SIGKILL"), "{}", service.said());

    // What served last comes back also when the file on disk is broken by now.
    service.write("edition 1\nsite * { to nowhere }\n")?;
    service.until("the mistake is printed", |service| service.said().contains("nowhere"));
    let (number, pid) = service.serving()?;
    signal("KILL", pid)?;
    assert_eq!(service.get()?, "one");
    service.until("it is confirmed", |service| service.serving().is_ok_and(|(later, _)| later > number));
    Ok(())
}

#[test]
fn a_generation_ignores_signals_that_are_meant_for_its_supervisor() -> io::Result<()> {
    let service = Service::start("signals", |port| answering(port, "one"))?;
    let (number, pid) = service.serving()?;
    for name in ["INT", "HUP", "TERM"] {
        signal(name, pid)?;
    }
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!((service.serving()?, service.get()?), ((number, pid), "one".to_owned()));
    Ok(())
}

#[test]
fn a_generation_outlives_its_supervisor_and_can_be_drained() -> io::Result<()> {
    let mut service = Service::start("orphan", |port| answering(port, "one"))?;
    let (_, pid) = service.serving()?;
    service.child.kill()?;
    service.child.wait()?;
    service.until("it says so", |service| service.said().contains("the supervisor is gone"));
    assert_eq!(service.get()?, "one");
    signal("TERM", pid)?;
    service.until("it ends", |service| service.get().is_err());
    Ok(())
}

/// As the kubelet publishes a new version of a mounted file.
#[test]
fn swapping_a_link_on_the_way_to_the_file_is_a_change() -> io::Result<()> {
    let directory = scratch("links")?;
    let port = free_port()?;
    let publish = |version: &str| -> io::Result<()> {
        fs::create_dir(directory.join(version))?;
        fs::write(directory.join(version).join("site.twp"), answering(port, version))?;
        symlink(version, directory.join("..data_tmp"))?;
        fs::rename(directory.join("..data_tmp"), directory.join("..data"))
    };
    publish("..v1")?;
    symlink("..data/site.twp", directory.join("site.twp"))?;
    let service = Service::run(directory.clone(), port)?;
    assert_eq!(service.get()?, "..v1");
    for version in ["..v2", "..v3"] {
        publish(version)?;
        service.until_answer(version);
    }
    Ok(())
}

#[test]
fn a_moved_listener_serves_at_the_new_place_and_leaves_the_old() -> io::Result<()> {
    let service = Service::start("moved", |port| answering(port, "one"))?;
    let path = service.directory.join("web.sock");
    let unix = answering(1, "two").replace("127.0.0.1:1", &format!("unix:{}", path.display()));
    service.write(&unix)?;
    service.until("the path answers", |_| {
        UnixStream::connect(&path).and_then(|stream| get(stream, "/")).is_ok_and(|answer| answer == "two")
    });
    service.until("the port is closed", |service| service.get().is_err());
    service.write(&answering(service.port, "three"))?;
    service.until_answer("three");
    service.until("the path is gone", |_| !path.exists());
    Ok(())
}

#[test]
fn reloading_again_and_again_leaks_neither_descriptors_nor_processes() -> io::Result<()> {
    let service = Service::start("leaks", |port| answering(port, "one"))?;
    let pid = service.child.id();
    let n_descriptors = || fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count);
    let n_children = || {
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
        children.split_whitespace().count()
    };
    let before = n_descriptors();
    for _ in 0..15 {
        let (code, _, err) = service.ask(&["reload"])?;
        assert_eq!(code, 0, "{err}");
    }
    service.until("one generation is left", |_| n_children() == 1);
    service.until("as many descriptors as before", |_| n_descriptors() == before);
    Ok(())
}

/// A small ledger: every request on a new connection gets the right answer, whatever is reloaded meanwhile.
#[test]
fn no_request_is_lost_while_configurations_and_worker_counts_change() -> io::Result<()> {
    let service = Service::start("lossless", |port| answering(port, "version 0"))?;
    let (is_over, n_answers) = (AtomicBool::new(false), AtomicU64::new(0));
    let client = || -> Result<(), String> {
        while !is_over.load(Ordering::Relaxed) {
            let answer = service.get().map_err(|error| format!("{error:?}"))?;
            if !answer.starts_with("version ") {
                return Err(answer);
            }
            n_answers.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    };
    let lost = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..4).map(|_| scope.spawn(client)).collect();
        let mut reloads = Vec::new();
        for (version, workers) in [2, 1, 4, 3, 1, 2, 4, 1].into_iter().enumerate() {
            let source = answering(service.port, &format!("version {version}"));
            let written = service.write(&with_workers(workers, &source));
            reloads.push(written.and_then(|()| service.ask(&["reload"])));
            std::thread::sleep(Duration::from_millis(100));
        }
        is_over.store(true, Ordering::Relaxed);
        let lost: Vec<String> = clients
            .into_iter()
            .filter_map(|client| client.join().unwrap_or(Err("panic".to_owned())).err())
            .collect();
        (lost, reloads)
    });
    assert!(lost.0.is_empty(), "{:?}", lost.0);
    let codes: Vec<_> = lost.1.into_iter().map(|reload| reload.map(|(code, _, err)| (code, err))).collect();
    assert!(codes.iter().all(|code| code.as_ref().is_ok_and(|(code, _)| *code == 0)), "{codes:?}");
    assert!(n_answers.load(Ordering::Relaxed) > 100, "the clients were busy");
    Ok(())
}
