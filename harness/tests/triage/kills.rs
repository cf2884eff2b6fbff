//! Searches that are killed at random moments: each goes on to the answer that it would have come to.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use hallmark_schema::model::Capture;
use serde_json::Value;

use super::commits::Repository;
use super::common::{command, repository};
use super::firmware_builds::{Build, builds};
use super::parts::{CHAIN, SUITE, rebuilt_kernels};
use super::roots::{hallmark, root_with};

/// Kills of all searches together.
const KILLS: usize = 200;
/// Begins the row of moments.
const SEED: u64 = 16;

/// A search and the folder that it is run in.
struct Search {
    name: &'static str,
    folder: PathBuf,
    arguments: Vec<String>,
    /// The file of its folder that holds the answer.
    answer: &'static str,
    /// Whether its runs come out by chance, so that only the first line is the same each time.
    by_chance: bool,
}

impl Search {
    fn child(&self, output: &[&str]) -> std::process::Child {
        let mut search = command(&self.folder);
        search.args(&self.arguments).args(output).stdout(Stdio::null()).stderr(Stdio::null());
        search.spawn().unwrap()
    }

    /// Runs it to its end.
    fn run(&self, output: &[&str]) -> i32 {
        let arguments: Vec<&str> =
            self.arguments.iter().map(String::as_str).chain(output.iter().copied()).collect();
        let (code, said) = hallmark(&self.folder, &arguments);
        assert!(code == 0, "{} {output:?}: {said}", self.name);
        code
    }

    /// Its answer, without what says how many runs it took this time.
    fn answer(&self, output: &str) -> Vec<u8> {
        let bytes = std::fs::read(self.folder.join(output).join(self.answer)).unwrap();
        if self.answer.ends_with(".lmb") {
            return bytes;
        }
        let text = String::from_utf8(bytes).unwrap();
        let counted = |line: &&str| !line.starts_with("  runs ");
        let lines = text.lines().filter(counted).take(if self.by_chance { 1 } else { usize::MAX });
        let text = lines.collect::<Vec<_>>().join("\n");
        // Lines about builds name files in the folder.
        text.replace(&format!("/{output}/"), "/folder/").into_bytes()
    }
}

/// Everything that a killed search left can be read.
fn is_whole(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    for path in entries.map(|entry| entry.unwrap().path()) {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let bytes = || std::fs::read(&path).unwrap();
        if name.starts_with("tree-") || name.ends_with(".part") {
            // What a build was writing.
        } else if path.is_dir() {
            is_whole(&path);
        } else if name == "log.jsonl" {
            let text = String::from_utf8(bytes()).unwrap();
            for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
                serde_json::from_str::<Value>(line).unwrap();
            }
        } else if name.ends_with(".json") {
            serde_json::from_slice::<Value>(&bytes()).unwrap();
        } else if name.ends_with(".lmb") {
            Capture::from_bytes(&bytes()).unwrap();
        } else if name == "answer.txt" {
            assert!(bytes().ends_with(b"\n"));
        }
    }
}

/// The next number of a row that looks random.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

