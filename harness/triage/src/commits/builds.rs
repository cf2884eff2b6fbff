//! Builds of commits in one work tree, and their products.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use hallmark_execution::whole_file;
use hallmark_execution::worker::process::{GroupEnd, run_group};
use walkdir::WalkDir;

use super::CommitsError;
use super::git::Checkout;
use super::history::Commit;

/// The folder of products in the folder of a search, with a folder for each commit.
const BUILDS: &str = "builds";
/// The beginning of a work tree's name in the folder of a search; a number follows.
const TREE: &str = "tree-";
/// What a build wrote.
const LOG: &str = "build.log";
/// Why a commit has no product.
const FAILED: &str = "failed.txt";
/// The bytes of a build's output, and of a reason, that are looked at.
const TAIL: u64 = 4096;

/// How commits are built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildCommand {
    /// The command, which a shell runs in the root of the work tree.
    pub command: String,
    /// The path of what it makes, relative to the root: a file or a folder.
    pub product: String,
    /// The time after which a build is stopped.
    pub timeout: Duration,
}

/// A commit that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Built {
    /// It has a product.
    Ready {
        /// The path of the product.
        product: PathBuf,
        /// Whether it was built now, and not by a search that this one goes on with.
        is_new: bool,
    },
    /// Why it has none.
    Failed(String),
}

