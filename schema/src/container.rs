//! The file: a FlatBuffer at offset 0 with version, parts and blobs, then a trailer.
//!
//! The trailer is 40 bytes: `HLMKBLK3`, then the BLAKE3 hash of everything before the hash.

use crate::class::FORMAT;
use crate::error::{CaptureError, ErrorLocation, Part, Path, Problem, Rule, Version};
use crate::generated::capture as fb;
use crate::model::{Blobs, ContentHash, OutputHash, SharedBytes};
use crate::wire::{self, Wire};
use crate::{VERSION, limits, minor};

const TRAILER_MAGIC: &[u8; 8] = b"HLMKBLK3";
const TRAILER_BYTES: usize = 40;
/// The offset to the root and the identifier.
const HEADER_BYTES: usize = 8;

/// The program part in the file, or its hash in a golden.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StoredProgram<'b> {
    Bytes(&'b [u8]),
    Digest(ContentHash),
}

/// A file's content before its parts are read.
#[derive(Debug)]
pub(crate) struct Container<'b> {
    /// The format version that the file states.
    pub(crate) version: Version,
    pub(crate) program: StoredProgram<'b>,
    pub(crate) outputs: Vec<OutputHash>,
    pub(crate) record: Option<&'b [u8]>,
    pub(crate) blobs: Blobs,
}

/// Writes a file that states the lowest minor version able to hold its content.
pub(crate) fn write(
    program: StoredProgram<'_>,
    outputs: &[OutputHash],
    record: Option<&[u8]>,
    blobs: &Blobs,
) -> Result<Vec<u8>, CaptureError> {
    let of_program = match program {
        StoredProgram::Bytes(bytes) => minor::lowest(&FORMAT, Part::Program, bytes).minor,
        StoredProgram::Digest(_) => 0,
    };
    let of_record = record.map_or(0, |record| minor::lowest(&FORMAT, Part::Record, record).minor);
    let of_parts = of_program.max(of_record);
    let mut bytes = buffer(program, outputs, record, blobs, of_parts);
    let of_container = minor::lowest(&FORMAT, Part::Container, &bytes).minor;
    if of_container > of_parts {
        bytes = buffer(program, outputs, record, blobs, of_container);
    }
    bytes.extend_from_slice(TRAILER_MAGIC);
    let hash = ContentHash::of(&bytes);
    bytes.extend_from_slice(&hash.0);
    let path = Path::root(Part::Container);
    path.at_most("bytes", bytes.len() as u64, limits::CAPTURE_BYTES)?;
    Ok(bytes)
}

/// The file without its trailer.
fn buffer(
    program: StoredProgram<'_>,
    outputs: &[OutputHash],
    record: Option<&[u8]>,
    blobs: &Blobs,
    minor: u16,
) -> Vec<u8> {
    let mut builder = wire::Builder::new();
    // An empty vector of an aligned type makes the builder align the whole buffer to 16; no field refers to the
    // vector.
    builder.start_vector::<fb::BlobAlignment>(0);
    builder.end_vector::<fb::BlobAlignment>(0);
    let blobs = wire::tables(&mut builder, blobs, |builder, (hash, content)| {
        // The buffer grows towards its front, so the space before the content is pushed first.
        let used = builder.unfinished_data().len().wrapping_add(content.len());
        for _ in used..used.next_multiple_of(16) {
            builder.push(0_u8);
        }
        let content = Some(builder.create_vector(content));
        fb::Blob::create(builder, &fb::BlobArgs { hash: Some(&hash.to_wire()), content })
    });
    let record = record.map(|record| builder.create_vector(record));
    let outputs = wire::tables(&mut builder, outputs, |builder, output| {
        let name = wire::string(builder, &output.name);
        let hash = output.hash.to_wire();
        let args = fb::OutputHashArgs { name, length: output.length, hash: Some(&hash) };
        fb::OutputHash::create(builder, &args)
    });
    let (program, program_digest) = match program {
        StoredProgram::Bytes(bytes) => (Some(builder.create_vector(bytes)), None),
        StoredProgram::Digest(digest) => (None, Some(digest.to_wire())),
    };
    let args = fb::CaptureArgs {
        major: VERSION.major,
        minor,
        program,
        program_digest: program_digest.as_ref(),
        outputs,
        record,
        blobs,
    };
    let root = fb::Capture::create(&mut builder, &args);
    builder.finish(root, Some(fb::CAPTURE_IDENTIFIER));
    builder.finished_data().to_vec()
}

