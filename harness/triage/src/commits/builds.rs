//! Builds of commits in one work tree, and their products.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hallmark_execution::whole_file;
use hallmark_execution::worker::process::{GroupEnd, run_group};
use hallmark_schema::plain;
use walkdir::WalkDir;

use super::CommitsError;
use super::git::{Checkout, forget_repository};
use super::history::Commit;

/// The folder of products in the folder of a search, with a folder for each commit.
const BUILDS: &str = "builds";
/// The beginning of a work tree's name in the folder of a search; a number follows.
const TREE: &str = "tree-";
/// The folder with the product of a commit.
const PRODUCT: &str = "product";
/// The file with a build's output.
const LOG: &str = "build.log";
/// The file with the reason why a commit has no product.
const FAILED: &str = "failed.txt";
/// The file with the names of the tracked files that a build changed, a line each.
const CHANGED: &str = "changed.txt";
/// The largest part of an output, a reason or a list of names that is read, bytes.
const TAIL: u64 = 4096;

/// How commits are built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildCommand {
    /// The command, which a shell runs in the root of the work tree.
    pub command: String,
    /// The path of the product, relative to the root: a file or a folder.
    pub product: String,
    /// The time after which a build is stopped.
    pub timeout: Duration,
    /// When every build is stopped, because the search has no more time.
    pub deadline: Option<Instant>,
}

/// The result of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Built {
    /// The commit has a product.
    Ready {
        /// The path of the product.
        product: PathBuf,
        /// The tracked files that the build changed.
        changed: Vec<String>,
    },
    /// Why the commit has none.
    Failed(String),
}

/// Why a build has no product.
enum NoProduct {
    /// The commit itself is the reason: a build would fail again.
    Lasting(String),
    /// The build was stopped: the next search tries again.
    Passing(String),
}

/// Builds in the folder of a search.
#[derive(Debug)]
pub struct Builds {
    repository: Checkout,
    build: BuildCommand,
    folder: PathBuf,
    /// The work tree. No other search has used it: a killed search's build may still run in that search's tree.
    tree: PathBuf,
    /// The name of the product.
    name: PathBuf,
    /// Reasons that this search alone keeps.
    passing: RefCell<BTreeMap<String, String>>,
}

impl Builds {
    /// Builds of a repository's commits, with a work tree and products in a folder.
    ///
    /// # Errors
    /// The product is no path below the repository, or the folder cannot be made.
    pub fn new(
        repository: Checkout,
        build: BuildCommand,
        folder: &Path,
    ) -> Result<Self, CommitsError> {
        let product = Path::new(&build.product);
        let is_below = product.components().all(|part| matches!(part, Component::Normal(_)));
        let Some(name) = product.file_name().filter(|_| is_below).map(PathBuf::from) else {
            return Err(CommitsError::Product { path: build.product });
        };
        let products = folder.join(BUILDS);
        fs::create_dir_all(&products).map_err(|error| file(&products, error))?;
        // Workers have another current folder.
        let folder = folder.canonicalize().map_err(|error| file(folder, error))?;
        let mut free = (0_u64..).map(|number| folder.join(format!("{TREE}{number}")));
        let is_free = |tree: &PathBuf| fs::symlink_metadata(tree).is_err();
        let tree = free.find(is_free).unwrap_or_else(|| folder.join(TREE));
        Ok(Self { repository, build, folder, tree, name, passing: RefCell::default() })
    }

    /// The path at which the product of a commit is kept once it is built.
    pub fn product(&self, commit: &Commit) -> PathBuf {
        self.of(commit).join(PRODUCT).join(&self.name)
    }

    /// Whether nothing of a commit has to be built any more.
    pub fn is_built(&self, commit: &Commit) -> bool {
        self.of(commit).exists() || self.passing.borrow().contains_key(&commit.id)
    }

    /// Builds a commit, unless that is done.
    ///
    /// # Errors
    /// Git cannot be started, a file cannot be written, or a signal asked to stop.
    pub fn build(&self, commit: &Commit) -> Result<Built, CommitsError> {
        let kept = self.of(commit);
        let read = |name: &str| whole_file::read(&kept.join(name), TAIL).ok();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        if let Some(reason) = read(FAILED) {
            return Ok(Built::Failed(text(reason)));
        }
        if let Some(reason) = self.passing.borrow().get(&commit.id) {
            return Ok(Built::Failed(reason.clone()));
        }
        if !self.product(commit).exists() {
            let part = kept.with_extension("part");
            remove(&part).map_err(|error| file(&part, error))?;
            fs::create_dir_all(&part).map_err(|error| file(&part, error))?;
            match self.made(commit, &part)? {
                None => keep(&part, &kept)?,
                Some(NoProduct::Lasting(reason)) => {
                    fs::write(part.join(FAILED), &reason).map_err(|error| file(&part, error))?;
                    keep(&part, &kept)?;
                    return Ok(Built::Failed(reason));
                }
                Some(NoProduct::Passing(reason)) => {
                    self.passing.borrow_mut().insert(commit.id.clone(), reason.clone());
                    return Ok(Built::Failed(reason));
                }
            }
        }
        let changed = read(CHANGED).map(text).unwrap_or_default();
        let changed = changed.lines().map(str::to_owned).collect();
        Ok(Built::Ready { product: self.product(commit), changed })
    }

