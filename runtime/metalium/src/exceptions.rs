//! Maps texts of TT-Metalium's exceptions to Hallmark's failures for the same mistakes.
//!
//! One table holds upstream's texts. Numbers in a text are compared with the fields of the captured failure;
//! fields that the text lacks are not compared.

use hallmark_chip::LogicalCore;
use hallmark_schema::model::{BufferType, Failure, FailureCode, FieldName, FieldValue, ObjectKind};

/// A failure, as far as an exception's text states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The code of the failure.
    pub code: FailureCode,
    /// The fields that the text states, with their values as in captures.
    pub fields: Vec<(FieldName, u64)>,
}

impl Refusal {
    /// The failure, with `known` for the fields that the text lacks. `None` if a field is in neither.
    pub fn failure(&self, known: &[(FieldName, u64)]) -> Option<Failure> {
        let number = |name: &FieldName| {
            let mut all = self.fields.iter().chain(known);
            all.find(|(given, _)| given == name).map(|(_, number)| *number)
        };
        let numbers: Option<Vec<u64>> = self.code.fields().iter().map(number).collect();
        Failure::from_numbers(self.code, &numbers?)
    }

    /// The first difference from a captured failure; `None` if the two agree in everything that the text
    /// states.
    pub fn difference(&self, captured: &Failure) -> Option<RefusalDifference> {
        if self.code != captured.code() {
            return Some(RefusalDifference::Code(self.code));
        }
        let numbers = captured.numbers();
        self.fields.iter().find_map(|&(name, said)| {
            let at = self.code.fields().iter().position(|&field| field == name)?;
            let captured = *numbers.get(at)?;
            (captured != said).then_some(RefusalDifference::Field { name, said, captured })
        })
    }
}

/// A difference between upstream's refusal and the captured failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefusalDifference {
    /// The code differs.
    #[error("the exception means {}", .0.name())]
    Code(FailureCode),
    /// A field differs.
    #[error("the exception says {said} for `{}`, and the capture {captured}", name.name())]
    Field {
        /// The field.
        name: FieldName,
        /// The value in upstream's text, as in captures.
        said: u64,
        /// The captured value.
        captured: u64,
    },
}

/// A text of upstream's and its meaning.
struct Row {
    /// Literal text, with `{field}` for the value of a field, and `{}` for any other text.
    text: &'static str,
    code: FailureCode,
    /// Fields whose values follow from the text itself.
    fixed: &'static [(FieldName, u64)],
}

const fn row(text: &'static str, code: FailureCode) -> Row {
    Row { text, code, fixed: &[] }
}

const fn of_object(
    text: &'static str,
    code: FailureCode,
    object: &'static [(FieldName, u64)],
) -> Row {
    Row { text, code, fixed: object }
}

const fn compiled(text: &'static str, object: &'static [(FieldName, u64)]) -> Row {
    of_object(text, FailureCode::ProgramAlreadyCompiled, object)
}

