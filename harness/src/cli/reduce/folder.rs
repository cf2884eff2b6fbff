//! What a reduction leaves: files that are written beside and renamed, so that none is ever half there.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use hallmark_schema::model::Capture;
use hallmark_schema_editing::Edit;

use crate::cli::capture_file::write;
use crate::cli::paths::absolute;
use crate::cli::{Failed, dump_yaml};
use crate::executor::Executor;
use crate::triage::log::{Inputs, Line, Log};
use crate::triage::probe::Reference;
use crate::triage::reduce::Reduced;
use crate::triage::signature::{self, Signature};
use crate::verdict::ExitCode;

/// The smallest capture.
const REDUCED: &str = "reduced.lmb";
/// Its failure.
const SIGNATURE: &str = "signature.json";
/// What was asked.
const LOG: &str = "log.jsonl";
/// The smallest capture as a suite.
const SUITE: &str = "suite";

/// A log that is written on.
pub(super) struct Begun {
    pub(super) log: Log<Vec<Edit>>,
    /// What it knew already.
    pub(super) known: Vec<Line<Vec<Edit>>>,
}

/// The folder of a result.
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// A folder that is not there yet, or is empty.
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

    /// The log, and what it knows already.
    pub(super) fn log(&self, inputs: &Inputs, is_begun: bool) -> Result<Begun, Failed> {
        let file = self.path.join(LOG);
        let log = if is_begun {
            Log::resume(&file, inputs)
        } else {
            Log::create(&file, inputs).map(|log| (log, Vec::new()))
        };
        log.map(|(log, known)| Begun { log, known })
            .map_err(|error| Failed::new(ExitCode::USAGE, error))
    }

    /// Keeps the smallest capture so far.
    pub(super) fn best(&self, capture: &Capture) -> Result<(), Failed> {
        write(&self.path.join(REDUCED), &bytes(capture)?)
    }

    /// Keeps a capture that fails otherwise; gives the name of its file.
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
            format!("hallmark replay {} --device '{executor}'", file.display())
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

    /// Writes everything that there is at the end.
    pub(super) fn finish(
        &self,
        reduced: &Reduced,
        signature: &Signature,
        lines: &[String],
    ) -> Result<(), Failed> {
        self.best(&reduced.recorded)?;
        self.signature(SIGNATURE, signature)?;
        let edits = serde_json::to_string_pretty(&reduced.edits)
            .map_err(|error| Failed::new(ExitCode::INTERNAL, error))?;
        write(&self.path.join("edits.json"), edits.as_bytes())?;
        let text = format!("```\n{}\n```\n", lines.join("\n"));
        write(&self.path.join("README.md"), text.as_bytes())?;
        // A fault of a call that no suite can spell is no reason to lose the capture.
        let suite = self.path.join(SUITE);
        if suite.exists() {
            std::fs::remove_dir_all(&suite).map_err(|error| {
                let text = format!("{} cannot be replaced: {error}", suite.display());
                Failed::new(ExitCode::INTERNAL, text)
            })?;
        }
        if let Err(error) = dump_yaml::write(&reduced.recorded, &suite) {
            let text = format!("{}\n", error.text);
            write(&self.path.join("no-suite.txt"), text.as_bytes())?;
        }
        Ok(())
    }
}

impl Folder {
    /// Writes for each kernel a script by which a reducer of C++ asks whether the failure is still there.
    pub(super) fn scripts(
        &self,
        capture: &Capture,
        bad: &Executor,
        reference: &Reference,
    ) -> Result<(), Failed> {
        let test = format!("{}::dump::capture::captured", capture.program.architecture);
        let good = match reference {
            Reference::Recorded => "--good recorded".to_owned(),
            Reference::Executor(good) => format!("--good {}", quoted(&good.to_string())),
        };
        for source in &capture.program.sources {
            let file = source.path.rsplit('/').next().unwrap_or(&source.path);
            let script = format!(
                "#!/bin/sh\n\
                 # Exits with 0 if the failure is the same with the {file} of the current folder. The kernel is built anew.\n\
                 # cvise and shrinkray take this script as their test; HALLMARK names the executable if it is not on the path.\n\
                 set -e\n\
                 folder={folder}\n\
                 work=$(mktemp -d)\n\
                 trap 'rm -rf \"$work\"' EXIT\n\
                 cp -r \"$folder\"/{SUITE}/. \"$work\"\n\
                 cp {name} \"$work\"/suites/{path}\n\
                 \"${{HALLMARK:-hallmark}}\" capture --root \"$work\" {test} -o \"$work\"/candidate.lmb\n\
                 \"${{HALLMARK:-hallmark}}\" reproduce \"$work\"/candidate.lmb --signature \"$folder\"/{SIGNATURE} \\\n  \
                 --bad {bad} {good} --as reducer\n",
                folder = quoted(&self.path.display().to_string()),
                name = quoted(file),
                path = quoted(&source.path),
                bad = quoted(&bad.to_string()),
            );
            let path = self.path.join("interesting").join(format!("{file}.sh"));
            write(&path, script.as_bytes())?;
            std::fs::set_permissions(&path, Permissions::from_mode(0o755)).map_err(|error| {
                Failed::new(ExitCode::INTERNAL, format!("{}: {error}", path.display()))
            })?;
        }
        Ok(())
    }
}

/// A word of a shell's command that means this text.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn bytes(capture: &Capture) -> Result<Vec<u8>, Failed> {
    capture.to_bytes().map_err(|error| Failed::new(ExitCode::INTERNAL, error))
}