    /// How commits are built.
    pub const fn command(&self) -> &BuildCommand {
        &self.build
    }

    /// The work tree.
    pub fn tree(&self) -> &Path {
        &self.tree
    }

    /// Removes the work tree, if there is one. The products stay.
    ///
    /// # Errors
    /// Git cannot remove it.
    pub fn remove_tree(&self) -> Result<(), CommitsError> {
        let trees = self.registered_trees()?;
        trees.iter().filter(|tree| **tree == self.tree).try_for_each(|tree| self.unregister(tree))
    }

    fn of(&self, commit: &Commit) -> PathBuf {
        self.folder.join(BUILDS).join(&commit.id)
    }

    /// The work trees of searches in this folder that the repository knows.
    fn registered_trees(&self) -> Result<Vec<PathBuf>, CommitsError> {
        let listed = self.repository.git(&["worktree", "list", "--porcelain"])?;
        let trees = listed.lines().filter_map(|line| line.strip_prefix("worktree "));
        let is_ours = |tree: &PathBuf| {
            let name = tree.file_name().and_then(OsStr::to_str);
            let number = name.and_then(|name| name.strip_prefix(TREE)).unwrap_or("");
            let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            is_number && tree.parent() == Some(&self.folder)
        };
        Ok(trees.map(PathBuf::from).filter(is_ours).collect())
    }

    /// Removes a work tree, be it locked, changed or gone.
    fn unregister(&self, tree: &Path) -> Result<(), CommitsError> {
        let words = ["worktree", "remove", "--force", "--force"].map(OsStr::new);
        self.repository.git(&[words.as_slice(), &[tree.as_os_str()]].concat()).map(drop)
    }

    /// Checks a commit out and builds it in a folder that becomes the commit's; the reason if it has no product then.
    fn made(&self, commit: &Commit, part: &Path) -> Result<Option<NoProduct>, CommitsError> {
        if self.time_left().is_zero() {
            let reason = "it was not built, because the time of --budget was up".to_owned();
            return Ok(Some(NoProduct::Passing(reason)));
        }
        let tree = match self.checked_out(commit) {
            Ok(tree) => tree,
            Err(CommitsError::Git { command, said }) => {
                let reason = format!("it cannot be checked out: `git {command}` failed: {said}");
                return Ok(Some(NoProduct::Passing(reason)));
            }
            Err(error) => return Err(error),
        };
        let log = part.join(LOG);
        let unwritable = |error| file(&log, error);
        let output = File::create(&log).map_err(unwritable)?;
        let run = |mut command: Command| {
            command
                .stdin(Stdio::null())
                .stderr(output.try_clone().map_err(unwritable)?)
                .stdout(output.try_clone().map_err(unwritable)?);
            run_group(command, self.time_left()).map_err(unwritable)
        };
        if tree.folder().join(".gitmodules").exists() {
            let update = ["submodule", "--quiet", "update", "--init", "--recursive", "--force"];
            let clean = ["submodule", "--quiet", "foreach", "--recursive", "git clean -ffdq"];
            for command in [update.as_slice(), &clean] {
                if let Some(reason) =
                    self.failure("the update of submodules", run(tree.command(command))?, &log)?
                {
                    return Ok(Some(reason));
                }
            }
        }
        let product = tree.folder().join(&self.build.product);
        if fs::symlink_metadata(&product).is_ok_and(|about| about.is_symlink()) {
            return Ok(Some(NoProduct::Lasting(format!(
                "{} is a link that the repository tracks; name its target in --axis",
                self.build.product
            ))));
        }
        let mut command = Command::new("sh");
        command.arg("-c").arg(&self.build.command).current_dir(tree.folder());
        forget_repository(&mut command);
        if let Some(reason) = self.failure("the build", run(command)?, &log)? {
            return Ok(Some(reason));
        }
        let kept = self.of(commit).join(LOG);
        if !product.exists() {
            return Ok(Some(NoProduct::Lasting(format!(
                "the build succeeded but did not make {}; its output is in {}",
                self.build.product,
                kept.display()
            ))));
        }
        let folder = part.join(PRODUCT);
        fs::create_dir_all(&folder).map_err(|error| file(&folder, error))?;
        if let Err(error) = copy(&product, &folder.join(&self.name), &self.tree) {
            return Ok(Some(NoProduct::Lasting(format!(
                "{} cannot be kept: {error}",
                self.build.product
            ))));
        }
        let changed = tree.git(&["status", "--porcelain", "--untracked-files=no"]);
        let names = changed.map(|text| {
            text.lines().filter_map(|line| line.get(3..)).collect::<Vec<_>>().join("\n")
        });
        fs::write(part.join(CHANGED), names.unwrap_or_default())
            .map_err(|error| file(part, error))?;
        Ok(None)
    }

