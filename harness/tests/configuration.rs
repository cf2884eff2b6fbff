//! Configuration files: which setting counts, who reads the files, and what a stranger's root may name.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;

use std::path::Path;
use std::process::Command;

use common::{command, repository, text};
use serde_json::Value;

const SUITE: &str = "about: A buffer.
cases:
  round_trip:
    about: What is written comes back.
    steps:
      - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, a]
";

/// A root, and the folder of the user's own configuration.
struct Folders {
    root: tempfile::TempDir,
    home: tempfile::TempDir,
}

impl Folders {
    fn new(root_file: &str, user_file: &str) -> Self {
        let folders =
            Self { root: tempfile::tempdir().unwrap(), home: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(folders.root.path().join("suites/group")).unwrap();
        std::fs::write(folders.root.path().join("suites/group/suite.yaml"), SUITE).unwrap();
        std::fs::write(folders.root.path().join("hallmark.toml"), root_file).unwrap();
        std::fs::create_dir(folders.home.path().join("hallmark")).unwrap();
        std::fs::write(folders.home.path().join("hallmark/config.toml"), user_file).unwrap();
        folders
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(self.root.path());
        command.env("XDG_CONFIG_HOME", self.home.path()).args(arguments);
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "GITHUB_ACTIONS"] {
            command.env_remove(name);
        }
        command
    }

    /// The exit code and the output.
    fn run(&self, arguments: &[&str]) -> (i32, String) {
        let output = self.command(arguments).output().unwrap();
        (output.status.code().unwrap(), text(&output))
    }

    fn list(&self, arguments: &[&str]) -> Vec<String> {
        let (code, said) = self.run(&[&["list"], arguments].concat());
        assert_eq!(code, 0, "{said}");
        said.lines().map(|line| line.split("::").next().unwrap().to_owned()).collect()
    }
}

/// The value and the origin of a setting, as `doctor` tells them.
fn setting(command: &mut Command, name: &str) -> (String, String) {
    let output = command.args(["doctor", "--json"]).output().unwrap();
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    let settings = said.get("settings").unwrap().as_array().unwrap();
    let is_named = |it: &&Value| it.get("name").unwrap() == name;
    let found = settings.iter().find(is_named).unwrap();
    let text = |key: &str| found.get(key).unwrap().as_str().unwrap().to_owned();
    (text("value"), text("from"))
}

#[test]
fn the_first_that_gives_a_setting_counts() {
    let folders = Folders::new("", "");
    let own = folders.home.path().join("hallmark/config.toml");
    let shown = own.display().to_string();
    let of_root = folders.root.path().join("hallmark.toml");
    let name = "devices blackhole";
    let is = |command: &mut Command, value: &str, from: &str| {
        assert_eq!(setting(command, name), (value.to_owned(), from.to_owned()));
    };
    is(&mut folders.command(&[]), "sim:blackhole", "default");
    std::fs::write(&own, "devices = ['bh=sim:bh:harvested=0x1']").unwrap();
    is(&mut folders.command(&[]), "sim:blackhole:harvested=0x1", &shown);
    std::fs::write(&of_root, "devices = ['bh=sim:bh:harvested=0x2']").unwrap();
    is(&mut folders.command(&[]), "sim:blackhole:harvested=0x2", "hallmark.toml");
    let variable = ("HALLMARK_DEVICE_BLACKHOLE", "sim:bh:harvested=0x3");
    let mut command = folders.command(&[]);
    is(command.env(variable.0, variable.1), "sim:blackhole:harvested=0x3", variable.0);
    let output = folders
        .command(&["list", "--format", "json", "--device", "sim:bh:harvested=0x5"])
        .env(variable.0, variable.1)
        .output()
        .unwrap();
    assert!(text(&output).contains("sim:blackhole:harvested=0x5"), "{}", text(&output));
}

#[test]
fn a_variable_that_names_no_dispatch_is_not_shown_as_one() {
    let folders = Folders::new("", "");
    let of =
        |value: &str| setting(folders.command(&[]).env("HALLMARK_DISPATCH", value), "dispatch");
    let from = "HALLMARK_DISPATCH".to_owned();
    assert_eq!(of("overlap"), ("overlap".to_owned(), from.clone()));
    let invalid = "`both`, which is not host, device or overlap".to_owned();
    assert_eq!(of("both"), (invalid, from));
}

/// A device without an architecture is for the one test, and a golden is refused where its chip is harvested.
#[test]
fn one_test_chooses_its_architecture_alone() {
    let folders = Folders::new("devices = ['gs=sim:gs:harvested=0x1']", "");
    let (_, all) = folders.run(&["list", "--arch", "gs"]);
    let test = all.lines().next().unwrap().split_whitespace().next().unwrap();
    assert!(test.starts_with("grayskull::"), "{all}");
    let (code, said) = folders.run(&["bless", "--yes", "--exact", test]);
    assert!(code == 2 && said.contains("goldens are of whole chips"), "{code}: {said}");
    let (code, said) = folders.run(&["run", "--exact", test, "--device", "ttsim:/none.so"]);
    assert!(code == 5 && said.contains("grayskull cannot be tested on"), "{code}: {said}");
}

