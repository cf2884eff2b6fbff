//! Reads descriptions of releases, and refuses what cannot be right.
//!
//! Names and symbols become C++ source and assembly, so only the letters of identifiers are accepted in them.

use std::collections::BTreeMap;

use hallmark_chip::{Architecture, LaunchMessages};
use hallmark_device_code::bindings::BindingForms;
use hallmark_schema::model::{FailureCode, FieldName, FieldValue as _, ObjectKind};
use serde::Deserialize;
use toml::{Table, Value};

use super::kinds::Kinds;
use super::{
    AnswerSource, AskedFunction, Firmware, Hook, Numbers, Places, ReleaseDescription, StandIn,
};
use crate::exceptions::Row;

/// The largest file. That of 0.81.1 has 37 kB.
const LARGEST_FILE: usize = 256 << 10;
/// The largest number of functions, hooks or exceptions.
const LARGEST_COUNT: usize = 1000;
/// The longest symbol or text.
const LONGEST: usize = 1000;
/// The largest offset, size or slot: no object of upstream's is a tenth of it.
const LARGEST_PLACE: u32 = 1 << 16;
/// Letters of a GNU build id: 20 bytes.
const BUILD_ID: usize = 40;

/// A description that cannot be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DescriptionError {
    /// It is no TOML, or lacks a part, or has a part that no description has.
    #[error("releases/{file}.toml: {reason}")]
    Syntax {
        /// The file's name without its ending.
        file: String,
        /// The message of the reader.
        reason: String,
    },
    /// A value cannot be right.
    #[error("releases/{file}.toml: {place}: {problem}")]
    Value {
        /// The file's name without its ending.
        file: String,
        /// The key of the value.
        place: String,
        /// The problem, and how it is mended.
        problem: String,
    },
}

/// A description as its file has it, once the description that it is like is filled in.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    release: String,
    builds: Vec<String>,
    functions: BTreeMap<String, String>,
    recorder: RecorderPart,
    tables: BTreeMap<String, String>,
    kinds: Kinds,
    slots: Places,
    offsets: Places,
    sizes: BTreeMap<String, u32>,
    numbers: Numbers,
    firmware: Firmware,
    stand_in: StandIn,
    bindings: BindingForms,
    exceptions: Vec<ExceptionPart>,
    #[serde(default)]
    launch_messages: BTreeMap<Architecture, LaunchMessages>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecorderPart {
    functions: BTreeMap<String, String>,
    beside: BTreeMap<String, String>,
    members: BTreeMap<String, u32>,
    hooks: BTreeMap<String, HookPart>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HookPart {
    handler: String,
    blocking: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExceptionPart {
    text: String,
    failure: String,
    object: Option<String>,
}

/// The parts that a description never takes from the one that it is like.
const OWN: [&str; 3] = ["release", "builds", "launch_messages"];
/// The part that is a list; the description's own entries come first.
const LIST: &str = "exceptions";

/// What a description names of the one that it is like, because its release lacks it.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Without {
    #[serde(default)]
    functions: Vec<String>,
    #[serde(default)]
    hooks: Vec<String>,
    /// Namespaces of bound names without a function that asks for a name.
    #[serde(default)]
    absent: Vec<String>,
}

/// Reads descriptions: each file's name without its ending, with its text.
///
/// # Errors
/// [`DescriptionError`] of the first one that cannot be right.
pub(super) fn read_all(
    files: &[(&str, &str)],
) -> Result<Vec<ReleaseDescription>, DescriptionError> {
    let mut tables = BTreeMap::new();
    for (file, text) in files {
        tables.insert(*file, table(file, text)?);
    }
    let mut all: Vec<ReleaseDescription> = Vec::new();
    for (file, _) in files {
        let read = Reader { file }.read(&tables)?;
        let build = read.builds.iter().find(|build| all.iter().any(|one| one.knows_build(build)));
        if let Some(build) = build {
            return Err(Reader { file }.wrong("builds", format!("{build} is another release's")));
        }
        all.push(read);
    }
    Ok(all)
}

fn table(file: &str, text: &str) -> Result<Table, DescriptionError> {
    let syntax = |reason: String| DescriptionError::Syntax { file: file.to_owned(), reason };
    if text.len() > LARGEST_FILE {
        return Err(syntax(format!(
            "it has {} B, and at most {LARGEST_FILE} are read",
            text.len()
        )));
    }
    text.parse().map_err(|error: toml::de::Error| syntax(error.to_string().trim_end().to_owned()))
}

/// Fills the parts of `base` in that a description leaves out.
fn fill_in(own: &mut Table, base: &Table) {
    for (key, value) in base {
        match (own.get_mut(key), value) {
            (Some(Value::Table(own)), Value::Table(base)) => fill_in(own, base),
            (Some(Value::Array(own)), Value::Array(base)) if key == LIST => {
                own.extend(base.iter().cloned());
            }
            (Some(_), _) => {}
            (None, value) => {
                own.insert(key.clone(), value.clone());
            }
        }
    }
}

struct Reader<'a> {
    file: &'a str,
}

