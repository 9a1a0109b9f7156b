//! Which part of the world outside bodies may reach.
//!
//! A path counts as what it leads to once links and `..` are followed; where that is not below a
//! granted root, nothing is looked at, not even whether it exists. A link put there between the
//! check and the use would be followed: bodies cannot make links.

use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::clock::Clock;
use crate::databases::{Databases, postgres};
use crate::http::Servers;
use crate::live_params::LiveParams;
use crate::memory::{MemoryLimit, RunLimit};
use crate::streams::Streams;

/// What the user grants to bodies beyond the program's own folder.
#[derive(Clone, Debug, Default)]
pub struct Sandbox {
    /// Folders (or files) that may be read, with all below.
    pub read_roots: Vec<PathBuf>,
    /// Folders (or files) that may be written, with all below.
    pub write_roots: Vec<PathBuf>,
    /// Environment variables that may be asked for.
    pub env_names: Vec<String>,
    /// Addresses that may be connected to and listened on: `host:port`, or `host` for all its ports.
    pub net_addresses: Vec<String>,
    /// Programs that may be run.
    pub programs: Vec<String>,
    /// The creation parameters as bodies can watch them.
    pub params: LiveParams,
    /// How much memory one event may take.
    pub memory: MemoryLimit,
    /// How much memory the run may take as a whole; `None` for as much as there is.
    pub run_memory: Option<RunLimit>,
}

/// How a body means to use a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Read,
    Write,
}

/// Brings the record of all events that have ended onto the disk. Returns false where that fails.
#[derive(Clone)]
pub struct WriteAhead(pub Arc<dyn Fn() -> bool + Send + Sync>);

impl fmt::Debug for WriteAhead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WriteAhead")
    }
}

/// The world outside as the bodies of one run may reach it.
#[derive(Debug)]
pub struct Outside {
    /// Called before a body changes anything outside.
    write_ahead: Option<WriteAhead>,
    /// Folders in which a relative path is looked up, in order, with links followed.
    bases: Vec<PathBuf>,
    read_roots: Vec<PathBuf>,
    write_roots: Vec<PathBuf>,
    env_names: Vec<String>,
    net_addresses: Vec<String>,
    programs: Vec<String>,
    /// Time of the run.
    pub clock: Clock,
    /// Creation parameters of the main graph.
    pub params: LiveParams,
    /// Open streams.
    pub(crate) streams: Arc<Streams>,
    /// HTTP servers.
    pub(crate) servers: Servers,
    /// Open databases.
    pub(crate) databases: Databases,
    /// Connections to database servers.
    pub(crate) database_servers: postgres::Servers,
}

impl Default for Outside {
    /// Nothing is granted.
    fn default() -> Self {
        Self {
            write_ahead: None,
            bases: Vec::new(),
            read_roots: Vec::new(),
            write_roots: Vec::new(),
            env_names: Vec::new(),
            net_addresses: Vec::new(),
            programs: Vec::new(),
            clock: Clock::new(false),
            params: LiveParams::default(),
            streams: Arc::default(),
            servers: Default::default(),
            databases: Default::default(),
            database_servers: Default::default(),
        }
    }
}

/// The beginning of every message about something that was not granted.
const DENIED: &str = "access denied: ";

/// Whether a message says that something was not granted.
pub(crate) fn is_denial(message: &str) -> bool {
    message.starts_with(DENIED)
}

impl Outside {
    /// The program's folder may be read; beyond, what `sandbox` grants. A root that does not exist
    /// grants nothing.
    pub fn new(program_folder: &Path, sandbox: &Sandbox) -> Self {
        let real = |path: &PathBuf| fs::canonicalize(path).ok();
        let program_folder = fs::canonicalize(program_folder).ok();
        let current_folder = std::env::current_dir().and_then(fs::canonicalize).ok();
        let mut bases: Vec<PathBuf> = program_folder.iter().cloned().collect();
        bases.extend(current_folder.filter(|folder| Some(folder) != program_folder.as_ref()));
        Self {
            bases,
            read_roots: program_folder
                .into_iter()
                .chain(sandbox.read_roots.iter().filter_map(real))
                .collect(),
            write_roots: sandbox.write_roots.iter().filter_map(real).collect(),
            env_names: sandbox.env_names.clone(),
            net_addresses: sandbox.net_addresses.clone(),
            programs: sandbox.programs.clone(),
            params: sandbox.params.clone(),
            ..Self::default()
        }
    }

