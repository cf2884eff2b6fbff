//! The work of a processor during a launch, by source line.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use hallmark_chip::{CoreActivity, Doing, SourceFrame, Tick, UnitWait};
use hallmark_device_code::LineTable;

use crate::profile::{Interval, LineProfile, ProcessorProfile, WaitProfile};
use crate::tiles::{KernelBinary, Tiles};

/// Source lines of kernels, each table read once: the cores of a launch run the same few images.
#[derive(Debug, Default)]
pub(super) struct KernelLines {
    /// By the image's place in memory, which it keeps while the launch is looked at.
    tables: HashMap<usize, LineTable>,
    frames: HashMap<(usize, u32), Vec<SourceFrame>>,
}

impl KernelLines {
    /// The lines of the instruction at an offset of an image.
    fn frames(&mut self, binary: &KernelBinary, offset: u32) -> &[SourceFrame] {
        let image = Arc::as_ptr(binary.image()) as usize;
        let tables = &mut self.tables;
        self.frames.entry((image, offset)).or_insert_with(|| {
            let read = || binary.image().line_table().unwrap_or_default();
            tables.entry(image).or_insert_with(read).frames_at(offset)
        })
    }

    /// The same, if it was asked for before.
    fn known(&self, binary: &KernelBinary, offset: u32) -> &[SourceFrame] {
        let image = Arc::as_ptr(binary.image()) as usize;
        self.frames.get(&(image, offset)).map(Vec::as_slice).unwrap_or_default()
    }
}

/// A wait for units of the coprocessor with its source lines, while the kernels are in place.
fn with_lines(tiles: &Tiles, wait: &UnitWait, lines: &mut KernelLines) -> UnitWait {
    let mut wait = wait.clone();
    for step in wait.steps_mut() {
        let binaries = tiles.binaries_of(step.tile);
        let image = binaries.iter().find_map(|image| Some((image, image.offset(step.pc)?)));
        if let Some((image, offset)) = image {
            step.frames = lines.frames(image, offset).to_vec();
        }
    }
    wait
}

/// The profile of a core during a launch whose kernels are in place; nothing if it executed nothing.
pub(super) fn processor_profile(
    tiles: &Tiles,
    core: &CoreActivity,
    lines: &mut KernelLines,
) -> Option<ProcessorProfile> {
    let CoreActivity { tile, processor, spans, instructions, transfers, requests, unit_waits } =
        core;
    let ran: Vec<_> = spans.iter().filter(|span| span.doing == Doing::Runs).collect();
    let firmware = Interval { from: ran.first()?.from, until: ran.last()?.until };
    let binaries = tiles.binaries_of(*tile);
    let binary = |pc| binaries.iter().find_map(|it| Some((it, it.offset(pc)?)));
    let of_kernel = || instructions.iter().filter(|it| binary(it.pc).is_some());
    let first = of_kernel().map(|it| it.first).min();
    let last = of_kernel().map(|it| it.last).max();
    let kernel = first.zip(last).map(|(from, last)| Interval { from, until: Tick(last.0 + 1) });
    let mut waits: BTreeMap<(u32, u64), WaitProfile> = BTreeMap::new();
    for span in spans {
        let Doing::Waits { pc, address } = span.doing else { continue };
        let Some((image, offset)) = binary(pc) else { continue };
        let wait = waits.entry((pc, address.0)).or_insert_with(|| WaitProfile {
            frames: lines.frames(image, offset).to_vec(),
            address: address.0,
            ticks: 0,
            spans: Vec::new(),
        });
        wait.ticks += span.until.since(span.from);
        wait.spans.push(Interval { from: span.from, until: span.until });
    }
    let mut counts: BTreeMap<&[SourceFrame], u64> = BTreeMap::new();
    for executed in of_kernel() {
        if let Some((image, offset)) = binary(executed.pc) {
            lines.frames(image, offset);
        }
    }
    for executed in of_kernel() {
        let frames = binary(executed.pc).map(|(image, at)| lines.known(image, at));
        *counts.entry(frames.unwrap_or_default()).or_default() += executed.count;
    }
    counts.remove([].as_slice());
    let mut counts: Vec<LineProfile> = counts
        .into_iter()
        .map(|(frames, instructions)| LineProfile { frames: frames.to_vec(), instructions })
        .collect();
    counts.sort_by_key(|line| std::cmp::Reverse(line.instructions));
    let mut waits: Vec<WaitProfile> = waits.into_values().collect();
    waits.sort_by_key(|wait| std::cmp::Reverse(wait.ticks));
    let unit_waits = unit_waits.iter().map(|wait| with_lines(tiles, wait, lines)).collect();
    Some(ProcessorProfile {
        tile: *tile,
        processor: *processor,
        firmware,
        kernel,
        instructions: of_kernel().map(|it| it.count).sum(),
        waits,
        lines: counts,
        transfers: transfers.iter().filter(|it| it.tile != *tile).cloned().collect(),
        requests: requests.clone(),
        unit_waits,
        markers: None,
    })
}
