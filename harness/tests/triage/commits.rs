//! Searches along the commits of a repository, whose builds are copies of firmware that is sound or broken.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::common::{command, repository, text};
use super::firmware_builds::{Build, builds};
use super::roots::hallmark;

const TEST: &str = "wormhole_b0::dataflow::loopback::one_core::pages=1::page_size=32::processor=riscv_0::noc=noc_0";

/// Makes what the file `state` says, and notes each run.
const SCRIPT: &str = "echo build >> $1/count
test \"$(cat tracked)\" = text || exit 4
case $(cat state) in
  sound*) cp -r $1/1.1 out;;
  broken*) cp -r $1/1.2 out;;
  touched*) echo more >> tracked; cp -r $1/1.1 out;;
  fails*) echo compiling; echo 'no rule to make `out`' >&2; exit 3;;
  nothing*) true;;
  empty*) mkdir out; echo > out/manifest.json;;
  slow*) echo $$ > $1/pid; sleep 600;;
  git*) rm .git; cp -r $1/1.1 out;;
  linked*) ln -s $1/1.1 out;;
  inside*) cp -r $1/1.1 out; mv out/brisc.elf real.elf; ln -s ../real.elf out/brisc.elf;;
  piped*) cp -r $1/1.1 out; mkfifo out/pipe;;
esac
";

/// A repository, the firmware that its builds copy, and the commits in their order.
pub(crate) struct Repository {
    pub(crate) folder: TempDir,
    firmware: TempDir,
    commits: Vec<String>,
}

impl Repository {
    pub(crate) fn new(states: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let firmware = builds(&[Build::Sound, Build::Broken("brisc.elf")]);
        let mut made = Self { folder, firmware, commits: Vec::new() };
        let path = made.path();
        std::fs::create_dir(&path).unwrap();
        made.git(&["init", "--quiet", "--initial-branch", "main"]);
        // A hook that leaves a file in the work tree.
        let hook = path.join(".git/hooks/post-checkout");
        std::fs::write(&hook, format!("#!/bin/sh\ntouch {}/hooked\n", path.display())).unwrap();
        let mode = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
        std::fs::set_permissions(&hook, mode).unwrap();
        std::fs::write(path.join("build.sh"), SCRIPT).unwrap();
        std::fs::write(path.join(".gitignore"), "out\nreal.elf\n").unwrap();
        std::fs::write(path.join("tracked"), "text\n").unwrap();
        for (number, state) in states.iter().enumerate() {
            // A state twice in a row is a commit all the same.
            std::fs::write(path.join("state"), format!("{state} {number}")).unwrap();
            made.git(&["add", "--all"]);
            made.git(&["commit", "--quiet", "--message", &format!("Step {number}: {state}")]);
            made.git(&["tag", &format!("step{number}")]);
            let id = made.git(&["rev-parse", "HEAD"]).trim().to_owned();
            made.commits.push(id);
        }
        let file = made.folder.path().join("c.lmb").display().to_string();
        assert_eq!(hallmark(&repository(), &["capture", TEST, "-o", &file]).0, 0);
        made
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("repository")
    }

    fn git(&self, arguments: &[&str]) -> String {
        Self::git_in(&self.path())(arguments)
    }

    /// Runs Git in a folder, without what its user has configured.
    fn git_in(folder: &Path) -> impl Fn(&[&str]) -> String {
        let folder = folder.to_owned();
        move |arguments| run_git(&folder, arguments)
    }

    pub(crate) fn build(&self) -> String {
        format!("sh build.sh {}", self.firmware.path().display())
    }

    /// The arguments of a search between two steps.
    pub(crate) fn arguments<'a>(&self, range: &'a str, build: &'a str) -> Vec<&'a str> {
        let fixed = ["bisect", "c.lmb", "--over", "versions", "--git", "repository"];
        let axis = ["--axis", "firmware=out", "--commits", range, "--build", build];
        [fixed.as_slice(), &axis].concat()
    }

    fn search(&self, range: &str, more: &[&str]) -> (i32, String) {
        let build = self.build();
        hallmark(self.folder.path(), &[&self.arguments(range, &build), more].concat())
    }

    fn product(&self, step: usize) -> PathBuf {
        let builds = self.folder.path().join("out/builds");
        builds.join(self.commits.get(step).unwrap()).join("product/out")
    }

    /// The number of builds so far.
    fn builds(&self) -> usize {
        let count = std::fs::read_to_string(self.firmware.path().join("count"));
        count.unwrap_or_default().lines().count()
    }

