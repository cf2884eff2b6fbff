//! What differs between two installations of TT-Metalium, as far as a capture's device code is made from it.
//!
//! TT-Metalium has built kernels, dispatch kernels and firmware in both installations by the time when a search knows
//! the last good and the first bad one. So the files that the compiler read are known, and are compared byte by byte.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use hallmark_chip::Architecture;
use hallmark_execution::executor::{MetaliumUnusable, metalium_device_code};
use hallmark_execution::whole_file;
use hallmark_runtime::metalium::{DeviceCode, DeviceUnit, Site, SiteChoice};
use hallmark_schema::plural::counted;
use serde::Serialize;

/// The largest file that is compared, bytes. The largest image has a megabyte.
const FILE_LIMIT: u64 = 64 << 20;
/// The number of files that a report names.
const NAMED: usize = 8;
/// The number of pieces of device code that a line names.
const NAMED_UNITS: usize = 4;
/// Letters of a build id that a report shows.
const SHORT_BUILD: usize = 8;

/// The device code that a failure may come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suspects {
    /// The names of kernels of programs: their sources' names without the ending.
    pub kernels: BTreeSet<String>,
    /// Whether dispatch kernels launch programs.
    pub dispatch_kernels: bool,
}

impl Suspects {
    fn includes(&self, unit: &DeviceUnit) -> bool {
        match unit {
            DeviceUnit::Kernel(name) => self.kernels.contains(name),
            DeviceUnit::DispatchKernel(_) => self.dispatch_kernels,
            DeviceUnit::Firmware(_) => true,
        }
    }
}

/// How a file of the bad installation differs from that of the good one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Text, which differs from this line on, counted from 1.
    Line(usize),
    /// Other bytes.
    Bytes,
    /// Only the good installation has it.
    Gone,
    /// Only the bad installation has it.
    New,
}

/// A file that differs, with the device code that is made from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedFile {
    /// Its path, relative to the site.
    pub path: PathBuf,
    /// The difference.
    pub change: Change,
    /// The device code: kernels first.
    pub units: Vec<String>,
}

/// One installation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Installed {
    /// Its release, as reports name it.
    pub release: String,
    /// The build id of its library.
    pub build: String,
}

/// The difference between two installations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InstallationDifference {
    /// The good one.
    pub good: Installed,
    /// The bad one.
    pub bad: Installed,
    /// The files that differ; those of kernels first.
    pub files: Vec<ChangedFile>,
    /// The number of files that were compared.
    pub compared: usize,
}

impl InstallationDifference {
    /// Compares two installations.
    ///
    /// # Errors
    /// One of them cannot be used or read any more.
    pub fn between(
        good: &SiteChoice,
        bad: &SiteChoice,
        architecture: Architecture,
        suspects: &Suspects,
    ) -> Result<Self, MetaliumUnusable> {
        let (good, of_good) = metalium_device_code(good, architecture)?;
        let (bad, of_bad) = metalium_device_code(bad, architecture)?;
        let users = users([&of_good, &of_bad], suspects);
        let mut files = Vec::new();
        let compared = users.len();
        for (path, units) in users {
            if let Some(change) = change(good.folder(), bad.folder(), &path) {
                files.push((units.iter().next().cloned(), path, change, units));
            }
        }
        // Kernels come before dispatch kernels, and those before firmware.
        files.sort();
        let file = |(_, path, change, units): (_, PathBuf, Change, BTreeSet<DeviceUnit>)| {
            ChangedFile { path, change, units: units.iter().map(ToString::to_string).collect() }
        };
        let files = files.into_iter().map(file).collect();
        Ok(Self { good: installed(&good), bad: installed(&bad), files, compared })
    }

