//! What lies on the way to a file: every path whose change can change what the file's name means.

use crate::limits::LINKS_MAX;
use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

/// What a look without reading can tell: device, inode, size and time of change of what the path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
    size: u64,
    changed: (i64, i64),
}

/// The identity of what a path leads to; `None` when there is nothing.
pub(super) fn identity(path: &Path) -> Option<Identity> {
    let meta = std::fs::metadata(path).ok()?;
    let changed = (meta.ctime(), meta.ctime_nsec());
    Some(Identity { device: meta.dev(), inode: meta.ino(), size: meta.size(), changed })
}

/// The file itself, every symbolic link among its directories, and the same for what those point to; absolute.
///
/// Works for files that do not exist: the way is followed as far as it goes.
pub(super) fn on_the_way(file: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let Ok(file) = std::path::absolute(file) else { return found };
    let mut open = vec![file];
    let mut n_links = 0;
    while let Some(path) = open.pop() {
        let mut walked = PathBuf::new();
        let mut components = path.components();
        while let Some(component) = components.next() {
            match component {
                Component::ParentDir => {
                    walked.pop();
                    continue;
                }
                Component::CurDir => continue,
                Component::Prefix(_) | Component::RootDir | Component::Normal(_) => walked.push(component),
            }
            let Ok(target) = std::fs::read_link(&walked) else { continue };
            found.insert(walked.clone());
            n_links += 1;
            if n_links > LINKS_MAX {
                return found;
            }
            let start = walked.parent().unwrap_or(Path::new("/")).join(target);
            open.push(start.join(components.as_path()));
            walked = PathBuf::new();
            break;
        }
        if walked.parent().is_some() {
            found.insert(walked);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_at_every_step_of_the_way() -> std::io::Result<()> {
        let root = super::super::tests::Scratch::new("links")?;
        std::fs::create_dir(root.join("v1"))?;
        std::fs::write(root.join("v1/site.twp"), "one")?;
        symlink("v1", root.join("..data"))?;
        symlink("..data/site.twp", root.join("site.twp"))?;
        let found = on_the_way(&root.join("site.twp"));
        let expected = ["..data", "site.twp", "v1/site.twp"].map(|name| root.join(name));
        assert!(expected.iter().all(|path| found.contains(path)), "{found:?}");
        Ok(())
    }

    #[test]
    fn a_loop_of_links_ends() -> std::io::Result<()> {
        let root = super::super::tests::Scratch::new("loop")?;
        symlink("b", root.join("a"))?;
        symlink("a", root.join("b"))?;
        assert!(on_the_way(&root.join("a")).len() >= 2);
        Ok(())
    }
}