    fn named(&self, step: usize, state: &str) -> String {
        format!("{} (Step {step}: {state})", self.commits.get(step).unwrap().get(..12).unwrap())
    }
}

fn run_git(folder: &Path, arguments: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=A", "-c", "user.email=a@example.com"]).args(arguments);
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        git.env_remove(variable);
    }
    git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = git.current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The answer without the number of runs, which a search that goes on does not make again.
fn answer(folder: &Path) -> String {
    let text = std::fs::read_to_string(folder.join("out/answer.txt")).unwrap();
    text.lines().filter(|line| !line.starts_with("  runs ")).collect::<Vec<_>>().join("\n")
}

/// Whether a process is gone, or waits for its parent to ask how it ended.
fn has_ended(pid: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    status.map_or(true, |status| status.rsplit(") ").next().unwrap().starts_with('Z'))
}

#[test]
fn the_first_bad_commit_is_found_around_those_that_cannot_be_built() {
    let mut states = vec!["sound"; 24];
    for bad in states.iter_mut().skip(14) {
        *bad = "broken";
    }
    for (step, state) in [(3, "fails"), (12, "nothing"), (17, "fails")] {
        states[step] = state;
    }
    let repository = Repository::new(&states);
    let folder = repository.folder.path();
    let (code, said) = repository.search("step1..step23", &["-o", "out"]);
    assert_eq!(code, 0, "{said}");
    let first_bad = format!("FIRST BAD c.lmb with firmware {}", repository.named(14, "broken"));
    assert_eq!(said.lines().next(), Some(first_bad.as_str()), "{said}");
    let last_good = format!("  last good firmware {}", repository.named(13, "sound"));
    assert!(said.contains(&last_good), "{said}");
    // The suggested command names the kept products.
    let products = [13, 14].map(|step| {
        let product = repository.product(step);
        assert!(product.join("manifest.json").is_file(), "{}", product.display());
        format!("sim firmware={}", product.canonicalize().unwrap().display())
    });
    let next = format!("--over images --good '{}' --bad '{}'", products[0], products[1]);
    assert!(said.contains(&next), "{said}");
    // Far fewer than all commits were built; steps 12 and 17 lie on the way.
    let built = repository.builds();
    assert!((4..12).contains(&built), "{built} builds: {said}");
    assert!(
        said.contains(
            "cannot be told: the build succeeded but did not make out; its output is in /"
        ),
        "{said}"
    );
    assert!(!repository.path().join("hooked").exists(), "a hook has run");
    assert!(!folder.join("out/tree-0").exists());
    assert_eq!(repository.git(&["worktree", "list"]).lines().count(), 1);
    assert_eq!(repository.git(&["status", "--porcelain"]), "");

    // What a killed search left does not matter, and nothing is built twice.
    let text = answer(folder);
    let log = std::fs::read_to_string(folder.join("out/log.jsonl")).unwrap();
    let part: String = log.split_inclusive('\n').take(2).collect();
    std::fs::write(folder.join("out/log.jsonl"), part + "{\"n\":").unwrap();
    std::fs::remove_file(folder.join("out/answer.txt")).unwrap();
    std::fs::create_dir_all(folder.join("out/tree-0/out")).unwrap();
    let half = folder.join("out/builds").join(format!("{}.part", repository.commits[14]));
    std::fs::create_dir_all(half).unwrap();
    let (code, again) = repository.search("step1..step23", &["--resume", "out"]);
    assert_eq!((code, answer(folder)), (0, text), "{again}");
    assert_eq!(repository.builds(), built);
    // A commit whose product is gone is built again, in another tree than that of the search that was killed.
    std::fs::remove_dir_all(repository.product(14)).unwrap();
    let (code, again) = repository.search("step1..step23", &["--resume", "out"]);
    assert_eq!(code, 0, "{again}");
    assert_eq!(repository.builds(), built + 1);
    // A folder that merely has a work tree's name stays.
    assert!(folder.join("out/tree-0/out").exists() && !folder.join("out/tree-1").exists());
    // Other commits are another search.
    let (code, other) = repository.search("step2..step23", &["--resume", "out"]);
    assert_eq!(code, 2, "{other}");
    assert!(other.contains("is the log of another search: "), "{other}");
}

#[test]
fn a_commit_that_may_be_the_first_bad_one_and_cannot_be_built_is_named_beside_it() {
    let repository = Repository::new(&["sound", "fails", "broken", "broken"]);
    let (code, said) = repository.search("step0..step3", &["-o", "out"]);
    assert_eq!(code, 0, "{said}");
    let candidates = format!(
        "firmware one of {}, {}",
        repository.named(1, "fails"),
        repository.named(2, "broken")
    );
    assert!(said.lines().next().unwrap().contains(&candidates), "{said}");
    let reason = "cannot be told: the build failed (exit status: 3): no rule to make `out`";
    assert!(said.contains(reason), "{said}");
}

