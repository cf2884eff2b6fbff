//! Two failures that differ in just one field, for each field and level.

use super::*;

fn fault() -> Signature {
    Signature::Fault {
        category: FaultCategory::DataRace,
        program: Some("softmax".to_owned()),
        processor: Some(Processor::Ncrisc),
        symbol: Some("kernel_main".to_owned()),
    }
}

fn wait() -> SignatureWait {
    SignatureWait {
        processor: Processor::Brisc,
        symbol: Some("kernel_main".to_owned()),
        object: WaitedObject::Semaphore { name: "ready".to_owned() },
    }
}

fn failed(code: &str, count: u64) -> CallEnd {
    let fields = BTreeMap::from([("count".to_owned(), count)]);
    CallEnd::Failed { code: code.to_owned(), fields }
}

fn outcome(call: &str, expected: CallEnd, actual: CallEnd) -> Signature {
    Signature::Outcome { call: call.to_owned(), expected, actual }
}

fn differs(object: &str, shape: Shape, bytes: &[u8]) -> Signature {
    let bytes = Some(ContentHash::of(bytes));
    Signature::Differs { object: object.to_owned(), shape, bytes }
}

fn refused(reason: &str) -> CallEnd {
    CallEnd::Refused { reason: reason.to_owned() }
}

fn buffer(index: u32, name: &str) -> WaitedBuffer {
    WaitedBuffer { index, name: Some(name.to_owned()) }
}

/// A failure, another one that differs in one field, and whether the two are still the same.
fn pairs() -> Vec<(Signature, Signature, bool)> {
    let Signature::Fault { category, program, processor, symbol } = fault() else { unreachable!() };
    let other_fault = |change: fn(&mut Signature)| {
        let mut other = fault();
        change(&mut other);
        other
    };
    let of_program =
        |program| Signature::Fault { category, program, processor, symbol: symbol.clone() };
    let of_processor = |processor| Signature::Fault {
        category,
        program: program.clone(),
        processor,
        symbol: symbol.clone(),
    };
    let deadlock =
        |waits: &[SignatureWait]| Signature::Deadlock { waits: waits.iter().cloned().collect() };
    let waiting_for = |object: WaitedObject| deadlock(&[SignatureWait { object, ..wait() }]);
    let crash = |end, frame: &str| Signature::Crash { end, frame: Some(frame.to_owned()) };
    let filled = |index, name| waiting_for(WaitedObject::CircularBufferFilled(buffer(index, name)));
    let hang = |program: Option<&str>| Signature::Hang { program: program.map(str::to_owned) };
    let unstable = |class: &str, field: &str| Signature::Unstable {
        class: class.to_owned(),
        field: field.to_owned(),
    };
    let zeros = || differs("attn", Shape::Zeros, b"1");
    let enqueue = |actual| outcome("enqueue_program", CallEnd::Done, actual);
    vec![
        (
            fault(),
            other_fault(|it| {
                if let Signature::Fault { category, .. } = it {
                    *category = FaultCategory::UndefinedBehavior;
                }
            }),
            false,
        ),
        (fault(), of_program(Some("gelu".to_owned())), false),
        (fault(), of_program(None), false),
        (fault(), of_processor(Some(Processor::Brisc)), false),
        (fault(), of_processor(None), false),
        (
            fault(),
            other_fault(|it| {
                if let Signature::Fault { symbol, .. } = it {
                    *symbol = Some("helper".to_owned());
                }
            }),
            true,
        ),
        (deadlock(&[wait()]), deadlock(&[]), false),
        (
            deadlock(&[wait()]),
            deadlock(&[SignatureWait { processor: Processor::Trisc0, ..wait() }]),
            false,
        ),
        (deadlock(&[wait()]), deadlock(&[SignatureWait { symbol: None, ..wait() }]), true),
        (
            deadlock(&[wait()]),
            waiting_for(WaitedObject::Semaphore { name: "done".to_owned() }),
            false,
        ),
        (deadlock(&[wait()]), waiting_for(WaitedObject::Word), false),
        (waiting_for(WaitedObject::Word), waiting_for(WaitedObject::Nothing), false),
        (filled(1, "in"), filled(2, "in"), false),
        (filled(1, "in"), filled(1, "out"), false),
        (filled(1, "in"), waiting_for(WaitedObject::CircularBufferEmptied(buffer(1, "in"))), false),
        (
            waiting_for(WaitedObject::Transfers { counter: "reads".to_owned() }),
            waiting_for(WaitedObject::Transfers { counter: "writes".to_owned() }),
            false,
        ),
        (hang(Some("softmax")), hang(Some("gelu")), false),
        (hang(Some("softmax")), hang(None), false),
        (crash(ProcessEnd::Signal(11), "a"), crash(ProcessEnd::Signal(6), "a"), false),
        (crash(ProcessEnd::Signal(6), "a"), crash(ProcessEnd::Exit(6), "a"), false),
        (crash(ProcessEnd::Exit(101), "a.rs:7:5"), crash(ProcessEnd::Exit(101), "a.rs:12:9"), true),
        (crash(ProcessEnd::Exit(101), "a.rs:7:5"), crash(ProcessEnd::Exit(101), "b.rs:7:5"), false),
        (enqueue(failed("A", 1)), outcome("finish", CallEnd::Done, failed("A", 1)), false),
        (enqueue(failed("A", 1)), enqueue(failed("B", 1)), false),
        (enqueue(failed("A", 1)), enqueue(failed("A", 2)), true),
        (enqueue(failed("A", 1)), enqueue(CallEnd::Unfinished), false),
        (
            outcome("finish", failed("A", 1), CallEnd::Done),
            outcome("finish", failed("B", 1), CallEnd::Done),
            false,
        ),
        (enqueue(refused("at 0x40")), enqueue(refused("at 0x80")), true),
        (enqueue(refused("at 0x1a2b")), enqueue(refused("at 0x3000")), true),
        (enqueue(refused("at 0x1a2b")), enqueue(refused("at 17")), true),
        (enqueue(refused("at 0xg")), enqueue(refused("at 0xh")), false),
        (enqueue(refused("at 0x40")), enqueue(refused("no room at 0x40")), false),
        (zeros(), differs("q", Shape::Zeros, b"1"), false),
        (zeros(), differs("attn", Shape::Stale, b"1"), false),
        (zeros(), differs("attn", Shape::Zeros, b"2"), true),
        (zeros(), differs("attn", Shape::Other, b"1"), true),
        (zeros(), differs("q", Shape::Other, b"1"), false),
        (differs("attn", Shape::Stale, b"1"), differs("attn", Shape::All, b"1"), false),
        (
            differs("attn", Shape::Bits { mask: 1 }, b"1"),
            differs("attn", Shape::Bits { mask: 2 }, b"1"),
            false,
        ),
        (
            differs("attn", Shape::Pages { first: 1, stride: 1 }, b"1"),
            differs("attn", Shape::Pages { first: 0, stride: 1 }, b"1"),
            true,
        ),
        (
            differs("attn", Shape::Shifted { bytes: 8 }, b"1"),
            differs("attn", Shape::Shifted { bytes: 16 }, b"1"),
            true,
        ),
        (unstable("stable", "page_size"), unstable("relocatable", "page_size"), false),
        (unstable("stable", "page_size"), unstable("stable", "size"), false),
    ]
}

