//! Searches along the commits of a repository, whose builds are copies of firmware that is sound or broken.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::common::{command, repository};
use super::firmware_builds::{Build, builds};
use super::roots::hallmark;

const TEST: &str = "wormhole_b0::dataflow::loopback::one_core::pages=1::page_size=32::processor=riscv_0::noc=noc_0";

/// Makes what the file `state` says, and notes each run.
const SCRIPT: &str = "echo build >> $1/count
case $(cat state) in
  sound*) cp -r $1/1.1 out;;
  broken*) cp -r $1/1.2 out;;
  touched*) echo more >> tracked; cp -r $1/1.1 out;;
  fails*) echo compiling; echo 'no rule to make `out`' >&2; exit 3;;
  nothing*) true;;
  slow*) echo $$ > $1/pid; sleep 60;;
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
        std::fs::write(path.join(".gitignore"), "out\n").unwrap();
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
        let mut git = Command::new("git");
        git.args(["-c", "user.name=A", "-c", "user.email=a@example.com"]).args(arguments);
        for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            git.env_remove(variable);
        }
        let output = git.current_dir(self.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
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

    /// The number of builds so far.
    fn builds(&self) -> usize {
        let count = std::fs::read_to_string(self.firmware.path().join("count"));
        count.unwrap_or_default().lines().count()
    }

    fn named(&self, step: usize, state: &str) -> String {
        format!("{} (Step {step}: {state})", self.commits.get(step).unwrap().get(..12).unwrap())
    }
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
    // The next command names what was kept.
    let products = [13, 14].map(|step| {
        let product = folder.join("out/builds").join(&repository.commits[step]).join("out");
        assert!(product.join("manifest.json").is_file(), "{}", product.display());
        format!("sim firmware={}", product.canonicalize().unwrap().display())
    });
    let next = format!("--over images --good '{}' --bad '{}'", products[0], products[1]);
    assert!(said.contains(&next), "{said}");
    // Far fewer than all commits were built; steps 12 and 17 lie on the way.
    let built = repository.builds();
    assert!((4..12).contains(&built), "{built} builds: {said}");
    assert!(said.contains("the build succeeded and made no out"), "{said}");
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
    std::fs::create_dir_all(folder.join("out/tree-0/out")).unwrap();
    let product = folder.join("out/builds").join(&repository.commits[14]);
    std::fs::remove_dir_all(product).unwrap();
    let (code, again) = repository.search("step1..step23", &["--resume", "out"]);
    assert_eq!(code, 0, "{again}");
    assert_eq!(repository.builds(), built + 1);
    assert!(!folder.join("out/tree-0").exists() && !folder.join("out/tree-1").exists());
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
    let reason = "the build ended with exit status: 3: no rule to make `out`";
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
    assert!(said.contains("the build succeeded and made no firmware"), "{said}");
}

#[test]
fn a_build_that_changes_what_is_tracked_is_told_and_undone() {
    let repository = Repository::new(&["touched", "touched", "broken"]);
    let (code, said) = repository.search("step0..step2", &["-o", "out"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains(" changes tracked, which the repository tracks"), "{said}");
    assert_eq!(std::fs::read_to_string(repository.path().join("tracked")).unwrap(), "text\n");
}

#[test]
fn a_build_that_takes_too_long_is_left_out_and_a_signal_ends_one() {
    let repository = Repository::new(&["sound", "slow", "broken"]);
    let limit = ["-o", "out", "--build-timeout", "1"];
    let (code, said) = repository.search("step0..step2", &limit);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("the build took more than 1 s"), "{said}");
    let pid = std::fs::read_to_string(repository.firmware.path().join("pid")).unwrap();
    assert!(has_ended(&pid), "the build outlives its limit");

    std::fs::remove_file(repository.firmware.path().join("pid")).unwrap();
    let build = repository.build();
    let arguments = repository.arguments("step0..step2", &build);
    let folder = repository.folder.path();
    let mut search = command(folder).args(arguments).args(["-o", "stopped"]).spawn().unwrap();
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
    assert_eq!(search.wait().unwrap().code(), Some(130));
    assert!(has_ended(&pid), "the build lives on");
}

#[test]
fn what_cannot_be_searched_is_told() {
    let repository = Repository::new(&["sound", "broken"]);
    repository.git(&["checkout", "--quiet", "--orphan", "other"]);
    repository.git(&["commit", "--quiet", "--allow-empty", "--message", "Other"]);
    let build = repository.build();
    let cases: [(&[&str], &str); 7] = [
        (&["--commits", "step0..nowhere"], "the repository has no commit `nowhere`"),
        (&["--commits", "step0..other"], "step0 is no ancestor of other; name a commit of"),
        (&["--commits", "step1..step1"], "step1..step1 holds no commit besides step1"),
        (&["--commits", "step0"], "`step0` is no range of commits; write OLDER..NEWER"),
        (&["--commits", "step1..step0"], "step1 is no ancestor of step0"),
        (&["--commits", "step0..step1", "--over", "cores"], "cannot be used multiple times"),
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
        (&["-o", "o3", "--axis", "capture=out"], "capture"),
        (&["-o", "o4", "--axis", "executor=sim"], "executor names nothing that a build makes"),
        (&["-o", "o5", "--axis", "firmware=a,b"], "--axis names one file or folder beside --git"),
    ] {
        let more = [range.as_slice(), more].concat();
        let (code, said) = search(&more);
        assert_eq!(code, 2, "{more:?}: {said}");
        assert!(said.contains(words), "{more:?}: {said}");
    }
    assert_eq!(repository.builds(), 0);
}