/// Upstream's texts in release 0.81.1; the first one that an exception contains applies.
const EXCEPTIONS: &[Row] = &[
    row(
        "For valid non-interleaved buffers page size {page_size} must equal buffer size {size}. For interleaved-buffers",
        FailureCode::SizeNotPageMultiple,
    ),
    row(
        "Out of Memory: Not enough space to allocate {} B {buffer_type} buffer across {banks} banks",
        FailureCode::OutOfMemory,
    ),
    row("Invalid core range for start_coord: {}, end_coord:", FailureCode::EmptyCoreRange),
    row("CoreRangeSet must have at least one core", FailureCode::EmptyCoreRange),
    row("Expecting a non-empty CoreRangeSet!", FailureCode::EmptyCoreRange),
    row("Cannot get bounding_box of an empty CoreRangeSet!", FailureCode::EmptyCoreRange),
    row(
        "Cannot create CoreRangeSet with specified core ranges because core ranges {} overlap!",
        FailureCode::CoreRangesOverlap,
    ),
    row("Core Overlap Between ({}) and new kernel ({}) at {core}", FailureCode::CoreOverlap),
    row("both data movement processors are in use!", FailureCode::CoreOverlap),
    row("because both NOCs are in use!", FailureCode::NocInUse),
    row(
        "Illegal NOC usage: data movement kernels on logical core {core} cannot use the same NOC",
        FailureCode::NocInUse,
    ),
    row("Kernels cannot be placed on dispatch cores!", FailureCode::CoreOutsideGrid),
    row("Kernels cannot be placed on storage only cores!", FailureCode::CoreOutsideGrid),
    row("Circular buffer core range {} exceeds device compute grid", FailureCode::CoreOutsideGrid),
    row(
        "Invalid shard grid: shard core {} has no {} bank on this device",
        FailureCode::CoreOutsideGrid,
    ),
    row("Invalid DRAM shard grid: shard core", FailureCode::CoreOutsideGrid),
    compiled(
        "Cannot add kernel to an already compiled program",
        &[(FieldName::Object, ObjectKind::Kernel as u64)],
    ),
    compiled(
        "Cannot add semaphore to an already compiled program",
        &[(FieldName::Object, ObjectKind::Semaphore as u64)],
    ),
    compiled(
        "Cannot add circular buffer to an already compiled program",
        &[(FieldName::Object, ObjectKind::CircularBuffer as u64)],
    ),
    row(
        "Kernel file {} doesn't exist in any of the searched paths!",
        FailureCode::KernelSourceNotFound,
    ),
    row("Failed to generate binaries for", FailureCode::KernelBuildFailed),
    row(
        "Buffer index ({index}) exceeds max number of circular buffers per core ({limit})",
        FailureCode::CircularBufferIndexTooLarge,
    ),
    row(
        "Cannot add circular buffer at index {index}, another circular buffer already exists",
        FailureCode::CircularBufferIndexInUse,
    ),
    row(
        "Failed allocation attempt on buffer index {index}. Total circular buffer size {size} B must be divisible by page size {page_size} B",
        FailureCode::CircularBufferSizeNotPageMultiple,
    ),
    row(
        "Total circular buffer size {size} B must be divisible by page size {page_size} B",
        FailureCode::CircularBufferSizeNotPageMultiple,
    ),
    row(
        "Statically allocated circular buffers on core range {} grow to {} B which is beyond max L1 size",
        FailureCode::CircularBuffersBeyondL1,
    ),
    row(
        "Statically allocated circular buffers in program {} clash with L1 buffers on core range",
        FailureCode::CircularBuffersClash,
    ),
    row(
        "{count} unique+common runtime args targeting kernel {} on {core} are too large. Max allowable is {limit}",
        FailureCode::TooManyRuntimeArgs,
    ),
    row(
        "Illegal Runtime Args on {core}: Number of runtime args cannot be modified from {before} to {after}!",
        FailureCode::RuntimeArgsCountChanged,
    ),
    row(
        "Cannot get runtime args for kernel {} that is not placed on core {core}",
        FailureCode::KernelNotOnCore,
    ),
    row(
        "Mismatch between number of cores {cores} and number of runtime args {vectors} getting updated",
        FailureCode::ArgsVectorMismatch,
    ),
    row(
        "Unable to initialize semaphore on CoreRangeSet {}: all {limit} IDs are in use",
        FailureCode::TooManySemaphores,
    ),
    row(
        "Cannot add semaphore on core {}. Max number of semaphores ({limit}) reached!",
        FailureCode::TooManySemaphores,
    ),
    row(
        "overflows region:{} limit of {} bytes, reduce the size of code",
        FailureCode::KernelConfigTooLarge,
    ),
    row("cq_id {index} is out of range", FailureCode::UnknownQueue),
    row(
        "Illegal Common Runtime Args: Can only set common runtime args once.",
        FailureCode::CommonRuntimeArgsAlreadySet,
    ),
    row(
        "Buffer was specified as sharded but does not have shard_spec or buffer_distribution_spec specified",
        FailureCode::ShardSpecMissing,
    ),
    row("Buffer is sharded, but no shard parameters specified", FailureCode::ShardSpecMissing),
    row("L1_SMALL only supports sharded allocations", FailureCode::ShardSpecMissing),
    row("Tile size is not valid for our hardware", FailureCode::TileShapeInvalid),
    row("Tile height must equal 16 or 32 in transpose mode", FailureCode::TileShapeInvalid),
    row(
        "Buffer was specified as not sharded but has shard_spec or buffer_distribution_spec specified",
        FailureCode::ShardSpecUnexpected,
    ),
    row("Region size must be a multiple of page size", FailureCode::RegionNotPageMultiple),
    row("Region offset must be a multiple of page size", FailureCode::RegionNotPageMultiple),
    row("Region must be within buffer", FailureCode::RegionOutsideBuffer),
    row(
        "Buffer region with offset {offset} and size {size} is invalid",
        FailureCode::RegionOutsideBuffer,
    ),
    row(
        "Only L1 buffers can have an associated circular buffer!",
        FailureCode::CircularBufferNeedsL1Buffer,
    ),
    // Upstream counts from the offset, and a capture from the buffer's start, so the numbers cannot be
    // compared.
    row(
        "Cannot set circular buffer size to {}. This is larger than the associated dynamically allocated L1 buffer bank size of {} B",
        FailureCode::CircularBufferLargerThanBuffer,
    ),
    row(
        "address_offset ({}) exceeds buffer bank size ({})",
        FailureCode::CircularBufferLargerThanBuffer,
    ),
    row(
        "address_offset ({offset}) must be aligned to L1 alignment ({alignment})",
        FailureCode::CircularBufferOffsetMisaligned,
    ),
    row(
        "Illegal circular buffer index {index}. Page size can only be specified for buffer indices configured during config creation",
        FailureCode::CircularBufferIndexNotConfigured,
    ),
    row("CQ {queue} is already being used for tracing tid", FailureCode::QueueAlreadyTracing),
    row("CQ {queue} is not being used for tracing tid", FailureCode::QueueNotTracing),
    row(
        "Creating trace buffers of size {}B on MeshDevice {}, but only {}B is allocated for trace region.",
        FailureCode::TraceRegionTooSmall,
    ),
    of_object(
        "Trace instance {} must exist on",
        FailureCode::ReleasedObject,
        &[(FieldName::Object, ObjectKind::Trace as u64)],
    ),
    row("Blocking is not supported when recording a trace.", FailureCode::BlockingDuringTrace),
    row("Cannot load new binaries during trace capture.", FailureCode::ProgramNotWarm),
    row("Writes are not supported during trace capture.", FailureCode::WriteDuringTrace),
    row("Reads are not supported during trace capture.", FailureCode::ReadDuringTrace),
    row(
        "Event Synchronization is not supported during trace capture.",
        FailureCode::EventDuringTrace,
    ),
    row(
        "Sub device id {} currently in use by cq {queue}. Can't enqueue program from cq",
        FailureCode::CoreInUseByQueue,
    ),
];