#[test]
fn one_field_makes_another_failure_where_the_level_says_so() {
    for (one, other, is_same) in pairs() {
        assert_ne!(one, other);
        assert!(!one.matches(&other, MatchLevel::Exact), "{one} {other}");
        assert_eq!(one.matches(&other, MatchLevel::Same), is_same, "{one:?} {other:?}");
        assert!(one.matches(&other, MatchLevel::Any), "{one} {other}");
        for level in [MatchLevel::Exact, MatchLevel::Same, MatchLevel::Any] {
            assert!(one.matches(&one.clone(), level), "{one}");
            assert_eq!(one.matches(&other, level), other.matches(&one, level), "{one} {other}");
        }
    }
}

#[test]
fn failures_of_two_kinds_are_the_same_only_to_whoever_takes_any() {
    let pairs = pairs();
    for (one, ..) in &pairs {
        for (other, ..) in pairs.iter().filter(|(other, ..)| other.kind() != one.kind()) {
            assert!(!one.matches(other, MatchLevel::Same), "{one} {other}");
            assert!(one.matches(other, MatchLevel::Any), "{one} {other}");
        }
    }
}

#[test]
fn a_file_is_read_as_it_was_written_and_another_version_is_named() {
    for (one, other, _) in pairs() {
        for signature in [one, other] {
            assert_eq!(read(&text(&signature).unwrap()).unwrap(), signature);
        }
    }
    let written = text(&fault()).unwrap();
    insta::assert_snapshot!(written, @r#"
    {
      "version": 1,
      "signature": {
        "fault": {
          "category": "DataRace",
          "program": "softmax",
          "processor": 1,
          "symbol": "kernel_main"
        }
      }
    }
    "#);
    let later = written.replacen("\"version\": 1", "\"version\": 2, \"more\": []", 1);
    assert!(matches!(read(&later), Err(SignatureFileError::Version { found: 2 })));
    let without = written.replacen("\"version\": 1,", "", 1);
    assert!(matches!(read(&without), Err(SignatureFileError::NoVersion)));
    for wrong in ["", "7", "{", "{\"version\":1}", "{\"version\":1,\"signature\":{\"fault\":{}}}"] {
        assert!(matches!(read(wrong), Err(SignatureFileError::Json(_))), "{wrong}");
    }
}

#[test]
fn only_what_the_process_did_itself_is_a_crash() {
    for (end, is_from_outside) in [
        (ProcessEnd::Signal(9), true),
        (ProcessEnd::Signal(15), true),
        (ProcessEnd::Signal(11), false),
        (ProcessEnd::Exit(9), false),
    ] {
        assert_eq!(end.is_from_outside(), is_from_outside, "{end}");
    }
}

#[test]
fn numbers_of_a_field_are_left_out() {
    let field =
        Signature::unstable(hallmark_schema::class::FieldClass::Stable, "core (0,10), argument 2");
    let expected = "core (#,#), argument #";
    assert!(matches!(field, Signature::Unstable { field, .. } if field == expected));
}
