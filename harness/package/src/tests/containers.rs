//! Forged containers: archives that the writer never makes, and files that their manifest does not describe.

use std::collections::BTreeMap;
use std::io::Write as _;

use tar::{EntryType, Header};

use super::fixture::{
    Forgery, changed, line_of, manifest, package, packed, replace, unnoticed, unpacked, verify,
};
use crate::{
    Archive, ArchiveProblem, EntryName, EntryNameError, LOCK, Limits, MANIFEST, PROFILE, RESULTS,
};

/// The offset of a file's header.
fn offset(bytes: &[u8], name: &str) -> usize {
    let of = |block: &[u8]| block.split(|byte| *byte == 0).next() == Some(name.as_bytes());
    let at = bytes.chunks(512).position(|block| of(&block[..100])).unwrap();
    at * 512
}

/// Changes the header of `profile.lock` and corrects its checksum.
fn header(change: impl FnOnce(&mut Header)) -> Vec<u8> {
    let mut bytes = package();
    let at = offset(&bytes, LOCK);
    let mut header = Header::new_ustar();
    header.as_mut_bytes().copy_from_slice(&bytes[at..at + 512]);
    change(&mut header);
    header.set_cksum();
    bytes[at..at + 512].copy_from_slice(header.as_bytes());
    bytes
}

/// Gives `profile.lock` another name, valid or not.
fn renamed(name: &str) -> Vec<u8> {
    header(|header| {
        let field = &mut header.as_mut_bytes()[..100];
        field.fill(0);
        field[..name.len()].copy_from_slice(name.as_bytes());
    })
}

/// The entry of a file: its header, its content and its padding.
fn entry(name: &str) -> Vec<u8> {
    let alone = BTreeMap::from([(name.to_owned(), b"lock\n".to_vec())]);
    let bytes = packed(&alone);
    bytes[..bytes.len() - 1024].to_vec()
}

/// The package with an additional entry before `profile.yaml`.
fn inserted(entry: &[u8]) -> Vec<u8> {
    let mut bytes = package();
    let at = offset(&bytes, PROFILE);
    bytes.splice(at..at, entry.iter().copied());
    bytes
}

/// The package with an additional file, described by its manifest.
fn with_file(name: &str, contents: &[u8]) -> Vec<u8> {
    changed(|files| {
        files.insert(name.to_owned(), contents.to_vec());
        files.insert(MANIFEST.to_owned(), manifest(files));
    })
}

fn changed_manifest(
    change: impl FnOnce(&BTreeMap<String, Vec<u8>>) -> (String, String),
) -> Vec<u8> {
    changed(|files| {
        let (old, new) = change(files);
        replace(files, MANIFEST, &old, &new);
    })
}

/// The line that describes the first file.
fn first_line(files: &BTreeMap<String, Vec<u8>>) -> String {
    let manifest = String::from_utf8(files[MANIFEST].clone()).unwrap();
    manifest.split_inclusive('\n').next().unwrap().to_owned()
}

/// The line of a file with one field changed.
fn changed_line(part: usize) -> Vec<u8> {
    changed_manifest(|files| {
        let line = line_of(files, LOCK);
        let mut parts: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let digit = if parts[part].starts_with('1') { "2" } else { "1" };
        parts[part].replace_range(..1, digit);
        (line, parts.join(" "))
    })
}

