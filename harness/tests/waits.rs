//! `hallmark explain --waits` names of each wait for a unit of the coprocessor the steps that need it, and the waits that
//! tell the same.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;

use common::{command, repository, text};

/// A wait with the lines below its place.
struct Wait {
    name: String,
    /// The earlier step and the later one, and the waits that order the two, too.
    pairs: Vec<(String, String, Vec<String>)>,
}

/// The waits of a test, and the last line.
fn waits(test: &str) -> (Vec<Wait>, String) {
    let output = command(&repository()).args(["explain", "--waits", test]).output().unwrap();
    let told = text(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    let mut lines = told.lines().skip(1).peekable();
    let mut waits: Vec<Wait> = Vec::new();
    let mut last = String::new();
    while let Some(line) = lines.next() {
        let own = line.strip_prefix("  ").unwrap_or_default();
        if !line.starts_with(' ') {
            last = line.to_owned();
            if let Some(name) = lines.next() {
                waits.push(Wait { name: name.trim().to_owned(), pairs: Vec::new() });
            }
        } else if let Some(later) = own.trim().strip_prefix("before ") {
            waits.last_mut().unwrap().pairs.last_mut().unwrap().1 = later.to_owned();
        } else if let Some(other) = own.trim().strip_prefix("also ordered by ") {
            waits.last_mut().unwrap().pairs.last_mut().unwrap().2.push(other.to_owned());
        } else if own.contains(" of ") {
            let pair = (own.to_owned(), String::new(), Vec::new());
            waits.last_mut().unwrap().pairs.push(pair);
        }
    }
    (waits, last)
}

/// What the faulty twin of each program lacks.
#[test]
fn a_wait_orders_what_its_faulty_twin_lacks() {
    for (case, wait, earlier, later) in [
        (
            "waits_for_its_unit::thread=unpack",
            "STALLWAIT (p_stall::STALL_SYNC, p_stall::UNPACK0 | p_stall::UNPACK1), 6 times",
            "UNPACR of TRISC0",
            "NoC request of NCRISC at reader_two.cpp",
        ),
        (
            "waits_for_its_unit::thread=pack",
            "STALLWAIT (p_stall::STALL_SYNC, p_stall::PACK)",
            "PACR of TRISC2",
            "NoC request of BRISC at writer.cpp",
        ),
        (
            "configured_in_order::configures=awaits_stores",
            "STALLWAIT (p_stall::STALL_UNPACK, p_stall::TRISC_CFG)",
            "store of TRISC0",
            "UNPACR of TRISC0",
        ),
        (
            "configured_in_order::configures=awaits_packers",
            "STALLWAIT (p_stall::STALL_CFG, p_stall::PACK)",
            "PACR of TRISC2",
            "RMWCIB0 of TRISC2",
        ),
        (
            "loads_behind_the_matrix_unit::loads=behind_a_wait",
            "STALLWAIT (p_stall::STALL_SFPU, p_stall::MATH)",
            "MOVA2D of TRISC1",
            "SFPLOAD of TRISC1",
        ),
        (
            "takes_a_filled_bank",
            "STALLWAIT (p_stall::STALL_MATH, p_stall::SRCA_VLD)",
            "UNPACR of TRISC0",
            "MOVD2A of TRISC1",
        ),
        (
            "waits_for_its_unit::thread=unpack",
            "STALLWAIT (p_stall::STALL_SYNC, p_stall::MATH)",
            "ELWSUB of TRISC1",
            "PACR of TRISC2",
        ),
    ] {
        for chip in ["wormhole_b0", "blackhole"] {
            let (waits, _) = waits(&format!("{chip}::faults::coprocessor::{case}"));
            let alone = waits.iter().filter(|it| it.name.starts_with(wait)).any(|it| {
                it.pairs.iter().any(|(first, second, others)| {
                    first.starts_with(earlier) && second.starts_with(later) && others.is_empty()
                })
            });
            assert!(alone, "{chip} {case} {wait}");
        }
    }
}

#[test]
fn two_waits_that_tell_the_same_name_each_other() {
    for chip in ["wormhole_b0", "blackhole"] {
        let test = format!("{chip}::faults::coprocessor::waits_for_its_unit::thread=unpack");
        let (waits, last) = waits(&test);
        let (by_thread, by_core) =
            ("STALLWAIT (p_stall::STALL_SYNC, p_stall::PACK)", "wait for the coprocessor");
        for (wait, other) in [(by_thread, by_core), (by_core, by_thread)] {
            let of_pack = waits.iter().find(|it| {
                it.name.starts_with(wait) && it.pairs.iter().any(|pair| pair.0.starts_with("PACR"))
            });
            let pairs = &of_pack.unwrap().pairs;
            let (.., others) =
                pairs.iter().find(|pair| pair.1.starts_with("ZEROACC of TRISC1")).unwrap();
            let [other_told] = others.as_slice() else { panic!("{chip} {wait}: {others:?}") };
            assert!(other_told.starts_with(other), "{chip} {wait}: {other_told}");
        }
        let counts = "5 waits: 3 needed, 1 needed only if another wait is removed, 1 ordered nothing in this run, 0 not judged";
        assert_eq!(last, counts);
    }
}

#[test]
fn a_program_without_the_coprocessor_has_no_waits() {
    let (waits, last) = waits(
        "wormhole_b0::dataflow::loopback::one_core::pages=1::page_size=32::processor=riscv_0::noc=noc_0",
    );
    assert!(waits.is_empty());
    assert_eq!(last, "No wait for a unit of the Tensix coprocessor ended.");
}
