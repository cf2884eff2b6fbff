//! The user's own captured workloads beside the user's own profile: a test's capture, a reduced failure, and a
//! recording of programs that use TT-Metalium.

use std::path::Path;

use hallmark_schema::model::Capture;

use crate::common::{command, repository, text};
use crate::forgeries::declare_output;
use crate::roots::part_of_the_repository;

const PROFILE: &str = "profile: acceptance
edition: \"1\"
about: What our own programs need of a release.
subjects: [simulator, firmware]
devices:
  - { architecture: wormhole_b0, kinds: [sim], harvesting: [0x0, 0x120], dispatch: [host, device] }
tests: { suites: [], captures: ['corpus/*.lmb', reduced/reduced.lmb] }
";

const TEST: &str = "wormhole_b0::dataflow::loopback::one_core::pages=1::page_size=32::processor=riscv_0::noc=noc_0";

/// A misbehaving device: it flips a bit of each read.
const WRONG: &str = "wormhole_b0=misbehaving:flips_bit:wormhole_b0";

/// The exit code and the output of the command in a folder.
fn said(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let said = command(folder).args(arguments).output().unwrap();
    (said.status.code(), text(&said))
}

#[test]
fn workloads_are_part_of_what_a_subject_must_pass() {
    let root = part_of_the_repository(&["dataflow/loopback"]);
    let home = tempfile::tempdir().unwrap();
    let corpus = home.path().join("corpus");
    std::fs::create_dir(&corpus).unwrap();
    std::fs::write(home.path().join("acceptance.yaml"), PROFILE).unwrap();
    let root = root.path().to_str().unwrap();
    let done = |arguments: &[&str], code: i32| {
        let (ended, words) = said(home.path(), &[arguments, &["--root", root]].concat());
        assert_eq!(ended, Some(code), "{arguments:?}: {words}");
        words
    };
    done(&["capture", TEST, "-o", "corpus/loopback.lmb"], 0);
    let bad = ["--bad", "misbehaving:flips_bit:wormhole_b0", "-o", "reduced"];
    done(&[["reduce", "corpus/loopback.lmb"].as_slice(), &bad].concat(), 0);
    for recording in ["dram_copy", "two_queues"] {
        let name = format!("{recording}.lmb");
        let from = repository().join("suites/recordings").join(&name);
        std::fs::copy(from, corpus.join(name)).unwrap();
    }

    // A binary's inputs are free: nothing gives their values.
    let bytes = std::fs::read(corpus.join("loopback.lmb")).unwrap();
    let mut binary = Capture::from_bytes(&bytes).unwrap();
    declare_output(&mut binary);
    std::fs::write(corpus.join("binary.lmb"), binary.to_bytes().unwrap()).unwrap();
    let words = done(&["certify", "./acceptance.yaml", "-o", "base.hallmark"], 3);
    assert!(words.contains("binary.lmb is a binary, whose inputs are free"), "{words}");
    std::fs::remove_file(corpus.join("binary.lmb")).unwrap();

    let words = done(&["certify", "./acceptance.yaml", "-o", "base.hallmark"], 0);
    assert!(words.contains("4 tests, 16 runs") && words.contains("16 pass"), "{words}");
    let words = done(&["package", "verify", "base.hallmark", "--profile", "acceptance.yaml"], 14);
    assert!(words.contains("16 results computed anew: 16 Pass"), "{words}");
    let words = done(&["certify", "./acceptance.yaml", "--device", WRONG, "-o", "bad.hallmark"], 1);
    assert!(words.contains("FAIL wormhole_b0::captures::reduced::"), "{words}");
    let (ended, words) = said(home.path(), &["package", "diff", "base.hallmark", "bad.hallmark"]);
    assert!(ended == Some(1) && words.contains("wormhole_b0::captures::reduced::"), "{words}");

    // The page shows the differences from the package's captures.
    let report =
        ["package", "report", "bad.hallmark", "--profile", "acceptance.yaml", "-o", "b.html"];
    done(&report, 13);
    let page = std::fs::read_to_string(home.path().join("b.html")).unwrap();
    assert!(page.contains("each result was computed anew from them"), "{page}");
    assert!(page.contains("<figure class=\"bytes"), "{page}");
    done(&["package", "report", "bad.hallmark", "-o", "c.html"], 13);
    let page = std::fs::read_to_string(home.path().join("c.html")).unwrap();
    assert!(page.contains("nobody has confirmed it") && !page.contains("<figure"), "{page}");

    // A lock names workloads by hash, so their files may lie anywhere.
    done(&["certify", "lock", "acceptance.yaml", "-o", "acceptance.lock"], 0);
    done(&["package", "verify", "base.hallmark", "--lock", "acceptance.lock"], 14);

    // Another file of that name is another workload.
    std::fs::copy(corpus.join("two_queues.lmb"), corpus.join("dram_copy.lmb")).unwrap();
    let words = done(&["package", "verify", "base.hallmark", "--profile", "acceptance.yaml"], 13);
    assert!(words.contains("captures::dram_copy::"), "{words}");
    std::fs::create_dir(corpus.join("again")).unwrap();
    std::fs::copy(corpus.join("two_queues.lmb"), corpus.join("again/two_queues.lmb")).unwrap();
    std::fs::write(home.path().join("acceptance.yaml"), PROFILE.replace("*.lmb", "**/*.lmb"))
        .unwrap();
    let words = done(&["certify", "acceptance.yaml"], 3);
    assert!(words.contains("holds the same capture as another file"), "{words}");
}