#[rustfmt::skip] // One forgery per line.
const FORGERIES: &[Forgery<Vec<u8>>] = &[
    ("truncated", || { let bytes = package(); bytes[..bytes.len() - 1].to_vec() }, "ends too early"),
    ("truncated within a file", || { let bytes = package(); bytes[..1030].to_vec() }, "ends too early"),
    ("trailing bytes", || [package(), vec![0]].concat(), "bytes follow the archive's end"),
    ("trailing blocks of zeros", || [package(), vec![0; 9216]].concat(), "bytes follow the archive's end"),
    ("duplicate entry", || inserted(&entry(LOCK)), "the file stands twice"),
    ("MANIFEST twice", || [entry(MANIFEST), package()].concat(), "the file stands twice"),
    ("names equal but for case", || with_file("profile.locK", b""), "`profile.locK` only in capital letters"),
    ("folders equal but for case", || with_file("Waivers/W.yaml", b""), "only in capital letters"),
    ("a file that is a folder", || with_file("profile.lock/x", b""), "`profile.lock` is a file, and cannot be a folder"),
    ("..", || renamed("../profile.lock"), "holds `.` or `..`"),
    (".", || renamed("./profile.lock"), "holds `.` or `..`"),
    ("absolute", || renamed("/profile.lock"), "absolute path"),
    ("a backslash", || renamed("..\\profile.lock"), "'\\\\'"),
    ("a line break", || renamed("profile\n.lock"), "'\\n'"),
    ("symlink", || header(|header| header.set_entry_type(EntryType::Symlink)), "a symbolic link"),
    ("hardlink", || header(|header| header.set_entry_type(EntryType::Link)), "a hard link"),
    ("device", || header(|header| header.set_entry_type(EntryType::Char)), "a device"),
    ("fifo", || header(|header| header.set_entry_type(EntryType::Fifo)), "a pipe"),
    ("directory", || header(|header| header.set_entry_type(EntryType::Directory)), "a folder"),
    ("pax", || header(|header| header.set_entry_type(EntryType::XHeader)), "extension of kind 'x'"),
    ("pax for all", || header(|header| header.set_entry_type(EntryType::XGlobalHeader)), "extension of kind 'g'"),
    ("GNU long name", || header(|header| header.set_entry_type(EntryType::GNULongName)), "extension of kind 'L'"),
    ("GNU sparse", || header(|header| header.set_entry_type(EntryType::GNUSparse)), "extension of kind 'S'"),
    ("old file", || header(|header| header.as_mut_bytes()[156] = 0), "extension of kind '\\0'"),
    ("GNU magic", || header(|header| header.as_mut_bytes()[257..265].copy_from_slice(b"ustar  \0")), "no header of a ustar"),
    ("a name in two fields", || header(|header| header.as_mut_bytes()[345] = b'a'), "two fields"),
    ("bytes after a name", || header(|header| header.as_mut_bytes()[50] = b'a'), "fills its field with zeros"),
    ("a link's name", || header(|header| header.as_mut_bytes()[157] = b'a'), "not the one that is written"),
    ("unsorted", || inserted(&entry("environment.json2")), "comes after `profile.lock`"),
    ("mtime", || header(|header| header.set_mtime(1)), "has a time"),
    ("uid", || header(|header| header.set_uid(1)), "has an owner"),
    ("name of an owner", || header(|header| header.as_mut_bytes()[265] = b'r'), "has an owner"),
    ("mode", || header(|header| header.set_mode(0o4755)), "mode is not 0644"),
    ("non-canonical octal", || header(|header| header.as_mut_bytes()[124..136].copy_from_slice(b"         5 \0")), "eleven octal digits"),
    ("size in base 256", || header(|header| header.as_mut_bytes()[124] = 0x80), "eleven octal digits"),
    ("a sum that is wrong", || { let mut bytes = package(); let at = offset(&bytes, LOCK); bytes[at + 148] ^= 1; bytes }, "sum is wrong"),
    ("bytes behind a file", || { let mut bytes = package(); let at = offset(&bytes, LOCK); bytes[at + 512 + 100] = 1; bytes }, "filled with zeros"),
    ("file not in MANIFEST", || changed_manifest(|files| (line_of(files, LOCK), String::new())), "`profile.lock` is in the package, and no line"),
    ("MANIFEST line without file", || changed(|files| drop(files.remove("waivers/W-2027-014.yaml"))), "`waivers/W-2027-014.yaml` is not in the package"),
    ("MANIFEST describes itself", || changed_manifest(|files| (first_line(files), line_of(files, LOCK).replace(LOCK, MANIFEST))), "no file that a manifest describes"),
    ("MANIFEST's line twice", || changed_manifest(|files| (line_of(files, LOCK), line_of(files, LOCK).repeat(2))), "does not come after"),
    ("MANIFEST unsorted", || changed_manifest(|files| { let both = line_of(files, LOCK) + &line_of(files, PROFILE); (both, line_of(files, PROFILE) + &line_of(files, LOCK)) }), "does not come after"),
    ("MANIFEST with spaces", || changed_manifest(|files| (line_of(files, LOCK), line_of(files, LOCK).replace(' ', "  "))), "one space between them"),
    ("MANIFEST in capital letters", || changed_manifest(|files| (line_of(files, LOCK), line_of(files, LOCK).to_uppercase())), "one space between them"),
    ("size", || changed_line(2), "has 5 bytes, and 1 are stated"),
    ("blake3", || changed_line(0), "has the BLAKE3 hash"),
    ("sha256 only", || changed_line(1), "has the SHA-256 hash"),
    ("unknown top-level file", || with_file("setup.py", b""), "`setup.py` is no file of a package"),
    ("unknown file in a folder", || with_file("captures/readme", b""), "`captures/readme` is no file of a package"),
    ("a capture in another's folder", || with_file(&format!("captures/00/{}.lmb", "1".repeat(64)), b""), "is no file of a package"),
    ("a blob with another's name", || with_file(&format!("blobs/11/{}", "1".repeat(64)), b""), "does not hold what its name says"),
    ("a needed file is absent", || changed(|files| { files.remove(RESULTS); files.insert(MANIFEST.to_owned(), manifest(files)); }), "`results.jsonl` is not in the package"),
    ("declared bomb", || header(|header| header.set_size(1 << 32)), "claims 4294967296 bytes"),
];

