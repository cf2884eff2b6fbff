//! Files that a profile cannot write, and the messages about them.

use std::path::Path;
use std::process::{Command, Output};

use crate::common::{executable, repository, text};
use crate::{PIPELINE, profile, said};

#[test]
fn a_full_device_loses_the_file_and_not_what_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("full");
    std::os::unix::fs::symlink("/dev/full", &link).unwrap();
    for arguments in [
        ["-o", "full"].as_slice(),
        &["-o", "table.csv", "--html", "full"],
        &["-o", "table.csv", "--timeline", "full"],
    ] {
        let output = profile(folder.path(), &[&[PIPELINE], arguments].concat());
        let all = text(&output);
        assert_eq!(output.status.code(), Some(9), "{all}");
        assert!(all.contains("full cannot be written: No space left"), "{all}");
        assert!(said(&output).contains("`compute` on 1 of 1 core waits"), "{all}");
        assert_eq!(said(&output).contains("wrote table.csv"), arguments.len() > 2, "{all}");
        // No file replaces a device.
        assert_eq!(std::fs::read_link(&link).unwrap(), Path::new("/dev/full"));
    }
}

/// The replay continues, and the output says which notes are missing.
#[test]
fn notes_that_find_no_room_are_missed() {
    let folder = tempfile::tempdir().unwrap();
    let test = "wormhole_b0::queues::traces::hundred_programs";
    // The notes exceed a megabyte, and every other file is below a tenth of that.
    let output = limited(folder.path(), 400, &["profile", test, "-o", "table.csv"]);
    assert_eq!(output.status.code(), Some(12), "{}", text(&output));
    let words = format!("calls of {test} are missing: there was no room for what a replay notes");
    assert!(text(&output).contains(&words), "{}", text(&output));
    assert!(!text(&output).contains("a dispatcher launched"), "{}", text(&output));
}

#[test]
fn a_folder_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    for option in ["-o", "--html", "--timeline", "--markers"] {
        let output = profile(folder.path(), &[PIPELINE, option, "."]);
        assert_eq!(output.status.code(), Some(2), "{option}: {}", text(&output));
        assert!(
            text(&output).contains(". is a folder; name a file"),
            "{option}: {}",
            text(&output)
        );
        assert_eq!(said(&output), "", "{option}");
    }
}

/// Runs the command with files of at most `blocks` blocks of 512 bytes.
fn limited(folder: &Path, blocks: u32, arguments: &[&str]) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -f {blocks}; exec \"$@\""), "sh"]).arg(executable());
    command.args(arguments).arg("--root").arg(repository()).current_dir(folder);
    command.output().unwrap()
}
