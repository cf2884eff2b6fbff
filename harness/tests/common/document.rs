//! Follows documents as a reader would: runs their commands and compares the output with the shown text.
//!
//! - A ```` ```yaml ```` or ```` ```cpp ```` block whose first line is a comment with a path is written to that file.
//! - A ```` ```console ```` block holds commands, each behind `$ `, and their output. The commands run in
//!   order, and `cd` affects the later ones. A line `…` stands for any lines. Commands of a checkout (`cargo`,
//!   `scripts/`) are left out.
//!
//! Durations, hashes, places in machine code and sizes of captures and packages may differ.
//! `HALLMARK_UPDATE_DOCUMENTS=1` writes the commands' output into the document.

#[path = "executable.rs"]
mod executable;
#[path = "repository.rs"]
mod repository;

use std::path::{Path, PathBuf};
use std::process::Command;

use self::executable::executable;
pub(crate) use self::executable::text;
pub(crate) use self::repository::repository;

/// A shell line with an empty environment except for a path to the command.
pub(crate) fn command_line(folder: &Path, line: &str) -> Command {
    let executable = executable();
    let beside = executable.parent().unwrap();
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", line])
        .current_dir(folder)
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", beside.display()))
        .env("LC_ALL", "C.UTF-8");
    shell
}

/// Follows a document of this repository in a folder.
pub(crate) fn follow(document: &str, folder: &Path) {
    let path = repository().join(document);
    let before = std::fs::read_to_string(&path).unwrap();
    let mut reader =
        Reader { folder: folder.to_owned(), root: folder.to_owned(), wrong: Vec::new() };
    let mut after = String::new();
    let mut lines = before.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        after.push_str(line);
        after.push('\n');
        let Some(language) = line.strip_prefix("```") else { continue };
        let mut block = Vec::new();
        for (_, line) in lines.by_ref().take_while(|(_, line)| *line != "```") {
            block.push(line);
        }
        match language {
            "console" => after.push_str(&reader.console(number + 1, &block)),
            "yaml" | "cpp" => {
                reader.write(&block);
                after.push_str(&as_text(&block));
            }
            _ => after.push_str(&as_text(&block)),
        }
        after.push_str("```\n");
    }
    if std::env::var_os("HALLMARK_UPDATE_DOCUMENTS").is_some() {
        std::fs::write(&path, &after).unwrap();
    } else {
        let advice = "if that is intended: HALLMARK_UPDATE_DOCUMENTS=1 cargo test";
        assert!(reader.wrong.is_empty(), "{document}: {advice}\n{}", reader.wrong.join("\n"));
    }
}

fn as_text(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// A reader who follows the document.
struct Reader {
    /// The current folder.
    folder: PathBuf,
    /// The folder to which paths of files are relative.
    root: PathBuf,
    /// Differences from the document.
    wrong: Vec<String>,
}

impl Reader {
    /// Writes a block to the file in its first line, if that line is a comment with a path.
    fn write(&self, block: &[&str]) {
        let first = block.first().copied().unwrap_or_default();
        let Some(path) = first.strip_prefix("# ").or_else(|| first.strip_prefix("// ")) else {
            return;
        };
        if !path.contains('/') || path.contains(' ') {
            return;
        }
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, as_text(block.get(1..).unwrap_or_default())).unwrap();
    }

    /// Runs the commands of a block; returns the block with the true output.
    fn console(&mut self, number: usize, block: &[&str]) -> String {
        let mut after = String::new();
        let mut lines = block.iter().copied().peekable();
        while let Some(line) = lines.next() {
            after.push_str(line);
            after.push('\n');
            let Some(first) = line.strip_prefix("$ ") else { continue };
            let mut given = first.to_owned();
            while given.ends_with('\\') {
                let more = lines.next().unwrap_or_default();
                after.push_str(&format!("{more}\n"));
                given.push('\n');
                given.push_str(more);
            }
            let mut shown = Vec::new();
            while let Some(line) = lines.next_if(|line| !line.starts_with("$ ")) {
                shown.push(line);
            }
            match self.run(&given) {
                Some(printed) if !agrees(&shown, &printed) => {
                    self.wrong.push(format!(
                        "line {number}, $ {given}\n-- shown:\n{}-- printed:\n{printed}",
                        as_text(&shown)
                    ));
                    after.push_str(&printed);
                }
                _ => after.push_str(&as_text(&shown)),
            }
        }
        after
    }

    /// The output of a command, or `None` for a command of a checkout.
    fn run(&mut self, given: &str) -> Option<String> {
        if ["cargo ", "scripts/"].iter().any(|start| given.starts_with(start)) {
            return None;
        }
        if let Some(folder) = given.strip_prefix("cd ") {
            self.folder.push(folder.trim());
            self.root = self.folder.clone();
            assert!(self.folder.is_dir(), "{given}: there is no such folder");
            return Some(String::new());
        }
        Some(text(&command_line(&self.folder, &format!("exec 2>&1\n{given}")).output().unwrap()))
    }
}

