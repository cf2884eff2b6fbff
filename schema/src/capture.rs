//! Captures and goldens as files.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::class::FORMAT;
use crate::commands;
use crate::container::{self, Container, StoredProgram};
use crate::error::{CaptureError, ErrorLocation, Part, Path, Problem};
use crate::minor::ForMinor;
use crate::model::{
    Blobs, Capture, Command, ContentHash, Expectation, OutputHash, ProgramPart, Record, SharedBytes,
};
use crate::{VERSION, Version, limits, minor, validate, wire};

/// The canonical bytes of a program: the same calls give the same bytes on every machine, in every
/// run and in every build.
///
/// # Errors
/// The program breaks a rule of the format.
pub fn program_bytes(program: &ProgramPart) -> Result<Vec<u8>, CaptureError> {
    program.validate()?;
    let bytes = wire::encode_program(program);
    let path = Path::root(Part::Program);
    path.at_most("bytes of the program part", bytes.len() as u64, limits::PROGRAM_BYTES)?;
    Ok(bytes)
}

/// The hash of [`program_bytes`], which identifies a program.
///
/// # Errors
/// The program breaks a rule of the format.
pub fn program_hash(program: &ProgramPart) -> Result<ContentHash, CaptureError> {
    Ok(ContentHash::of(&program_bytes(program)?))
}

/// Reads a program part alone: checks its structure, its rules, and that it is in canonical form.
///
/// # Errors
/// The first problem and its place.
pub fn program_from_bytes(bytes: &[u8]) -> Result<ProgramPart, CaptureError> {
    let program = wire::program(bytes)?;
    program.validate()?;
    let again = wire::encode_program(&program);
    if again != bytes {
        let same = again.iter().zip(bytes).take_while(|(again, given)| again == given).count();
        let place = ErrorLocation::ByteOfPart { part: Part::Program, byte: same as u64 };
        CaptureError { place, problem: Problem::NotCanonical }.refuse()?;
    }
    Ok(program)
}

/// Checks that a reader of the format's minor version `minor` knows everything in a program part.
///
/// # Errors
/// [`Problem::NotInOlderFormat`] names the first item that such a reader does not know.
pub fn check_program(program: &ProgramPart, minor: u16) -> Result<(), CaptureError> {
    minor::for_minor(&FORMAT, Part::Program, wire::encode_program(program), minor).map(|_| ())
}

fn record_bytes(record: &Record) -> Result<Vec<u8>, CaptureError> {
    let bytes = wire::encode_record(record);
    let path = Path::root(Part::Record);
    path.at_most("bytes of the record part", bytes.len() as u64, limits::RECORD_BYTES)?;
    Ok(bytes)
}

