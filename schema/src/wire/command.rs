//! A command on the wire: what the schema says, as generated, and what a planted defect makes of it.

use flatbuffers::{UnionWIPOffset, WIPOffset};

use super::read::required;
use super::table::Builder;
use crate::commands::Command;
use crate::error::{CaptureError, Path};
use crate::generated::{capture as fb, commands as generated};

mod defects;

/// Writes a command and says which member of the union it is.
pub(crate) fn encode_command<'b>(
    builder: &mut Builder<'b>,
    command: &Command,
) -> (fb::Command, WIPOffset<UnionWIPOffset>) {
    generated::encode_command(builder, &defects::encoded(command))
}

/// The command that a recorded command holds.
pub(crate) fn command_of_recorded(
    recorded: &fb::RecordedCommand<'_>,
    path: &Path<'_>,
) -> Result<Command, CaptureError> {
    let command = generated::recorded_command_command(recorded, path)?;
    Ok(defects::decoded(required(command, path)?))
}

/// The command that a journal's entry holds.
pub(crate) fn command_of_begun(
    begun: &fb::CommandBegun<'_>,
    path: &Path<'_>,
) -> Result<Command, CaptureError> {
    let command = generated::command_begun_command(begun, path)?;
    Ok(defects::decoded(required(command, path)?))
}
