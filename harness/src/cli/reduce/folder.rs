//! The folder of a reduction. Each file is written under a temporary name and renamed, so that no file is
//! partial.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use hallmark_execution::executor::{Executor, ExecutorChoice};
use hallmark_pipeline::quoted;
use hallmark_pipeline::signature::{self, Signature};
use hallmark_pipeline::verdict::ExitCode;
use hallmark_schema::model::Capture;
use hallmark_schema_editing::Edit;
use hallmark_triage::log::{Inputs, Line, Log};
use hallmark_triage::probe::Reference;
use hallmark_triage::reduce::Reduced;
use hallmark_triage::smallest_test::SmallestTest;

use super::regression::test_files;
use crate::cli::Failed;
use crate::cli::capture_file::write;
use crate::cli::dump_yaml::{self, Heading};
use crate::cli::paths::absolute;
use crate::cli::search_log;

/// The file of the smallest capture.
const REDUCED: &str = "reduced.lmb";
/// The file of its failure's signature.
const SIGNATURE: &str = "signature.json";
/// The file of the questions that were asked.
const LOG: &str = "log.jsonl";
/// The folder of the smallest capture as a suite.
const SUITE: &str = "suite";
/// The folder of the smallest test in the terms of its suite.
const TEST: &str = "test";
/// The folder of the kernels' texts, each with a script that reduces it.
const KERNELS: &str = "kernels";
/// The script that says whether a text still fails.
const INTERESTING: &str = "interesting.sh";
/// The golden that blessing the case would write.
const GOLDEN: &str = "golden.lmb";

/// A log that is open for writing.
pub(super) struct Begun {
    pub(super) log: Log<Vec<Edit>>,
    /// The lines that the log held already.
    pub(super) known: Vec<Line<Vec<Edit>>>,
}

/// The folder of a reduction.
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// A new folder; an existing one must be empty.
    pub(super) fn new(chosen: Option<&Path>, subject: &str) -> Result<Self, Failed> {
        let path = match chosen {
            Some(folder) => folder.to_owned(),
            None => {
                let name: String = Path::new(subject)
                    .file_stem()
                    .map_or_else(|| subject.into(), |stem| stem.to_string_lossy())
                    .replace("::", "-");
                let parent = Path::new("target/hallmark/triage");
                let numbered = (2..).map(|number: u32| parent.join(format!("{name}-{number}")));
                let mut paths = [parent.join(&name)].into_iter().chain(numbered);
                paths.find(|path| !path.exists()).unwrap_or_else(|| parent.join(&name))
            }
        };
        let is_free = match std::fs::read_dir(&path) {
            Ok(mut entries) => entries.next().is_none(),
            Err(_) => !path.exists(),
        };
        if !is_free {
            let text = format!(
                "{} is already there; name a folder that is not, or remove it",
                path.display()
            );
            return Err(Failed::new(ExitCode::USAGE, text));
        }
        Ok(Self { path: absolute(&path) })
    }

    /// The folder of a reduction that was stopped.
    pub(super) fn begun(folder: &Path) -> Result<Self, Failed> {
        if !folder.join(LOG).is_file() {
            let text = format!(
                "{} holds no {LOG}, so no reduction was stopped there; leave --resume out, or name its folder",
                folder.display()
            );
            return Err(Failed::new(ExitCode::USAGE, text));
        }
        Ok(Self { path: absolute(folder) })
    }

    /// Opens the log with the lines that it holds already.
    pub(super) fn log(&self, inputs: &Inputs, is_begun: bool) -> Result<Begun, Failed> {
        let file = self.path.join(LOG);
        let log = if is_begun {
            Log::resume(&file, inputs)
        } else {
            Log::create(&file, inputs).map(|log| (log, Vec::new()))
        };
        log.map(|(log, known)| Begun { log, known })
            .map_err(|error| search_log::unusable(error, is_begun))
    }

    /// Writes the smallest capture so far.
    pub(super) fn best(&self, capture: &Capture) -> Result<(), Failed> {
        write(&self.path.join(REDUCED), &bytes(capture)?)
    }

    /// Writes a capture that fails in another way; gives the name of its file.
    pub(super) fn also(
        &self,
        number: usize,
        signature: &Signature,
        candidate: &Capture,
    ) -> Result<String, Failed> {
        let name = format!("also/{number}-{}", signature.kind());
        write(&self.path.join(format!("{name}.lmb")), &bytes(candidate)?)?;
        self.signature(&format!("{name}.json"), signature)?;
        Ok(format!("{name}.lmb ({signature})"))
    }

    fn signature(&self, file: &str, signature: &Signature) -> Result<(), Failed> {
        let text =
            signature::text(signature).map_err(|error| Failed::new(ExitCode::INTERNAL, error))?;
        write(&self.path.join(file), text.as_bytes())
    }

    /// The lines that say how to see the failure again.
    pub(super) fn lines(
        &self,
        bad: &Executor,
        reference: &Reference,
        also: &[String],
    ) -> Vec<String> {
        let file = self.path.join(REDUCED);
        let again = |executor: &Executor| {
            let executor = in_quotes(&ExecutorChoice::spelling(executor));
            let file = quoted(&file.display().to_string());
            format!("hallmark replay {file} --device {executor}")
        };
        let mut lines = Vec::new();
        if let Reference::Executor(good) = reference {
            lines.push(format!("  good      {}", again(good)));
        }
        lines.push(format!("  bad       {}", again(bad)));
        match also {
            [] => {}
            [one] => lines.push(format!("  also      another failure was met and kept: {one}")),
            several => lines.push(format!(
                "  also      {} other failures were met and kept: {}",
                several.len(),
                several.join(", ")
            )),
        }
        lines.push(format!("  kept      {}", self.path.display()));
        lines
    }

    /// Writes all results at the end.
    pub(super) fn finish(
        &self,
        reduced: &Reduced,
        signature: &Signature,
        heading: &Heading,
        lines: &[String],
    ) -> Result<(), Failed> {
        self.best(&reduced.recorded)?;
        self.signature(SIGNATURE, signature)?;
        let edits = serde_json::to_string_pretty(&reduced.edits)
            .map_err(|error| Failed::new(ExitCode::INTERNAL, error))?;
        write(&self.path.join("edits.json"), edits.as_bytes())?;
        self.readme(lines)?;
        // A call that no suite can express must not lose the capture.
        let suite = self.anew(SUITE)?;
        if let Err(error) = dump_yaml::write(&reduced.recorded, &suite, heading) {
            let text = format!("{}\n", error.text);
            write(&self.path.join("no-suite.txt"), text.as_bytes())?;
        }
        Ok(())
    }
}

