//! The parts of the sentences that describe calls.

use std::fmt::Write as _;

use hallmark_chip::{FaultPlace, SourceFrame};

use crate::model::{
    ArgumentRelocation, BufferId, BufferRegion, ContentHash, CoreRange, Data, Expectation,
    Generator, ObjectKind, QueueId, RelocatedArgument, Shape2D, ShardSpec, TileShape,
};
use crate::names::Names;
use crate::plural;

/// The most words of one core's arguments that are shown.
const SHOWN_ARGUMENTS: usize = 16;

/// The context of a call's sentence.
pub(crate) struct Wording<'n> {
    /// The names of objects.
    pub(crate) names: &'n Names<'n>,
    /// The hash of the returned bytes, for a read that completed.
    pub(crate) returned: Option<ContentHash>,
}

impl Wording<'_> {
    /// The result of a read, or else its expectation.
    pub(crate) fn returned(&self, wanted: &Expectation) -> String {
        let hash = self.returned;
        let shown = hash.map(|hash| format!(", blake3 {}…", first(&hash.to_string())));
        let shown = shown.unwrap_or_default();
        match wanted {
            Expectation::AsCaptured => format!("{shown}, as captured"),
            Expectation::Exact { hash: wanted } if hash.is_none_or(|hash| hash == *wanted) => {
                format!(", blake3 {}…", first(&wanted.to_string()))
            }
            Expectation::Exact { hash: wanted } => {
                format!("{shown}, expected {}…", first(&wanted.to_string()))
            }
            Expectation::Reference { data, tolerance } => {
                format!("{shown}, within {} of {}", tolerance.limits(), describe(data))
            }
            Expectation::Unchecked { reason } => format!("{shown}, unchecked: {}", plain(reason)),
        }
    }

    /// `&src, 7, x of (1,2)`; long vectors are shortened.
    pub(crate) fn words(&self, values: &[u32], relocations: &[ArgumentRelocation]) -> String {
        let words: Vec<String> = values
            .iter()
            .enumerate()
            .map(|(index, value)| {
                let relocated = relocations
                    .iter()
                    .find(|relocation| usize::try_from(relocation.index) == Ok(index));
                match relocated {
                    Some(relocation) => self.relocated(relocation.argument),
                    None => value.to_string(),
                }
            })
            .take(SHOWN_ARGUMENTS + 1)
            .collect();
        let more = values.len().saturating_sub(SHOWN_ARGUMENTS);
        let mut shown = words.into_iter().take(SHOWN_ARGUMENTS).collect::<Vec<_>>().join(", ");
        if more > 0 {
            let _ = write!(shown, ", and {more} more");
        }
        shown
    }

    /// `&src`, `&src + 32`.
    pub(crate) fn buffer_address(&self, buffer: BufferId, offset: u32) -> String {
        format!("&{}{}", self.names.show(ObjectKind::Buffer, buffer.0), plus(offset))
    }

    /// `&src`, `&src + 32`, `x of (1,2)`.
    pub(crate) fn relocated(&self, argument: RelocatedArgument) -> String {
        let names = self.names;
        match argument {
            RelocatedArgument::BufferAddress { buffer, offset } => {
                self.buffer_address(buffer, offset)
            }
            RelocatedArgument::SemaphoreAddress { semaphore, offset } => {
                format!("&{}{}", names.show(ObjectKind::Semaphore, semaphore.0), plus(offset))
            }
            RelocatedArgument::ShardBankPair { buffer, pair } => {
                let first = u64::from(pair) * 2;
                let buffer = names.show(ObjectKind::Buffer, buffer.0);
                format!("banks {first}, {} of {buffer}", first + 1)
            }
            RelocatedArgument::ScratchpadAddress { size } => format!("&scratchpad of {size} B"),
            RelocatedArgument::CoreNocX { x, y } => format!("x of ({x},{y})"),
            RelocatedArgument::CoreNocY { x, y } => format!("y of ({x},{y})"),
        }
    }
}

/// Joins parts that each begin with a comma, without the first comma.
pub(crate) fn phrase(parts: &[&str]) -> String {
    parts.concat().trim_start_matches(", ").to_owned()
}

/// `, waits` for a blocking call, otherwise empty.
pub(crate) const fn waits(blocking: bool) -> &'static str {
    if blocking { ", waits" } else { "" }
}

/// `, tiles of 16×32`, and any deviation from the default faces.
pub(crate) fn tile(tile: &TileShape) -> String {
    let TileShape { shape, face_shape, transpose } = *tile;
    let mut text = format!(", tiles of {}×{}", shape.height, shape.width);
    if face_shape != TileShape::of(shape).face_shape {
        let _ = write!(text, " in faces of {}×{}", face_shape.height, face_shape.width);
    }
    text.push_str(if transpose { ", transposed" } else { "" });
    text
}