impl Capture {
    /// The capture as a file. The same value always gives the same bytes.
    ///
    /// # Errors
    /// The capture breaks a rule of the format: [`Self::from_bytes`] accepts everything that this writes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, CaptureError> {
        self.to_bytes_for(VERSION.minor)
    }

    /// The capture as a file for readers of the format's minor version `minor`. Droppable record fields of
    /// later versions are left out.
    ///
    /// # Errors
    /// As [`Self::to_bytes`]; and [`Problem::NotInOlderFormat`] if the capture holds a later item that is not
    /// droppable. Nothing in a program part is droppable.
    pub fn to_bytes_for(&self, minor: u16) -> Result<Vec<u8>, CaptureError> {
        self.validate()?;
        let program = program_bytes(&self.program)?;
        let program = match minor::for_minor(&FORMAT, Part::Program, program, minor)? {
            // No field of a program is droppable.
            ForMinor::AsItIs(bytes) | ForMinor::Reduced(bytes) => bytes,
        };
        let record = match &self.record {
            None => None,
            Some(record) => {
                Some(match minor::for_minor(&FORMAT, Part::Record, record_bytes(record)?, minor)? {
                    ForMinor::AsItIs(bytes) => bytes,
                    // `Reduced` bytes keep unreferenced content; encoding the record again removes it.
                    ForMinor::Reduced(bytes) => record_bytes(&wire::record(&bytes)?)?,
                })
            }
        };
        let program = StoredProgram::Bytes(&program);
        container::write(program, &self.outputs, record.as_deref(), &self.blobs)
    }

    /// The lowest version of the format that holds the capture. Its files state this version.
    pub fn version(&self) -> Version {
        let program = wire::encode_program(&self.program);
        let record = self.record.as_ref().map(wire::encode_record);
        let of_program = minor::lowest(&FORMAT, Part::Program, &program).minor;
        let of_record =
            record.map_or(0, |record| minor::lowest(&FORMAT, Part::Record, &record).minor);
        Version { minor: of_program.max(of_record), ..VERSION }
    }

    /// Reads an untrusted file: checks trailer, identifier, version, structure, rules, and that the program
    /// part is in canonical form. Time and memory are bounded by a small multiple of the file's length.
    ///
    /// # Errors
    /// The first problem, its place, and how to fix it.
    pub fn from_bytes(file: &[u8]) -> Result<Self, CaptureError> {
        Self::open(&file.into())
    }

    /// As [`Self::from_bytes`], without a copy: the capture's blobs are parts of the file.
    ///
    /// # Errors
    /// As [`Self::from_bytes`].
    pub fn open(file: &SharedBytes) -> Result<Self, CaptureError> {
        let Container { version, program, outputs, record, blobs } = container::open(file)?;
        let program = match program {
            StoredProgram::Bytes(bytes) => {
                let program = program_from_bytes(bytes)?;
                minor::check_stamp(version, Part::Program, bytes)?;
                program
            }
            StoredProgram::Digest(_) => {
                let reason = "the file is a golden that holds only the hash of its program part";
                let path = Path::root(Part::Container);
                return Err(path.field("program_digest").error(Problem::Unexpected { reason }));
            }
        };
        let record = match record {
            None => None,
            Some(bytes) => {
                let record = wire::record(bytes)?;
                minor::check_stamp(version, Part::Record, bytes)?;
                Some(record)
            }
        };
        validate::outputs(&outputs, Some(&program)).or_else(CaptureError::refuse)?;
        if let Some(record) = &record {
            let checked = validate::record(record, &program, &outputs);
            checked.or_else(CaptureError::refuse)?;
        }
        Ok(Self { program, record, outputs, blobs })
    }

    /// The hashes of data, sources and ELFs that the capture refers to and does not embed, each once,
    /// ascending. A self-contained capture has none.
    pub fn missing_blobs(&self) -> Vec<ContentHash> {
        let mut wanted: Vec<ContentHash> =
            self.program.sources.iter().map(|source| source.hash).collect();
        for recorded in &self.program.commands {
            let data = match &recorded.command {
                Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer { data, .. })
                | Command::EnqueueReadBuffer(commands::EnqueueReadBuffer {
                    expectation: Expectation::Reference { data, .. },
                    ..
                }) => data,
                _ => continue,
            };
            if data.generator.is_none() {
                wanted.push(data.hash);
            }
        }
        let elfs = self.record.iter().flat_map(|record| &record.elfs);
        wanted.extend(elfs.map(|elf| elf.hash));
        wanted.retain(|hash| !self.blobs.contains_key(hash));
        wanted.sort_unstable();
        wanted.dedup();
        wanted
    }

    /// The hashes of the bytes that the reads returned, in the order of the reads, from the record.
    pub fn outputs_of_reads(&self) -> Vec<OutputHash> {
        let reads = self.record.iter().flat_map(|record| &record.reads);
        reads
            .filter_map(|read| {
                let index = usize::try_from(read.command.0).ok()?;
                let Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { output, .. }) =
                    &self.program.commands.get(index)?.command
                else {
                    return None;
                };
                Some(OutputHash { name: output.clone(), length: read.length, hash: read.hash })
            })
            .collect()
    }

    /// The bytes with this hash that a read returned, from a blob or from a write's generator. `None` if the
    /// capture holds neither.
    pub fn returned_bytes(&self, hash: ContentHash) -> Option<Cow<'_, [u8]>> {
        if let Some(bytes) = self.blobs.get(&hash) {
            return Some(Cow::Borrowed(&**bytes));
        }
        self.program.commands.iter().find_map(|recorded| match &recorded.command {
            Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer { data, .. })
                if data.hash == hash =>
            {
                data.bytes(&self.blobs).ok()
            }
            _ => None,
        })
    }
}

