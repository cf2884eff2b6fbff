//! Checks that modules know only the modules of the layers below them. A test of each crate whose modules have
//! layers calls [`Layered::contradictions`] and asserts that it finds none.
//!
//! The layers stand in a numbered list, the highest first, under a heading of a page: the crate's own front page
//! (`//!` of `lib.rs`) or a README. The list names the modules of a layer in backticks before the first colon:
//!
//! ```text
//! # Layers
//!
//! 1. `replayer`: makes the calls of a capture
//! 2. `host`: the host API
//! 3. `payload`, `mapped_file`: helpers
//! ```
//!
//! The layered modules are those of a crate (`modules: "src"`), or those of one of its modules
//! (`modules: "src/host"`). In the latter case the list may name the module itself (`host`), which stands for the
//! items that `host.rs` declares. What the root gives out with `use` counts as the module that declares it.
//!
//! Only paths that begin with `crate`, `self` or `super` are looked at. Modules of one layer do not know each other.

mod paths;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

use self::paths::{Reference, Visibility, reexports, references};

/// The crates below are given out by the root of a crate, and lie below all its layers.
const OTHER_CRATES: &str = "hallmark_";

/// Modules in layers, and the page that lists the layers.
#[derive(Clone, Copy, Debug)]
pub struct Layered<'a> {
    /// The crate's folder: `env!("CARGO_MANIFEST_DIR")`.
    pub crate_folder: &'a str,
    /// The folder of the modules, from the crate's folder: `src`, or `src/host` for the modules of `src/host.rs`.
    pub modules: &'a str,
    /// The page with the list, from the crate's folder.
    pub page: &'a str,
    /// The line above the list, without `//!`.
    pub heading: &'a str,
}

impl Layered<'_> {
    /// Everything that contradicts the list: a path to a module of the same layer or a higher one, a module that is
    /// not listed, a listed name that is no module. One sentence each.
    ///
    /// # Errors
    /// The page or a file cannot be read, or the page has no list under the heading.
    pub fn contradictions(&self) -> io::Result<Vec<String>> {
        let root = Path::new(self.crate_folder);
        let page = fs::read_to_string(root.join(self.page))?;
        let layers = layers_of(&page, self.heading).ok_or_else(|| {
            let Self { page, heading, .. } = self;
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("{page} has no list under `{heading}`"),
            )
        })?;
        let source = root.join("src");
        let mut sources = Vec::new();
        read(&source, &source, &mut sources)?;
        let scope =
            module_of(&format!("{}.rs", self.modules.trim_start_matches("src").trim_matches('/')));
        Ok(contradictions(&sources, &layers, &scope, self.page))
    }
}

/// The modules of each layer, the highest layer first.
type Layers = Vec<Vec<String>>;

/// The numbered list under a heading of a page.
fn layers_of(page: &str, heading: &str) -> Option<Layers> {
    let mut lines = page.lines().map(|line| line.trim_start_matches("//!").trim());
    lines.find(|line| *line == heading)?;
    let numbered = |line: &&str| {
        line.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok())
    };
    let modules = |line: &str| {
        let names = line.split(':').next().unwrap_or_default();
        names.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let items = lines.take_while(|line| !line.starts_with('#'));
    let layers: Layers = items.filter(numbered).map(modules).collect();
    (!layers.is_empty()).then_some(layers)
}

/// One file of a crate.
struct Source {
    /// From `src/`, with `/`.
    path: String,
    text: String,
}

/// The module that a file makes, from the crate's root.
fn module_of(path: &str) -> Vec<String> {
    let path = path.trim_end_matches(".rs").trim_end_matches("/mod");
    if path == "lib" || path.is_empty() {
        Vec::new()
    } else {
        path.split('/').map(str::to_owned).collect()
    }
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

/// The modules within a scope, seen from its root.
struct Scope<'a> {
    /// The path of the root: empty for a crate.
    path: &'a [String],
    modules: BTreeSet<String>,
    /// What the root gives out, and the module that it comes from.
    reexported: BTreeMap<String, String>,
    layers: &'a Layers,
}