    /// The difference as lines of a report.
    pub fn lines(&self) -> Vec<String> {
        let Self { good, bad, files, compared } = self;
        let short = |build: &str| build.get(..SHORT_BUILD).unwrap_or(build).to_owned();
        let libraries = match good.build == bad.build {
            true => "with the same build of libtt_metal.so".to_owned(),
            false => format!(
                "with other builds of libtt_metal.so ({}… and {}…)",
                short(&good.build),
                short(&bad.build)
            ),
        };
        let mut lines = vec![format!(
            "  release   {} is good and {} is bad, {libraries}",
            good.release, bad.release
        )];
        for file in files.iter().take(NAMED) {
            lines.push(format!("  {:<9} {}", kind(&file.path), words(file)));
        }
        match files.len().checked_sub(NAMED) {
            Some(more) if more > 0 => lines.push(format!("            {more} more files differ")),
            Some(_) | None => {}
        }
        if *compared == 0 {
            lines.push(
                "  files     no kernel and no firmware of TT-Metalium takes part in the command"
                    .to_owned(),
            );
        } else if files.is_empty() {
            let files = counted(*compared, "file", "files");
            lines.push(format!(
                "  files     {files} of the kernels, the dispatch kernels and the firmware are the same in both"
            ));
        }
        lines
    }
}

fn installed(site: &Site) -> Installed {
    Installed { release: site.name(), build: site.build_id().to_owned() }
}

/// The files of both installations, each with the suspected device code that is made from it.
fn users(codes: [&DeviceCode; 2], suspects: &Suspects) -> BTreeMap<PathBuf, BTreeSet<DeviceUnit>> {
    let mut users: BTreeMap<PathBuf, BTreeSet<DeviceUnit>> = BTreeMap::new();
    let all = codes.into_iter().flatten().filter(|(unit, _)| suspects.includes(unit));
    for (unit, files) in all {
        for file in files {
            users.entry(file.clone()).or_default().insert(unit.clone());
        }
    }
    users
}

/// How a file differs; `None` if it is the same, or if neither can be read.
fn change(good: &Path, bad: &Path, file: &Path) -> Option<Change> {
    let read = |site: &Path| match whole_file::read(&site.join(file), FILE_LIMIT) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(_) => Some(Vec::new()),
    };
    match (read(good), read(bad)) {
        (None, None) => None,
        (Some(_), None) => Some(Change::Gone),
        (None, Some(_)) => Some(Change::New),
        (Some(good), Some(bad)) => (good != bad).then(|| of_bytes(&good, &bad)),
    }
}

fn of_bytes(good: &[u8], bad: &[u8]) -> Change {
    let (Ok(good), Ok(bad)) = (std::str::from_utf8(good), std::str::from_utf8(bad)) else {
        return Change::Bytes;
    };
    let same = good.lines().zip(bad.lines()).take_while(|(good, bad)| good == bad).count();
    Change::Line(same.saturating_add(1))
}

/// The kind of a file by its ending.
fn kind(path: &Path) -> &'static str {
    match path.extension().and_then(|it| it.to_str()) {
        Some("elf") => "image",
        Some("ld") => "script",
        Some("cc" | "cpp" | "c" | "S") => "source",
        Some(_) | None => "header",
    }
}

