//! Reads the file that the recorder writes.
//!
//! All numbers are little-endian. The header has 128 bytes: the magic text, the format's version, the process,
//! the library's build id, their checksum; then how the recording ended, which the recorder overwrites at the
//! end, and whether a forked process made calls. Entries follow. The head of each has 40 bytes: the length of
//! the content, the kind, the thread, a checksum of the content, a checksum of the head without itself, and the
//! payload's length. The rest of the content is data.
//!
//! An incomplete entry ends the recording: the process was killed while writing it, or the disk was full. So
//! does an entry with an all-zero head, because large data are written before their head. Any other defect is
//! an error with its position.

mod content;
mod events;
mod kind;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod written;

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::event::{Entry, ThreadNumber};
use content::Content;
pub use content::ContentError;
pub(crate) use kind::Kind;

/// The magic text; the recorder gets this and the following constants from here.
pub(crate) const MAGIC: &[u8; 8] = b"HLMKTTMR";
/// The version of the format that is written and accepted.
pub(crate) const FORMAT: u32 = 2;
pub(crate) const HEADER: usize = 128;
/// The length of the part of the header that its checksum covers, which is also the checksum's offset.
pub(crate) const CHECKED: usize = 80;
/// The offset of the end's description in the header: a text, the system's error number, and its complement.
pub(crate) const END_AT: usize = 88;
pub(crate) const RUNNING: &[u8; 8] = b"RUNNING ";
pub(crate) const ENDED: &[u8; 8] = b"ENDED   ";
pub(crate) const STOPPED: &[u8; 8] = b"STOPPED ";
pub(crate) const REFUSED: &[u8; 8] = b"REFUSED ";
/// The offset of the mark in the header that a forked process made calls.
pub(crate) const FORKED_AT: usize = 104;
pub(crate) const FORKED: &[u8; 8] = b"FORKED  ";
const BUILD_ID: std::ops::Range<usize> = 16..80;
const ENTRY: usize = 40;
/// The largest accepted recording, bytes.
const LIMIT: u64 = 64 << 30;

/// How a recording ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordingEnd {
    /// The process ended normally.
    Ended,
    /// The process was killed, or ended itself in an unusual way, during the recording.
    Broken,
    /// The recorder could not continue to write.
    Stopped {
        /// The system's `errno`.
        error: i32,
    },
    /// The library loaded by the process is not the one with the known ABI. No call was recorded.
    Refused,
}

/// The recording of one process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// The process.
    pub process: u32,
    /// The GNU build id of the loaded library, hexadecimal.
    pub build_id: String,
    /// How the recording ended.
    pub end: RecordingEnd,
    /// Whether a process forked from this one made calls, which are not recorded.
    pub has_forked_calls: bool,
    /// The offset of an incomplete entry at the end of the file, if there is one.
    pub cut_at: Option<u64>,
    /// The entries in the order in which they were written.
    pub entries: Vec<Entry>,
}

/// A file that is no recording, or a damaged one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct JournalError {
    /// The file.
    pub path: PathBuf,
    /// The problem.
    pub problem: JournalProblem,
}

/// A problem of a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JournalProblem {
    /// The file cannot be read; the system's message.
    #[error("the file cannot be read: {0}")]
    Unreadable(String),
    /// The file exceeds the limit.
    #[error("the file has {size} B; the limit is {LIMIT} B")]
    TooLarge {
        /// The file's size in bytes.
        size: u64,
    },
    /// The file does not begin like a recording.
    #[error("the file is no recording of TT-Metalium")]
    NoRecording,
    /// The recording has another format version.
    #[error(
        "the recording has format {found}, and this Hallmark reads format {FORMAT}; read the recording with the Hallmark that made it"
    )]
    OtherFormat {
        /// The file's version.
        found: u32,
    },
    /// Bytes have changed after they were written.
    #[error("the recording is damaged: {what} at byte {at} does not match its checksum")]
    Damaged {
        /// The damaged part.
        what: Part,
        /// The offset of the part.
        at: u64,
    },
    /// An entry's content does not have the form of its kind.
    #[error("the recording is damaged: the entry at byte {at} {problem}")]
    Content {
        /// The offset of the entry.
        at: u64,
        /// The problem of the content.
        problem: ContentError,
    },
}

