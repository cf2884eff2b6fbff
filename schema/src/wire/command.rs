//! A command on the wire: the generated encoding, and the changes of a planted defect.

use flatbuffers::{UnionWIPOffset, WIPOffset};

use super::read::required;
use super::table::Builder;
use crate::commands::Command;
use crate::error::{CaptureError, Path};
use crate::generated::{capture as fb, commands as generated};

mod defects;

/// Writes a command and returns its member number in the union.
pub(crate) fn encode_command<'b>(
    builder: &mut Builder<'b>,
    command: &Command,
) -> (fb::Command, WIPOffset<UnionWIPOffset>) {
    generated::encode_command(builder, &defects::encoded(command))
}

/// The command in a recorded command.
pub(crate) fn command_of_recorded(
    recorded: &fb::RecordedCommand<'_>,
    path: &Path<'_>,
) -> Result<Command, CaptureError> {
    let command = generated::recorded_command_command(recorded, path)?;
    Ok(defects::decoded(required(command, path)?))
}

/// The command in a journal's entry.
pub(crate) fn command_of_begun(
    begun: &fb::CommandBegun<'_>,
    path: &Path<'_>,
) -> Result<Command, CaptureError> {
    let command = generated::command_begun_command(begun, path)?;
    Ok(defects::decoded(required(command, path)?))
}