/// Whether a document shows the printed text.
fn agrees(shown: &[&str], printed: &str) -> bool {
    // A slow machine tells how far it has come.
    let printed = printed.lines().filter(|line| !line.starts_with("progress  "));
    let printed: Vec<String> = printed.map(lasting).collect();
    let shown: Vec<String> = shown.iter().map(|line| lasting(line)).collect();
    matches(&shown, &printed)
}

fn matches(shown: &[String], printed: &[String]) -> bool {
    match (shown.split_first(), printed.split_first()) {
        (None, rest) => rest.is_none(),
        (Some((first, rest)), _) if first == "…" => (0..=printed.len())
            .any(|skipped| matches(rest, printed.get(skipped..).unwrap_or_default())),
        (Some((first, rest)), Some((line, others))) => first == line && matches(rest, others),
        (Some(_), None) => false,
    }
}

/// A line without the parts that vary between runs or compilers: durations, hashes, places in machine code, and
/// the number of spaces between words.
fn lasting(line: &str) -> String {
    // A capture's size depends on its compiled kernels.
    if let Some((file, rest)) = line.split_once(".lmb: ")
        && let Some((_, rest)) = rest.split_once(" B, of which ")
    {
        return format!("{file}.lmb: _ B, of which {rest}");
    }
    let machine_code = line.contains("pc 0x");
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut lasting = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let core = word.trim_matches(|c: char| "(),;:.".contains(c));
        let next = words.get(place + 1).map(|next| next.trim_end_matches([',', ')', ';']));
        let before = place.checked_sub(1).and_then(|place| words.get(place)).copied();
        let long_hash = core.split(|c: char| !c.is_ascii_hexdigit()).find(|run| run.len() >= 32);
        let duration = next == Some("s") && core.parse::<f64>().is_ok();
        let hash = |text: &str| text.len() >= 4 && text.chars().all(|c| c.is_ascii_hexdigit());
        let changes = duration
            || core.strip_suffix('…').is_some_and(hash)
            || (machine_code && core.starts_with("0x"))
            || before == Some("instruction");
        let size_of_package = next == Some("KiB") && line.contains(".hallmark ");
        if size_of_package || core.starts_with("SHA256:") || is_time(core) {
            lasting.push("_".to_owned());
            continue;
        }
        if let Some(hash) = long_hash {
            lasting.push(word.replace(hash, "_"));
            continue;
        }
        lasting.push(if changes { word.replace(core, "_") } else { (*word).to_owned() });
    }
    lasting.join(" ")
}

/// Whether a word is a time such as `2026-11-23T06:50:00Z`.
fn is_time(word: &str) -> bool {
    let form = "dddd-dd-ddTdd:dd:ddZ";
    let is_of_form = |(letter, form): (char, char)| match form {
        'd' => letter.is_ascii_digit(),
        other => letter == other,
    };
    word.len() == form.len() && word.chars().zip(form.chars()).all(is_of_form)
}

#[test]
fn what_may_differ_is_left_out_and_nothing_else() {
    let same = |shown: &str, printed: &str| agrees(&shown.lines().collect::<Vec<_>>(), printed);
    assert!(same("   wormhole_b0  sim  2 pass  0.1 s", "   wormhole_b0  sim   2 pass   12.3 s\n"));
    assert!(same("firmware hallmark-1 (fea5…), host", "firmware hallmark-1 (01ab…), host\n"));
    assert!(same("a\n…\nz", "a\nb\nc\nz\n") && same("a\n…", "a\n"));
    assert!(same(
        "BRISC, pc 0x10 in f, beq a4, a5, 0x20",
        "BRISC, pc 0x14 in f, beq a4, a5, 0x24\n"
    ));
    let elf = |digit: &str| format!("changed prebuilt/grayskull/{}.elf", digit.repeat(64));
    assert!(same(&elf("a"), &elf("b")) && !same(&elf("a"), "changed prebuilt/grayskull/a.elf"));
    let capture = |size: &str, program: u32| {
        format!("a.lmb: {size} B, of which {program} B are the program part")
    };
    assert!(same(&capture("9256", 976), &capture("14\u{202f}184", 976)));
    assert!(!same(&capture("9256", 976), &capture("9256", 977)));
    assert!(same("at instruction 1210", "at instruction 7"));
    assert!(same("wrote a.hallmark  35.5 KiB", "wrote a.hallmark  36 KiB"));
    assert!(!same("wrote a.hallmark  35.5 KiB", "wrote b.hallmark  35.5 KiB"));
    assert!(same("signed by a (SHA256:x/y)", "signed by a (SHA256:z)"));
    assert!(same("made 2026-11-23T06:50:00Z, as", "made 2027-01-02T03:04:05Z, as"));
    assert!(!same("made 2026-11-23, as", "made 2027-01-02, as"));
    assert!(!same("2 pass 0.1 s", "3 pass 0.1 s\n") && !same("2 pass", "2 pass 1 fault\n"));
    assert!(!same("a\n…\nz", "a\nb\n") && !same("a", "a\nb\n") && !same("a\nb", "a\n"));
    assert!(!same("0x10 of tile", "0x14 of tile\n") && !same("12 banks", "8 banks\n"));
}
