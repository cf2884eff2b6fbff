//! Writes `schema/src/generated` from `schema/fbs`.
//!
//! ```text
//! cargo run --release --manifest-path scripts/schema-gen/Cargo.toml             # write
//! cargo run --release --manifest-path scripts/schema-gen/Cargo.toml -- --check  # compare only
//! ```
//!
//! `--check` fails if the committed code is not what the schema gives, and both forms fail if the
//! schema breaks the last released one. Building needs cmake and a C++ compiler, because the
//! FlatBuffers compiler comes as source. `hallmark-schema`'s own tests catch a forgotten run without
//! either, by the hashes of schema, generator and code that this writes beside the code.

mod additions;
mod commands;
mod fbs;
mod fields;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

/// The schema's files in the order in which they are hashed; the last one is the root.
const FILES: [&str; 5] = ["common", "program", "record", "journal", "capture"];

/// The release that a change must not break.
const RELEASED: &str = "released/1.0";
const RELEASED_MINOR: u16 = 0;

fn main() -> ExitCode {
    let check = match env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => {
            eprintln!("usage: schema-gen [--check]");
            return ExitCode::from(2);
        }
    };
    match run(check) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(check: bool) -> Result<(), String> {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema");
    let generated = schema.join("src/generated");
    conform(&schema)?;
    let parsed = parsed(&schema, "fbs")?;
    let mut outputs = vec![
        ("capture.rs", flatc(&schema)?),
        ("fields.rs", fields(&schema, &parsed)?),
        ("commands.rs", tidy(&commands::generate(&parsed)?)?),
    ];
    let hashes = hashes(&schema, &outputs)?;
    outputs.push(("HASHES", hashes));
    let mut drifted = Vec::new();
    for (name, content) in &outputs {
        let path = generated.join(name);
        if fs::read_to_string(&path).ok().as_ref() == Some(content) {
            continue;
        }
        drifted.push(*name);
        if !check {
            fs::create_dir_all(&generated)
                .and_then(|()| fs::write(&path, content))
                .map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    match (drifted.as_slice(), check) {
        ([], _) => println!("schema/src/generated is up to date"),
        (names, false) => println!("wrote {}", names.join(", ")),
        (names, true) => {
            return Err(format!(
                "schema/src/generated is not what schema/fbs gives: {} differ; run `cargo run --release --manifest-path scripts/schema-gen/Cargo.toml` and commit the result",
                names.join(", ")
            ));
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn execute(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("flatc did not start: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    Err(format!("flatc: {text}{}", String::from_utf8_lossy(&output.stderr)))
}

fn conform(schema: &Path) -> Result<(), String> {
    let released = schema.join(RELEASED);
    execute(
        Command::new(flatc_fork::flatc())
            .arg("--conform")
            .arg(released.join("capture.fbs"))
            .arg("--conform-includes")
            .arg(&released)
            .arg("-I")
            .arg(schema.join("fbs"))
            .arg(schema.join("fbs/capture.fbs")),
    )
    .map_err(|error| format!("the schema breaks schema/{RELEASED}:\n{error}"))
    .map(|_| ())
}

fn flatc(schema: &Path) -> Result<String, String> {
    let folder: PathBuf = env::temp_dir().join(format!("schema-gen-{}", std::process::id()));
    let result = execute(
        Command::new(flatc_fork::flatc())
            .args(["--rust", "--gen-all", "-I"])
            .arg(schema.join("fbs"))
            .arg("-o")
            .arg(&folder)
            .arg(schema.join("fbs/capture.fbs")),
    )
    .and_then(|_| read(&folder.join("capture_generated.rs")));
    // Nothing is lost if the temporary folder stays.
    let _ = fs::remove_dir_all(&folder);
    result
}

fn schema_texts(schema: &Path, folder: &str) -> Result<Vec<(&'static str, String)>, String> {
    let text = |name: &'static str| Ok((name, read(&schema.join(format!("{folder}/{name}.fbs")))?));
    FILES.into_iter().map(text).collect()
}

fn parsed(schema: &Path, folder: &str) -> Result<fbs::Schema, String> {
    let texts = schema_texts(schema, folder)?;
    let files = texts.iter().map(|(name, text)| (*name, text.as_str()));
    fbs::Schema::parse(files).map_err(|error| error.to_string())
}

/// Generated code as a person would lay it out, under the line that says what it is.
fn tidy(rust: &str) -> Result<String, String> {
    let file = syn::parse_file(rust)
        .map_err(|error| format!("the generator writes what is no Rust: {error}"))?;
    let tidy = prettyplease::unparse(&file);
    Ok(format!(
        "// Written by scripts/schema-gen from schema/fbs; do not modify.\n// @generated\n\n{tidy}"
    ))
}

/// What the schema says beyond flatc's code as Rust tables, and what identifies the schema.
fn fields(schema: &Path, parsed: &fbs::Schema) -> Result<String, String> {
    let texts = schema_texts(schema, "fbs")?;
    let released = self::parsed(schema, RELEASED)?;
    additions::check(&released, RELEASED_MINOR, parsed).map_err(|error| error.to_string())?;
    let mut hasher = blake3::Hasher::new();
    for (name, text) in &texts {
        hasher.update(format!("{name} {}\n", text.len()).as_bytes());
        hasher.update(text.as_bytes());
    }
    fields::rust(parsed, hasher.finalize().as_bytes()).map_err(|error| error.to_string())
}

/// Ties schema, generator and generated code together, so that a test sees an edit of any without flatc.
fn hashes(schema: &Path, outputs: &[(&str, String)]) -> Result<String, String> {
    let version = execute(Command::new(flatc_fork::flatc()).arg("--version"))?;
    let mut text = format!("{}\n", version.trim());
    for (name, content) in schema_texts(schema, "fbs")? {
        let _ = writeln!(text, "{} fbs/{name}.fbs", blake3::hash(content.as_bytes()));
    }
    for (name, content) in schema_texts(schema, RELEASED)? {
        let _ = writeln!(text, "{} {RELEASED}/{name}.fbs", blake3::hash(content.as_bytes()));
    }
    for path in generator_files(schema)? {
        let content = read(&schema.join(&path))?;
        let _ = writeln!(text, "{} {path}", blake3::hash(content.as_bytes()));
    }
    for (name, content) in outputs {
        let _ = writeln!(text, "{} src/generated/{name}", blake3::hash(content.as_bytes()));
    }
    Ok(text)
}

/// The files of this generator, relative to the folder of the schema.
fn generator_files(schema: &Path) -> Result<Vec<String>, String> {
    const GENERATOR: &str = "../scripts/schema-gen";
    let mut files: Vec<String> = ["Cargo.lock", "Cargo.toml", "only-the-compiler.cmake"]
        .map(|name| format!("{GENERATOR}/{name}"))
        .into();
    let folder = format!("{GENERATOR}/src");
    let entries = fs::read_dir(schema.join(&folder)).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(|error| format!("{folder}: {error}"))?;
    files.extend(entries.iter().map(|entry| format!("{folder}/{}", entry.file_name().display())));
    files.sort();
    Ok(files)
}
