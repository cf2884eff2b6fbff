//! The form of the pages: links and paths lead to files, short pages stay short, and the picture of the crates
//! is accurate.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use walkdir::WalkDir;

use super::document::repository;

/// The pages for people, in reading order.
const PAGES: [&str; 16] = [
    "README.md",
    "CONTRIBUTING.md",
    "harness/ARCHITECTURE.md",
    "suites/TUTORIAL.md",
    "suites/README.md",
    "suites/KERNEL_API.md",
    "suites/FAILURES.md",
    "suites/CERTIFICATION.md",
    "suites/CONFIGURATION.md",
    "runtime/README.md",
    "runtime/chip/README.md",
    "runtime/devices/README.md",
    "runtime/examples/speed/README.md",
    "schema/README.md",
    "harness/tests/liars/README.md",
    "scripts/README.md",
];

/// Pages that must stay short, with the greatest number of lines of each.
const SHORT_PAGES: [(&str, usize); 3] =
    [("README.md", 130), ("CONTRIBUTING.md", 120), ("harness/ARCHITECTURE.md", 110)];

/// Pages whose paths must exist, besides the front page of each crate.
const PAGES_OF_PATHS: [&str; 7] = [
    "CONTRIBUTING.md",
    "harness/ARCHITECTURE.md",
    "harness/tests/liars/README.md",
    "runtime/chip/README.md",
    "runtime/devices/README.md",
    "schema/README.md",
    "scripts/README.md",
];

/// Top folders of the repository. The pages name files in them.
const FOLDERS: [&str; 7] = ["harness", "runtime", "schema", "scripts", "suites", "goldens", ".ci"];

/// The endings of file names on pages.
const EXTENSIONS: [&str; 9] = [".rs", ".h", ".hpp", ".def", ".cpp", ".fbs", ".md", ".yml", ".yaml"];

/// Files of other repositories that front pages name.
const FOREIGN_FILES: [&str; 1] = ["docs/libttsim_api.md"];

fn read(path: &str) -> String {
    std::fs::read_to_string(repository().join(path)).unwrap()
}

/// Each text between two marks.
fn between<'a>(text: &'a str, before: &'a str, after: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(before).skip(1).filter_map(move |rest| Some(rest.split_once(after)?.0))
}

/// The workspace's crates: the folder of each by its name. Tools of the tests themselves are left out.
fn crates() -> BTreeMap<String, String> {
    let manifest = read("Cargo.toml");
    let dependencies = manifest.split_once("[workspace.dependencies]").unwrap().1;
    let paths = dependencies.lines().filter_map(|line| {
        let (name, rest) = line.split_once(" = { path = \"")?;
        Some((name.to_owned(), rest.split_once('"')?.0.to_owned()))
    });
    paths.filter(|(_, folder)| !folder.starts_with("scripts/")).collect()
}

/// The front page of a crate: the documentation of its root.
fn front_page(folder: &str) -> String {
    let root = read(&format!("{folder}/src/lib.rs"));
    let lines = root.lines().map_while(|line| line.strip_prefix("//!"));
    lines.map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect()
}

#[test]
fn links_lead_to_files() {
    for page in PAGES {
        let path = repository().join(page);
        // Brackets in code are no links.
        let prose: String = read(page).split('`').step_by(2).collect();
        for link in between(&prose, "](", ")") {
            let target = link.split('#').next().unwrap();
            let is_elsewhere = target.is_empty() || target.starts_with("https://");
            let exists = path.parent().unwrap().join(target).exists();
            assert!(is_elsewhere || exists, "{page} links to {link}, which does not exist");
        }
    }
}

/// The paths in the code of a page: each word with a file's ending or with a folder of the repository at its
/// start.
fn paths(page: &str) -> BTreeSet<&str> {
    let words = page.split('`').skip(1).step_by(2).flat_map(str::split_whitespace);
    let is_plain = |word: &&str| {
        word.chars().all(|c| c.is_ascii_alphanumeric() || "_./-".contains(c))
            && !word.contains("..")
    };
    let is_path = |word: &&str| {
        let is_file = EXTENSIONS.iter().any(|end| word.ends_with(end) && word != end);
        let folder = word.split_once('/').map(|(folder, _)| folder);
        is_file || folder.is_some_and(|folder| FOLDERS.contains(&folder))
    };
    words.filter(is_plain).filter(is_path).collect()
}