    /// The same with another clock.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// The same for a run whose record is written ahead of what it does.
    #[must_use]
    pub fn with_write_ahead(self, write_ahead: Option<WriteAhead>) -> Self {
        Self { write_ahead, ..self }
    }

    /// Waits until all that the run has done so far is on record, where that is wanted.
    ///
    /// # Errors
    /// It cannot be recorded.
    pub(crate) fn write_ahead(&self) -> Result<(), String> {
        match &self.write_ahead {
            Some(WriteAhead(write)) if !write() => {
                Err("the record cannot be written, and nothing is done that is not on record".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// The file that a body means by a path: a relative one is looked up below the program's
    /// folder, then below the current folder; the first that exists and is granted counts, else
    /// the first that is granted.
    ///
    /// # Errors
    /// It is not below a granted root; the message names the roots and the option to add.
    pub(crate) fn locate(&self, path: &str, how: Use) -> Result<PathBuf, String> {
        let roots = match how {
            Use::Read => &self.read_roots,
            Use::Write => &self.write_roots,
        };
        let given = Path::new(path);
        let candidates: Vec<PathBuf> = match given.is_absolute() {
            true => vec![given.to_owned()],
            false => self.bases.iter().map(|base| base.join(given)).collect(),
        };
        let mut found = None;
        for candidate in &candidates {
            let Some(real) = real_path(candidate) else { continue };
            if !roots.iter().any(|root| real.starts_with(root)) {
                continue;
            }
            if how == Use::Write || real.exists() {
                return Ok(real);
            }
            found.get_or_insert(real);
        }
        found.ok_or_else(|| denial(path, candidates.first(), how, roots))
    }

    /// What to add to the message about a file that is not there.
    pub(crate) fn missing_hint(&self, path: &str) -> String {
        let ungranted = |base: &&PathBuf| !self.read_roots.iter().any(|root| base.starts_with(root));
        match self.bases.iter().find(ungranted) {
            Some(base) if Path::new(path).is_relative() => {
                format!("; the current folder is not looked at: `--allow-read {}` adds it", base.display())
            }
            _ => String::new(),
        }
    }

    /// Whether a variable of the environment may be asked for.
    ///
    /// # Errors
    /// It was not granted.
    pub(crate) fn check_env(&self, name: &str) -> Result<(), String> {
        if self.env_names.iter().any(|granted| granted == name) {
            return Ok(());
        }
        let granted = listed(&self.env_names);
        Err(format!(
            "{DENIED}environment variable `{name}` is not granted ({granted}); add `--allow-env {name}`"
        ))
    }

    /// Refuses an address that was not granted.
    ///
    /// # Errors
    /// It was not granted.
    pub(crate) fn check_net(&self, address: &str) -> Result<(), String> {
        let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
        if self.net_addresses.iter().any(|granted| granted == address || granted == host) {
            return Ok(());
        }
        let granted = listed(&self.net_addresses);
        Err(format!("{DENIED}the address {address} is not granted ({granted}); add `--allow-net {address}`"))
    }

    /// Refuses a program that was not granted.
    ///
    /// # Errors
    /// It was not granted.
    pub(crate) fn check_run(&self, program: &str) -> Result<(), String> {
        if self.programs.iter().any(|granted| granted == program) {
            return Ok(());
        }
        let granted = listed(&self.programs);
        Err(format!(
            "{DENIED}the program `{program}` is not granted ({granted}); add `--allow-run {program}`"
        ))
    }
}

fn listed(granted: &[String]) -> String {
    match granted {
        [] => "none is".to_owned(),
        granted => format!("granted: {}", granted.join(", ")),
    }
}

fn denial(path: &str, candidate: Option<&PathBuf>, how: Use, roots: &[PathBuf]) -> String {
    let (verb, option) = match how {
        Use::Read => ("read", "--allow-read"),
        Use::Write => ("written", "--allow-write"),
    };
    let listed = match roots {
        [] => "nothing is granted".to_owned(),
        _ => {
            let names: Vec<String> = roots.iter().map(|root| root.display().to_string()).collect();
            format!("granted: {}", names.join(", "))
        }
    };
    let real = candidate.and_then(|candidate| real_path(candidate).or_else(|| Some(candidate.clone())));
    let folder = real.as_deref().and_then(Path::parent).unwrap_or(Path::new("DIR"));
    format!("{DENIED}`{path}` may not be {verb} ({listed}); add `{option} {}`", folder.display())
}

/// The path with links and `..` followed. Of one that does not exist, the part that does is
/// followed. `None` for a link that leads nowhere, and for `..` behind what does not exist.
fn real_path(path: &Path) -> Option<PathBuf> {
    match fs::canonicalize(path) {
        Ok(real) => return Some(real),
        Err(error) if error.kind() != ErrorKind::NotFound => return None,
        Err(_) => {}
    }
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        return None;
    }
    let Some(Component::Normal(name)) = path.components().next_back() else { return None };
    if path.as_os_str().to_string_lossy().ends_with(['/', '.']) && path.file_name() != Some(name) {
        return None;
    }
    Some(real_path(path.parent()?)?.join(name))
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// A folder `program` to read and `out` to write, and a secret beside them.
    fn folders() -> (tempfile::TempDir, Outside) {
        let dir = tempfile::tempdir().unwrap();
        for name in ["program", "out", "secret"] {
            fs::create_dir(dir.path().join(name)).unwrap();
        }
        fs::write(dir.path().join("secret/key"), "x").unwrap();
        fs::write(dir.path().join("program/data"), "x").unwrap();
        let sandbox = Sandbox { write_roots: vec![dir.path().join("out")], ..Sandbox::default() };
        let outside = Outside::new(&dir.path().join("program"), &sandbox);
        (dir, outside)
    }

    #[test]
    fn what_is_below_a_root_is_found() {
        let (dir, outside) = folders();
        let real = fs::canonicalize(dir.path()).unwrap();
        assert_eq!(outside.locate("data", Use::Read), Ok(real.join("program/data")));
        assert_eq!(outside.locate("../program/data", Use::Read), Ok(real.join("program/data")));
        assert_eq!(outside.locate("none/at/all", Use::Read), Ok(real.join("program/none/at/all")));
        assert_eq!(outside.locate("../out/new", Use::Write), Ok(real.join("out/new")));
        symlink(real.join("program/data"), real.join("program/alias")).unwrap();
        assert_eq!(outside.locate("alias", Use::Read), Ok(real.join("program/data")));
    }

    #[test]
    fn links_and_dots_do_not_lead_out() {
        let (dir, outside) = folders();
        let real = fs::canonicalize(dir.path()).unwrap();
        symlink(real.join("secret"), real.join("program/door")).unwrap();
        symlink(real.join("secret"), real.join("out/door")).unwrap();
        symlink(real.join("secret/new"), real.join("out/dangling")).unwrap();
        let absolute = real.join("secret/key").display().to_string();
        for path in ["../secret/key", "door/key", &absolute, "../secret/none", "none/../../secret/key", "/"] {
            assert!(outside.locate(path, Use::Read).is_err_and(|message| is_denial(&message)), "{path}");
        }
        for path in ["data", "../out/door/key", "../out/dangling", "../out/../secret/new", "../out/none/../x"]
        {
            assert!(outside.locate(path, Use::Write).is_err_and(|message| is_denial(&message)), "{path}");
        }
        let message = outside.locate("../secret/key", Use::Read).unwrap_err();
        assert!(
            message.contains(&format!("add `--allow-read {}`", real.join("secret").display())),
            "{message}"
        );
    }

    #[test]
    fn the_environment_is_closed_unless_a_name_is_granted() {
        let (_dir, outside) = folders();
        let message = outside.check_env("HOME").unwrap_err();
        assert_eq!(
            message,
            "access denied: environment variable `HOME` is not granted (none is); add `--allow-env HOME`"
        );
        let sandbox = Sandbox { env_names: vec!["HOME".to_owned()], ..Sandbox::default() };
        assert_eq!(Outside::new(Path::new("."), &sandbox).check_env("HOME"), Ok(()));
    }
}
