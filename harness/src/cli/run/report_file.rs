//! A report file that the command line names.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use hallmark_execution::whole_file;
use hallmark_pipeline::report::{self, Document, RunReport};
use hallmark_pipeline::verdict::ExitCode;

use crate::cli::Failed;

/// A file and the form of its report. Its text is the path, perhaps after `html=`, `json=` or `junit=`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct ReportFile {
    form: ReportForm,
    path: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReportForm {
    Html,
    Json,
    Junit,
}

/// The form of a report is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::cli) enum ReportFileError {
    /// Neither the option nor the file's name says the form.
    #[error(
        "`{0}` does not say its form: write *.html, *.json, *.xml (JUnit), html=FILE, json=FILE or junit=FILE"
    )]
    Form(String),
    /// The option has a form but no file.
    #[error("`{0}` names no file: write html=FILE, json=FILE or junit=FILE")]
    NoFile(String),
}

impl FromStr for ReportFile {
    type Err = ReportFileError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let forms = [
            ("html=", ReportForm::Html),
            ("json=", ReportForm::Json),
            ("junit=", ReportForm::Junit),
        ];
        for (prefix, form) in forms {
            match text.strip_prefix(prefix) {
                Some("") => return Err(ReportFileError::NoFile(text.to_owned())),
                Some(path) => return Ok(Self { form, path: path.into() }),
                None => {}
            }
        }
        let path = PathBuf::from(text);
        let form = match path.extension().and_then(|extension| extension.to_str()) {
            Some("html" | "htm") => ReportForm::Html,
            Some("json") => ReportForm::Json,
            Some("xml") => ReportForm::Junit,
            Some(_) | None => return Err(ReportFileError::Form(text.to_owned())),
        };
        Ok(Self { form, path })
    }
}

impl fmt::Display for ReportFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(formatter)
    }
}

/// Refuses files that cannot be written, and two reports in one file, before anything runs.
pub(in crate::cli) fn check(files: &[ReportFile]) -> Result<(), Failed> {
    check_distinct(files)?;
    files.iter().try_for_each(|file| {
        whole_file::check_writable(&file.path).map_err(|error| {
            let text = format!("{file} cannot be written: {error}; name another file");
            Failed::new(ExitCode::USAGE, text)
        })
    })
}

/// Refuses two reports in one file.
fn check_distinct(files: &[ReportFile]) -> Result<(), Failed> {
    for (place, file) in files.iter().enumerate() {
        if files.iter().take(place).any(|before| before.path == file.path) {
            let text =
                format!("{file} is named for two reports; name another file for one of them");
            return Err(Failed::new(ExitCode::USAGE, text));
        }
    }
    Ok(())
}

impl ReportFile {
    /// Whether the report in the file names its commit.
    pub(in crate::cli) const fn says_commit(&self) -> bool {
        matches!(self.form, ReportForm::Html | ReportForm::Json)
    }

    /// Whether `hallmark report merge` reads the form of the file.
    pub(in crate::cli) const fn can_be_merged(&self) -> bool {
        matches!(self.form, ReportForm::Json)
    }

    /// Writes a report into the file.
    pub(in crate::cli) fn write(&self, report: &RunReport) -> Result<(), Failed> {
        let internal = |error: &dyn fmt::Display| Failed::new(ExitCode::INTERNAL, error);
        let text = match self.form {
            ReportForm::Html => report::html(report),
            ReportForm::Json => Document::from(report).to_json().map_err(|it| internal(&it))?,
            ReportForm::Junit => report::junit(report).map_err(|it| internal(&it))?,
        };
        whole_file::write(&self.path, text.as_bytes()).map_err(|error| {
            Failed::new(ExitCode::INTERNAL, format!("{self} cannot be written: {error}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_said_by_the_option_or_by_the_name() {
        let of = |text: &str| text.parse::<ReportFile>().map(|it| (it.form, it.path));
        assert_eq!(of("a/b.json"), Ok((ReportForm::Json, "a/b.json".into())));
        assert_eq!(of("a/b.html"), Ok((ReportForm::Html, "a/b.html".into())));
        assert_eq!(of("html=b.xml"), Ok((ReportForm::Html, "b.xml".into())));
        assert_eq!(of("b.xml"), Ok((ReportForm::Junit, "b.xml".into())));
        assert_eq!(of("junit=b.json"), Ok((ReportForm::Junit, "b.json".into())));
        assert_eq!(of("json=-"), Ok((ReportForm::Json, "-".into())));
        assert_eq!(of("b.txt"), Err(ReportFileError::Form("b.txt".to_owned())));
        assert_eq!(of(""), Err(ReportFileError::Form(String::new())));
        assert_eq!(of("json="), Err(ReportFileError::NoFile("json=".to_owned())));
    }

    #[test]
    fn a_file_that_cannot_be_written_is_refused_and_nothing_is_left_of_one_that_can() {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str| ReportFile { form: ReportForm::Html, path: folder.path().join(name) };
        std::fs::write(folder.path().join("file"), "as it was").unwrap();
        std::fs::create_dir(folder.path().join("folder.html")).unwrap();
        for wrong in ["file/below.html", "folder.html"] {
            let error = check(&[of("good.html"), of(wrong)]).unwrap_err();
            assert!(error.text.contains("cannot be written"), "{}", error.text);
        }
        check(&[of("good.html"), of("file"), of("new/good.html")]).unwrap();
        let left = std::fs::read(folder.path().join("file")).unwrap();
        assert_eq!(left, b"as it was");
        assert!(!folder.path().join("good.html").exists());
    }

    #[test]
    fn two_reports_need_two_files() {
        let of = |text: &str| text.parse::<ReportFile>().unwrap();
        assert!(check_distinct(&[of("a.json"), of("a.xml")]).is_ok());
        let error = check_distinct(&[of("a.json"), of("b.xml"), of("junit=a.json")]).unwrap_err();
        assert!(error.text.contains("a.json is named for two reports"), "{}", error.text);
    }
}
