//! `hallmark schema`.

use clap::Args;

use super::{Common, Failed, output};
use crate::suite::reference::{REFERENCE_PATH, SCHEMA_PATH, json_schema, markdown};
use crate::verdict::ExitCode;
use crate::whole_file;

#[derive(Clone, Debug, Args)]
pub(super) struct SchemaArguments {
    /// The reference in Markdown instead of the JSON Schema
    #[arg(long, conflicts_with = "write")]
    markdown: bool,
    /// Write both into the root: suites/schema.json and suites/README.md
    #[arg(long)]
    write: bool,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(arguments: &SchemaArguments) -> Result<ExitCode, Failed> {
    if !arguments.write {
        output::say_raw(&if arguments.markdown { markdown() } else { json_schema() });
        return Ok(ExitCode::SUCCESS);
    }
    let root = arguments.common.root()?;
    for (path, text) in [(SCHEMA_PATH, json_schema()), (REFERENCE_PATH, markdown())] {
        whole_file::write(&root.folder().join(path), text.as_bytes()).map_err(|error| {
            Failed::new(ExitCode::INTERNAL, format!("{path} cannot be written: {error}"))
        })?;
        output::say(&format!("wrote {path}"));
    }
    Ok(ExitCode::SUCCESS)
}