#[test]
fn a_product_that_the_repository_tracks_needs_no_build() {
    let repository = Repository::new(&["sound"]);
    let tracked = repository.path().join("firmware");
    for (step, bundle) in [(1, "1.1"), (2, "1.2")] {
        let _ = std::fs::remove_dir_all(&tracked);
        let from = repository.firmware.path().join(bundle);
        let copied = Command::new("cp").arg("-r").args([&from, &tracked]).status().unwrap();
        assert!(copied.success());
        repository.git(&["add", "--all"]);
        repository.git(&["commit", "--quiet", "--message", bundle]);
        repository.git(&["tag", &format!("step{step}")]);
    }
    let arguments = ["bisect", "c.lmb", "--over", "versions", "--git", "repository", "-o", "out"];
    let of_commits =
        ["--commits", "step0..step2", "--build", "true", "--axis", "firmware=firmware"];
    let folder = repository.folder.path();
    let (code, said) = hallmark(folder, &[arguments.as_slice(), &of_commits].concat());
    assert_eq!(code, 0, "{said}");
    assert!(said.lines().next().unwrap().ends_with(" (1.2)"), "{said}");
    assert!(said.contains("the build succeeded but did not make firmware"), "{said}");
}

#[test]
fn a_commit_is_built_into_a_part_of_an_executor() {
    // A product that is no firmware is left out, like a build that fails.
    let states = ["sound", "fails", "sound", "empty", "broken", "broken"];
    let repository = Repository::new(&states);
    let build = repository.build();
    let arguments = ["bisect", "c.lmb", "--over", "versions", "--git", "repository", "-o", "found"];
    let axis = "executor=sim firmware={out} schedule_seed=3";
    let of_commits = ["--commits", "step0..step5", "--build", &build, "--axis", axis];
    let folder = repository.folder.path();
    let (code, said) = hallmark(folder, &[arguments.as_slice(), &of_commits].concat());
    assert_eq!(code, 0, "{said}");
    let first = said.lines().next().unwrap();
    let candidates = [repository.named(3, "empty"), repository.named(4, "broken")].join(", ");
    assert!(first.contains(&candidates), "{said}");
    assert!(said.contains("cannot be told: "), "{said}");
    let last_good = format!("last good executor {}", repository.named(2, "sound"));
    assert!(said.contains(&last_good), "{said}");
}

#[test]
fn a_build_that_changes_what_is_tracked_is_told_and_undone() {
    let repository = Repository::new(&["touched", "touched", "broken"]);
    let (code, said) = repository.search("step0..step2", &["-o", "out"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains(" changes tracked, which the repository tracks"), "{said}");
    // The second build would have failed with what the first one left.
    assert!(said.contains("(Step 1: touched)  0 of 1 failed"), "{said}");
    std::fs::remove_file(repository.folder.path().join("out/answer.txt")).unwrap();
    let (_, again) = repository.search("step0..step2", &["--resume", "out"]);
    assert!(again.contains(" changes tracked, which the repository tracks"), "{again}");
}

#[test]
fn a_build_that_takes_too_long_is_left_out_and_a_signal_ends_one() {
    let repository = Repository::new(&["sound", "slow", "broken"]);
    let limit = ["-o", "out", "--build-timeout", "5", "--budget", "10m"];
    let (code, said) = repository.search("step0..step2", &limit);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("the build took more than 5 s"), "{said}");
    let pid = std::fs::read_to_string(repository.firmware.path().join("pid")).unwrap();
    assert!(has_ended(&pid), "the build outlives its limit");

    std::fs::remove_file(repository.firmware.path().join("pid")).unwrap();
    // Both ends are built, so that the time is for the slow build alone.
    let (code, said) = repository.search("step0..step2", &["--resume", "out", "--budget", "10s"]);
    assert_eq!(code, 12, "{said}");
    assert!(said.contains("the build was stopped when the time of --budget was up"), "{said}");
    let pid = std::fs::read_to_string(repository.firmware.path().join("pid")).unwrap();
    assert!(has_ended(&pid), "the build outlives the search");

    std::fs::remove_file(repository.firmware.path().join("pid")).unwrap();
    let build = repository.build();
    let arguments = repository.arguments("step0..step2", &build);
    let folder = repository.folder.path();
    let mut search = command(folder);
    search.args(arguments).args(["-o", "stopped"]).stderr(std::process::Stdio::piped());
    let search = search.spawn().unwrap();
    let begin = Instant::now();
    let pid = loop {
        let pid = std::fs::read_to_string(repository.firmware.path().join("pid"));
        if let Some(pid) = pid.ok().filter(|pid| pid.ends_with('\n')) {
            break pid;
        }
        assert!(begin.elapsed() < Duration::from_secs(50), "no build has begun");
        std::thread::sleep(Duration::from_millis(10));
    };
    let signal = Command::new("kill").args(["-INT", &search.id().to_string()]).status();
    assert!(signal.unwrap().success());
    let ended = search.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130));
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(said.contains("the same command goes on with --resume stopped"), "{said}");
    assert!(has_ended(&pid), "the build lives on");
}