/// The expected result of a test: the program part or its hash, and the hashes of the checked outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Golden {
    /// The program part, whole or as a hash.
    pub program: GoldenProgram,
    /// The output hashes in the order of the reads; reads that are unchecked or compared with a tolerance have
    /// none.
    pub outputs: Vec<OutputHash>,
}

/// A golden's program part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GoldenProgram {
    /// The whole part.
    Whole(ProgramPart),
    /// The hash of its bytes, for a case with `golden: digest`.
    Digest(ContentHash),
}

impl Golden {
    /// The golden of a capture. With `digest`, it keeps only the hash of the program part.
    ///
    /// # Errors
    /// The program breaks a rule of the format.
    pub fn of(capture: &Capture, digest: bool) -> Result<Self, CaptureError> {
        let program = if digest {
            GoldenProgram::Digest(program_hash(&capture.program)?)
        } else {
            GoldenProgram::Whole(capture.program.clone())
        };
        // An inexact output may differ between devices, so its hash says nothing about another device.
        let inexact: HashSet<&str> = capture
            .program
            .commands
            .iter()
            .filter_map(|recorded| match &recorded.command {
                Command::EnqueueReadBuffer(commands::EnqueueReadBuffer {
                    output,
                    expectation: Expectation::Unchecked { .. } | Expectation::Reference { .. },
                    ..
                }) => Some(output.as_str()),
                _ => None,
            })
            .collect();
        let mut outputs = capture.outputs.clone();
        outputs.retain(|output| !inexact.contains(output.name.as_str()));
        Ok(Self { program, outputs })
    }

    /// The hash of the program bytes that a test must produce.
    ///
    /// # Errors
    /// The program breaks a rule of the format.
    pub fn program_hash(&self) -> Result<ContentHash, CaptureError> {
        match &self.program {
            GoldenProgram::Whole(program) => program_hash(program),
            GoldenProgram::Digest(digest) => Ok(*digest),
        }
    }

    /// The golden as a file.
    ///
    /// # Errors
    /// The golden breaks a rule of the format, or is larger than [`limits::GOLDEN_BYTES`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, CaptureError> {
        let none = Blobs::new();
        let file = match &self.program {
            GoldenProgram::Whole(program) => {
                validate::outputs(&self.outputs, Some(program))?;
                let bytes = program_bytes(program)?;
                container::write(StoredProgram::Bytes(&bytes), &self.outputs, None, &none)?
            }
            GoldenProgram::Digest(digest) => {
                validate::outputs(&self.outputs, None)?;
                container::write(StoredProgram::Digest(*digest), &self.outputs, None, &none)?
            }
        };
        Self::check_size(&file)?;
        Ok(file)
    }

    /// Reads a golden, which has neither record nor blobs.
    ///
    /// # Errors
    /// The first problem, its place, and how to fix it.
    pub fn from_bytes(file: &[u8]) -> Result<Self, CaptureError> {
        Self::check_size(file)?;
        let file = SharedBytes::from(file);
        let Container { version, program, outputs, record, blobs } = container::open(&file)?;
        let path = Path::root(Part::Container);
        if record.is_some() {
            let reason = "a golden says what must come out, not where it ran";
            return Err(path.field("record").error(Problem::Unexpected { reason }));
        }
        if !blobs.is_empty() {
            let reason = "a golden refers to data by hash";
            return Err(path.field("blobs").error(Problem::Unexpected { reason }));
        }
        let program = match program {
            StoredProgram::Bytes(bytes) => {
                let program = program_from_bytes(bytes)?;
                minor::check_stamp(version, Part::Program, bytes)?;
                validate::outputs(&outputs, Some(&program))?;
                GoldenProgram::Whole(program)
            }
            StoredProgram::Digest(digest) => {
                validate::outputs(&outputs, None)?;
                GoldenProgram::Digest(digest)
            }
        };
        Ok(Self { program, outputs })
    }

    fn check_size(file: &[u8]) -> Result<(), CaptureError> {
        let path = Path::root(Part::Container);
        path.at_most("bytes of a golden", file.len() as u64, limits::GOLDEN_BYTES)
    }
}
