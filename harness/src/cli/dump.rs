//! `hallmark dump`: writes a capture as text, as JSON lines, or as a suite.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use hallmark_pipeline::quoted;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_report::untrusted::{for_json, for_terminal};
use hallmark_schema::{dump as text_of, to_jsonl};

use super::capture_file::write;
use super::options::RootOption;
use super::subject::Subject;
use super::{Failed, dump_yaml, output};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum DumpFormat {
    /// Readable text
    #[default]
    Text,
    /// One line of JSON for each command; `hallmark dump` reads this form, too
    Jsonl,
    /// A folder with a suite, its kernels and its data, to be run with --root
    Yaml,
}

#[derive(Clone, Debug, Args)]
pub(super) struct DumpArguments {
    /// A capture, a golden, JSON lines, a journal that a crash left behind, or the name of a test
    #[arg(value_name = "CAPTURE|TEST")]
    subject: Subject,
    #[command(flatten)]
    root: RootOption,
    /// The form of the text
    #[arg(long, value_enum, default_value_t)]
    format: DumpFormat,
    /// A file, or for yaml a folder that does not exist yet [default: stdout]
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
}

pub(super) fn run(arguments: &DumpArguments) -> Result<ExitCode, Failed> {
    let capture = arguments.subject.capture(&arguments.root)?;
    let text = match arguments.format {
        DumpFormat::Text => for_terminal(&text_of(&capture)),
        DumpFormat::Jsonl => for_json(&to_jsonl(&capture)),
        DumpFormat::Yaml => {
            let Some(folder) = &arguments.output else {
                return Err(Failed::new(
                    ExitCode::USAGE,
                    "yaml is written to a folder; name the folder with -o",
                ));
            };
            let test = dump_yaml::write(&capture, folder, &dump_yaml::Heading::default())?;
            output::say(&format!(
                "{}: hallmark run --root {} --exact {test}",
                folder.display(),
                quoted(&folder.display().to_string())
            ));
            return Ok(ExitCode::SUCCESS);
        }
    };
    match &arguments.output {
        Some(path) => write(path, text.as_bytes())?,
        None => output::say_raw(&text),
    }
    Ok(ExitCode::SUCCESS)
}
