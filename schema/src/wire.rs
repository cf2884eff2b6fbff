//! Model values to FlatBuffers and back, one part at a time.

mod common;
mod decode_command;
mod decode_program;
mod decode_record;
mod encode_command;
mod encode_record;
mod read;

pub(crate) use common::{Wire, unknown_value};
pub(crate) use decode_command::{command_of_begun, outcome};
pub(crate) use decode_program::program;
pub(crate) use decode_record::{
    addresses, chip, collected, elfs, faults, firmware, read_result, record, waits,
};
pub(crate) use encode_command::{
    Builder, encode_command, encode_failure, encode_program, outcome_kind, string, tables, vector,
};
pub(crate) use encode_record::{
    encode_addresses, encode_chip, encode_collected, encode_elfs, encode_faults, encode_firmware,
    encode_read_result, encode_record, encode_waits,
};
pub(crate) use read::{check_fields, hash, list, required, root, text};
