//! Libraries that have been made, each under a name that tells what it is made of.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tempfile::TempDir;

use super::RustFault;

/// How many libraries are kept: the one that was used least recently goes first.
const MOST_KEPT: usize = 200;

/// A folder of libraries.
pub(super) struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// The user's cache: what `HASSE_CACHE` names, else the folder for caches of this system.
    pub(super) fn open() -> Result<Self, RustFault> {
        let variable =
            |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let folder = variable("HASSE_CACHE")
            .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("hasse")))
            .or_else(|| variable("LOCALAPPDATA").map(|folder| folder.join("hasse").join("cache")))
            .or_else(|| variable("HOME").map(|home| home.join(".cache").join("hasse")))
            .unwrap_or_else(|| std::env::temp_dir().join("hasse"));
        let folder = folder.join("bodies");
        fs::create_dir_all(&folder).map_err(|source| RustFault::Write { path: folder.clone(), source })?;
        Ok(Self { folder })
    }

    /// The library of a text and flags of the compiler, if it was made before.
    pub(super) fn find(&self, source: &str, flags: &[&str]) -> Option<PathBuf> {
        let path = self.place_of(source, flags);
        let file = File::options().append(true).open(&path).ok()?;
        // When it was used last; where that cannot be noted, it is made again some day.
        let _ = file.set_modified(SystemTime::now());
        Some(path)
    }

    /// A folder to compile in.
    pub(super) fn workplace(&self) -> Result<TempDir, RustFault> {
        let place = tempfile::Builder::new().prefix("new-").tempdir_in(&self.folder);
        place.map_err(|source| RustFault::Write { path: self.folder.clone(), source })
    }

    /// Takes in what was compiled. Somebody else may have done so meanwhile: it is the same.
    pub(super) fn keep(&self, made: &Path, source: &str, flags: &[&str]) -> Result<PathBuf, RustFault> {
        let path = self.place_of(source, flags);
        fs::rename(made, &path).map_err(|source| RustFault::Write { path: path.clone(), source })?;
        self.prune();
        Ok(path)
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
            if let Ok(facts) = entry.metadata()
                && facts.is_file()
                && let Ok(used) = facts.modified()
            {
                libraries.push((used, entry.path()));
            }
        }
        libraries.sort();
        let n_more = libraries.len().saturating_sub(MOST_KEPT);
        for (_, path) in &libraries[..n_more] {
            let _ = fs::remove_file(path);
        }
    }
}