#[test]
fn the_architectures_are_those_of_an_option_a_file_or_the_vendor_s_stack() {
    let folders = Folders::new("", "");
    assert_eq!(folders.list(&[]), ["wormhole_b0", "blackhole"]);
    assert_eq!(folders.list(&["--arch", "gs", "--arch", "wh"]), ["grayskull", "wormhole_b0"]);
    assert_eq!(folders.list(&["gs::group", "bh::group"]), ["grayskull", "blackhole"]);
    assert_eq!(folders.list(&["--exact", "gs::group::suite::round_trip"]), ["grayskull"]);
    let folders = Folders::new("architectures = ['gs', 'bh']", "architectures = ['wh']");
    assert_eq!(folders.list(&[]), ["grayskull", "blackhole"]);
    assert_eq!(folders.list(&["--arch", "wormhole"]), ["wormhole_b0"]);
    // What `bless` takes without an option is not said.
    let (code, said) = folders.run(&["run"]);
    assert_eq!(code, 7, "{said}");
    assert!(said.contains("to accept: hallmark bless suites/group/suite.yaml;"), "{said}");
    assert_eq!(folders.run(&["bless", "--yes"]).0, 0);
    let (code, said) = folders.run(&["run"]);
    assert!(code == 0 && said.contains("   2 tests, "), "{said}");
}

/// Its suites are tested on the legacy architecture, too.
#[test]
fn this_repository_names_all_architectures() {
    let output = command(&repository()).arg("list").output().unwrap();
    for architecture in ["grayskull", "wormhole_b0", "blackhole"] {
        assert!(text(&output).contains(&format!("{architecture}::dataflow::")), "{architecture}");
    }
}

#[test]
fn a_mistake_stops_the_commands_that_read_the_file_and_no_other() {
    let folders = Folders::new("", "");
    assert_eq!(folders.run(&["bless", "--yes"]).0, 0);
    let test = "wh::group::suite::round_trip";
    let (code, said) = folders.run(&["capture", test, "-o", "a.lmb"]);
    assert_eq!(code, 0, "{said}");
    let file = folders.root.path().join("hallmark.toml");
    std::fs::write(&file, "job = 4\n").unwrap();
    for arguments in [
        &["run"][..],
        &["list"],
        &["bless", "--yes"],
        &["doctor"],
        &["kernels", "check"],
        &["explain", test],
        &["capture", test, "-o", "b.lmb"],
    ] {
        let (code, said) = folders.run(arguments);
        assert_eq!(code, 2, "{arguments:?}: {said}");
        assert!(said.contains("┌─ hallmark.toml:1:1"), "{arguments:?}: {said}");
        assert!(said.contains("^^^ did you mean `jobs`?"), "{arguments:?}: {said}");
    }
    for arguments in [&["replay", "a.lmb"][..], &["dump", "a.lmb"], &["portability", "a.lmb"]] {
        let (code, said) = folders.run(arguments);
        assert_eq!(code, 0, "{arguments:?}: {said}");
    }
    // GitHub shows the mistake beside its line.
    let output = folders.command(&["run"]).env("GITHUB_ACTIONS", "true").output().unwrap();
    assert!(text(&output).contains("::error file=hallmark.toml,line=1"), "{}", text(&output));
}

#[test]
fn replays_do_not_depend_on_the_file() {
    let folders = Folders::new("", "");
    let test = "wh::group::suite::round_trip";
    assert_eq!(folders.run(&["capture", test, "-o", "a.lmb"]).0, 0);
    assert_eq!(folders.run(&["bless", "--yes"]).0, 0);
    let file = folders.root.path().join("hallmark.toml");
    std::fs::write(file, "devices = ['misbehaving:flips_bit:wh']\ndispatch = 'device'").unwrap();
    let (code, said) = folders.run(&["replay", "a.lmb"]);
    assert!(code == 0 && said.contains("repeated on sim:wormhole_b0;"), "{said}");
    // A run does.
    let (code, said) = folders.run(&["run", "--arch", "wh"]);
    assert!(code == 0 && said.contains("wormhole_b0  misbehaving "), "{said}");
}

#[test]
fn a_stranger_s_library_is_not_loaded_unless_the_user_says_so() {
    let folders = Folders::new("devices = ['wh=ttsim:evil.so']\n", "");
    for arguments in [&["run"][..], &["list"], &["doctor"]] {
        let (code, said) = folders.run(arguments);
        assert_eq!(code, 2, "{said}");
        assert!(said.contains("this root names a library"), "{said}");
    }
    let (code, said) = folders.run(&["run", "--trust", "--arch", "wh"]);
    assert!(code == 5 && said.contains("evil.so"), "the library is looked for: {said}");
    assert_eq!(folders.run(&["list", "--trust"]).0, 0);
    let root = folders.root.path().canonicalize().unwrap();
    let own = format!("trusted_roots = [\"{}\"]", root.display());
    std::fs::write(folders.home.path().join("hallmark/config.toml"), own).unwrap();
    assert_eq!(folders.run(&["list"]).0, 0);
}