#[test]
#[ignore = "takes a quarter of an hour"]
fn each_search_goes_on_to_the_same_answer_wherever_it_is_killed() {
    let chain = root_with(SUITE);
    let captured = ["capture", CHAIN, "-o", "c.lmb"];
    assert_eq!(hallmark(chain.path(), &captured).0, 0);
    let capture = Capture::from_bytes(&std::fs::read(chain.path().join("c.lmb")).unwrap()).unwrap();
    rebuilt_kernels(&capture, chain.path());
    use Build::{Broken, OtherAbi, Sound, Unchanged};
    let bad = Broken("brisc.elf");
    let firmware = builds(&[Sound, Sound, Unchanged, OtherAbi, Sound, bad, bad, bad]);
    let one_core = "wormhole_b0::dataflow::loopback::one_core::pages=1::page_size=32::processor=riscv_0::noc=noc_0";
    let file = firmware.path().join("c.lmb").display().to_string();
    assert_eq!(hallmark(&repository(), &["capture", one_core, "-o", &file]).0, 0);
    let again = chain.path().join("again.lmb").display().to_string();
    let test = "wormhole_b0::queues::again::a_word_changed";
    assert_eq!(hallmark(&repository(), &["capture", test, "-o", &again]).0, 0);
    let spread = chain.path().join("spread.lmb").display().to_string();
    let test = "wormhole_b0::dataflow::core_ranges::whole_grid::processor=riscv_0";
    assert_eq!(hallmark(&repository(), &["capture", test, "-o", &spread]).0, 0);
    let search = |name, folder: &Path, arguments: &[&str]| Search {
        name,
        folder: folder.to_owned(),
        arguments: arguments.iter().map(|it| (*it).to_owned()).collect(),
        answer: "answer.txt",
        by_chance: false,
    };
    let forgets = "misbehaving:forgets_launch:wormhole_b0:nth=2";
    let late = format!("{forgets} dispatch=device");
    let counter = chain.path().join("runs");
    let by_chance = format!("{forgets}:chance=0.6:seed=2:counter={}", counter.display());
    let by_seed = format!("{forgets}:chance=0.2:seed=4");
    let ordered = "wormhole_b0::group::suite::ordered";
    let event = "misbehaving:forgets_event:wormhole_b0";
    let mut states = vec!["sound"; 64];
    for bad in states.iter_mut().skip(40) {
        *bad = "broken";
    }
    for (step, state) in
        [(7, "fails"), (31, "fails"), (39, "fails"), (47, "nothing"), (60, "fails")]
    {
        states[step] = state;
    }
    let commits = Repository::new(&states);
    let build = commits.build();
    let of_commits = commits.arguments("step0..step63", &build);
    let searches = [
        search("commands", chain.path(), &["bisect", "again.lmb", "--bad", forgets]),
        search("prefixes", chain.path(), &["bisect", "again.lmb", "--bad", &late]),
        search("order", chain.path(), &["bisect", ordered, "--bad", event]),
        Search {
            by_chance: true,
            ..search(
                "flaky",
                chain.path(),
                &["bisect", "again.lmb", "--flaky", "--bad", &by_chance],
            )
        },
        search(
            "kernels",
            chain.path(),
            &["bisect", "c.lmb", "--over", "kernels", "--bad", "sim kernels=rebuilt"],
        ),
        search("syncs", chain.path(), &["bisect", ordered, "--over", "syncs", "--bad", event]),
        search(
            "cores",
            chain.path(),
            &[
                "bisect",
                "spread.lmb",
                "--over",
                "cores",
                "--bad",
                "misbehaving:forgets_core:wormhole_b0:core=3-2",
            ],
        ),
        search(
            "seeds",
            chain.path(),
            &["bisect", "again.lmb", "--over", "seeds", "--bad", &by_seed],
        ),
        search(
            "images",
            firmware.path(),
            &["bisect", "c.lmb", "--over", "images", "--bad", "sim firmware=1.8"],
        ),
        search(
            "versions",
            firmware.path(),
            &["bisect", "c.lmb", "--over", "versions", "--axis", "firmware=1.*"],
        ),
        search("commits", commits.folder.path(), &of_commits),
        Search {
            answer: "reduced.lmb",
            ..search(
                "reduce",
                chain.path(),
                &["reduce", "again.lmb", "--bad", forgets, "--until", "600"],
            )
        },
    ];
    let mut state = SEED;
    let each = KILLS.div_ceil(searches.len());
    for search in &searches {
        let begin = Instant::now();
        search.run(&["-o", &format!("{}-whole", search.name)]);
        let whole = begin.elapsed();
        let expected = search.answer(&format!("{}-whole", search.name));
        // The machine may be quicker later on than it was just now.
        let mut longest = whole;
        let (mut kills, mut ended, mut without_log, mut number) = (0, 0, 0, 0);
        while kills < each {
            number += 1;
            let folder = format!("{}-{number}", search.name);
            let log = search.folder.join(&folder).join("log.jsonl");
            // Up to three kills of one search, and then to its end.
            for _ in 0..1 + next(&mut state) % 3 {
                let output = if log.is_file() { "--resume" } else { "-o" };
                let mut child = search.child(&[output, &folder]);
                let micros = u64::try_from(longest.as_micros()).unwrap().max(1);
                std::thread::sleep(Duration::from_micros(next(&mut state) % micros));
                if child.try_wait().unwrap().is_some() {
                    ended += 1;
                    longest = longest.mul_f64(0.9);
                    break;
                }
                child.kill().unwrap();
                child.wait().unwrap();
                kills += 1;
                is_whole(&search.folder.join(&folder));
            }
            if log.is_file() {
                search.run(&["--resume", &folder]);
            } else {
                without_log += 1;
                search.run(&["-o", &folder]);
            }
            assert_eq!(search.answer(&folder), expected, "{} {folder}", search.name);
            is_whole(&search.folder.join(&folder));
        }
        println!(
            "{}: {kills} kills in {number} searches of {:.1} s; {without_log} before there was a log, {ended} too late; all came to the same answer",
            search.name,
            whole.as_secs_f64()
        );
    }
}