#[test]
fn paths_that_pages_name_exist() {
    let entries = FOLDERS.iter().flat_map(|folder| {
        WalkDir::new(repository().join(folder))
            .into_iter()
            .filter_entry(|entry| entry.file_name() != "target")
    });
    let files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().into_path()).collect();
    let top = |path: &str| repository().join(path).exists();
    let exists = |path: &str| {
        FOREIGN_FILES.contains(&path) || top(path) || files.iter().any(|file| file.ends_with(path))
    };
    let mut pages: Vec<(String, String)> =
        PAGES_OF_PATHS.map(|page| (page.to_owned(), read(page))).into();
    pages.extend(crates().into_iter().map(|(name, folder)| (name, front_page(&folder))));
    let mut absent = Vec::new();
    for (page, text) in &pages {
        let missing = paths(text).into_iter().filter(|path| !exists(path));
        absent.extend(missing.map(|path| format!("{page} names {path}, which does not exist")));
    }
    assert!(absent.is_empty(), "{}", absent.join("\n"));
    let contributing = read("CONTRIBUTING.md");
    assert!(paths(&contributing).len() > 30, "{:?}", paths(&contributing));
}

#[test]
fn words_that_look_like_paths_are_found() {
    let page = "a.rs `b.rs` `src/c.h`, `run suites/d -- x.cpp` `.rs` `suites/<group>/e.yaml` `f/g` `../h.md`";
    assert_eq!(Vec::from_iter(paths(page)), ["b.rs", "src/c.h", "suites/d", "x.cpp"]);
}

#[test]
fn short_pages_are_short() {
    for (page, limit) in SHORT_PAGES {
        let lines = read(page).lines().count();
        assert!(lines <= limit, "{page} has {lines} lines, and at most {limit} are read");
    }
}

/// The dependencies of each crate in its manifest, by folders.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let crates = crates();
    let of_crate = |folder: &String| {
        let manifest = read(&format!("{folder}/Cargo.toml"));
        let section = manifest.split_once("\n[dependencies]\n").map_or("", |(_, rest)| rest);
        let lines = section.lines().take_while(|line| !line.starts_with('['));
        let names = lines.filter_map(|line| line.split(['.', ' ', '=']).next());
        let known = names.filter_map(|name| crates.get(name).cloned()).collect();
        (folder.clone(), known)
    };
    crates.values().map(of_crate).collect()
}

/// The arrows of the picture, by folders.
fn drawn() -> BTreeMap<String, BTreeSet<String>> {
    let page = read("harness/ARCHITECTURE.md");
    let picture = between(&page, "```mermaid\nflowchart TD\n", "```").next().unwrap();
    let mut drawn: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in picture.lines() {
        let (from, to) = line.split_once(" --> ").unwrap();
        let folders = |side: &str| -> Vec<String> {
            side.split(" & ").map(|folder| folder.trim().to_owned()).collect()
        };
        for from in folders(from) {
            drawn.entry(from).or_default().extend(folders(to));
        }
    }
    drawn
}

/// Every crate that a crate reaches, over any number of arrows.
fn reached(arrows: &BTreeMap<String, BTreeSet<String>>, from: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![from.to_owned()];
    while let Some(folder) = open.pop() {
        for to in arrows.get(&folder).into_iter().flatten() {
            if found.insert(to.clone()) {
                open.push(to.clone());
            }
        }
    }
    found
}

#[test]
fn the_picture_shows_the_crates_as_they_are() {
    let (drawn, known) = (drawn(), dependencies());
    let picture = "the picture of harness/ARCHITECTURE.md";
    for (folder, knows) in &known {
        assert_eq!(
            reached(&drawn, folder),
            reached(&known, folder),
            "{picture} and {folder}/Cargo.toml: the crates that {folder} reaches"
        );
        let arrows = drawn.get(folder).into_iter().flatten();
        let invented: Vec<&String> = arrows.filter(|to| !knows.contains(*to)).collect();
        assert!(invented.is_empty(), "{picture}: {folder} does not know {invented:?}");
    }
    let nowhere: Vec<&String> = drawn.keys().filter(|from| !known.contains_key(*from)).collect();
    assert!(nowhere.is_empty(), "{picture}: {nowhere:?} are no crates");
}

#[test]
fn architecture_leads_to_the_front_page_of_each_crate() {
    let page = read("harness/ARCHITECTURE.md");
    for folder in crates().values() {
        let target = match folder.strip_prefix("harness") {
            Some("") => "src/lib.rs".to_owned(),
            Some(inner) => format!("{}/src/lib.rs", inner.trim_start_matches('/')),
            None => format!("../{folder}/src/lib.rs"),
        };
        let row = format!("| [`{folder}`]({target})");
        assert!(page.contains(&row), "harness/ARCHITECTURE.md has no row that begins `{row}`");
        assert!(front_page(folder).lines().count() > 0, "{folder}/src/lib.rs has no front page");
    }
}