impl Folder {
    /// Writes the printed text to a file.
    fn readme(&self, lines: &[String]) -> Result<(), Failed> {
        let text = format!("```\n{}\n```\n", lines.join("\n"));
        write(&self.path.join("README.md"), text.as_bytes())
    }

    /// The path of a folder; removes the folder that an earlier reduction may have left there.
    fn anew(&self, name: &str) -> Result<PathBuf, Failed> {
        let folder = self.path.join(name);
        if folder.exists() {
            std::fs::remove_dir_all(&folder).map_err(|error| {
                let text = format!("{} cannot be replaced: {error}", folder.display());
                Failed::new(ExitCode::INTERNAL, text)
            })?;
        }
        Ok(folder)
    }

    /// Writes the smallest test as a root of its own; gives the root's folder.
    pub(super) fn test(&self, found: &SmallestTest, capture: &Capture) -> Result<PathBuf, Failed> {
        let root = self.anew(TEST)?;
        dump_yaml::write_root(&root, &test_files(found, capture)?)?;
        Ok(root)
    }

    /// Writes the golden of a case that was added elsewhere.
    pub(super) fn golden(&self, bytes: &[u8]) -> Result<(), Failed> {
        write(&self.path.join(GOLDEN), bytes)
    }

    /// Writes the results at the end if no capture was reduced.
    pub(super) fn finish_test(
        &self,
        signature: &Signature,
        lines: &mut Vec<String>,
    ) -> Result<(), Failed> {
        lines.push(format!("  kept      {}", self.path.display()));
        self.signature(SIGNATURE, signature)?;
        self.readme(lines)
    }

    /// Writes for each kernel its text and a script with which a reducer of C++ asks whether the failure still
    /// shows; gives the lines that say how to go on.
    pub(super) fn kernels(
        &self,
        capture: &Capture,
        bad: &Executor,
        reference: &Reference,
    ) -> Result<Vec<String>, Failed> {
        let test = dump_yaml::test_of(capture);
        let good = match reference {
            Reference::Recorded => "--good recorded".to_owned(),
            Reference::Executor(good) => {
                format!("--good {}", in_quotes(&ExecutorChoice::spelling(good)))
            }
        };
        let kernels = self.anew(KERNELS)?;
        let mut lines = Vec::new();
        for (number, source) in capture.program.sources.iter().enumerate() {
            let Some(text) = capture.blobs.get(&source.hash) else { continue };
            let file = source.path.rsplit('/').next().unwrap_or(&source.path);
            let folder = kernels.join(format!("{number}-{file}"));
            let script = format!(
                "#!/bin/sh\n\
                 # Exits with 0 if the failure is the same with the {file} of the current folder. The kernel is built anew.\n\
                 # HALLMARK names the executable if it is not on the path.\n\
                 set -e\n\
                 folder={folder}\n\
                 work=$(mktemp -d)\n\
                 trap 'rm -rf \"$work\"' EXIT\n\
                 cp -r \"$folder\"/{SUITE}/. \"$work\"\n\
                 cp {name} \"$work\"/suites/{path}\n\
                 \"${{HALLMARK:-hallmark}}\" capture --root \"$work\" {test} -o \"$work\"/candidate.lmb\n\
                 \"${{HALLMARK:-hallmark}}\" reproduce \"$work\"/candidate.lmb --signature \"$folder\"/{SIGNATURE} \\\n  \
                 --bad {bad} {good} --as reducer\n",
                folder = in_quotes(&self.path.display().to_string()),
                name = in_quotes(file),
                path = in_quotes(&source.path),
                bad = in_quotes(&ExecutorChoice::spelling(bad)),
            );
            write(&folder.join(file), text)?;
            let path = folder.join(INTERESTING);
            write(&path, script.as_bytes())?;
            std::fs::set_permissions(&path, Permissions::from_mode(0o755)).map_err(|error| {
                Failed::new(ExitCode::INTERNAL, format!("{}: {error}", path.display()))
            })?;
            let shown = in_quotes(&folder.display().to_string());
            let commands = ["cvise", "shrinkray"]
                .map(|reducer| format!("{reducer} ./{INTERESTING} {}", in_quotes(file)))
                .join("\n");
            write(&folder.join("commands.txt"), format!("cd {shown}\n{commands}\n").as_bytes())?;
            let line =
                format!("  kernel    cd {shown} && cvise ./{INTERESTING} {}", in_quotes(file));
            lines.push(line);
        }
        Ok(lines)
    }
}

/// A text as one word of a shell's command, in quotation marks even where it needs none.
fn in_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn bytes(capture: &Capture) -> Result<Vec<u8>, Failed> {
    capture.to_bytes().map_err(|error| Failed::new(ExitCode::INTERNAL, error))
}
