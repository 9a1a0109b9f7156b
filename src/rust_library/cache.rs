//! Libraries that have been made, each under the hash of what it is made of, with the hash of its own bytes in a file
//! next to it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tempfile::TempDir;

use super::fault::RustFault;

/// How many libraries are kept: the one that was used least recently goes first.
const MOST_KEPT: usize = 200;
/// Ending of the files with hashes.
const HASH_EXTENSION: &str = "blake3";
/// Ending of the files with sources.
const SOURCE_EXTENSION: &str = "rs";
/// Start of the names of folders in which is compiled.
const WORKPLACE_PREFIX: &str = "new-";

/// A folder of libraries.
pub(super) struct Cache {
    folder: PathBuf,
}

/// A folder to compile in. It is removed when it is dropped, or by the next compilation where this one was killed.
pub(super) struct Workplace {
    folder: TempDir,
    /// Shared by all compilations; whoever has it alone knows that no other compiles.
    _lock: File,
}

impl Workplace {
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// The user's cache, which exists then: the folder that `HASSE_CACHE` names, else the folder for caches of this system.
pub(super) fn folder() -> Result<PathBuf, RustFault> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = variable("HASSE_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("hasse")))
        .or_else(|| variable("LOCALAPPDATA").map(|folder| folder.join("hasse").join("cache")))
        .or_else(|| variable("HOME").map(|home| home.join(".cache").join("hasse")))
        .unwrap_or_else(|| std::env::temp_dir().join("hasse"));
    fs::create_dir_all(&folder).map_err(|source| RustFault::Write { path: folder.clone(), source })?;
    Ok(folder)
}

impl Cache {
    /// The folder in the user's cache.
    pub(super) fn open() -> Result<Self, RustFault> {
        let folder = folder()?.join("bodies");
        fs::create_dir_all(&folder).map_err(|source| RustFault::Write { path: folder.clone(), source })?;
        Ok(Self { folder })
    }

    /// The library of a text and flags of the compiler, if it was made before and holds the bytes that it held then: to
    /// load a damaged one kills the process.
    pub(super) fn find(&self, source: &str, flags: &[&str]) -> Option<PathBuf> {
        let path = self.place_of(source, flags);
        let file = File::options().append(true).open(&path).ok()?;
        let is_whole = hash_of(&path).ok()? == fs::read_to_string(hash_path(&path)).unwrap_or_default();
        if !is_whole {
            return None;
        }
        // When it was used last; where that cannot be noted, it is made again some day.
        let _ = file.set_modified(SystemTime::now());
        Some(path)
    }

    /// A folder to compile in.
    pub(super) fn workplace(&self) -> Result<Workplace, RustFault> {
        let path = self.folder.join("compiling.lock");
        let cannot_write = |source| RustFault::Write { path: path.clone(), source };
        let lock = File::options().append(true).create(true).open(&path).map_err(cannot_write)?;
        if lock.try_lock().is_ok() {
            self.remove_abandoned();
            lock.unlock().map_err(cannot_write)?;
        }
        lock.lock_shared().map_err(cannot_write)?;
        let folder = tempfile::Builder::new().prefix(WORKPLACE_PREFIX).tempdir_in(&self.folder);
        let folder = folder.map_err(|source| RustFault::Write { path: self.folder.clone(), source })?;
        Ok(Workplace { folder, _lock: lock })
    }

    /// Removes the folders of compilations that were killed. No other compilation may be under way.
    fn remove_abandoned(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().starts_with(WORKPLACE_PREFIX) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    /// Takes in what was compiled. Somebody else may have done so meanwhile: it is the same.
    pub(super) fn keep(&self, made: &Path, source: &str, flags: &[&str]) -> Result<PathBuf, RustFault> {
        let path = self.place_of(source, flags);
        let cannot_write = |source| RustFault::Write { path: path.clone(), source };
        let hash = hash_of(made).map_err(cannot_write)?;
        // A library without the right hash is made again, so that the order of the two does not matter.
        let beside = made.with_extension(HASH_EXTENSION);
        fs::write(&beside, hash).map_err(cannot_write)?;
        fs::rename(&beside, hash_path(&path)).map_err(cannot_write)?;
        fs::rename(made, &path).map_err(cannot_write)?;
        self.prune();
        Ok(path)
    }

    /// The place of the source of a library, next to it.
    pub(super) fn source_of(&self, source: &str, flags: &[&str]) -> PathBuf {
        self.place_of(source, flags).with_extension(SOURCE_EXTENSION)
    }

    fn place_of(&self, source: &str, flags: &[&str]) -> PathBuf {
        let mut hasher = blake3::Hasher::new();
        for part in flags.iter().copied().chain([source]) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        self.folder.join(format!("{}{}", hasher.finalize().to_hex(), std::env::consts::DLL_SUFFIX))
    }

    /// Lets go of what has not been used for long. What cannot be removed, as it is being used, stays.
    fn prune(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let mut libraries: Vec<(SystemTime, PathBuf)> = Vec::new();
        for entry in entries.flatten() {
            let path = entry.path();
            let is_library = path.to_string_lossy().ends_with(std::env::consts::DLL_SUFFIX);
            if let Ok(facts) = entry.metadata()
                && facts.is_file()
                && is_library
                && let Ok(used) = facts.modified()
            {
                libraries.push((used, path));
            }
        }
        libraries.sort();
        let n_more = libraries.len().saturating_sub(MOST_KEPT);
        for (_, path) in &libraries[..n_more] {
            let _ = fs::remove_file(path);
            let _ = fs::remove_file(hash_path(path));
            let _ = fs::remove_file(path.with_extension(SOURCE_EXTENSION));
        }
    }
}

/// The file with the hash of a library's bytes.
fn hash_path(library: &Path) -> PathBuf {
    library.with_extension(HASH_EXTENSION)
}

/// The hash of a file's bytes.
fn hash_of(path: &Path) -> io::Result<String> {
    Ok(blake3::hash(&fs::read(path)?).to_hex().to_string())
}
