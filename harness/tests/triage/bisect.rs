//! The first bad command, end to end: on a simulator that does what is right and on devices that misbehave.

use std::path::Path;

use hallmark_pipeline::signature::{self, Shape, Signature};
use serde_json::Value;

use super::common::repository;
use super::roots::{hallmark, root_with};

/// Programs and data on two queues, with few calls that wait.
const SUITE: &str = "about: A suite.
cases:
  waits:
    about: Something waits after each write.
    steps:
      - create_buffer: { id: a, type: dram, size: 128, page_size: 64 }
      - create_buffer: { id: b, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 }, blocking: true }
      - enqueue_write_buffer: { buffer: b, data: { uniform: uint32, seed: 2 }, blocking: true }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, a]
  does_not_wait:
    about: Nothing waits before the end.
    steps:
      - create_buffer: { id: a, type: dram, size: 128, page_size: 64 }
      - create_buffer: { id: b, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: b, data: { constant: uint32, value: 4 } }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 } }
      - enqueue_write_buffer: { buffer: b, data: { constant: uint32, value: 6 } }
      - enqueue_read_buffer: { buffer: b, as: out }
      - finish: {}
    expect:
      - equal: [out, { constant: uint32, value: 6 }]
  ordered:
    about: The second queue waits for the first one.
    device: { num_command_queues: 2 }
    steps:
      - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { constant: uint32, value: 1 }, blocking: true }
      - enqueue_write_buffer: { buffer: a, data: { constant: uint32, value: 2 } }
      - enqueue_record_event: { id: written }
      - enqueue_wait_for_event: { event: written, queue: 1 }
      - enqueue_read_buffer: { buffer: a, as: out, queue: 1 }
      - finish: { queue: 1 }
      - finish: {}
    expect:
      - equal: [out, { constant: uint32, value: 2 }]
";

fn test(case: &str) -> String {
    format!("wormhole_b0::group::suite::{case}")
}

fn bisect(root: &Path, case: &str, more: &[&str]) -> (i32, String) {
    let test = test(case);
    hallmark(root, &[["bisect", &test].as_slice(), more].concat())
}

#[test]
fn the_first_bad_command_is_named_with_what_differs_after_it() {
    let folder = root_with(SUITE);
    let root = folder.path();
    let bad = ["--bad", "misbehaving:flips_bit:wormhole_b0", "-o", "out"];
    let (code, text) = bisect(root, "waits", &bad);
    assert_eq!(code, 0, "{text}");
    insta::assert_snapshot!(text, @r"
    FIRST BAD wormhole_b0::group::suite::waits command 2 of 6, enqueue_write_buffer of `a` on queue 0 (line 8 of the suite)
      after it  `a` differs in 2 of 32 words, first at word 0 (page 0, byte 0)
        sim          8ca40db1 67094cea fc0e8e6b 149406d8 …
        misbehaving  8ca40db0 67094cea fc0e8e6b 149406d8 …
        pages     ■■  (■ differs)
        page 0 of a is DRAM bank 0, tile (0,0), 0x40–0x7f
        written   on both sides by the host (command 2)
      failure   `a` differs: flipped bits of words, 0x00000001
      sure      2 runs to find it, 2 more in fresh processes to see it again
      kept      out  (cut.lmb with 5 commands, answer, log, signature)
      again     hallmark replay out/cut.lmb --device 'misbehaving:flips_bit:wormhole_b0'
    ");
    // What is kept repeats it, and passes on the good side.
    let (code, text) = hallmark(root, &["replay", "out/cut.lmb"]);
    assert_eq!(code, 0, "{text}");
    let (code, text) =
        hallmark(root, &["replay", "out/cut.lmb", "--device", "misbehaving:flips_bit:wormhole_b0"]);
    assert_eq!(code, 1, "{text}");
    let answer: Value =
        serde_json::from_str(&std::fs::read_to_string(root.join("out/answer.json")).unwrap())
            .unwrap();
    assert_eq!(answer.get("answer").unwrap(), "first_bad");
    assert_eq!(answer.pointer("/first_bad/command").unwrap(), 2);
    assert_eq!(answer.pointer("/signature/differs/object").unwrap(), "a");
}

/// A buffer that holds what it held before: the search and a replay of what it keeps sign that alike.
#[test]
fn the_signature_is_that_of_the_replayed_cut() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let test = "wormhole_b0::queues::again::a_word_changed";
    let bad = "misbehaving:forgets_launch:wormhole_b0:nth=2";
    let kept = folder.path().display().to_string();
    let (code, text) = hallmark(&repository(), &["bisect", test, "--bad", bad, "-o", &kept]);
    assert_eq!(code, 0, "{text}");
    let again = file("again.json");
    let replay = ["replay", &file("cut.lmb"), "--device", bad, "--signature", &again];
    let (code, text) = hallmark(&repository(), &replay);
    assert_eq!(code, 1, "{text}");
    let [searched, replayed] = [file("signature.json"), again]
        .map(|file| signature::read(&std::fs::read_to_string(file).unwrap()).unwrap());
    assert_eq!(searched.to_string(), "`dst` differs: it holds what it held before");
    assert_eq!(searched, replayed);
}

