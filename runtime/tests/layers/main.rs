//! The modules of this crate know nothing of the layers above them: every path in `src/` is read against
//! the list in CONTRIBUTING.md.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "in a test a panic is a failed test"
)]

mod paths;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use paths::{Reference, reexports, references};

/// What stands above the list in CONTRIBUTING.md.
const HEADING: &str = "### Layers of `runtime/src/`";

/// The crates below are given out by the root of this one, and lie below all its layers.
const OTHER_CRATES: &str = "hallmark_";

/// The modules of each layer, the highest layer first.
type Layers = Vec<Vec<String>>;

/// The numbered list under the heading: what stands in backticks before the first colon of an item.
fn layers_of(contributing: &str) -> Layers {
    let (_, section) = contributing.split_once(HEADING).expect("CONTRIBUTING.md lists the layers");
    let items = section.lines().skip(1).take_while(|line| !line.starts_with('#'));
    let numbered = |line: &&str| {
        line.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok())
    };
    let modules = |line: &str| {
        let names = line.split(':').next().unwrap_or_default();
        names.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    items.filter(numbered).map(modules).collect()
}

/// One file of the crate.
struct Source {
    /// From `src/`, with `/`.
    path: String,
    text: String,
}

/// The module that a file makes, from the crate's root.
fn module_of(path: &str) -> Vec<String> {
    let path = path.trim_end_matches(".rs").trim_end_matches("/mod");
    if path == "lib" { Vec::new() } else { path.split('/').map(str::to_owned).collect() }
}

/// The files that another one names with `#[path]`, and the modules that they make.
fn named_files(sources: &[Source]) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    for source in sources {
        for part in source.text.split("#[path = \"").skip(1) {
            let Some((file, rest)) = part.split_once('"') else { continue };
            let name = rest.split_once("mod ").and_then(|(_, rest)| rest.split_once(';'));
            let folder = source.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let mut module = module_of(&source.path);
            module.extend(name.map(|(name, _)| name.to_owned()));
            found.insert(format!("{folder}/{file}").trim_start_matches('/').to_owned(), module);
        }
    }
    found
}

fn layer_of<'a>(layers: &Layers, module: &'a str) -> Result<usize, &'a str> {
    layers.iter().position(|layer| layer.iter().any(|name| name == module)).ok_or(module)
}

/// Everything that contradicts the layers: a path upward or sideways, a module that is not listed, a layer
/// that does not exist.
fn contradictions(sources: &[Source], layers: &Layers) -> Vec<String> {
    let root = sources.iter().find(|source| source.path == "lib.rs");
    let reexported: BTreeMap<String, String> =
        root.map(|root| reexports(&root.text)).unwrap_or_default();
    let modules: BTreeSet<String> =
        sources.iter().filter_map(|source| module_of(&source.path).into_iter().next()).collect();
    let listed: BTreeSet<&String> = layers.iter().flatten().collect();
    let mut found: Vec<String> = listed
        .iter()
        .filter(|listed| !modules.contains(**listed))
        .map(|listed| format!("CONTRIBUTING.md lists `{listed}`, which is no module"))
        .collect();
    for module in modules.iter().filter(|module| !listed.contains(module)) {
        found.push(format!("CONTRIBUTING.md does not list module `{module}`"));
    }
    let named = named_files(sources);
    for source in sources {
        let module = named.get(&source.path).cloned().unwrap_or_else(|| module_of(&source.path));
        let Some(Ok(from)) = module.first().map(|own| layer_of(layers, own)) else { continue };
        for Reference { line, path } in references(&source.text, &module) {
            let Some(first) = path.first() else { continue };
            let target = if modules.contains(first) { Some(first) } else { reexported.get(first) };
            if target.is_some_and(|target| target.starts_with(OTHER_CRATES)) {
                continue;
            }
            let place = format!("runtime/src/{}:{line}", source.path);
            let shown = path.join("::");
            match target.map(|target| (target, layer_of(layers, target))) {
                None => found.push(format!("{place}: crate::{shown} is in no module")),
                Some((target, Ok(to))) if to <= from && module.first() != Some(target) => {
                    let own = &module[0];
                    found.push(format!("{place}: `{own}` knows `{target}`: crate::{shown}"));
                }
                Some(_) => {}
            }
        }
    }
    found
}

