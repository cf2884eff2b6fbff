//! The numbers of a release as a C++ header.

use std::fmt::Write as _;

use super::kinds::Kinds;
use super::{Places, ReleaseDescription};

/// The text of `release.hpp`.
pub(super) fn of(release: &ReleaseDescription) -> String {
    let mut text = format!(
        "// Made from the description of TT-Metalium {0}.\n#pragma once\n\n#include <cstddef>\n#include <cstdint>\n\n\
         namespace hallmark::release {{\nconstexpr char version[] = \"{0}\";\n}}\n",
        release.version
    );
    kinds(&mut text, release.kinds);
    places(&mut text, "slots", &release.slots);
    places(&mut text, "offsets", &release.offsets);
    let sizes = release.sizes.iter().map(|(name, size)| (name.as_str(), *size));
    constants(&mut text, "sizes", "std::size_t", sizes);
    for (name, numbers) in release.numbers.enums() {
        constants(&mut text, &format!("numbers::{name}"), "std::uint32_t", numbers);
    }
    text
}

/// Each kind as a constant, and as a macro for the preprocessor, which alone can leave out a member of a class.
fn kinds(text: &mut String, kinds: Kinds) {
    for (name, has) in kinds.named() {
        let _ = writeln!(text, "\n#define HALLMARK_{} {}", name.to_uppercase(), u8::from(has));
        let _ = writeln!(
            text,
            "namespace hallmark::release::kinds {{\nconstexpr bool {name} = {has};\n}}"
        );
    }
}

fn places(text: &mut String, kind: &str, places: &Places) {
    for (class, members) in places {
        let members = members.iter().map(|(name, place)| (name.as_str(), *place));
        constants(text, &format!("{kind}::{class}"), "std::size_t", members);
    }
}

fn constants<'a>(
    text: &mut String,
    scope: &str,
    of: &str,
    values: impl IntoIterator<Item = (&'a str, u32)>,
) {
    let _ = writeln!(text, "\nnamespace hallmark::release::{scope} {{");
    for (name, value) in values {
        let _ = writeln!(text, "constexpr {of} {name} = {value};");
    }
    text.push_str("}\n");
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_header_has_each_number_under_its_name() {
        let text = of(ReleaseDescription::of_version("0.81.1").unwrap());
        for (scope, line) in [
            ("slots::MeshCommandQueue", "constexpr std::size_t finish = 15;"),
            ("offsets::Kernel", "constexpr std::size_t scratchpads = 544;"),
            ("sizes", "constexpr std::size_t MeshCoordinateRange = 240;"),
            ("numbers::BufferType", "constexpr std::uint32_t TRACE = 4;"),
            ("numbers::DataFormat", "constexpr std::uint32_t RawUInt32 = 242;"),
            ("numbers::ARCH", "constexpr std::uint32_t BLACKHOLE = 3;"),
        ] {
            let scope = format!("namespace hallmark::release::{scope} {{\n");
            let (_, behind) =
                text.split_once(&scope).unwrap_or_else(|| panic!("{scope} in {text}"));
            let (inside, _) = behind.split_once("}\n").unwrap();
            assert!(inside.lines().any(|it| it == line), "{line} in {inside}");
        }
    }

    /// The interface's source with the header of each release, without warnings.
    #[test]
    fn the_interface_is_made_for_every_release() {
        let folder = tempfile::tempdir().unwrap();
        let interface = Path::new(env!("CARGO_MANIFEST_DIR")).join("interface");
        for release in ReleaseDescription::all().unwrap() {
            std::fs::write(folder.path().join("release.hpp"), of(release)).unwrap();
            let mut compiler = Command::new("c++");
            compiler.args(["-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I"]);
            let ran =
                compiler.arg(folder.path()).arg(interface.join("hallmark_metalium.cpp")).output();
            let ran = ran.unwrap();
            let version = release.version();
            assert!(ran.status.success(), "{version}: {}", String::from_utf8_lossy(&ran.stderr));
        }
    }
}