/// `, queue 1`; empty for queue 0.
pub(crate) fn on_queue(queue: QueueId) -> String {
    if queue.0 == 0 { String::new() } else { format!(", queue {queue}") }
}

/// `bytes 64–127`.
pub(crate) fn part(region: BufferRegion) -> String {
    let BufferRegion { offset, size } = region;
    match offset.checked_add(size).and_then(|end| end.checked_sub(1)) {
        Some(last) if size > 0 => format!("bytes {offset}–{last}"),
        _ => format!("{size} bytes at {offset}"),
    }
}

/// `4×2 pages as shards of 64×64 elements, pages of 32×32, at (0,0)–(0,1), row_major`.
pub(crate) fn shards(spec: &ShardSpec) -> String {
    let shape = |shape: Shape2D| format!("{}×{}", shape.height, shape.width);
    format!(
        "{} pages as shards of {} elements, pages of {}, at {}, {}",
        shape(spec.tensor2d_shape_in_pages),
        shape(spec.shape),
        shape(spec.page_shape),
        ranges(&spec.cores),
        word(&spec.orientation)
    )
}

/// The first characters of a hash.
pub(crate) fn first(hash: &str) -> &str {
    hash.get(..4).unwrap_or(hash)
}

/// The name of an enum's value as suites write it.
pub(crate) fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(text)) => text,
        _ => String::new(),
    }
}

/// `uniform uint32, seed 7, blake3 5c0e…`.
pub(crate) fn describe(data: &Data) -> String {
    let made = match &data.generator {
        None => plural::bytes(data.length),
        Some(Generator::Constant { data_type, bits }) => {
            format!("constant {} {bits:#x}", word(data_type))
        }
        Some(Generator::Sequence { data_type, start, step }) => {
            format!("sequence {} from {start} by {step}", word(data_type))
        }
        Some(Generator::Uniform { data_type, seed }) => {
            format!("uniform {}, seed {seed}", word(data_type))
        }
        Some(Generator::UniformBetween { data_type, seed, minimum, maximum }) => {
            format!("uniform {} from {minimum} to {maximum}, seed {seed}", word(data_type))
        }
        Some(Generator::Normal { data_type, seed, mean, deviation }) => {
            format!("normal {} around {mean} ± {deviation}, seed {seed}", word(data_type))
        }
    };
    format!("{made}, blake3 {}…", first(&data.hash.to_string()))
}

/// `(0,0)`, `(0,0)–(1,1)`, several with commas.
pub(crate) fn ranges(cores: &[CoreRange]) -> String {
    let texts: Vec<String> = cores
        .iter()
        .map(|range| {
            if range.start == range.end {
                range.start.to_string()
            } else {
                format!("{}–{}", range.start, range.end)
            }
        })
        .collect();
    if texts.is_empty() { "no core".to_owned() } else { texts.join(", ") }
}

/// Items with commas; long lists are shortened.
pub(crate) fn list<T: ToString>(items: impl ExactSizeIterator<Item = T>) -> String {
    let more = items.len().saturating_sub(SHOWN_ARGUMENTS);
    let mut texts: Vec<String> = items.take(SHOWN_ARGUMENTS).map(|item| item.to_string()).collect();
    if more > 0 {
        texts.push(format!("and {more} more"));
    }
    texts.join(", ")
}

fn plus(offset: u32) -> String {
    if offset == 0 { String::new() } else { format!(" + {offset}") }
}

/// An external text with its control characters escaped, because they could move a terminal's cursor.
pub fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() {
            plain.extend(letter.escape_default());
        } else {
            plain.push(letter);
        }
    }
    plain
}

/// `tile (2,3), BRISC, pc 0x4a1c in kernel_main, copy.cpp:14`, as far as known.
pub(crate) fn fault_place(place: &FaultPlace) -> String {
    let mut text = format!("tile {}", place.tile);
    if let Some(processor) = place.processor {
        let _ = write!(text, ", {processor}");
    }
    if let Some(pc) = place.pc {
        let _ = write!(text, ", pc {pc:#x}");
    }
    if let Some(symbol) = &place.symbol {
        let _ = write!(text, " in {}", plain(symbol));
    }
    text.push_str(&source_line(&place.frames));
    text
}

/// `, copy.cpp:14`: the line of the outermost function, which is the kernel's own; empty if unknown.
pub(crate) fn source_line(frames: &[SourceFrame]) -> String {
    let outermost = frames.first();
    let line = outermost.map(|frame| format!(", {}:{}", plain(frame.file_name()), frame.line));
    line.unwrap_or_default()
}

/// The other party of a fault; without a processor it was the host.
pub(crate) fn other_party(place: &FaultPlace) -> String {
    let host = if place.processor.is_none() { "the host, at " } else { "" };
    format!("{host}{}", fault_place(place))
}