/// Checks a file from the outside in and splits it into parts. Only lists and names are copied.
pub(crate) fn open(file: &SharedBytes) -> Result<Container<'_>, CaptureError> {
    let path = Path::root(Part::Container);
    path.at_most("bytes", file.len() as u64, limits::CAPTURE_BYTES)?;
    let bytes = without_trailer(file)?;
    check_identifier(bytes)?;
    let version = check_version(bytes)?;
    let form = wire::root::<fb::Capture<'_>>(Part::Container, bytes)?;
    wire::check_fields(&form, &path)?;
    let program = match (form.program(), form.program_digest()) {
        (Some(program), None) => StoredProgram::Bytes(program.bytes()),
        (None, Some(digest)) => StoredProgram::Digest(ContentHash::from_wire(*digest, &path)?),
        (None, None) => return Err(path.field("program").error(Problem::Missing)),
        (Some(_), Some(_)) => {
            let reason = "the program part itself is there";
            return Err(path.field("program_digest").error(Problem::Unexpected { reason }));
        }
    };
    let outputs = wire::list(form.outputs(), &path.field("outputs"), |output, path| {
        wire::check_fields(&output, path)?;
        Ok(OutputHash {
            name: wire::text(output.name()),
            length: output.length(),
            hash: wire::hash(output.hash(), &path.field("hash"))?,
        })
    })?;
    let blobs = blobs(&form, file, &path.field("blobs"))?;
    minor::check_stamp(version, Part::Container, bytes)?;
    let record = form.record().map(|record| record.bytes());
    Ok(Container { version, program, outputs, record, blobs })
}

fn blobs(
    form: &fb::Capture<'_>,
    file: &SharedBytes,
    path: &Path<'_>,
) -> Result<Blobs, CaptureError> {
    let count = form.blobs().map_or(0, |blobs| blobs.len());
    path.at_most("blobs", count as u64, limits::BLOBS)?;
    let mut blobs = Blobs::new();
    // The verifier lets blobs share content, and bounds their total only loosely.
    let mut total = 0_u64;
    wire::list(form.blobs(), path, |blob, path| {
        wire::check_fields(&blob, path)?;
        let stored = wire::hash(blob.hash(), &path.field("hash"))?;
        let content = wire::required(blob.content(), &path.field("content"))?.bytes();
        total = total.saturating_add(content.len() as u64);
        path.at_most("bytes of blobs", total, file.len() as u64)?;
        let offset = content.as_ptr().addr().wrapping_sub(file.as_ptr().addr());
        if !offset.is_multiple_of(16) {
            let reason = "the content does not start at a multiple of 16";
            return Err(path.field("content").error(Problem::Unexpected { reason }));
        }
        let computed = ContentHash::of(content);
        if computed != stored {
            return Err(path.error(Rule::BlobHash { stored, computed }));
        }
        if blobs.last_key_value().is_some_and(|(before, _)| *before >= stored) {
            return Err(path.error(Rule::NotAscending));
        }
        blobs.insert(stored, file.part(content));
        Ok(())
    })?;
    Ok(blobs)
}

const fn at(byte: usize, problem: Problem) -> CaptureError {
    CaptureError { place: ErrorLocation::Byte(byte as u64), problem }
}

fn without_trailer(file: &[u8]) -> Result<&[u8], CaptureError> {
    let length = file.len();
    let too_short = Problem::TooShort { length: length as u64 };
    let Some(start) = length.checked_sub(TRAILER_BYTES).filter(|start| *start >= HEADER_BYTES)
    else {
        return Err(at(length, too_short));
    };
    let (hashed, stored) = file.split_last_chunk::<32>().ok_or_else(|| at(length, too_short))?;
    let bytes = hashed.strip_suffix(TRAILER_MAGIC).ok_or_else(|| at(start, Problem::NoTrailer))?;
    let computed = ContentHash::of(hashed);
    let stored = ContentHash(*stored);
    if computed != stored {
        at(start, Problem::Corrupt { stored, computed }).refuse()?;
    }
    Ok(bytes)
}

fn check_identifier(bytes: &[u8]) -> Result<(), CaptureError> {
    // The library's own check panics on fewer than eight bytes, and compares only these bytes.
    let found = bytes.get(4..8).unwrap_or_default();
    if found != fb::CAPTURE_IDENTIFIER.as_bytes() {
        let found = found.escape_ascii().to_string();
        at(4, Problem::NotACapture { found }).refuse()?;
    }
    Ok(())
}

fn check_version(bytes: &[u8]) -> Result<Version, CaptureError> {
    // A newer format may hold anything but these two fields, so nothing else is verified yet.
    let form = wire::root::<fb::CaptureVersion<'_>>(Part::Container, bytes)?;
    let found = Version { major: form.major(), minor: form.minor() };
    let place = ErrorLocation::Field { part: Part::Container, path: "major".to_owned() };
    found.check_readable(place)?;
    Ok(found)
}

#[cfg(test)]
pub(crate) mod test_support {
    use super::*;

    /// A file with changed content, and a trailer recomputed for it.
    pub(crate) fn with_trailer_recomputed(mut file: Vec<u8>) -> Vec<u8> {
        let start = file.len() - 32;
        let hash = ContentHash::of(&file[..start]);
        file[start..].copy_from_slice(&hash.0);
        file
    }
}
