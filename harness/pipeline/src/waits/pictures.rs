//! Pictures of a deadlock: the tiles of waiting cores, and the waits between cores.

use std::collections::BTreeSet;

use hallmark_chip::{Awaited, CoprocessorWord, PhysicalCoordinate, Processor, Waiting, Writer};
use hallmark_report::{Arrow, Picture, TileMark, TileRole, WaitChart, WaitEdge, WaitingCores};
use hallmark_runtime::device_code::WaitedWord;

use super::super::core_groups::named;
use super::super::pictures::{cell, of_tiles_that_wait};
use super::super::stopped_program::StoppedProgram;
use super::{Waits, watches_nothing};

/// The largest number of groups in a chart.
const GROUPS: usize = 48;

/// Cores with the same wait.
struct Group<'a> {
    processor: Processor,
    awaited: String,
    waits: Vec<&'a Waiting>,
}

/// The tiles and who waits for whom.
pub(crate) fn pictures(program: &StoppedProgram<'_>, waits: &[Waiting]) -> Vec<Picture> {
    let all = Waits { program, all: waits };
    let mark = |wait: &Waiting| TileMark {
        cell: cell(wait.tile),
        role: TileRole::Waits,
        about: format!("{} {}", program.core_name(wait.tile), wait.processor),
    };
    let marks = waits.iter().map(mark).collect();
    let arrows = waits.iter().filter_map(|wait| {
        let (tile, _) = last_writer(wait)?;
        Some(Arrow { from: cell(wait.tile), to: cell(tile) })
    });
    let places = waits.iter().map(|wait| (wait.tile, wait.processor, wait.frames.as_slice()));
    let mut pictures = vec![Picture::Waits(all.chart())];
    pictures.extend(of_tiles_that_wait(program, marks, arrows.collect(), places));
    pictures.retain(|picture| !matches!(picture, Picture::Waits(chart) if chart.cores.is_empty()));
    pictures
}

/// The core that wrote an awaited word last, if a core did.
fn last_writer(wait: &Waiting) -> Option<(PhysicalCoordinate, Processor)> {
    match wait.last_writer? {
        Writer::Host => None,
        Writer::Core { tile, processor, .. } => Some((tile, processor)),
    }
}

impl Waits<'_> {
    /// The chart of waits; cores with the same wait are one entry.
    fn chart(&self) -> WaitChart {
        let mut groups: Vec<Group<'_>> = Vec::new();
        for wait in self.all {
            let awaited = self.awaited(wait);
            let is_alike = |group: &&mut Group<'_>| {
                group.processor == wait.processor && group.awaited == awaited
            };
            let is_full = groups.len() == GROUPS;
            match groups.iter_mut().find(is_alike) {
                Some(group) => group.waits.push(wait),
                None if is_full => {}
                None => {
                    groups.push(Group { processor: wait.processor, awaited, waits: vec![wait] });
                }
            }
        }
        let place = |wanted: &Waiting| {
            groups.iter().position(|group| {
                let mut waits = group.waits.iter();
                waits.any(|it| (it.tile, it.processor) == (wanted.tile, wanted.processor))
            })
        };
        let mut edges = BTreeSet::new();
        let mut cores = Vec::new();
        for (from, group) in groups.iter().enumerate() {
            let enders: Vec<&Waiting> =
                group.waits.iter().flat_map(|wait| self.could_end(wait)).collect();
            edges.extend(enders.iter().filter_map(|other| {
                let to = place(other)?;
                Some(WaitEdge { from, to })
            }));
            let tiles: Vec<PhysicalCoordinate> = group.waits.iter().map(|wait| wait.tile).collect();
            cores.push(WaitingCores {
                name: format!("{} {}", named(self.program, &tiles), group.processor),
                awaited: group.awaited.clone(),
                is_stuck: enders.is_empty(),
            });
        }
        WaitChart { cores, edges: edges.into_iter().collect() }
    }

    /// The cores that could end a wait: the last writer of the word, if that core waits as well; otherwise all
    /// cores still in a kernel that could change the word.
    fn could_end(&self, wait: &Waiting) -> Vec<&Waiting> {
        let Some(changers) = self.changers(wait) else { return Vec::new() };
        let last = last_writer(wait);
        let wrote = |other: &&Waiting| last == Some((other.tile, other.processor));
        match changers.cores.iter().copied().find(wrote) {
            Some(writer) => vec![writer],
            None => changers.cores,
        }
    }

    /// The wait of a core in a few words.
    fn awaited(&self, wait: &Waiting) -> String {
        let held = wait.value;
        let pages = |index: u32, done: &str| {
            let buffer = self.program.circular_buffer(wait.tile, index);
            let name = buffer.map(|buffer| format!(" `{}`", buffer.name)).unwrap_or_default();
            let wanted = match wait.awaited {
                Some(awaited @ Awaited::Range { .. }) => {
                    let more = awaited.increments_from(held).unwrap_or_default();
                    format!(" of {}", held.saturating_add(more))
                }
                Some(Awaited::Nothing) | None => String::new(),
            };
            format!("circular buffer {index}{name}: {held}{wanted} pages {done}")
        };
        match self.word(wait) {
            Some(WaitedWord::PagesReceived(index)) => pages(index, "filled"),
            Some(WaitedWord::PagesAcknowledged(index)) => pages(index, "emptied"),
            Some(WaitedWord::NocCounter(_, counter)) => format!("{}: {held}", counter.name()),
            Some(WaitedWord::Coprocessor(state @ CoprocessorWord::Semaphore(_))) => {
                format!("{state}: {held}")
            }
            Some(WaitedWord::Coprocessor(state)) => state.to_string(),
            None if watches_nothing(wait) => "nothing that could change".to_owned(),
            None => {
                let semaphore = self.program.semaphore(wait.tile, wait.address.0);
                let name = match semaphore {
                    Some(semaphore) => format!("semaphore `{}`", semaphore.name),
                    None => format!("word at {:#x}", wait.address.0),
                };
                match wait.awaited {
                    Some(awaited @ Awaited::Range { .. }) => {
                        format!("{name}: holds {held}, awaited is {awaited}")
                    }
                    Some(Awaited::Nothing) | None => format!("{name}: holds {held}"),
                }
            }
        }
    }
}
