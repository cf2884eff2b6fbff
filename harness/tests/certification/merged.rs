//! One package from the packages of shards: matching and mismatched shards.

use std::collections::BTreeMap;
use std::path::Path;

use hallmark_certification::lock::Lock;
use hallmark_certification::results::ResultLine;
use hallmark_package::{
    CHALLENGE, Contents, ENVIRONMENT, EntryName, LOCK, Limits, MANIFEST, PROFILE, Package,
    PackageDraft, Predicate, RESULTS, RUN, STATEMENT, Timestamp, json,
};

use crate::common::text;
use crate::forgeries::Forgery;
use crate::roots::{PROFILE as ALL, RUNS, hallmark, profile, root};
use crate::simulator_library::simulator_library;

fn say(root: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let said = hallmark(root, arguments);
    (said.status.code(), text(&said))
}

/// Makes the package of a shard, `1.hallmark` for `1/3`.
fn certify(root: &Path, shard: &str) {
    let (number, _) = shard.split_once('/').unwrap();
    let package = format!("{number}.hallmark");
    let (code, said) = say(root, &["certify", "all", "--draft", "--shard", shard, "-o", &package]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("verified: each result follows from its captures"), "{said}");
}

/// The results of a package without the parts that depend on machine and time.
fn results(path: &Path) -> Vec<ResultLine> {
    let bytes = std::fs::read(path).unwrap();
    let package = Package::read(&bytes, &Limits::default()).unwrap();
    let results: Vec<ResultLine> = json::read_lines(package.file(RESULTS).unwrap()).unwrap();
    results.into_iter().map(|result| ResultLine { milliseconds: 0, ..result }).collect()
}

#[test]
fn shards_make_the_package_that_one_machine_makes() {
    let root = root();
    let root = root.path();
    ["1/3", "2/3", "3/3"].into_iter().for_each(|shard| certify(root, shard));
    let (code, said) = say(root, &["certify", "all", "--draft", "-o", "whole.hallmark"]);
    assert_eq!(code, Some(0), "{said}");
    let parts = ["1", "2", "3"].map(|part| results(&root.join(format!("{part}.hallmark"))).len());
    assert_eq!(parts, [RUNS.div_ceil(3), RUNS / 3, RUNS / 3]);

    let (code, said) = say(root, &["package", "verify", "--draft", "2.hallmark"]);
    assert_eq!(code, Some(13), "{said}");
    assert!(said.contains("is of shard 2/3 alone; `hallmark package merge` makes one"), "{said}");

    let merge =
        |parts: &[&str]| say(root, &[&["package", "merge", "-o", "all.hallmark"], parts].concat());
    let (code, said) = merge(&["3.hallmark", "1.hallmark", "2.hallmark"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains(&format!("wrote all.hallmark  {RUNS} results of 3 shards")), "{said}");
    assert!(said.contains("verified: each result follows from its captures"), "{said}");
    assert_eq!(results(&root.join("all.hallmark")), results(&root.join("whole.hallmark")));
    let (code, said) = say(root, &["package", "verify", "--draft", "all.hallmark"]);
    assert_eq!(code, Some(14), "{said}");
    assert!(said.contains(&format!("{RUNS} results computed anew")), "{said}");
    let (code, said) = say(root, &["package", "diff", "whole.hallmark", "all.hallmark"]);
    assert_eq!(code, Some(0), "{said}");

    let before = std::fs::read(root.join("all.hallmark")).unwrap();
    for (parts, words) in [
        (["1.hallmark", "3.hallmark"].as_slice(), "no package is of shard 2/3; make it with"),
        (&["2.hallmark"], "no package is of shard 1/3, 3/3; make them with"),
        (&["1.hallmark", "2.hallmark", "3.hallmark", "2.hallmark"], "are both of shard 2/3; name"),
        (&["1.hallmark", "whole.hallmark"], "whole.hallmark is of all runs"),
    ] {
        let (code, said) = merge(parts);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(words), "{said}");
    }
    assert_eq!(std::fs::read(root.join("all.hallmark")).unwrap(), before);
}

