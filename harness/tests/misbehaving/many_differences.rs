//! A replay in which many reads differ: the first ones are shown, and the others are counted.

use super::common::{command, text};

/// A suite whose case writes a buffer once and reads it `reads` times.
fn suite(reads: usize) -> String {
    let mut steps = String::new();
    let mut expectations = String::new();
    for read in 0..reads {
        steps.push_str(&format!("      - enqueue_read_buffer: {{ buffer: a, as: out{read} }}\n"));
        expectations.push_str(&format!("      - equal: [out{read}, a]\n"));
    }
    format!(
        "about: A suite.
cases:
  reads:
    about: A buffer is read many times.
    steps:
      - create_buffer: {{ id: a, type: dram, size: 128, page_size: 64 }}
      - enqueue_write_buffer: {{ buffer: a, data: {{ uniform: uint32, seed: 1 }} }}
{steps}      - finish: {{}}
    expect:
{expectations}"
    )
}

/// The lines of a replay on a device that flips a bit of everything that the host writes.
fn replayed(reads: usize) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    std::fs::create_dir_all(root.join("suites/group")).unwrap();
    std::fs::write(root.join("suites/group/suite.yaml"), suite(reads)).unwrap();
    let hallmark = |arguments: &[&str]| command(root).args(arguments).output().unwrap();
    let capture = ["capture", "wormhole_b0::group::suite::reads", "-o", "c.lmb"];
    let captured = hallmark(&capture);
    assert!(captured.status.success(), "{}", text(&captured));
    let output = hallmark(&["replay", "c.lmb", "--device", "misbehaving:flips_bit:wormhole_b0"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    text(&output).lines().map(|line| line.trim().to_owned()).collect()
}

#[test]
fn the_first_differences_of_a_replay_are_shown_and_the_others_counted() {
    // The largest number of named reads.
    const NAMED: usize = 8;
    // The largest number of reads whose words are shown.
    const WITH_WORDS: usize = 4;
    for (reads, more_named, more_shown) in [
        (4, None, None),
        (8, None, Some("and 4 more reads differ")),
        (9, Some("and 1 more difference"), Some("and 5 more reads differ")),
        (12, Some("and 4 more differences"), Some("and 8 more reads differ")),
    ] {
        let lines = replayed(reads);
        let begin = |start: &str| lines.iter().filter(|line| line.starts_with(start)).count();
        assert_eq!(begin("command "), reads.min(NAMED), "{lines:#?}");
        assert_eq!(begin("captured "), reads.min(WITH_WORDS), "{lines:#?}");
        let counts: Vec<&str> =
            lines.iter().map(String::as_str).filter(|line| line.starts_with("and ")).collect();
        let expected: Vec<&str> = more_named.into_iter().chain(more_shown).collect();
        assert_eq!(counts, expected, "{lines:#?}");
    }
}