fn words(file: &ChangedFile) -> String {
    let path = file.path.display();
    let change = match file.change {
        Change::Line(line) => format!("differs from line {line} on"),
        Change::Bytes => "differs".to_owned(),
        Change::Gone => "is missing in the bad one".to_owned(),
        Change::New => "is missing in the good one".to_owned(),
    };
    let mut units: Vec<&str> = file.units.iter().take(NAMED_UNITS).map(String::as_str).collect();
    let more = file.units.len().saturating_sub(NAMED_UNITS);
    let more = if more > 0 { format!("{more} more") } else { String::new() };
    units.extend((!more.is_empty()).then_some(more.as_str()));
    format!("{path} {change}: {}", units.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(name: &str) -> DeviceUnit {
        DeviceUnit::Kernel(name.to_owned())
    }

    fn code(units: &[(DeviceUnit, &[&str])]) -> DeviceCode {
        let files = |files: &[&str]| files.iter().map(PathBuf::from).collect();
        units.iter().map(|(unit, named)| (unit.clone(), files(named))).collect()
    }

    #[test]
    fn only_files_of_suspected_device_code_are_compared() {
        let dispatch = DeviceUnit::DispatchKernel("cq".to_owned());
        let good = code(&[(unit("copy"), &["a.h", "b.h"]), (unit("other"), &["c.h"])]);
        let bad = code(&[(unit("copy"), &["a.h", "new.h"]), (dispatch, &["a.h", "d.h"])]);
        let kernels = BTreeSet::from(["copy".to_owned()]);
        let named = |suspects: &Suspects| {
            let all = users([&good, &bad], suspects);
            let line = |(path, units): (&PathBuf, &BTreeSet<DeviceUnit>)| {
                let units: Vec<String> = units.iter().map(ToString::to_string).collect();
                format!("{}: {}", path.display(), units.join(", "))
            };
            all.iter().map(line).collect::<Vec<_>>()
        };
        let by_host = Suspects { kernels: kernels.clone(), dispatch_kernels: false };
        assert_eq!(named(&by_host), ["a.h: kernel copy", "b.h: kernel copy", "new.h: kernel copy"]);
        let by_device = Suspects { kernels, dispatch_kernels: true };
        let lines = named(&by_device);
        assert_eq!(lines[0], "a.h: kernel copy, dispatch kernel cq");
        assert_eq!(lines[2], "d.h: dispatch kernel cq");
    }

    #[test]
    fn a_difference_is_told_by_its_first_line() {
        let (good, bad) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let write = |name: &str, one: &[u8], other: &[u8]| {
            std::fs::write(good.path().join(name), one).unwrap();
            std::fs::write(bad.path().join(name), other).unwrap();
        };
        write("same.h", b"1\n2\n", b"1\n2\n");
        write("text.h", b"1\n2\n3\n", b"1\n2\nthree\n");
        write("longer.h", b"1\n", b"1\n2\n");
        write("image.elf", &[0xFF, 1], &[0xFF, 2]);
        std::fs::write(good.path().join("gone.h"), "1").unwrap();
        std::fs::write(bad.path().join("new.h"), "1").unwrap();
        let change = |name: &str| change(good.path(), bad.path(), Path::new(name));
        assert_eq!(change("same.h"), None);
        assert_eq!(change("text.h"), Some(Change::Line(3)));
        assert_eq!(change("longer.h"), Some(Change::Line(2)));
        assert_eq!(change("image.elf"), Some(Change::Bytes));
        assert_eq!(change("gone.h"), Some(Change::Gone));
        assert_eq!(change("new.h"), Some(Change::New));
        assert_eq!(change("nowhere.h"), None);
    }

    #[test]
    fn a_report_names_some_files_and_counts_the_rest() {
        let installed = |release: &str, build: &str| Installed {
            release: release.to_owned(),
            build: build.to_owned(),
        };
        let file = |name: &str| ChangedFile {
            path: name.into(),
            change: Change::Line(7),
            units: (0..6).map(|number| format!("kernel k{number}")).collect(),
        };
        let mut difference = InstallationDifference {
            good: installed("0.80.0", "1111111122222222"),
            bad: installed("0.81.1", "3333333344444444"),
            files: ["a.h", "b.cc", "c.elf", "d.ld"].map(file).to_vec(),
            compared: 90,
        };
        let lines = difference.lines();
        assert_eq!(
            lines[0],
            "  release   0.80.0 is good and 0.81.1 is bad, with other builds of libtt_metal.so (11111111… and 33333333…)"
        );
        assert_eq!(
            lines[1],
            "  header    a.h differs from line 7 on: kernel k0, kernel k1, kernel k2, kernel k3, 2 more"
        );
        let kinds: Vec<&str> = lines[2..].iter().map(|line| line[2..12].trim()).collect();
        assert_eq!(kinds, ["source", "image", "script"]);
        difference.files = (0..11).map(|number| file(&format!("{number}.h"))).collect();
        let lines = difference.lines();
        assert_eq!((lines.len(), lines[9].as_str()), (10, "            3 more files differ"));
        (difference.files, difference.bad.build) = (Vec::new(), difference.good.build.clone());
        let lines = difference.lines();
        assert!(lines[0].ends_with("with the same build of libtt_metal.so"), "{lines:?}");
        assert!(lines[1].contains("90 files of the kernels"), "{lines:?}");
        difference.compared = 0;
        assert!(difference.lines()[1].contains("no kernel and no firmware"), "{lines:?}");
    }
}
