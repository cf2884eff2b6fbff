//! The rules that the structure of a FlatBuffer cannot express.
//!
//! They apply in full to commands recorded as done. A failed command may have any content within the limits, as
//! long as every id in it was once created, because the content may be the cause of its failure.

mod checker;
mod free_tensors;
mod objects;
mod origin;
mod record;
mod text;
mod traces;

use crate::commands;
use crate::error::{CaptureError, Part, Path, Rule};
use crate::limits;
use crate::model::{Capture, Command, CommandIndex, ContentHash, Outcome, OutputHash, ProgramPart};

pub(crate) use checker::{Checker, check_core_count, check_inside, core_count};
pub(crate) use objects::{Buffer, CircularBuffer};
pub(crate) use record::record;
pub(crate) use text::{
    argument_name as check_argument_name, define as check_define, name as check_name,
    object_name as check_object_name, reason as check_reason,
};
pub use text::{is_argument_name, is_definition};

impl Capture {
    /// Checks every rule of the format.
    ///
    /// # Errors
    /// The first rule that is broken, with its place.
    pub fn validate(&self) -> Result<(), CaptureError> {
        self.program.validate()?;
        outputs(&self.outputs, Some(&self.program)).or_else(CaptureError::refuse)?;
        if let Some(record) = &self.record {
            let checked = self::record(record, &self.program, &self.outputs);
            checked.or_else(CaptureError::refuse)?;
        }
        self.check_blobs().or_else(CaptureError::refuse)
    }

    fn check_blobs(&self) -> Result<(), CaptureError> {
        let root = Path::root(Part::Container);
        let path = root.field("blobs");
        path.at_most("blobs", self.blobs.len() as u64, limits::BLOBS)?;
        let total =
            self.blobs.values().fold(0_u64, |sum, blob| sum.saturating_add(blob.len() as u64));
        path.at_most("bytes of blobs", total, limits::CAPTURE_BYTES)?;
        for (index, (stored, content)) in self.blobs.iter().enumerate() {
            let computed = ContentHash::of(content);
            if computed != *stored {
                let rule = Rule::BlobHash { stored: *stored, computed };
                return Err(path.index(index).error(rule));
            }
        }
        Ok(())
    }
}

impl ProgramPart {
    /// Checks every rule of the program part.
    ///
    /// # Errors
    /// The first rule that is broken, with its place.
    pub fn validate(&self) -> Result<(), CaptureError> {
        self.check_rules().or_else(CaptureError::refuse)
    }

    fn check_rules(&self) -> Result<(), CaptureError> {
        let root = Path::root(Part::Program);
        let crate::model::Grid { columns, rows } = self.grid;
        if columns == 0 || rows == 0 {
            return Err(root.field("grid").error(Rule::EmptyGrid { columns, rows }));
        }
        let side = columns.max(rows).into();
        root.field("grid").at_most("columns or rows", side, limits::GRID_SIDE.into())?;
        let queues = self.num_command_queues;
        if !(1..=limits::COMMAND_QUEUES).contains(&queues) {
            return Err(root.field("num_command_queues").error(Rule::CommandQueues { queues }));
        }
        let path = root.field("trace_region_size");
        path.at_most("bytes", self.trace_region_size, limits::TRACE_REGION_BYTES)?;
        for (field, bytes) in
            [("l1_small_size", self.l1_small_size), ("worker_l1_size", self.worker_l1_size)]
        {
            root.field(field).at_most("bytes", bytes, limits::L1_REGION_BYTES)?;
        }
        let path = root.field("sources");
        path.at_most("sources", self.sources.len() as u64, limits::SOURCES)?;
        let mut before: Option<&str> = None;
        for (index, source) in self.sources.iter().enumerate() {
            let path = path.index(index);
            text::relative_path(&source.path, &path.field("path"))?;
            if before.is_some_and(|before| before >= source.path.as_str()) {
                return Err(path.error(Rule::NotAscending));
            }
            before = Some(&source.path);
        }
        let path = root.field("commands");
        path.at_most("commands", self.commands.len() as u64, limits::COMMANDS)?;
        self.check_commands().map_err(|(_, error)| error)?;
        let path = root.field("free_tensors");
        path.at_most("tensors", self.free_tensors.len() as u64, limits::FREE_TENSORS)?;
        self.check_free_tensors().map_err(|(_, error)| error)
    }

    /// The first command that breaks a rule alone or together with the commands before it.
    pub fn refused_command(&self) -> Option<CommandIndex> {
        let (index, _) = self.check_commands().err()?;
        u32::try_from(index).ok().map(CommandIndex)
    }

    /// The first input or output of a binary that breaks a rule together with the commands and the tensors
    /// before it.
    pub fn refused_free_tensor(&self) -> Option<usize> {
        self.check_free_tensors().err().map(|(index, _)| index)
    }

    fn check_commands(&self) -> Result<(), (usize, CaptureError)> {
        let root = Path::root(Part::Program);
        let path = root.field("commands");
        let mut checker = Checker::new(self);
        for (index, recorded) in self.commands.iter().enumerate() {
            let path = path.index(index);
            let after = self.commands.len() - index - 1;
            if recorded.outcome == Outcome::Unfinished && after > 0 {
                let rule = Rule::UnfinishedNotLast { after: after as u64 };
                return Err((index, path.error(rule)));
            }
            let checked = checker.check(index, recorded, &path).or_else(CaptureError::refuse);
            checked.map_err(|error| (index, error))?;
        }
        Ok(())
    }

    /// The output names of the reads, in their order. A failed read has no output.
    pub fn output_names(&self) -> impl Iterator<Item = &str> {
        self.commands.iter().filter_map(|recorded| match (&recorded.command, &recorded.outcome) {
            (
                Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { output, .. }),
                Outcome::Done | Outcome::Unfinished,
            ) => Some(output.as_str()),
            _ => None,
        })
    }
}

/// Checks that outputs have the names of reads, in the order of the reads.
pub(crate) fn outputs(
    outputs: &[OutputHash],
    program: Option<&ProgramPart>,
) -> Result<(), CaptureError> {
    let root = Path::root(Part::Container);
    let path = root.field("outputs");
    path.at_most("outputs", outputs.len() as u64, limits::COMMANDS)?;
    let mut names = program.map(ProgramPart::output_names);
    for (index, output) in outputs.iter().enumerate() {
        let path = path.index(index);
        text::name(&output.name, &path.field("name"))?;
        path.field("length").at_most("bytes", output.length, limits::DATA_BYTES)?;
        // `any` consumes the names up to the one it finds, so it also checks the order.
        if let Some(names) = &mut names
            && !names.any(|name| name == output.name)
        {
            return Err(path.error(Rule::OutputUnknown { name: output.name.clone() }));
        }
    }
    Ok(())
}