/// The essential part of an exception's text, without the place and the backtrace that upstream adds.
pub fn essence(text: &str) -> String {
    let text = text.split("\nbacktrace:").next().unwrap_or(text);
    let text = text.split_once("\ninfo:\n").map_or(text, |(_, text)| text);
    // The format in which the user-mode driver appends the place.
    let text = text.split("\nLocation: ").next().unwrap_or(text);
    text.trim().to_owned()
}

/// The meaning of an exception's text, if the table contains it.
pub fn refusal(text: &str) -> Option<Refusal> {
    EXCEPTIONS.iter().find_map(|row| {
        let mut fields = fields(row.text, text)?;
        fields.extend(row.fixed);
        Some(Refusal { code: row.code, fields })
    })
}

/// The fields in a text, if a pattern matches a part of it.
fn fields(pattern: &str, text: &str) -> Option<Vec<(FieldName, u64)>> {
    let mut fields = Vec::new();
    let mut field: Option<&str> = None;
    let (mut pattern, mut text) = (pattern, text);
    loop {
        let (literal, next) = match pattern.split_once('{') {
            Some((literal, next)) => (literal, Some(next)),
            None => (pattern, None),
        };
        let (before, after) = match literal {
            // The pattern ends with a field, or begins with one.
            "" if next.is_none() => (text, ""),
            "" => ("", text),
            literal => text.split_once(literal)?,
        };
        if let Some(field) = field.take().filter(|name| !name.is_empty()) {
            let name = FieldName::ALL.iter().copied().find(|known| known.name() == field)?;
            fields.push((name, value(name, before)?));
        }
        let Some(next) = next else { return Some(fields) };
        let (name, rest) = next.split_once('}')?;
        (field, pattern, text) = (Some(name), rest, after);
    }
}

/// A field's value as in captures.
fn value(name: FieldName, text: &str) -> Option<u64> {
    let mut numbers = text
        .split(|character: char| !character.is_ascii_digit())
        .filter_map(|digits| digits.parse::<u64>().ok());
    if name == FieldName::BufferType {
        return match text.trim() {
            "DRAM" => Some(BufferType::Dram.to_number()),
            "L1" => Some(BufferType::L1.to_number()),
            "L1_SMALL" => Some(BufferType::L1Small.to_number()),
            _ => None,
        };
    }
    if name == FieldName::Core {
        // `(x=1,y=2)`
        let (x, y) = (numbers.next()?, numbers.next()?);
        let [x, y] = [x, y].map(|coordinate| u32::try_from(coordinate).ok());
        return Some(LogicalCore { x: x?, y: y? }.to_number());
    }
    // The text before a field at the start of its pattern is arbitrary.
    numbers.next_back()
}

#[cfg(test)]
mod tests {
    use hallmark_schema::model::BufferId;

