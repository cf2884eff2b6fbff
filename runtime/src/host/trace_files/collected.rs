//! A trace as bytes that describe themselves: a header in JSON, the words of its launches, the ELFs of its
//! kernels, and the hash of all that.
//!
//! Words that the runtime places are zero; the relocation table names their symbols. So the bytes of a trace are the same
//! wherever its buffers lay.

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_engine::launch::SemaphoreLaunch;
use hallmark_schema::model::ContentHash;
use serde::{Deserialize, Serialize};

use crate::host::trace_states::BufferSymbol;

const MAGIC: &[u8; 8] = b"HLMKTRC1";
const HASH: usize = 32;
/// The format of a trace without line tables, which every release reads.
pub(crate) const FORMAT: &str = "1.0";
/// With 1.1 came line tables: older releases name the version in their refusal.
pub(crate) const FORMAT_WITH_LINES: &str = "1.1";
/// With 1.2 came scratchpads.
pub(crate) const FORMAT_WITH_SCRATCHPADS: &str = "1.2";
/// The formats that this build reads.
const READ: [&str; 3] = [FORMAT, FORMAT_WITH_LINES, FORMAT_WITH_SCRATCHPADS];

/// The symbol that a word stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Symbol {
    /// A buffer's bank-relative address.
    Buffer(BufferSymbol),
    /// The banks of two of its shards; the addend says which.
    ShardBankPair(BufferSymbol),
    /// The L1 address of the semaphore of this number.
    Semaphore(u32),
    /// The x by which NoC requests name a core.
    CoreX([u32; 2]),
    /// The y by which NoC requests name a core.
    CoreY([u32; 2]),
    /// The start of a kernel's binary: the ELF with this hash.
    #[serde(rename = "text")]
    KernelBinary(ContentHash),
    /// The start of the circular buffers that lie in no buffer, and of the scratchpads behind them.
    CircularBuffers,
}

impl Symbol {
    /// The name of the buffer that it stands for.
    pub(crate) fn buffer(&self) -> Option<&str> {
        match self {
            Self::Buffer(buffer) | Self::ShardBankPair(buffer) => Some(&buffer.name),
            Self::Semaphore(_)
            | Self::CoreX(_)
            | Self::CoreY(_)
            | Self::KernelBinary(_)
            | Self::CircularBuffers => None,
        }
    }
}

impl std::fmt::Display for Symbol {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Buffer(buffer) => write!(formatter, "buffer `{}`", buffer.name),
            Self::ShardBankPair(buffer) => write!(formatter, "banks of buffer `{}`", buffer.name),
            Self::Semaphore(number) => write!(formatter, "semaphore {number}"),
            Self::CoreX([x, y]) => write!(formatter, "x of core ({x},{y})"),
            Self::CoreY([x, y]) => write!(formatter, "y of core ({x},{y})"),
            Self::KernelBinary(hash) => write!(formatter, "kernel binary {}", hash.short()),
            Self::CircularBuffers => formatter.write_str("circular buffers"),
        }
    }
}

/// A word that is put in when the trace is loaded: the symbol's value plus the addend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Relocation {
    /// Bytes from the start of the words.
    pub(crate) offset: u64,
    /// The symbol's place in [`Header::symbols`].
    pub(crate) symbol: u32,
    pub(crate) addend: u32,
}

/// Words of the image: the first and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Words {
    pub(crate) first: u32,
    pub(crate) count: u32,
}

/// A kernel on a tile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KernelForm {
    /// Processors by index.
    pub(crate) processors: Vec<u8>,
    /// A word for each processor: where its binary begins.
    #[serde(rename = "texts")]
    pub(crate) binaries: Words,
    pub(crate) arguments: Words,
    pub(crate) common: Words,
    /// The common arguments that hold addresses of scratchpads, with the bytes of those.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) scratchpads: Vec<(u32, u32)>,
}

/// A tile of a launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TileForm {
    pub(crate) core: [u32; 2],
    pub(crate) kernels: Vec<KernelForm>,
    pub(crate) semaphores: Vec<SemaphoreLaunch>,
    /// Four words for each index: address, size, pages, bytes of a page.
    pub(crate) circular_buffers: Words,
    /// Two words each: address and size of memory that lies in no buffer, scratchpads included.
    pub(crate) circular_memory: Words,
}

/// The device that the trace was collected on, and the contents of the trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    pub(crate) format: String,
    pub(crate) architecture: String,
    /// Columns and rows that the device was opened with.
    pub(crate) grid: [u32; 2],
    /// [`hallmark_chip::HarvestingMask`] of the chip.
    pub(crate) harvesting: u32,
    /// Whether its calls were given an address or a coordinate as a number.
    pub(crate) placement_bound: bool,
    pub(crate) firmware: String,
    pub(crate) firmware_hash: ContentHash,
    pub(crate) launch_abi: u32,
    pub(crate) name: String,
    pub(crate) launches: Vec<Vec<TileForm>>,
    pub(crate) symbols: Vec<Symbol>,
    pub(crate) relocations: Vec<Relocation>,
    /// Words of the image.
    pub(crate) words: u32,
    /// Bytes of each ELF behind it, by hash, in this order.
    #[serde(rename = "texts")]
    pub(crate) binaries: BTreeMap<ContentHash, u64>,
    /// Bytes of the line tables behind the ELFs, by the ELF's hash, in this order. Not every ELF has one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) lines: BTreeMap<ContentHash, u64>,
}

