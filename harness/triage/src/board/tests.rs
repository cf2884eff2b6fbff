//! The operations on a card, tested with cards whose canaries and resets have scripted results.

use std::collections::VecDeque;
use std::convert::Infallible;

use hallmark_chip::Architecture;

use super::canary::bytes;
use super::*;

/// A card with scripted results of canaries and resets; it records the operations.
struct Scripted {
    canaries: VecDeque<Canary>,
    resets: bool,
    asked: Vec<&'static str>,
}

impl Scripted {
    fn new(canaries: &[bool], resets: bool) -> Self {
        let of = |sound: &bool| {
            if *sound { Canary::Sound } else { Canary::Fails("a read differs".to_owned()) }
        };
        Self { canaries: canaries.iter().map(of).collect(), resets, asked: Vec::new() }
    }
}

impl Card for Scripted {
    type Error = Infallible;

    fn canary(&mut self) -> Result<Canary, Infallible> {
        self.asked.push("canary");
        Ok(self.canaries.pop_front().expect("nobody asks for more"))
    }

    fn can_be_reset(&self) -> bool {
        self.resets
    }

    fn reset(&mut self) -> Result<(), ResetError> {
        self.asked.push("reset");
        if self.resets { Ok(()) } else { Err(ResetError::NoCommand) }
    }
}

fn prepare(board: &mut Board, card: &mut Scripted) -> Option<String> {
    let Ok(reason) = board.prepare(card);
    reason
}

#[test]
fn a_card_shows_that_it_is_sound_at_first_and_after_each_failure_alone() {
    let (mut board, mut card) = (Board::new(), Scripted::new(&[true, true], true));
    assert_eq!(prepare(&mut board, &mut card), None);
    assert_eq!(card.asked, ["canary"]);
    assert_eq!(prepare(&mut board, &mut card), None);
    assert_eq!(card.asked, ["canary"], "its last run was right");
    board.suspect();
    assert_eq!(prepare(&mut board, &mut card), None);
    assert_eq!(card.asked, ["canary", "canary"]);
    assert_eq!(board.care(), Care { canaries: 2, resets: 0 });
}

#[test]
fn a_reset_is_followed_by_a_run_that_does_not_count() {
    // In order: wrong, reset, wrong and discarded, sound.
    let (mut board, mut card) = (Board::new(), Scripted::new(&[false, false, true], true));
    assert_eq!(prepare(&mut board, &mut card), None);
    assert_eq!(card.asked, ["canary", "reset", "canary", "canary"]);
    assert_eq!(board.care(), Care { canaries: 2, resets: 1 });
    // A sound discarded run does not count either.
    let (mut board, mut card) = (Board::new(), Scripted::new(&[false, true, false], true));
    let reason = prepare(&mut board, &mut card).unwrap();
    assert!(reason.contains("a reset did not help"), "{reason}");
}

#[test]
fn a_card_that_stays_unsound_twice_in_a_row_is_asked_no_more() {
    let wrong = [false; 3];
    let (mut board, mut card) = (Board::new(), Scripted::new(&[wrong, wrong].concat(), true));
    assert!(prepare(&mut board, &mut card).is_some());
    assert!(prepare(&mut board, &mut card).is_some());
    let asked = card.asked.len();
    assert!(prepare(&mut board, &mut card).is_some());
    board.suspect();
    assert!(prepare(&mut board, &mut card).is_some());
    assert_eq!(card.asked.len(), asked);
}

#[test]
fn a_card_that_is_sound_in_between_has_its_two_turns_again() {
    let canaries = [&[false; 3][..], &[true], &[false; 3], &[true]].concat();
    let (mut board, mut card) = (Board::new(), Scripted::new(&canaries, true));
    for is_sound in [false, true, false, true] {
        assert_eq!(prepare(&mut board, &mut card).is_none(), is_sound);
        board.suspect();
    }
}

#[test]
fn without_a_command_nothing_is_reset_and_the_reason_names_the_option() {
    let (mut board, mut card) = (Board::new(), Scripted::new(&[false], false));
    let reason = prepare(&mut board, &mut card).unwrap();
    assert!(reason.contains("a read differs") && reason.contains("--reset-card"), "{reason}");
    assert_eq!(board.care(), Care { canaries: 1, resets: 0 });
}

#[test]
fn a_card_that_cannot_be_used_is_reset_if_anybody_said_how() {
    let lost = || Canary::Lost("it cannot be opened".to_owned());
    let mut card = Scripted::new(&[true], false);
    card.canaries.push_front(lost());
    assert_eq!(prepare(&mut Board::new(), &mut card).unwrap(), "it cannot be opened");
    assert_eq!(card.asked, ["canary"]);
    let mut card = Scripted::new(&[true, true], true);
    card.canaries.push_front(lost());
    assert_eq!(prepare(&mut Board::new(), &mut card), None);
    assert_eq!(card.asked, ["canary", "reset", "canary", "canary"]);
}

#[test]
fn sides_alternate() {
    let order: Vec<bool> = (0..4).map(bad_goes_first).collect();
    assert_eq!(order, [false, true, false, true]);
}

#[test]
fn each_architecture_has_a_canary_of_its_own() {
    for architecture in Architecture::ALL {
        let capture = canary(architecture).unwrap();
        assert_eq!(capture.program.architecture, architecture);
        assert_eq!(capture.to_bytes().unwrap(), bytes(architecture));
        assert!(!capture.record.unwrap().reads.is_empty());
    }
}

#[test]
fn commands_are_words() {
    let command: ResetCommand = " tt-smi  -r 0 ".parse().unwrap();
    assert_eq!(command.to_string(), "tt-smi -r 0");
    assert_eq!(" ".parse::<ResetCommand>(), Err(ParseResetCommandError));
    assert!("true".parse::<ResetCommand>().unwrap().run().is_ok());
    let failed = "false".parse::<ResetCommand>().unwrap().run().unwrap_err().to_string();
    assert!(failed.starts_with("`false` ended with"), "{failed}");
    let absent = "./no-such-program".parse::<ResetCommand>().unwrap().run().unwrap_err();
    assert!(absent.to_string().starts_with("`./no-such-program` cannot run"), "{absent}");
}
