//! The file that lets `perf report` name native code: `/tmp/perf-PID.map`, one line for each function.
//!
//! The directory belongs to everybody, so the file is only ever made anew, never followed or written into. A file that
//! an earlier process of this user left under the same number is replaced; anything else at its place is an error. The
//! file stays when the process ends, because profiles are read after that.

use nix::fcntl::OFlag;
use nix::unistd::geteuid;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use twp_compiler::Symbol;

/// Where perf looks, whatever `TMPDIR` says.
const DIRECTORY: &str = "/tmp";

/// Writes the file of this process and returns its path.
pub fn write(symbols: &[Symbol]) -> io::Result<PathBuf> {
    write_in(Path::new(DIRECTORY), std::process::id(), symbols)
}

fn write_in(directory: &Path, process: u32, symbols: &[Symbol]) -> io::Result<PathBuf> {
    let path = directory.join(format!("perf-{process}.map"));
    let mut file = match create(&path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists && is_left_over(&path) => {
            fs::remove_file(&path)?;
            create(&path)?
        }
        created => created?,
    };
    let mut text = Vec::new();
    for Symbol { range, name } in symbols {
        writeln!(text, "{:x} {:x} {name}", range.start, range.len())?;
    }
    file.write_all(&text)?;
    Ok(path)
}

/// A new file that nobody else reads; fails where anything is, be it a link.
fn create(path: &Path) -> io::Result<File> {
    let flags = (OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC).bits();
    OpenOptions::new().write(true).create_new(true).mode(0o600).custom_flags(flags).open(path)
}

/// Whether it is a file of this user. Directories such as `/tmp` let nobody else replace it meanwhile, and making the
/// new one fails where somebody could.
fn is_left_over(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.uid() == geteuid().as_raw())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn symbols() -> Vec<Symbol> {
        let symbol = |range, name: &str| Symbol { range, name: name.to_owned() };
        vec![symbol(0x1000..0x1040, "twp::site::a.test"), symbol(0x1040..0x10FF, "twp::condition::0")]
    }

    const TEXT: &str = "1000 40 twp::site::a.test\n1040 bf twp::condition::0\n";

    /// A directory of its own, removed in the end.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let path = std::env::temp_dir().join(format!("twp-perf-map-{}-{name}", std::process::id()));
            fs::create_dir(&path).expect("a new directory");
            Scratch(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn the_file_is_private_and_replaces_a_left_over() {
        let scratch = Scratch::new("private");
        fs::write(scratch.0.join("perf-7.map"), "of an earlier process, and longer than what comes now")
            .expect("a file");
        for _ in 0..2 {
            let path = write_in(&scratch.0, 7, &symbols()).expect("a map");
            assert_eq!(path, scratch.0.join("perf-7.map"));
            assert_eq!(fs::read_to_string(&path).expect("text"), TEXT);
            assert_eq!(fs::metadata(&path).expect("a file").mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn links_and_directories_are_left_alone() {
        let scratch = Scratch::new("links");
        let victim = scratch.0.join("victim");
        fs::write(&victim, "untouched").expect("a file");
        symlink(&victim, scratch.0.join("perf-7.map")).expect("a link");
        symlink(scratch.0.join("nowhere"), scratch.0.join("perf-8.map")).expect("a link");
        fs::create_dir(scratch.0.join("perf-9.map")).expect("a directory");
        for process in [7, 8, 9] {
            let error = write_in(&scratch.0, process, &symbols()).expect_err("something else is there");
            assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{process}");
        }
        assert_eq!(fs::read_to_string(&victim).expect("text"), "untouched");
        assert!(!scratch.0.join("nowhere").exists());
    }
}
