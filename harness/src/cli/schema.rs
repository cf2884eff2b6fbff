//! `hallmark schema`.

use clap::Args;
use hallmark_execution::whole_file;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_suite::reference::{fragments_json_schema, json_schema, markdown};

use super::generated_files::generated_files;
use super::options::RootOption;
use super::{Failed, output};

#[derive(Clone, Debug, Args)]
pub(super) struct SchemaArguments {
    /// Print the reference of suites in Markdown instead of the JSON Schema
    #[arg(long, conflicts_with_all = ["write", "fragments"])]
    markdown: bool,
    /// Print the JSON Schema of files of fragments instead of that of suites
    #[arg(long, conflicts_with = "write")]
    fragments: bool,
    /// Write both, the schema of conformance profiles and the reference into the folder `suites`
    #[arg(long)]
    write: bool,
    #[command(flatten)]
    root: RootOption,
}

pub(super) fn run(arguments: &SchemaArguments) -> Result<ExitCode, Failed> {
    if !arguments.write {
        output::say_raw(&match (arguments.markdown, arguments.fragments) {
            (true, _) => markdown(),
            (false, true) => fragments_json_schema(),
            (false, false) => json_schema(),
        });
        return Ok(ExitCode::SUCCESS);
    }
    let root = arguments.root.find()?;
    for (path, text) in generated_files() {
        whole_file::write(&root.folder().join(path), text.as_bytes()).map_err(|error| {
            Failed::new(ExitCode::INTERNAL, format!("{path} cannot be written: {error}"))
        })?;
        output::say(&format!("wrote {path}"));
    }
    Ok(ExitCode::SUCCESS)
}