/// A part of a recording with a checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The file's header.
    Header,
    /// The description of the end.
    End,
    /// An entry's head.
    EntryHead,
    /// An entry's content.
    EntryContent,
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Header => "the header",
            Self::End => "the note of how the recording ended",
            Self::EntryHead => "the head of an entry",
            Self::EntryContent => "the content of an entry",
        })
    }
}

impl Recording {
    /// Reads a recording.
    ///
    /// # Errors
    /// The file cannot be read, is no recording, or was changed after it was written.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        let failed = |problem| JournalError { path: path.to_owned(), problem };
        let unreadable =
            |error: std::io::Error| failed(JournalProblem::Unreadable(error.to_string()));
        let size = std::fs::metadata(path).map_err(unreadable)?.len();
        if size > LIMIT {
            return Err(failed(JournalProblem::TooLarge { size }));
        }
        let file = std::fs::File::open(path).map_err(unreadable)?;
        Self::read(std::io::BufReader::new(file)).map_err(failed)
    }

    /// Reads a recording from its bytes.
    ///
    /// # Errors
    /// The bytes are no recording, or were changed after they were written.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, JournalProblem> {
        Self::read(bytes)
    }

    /// Reads a recording. Data are in memory only once: each entry owns its bytes.
    fn read(reader: impl Read) -> Result<Self, JournalProblem> {
        let mut rest = Rest { reader, at: 0 };
        let header: [u8; HEADER] = rest.array()?.ok_or(JournalProblem::NoRecording)?;
        let mut recording = read_header(&header)?;
        loop {
            let at = rest.at;
            let Some(head) = rest.head()? else {
                recording.cut_at = (rest.at > at).then_some(at);
                break;
            };
            let Some(content) = rest.content(&head)? else {
                recording.cut_at = Some(at);
                break;
            };
            if checksum(&[&content.payload, &content.data]) != head.sum_of_content {
                return Err(JournalProblem::Damaged { what: Part::EntryContent, at });
            }
            let thread = ThreadNumber(head.thread);
            let event = events::read(head.kind, thread, content)
                .map_err(|problem| JournalProblem::Content { at, problem })?;
            recording.entries.push(Entry { thread, event });
        }
        Ok(recording)
    }
}

fn word(bytes: &[u8], at: usize) -> u64 {
    let bytes = bytes.get(at..).and_then(<[u8]>::first_chunk);
    bytes.copied().map_or(0, u64::from_le_bytes)
}

fn half(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes.get(at..).and_then(<[u8]>::first_chunk);
    bytes.copied().map_or(0, u32::from_le_bytes)
}

fn read_header(header: &[u8; HEADER]) -> Result<Recording, JournalProblem> {
    if !header.starts_with(MAGIC) {
        return Err(JournalProblem::NoRecording);
    }
    let found = half(header, 8);
    if found != FORMAT {
        return Err(JournalProblem::OtherFormat { found });
    }
    let damaged = |what, at| Err(JournalProblem::Damaged { what, at });
    if checksum(&[header.get(..CHECKED).unwrap_or_default()]) != word(header, CHECKED) {
        return damaged(Part::Header, 0);
    }
    let (error, complement) = (half(header, END_AT + 8), half(header, END_AT + 12));
    let end = match &word(header, END_AT).to_le_bytes() {
        _ if error != !complement => return damaged(Part::End, END_AT as u64),
        RUNNING if error == 0 => RecordingEnd::Broken,
        ENDED if error == 0 => RecordingEnd::Ended,
        REFUSED if error == 0 => RecordingEnd::Refused,
        STOPPED => RecordingEnd::Stopped { error: i32::from_le_bytes(error.to_le_bytes()) },
        _ => return damaged(Part::End, END_AT as u64),
    };
    let forked = word(header, FORKED_AT).to_le_bytes();
    let has_forked_calls = forked == *FORKED;
    let is_empty =
        header.get(FORKED_AT + 8..).is_some_and(|rest| rest.iter().all(|&byte| byte == 0));
    if !(has_forked_calls || forked == [0; 8]) || !is_empty {
        return damaged(Part::Header, FORKED_AT as u64);
    }
    let build_id = header.get(BUILD_ID).unwrap_or_default();
    let build_id = build_id.split(|&byte| byte == 0).next().unwrap_or_default();
    Ok(Recording {
        process: half(header, 12),
        build_id: String::from_utf8_lossy(build_id).into_owned(),
        end,
        has_forked_calls,
        cut_at: None,
        entries: Vec::new(),
    })
}