impl Scope<'_> {
    /// The name by which the list calls the items that the root declares.
    fn own_name(&self) -> Option<&String> {
        self.path.last()
    }

    fn layer_of(&self, module: &str) -> Option<usize> {
        self.layers.iter().position(|layer| layer.iter().any(|name| name == module))
    }

    /// The module that a path from the crate's root leads into; nothing for a path that leaves the scope.
    fn target(&self, path: &[String]) -> Option<Target<'_>> {
        let inside = path.strip_prefix(self.path)?;
        let first = inside.first()?;
        if let Some(module) = self.modules.get(first) {
            return Some(Target::Module(module));
        }
        Some(match self.reexported.get(first) {
            Some(from) if from.starts_with(OTHER_CRATES) => Target::OtherCrate,
            Some(from) if self.modules.contains(from) => Target::Module(from),
            // What the root itself declares, or takes from outside the scope.
            Some(_) | None => match self.own_name().filter(|own| self.layer_of(own).is_some()) {
                Some(own) => Target::Module(own),
                None => Target::Unknown,
            },
        })
    }
}

enum Target<'a> {
    Module(&'a String),
    OtherCrate,
    Unknown,
}

fn contradictions(sources: &[Source], layers: &Layers, path: &[String], page: &str) -> Vec<String> {
    let named = named_files(sources);
    let module = |source: &Source| {
        named.get(&source.path).cloned().unwrap_or_else(|| module_of(&source.path))
    };
    let roots = sources.iter().filter(|source| module(source) == path);
    let root = roots.map(|source| source.text.as_str()).next().unwrap_or_default();
    let inside = |source: &Source| module(source).strip_prefix(path)?.first().cloned();
    let scope = Scope {
        path,
        modules: sources.iter().filter_map(inside).collect(),
        reexported: reexports(root, path),
        layers,
    };
    let mut found = Vec::new();
    for listed in layers.iter().flatten().collect::<BTreeSet<_>>() {
        if !scope.modules.contains(listed) && scope.own_name() != Some(listed) {
            found.push(format!("{page} lists `{listed}`, which is no module"));
        }
    }
    for module in &scope.modules {
        if scope.layer_of(module).is_none() {
            found.push(format!("{page} does not list module `{module}`"));
        }
    }
    for source in sources {
        let module = module(source);
        let Some(inside) = module.strip_prefix(path) else { continue };
        let is_root = inside.is_empty();
        let Some(own) = inside.first().or_else(|| scope.own_name()) else { continue };
        let Some(from) = scope.layer_of(own) else { continue };
        for Reference { line, path, visibility } in references(&source.text, &module) {
            // What the root gives out is no knowledge of its own items.
            if is_root && visibility == Visibility::GivenOut {
                continue;
            }
            let place = format!("src/{}:{line}", source.path);
            let shown = path.join("::");
            match scope.target(&path) {
                None | Some(Target::OtherCrate) => {}
                Some(Target::Unknown) => {
                    found.push(format!("{place}: crate::{shown} is in no module"));
                }
                Some(Target::Module(target)) => {
                    let is_up = scope.layer_of(target).is_some_and(|to| to <= from);
                    if is_up && target != own {
                        found.push(format!("{place}: `{own}` knows `{target}`: crate::{shown}"));
                    }
                }
            }
        }
    }
    found
}

