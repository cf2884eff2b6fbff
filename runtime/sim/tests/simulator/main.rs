//! The simulator through the PCIe device that the rest of Hallmark sees. Programs are written with a
//! small assembler of the tests' own.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod activity;
mod annotated_memory;
mod assembler;
mod awaited;
mod bars;
mod blackhole;
mod blackhole_cache;
mod blackhole_instructions;
mod circular_buffers;
mod coprocessor;
mod driver;
mod faults;
mod grayskull;
mod harvesting;
mod hostile;
mod instructions;
mod landings;
mod last_writer;
mod noc;
mod parking;
mod poison;
mod races;
mod requests_under_way;
mod stale_text;
mod stated_arguments;
mod support;
mod tile;
mod words;