struct Head {
    kind: u32,
    thread: u32,
    sum_of_content: u64,
    /// The length of the payload, and of the data.
    payload: u64,
    data: u64,
}

/// The unread rest of a recording.
struct Rest<R> {
    reader: R,
    /// The number of bytes read so far.
    at: u64,
}

impl<R: Read> Rest<R> {
    /// Reads `length` bytes, or fewer at the end.
    fn bytes(&mut self, length: u64) -> Result<Vec<u8>, JournalProblem> {
        let mut bytes = Vec::new();
        let read = self.reader.by_ref().take(length).read_to_end(&mut bytes);
        read.map_err(|error| JournalProblem::Unreadable(error.to_string()))?;
        self.at = self.at.saturating_add(bytes.len() as u64);
        Ok(bytes)
    }

    /// Reads an array; `None` if the file ends before it is complete.
    fn array<const LENGTH: usize>(&mut self) -> Result<Option<[u8; LENGTH]>, JournalProblem> {
        Ok(self.bytes(LENGTH as u64)?.try_into().ok())
    }

    /// Reads the head of the next entry; `None` at the end or if the head is incomplete.
    fn head(&mut self) -> Result<Option<Head>, JournalProblem> {
        let at = self.at;
        let Some(bytes) = self.array::<ENTRY>()? else { return Ok(None) };
        // Large data are written before their head.
        if bytes == [0; ENTRY] {
            return Ok(None);
        }
        let mut unsummed = bytes;
        if let Some(sum) = unsummed.get_mut(24..32) {
            sum.fill(0);
        }
        let (length, payload) = (word(&bytes, 0), word(&bytes, 32));
        let data = length.checked_sub(payload);
        let Some(data) = data.filter(|_| checksum(&[&unsummed]) == word(&bytes, 24)) else {
            return Err(JournalProblem::Damaged { what: Part::EntryHead, at });
        };
        Ok(Some(Head {
            kind: half(&bytes, 8),
            thread: half(&bytes, 12),
            sum_of_content: word(&bytes, 16),
            payload,
            data,
        }))
    }

    /// Reads the payload and the data of an entry; `None` if they are incomplete.
    fn content(&mut self, head: &Head) -> Result<Option<Content>, JournalProblem> {
        let payload = self.bytes(head.payload)?;
        let data = self.bytes(head.data)?;
        let is_whole = (payload.len() as u64, data.len() as u64) == (head.payload, head.data);
        Ok(is_whole.then_some(Content { payload, data }))
    }
}

/// FNV-1a over little-endian 8-byte words; each part is padded with zeros to whole words.
fn checksum(parts: &[&[u8]]) -> u64 {
    let mut sum = 0xCBF2_9CE4_8422_2325_u64;
    let mut add = |word: u64| sum = (sum ^ word).wrapping_mul(0x100_0000_01B3);
    for part in parts {
        let (words, rest) = part.as_chunks::<8>();
        words.iter().for_each(|word| add(u64::from_le_bytes(*word)));
        if !rest.is_empty() {
            let mut word = [0; 8];
            word.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
            add(u64::from_le_bytes(word));
        }
    }
    sum
}