    /// The work tree, at a commit, without the product of another one. Other ignored files stay, from which a build goes on.
    fn checked_out(&self, commit: &Commit) -> Result<Checkout, CommitsError> {
        let tree = Checkout::tree(&self.tree);
        let move_to = ["checkout", "--quiet", "--force", "--detach", commit.id.as_str()];
        let is_moved = self.tree.exists()
            && not_refused(tree.git(&move_to))?
            && not_refused(tree.git(&["clean", "-ffdq"]))?;
        if !is_moved {
            // Trees of searches that were killed, and one whose own files a build has changed.
            for other in self.registered_trees()? {
                not_refused(self.unregister(&other))?;
            }
            remove(&self.tree).map_err(|error| file(&self.tree, error))?;
            let new: [&OsStr; 8] = [
                "worktree".as_ref(),
                "add".as_ref(),
                "--force".as_ref(),
                "--force".as_ref(),
                "--quiet".as_ref(),
                "--detach".as_ref(),
                self.tree.as_ref(),
                commit.id.as_ref(),
            ];
            self.repository.git(&new)?;
        }
        // Tracked files below it are the commit's and stay.
        let product = self.build.product.as_str();
        tree.git(&["--literal-pathspecs", "clean", "-ffdxq", "--", product])?;
        Ok(tree)
    }

    /// The time that a build which begins now may take.
    fn time_left(&self) -> Duration {
        let of_search = self.build.deadline.map(|at| at.saturating_duration_since(Instant::now()));
        of_search.unwrap_or(Duration::MAX).min(self.build.timeout)
    }

    /// The reason if a command failed, with its last line of output.
    fn failure(
        &self,
        what: &str,
        end: GroupEnd,
        log: &Path,
    ) -> Result<Option<NoProduct>, CommitsError> {
        let said = whole_file::tail(log, TAIL);
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("");
        let last: String = last.trim().chars().take(200).collect();
        let last = if last.is_empty() { last } else { format!(": {}", plain(&last)) };
        Ok(match end {
            GroupEnd::Ended(status) if status.success() => None,
            // A signal may come from a machine without memory, and not from the commit.
            GroupEnd::Ended(status) if status.code().is_none() => {
                Some(NoProduct::Passing(format!("{what} was ended by {status}{last}")))
            }
            GroupEnd::Ended(status) => {
                Some(NoProduct::Lasting(format!("{what} failed ({status}){last}")))
            }
            GroupEnd::TimedOut if self.time_left().is_zero() => Some(NoProduct::Passing(format!(
                "{what} was stopped when the time of --budget was up{last}"
            ))),
            GroupEnd::TimedOut => Some(NoProduct::Passing(format!(
                "{what} took more than {} s{last}; --build-timeout allows more",
                self.build.timeout.as_secs()
            ))),
            GroupEnd::Interrupted => return Err(CommitsError::Interrupted),
        })
    }
}

/// Whether a command of Git succeeded. Other errors than its own are passed on.
fn not_refused<T>(result: Result<T, CommitsError>) -> Result<bool, CommitsError> {
    match result {
        Ok(_) => Ok(true),
        Err(CommitsError::Git { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

fn file(path: &Path, error: io::Error) -> CommitsError {
    CommitsError::File { path: path.to_owned(), error }
}

/// Gives a folder that is whole its name.
fn keep(part: &Path, kept: &Path) -> Result<(), CommitsError> {
    remove(kept).and_then(|()| fs::rename(part, kept)).map_err(|error| file(kept, error))
}

/// Removes a file or a folder, if it exists.
fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(about) if about.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    removed
        .or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// Copies a file, or all files below a folder. Of a link to a file of the work tree, the file is copied.
fn copy(from: &Path, to: &Path, tree: &Path) -> io::Result<()> {
    let from = target(from, tree)?;
    for entry in WalkDir::new(&from) {
        let entry = entry?;
        let path = entry.path();
        let below = path.strip_prefix(&from).map_err(io::Error::other)?;
        let to = if below.as_os_str().is_empty() { to.to_owned() } else { to.join(below) };
        if entry.file_type().is_dir() {
            fs::create_dir_all(&to)?;
            continue;
        }
        let source = target(path, tree)?;
        if !fs::metadata(&source)?.is_file() {
            let text = format!("{} is neither a file nor a folder", path.display());
            return Err(io::Error::other(text));
        }
        fs::copy(source, &to)?;
    }
    Ok(())
}

/// The path itself, or what a link leads to. No link may lead out of the work tree.
fn target(path: &Path, tree: &Path) -> io::Result<PathBuf> {
    let found = path.canonicalize()?;
    if found.starts_with(tree) {
        return Ok(found);
    }
    Err(io::Error::other(format!("{} is a link that leads out of the work tree", path.display())))
}