#[test]
fn what_cannot_be_searched_is_told() {
    let repository = Repository::new(&["sound", "broken"]);
    repository.git(&["checkout", "--quiet", "--orphan", "other"]);
    repository.git(&["commit", "--quiet", "--allow-empty", "--message", "Other"]);
    let build = repository.build();
    let cases: [(&[&str], &str); 6] = [
        (&["--commits", "step0..nowhere"], "the repository has no commit `nowhere`"),
        (&["--commits", "step0..other"], "step0 is no ancestor of other; name a commit of"),
        (&["--commits", "step1..step1"], "step1..step1 holds no commit besides step1"),
        (&["--commits", "step0"], "`step0` is no range of commits; write OLDER..NEWER"),
        (&["--commits", "step1..step0"], "step1 is no ancestor of step0"),
        (&["--commits", "--all..step1"], "unexpected argument '--all..step1'"),
    ];
    let search = |more: &[&str]| {
        let fixed = ["bisect", "c.lmb", "--over", "versions", "--git", "repository", "--build"];
        hallmark(repository.folder.path(), &[&fixed, [build.as_str()].as_slice(), more].concat())
    };
    for (more, words) in cases {
        let more = [&["-o", "out", "--axis", "firmware=out"], more].concat();
        let (code, said) = search(&more);
        assert_eq!(code, 2, "{more:?}: {said}");
        assert!(said.contains(words), "{more:?}: {said}");
    }
    let range = ["--commits", "step0..step1"];
    for (more, words) in [
        (["--axis", "firmware=out"].as_slice(), "name one with -o"),
        (&["-o", "o1", "--axis", "firmware=../out"], "`../out` is no path below the repository"),
        (&["-o", "o2", "--axis", "firmware=/tmp"], "`/tmp` is no path below the repository"),
        (
            &["-o", "o3", "--axis", "capture=out"],
            "--git takes no --axis capture; write firmware=PATH",
        ),
        (
            &["-o", "o4", "--axis", "executor=sim"],
            "in braces and relative to the repository, and `sim` does not",
        ),
        (
            &["-o", "o4", "--axis", "executor=sim firmware={a} kernels={b}"],
            "and `sim firmware={a} kernels={b}` does not",
        ),
        (&["-o", "o4", "--axis", "executor=sim firmware=}a{"], "and `sim firmware=}a{` does not"),
        (&["-o", "o5", "--axis", "executor=nowhere:{out}"], "nowhere"),
        (
            &["-o", "o5", "--axis", "executor=ttsim:/nowhere.so firmware={out}"],
            "ttsim=/nowhere.so: there is no such library",
        ),
        (&["-o", "o5", "--axis", "firmware=a,b"], "beside --git, --axis names one file or folder"),
    ] {
        let more = [range.as_slice(), more].concat();
        let (code, said) = search(&more);
        assert_eq!(code, 2, "{more:?}: {said}");
        assert!(said.contains(words), "{more:?}: {said}");
    }
    assert_eq!(repository.builds(), 0);
    let (code, said) = hallmark(
        repository.folder.path(),
        &["bisect", "c.lmb", "--git", "r", "--commits", "a..b", "--build", "true", "--bad", "sim"],
    );
    assert_eq!(code, 2, "{said}");
    assert!(
        said.contains("--git names commits, which are versions; add --over versions"),
        "{said}"
    );
}