#[test]
fn colours_and_jobs_of_the_file_hold() {
    let folders = Folders::new("color = 'always'\njobs = 1\n", "");
    let colored = |command: &mut Command| text(&command.output().unwrap()).contains('\u{1b}');
    assert!(colored(&mut folders.command(&["run"])));
    assert!(!colored(folders.command(&["run"]).env("NO_COLOR", "1")));
    assert!(!colored(&mut folders.command(&["run", "--color", "never"])));
    let jobs = setting(&mut folders.command(&[]), "jobs");
    assert_eq!(jobs, ("1".to_owned(), "hallmark.toml".to_owned()));
}

#[test]
fn a_new_root_has_a_file_that_says_all_keys() {
    let folder = tempfile::tempdir().unwrap();
    let output = command(folder.path()).arg("init").output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let path = folder.path().join("hallmark.toml");
    let file = std::fs::read_to_string(&path).unwrap();
    let line = |line: &str| line.strip_prefix("# ").unwrap_or(line).to_owned();
    let is_setting = |text: &&str| text.contains(" = ");
    let all: Vec<String> = file.lines().filter(is_setting).map(line).collect();
    for key in hallmark::configuration::KEYS {
        let is_for_a_root = key != "trusted_roots";
        assert_eq!(all.iter().any(|line| line.starts_with(key)), is_for_a_root, "{key}: {all:?}");
    }
    // Each of its examples can be taken as it is.
    std::fs::create_dir(folder.path().join("firmware")).unwrap();
    let read = |text: &str| {
        hallmark::configuration::read_text(
            text,
            Path::new("/"),
            hallmark::configuration::Owner::Root,
        )
    };
    assert!(read(&all.join("\n")).is_ok(), "{all:?}");
}

/// The seconds after which a test on a device that never answers was stopped.
fn seconds(said: &str) -> &str {
    let (_, rest) =
        said.split_once("the capturing run did not end in ").unwrap_or_else(|| panic!("{said}"));
    rest.split(' ').next().unwrap()
}

/// A slow device is given more time, and no setting takes any away.
#[test]
fn a_test_has_the_longer_of_its_own_time_and_that_of_the_setting() {
    const STALLS: &str = "wormhole_b0=misbehaving:stalls:wormhole_b0";
    let suite =
        |seconds: u32| SUITE.replace("    steps:", &format!("    timeout: {seconds}\n    steps:"));
    let run = ["run", "--arch", "wh", "--device", STALLS];
    for (of_suite, file, of_user, option, expected) in [
        (1, "", "", None, "1"),
        (1, "", "", Some("2"), "2"),
        (2, "", "", Some("1"), "2"),
        (1, "timeout = 2", "", None, "2"),
        (1, "timeout = 3", "", Some("2"), "2"),
        (1, "", "timeout = 2", None, "2"),
        (1, "timeout = 2", "timeout = 3", None, "2"),
    ] {
        let folders = Folders::new(file, of_user);
        let path = folders.root.path().join("suites/group/suite.yaml");
        std::fs::write(path, suite(of_suite)).unwrap();
        let option: Vec<&str> = option.map_or(Vec::new(), |seconds| vec!["--timeout", seconds]);
        let (code, said) = folders.run(&[run.as_slice(), &option].concat());
        assert_ne!(code, 0, "{said}");
        assert_eq!(seconds(&said), expected, "{file} {of_user} {option:?}: {said}");
        // The command that repeats the test gives it the same time.
        let is_longer = !(file.is_empty() && of_user.is_empty() && option.is_empty());
        assert_eq!(said.contains(" --timeout "), is_longer, "{said}");
    }
}

/// All certifications give a test the same time, whatever the root's file or an option says.
#[test]
fn a_certification_has_the_time_of_its_suites() {
    let folders = Folders::new("timeout = 3", "timeout = 3");
    let root = folders.root.path();
    let suite = SUITE.replace("    steps:", "    timeout: 1\n    steps:");
    std::fs::write(root.join("suites/group/suite.yaml"), suite).unwrap();
    std::fs::create_dir(root.join("suites/conformance-profiles")).unwrap();
    let profile = "profile: one
edition: '1'
about: One test.
subjects: [simulator]
devices:
  - { architecture: wormhole_b0, kinds: [sim], dispatch: [host] }
tests:
  suites: ['**']
";
    std::fs::write(root.join("suites/conformance-profiles/one.yaml"), profile).unwrap();
    let (code, said) = folders.run(&["bless", "--arch", "wh", "--yes"]);
    assert_eq!(code, 0, "{said}");
    let certify = ["certify", "one", "--draft", "-o", "x.hallmark"];
    let device = ["--device", "misbehaving:stalls:wormhole_b0"];
    let (_, said) = folders.run(&[certify.as_slice(), &device].concat());
    assert_eq!(seconds(&said), "1", "{said}");
    let (code, said) = folders.run(&[certify.as_slice(), &["--timeout", "3"]].concat());
    assert!(code == 2 && said.contains("unexpected argument '--timeout'"), "{code}: {said}");
}
