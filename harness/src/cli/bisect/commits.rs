//! `hallmark bisect --over versions --git REPOSITORY`: the versions are commits, which are built when they are asked about.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_triage::commits::{BuildCommand, Builds, Built, Checkout, Commit, CommitRange};
use hallmark_triage::log::Inputs;
use hallmark_triage::stopped::Stopped;
use hallmark_triage::versions::{Axis, AxisContext, BuildProduct};
use indicatif::ProgressBar;

use super::super::options::SELECTION;
use super::super::triage_options::of_commits;
use super::super::{Failed, output};
use super::BisectArguments;
use super::versions::unreadable;

/// The options of a search along commits.
#[derive(Clone, Debug, Args)]
pub(super) struct CommitOptions {
    /// A repository whose commits are the versions
    ///
    /// They are built in a work tree in the folder of -o; --commits and --build say which and how. The axis then names the
    /// product of a build, relative to the repository: --axis firmware=build/firmware. In an executor, the product stands in
    /// braces: --axis 'executor=metalium:{build/site}@ttsim:LIBRARY'. A commit that cannot be built is left out. At a merge,
    /// the search follows the first parent. Submodules are updated, hooks do not run, and files in Git LFS stay pointers.
    /// Ignored files stay between builds: begin --build with `git clean -ffdxq &&` for clean ones.
    #[arg(long, value_name = "REPOSITORY", requires = "commits", requires = "build", help_heading = SELECTION)]
    pub(super) git: Option<PathBuf>,
    /// The commits to search, both ends included: v1.2..HEAD
    #[arg(long, value_name = "OLDER..NEWER", requires = "git", help_heading = SELECTION, hide_short_help = true)]
    commits: Option<CommitRange>,
    /// The command that builds a commit, run by sh in the root of the work tree
    #[arg(long, value_name = "COMMAND", requires = "git", help_heading = SELECTION, hide_short_help = true)]
    build: Option<String>,
    /// Stop a build after this many seconds and leave its commit out; a time given to --budget stops a build, too
    #[arg(long, value_name = "SECONDS", default_value_t = 3600, value_parser = clap::value_parser!(u64).range(1..=604_800), help_heading = SELECTION, hide_short_help = true)]
    build_timeout: u64,
}

/// The commits of a search.
pub(super) struct Commits {
    /// The axis of commits.
    pub(super) axis: Axis,
    product: BuildProduct,
    commits: Vec<Commit>,
    builds: Builds,
    context: AxisContext,
    /// The tracked files that builds changed, by commit.
    changed: RefCell<BTreeMap<usize, Vec<String>>>,
    /// How long each build of this search took.
    took: RefCell<Vec<Duration>>,
}

impl CommitOptions {
    /// The commits that the options name, if they name some.
    pub(super) fn commits(
        &self,
        arguments: &BisectArguments,
        context: &AxisContext,
        deadline: Option<Instant>,
    ) -> Result<Option<Commits>, Failed> {
        let Self { git, commits, build, build_timeout } = self;
        let (Some(git), Some(range), Some(build)) = (git, commits, build) else { return Ok(None) };
        let usage = |text: &str| Failed::new(ExitCode::USAGE, text);
        let [axis] = arguments.versions.axis.as_slice() else {
            return Err(usage(
                "--git needs exactly one --axis, with the product of a build: --axis firmware=build/firmware",
            ));
        };
        let product = BuildProduct::of(axis).map_err(unreadable)?;
        let folder = arguments.search.folder().ok_or_else(|| {
            usage("--git keeps the builds in the folder of the search; name one with -o")
        })?;
        let repository = Checkout::new(git);
        let commits = range.commits(&repository).map_err(of_commits)?;
        let build = BuildCommand {
            command: build.clone(),
            product: product.path().to_owned(),
            timeout: Duration::from_secs(*build_timeout),
            deadline,
        };
        let builds = Builds::new(repository, build, folder).map_err(of_commits)?;
        let axis = Axis::of_commits(&product, &commits, |commit| builds.product(commit));
        Ok(Some(Commits {
            axis: axis.map_err(unreadable)?,
            product,
            commits,
            builds,
            context: *context,
            changed: RefCell::default(),
            took: RefCell::default(),
        }))
    }
}

impl Commits {
    /// The inputs of the search, beside the commits themselves.
    pub(super) fn inputs(&self, inputs: Inputs) -> Inputs {
        let build = self.builds.command();
        inputs.with("build", &build.command).with("product", self.product.text())
    }

    /// Builds a commit, by its number, before it is run; gives the reason why it cannot be run, if it cannot.
    pub(super) fn prepare(
        &self,
        number: usize,
        bar: &ProgressBar,
    ) -> Result<Option<String>, Stopped> {
        let Some(commit) = self.commits.get(number) else { return Ok(None) };
        let is_built = self.builds.is_built(commit);
        if !is_built {
            bar.set_message(format!("build {commit}{}", self.estimate()));
            bar.tick();
        }
        let begin = Instant::now();
        let built = self.builds.build(commit)?;
        if !is_built {
            self.took.borrow_mut().push(begin.elapsed());
        }
        match built {
            Built::Failed(reason) => Ok(Some(reason)),
            Built::Ready { product, changed } => {
                self.changed.borrow_mut().insert(number, changed);
                Ok(self.product.unusable(&product, &self.context))
            }
        }
    }

    /// The place of the next build among those of a search, and the time of the last one.
    fn estimate(&self) -> String {
        let took = self.took.borrow();
        let last = took
            .last()
            .map_or_else(String::new, |time| format!(", the last one took {} s", time.as_secs()));
        let all = expected_builds(self.commits.len());
        format!(" (build {} of about {all}{last})", took.len().saturating_add(1))
    }

    /// Removes the work tree; says so if that fails. The products stay.
    pub(super) fn remove_tree(&self) {
        if let Err(error) = self.builds.remove_tree() {
            let tree = self.builds.tree().display();
            output::note(&format!(
                "the work tree {tree} is left: {error}; remove it with `git worktree remove --force --force {tree}`"
            ));
        }
    }

    /// Lines about the builds.
    pub(super) fn lines(&self) -> Vec<String> {
        let changed = self.changed.borrow();
        let mut changing = changed.iter().filter(|(_, files)| !files.is_empty());
        let Some((number, files)) = changing.next() else { return Vec::new() };
        let commit = self.commits.get(*number).map_or("a commit", Commit::short);
        let more = if files.len() > 1 { " and other files" } else { "" };
        let file = files.first().map_or("", String::as_str);
        vec![format!(
            "  builds    the build of {commit} changes {file}{more}, which the repository tracks; each checkout undoes that"
        )]
    }
}

/// The builds of a search that builds both ends and then halves the commits between them.
const fn expected_builds(commits: usize) -> u32 {
    let halvings = usize::BITS.saturating_sub(commits.saturating_sub(2).leading_zeros());
    halvings.saturating_add(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_builds_both_ends_and_halves_what_lies_between() {
        let of = [2, 3, 4, 5, 6, 9, 10, 64].map(expected_builds);
        assert_eq!(of, [2, 3, 4, 4, 5, 5, 6, 8]);
    }
}