impl Reader<'_> {
    fn wrong(&self, place: impl Into<String>, problem: impl Into<String>) -> DescriptionError {
        DescriptionError::Value {
            file: self.file.to_owned(),
            place: place.into(),
            problem: problem.into(),
        }
    }

    fn read(&self, all: &BTreeMap<&str, Table>) -> Result<ReleaseDescription, DescriptionError> {
        let table = self.filled_in(self.file, all, all.len())?;
        let file: File =
            table.try_into().map_err(|error: toml::de::Error| DescriptionError::Syntax {
                file: self.file.to_owned(),
                reason: error.to_string().trim_end().to_owned(),
            })?;
        self.checked(file)
    }

    /// The table of a file with the parts of the one that it is like. `patience` ends a circle of files.
    fn filled_in(
        &self,
        name: &str,
        all: &BTreeMap<&str, Table>,
        patience: usize,
    ) -> Result<Table, DescriptionError> {
        let missing = || format!("releases/{name}.toml is missing; name a file's release");
        let mut table = all.get(name).cloned().ok_or_else(|| self.wrong("like", missing()))?;
        let without = table.remove("without");
        if let Some(like) = table.remove("like") {
            let Some(patience) = patience.checked_sub(1) else {
                let problem = format!("{name} is like itself; name a complete description");
                return Err(self.wrong("like", problem));
            };
            let mut base = self.filled_in(like.as_str().unwrap_or_default(), all, patience)?;
            self.leave_out(without, &mut base)?;
            OWN.iter().for_each(|key| drop(base.remove(*key)));
            fill_in(&mut table, &base);
        }
        Ok(table)
    }

    /// Takes the parts out of `base` that a release lacks.
    fn leave_out(&self, without: Option<Value>, base: &mut Table) -> Result<(), DescriptionError> {
        let Some(without) = without else { return Ok(()) };
        let without: Without = without.try_into().map_err(|error: toml::de::Error| {
            self.wrong("without", error.to_string().trim_end().to_owned())
        })?;
        let parts: [(&[&str], Vec<String>); 3] = [
            (&["functions"], without.functions),
            (&["recorder", "hooks"], without.hooks),
            (&["bindings", "absent"], without.absent),
        ];
        for (path, names) in parts {
            let inside =
                path.iter().try_fold(&mut *base, |it, key| it.get_mut(*key)?.as_table_mut());
            let Some(inside) = inside else { continue };
            for name in names {
                if inside.remove(&name).is_none() {
                    let place = format!("without.{}", path.last().unwrap_or(&""));
                    return Err(
                        self.wrong(place, format!("the description that it is like has no {name}"))
                    );
                }
            }
        }
        Ok(())
    }

    fn checked(&self, file: File) -> Result<ReleaseDescription, DescriptionError> {
        if file.release != self.file {
            return Err(self.wrong("release", "it differs from the file's name; make them equal"));
        }
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let is_build = |build: &String| build.len() == BUILD_ID && build.bytes().all(is_digit);
        if file.builds.is_empty() || !file.builds.iter().all(is_build) {
            let problem =
                format!("a build id has {BUILD_ID} hexadecimal digits; `readelf -n` shows it");
            return Err(self.wrong("builds", problem));
        }
        self.functions("functions", &file.functions, false)?;
        let RecorderPart { mut functions, beside, members, hooks } = file.recorder;
        for (name, offset) in &members {
            self.place(&format!("recorder.members.{name}"), name, *offset)?;
            functions.remove(name);
        }
        self.functions("recorder.functions", &functions, true)?;
        self.functions("recorder.beside", &beside, true)?;
        self.count("recorder.hooks", hooks.len())?;
        for (symbol, hook) in &hooks {
            let place = format!("recorder.hooks.{symbol}");
            self.symbol(&place, symbol)?;
            self.identifier(&place, &hook.handler)?;
            if hook.blocking.is_some_and(|place| place > 5) {
                return Err(self.wrong(place, "six arguments are in registers; count from 0"));
            }
        }
        self.functions("tables", &file.tables, true)?;
        self.places("slots", &file.slots)?;
        if let Some(class) = file.slots.keys().find(|class| !file.tables.contains_key(*class)) {
            let place = format!("slots.{class}");
            return Err(self.wrong(place, format!("state the symbol of the table: tables.{class}")));
        }
        self.places("offsets", &file.offsets)?;
        for (name, size) in &file.sizes {
            self.place(&format!("sizes.{name}"), name, *size)?;
        }
        self.identifier("stand_in.shadowed_kernel", &file.stand_in.shadowed_kernel)?;
        for path in file.stand_in.headers.iter().chain(&file.stand_in.support) {
            self.path("stand_in", path)?;
        }
        for path in [&file.firmware.folder, &file.firmware.image] {
            self.path("firmware", path)?;
        }
        let asked = |functions: BTreeMap<String, String>, source: fn(String) -> AnswerSource| {
            let make = move |(name, symbol)| AskedFunction { name, source: source(symbol) };
            functions.into_iter().map(make)
        };
        let members = members
            .into_iter()
            .map(|(name, offset)| AskedFunction { name, source: AnswerSource::Member(offset) });
        self.count("exceptions", file.exceptions.len())?;
        let exceptions = file.exceptions.into_iter().map(|row| self.exception(row));
        Ok(ReleaseDescription {
            version: file.release,
            builds: file.builds,
            functions: file.functions,
            asked: asked(functions, AnswerSource::Function)
                .chain(asked(beside, AnswerSource::FunctionBeside))
                .chain(members)
                .collect(),
            hooks: hooks
                .into_iter()
                .map(|(symbol, HookPart { handler, blocking })| Hook { symbol, handler, blocking })
                .collect(),
            tables: file.tables,
            kinds: file.kinds,
            slots: file.slots,
            offsets: file.offsets,
            sizes: file.sizes,
            numbers: file.numbers,
            firmware: file.firmware,
            stand_in: file.stand_in,
            bindings: file.bindings,
            exceptions: exceptions.collect::<Result<_, _>>()?,
            launch_messages: file.launch_messages,
        })
    }

    fn count(&self, place: &str, count: usize) -> Result<(), DescriptionError> {
        if count > LARGEST_COUNT {
            return Err(
                self.wrong(place, format!("{count} entries; at most {LARGEST_COUNT} are read"))
            );
        }
        Ok(())
    }

    fn identifier(&self, place: &str, name: &str) -> Result<(), DescriptionError> {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let begins = name.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
        if !begins || name.len() > LONGEST || !name.bytes().all(is_letter) {
            return Err(self.wrong(place, "write an identifier of C++"));
        }
        Ok(())
    }

    fn symbol(&self, place: &str, symbol: &str) -> Result<(), DescriptionError> {
        if !symbol.starts_with("_Z") {
            return Err(self.wrong(place, "write a mangled name, which begins with `_Z`"));
        }
        self.identifier(place, symbol)
    }

    /// Functions by names for people, or by names in C++.
    fn functions(
        &self,
        part: &str,
        functions: &BTreeMap<String, String>,
        are_identifiers: bool,
    ) -> Result<(), DescriptionError> {
        self.count(part, functions.len())?;
        for (name, symbol) in functions {
            let place = format!("{part}.{name}");
            self.symbol(&place, symbol)?;
            if are_identifiers {
                self.identifier(&place, name)?;
            }
        }
        Ok(())
    }

    fn path(&self, place: &str, path: &str) -> Result<(), DescriptionError> {
        let is_inside = path.split('/').all(|part| !matches!(part, "" | "." | ".."));
        if !is_inside || path.len() > LONGEST {
            return Err(self.wrong(place, format!("`{path}` is no path within a folder")));
        }
        Ok(())
    }

    fn places(&self, part: &str, places: &Places) -> Result<(), DescriptionError> {
        for (class, members) in places {
            self.identifier(part, class)?;
            for (name, place) in members {
                self.place(&format!("{part}.{class}.{name}"), name, *place)?;
            }
        }
        Ok(())
    }

    fn place(&self, place: &str, name: &str, number: u32) -> Result<(), DescriptionError> {
        self.identifier(place, name)?;
        if number >= LARGEST_PLACE {
            return Err(
                self.wrong(place, format!("{number} is no place; at most {LARGEST_PLACE} are"))
            );
        }
        Ok(())
    }

    fn exception(&self, row: ExceptionPart) -> Result<Row, DescriptionError> {
        let place = format!("exceptions, `{}`", row.text);
        if row.text.is_empty() || row.text.len() > LONGEST {
            return Err(self.wrong(place, format!("write 1 to {LONGEST} bytes")));
        }
        let code = FailureCode::ALL.iter().find(|code| code.name() == row.failure);
        let Some(&code) = code else {
            return Err(self.wrong(place, format!("there is no failure {}", row.failure)));
        };
        let fixed = match row.object {
            None => None,
            Some(name) => {
                let kinds = ObjectKind::ALL;
                let kind = kinds.iter().find(|kind| format!("{kind:?}") == name);
                let kind = kind.ok_or_else(|| self.wrong(&place, format!("there is no {name}")))?;
                Some((FieldName::Object, kind.to_number()))
            }
        };
        let named = fields(&row.text).ok_or_else(|| self.wrong(&place, "a `{` without its `}`"))?;
        for name in named.into_iter().filter(|name| !name.is_empty()) {
            if !code.fields().iter().any(|field| field.name() == name) {
                return Err(self.wrong(place, format!("{} has no field {name}", row.failure)));
            }
        }
        Ok(Row { text: row.text, code, fixed })
    }
}