#[test]
fn forged_containers_are_refused() {
    assert_eq!(verify(&package()), Ok(()));
    assert_eq!(unnoticed(FORGERIES, |bytes| verify(bytes)), Vec::<String>::new());
}

#[test]
fn a_changed_bit_anywhere_is_noticed() {
    let package = super::fixture::unsigned();
    let mut bytes = package.clone();
    // The statement's own bytes are protected only by the signature.
    let statement = offset(&package, crate::STATEMENT) + 512;
    let end = statement + unpacked(&package)[crate::STATEMENT].len();
    // The step is a prime, so that every field of the headers is changed.
    for at in (0..bytes.len()).step_by(7).filter(|at| !(statement..end).contains(at)) {
        bytes[at] ^= 1 << (at % 8);
        let read = crate::Package::read(&bytes, &Limits::default());
        assert!(read.is_err(), "byte {at} was changed, and nobody noticed");
        bytes[at] ^= 1 << (at % 8);
    }
    assert_eq!(bytes, package);
}

#[test]
fn limits_hold_at_them_and_one_past() {
    let bytes = package();
    let read =
        |limits: &Limits| Archive::read(&bytes, limits).map(drop).map_err(|error| error.problem);
    let entries = unpacked(&bytes).len();
    let largest = unpacked(&bytes).values().map(Vec::len).max().unwrap() as u64;
    let exact = Limits { archive_bytes: bytes.len() as u64, entries, entry_bytes: largest };
    assert_eq!(read(&exact), Ok(()));
    let limits = Limits { archive_bytes: exact.archive_bytes - 1, ..exact };
    assert!(matches!(read(&limits), Err(ArchiveProblem::TooLarge { .. })));
    let limits = Limits { entries: entries - 1, ..exact };
    assert!(matches!(read(&limits), Err(ArchiveProblem::TooManyEntries { .. })));
    let limits = Limits { entry_bytes: largest - 1, ..exact };
    assert!(matches!(read(&limits), Err(ArchiveProblem::EntryTooLarge { .. })));
}

#[test]
fn names_mean_the_same_everywhere() {
    let refused = |name: &str| EntryName::new(name).map(drop);
    assert_eq!(refused(&"a".repeat(100)), Ok(()));
    assert_eq!(refused(&"a".repeat(101)), Err(EntryNameError::TooLong { bytes: 101 }));
    assert_eq!(refused("a/b/c/d/e/f/g/h"), Ok(()));
    assert_eq!(refused("a/b/c/d/e/f/g/h/i"), Err(EntryNameError::TooDeep { components: 9 }));
    assert_eq!(refused(""), Err(EntryNameError::Empty));
    assert_eq!(refused("/a"), Err(EntryNameError::Absolute));
    assert_eq!(refused("a//b"), Err(EntryNameError::EmptyComponent));
    assert_eq!(refused("a/"), Err(EntryNameError::EmptyComponent));
    assert_eq!(refused("a/../b"), Err(EntryNameError::Relative));
    assert_eq!(refused(".hidden"), Err(EntryNameError::FirstCharacter));
    assert_eq!(refused("a/-rf"), Err(EntryNameError::FirstCharacter));
    assert_eq!(refused("a b"), Err(EntryNameError::Character { character: ' ' }));
    assert_eq!(refused("ä"), Err(EntryNameError::Character { character: 'ä' }));
}

#[test]
fn other_tools_read_the_archive() {
    let listed = |bytes: &[u8]| -> Option<String> {
        use std::process::{Command, Stdio};
        let mut tar = Command::new("tar")
            .args(["--list", "--file", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        tar.stdin.take()?.write_all(bytes).ok()?;
        let output = tar.wait_with_output().ok()?;
        assert!(output.status.success());
        String::from_utf8(output.stdout).ok()
    };
    let bytes = package();
    let names: Vec<String> = unpacked(&bytes).into_keys().collect();
    match listed(&bytes) {
        Some(text) => assert_eq!(text.lines().collect::<Vec<_>>(), names),
        None => println!("skipped: there is no tar"),
    }
}