/// A capture in a file has no lines of a suite; JSON says the same.
#[test]
fn a_capture_in_a_file_is_searched_as_well() {
    let folder = root_with(SUITE);
    let root = folder.path();
    assert_eq!(hallmark(root, &["capture", &test("waits"), "-o", "c.lmb"]).0, 0);
    let bad = ["--bad", "misbehaving:flips_bit:wormhole_b0"];
    let (code, text) = hallmark(root, &[["bisect", "c.lmb"].as_slice(), &bad].concat());
    assert_eq!(code, 0, "{text}");
    assert!(
        text.starts_with("FIRST BAD c.lmb command 2 of 6, enqueue_write_buffer of `a`"),
        "{text}"
    );
    let json = [["bisect", "c.lmb", "--json"].as_slice(), &bad].concat();
    let (code, text) = hallmark(root, &json);
    assert_eq!(code, 0, "{text}");
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer.pointer("/first_bad/call").unwrap(), "enqueue_write_buffer");
    assert_eq!(answer.pointer("/first_bad/written_at").unwrap(), &Value::Null);
}

/// What differs before the failure that is named is passed over.
#[test]
fn the_failure_that_is_named_is_looked_for() {
    let folder = root_with(SUITE);
    let root = folder.path();
    assert_eq!(hallmark(root, &["capture", &test("waits"), "-o", "c.lmb"]).0, 0);
    let bad = ["--bad", "misbehaving:flips_bit:wormhole_b0"];
    let sought = |object: &str, shape: Shape| {
        let signature = Signature::Differs { object: object.to_owned(), shape, bytes: None };
        std::fs::write(root.join("s.json"), signature::text(&signature).unwrap()).unwrap();
        let with = ["bisect", "c.lmb", "--signature", "s.json"];
        hallmark(root, &[with.as_slice(), &bad].concat())
    };
    // Of both buffers a bit is flipped, of `a` first.
    let bits = Shape::Bits { mask: 1 };
    let (code, text) = sought("a", bits);
    assert_eq!(code, 0, "{text}");
    assert!(
        text.starts_with("FIRST BAD c.lmb command 2 of 6, enqueue_write_buffer of `a`"),
        "{text}"
    );
    let (code, text) = sought("b", bits);
    assert_eq!(code, 0, "{text}");
    assert!(
        text.starts_with("FIRST BAD c.lmb command 3 of 6, enqueue_write_buffer of `b`"),
        "{text}"
    );
    for (object, shape) in [("c", bits), ("b", Shape::Zeros)] {
        let (code, text) = sought(object, shape);
        assert_eq!(code, 12, "{text}");
        assert!(
            text.contains("nothing that differs is the failure that is looked for: "),
            "{text}"
        );
    }
    let any = ["bisect", "c.lmb", "--signature", "s.json", "--match", "any"];
    let (code, text) = hallmark(root, &[any.as_slice(), &bad].concat());
    assert_eq!(code, 0, "{text}");
    assert!(text.starts_with("FIRST BAD c.lmb command 2 of 6, "), "{text}");
}

