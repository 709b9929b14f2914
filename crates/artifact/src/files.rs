//! Writing files so that a reader never sees half of one, and the directory for data.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Writes a file through `content`. It is written beside its place and renamed when it is whole, so a failure leaves
/// what was there before. What is not an ordinary file, such as a pipe, is written directly.
pub fn save(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    if std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        let mut out = BufWriter::new(File::options().write(true).open(path)?);
        content(&mut out)?;
        return out.flush();
    }
    // A link stays a link: the file that it leads to is replaced.
    let path = &std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it has no name of a file"))?;
    let mut beside = OsString::from(".");
    beside.push(name);
    // The time keeps two programs that write the same file apart.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    beside.push(format!(".{}.part", now.as_nanos()));
    let beside = path.with_file_name(beside);
    let written = write_whole(&beside, content).and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        // The error that counts is the first one.
        let _ = std::fs::remove_file(&beside);
    }
    written
}

fn write_whole(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    content(&mut out)?;
    out.flush()?;
    out.get_ref().sync_all()
}

/// The directory where the program keeps data of this user, by the custom of the system; else one in the working
/// directory.
pub fn data_directory() -> PathBuf {
    let variable = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let home = || Some(variable("HOME")?.join(".local").join("share"));
    variable("XDG_DATA_HOME")
        .or_else(|| variable("LOCALAPPDATA"))
        .or_else(home)
        .map_or_else(|| PathBuf::from("ludens-data"), |folder| folder.join("ludens"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept");
        save(&path, |out| out.write_all(b"old")).unwrap();
        let failed = save(&path, |out| {
            out.write_all(b"half of the new")?;
            Err(io::Error::other("the disk is full"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "the disk is full");
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        save(&path, |out| out.write_all(b"new")).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        // Nothing is left beside it.
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