fn read(folder: &Path, root: &Path, sources: &mut Vec<Source>) {
    let mut entries: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            read(&path, root, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let path = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            sources.push(Source { path, text });
        }
    }
}

#[test]
fn no_module_knows_the_layers_above_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let contributing = fs::read_to_string(root.join("../CONTRIBUTING.md")).unwrap();
    let mut sources = Vec::new();
    read(&root.join("src"), &root.join("src"), &mut sources);
    let found = contradictions(&sources, &layers_of(&contributing));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// What is found in one file of a crate with three layers.
fn found_in(path: &str, text: &str) -> Vec<String> {
    let list = format!(
        "{HEADING}\nText.\n1. `above`: a\n2. `middle`, `beside`: b\n3. `below`: c\n# End\n4. `x`: d\n"
    );
    let lib = "mod above;\npub use hallmark_chip as chip;\npub use above::{Highest, deep::{Deep, Other as Renamed}};\npub use below::Lowest;\n";
    let mut sources = vec![("lib.rs", lib), (path, text)];
    for module in ["above.rs", "middle.rs", "beside.rs", "below.rs"] {
        if module != path {
            sources.push((module, ""));
        }
    }
    let source =
        |(path, text): (&str, &str)| Source { path: path.to_owned(), text: text.to_owned() };
    let sources: Vec<Source> = sources.into_iter().map(source).collect();
    contradictions(&sources, &layers_of(&list))
}

#[test]
fn whatever_leads_up_is_found() {
    for text in [
        "\nuse crate::above::Highest;",
        "\nuse crate::{below::{self, Lowest}, above::deep::{Deep}};",
        "\nuse crate::Highest;",
        "\nuse crate::Renamed;",
        "\nfn f(x: crate::above::Highest) {}",
        "\nfn f() { let x = crate::Deep::new(); }",
        "\nuse super::above::Highest;",
        "\nuse crate::beside::Neighbour;",
        "\nmod tests { use super::super::above::Highest; }",
        "\nmod tests { mod inner {} use crate::above::*; }",
        "\n#[doc = r\"x\"] type X<'a> = [char; { let _ = '\"'; crate::above::SIZE }];",
    ] {
        let found = found_in("middle.rs", text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert!(found[0].starts_with("runtime/src/middle.rs:2: `middle` knows `"), "{}", found[0]);
    }
    let found = found_in("middle/deep/file.rs", "use super::super::super::above::Highest;");
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn what_leads_down_or_is_no_path_is_not() {
    for text in [
        "use crate::chip::Architecture;",
        "use crate::below::Lowest; use crate::Lowest as Other;",
        "use crate::middle::Own; use self::inner::Own; pub(in crate::middle) fn f() {}",
        "// use crate::above::Highest;\n/* crate::above /* nested */ crate::above */ fn f() {}",
        "const TEXT: &str = \"crate::above \\\" crate::above\"; const RAW: &str = r#\"crate::above\"#;",
        "/// [`crate::above::Highest`]\nfn f<'a>(x: &'a str) -> char { '\\'' }",
        "mod tests { use super::*; mod deeper { use super::super::*; } }",
        "use std::above::Highest; use above_us::above::Highest;",
    ] {
        assert_eq!(found_in("middle.rs", text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn list_and_modules_are_the_same() {
    let found = found_in("middle.rs", "use crate::nowhere::X;");
    assert_eq!(found, ["runtime/src/middle.rs:1: crate::nowhere::X is in no module"]);
    let found = found_in("unlisted.rs", "use crate::above::Highest;");
    assert_eq!(found, ["CONTRIBUTING.md does not list module `unlisted`"]);
    let none = contradictions(&[], &vec![vec!["gone".to_owned()]]);
    assert_eq!(none, ["CONTRIBUTING.md lists `gone`, which is no module"]);
}