/// A collected trace, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Collected {
    pub(crate) header: Header,
    pub(crate) words: Vec<u32>,
    pub(crate) binaries: BTreeMap<ContentHash, Arc<[u8]>>,
    /// Encoded line tables, by the hash of the ELF that they belong to.
    pub(crate) lines: BTreeMap<ContentHash, Arc<[u8]>>,
}

/// Bytes are no collected trace of this format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceBytesError {
    /// They do not begin as one.
    #[error("the bytes are not a collected trace")]
    NotATrace,
    /// Something was changed or is missing.
    #[error(
        "the trace is damaged: its hash is {computed}, but the trace says {stored}; use an undamaged copy"
    )]
    Damaged {
        /// The stated hash.
        stored: ContentHash,
        /// The actual hash.
        computed: ContentHash,
    },
    /// Another version wrote it.
    #[error(
        "the trace has format {found}, but this build reads formats {}; collect the trace again",
        READ.join(", ")
    )]
    Version {
        /// The version that the header says.
        found: String,
    },
    /// It holds more than any reader takes.
    #[error(
        "the trace's header has {length} B, but at most {limit} B are read; record fewer programs in one trace"
    )]
    TooLong {
        /// Bytes of the header.
        length: u64,
        /// Bytes that any reader takes.
        limit: u64,
    },
    /// It contradicts itself.
    #[error("the trace contradicts itself: {what}")]
    Malformed {
        /// The contradiction.
        what: String,
    },
}

hallmark_chip::error_checks! {
    TraceBytesError: Damaged, Version, TooLong;
    besides: NotATrace, Malformed
}

/// A header takes several times its bytes in memory.
const HEADER_BYTES: u64 = 64 << 20;

fn check_length(header: usize) -> Result<(), TraceBytesError> {
    let (length, limit) = (header as u64, HEADER_BYTES);
    if length > limit { TraceBytesError::TooLong { length, limit }.refuse() } else { Ok(()) }
}

impl Collected {
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, TraceBytesError> {
        let header = serde_json::to_vec(&self.header);
        let header =
            header.map_err(|error| TraceBytesError::Malformed { what: error.to_string() })?;
        check_length(header.len())?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend((header.len() as u64).to_le_bytes());
        bytes.extend(header);
        bytes.extend(self.words.iter().flat_map(|word| word.to_le_bytes()));
        let parts = self.binaries.values().chain(self.lines.values());
        parts.for_each(|part| bytes.extend_from_slice(part));
        let hash = ContentHash::of(&bytes);
        bytes.extend(hash.0);
        Ok(bytes)
    }

    /// Verifies and takes apart.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, TraceBytesError> {
        let malformed = |what: &str| TraceBytesError::Malformed { what: what.to_owned() };
        let Some(rest) = bytes.strip_prefix(MAGIC) else { return Err(TraceBytesError::NotATrace) };
        let (content, stored) =
            rest.split_last_chunk::<HASH>().ok_or(TraceBytesError::NotATrace)?;
        let stored = ContentHash(*stored);
        let hashed = bytes.get(..bytes.len().saturating_sub(HASH)).unwrap_or_default();
        let computed = ContentHash::of(hashed);
        if stored != computed {
            TraceBytesError::Damaged { stored, computed }.refuse()?;
        }
        let (length, rest) =
            content.split_first_chunk::<8>().ok_or_else(|| malformed("it has no header"))?;
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        check_length(length)?;
        let (header, mut rest) =
            rest.split_at_checked(length).ok_or_else(|| malformed("its header passes its end"))?;
        // The version first: another one may have another header.
        #[derive(Deserialize)]
        struct Version {
            format: String,
        }
        let Version { format } = serde_json::from_slice(header)
            .map_err(|error| malformed(&format!("its header: {error}")))?;
        if !READ.contains(&format.as_str()) {
            TraceBytesError::Version { found: format }.refuse()?;
        }
        let header: Header = serde_json::from_slice(header)
            .map_err(|error| malformed(&format!("its header: {error}")))?;
        let mut take = |length: u64| {
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            let (part, left) = rest.split_at_checked(length)?;
            rest = left;
            Some(part)
        };
        let image =
            take(u64::from(header.words) * 4).ok_or_else(|| malformed("its words pass its end"))?;
        let words = image.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let mut binaries = BTreeMap::new();
        for (hash, length) in &header.binaries {
            let elf = take(*length).ok_or_else(|| malformed("an ELF passes its end"))?;
            if ContentHash::of(elf) != *hash {
                return Err(malformed("an ELF has another hash than its name"));
            }
            binaries.insert(*hash, Arc::from(elf));
        }
        let mut lines = BTreeMap::new();
        for (hash, length) in &header.lines {
            if !binaries.contains_key(hash) {
                return Err(malformed("a line table belongs to no ELF"));
            }
            let table = take(*length).ok_or_else(|| malformed("a line table passes its end"))?;
            lines.insert(*hash, Arc::from(table));
        }
        if !rest.is_empty() {
            return Err(malformed("bytes follow its last part"));
        }
        Ok(Self { header, words, binaries, lines })
    }
}