#[test]
fn commands_that_nothing_separates_are_separated() {
    let folder = root_with(SUITE);
    let bad = ["--bad", "misbehaving:drops_writes:wormhole_b0"];
    let (code, text) = bisect(folder.path(), "does_not_wait", &bad);
    assert_eq!(code, 0, "{text}");
    insta::assert_snapshot!(text, @r"
    FIRST BAD wormhole_b0::group::suite::does_not_wait command 2 of 7, enqueue_write_buffer of `b` on queue 0 (line 19 of the suite)
      after it  `b` differs in 16 of 16 words, first at word 0 (page 0, byte 0)
        sim          00000004 00000004 00000004 00000004 …
        misbehaving  00000000 00000000 00000000 00000000 …
        page 0 of b is DRAM bank 0, tile (0,0), 0x80–0xbf
        written   on sim by the host (command 2)
                  on misbehaving by nobody
      failure   `b` differs: zeros instead of what was expected
      sure      4 runs to find it, 2 more in fresh processes to see it again
    ");
}

#[test]
fn commands_that_lack_an_order_are_both_named() {
    let folder = root_with(SUITE);
    let bad = ["--bad", "misbehaving:forgets_event:wormhole_b0"];
    let (code, text) = bisect(folder.path(), "ordered", &bad);
    assert_eq!(code, 0, "{text}");
    insta::assert_snapshot!(text, @r"
    ORDER wormhole_b0::group::suite::ordered is right when command 5 waits for command 2, and wrong otherwise
      first     command 2, enqueue_write_buffer of `a` on queue 0 (line 32 of the suite)
      second    command 5, enqueue_read_buffer of `a` on queue 1 (line 35 of the suite)
      missing   nothing in the capture: the wait for `written` (command 4) has no effect
      cures     a finish after command 2
      shows at  command 5, enqueue_read_buffer of `a` on queue 1 (line 35 of the suite)
      failure   `a` differs: it holds what it held before
      sure      16 runs in all
    ");
}

/// With dispatchers the chip never rests: prefixes are tried.
#[test]
fn where_memory_cannot_be_looked_at_prefixes_are_tried() {
    let bad = ["--bad", "misbehaving:forgets_launch:wormhole_b0:nth=2 dispatch=device"];
    let test = "wormhole_b0::queues::again::a_word_changed";
    let (code, text) = hallmark(&repository(), &[["bisect", test].as_slice(), &bad].concat());
    assert_eq!(code, 0, "{text}");
    insta::assert_snapshot!(text, @r"
    FIRST BAD wormhole_b0::queues::again::a_word_changed command 10 of 18, enqueue_program of `program` on queue 0 (line 113 of the suite)
        written   on sim by tile (2,2), logical (1,1), BRISC, pc 0x17fb4 in kernel_main of `k`, arguments_checksum.cpp:33: `noc_async_write(l1_address, output.get_noc_addr(page), 8);` (command 10)
                  on misbehaving by tile (2,2), logical (1,1), BRISC, pc 0x17fb4 in kernel_main, arguments_checksum.cpp:33: `noc_async_write(l1_address, output.get_noc_addr(page), 8);`
      failure   `dst` differs: it holds what it held before
      sure      16 runs to find it, 2 more in fresh processes to see it again
    ");
}

#[test]
fn what_cannot_be_answered_says_why_and_what_to_do() {
    let folder = root_with(SUITE);
    let root = folder.path();
    for (bad, code, words) in [
        // What the simulator does is right unless the capture says otherwise.
        ("sim:wormhole_b0", 12, "return the same from every read; memory was not looked at"),
        ("sim:wormhole_b0 schedule_seed=1", 12, "both sides end every call alike"),
        ("sim:wormhole_b0 schedule_seed=1", 12, "every read and hold the same memory"),
        ("misbehaving:dies:wormhole_b0", 12, "the device was lost"),
        ("sim:nowhere", 2, "error: "),
    ] {
        let (actual, text) = bisect(root, "waits", &["--bad", bad]);
        assert_eq!(actual, code, "{bad}: {text}");
        assert!(text.contains(words), "{bad}: {text}");
    }
    let alike = ["--bad", "sim:wormhole_b0", "--good", "sim"];
    let (code, text) = bisect(root, "waits", &alike);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("so there is nothing to compare; name another executor"), "{text}");
    // The folder is made before anything is searched.
    std::fs::write(root.join("file"), "").unwrap();
    let (code, text) =
        bisect(root, "waits", &["--bad", "misbehaving:dies:wormhole_b0", "-o", "file/out"]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("file/out cannot hold the answer: "), "{text}");
    // An answer is not mixed with an earlier one.
    let bad = ["--bad", "sim:wormhole_b0 schedule_seed=1", "-o", "out"];
    assert_eq!(bisect(root, "waits", &bad).0, 12);
    let (code, text) = bisect(root, "waits", &bad);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("out holds the answer of an earlier search"), "{text}");
    // A capture says nothing of memory.
    let recorded = ["--bad", "sim:wormhole_b0", "--good", "recorded"];
    let (code, text) = bisect(root, "waits", &recorded);
    assert_eq!(code, 12, "{text}");
    assert!(text.contains("return the same from every read; memory was not looked at"), "{text}");
    let (code, text) = bisect(root, "waits", &[]);
    assert_eq!(code, 2, "{text}");
    std::fs::write(root.join("no.lmb"), "nothing").unwrap();
    let (code, text) = hallmark(root, &["bisect", "no.lmb", "--bad", "ttsim:/nowhere.so"]);
    assert_eq!(code, 4, "{text}");
}