fn read(folder: &Path, root: &Path, sources: &mut Vec<Source>) -> io::Result<()> {
    let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut entries = entries.collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            read(&path, root, sources)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path)?;
            let path = path.strip_prefix(root).unwrap_or(&path);
            let path = path.to_string_lossy().replace('\\', "/");
            sources.push(Source { path, text });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "# Layers\nText.\n1. `above`: a\n2. `middle`, `beside`: b\n3. `below`: c\n# End\n4. `x`: d\n";

    /// The contradictions in some files of a crate whose root gives out items of its modules.
    fn found_in(path: &str, text: &str) -> Vec<String> {
        let lib = "mod above;\npub use hallmark_chip as chip;\npub use above::{Highest, deep::{Deep, Other as Renamed}};\npub use below::Lowest;\n";
        let mut sources = vec![("lib.rs", lib), (path, text)];
        for module in ["above.rs", "middle.rs", "beside.rs", "below.rs"] {
            if module != path {
                sources.push((module, ""));
            }
        }
        contradictions(&files(&sources), &layers_of(LIST, "# Layers").unwrap(), &[], "PAGE")
    }

    fn files(sources: &[(&str, &str)]) -> Vec<Source> {
        let source = |(path, text): &(&str, &str)| Source {
            path: (*path).to_owned(),
            text: (*text).to_owned(),
        };
        sources.iter().map(source).collect()
    }

    #[test]
    fn paths_that_lead_up_are_found() {
        for text in [
            "\nuse crate::above::Highest;",
            "\nuse crate::{below::{self, Lowest}, above::deep::{Deep}};",
            "\nuse crate::Highest;",
            "\nuse crate::Renamed;",
            "\npub(crate) use crate::above::Highest;",
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
            assert!(found[0].starts_with("src/middle.rs:2: `middle` knows `"), "{}", found[0]);
        }
        let found = found_in("middle/deep/file.rs", "use super::super::super::above::Highest;");
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn paths_that_lead_down_are_not() {
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
        assert_eq!(found, ["src/middle.rs:1: crate::nowhere::X is in no module"]);
        let found = found_in("unlisted.rs", "use crate::above::Highest;");
        assert_eq!(found, ["PAGE does not list module `unlisted`"]);
        let none = contradictions(&[], &vec![vec!["gone".to_owned()]], &[], "PAGE");
        assert_eq!(none, ["PAGE lists `gone`, which is no module"]);
    }

    #[test]
    fn a_front_page_of_rustdoc_is_a_page() {
        let page = LIST.lines().map(|line| format!("//! {line}\n")).collect::<String>();
        assert_eq!(layers_of(&page, "# Layers"), layers_of(LIST, "# Layers"));
        assert_eq!(layers_of(&page, "# End").map(|layers| layers.len()), Some(1));
        assert_eq!(layers_of(&page, "# Other"), None);
        assert_eq!(layers_of("# Layers\nNone.\n", "# Layers"), None);
    }

    /// The contradictions in the modules of `room`, a module of a crate. `room` itself is the lowest layer.
    fn found_in_room(list: &str, file: (&str, &str)) -> Vec<String> {
        let room =
            "pub(crate) use self::upper::Given;\nuse crate::elsewhere::Outside;\nstruct Own;\n";
        let sources = [("lib.rs", "mod room;"), ("room.rs", room), ("room/upper.rs", "")];
        let mut sources: Vec<_> = sources.into_iter().filter(|it| it.0 != file.0).collect();
        sources.extend([("elsewhere.rs", "use crate::room::upper::X;"), file]);
        let layers = layers_of(list, "#").unwrap();
        contradictions(&files(&sources), &layers, &["room".to_owned()], "PAGE")
    }

    #[test]
    fn the_modules_of_a_module_have_layers_of_their_own() {
        let list = "#\n1. `upper`: a\n2. `lower`: b\n3. `room`: the items of the root\n";
        for text in [
            "use crate::room::upper::X;",
            "use super::upper::X;",
            "use super::Given;",
            "use crate::room::Given;",
        ] {
            let found = found_in_room(list, ("room/lower.rs", text));
            let expected = "src/room/lower.rs:1: `lower` knows `upper`: crate::room::";
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert!(found[0].starts_with(expected), "{found:?}");
        }
        for text in ["use super::Own;", "use crate::elsewhere::X;", "use super::Outside;"] {
            assert_eq!(
                found_in_room(list, ("room/lower.rs", text)),
                Vec::<String>::new(),
                "{text}"
            );
        }
        let up = found_in_room(
            "#\n1. `upper`, `room`: a\n2. `lower`: b\n",
            ("room/lower.rs", "use super::Own;"),
        );
        assert_eq!(up, ["src/room/lower.rs:1: `lower` knows `room`: crate::room::Own"]);
        let unlisted = found_in_room(
            "#\n1. `upper`: a\n2. `lower`: b\n",
            ("room/lower.rs", "use super::Own;"),
        );
        assert_eq!(unlisted, ["src/room/lower.rs:1: crate::room::Own is in no module"]);
    }

    #[test]
    fn the_root_of_a_module_may_be_low_and_still_give_out_items() {
        let list = "#\n1. `upper`: a\n2. `room`: the items of the root\n";
        assert_eq!(found_in_room(list, ("room/upper.rs", "use super::Own;")), Vec::<String>::new());
        let root = ("room.rs", "pub(crate) use self::upper::Given;\nuse self::upper::Private;");
        let found = found_in_room(list, root);
        assert_eq!(found, ["src/room.rs:2: `room` knows `upper`: crate::room::upper::Private"]);
    }
}