/// The search's folder may lie in the repository itself, whose own files must stay as they are.
#[test]
fn a_build_that_removes_the_tree_s_repository_does_not_lead_to_the_one_around_it() {
    let repository = Repository::new(&["git", "git", "broken", "broken"]);
    let path = repository.path();
    std::fs::write(path.join("tracked"), "an edit\n").unwrap();
    let (code, said) = repository.search("step0..step3", &["-o", "repository/out"]);
    assert_eq!(code, 0, "{said}");
    let first_bad = repository.named(2, "broken");
    assert!(said.lines().next().unwrap().ends_with(&first_bad), "{said}");
    assert_eq!(std::fs::read_to_string(path.join("tracked")).unwrap(), "an edit\n");
    assert_eq!(repository.git(&["branch", "--show-current"]).trim(), "main");
}

/// A tracked file keeps a folder alive, and an ignored one in it survives a checkout.
#[test]
fn a_product_of_another_commit_does_not_pass_for_that_of_one() {
    let repository = Repository::new(&["sound"]);
    let path = repository.path();
    std::fs::write(path.join(".gitignore"), "out/*\n!out/.gitkeep\n").unwrap();
    std::fs::create_dir(path.join("out")).unwrap();
    std::fs::write(path.join("out/.gitkeep"), "").unwrap();
    for (step, build) in [(1, "cp -r $1/1.1/* out"), (2, "true"), (3, "cp -r $1/1.2/* out")] {
        std::fs::write(path.join("build.sh"), format!("{build}\n")).unwrap();
        repository.git(&["add", "--all"]);
        repository.git(&["commit", "--quiet", "--message", build]);
        repository.git(&["tag", &format!("step{step}")]);
    }
    let (code, said) = repository.search("step1..step3", &["-o", "a folder"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.lines().next().unwrap().contains("firmware one of "), "{said}");
}

#[test]
fn links_in_a_product_lead_nowhere_else() {
    let repository = Repository::new(&["inside", "linked", "piped", "broken"]);
    let (code, said) = repository.search("step0..step3", &["-o", "out"]);
    assert_eq!(code, 0, "{said}");
    for words in [
        "(Step 0: inside)  0 of 1 failed",
        "out is a link that leads out of the work tree",
        "out/pipe is neither a file nor a folder",
    ] {
        assert!(said.contains(words), "no `{words}` in {said}");
    }
    let copied = repository.product(0).join("brisc.elf");
    assert!(std::fs::symlink_metadata(copied).unwrap().is_file());
}

#[test]
fn a_commit_of_a_merged_branch_is_no_first_one() {
    let repository = Repository::new(&["sound", "sound"]);
    repository.git(&["checkout", "--quiet", "-b", "side", "step0"]);
    repository.git(&["commit", "--quiet", "--allow-empty", "--message", "Side"]);
    repository.git(&["checkout", "--quiet", "main"]);
    repository.git(&["merge", "--quiet", "--no-ff", "--message", "Merge", "side"]);
    let (code, said) = repository.search("side..main", &["-o", "out"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("side is on a branch that was merged into main"), "{said}");
    // From the first parent's history, a merge is one change.
    let (code, said) = repository.search("step1..main", &["-o", "other"]);
    assert_eq!(code, 12, "{said}");
    assert!(said.contains("(Merge)"), "{said}");
}

#[test]
fn submodules_are_of_the_commit() {
    let repository = Repository::new(&["sound"]);
    let (path, module) = (repository.path(), repository.folder.path().join("module"));
    let clone = Command::new("git").args(["init", "--quiet"]).arg(&module).status().unwrap();
    assert!(clone.success());
    let allow = ["-c", "protocol.file.allow=always", "submodule", "--quiet"];
    for (step, bundle) in [(1, "1.1"), (2, "1.2")] {
        let inside = Repository::git_in(&module);
        std::fs::write(module.join("bundle"), bundle).unwrap();
        inside(&["add", "--all"]);
        inside(&["commit", "--quiet", "--message", bundle]);
        if step == 1 {
            let url = module.display().to_string();
            repository.git(&[allow.as_slice(), &["add", &url, "module"]].concat());
        } else {
            repository.git(&[allow.as_slice(), &["update", "--remote"]].concat());
        }
        std::fs::write(path.join("build.sh"), "cp -r $1/$(cat module/bundle) out\n").unwrap();
        repository.git(&["add", "--all"]);
        repository.git(&["commit", "--quiet", "--message", bundle]);
        repository.git(&["tag", &format!("step{step}")]);
    }
    let build = repository.build();
    let arguments = repository.arguments("step1..step2", &build);
    let output = command(repository.folder.path())
        .args(arguments)
        .args(["-o", "out"])
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "protocol.file.allow")
        .env("GIT_CONFIG_VALUE_0", "always")
        .output()
        .unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.lines().next().unwrap().ends_with(" (1.2)"), "{said}");
}