    use super::*;

    #[test]
    fn a_text_gives_the_failure_and_its_fields() {
        let text = "Total circular buffer size 192 B must be divisible by page size 128 B";
        let refused = refusal(text).unwrap();
        assert_eq!(refused.code, FailureCode::CircularBufferSizeNotPageMultiple);
        assert_eq!(refused.fields, [(FieldName::Size, 192), (FieldName::PageSize, 128)]);
        let captured = |size| Failure::CircularBufferSizeNotPageMultiple {
            index: 7, // the text does not say it
            size,
            page_size: 128,
        };
        assert_eq!(refused.difference(&captured(192)), None);
        let other = refused.difference(&captured(64)).unwrap();
        assert_eq!(other.to_string(), "the exception says 192 for `size`, and the capture 64");
        let missing = Failure::ShardSpecMissing {};
        assert_eq!(
            refused.difference(&missing).unwrap().to_string(),
            "the exception means CircularBufferSizeNotPageMultiple"
        );
    }

    #[test]
    fn an_exception_is_told_without_its_place_and_backtrace() {
        let text = "TT_FATAL @ /a/b.cpp:12: size > 0\ninfo:\nsize is 0\nbacktrace:\n --- x\n";
        assert_eq!(essence(text), "size is 0");
        assert_eq!(essence("vector::_M_range_check"), "vector::_M_range_check");
        let text = "Failed to dlopen\nLocation: /a/b.cpp:4\n 1. tt::umd::a()\n 2. main\n";
        assert_eq!(essence(text), "Failed to dlopen");
    }

    #[test]
    fn a_failure_is_whole_only_if_every_field_is_known() {
        let text = "Total circular buffer size 192 B must be divisible by page size 128 B";
        let refused = refusal(text).unwrap();
        assert_eq!(refused.failure(&[]), None);
        let whole =
            Failure::CircularBufferSizeNotPageMultiple { index: 7, size: 192, page_size: 128 };
        // A value in the text is not overridden.
        let known = [(FieldName::Index, 7), (FieldName::Size, 64)];
        assert_eq!(refused.failure(&known), Some(whole));
    }

    #[test]
    fn cores_counts_and_memories_are_read() {
        let text = "342 unique+common runtime args targeting kernel k on (x=1,y=2) are too large. Max allowable is 341";
        let refused = refusal(text).unwrap();
        let core = LogicalCore { x: 1, y: 2 };
        let captured = Failure::TooManyRuntimeArgs { count: 342, limit: 341, core };
        assert_eq!(refused.difference(&captured), None);
        assert_eq!(refused.fields.len(), 3);
        let text =
            "Out of Memory: Not enough space to allocate 64 B L1 buffer across 72 banks, where";
        let expected =
            [(FieldName::BufferType, BufferType::L1.to_number()), (FieldName::Banks, 72)];
        assert_eq!(refusal(text).unwrap().fields, expected);
        let text = "Cannot add semaphore on core 0-0. Max number of semaphores (16) reached!";
        assert_eq!(
            refusal(text).unwrap().difference(&Failure::TooManySemaphores { limit: 16 }),
            None
        );
        let text = "Cannot add semaphore to an already compiled program 12";
        let expected = [(FieldName::Object, ObjectKind::Semaphore.to_number())];
        assert_eq!(refusal(text).unwrap().fields, expected);
    }

    #[test]
    fn a_text_that_is_not_in_the_table_means_nothing() {
        assert_eq!(refusal("vector::_M_range_check"), None);
        assert_eq!(
            refusal("Total circular buffer size many B must be divisible by page size 1 B"),
            None
        );
        let captured = Failure::CircularBufferNeedsL1Buffer { buffer: BufferId(0) };
        let refused = refusal("Only L1 buffers can have an associated circular buffer!").unwrap();
        assert_eq!(refused.difference(&captured), None);
    }

    #[test]
    fn every_row_names_fields_of_its_failure_and_is_reached() {
        for row in EXCEPTIONS {
            // The row's own text, with a value that is valid for every field.
            let said = row.text.replace("{buffer_type}", "L1").replace("{core}", "(x=1,y=1)");
            let said = FieldName::ALL
                .iter()
                .fold(said, |said, name| said.replace(&format!("{{{}}}", name.name()), "7"));
            let refused = refusal(&said).unwrap_or_else(|| panic!("{}", row.text));
            assert_eq!(refused.code, row.code, "{}", row.text);
            for (name, _) in refused.fields {
                assert!(row.code.fields().contains(&name), "{} in {}", name.name(), row.text);
            }
        }
    }
}