/// The names between braces; `None` if a brace has no end.
fn fields(text: &str) -> Option<Vec<&str>> {
    let mut parts = text.split('{');
    parts.next();
    parts.map(|part| part.split_once('}').map(|(name, _)| name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = include_str!("../../releases/0.81.1.toml");
    const BUILD: &str = "0123456789abcdef0123456789abcdef01234567";

    fn read(files: &[(&str, &str)]) -> Result<Vec<ReleaseDescription>, String> {
        read_all(files).map_err(|error| error.to_string())
    }

    /// The error of the base description with a change.
    fn refused(from: &str, to: &str) -> String {
        assert_eq!(BASE.matches(from).count().min(1), 1, "{from}");
        read(&[("0.81.1", &BASE.replacen(from, to, 1))]).expect_err(to)
    }

    #[test]
    fn the_descriptions_of_this_build_are_right() {
        let all = ReleaseDescription::all().unwrap();
        assert!(all.iter().all(|release| release.functions.len() > 40));
        assert!(all.is_sorted_by(ReleaseDescription::is_before));
        let oldest = all.first().unwrap().version();
        for (version, nearest) in [
            ("0.60.0", oldest),
            ("0.80.0", "0.80.0"),
            ("0.80.7", "0.80.0"),
            ("0.81.1rc3", "0.81.1"),
            ("0.82.0.dev20261128", "0.81.1"),
            ("1.0", "0.81.1"),
            ("", oldest),
        ] {
            let found = ReleaseDescription::nearest(all, version).unwrap();
            assert_eq!(found.version(), nearest, "{version}");
        }
        assert_eq!(ReleaseDescription::of_version("0.81.1").unwrap().version(), "0.81.1");
        assert!(ReleaseDescription::of_version("0.81").is_none());
        assert!(ReleaseDescription::of_build(BUILD).is_none());
    }

    #[test]
    fn a_description_states_what_differs_from_the_one_that_it_is_like() {
        let own = format!(
            "release = \"0.80.9\"\nlike = \"0.81.1\"\nbuilds = [\"{BUILD}\"]\n\
             [functions]\n\"EventQuery\" = \"_Zother\"\n[offsets.Kernel]\nsource = 0x80\n\
             [[exceptions]]\ntext = \"CQ {{index}} is odd\"\nfailure = \"UnknownQueue\"\n"
        );
        let all = read(&[("0.80.9", &own), ("0.81.1", BASE)]).unwrap();
        let [own, base] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!((own.version(), base.version()), ("0.80.9", "0.81.1"));
        let symbol = |release: &ReleaseDescription| release.functions["EventQuery"].clone();
        assert_eq!(symbol(own), "_Zother");
        assert_ne!(symbol(base), "_Zother");
        assert_eq!(own.functions.len(), base.functions.len());
        let place = |release: &ReleaseDescription, name: &str| release.offsets["Kernel"][name];
        assert_eq!((place(own, "source"), place(base, "source")), (0x80, 0x78));
        assert_eq!(place(own, "scratchpads"), place(base, "scratchpads"));
        assert_eq!(own.exceptions.len(), base.exceptions.len() + 1);
        assert_eq!(own.exceptions[0].text, "CQ {index} is odd");
        assert_eq!(own.hooks, base.hooks);
        assert!(own.knows_build(BUILD) && !base.knows_build(BUILD));
    }

    #[test]
    fn a_release_lacks_what_its_description_leaves_out() {
        let own = |without: &str| {
            format!(
                "release = \"0.80.9\"\nbuilds = [\"{BUILD}\"]\nlike = \"0.81.1\"\n\n[without]\n{without}\n\n\
                 [recorder.members]\nevent = 16\n"
            )
        };
        let hook = "_ZN2tt8tt_metal11distributed10EventQueryERKNS1_9MeshEventE";
        let text = own(&format!("functions = [\"EventQuery\"]\nhooks = [\"{hook}\"]"));
        let all = read(&[("0.80.9", &text), ("0.81.1", BASE)]).unwrap();
        let [own_release, base] = all.as_slice() else { panic!("{all:?}") };
        let has = |release: &ReleaseDescription| {
            let hooked = release.hooks.iter().any(|it| it.symbol == hook);
            (release.functions.contains_key("EventQuery"), hooked)
        };
        assert_eq!((has(own_release), has(base)), ((false, false), (true, true)));
        assert_eq!(own_release.functions.len() + 1, base.functions.len());
        // A member takes the place of the function with its name.
        let event = |release: &ReleaseDescription| {
            let mut asked = release.asked.iter().filter(|it| it.name == "event");
            (asked.next().unwrap().source.clone(), asked.count())
        };
        assert_eq!(event(own_release), (AnswerSource::Member(16), 0));
        assert!(matches!(event(base), (AnswerSource::Function(_), 0)));
        for (without, says) in [
            (
                "functions = [\"EventQueries\"]",
                "without.functions: the description that it is like has no EventQueries",
            ),
            (
                "hooks = [\"_Zother\"]",
                "without.hooks: the description that it is like has no _Zother",
            ),
            ("hook = [\"_Zother\"]", "unknown field `hook`"),
            ("absent = [\"sem\"]", "without.absent: the description that it is like has no sem"),
        ] {
            let error = read(&[("0.80.9", &own(without)), ("0.81.1", BASE)]).unwrap_err();
            assert!(error.contains(says), "no `{says}` in {error}");
        }
    }

    #[test]
    fn a_description_is_like_a_complete_one() {
        let own = |name: &str, like: &str, builds: &str| {
            format!("release = \"{name}\"\nlike = \"{like}\"\n{builds}")
        };
        let builds = format!("builds = [\"{BUILD}\"]\n");
        let other = format!("builds = [\"{}\"]\n", BUILD.replace('0', "1"));
        let error = read(&[("1.0.0", &own("1.0.0", "2.0.0", &builds))]).unwrap_err();
        assert!(error.contains("releases/2.0.0.toml is missing"), "{error}");
        // One may be like another that is like a complete one; a circle has no complete one.
        let second = format!("{}[sizes]\nTile = 44\n", own("2.0.0", "0.81.1", &other));
        let chain = [("1.0.0", own("1.0.0", "2.0.0", &builds)), ("2.0.0", second)];
        let files = chain.each_ref().map(|(name, text)| (*name, text.as_str()));
        let read_chain = read(&[&files[..], &[("0.81.1", BASE)]].concat()).unwrap();
        let tiles: Vec<u32> = read_chain.iter().map(|release| release.sizes["Tile"]).collect();
        assert_eq!(tiles, [44, 44, 40]);
        let circle = [("1.0.0", own("1.0.0", "2.0.0", "")), ("2.0.0", own("2.0.0", "1.0.0", ""))];
        let files = circle.each_ref().map(|(name, text)| (*name, text.as_str()));
        let error = read(&[&files[..], &[("0.81.1", BASE)]].concat()).unwrap_err();
        assert!(error.contains("is like itself"), "{error}");
        // Neither the release's name nor its builds come from another one.
        let error = read(&[("1.0.0", &own("1.0.0", "0.81.1", "")), ("0.81.1", BASE)]).unwrap_err();
        assert!(error.contains("missing field `builds`"), "{error}");
        let same = "builds = [\"23bb346fe8447951975aca3c3eb261b08372522d\"]\n";
        let error =
            read(&[("0.81.1", BASE), ("1.0.0", &own("1.0.0", "0.81.1", same))]).unwrap_err();
        assert!(error.contains("is another release's"), "{error}");
    }

    #[test]
    fn what_cannot_be_right_is_refused_with_its_place() {
        for (from, to, says) in [
            (
                "release = \"0.81.1\"",
                "release = \"0.81.2\"",
                "release: it differs from the file's name",
            ),
            ("release = \"0.81.1\"", "release = 81", "invalid type"),
            ("builds = [\"2", "builds = [\"", "builds: a build id has 40 hexadecimal digits"),
            ("builds = [\"2", "builds = [\"G", "builds: a build id has 40 hexadecimal digits"),
            (
                "\"EventQuery\" = \"_Z",
                "\"EventQuery\" = \"_",
                "functions.EventQuery: write a mangled",
            ),
            ("EventQueryERK", "EventQuery;ERK", "functions.EventQuery: write an identifier"),
            (
                "program_id = ",
                "\"program id\" = ",
                "recorder.functions.program id: write an identifier",
            ),
            ("blocking = 4", "blocking = 6", "six arguments are in registers"),
            ("handler = \"open_device\"", "handler = \"open device\"", "write an identifier"),
            ("handler = \"open_device\"", "handles = \"open_device\"", "unknown field `handles`"),
            ("finish = 15", "finish = 70000", "slots.MeshCommandQueue.finish: 70000 is no place"),
            ("finish = 15", "finish = -1", "invalid value"),
            ("ShardSpec = 40", "\"Shard Spec\" = 40", "sizes.Shard Spec: write an identifier"),
            ("DRAM = 0\n", "", "missing field `DRAM`"),
            ("DRAM = 0\n", "DRAM = 0\nDRAM2 = 7\n", "unknown field `DRAM2`"),
            ("failure = \"CoreOverlap\"", "failure = \"Overlap\"", "there is no failure Overlap"),
            ("object = \"Kernel\"", "object = \"kernel\"", "there is no kernel"),
            (
                "{page_size} must equal",
                "{pages} must equal",
                "SizeNotPageMultiple has no field pages",
            ),
            ("{page_size} must equal", "{page_size must equal", "a `{` without its `}`"),
            ("hw/toolchain/substitutes.cpp", "../substitutes.cpp", "is no path within a folder"),
            (
                "= \"cq_dispatch_sub",
                "= \"*) cq_sub",
                "stand_in.shadowed_kernel: write an identifier",
            ),
            ("Kernel = \"_ZTV", "Kernels = \"_ZTV", "slots.Kernel: state the symbol of the table"),
            ("\"pointer\"", "\"reference\"", "unknown variant `reference`"),
            ("[recorder.members]\n", "[recorder.members]\nevent = 70000\n", "70000 is no place"),
            ("[firmware]", "[firmwares]", "unknown field `firmwares`"),
            ("[firmware]", "[firmware", "TOML parse error at line"),
        ] {
            let error = refused(from, to);
            assert!(error.starts_with("releases/0.81.1.toml: "), "{error}");
            assert!(error.contains(says), "no `{says}` in {error}");
        }
        let long = format!("{BASE}# {}\n", "-".repeat(LARGEST_FILE));
        let error = read(&[("0.81.1", &long)]).unwrap_err();
        assert!(error.contains("at most 262144 are read"), "{error}");
        let row = "[[exceptions]]\ntext = \"a\"\nfailure = \"UnknownQueue\"\n";
        let many = format!("{BASE}{}", row.repeat(LARGEST_COUNT));
        let error = read(&[("0.81.1", &many)]).unwrap_err();
        assert!(error.contains("exceptions: 1060 entries; at most 1000"), "{error}");
    }

    #[test]
    fn no_change_of_a_letter_breaks_the_reader() {
        // A refusal is an error with a text; nothing ends the process.
        for at in (0..BASE.len()).step_by(997) {
            for letter in ["\"", "{", "]", "\n", "=", "\u{0}", "9999999999"] {
                let mut text = BASE.to_owned();
                if text.is_char_boundary(at) && text.is_char_boundary(at + 1) {
                    text.replace_range(at..=at, letter);
                    let _ = read(&[("0.81.1", &text)]);
                }
            }
        }
    }
}