/// Builds in the folder of a search.
#[derive(Debug)]
pub struct Builds {
    repository: Checkout,
    build: BuildCommand,
    folder: PathBuf,
    /// The work tree. No other process has used it: what a killed search was building may go on in that search's tree.
    tree: PathBuf,
    /// The name of the product.
    name: PathBuf,
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
        let tree = free.find(|tree| !tree.exists()).unwrap_or_else(|| folder.join(TREE));
        Ok(Self { repository, build, folder, tree, name })
    }

    /// The path at which the product of a commit is kept once it is built.
    pub fn product(&self, commit: &Commit) -> PathBuf {
        self.of(commit).join(&self.name)
    }

    /// Builds a commit, unless that is done.
    ///
    /// # Errors
    /// Git cannot do its part, a file cannot be written, or a signal asked to stop.
    pub fn build(&self, commit: &Commit) -> Result<Built, CommitsError> {
        let kept = self.of(commit);
        if let Ok(reason) = whole_file::read(&kept.join(FAILED), TAIL) {
            return Ok(Built::Failed(String::from_utf8_lossy(&reason).into_owned()));
        }
        if self.product(commit).exists() {
            return Ok(Built::Ready { product: self.product(commit), is_new: false });
        }
        let tree = self.checked_out(commit)?;
        let product = tree.folder().join(&self.build.product);
        // What the build of another commit has made must not pass for this one's. A product that is tracked is the commit's.
        if !tree.answers_yes(&["ls-files", "--error-unmatch", "--", &self.build.product])? {
            remove(&product).map_err(|error| file(&product, error))?;
        }
        let part = kept.with_extension("part");
        remove(&part).map_err(|error| file(&part, error))?;
        fs::create_dir_all(&part).map_err(|error| file(&part, error))?;
        let reason = self.made(&tree, &part)?;
        let reason = match reason {
            None if !product.exists() => Some(format!(
                "the build succeeded and made no {}: it wrote {}",
                self.build.product,
                kept.join(LOG).display()
            )),
            None => {
                copy(&product, &part.join(&self.name)).map_err(|error| file(&product, error))?;
                None
            }
            reason => reason,
        };
        if let Some(reason) = &reason {
            fs::write(part.join(FAILED), reason).map_err(|error| file(&part, error))?;
        }
        fs::rename(&part, &kept).map_err(|error| file(&kept, error))?;
        Ok(match reason {
            Some(reason) => Built::Failed(reason),
            None => Built::Ready { product: self.product(commit), is_new: true },
        })
    }

    /// The tracked files that the last build changed. A build that changes them may depend on the commit before.
    ///
    /// # Errors
    /// Git cannot tell.
    pub fn changed_files(&self) -> Result<Vec<String>, CommitsError> {
        let tree = Checkout::new(&self.tree);
        let changed = tree.git(&["status", "--porcelain", "--untracked-files=no"])?;
        Ok(changed.lines().filter_map(|line| Some(line.get(3..)?.to_owned())).collect())
    }

    /// Removes the work tree. The products stay.
    ///
    /// # Errors
    /// Git cannot remove it.
    pub fn remove_tree(&self) -> Result<(), CommitsError> {
        self.remove_other_trees();
        remove(&self.tree).map_err(|error| file(&self.tree, error))?;
        self.repository.git(&["worktree", "prune"]).map(drop)
    }

    /// Removes the work trees of searches that were killed, as far as no build of theirs goes on.
    fn remove_other_trees(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let is_tree = entry.file_name().as_encoded_bytes().starts_with(TREE.as_bytes());
            if is_tree && entry.path() != self.tree {
                let _ = remove(&entry.path());
            }
        }
    }

    fn of(&self, commit: &Commit) -> PathBuf {
        self.folder.join(BUILDS).join(&commit.id)
    }

    /// The work tree, at a commit. Ignored files stay, from which a build goes on.
    fn checked_out(&self, commit: &Commit) -> Result<Checkout, CommitsError> {
        let folder = &self.tree;
        let tree = Checkout::new(folder);
        let is_moved = folder.exists()
            && tree.git(&["checkout", "--quiet", "--force", "--detach", &commit.id]).is_ok()
            && tree.git(&["clean", "-ffdq"]).is_ok();
        if !is_moved {
            // Git has given up on it, perhaps because a build has changed its own files.
            self.remove_tree()?;
            let new: [&OsStr; 6] = [
                "worktree".as_ref(),
                "add".as_ref(),
                "--quiet".as_ref(),
                "--detach".as_ref(),
                folder.as_ref(),
                commit.id.as_ref(),
            ];
            self.repository.git(&new)?;
        }
        if folder.join(".gitmodules").exists() {
            tree.git(&["submodule", "--quiet", "update", "--init", "--recursive", "--force"])?;
        }
        Ok(tree)
    }

    /// Runs the command; gives the reason if it fails.
    fn made(&self, tree: &Checkout, part: &Path) -> Result<Option<String>, CommitsError> {
        let log = part.join(LOG);
        let unwritable = |error| file(&log, error);
        let output = File::create(&log).map_err(unwritable)?;
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .arg(&self.build.command)
            .current_dir(tree.folder())
            .stdin(Stdio::null())
            .stderr(output.try_clone().map_err(unwritable)?)
            .stdout(output);
        let end = run_group(command, self.build.timeout).map_err(|error| file(&log, error))?;
        let last = || {
            let text = whole_file::tail(&log, TAIL);
            let last = text.lines().rev().find(|line| !line.trim().is_empty());
            last.map(|line| format!(": {}", plain(line.trim()))).unwrap_or_default()
        };
        match end {
            GroupEnd::Ended(status) if status.success() => Ok(None),
            GroupEnd::Ended(status) => Ok(Some(format!("the build ended with {status}{}", last()))),
            GroupEnd::TimedOut => Ok(Some(format!(
                "the build took more than {} s{}; --build-timeout allows more",
                self.build.timeout.as_secs(),
                last()
            ))),
            GroupEnd::Interrupted => Err(CommitsError::Interrupted),
        }
    }
}

fn file(path: &Path, error: io::Error) -> CommitsError {
    CommitsError::File { path: path.to_owned(), error }
}

/// A line without what controls a terminal.
fn plain(line: &str) -> String {
    line.chars().filter(|character| !character.is_control()).take(200).collect()
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

/// Copies a file, or all files below a folder. Links are followed.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    for entry in WalkDir::new(from).follow_links(true) {
        let entry = entry?;
        let below = entry.path().strip_prefix(from).map_err(io::Error::other)?;
        let to = if below.as_os_str().is_empty() { to.to_owned() } else { to.join(below) };
        if entry.file_type().is_dir() {
            fs::create_dir_all(&to)?;
        } else {
            fs::copy(entry.path(), &to)?;
        }
    }
    Ok(())
}
