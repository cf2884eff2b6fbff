//! The file that the recorder writes, read back.
//!
//! A header of 128 bytes, little-endian as everything: the magic text, the format's version, the process, the library's
//! build id, their checksum; then how the recording ended, which the recorder writes anew, and whether a forked process
//! made calls. Entries follow. Each has 40 bytes of its own: the length of its content, its kind, the thread, a checksum of
//! the content, a checksum of these 40 bytes without itself, and how many bytes of the content are payload; the rest of
//! the content is data.
//!
//! An entry that the file holds in part ends the recording: the process was ended while it was written, or the disk was
//! full. So does one whose own bytes are all zero, because large data are written first. Anything else that is wrong is an error with its place.

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

/// The recorder has these from here.
pub(crate) const MAGIC: &[u8; 8] = b"HLMKTTMR";
/// The version of the format that is written and read.
pub(crate) const FORMAT: u32 = 2;
pub(crate) const HEADER: usize = 128;
/// Bytes of the header that its checksum covers, and where the checksum stands.
pub(crate) const CHECKED: usize = 80;
/// Where the header says how the recording ended: one of the texts, the system's error, and its complement.
pub(crate) const END_AT: usize = 88;
pub(crate) const RUNNING: &[u8; 8] = b"RUNNING ";
pub(crate) const ENDED: &[u8; 8] = b"ENDED   ";
pub(crate) const STOPPED: &[u8; 8] = b"STOPPED ";
pub(crate) const REFUSED: &[u8; 8] = b"REFUSED ";
/// Where the header says that a forked process made calls.
pub(crate) const FORKED_AT: usize = 104;
pub(crate) const FORKED: &[u8; 8] = b"FORKED  ";
const BUILD_ID: std::ops::Range<usize> = 16..80;
const ENTRY: usize = 40;
/// A recording is not larger than this.
const LIMIT: u64 = 64 << 30;

/// How a recording ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordingEnd {
    /// The process ended in its own time.
    Ended,
    /// The process was ended from outside, or by itself without its usual end, while it was being recorded.
    Broken,
    /// The recorder could not write further, with the system's number of the error.
    Stopped {
        /// `errno`.
        error: i32,
    },
    /// The library that the process loaded is not the one whose ABI is known. Nothing was recorded.
    Refused,
}

/// What was recorded of one process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// The process.
    pub process: u32,
    /// The GNU build id of the library that the process loaded, hexadecimal.
    pub build_id: String,
    /// How it ended.
    pub end: RecordingEnd,
    /// Whether a process that this one forked made calls, which are not recorded.
    pub has_forked_calls: bool,
    /// The byte at which an entry is cut off, where the file ends within one.
    pub cut_at: Option<u64>,
    /// In the order in which they were written.
    pub entries: Vec<Entry>,
}

/// A file is no recording, or a damaged one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct JournalError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    pub problem: JournalProblem,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JournalProblem {
    /// The system cannot read the file.
    #[error("the file cannot be read: {0}")]
    Unreadable(String),
    /// It is too large.
    #[error("the file has {size} B; the limit is {LIMIT} B")]
    TooLarge {
        /// Its bytes.
        size: u64,
    },
    /// It does not begin as a recording does.
    #[error("the file is no recording of TT-Metalium")]
    NoRecording,
    /// Another version of the format.
    #[error(
        "the recording has format {found}, and this Hallmark reads format {FORMAT}; read the recording with the Hallmark that made it"
    )]
    OtherFormat {
        /// Its version.
        found: u32,
    },
    /// Bytes have changed since they were written.
    #[error("the recording is damaged: {what} at byte {at} does not match its checksum")]
    Damaged {
        /// What.
        what: Part,
        /// Where it begins.
        at: u64,
    },
    /// An entry's content does not have the form of its kind.
    #[error("the recording is damaged: the entry at byte {at} {problem}")]
    Content {
        /// Where the entry begins.
        at: u64,
        /// What is wrong.
        problem: ContentError,
    },
}

/// A part of a recording that has a checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The file's header.
    Header,
    /// How the recording ended.
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
    /// The file cannot be read, is no recording, or was changed after it had been written.
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
    /// The bytes are no recording, or were changed after they had been written.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, JournalProblem> {
        Self::read(bytes)
    }

    /// Data are in memory once: each entry takes its own.
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
    /// Bytes of the payload and of the data.
    payload: u64,
    data: u64,
}

/// What has not been read.
struct Rest<R> {
    reader: R,
    /// Bytes that have been read.
    at: u64,
}

impl<R: Read> Rest<R> {
    /// So many bytes, or fewer at the end.
    fn bytes(&mut self, length: u64) -> Result<Vec<u8>, JournalProblem> {
        let mut bytes = Vec::new();
        let read = self.reader.by_ref().take(length).read_to_end(&mut bytes);
        read.map_err(|error| JournalProblem::Unreadable(error.to_string()))?;
        self.at = self.at.saturating_add(bytes.len() as u64);
        Ok(bytes)
    }

    /// Nothing where the end comes before.
    fn array<const LENGTH: usize>(&mut self) -> Result<Option<[u8; LENGTH]>, JournalProblem> {
        Ok(self.bytes(LENGTH as u64)?.try_into().ok())
    }

    /// The head of the next entry, or nothing at the end and where the head is cut off.
    fn head(&mut self) -> Result<Option<Head>, JournalProblem> {
        let at = self.at;
        let Some(bytes) = self.array::<ENTRY>()? else { return Ok(None) };
        // Data of some size are written before their head.
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

    /// The payload and the data of an entry, or nothing where they are cut off.
    fn content(&mut self, head: &Head) -> Result<Option<Content>, JournalProblem> {
        let payload = self.bytes(head.payload)?;
        let data = self.bytes(head.data)?;
        let is_whole = (payload.len() as u64, data.len() as u64) == (head.payload, head.data);
        Ok(is_whole.then_some(Content { payload, data }))
    }
}

/// FNV-1a over little-endian words of eight bytes; each part is filled with zeros to whole words.
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