#[test]
fn a_shard_has_runs_and_excuses_nothing() {
    let root = root();
    let root = root.path();
    let (code, said) = say(root, &["certify", "all", "--draft", "--shard", "17/17"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("shard 17/17 of 16 runs is empty; use at most 16 shards"), "{said}");
    let (code, said) =
        say(root, &["certify", "all", "--draft", "--shard", "1/2", "--waivers", "waivers"]);
    assert_eq!(code, Some(2), "{said}");
    // A single shard is the whole.
    let (code, said) = say(root, &["certify", "all", "--draft", "--shard", "1/1"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(root.join("all.hallmark").is_file());
    // A shard does not resume another shard's work.
    certify(root, "1/2");
    let folder = root.join("1.hallmark.run");
    std::fs::create_dir(&folder).unwrap();
    let bytes = std::fs::read(root.join("1.hallmark")).unwrap();
    let package = Package::read(&bytes, &Limits::default()).unwrap();
    std::fs::write(folder.join(RUN), package.file(RUN).unwrap()).unwrap();
    // With its package, the work would be finished.
    std::fs::remove_file(root.join("1.hallmark")).unwrap();
    let again = ["certify", "all", "--draft", "--shard", "2/2", "-o", "1.hallmark"];
    let (code, said) = say(root, &again);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("of another profile, challenge, shard or subject"), "{said}");
}

/// A package that a forger wants to merge with another's.
struct Forged {
    files: BTreeMap<String, Vec<u8>>,
    predicate: Predicate,
}

impl Forged {
    fn replace(&mut self, file: &str, old: &str, new: &str) {
        let before = String::from_utf8(self.files[file].clone()).unwrap();
        assert!(before.contains(old), "{before}");
        self.files.insert(file.to_owned(), before.replace(old, new).into_bytes());
    }
}

/// A change to a package and the words of its refusal.
type Row = (&'static str, fn(&mut Forged), &'static str);

#[rustfmt::skip] // A forgery a line.
const FORGERIES: &[Row] = &[
    ("another profile", |it| it.replace(PROFILE, "All tests.", "Some tests."), "are of other conformance profiles"),
    ("another lock", |it| it.replace(LOCK, "\"repeats\":", "\"repeats\" :"), "profile.lock"),
    ("another golden", |it| { let mut lock = Lock::read(&it.files[LOCK]).unwrap(); lock.tests[0].program = None; it.files.insert(LOCK.to_owned(), lock.to_bytes().unwrap()); }, "are of other locks: other tests, goldens or kernels"),
    ("a challenge of its own", |it| { it.files.insert(CHALLENGE.to_owned(), b"{}\n".to_vec()); }, "are of other challenges"),
    ("firmware", |it| { it.files.insert("firmware/wormhole_b0/brisc.elf".to_owned(), vec![1]); }, "are of other firmware"),
    ("another subject", |it| it.predicate.subject.name.push('2'), "are of other subjects"),
    ("another device", |it| it.replace(ENVIRONMENT, "\"device\":\"sim\"", "\"device\":\"ttsim\""), "are of other devices"),
    ("another release", |it| it.predicate.hallmark.push('1'), "are of other releases of Hallmark"),
    ("a shard of three", |it| it.replace(RUN, "\"2/2\"", "\"2/3\""), "it does not follow the line before it"),
    ("no log", |it| { it.files.insert(RUN.to_owned(), Vec::new()); }, "is of all runs"),
    ("no results", |it| { it.files.insert(RESULTS.to_owned(), b"{".to_vec()); }, "results.jsonl: "),
];

#[test]
fn packages_that_do_not_belong_together_are_not_merged() {
    let root = root();
    let root = root.path();
    ["1/2", "2/2"].into_iter().for_each(|shard| certify(root, shard));
    let bytes = std::fs::read(root.join("2.hallmark")).unwrap();
    let package = Package::read(&bytes, &Limits::default()).unwrap();
    let mut unnoticed = Vec::new();
    let mut merge = |name: &str, change: fn(&mut Forged), words: &str, others: &[&str]| {
        let files =
            package.files().filter(|(name, _)| ![MANIFEST, STATEMENT].contains(&name.as_str()));
        let files = files.map(|(name, bytes)| (name.to_string(), bytes.to_vec())).collect();
        let predicate = package.statement(Timestamp::now()).unwrap().predicate;
        let mut forged = Forged { files, predicate };
        change(&mut forged);
        let mut draft = PackageDraft::new();
        for (name, bytes) in forged.files {
            draft.add(EntryName::new(&name).unwrap(), Contents::Bytes(bytes)).unwrap();
        }
        let mut bytes = Vec::new();
        draft.write(forged.predicate, &mut bytes).unwrap();
        std::fs::write(root.join("forged.hallmark"), bytes).unwrap();
        let parts = ["package", "merge", "-o", "all.hallmark", "1.hallmark", "forged.hallmark"];
        let (code, said) = say(root, &[&parts, others].concat());
        if code == Some(0) || !said.contains(words) {
            unnoticed.push(format!("{name}: {code:?} {said}"));
        }
        assert!(code == Some(0) || !root.join("all.hallmark").exists(), "{name}");
    };
    for (name, change, words) in FORGERIES {
        merge(name, *change, words, &[]);
    }
    // The same shard again, with another verdict.
    let worse = |it: &mut Forged| {
        let result = String::from_utf8(it.files[RESULTS].clone()).unwrap();
        let result = result.replacen("\"name\":\"Pass\"", "\"name\":\"Mismatch\"", 1);
        it.files.insert(RESULTS.to_owned(), result.into_bytes());
    };
    merge("overlap", worse, "are both of shard 2/2, and have other results of ", &["2.hallmark"]);
    assert_eq!(unnoticed, Vec::<String>::new());
    let (code, said) =
        say(root, &["package", "merge", "-o", "all.hallmark", "1.hallmark", "2.hallmark"]);
    assert_eq!(code, Some(0), "{said}");
}

/// Two libraries stay two subjects when the package of one is relabelled as the other's: its log names the library that ran.
#[test]
fn shards_of_two_libraries_are_not_merged_though_one_is_relabelled() {
    let root = root();
    let root = root.path();
    let tests = ALL.replace("[sim]", "[ttsim]").replace("'**'", "'group::suite::seeded'");
    profile(root, "all", &tests);
    let mut library = std::fs::read(simulator_library()).unwrap();
    for (shard, package, library_of_shard) in
        [("1/2", "1.hallmark", "one/libttsim.so"), ("2/2", "2.hallmark", "other/libttsim.so")]
    {
        let path = root.join(library_of_shard);
        std::fs::create_dir(path.parent().unwrap()).unwrap();
        // No byte that is loaded differs.
        library.push(0);
        std::fs::write(&path, &library).unwrap();
        let device = format!("wormhole_b0=ttsim:{}", path.display());
        let certify = ["certify", "all", "--draft", "--device", &device, "-o", package];
        let (code, said) = say(root, &[certify.as_slice(), &["--shard", shard]].concat());
        assert_eq!(code, Some(14), "{said}");
    }
    let bytes = ["1.hallmark", "2.hallmark"].map(|name| std::fs::read(root.join(name)).unwrap());
    let [one, mut other] = bytes.each_ref().map(|bytes| Forgery::of(bytes));
    let hash = |of: &Forgery| of.predicate.subject.hash.unwrap().to_string();
    other.replace(ENVIRONMENT, &hash(&other), &hash(&one));
    other.predicate.subject = one.predicate.subject.clone();
    other.forgets_logs = true;
    std::fs::write(root.join("relabelled.hallmark"), other.end()).unwrap();
    let merge = ["package", "merge", "-o", "all.hallmark", "1.hallmark", "relabelled.hallmark"];
    let (code, said) = say(root, &merge);
    assert!(code == Some(2) && said.contains("are of other subjects"), "{said}");
}
