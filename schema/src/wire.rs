//! Model values to FlatBuffers and back, one part at a time.

mod command;
mod common;
mod decode_program;
mod decode_record;
mod device_requirements;
mod encode_program;
mod encode_record;
mod free_tensor;
mod origin;
mod outcome;
pub(crate) mod read;
pub(crate) mod table;

pub(crate) use command::{command_of_begun, encode_command};
pub(crate) use common::{Wire, unknown_value};
pub(crate) use decode_program::program;
pub(crate) use decode_record::{
    addresses, checks, chip, collected, elfs, faults, firmware, read_result, record, waits,
};
pub(crate) use device_requirements::{decode_device_requirements, encode_device_requirements};
pub(crate) use encode_program::encode_program;
pub(crate) use encode_record::{
    encode_addresses, encode_checks, encode_chip, encode_collected, encode_elfs, encode_faults,
    encode_firmware, encode_read_result, encode_record, encode_waits,
};
pub(crate) use outcome::{encode_failure, outcome, outcome_kind};
pub(crate) use read::{check_fields, hash, list, required, root, text};
pub(crate) use table::{Builder, string, tables, vector};
