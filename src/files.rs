//! The files of a program on disk, and what was seen of them, so that a change of any can be noticed.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use twp_lang::module::{FileError, Files};

/// Reads modules and data files in the folder of an entry file.
#[derive(Debug)]
pub struct Disk {
    folder: PathBuf,
    seen: BTreeMap<PathBuf, Option<String>>,
}

impl Disk {
    /// Files beside this entry file; beside `-`, standard input, are those of the current directory.
    pub fn beside(entry: &Path) -> Disk {
        Disk { folder: entry.parent().unwrap_or(Path::new("")).to_owned(), seen: BTreeMap::new() }
    }

    /// Every file that was looked for, with its text; `None` for what could not be read, which may be there later.
    pub fn seen(&self) -> impl Iterator<Item = (&Path, Option<&str>)> {
        self.seen.iter().map(|(path, text)| (path.as_path(), text.as_deref()))
    }
}

impl Files for Disk {
    fn read(&mut self, path: &str, bytes_max: usize) -> Result<Vec<u8>, FileError> {
        let path = self.folder.join(path);
        let found = read(&path, bytes_max);
        let text = found.as_ref().ok().and_then(|bytes| std::str::from_utf8(bytes).ok());
        self.seen.insert(path, text.map(str::to_owned));
        found
    }

    fn list(&mut self, folder: &str) -> Vec<String> {
        let folder = self.folder.join(folder);
        // The empty path is the current directory for `join`, and nothing for the system.
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        let name = |entry: fs::DirEntry| {
            let is_folder = entry.path().is_dir();
            let name = entry.file_name().into_string().ok()?;
            Some(if is_folder { name + "/" } else { name })
        };
        let mut names: Vec<String> = entries.flatten().filter_map(name).take(LISTED_MAX).collect();
        names.sort();
        names
    }

    fn shown(&self, path: &str) -> String {
        self.folder.join(path).display().to_string()
    }
}

/// Names of a folder that are looked at for advice; in larger ones nobody knows them by heart either.
const LISTED_MAX: usize = 10_000;

fn read(path: &Path, bytes_max: usize) -> Result<Vec<u8>, FileError> {
    let other = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => FileError::Missing,
        ErrorKind::PermissionDenied => FileError::Other("permission denied".to_owned()),
        _ => FileError::Other(error.to_string()),
    };
    let metadata = fs::metadata(path).map_err(other)?;
    if metadata.is_dir() {
        return Err(FileError::Folder);
    }
    // A pipe would keep us waiting for whoever writes it.
    if !metadata.is_file() {
        return Err(FileError::Other("it is neither a file nor a link to one".to_owned()));
    }
    let most = u64::try_from(bytes_max).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(most.saturating_add(1)).read_to_end(&mut bytes))
        .map_err(other)?;
    if bytes.len() > bytes_max { Err(FileError::TooLarge) } else { Ok(bytes) }
}

/// What was kept of the files of a program.
#[derive(Debug)]
pub struct Kept<'k> {
    folder: PathBuf,
    texts: BTreeMap<&'k Path, &'k str>,
}

impl<'k> Kept<'k> {
    /// Files that lay beside this entry file, by the paths that [`Disk::seen`] told.
    pub fn beside(entry: &Path, texts: impl IntoIterator<Item = (&'k Path, &'k str)>) -> Kept<'k> {
        let folder = entry.parent().unwrap_or(Path::new("")).to_owned();
        Kept { folder, texts: texts.into_iter().collect() }
    }
}

impl Files for Kept<'_> {
    fn read(&mut self, path: &str, bytes_max: usize) -> Result<Vec<u8>, FileError> {
        match self.texts.get(self.folder.join(path).as_path()) {
            Some(text) if text.len() > bytes_max => Err(FileError::TooLarge),
            Some(text) => Ok(text.as_bytes().to_vec()),
            None => Err(FileError::Missing),
        }
    }

    fn list(&mut self, _: &str) -> Vec<String> {
        Vec::new()
    }

    fn shown(&self, path: &str) -> String {
        self.folder.join(path).display().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::{Disk, Kept};
    use std::path::Path;
    use twp_lang::module::{FileError, Files as _};
    use twp_testkit::Scratch;

    #[test]
    fn files_lie_beside_the_entry_file() {
        let scratch = Scratch::new();
        std::fs::create_dir(scratch.path().join("a")).expect("a folder");
        scratch.write("a/m.twp", "text");
        scratch.write("bytes", "\u{e9}");
        let mut disk = Disk::beside(&scratch.path().join("site.twp"));
        assert_eq!(disk.read("a/m.twp", 4), Ok(b"text".to_vec()));
        assert_eq!(disk.read("a/m.twp", 3), Err(FileError::TooLarge));
        assert_eq!(disk.read("a", 9), Err(FileError::Folder));
        assert_eq!(disk.read("b/m.twp", 9), Err(FileError::Missing));
        assert_eq!(disk.read("bytes/m.twp", 9), Err(FileError::Missing));
        assert_eq!(disk.list(""), ["a/", "bytes"]);
        assert_eq!(disk.list("none"), [""; 0]);
        assert_eq!(disk.shown("a/m.twp"), scratch.path().join("a/m.twp").display().to_string());
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let mut disk = Disk::beside(Path::new("/dev/x.twp"));
        let FileError::Other(reason) = disk.read("null", 9).expect_err("a device") else {
            panic!("a reason")
        };
        assert!(reason.contains("neither a file"), "{reason}");
    }

    #[test]
    fn what_was_seen_can_be_kept() {
        let scratch = Scratch::new();
        scratch.write("m.twp", "text");
        let entry = scratch.path().join("site.twp");
        let mut disk = Disk::beside(&entry);
        disk.read("m.twp", 9).expect("a file");
        disk.read("none", 9).expect_err("nothing");
        let seen: Vec<_> = disk.seen().map(|(path, text)| (path.to_owned(), text)).collect();
        assert_eq!(seen, [(scratch.path().join("m.twp"), Some("text")), (scratch.path().join("none"), None)]);
        let mut kept = Kept::beside(&entry, disk.seen().filter_map(|(path, text)| Some((path, text?))));
        assert_eq!(kept.read("m.twp", 4), Ok(b"text".to_vec()));
        assert_eq!(kept.read("m.twp", 3), Err(FileError::TooLarge));
        assert_eq!(kept.read("none", 9), Err(FileError::Missing));
        assert_eq!((kept.shown("m.twp"), kept.list("")), (disk.shown("m.twp"), Vec::new()));
    }
}
