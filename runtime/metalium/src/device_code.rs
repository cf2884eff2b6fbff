//! The files of a site that TT-Metalium has built device code from.
//!
//! Beside each object that it compiles, TT-Metalium keeps a list of the files that the compiler read (`.dephash`). The
//! lists are in the folder of an installation, for the firmware, for the dispatch kernels and for every kernel of a
//! program. So the headers that decide about a run are known without a search for `#include`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Component, Path, PathBuf};

use hallmark_chip::Architecture;
use hallmark_device_code::lexical;

use crate::installation::chip_name;
use crate::site_files::unreadable;
use crate::{Site, SiteError};

/// The ending of a list's name.
const LIST: &str = "dephash";
/// The largest list that is read, bytes. A dispatch kernel's has 60 kB.
const LIST_LIMIT: u64 = 4 << 20;
/// The largest number of files in the folder of an installation.
const LARGEST_NUMBER: usize = 1_000_000;
/// The deepest folder.
const DEEPEST: usize = 16;
/// The folder of the vendor's compiler, or of its stand-in, in an installation's root.
const COMPILER: &str = "runtime/sfpi";
/// The sources of the dispatch kernels, relative to a site.
const DISPATCH_KERNELS: &str = "ttnn/tt_metal/impl/dispatch/kernels";
/// The firmware's images, relative to a site.
const IMAGES: &str = "ttnn/tt_metal/pre-compiled";

/// A piece of device code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeviceUnit {
    /// A kernel of a program, by the name of its source without the ending.
    Kernel(String),
    /// A kernel of the vendor's that dispatches programs.
    DispatchKernel(String),
    /// The firmware of a processor.
    Firmware(String),
}

impl fmt::Display for DeviceUnit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, name) = match self {
            Self::Kernel(name) => ("kernel", name),
            Self::DispatchKernel(name) => ("dispatch kernel", name),
            Self::Firmware(name) => ("firmware", name),
        };
        write!(formatter, "{kind} {name}")
    }
}

/// The files that each piece of device code is made from, relative to the site.
pub type DeviceCode = BTreeMap<DeviceUnit, BTreeSet<PathBuf>>;

impl Site {
    /// What a chip's device code, as far as it is built in the folder `kernels` of an installation, is made from.
    ///
    /// # Errors
    /// A file cannot be read, or the folder holds more than any installation.
    pub fn device_code(
        &self,
        kernels: &Path,
        architecture: Architecture,
    ) -> Result<DeviceCode, SiteError> {
        device_code(self.folder(), kernels, architecture)
    }
}

fn device_code(
    site: &Path,
    kernels: &Path,
    architecture: Architecture,
) -> Result<DeviceCode, SiteError> {
    let root = kernels.parent().unwrap_or(kernels).join("root");
    let mut lists = Vec::new();
    let mut count = 0;
    find_lists(kernels, DEEPEST, &mut count, &mut lists)?;
    let mut code = DeviceCode::new();
    for list in lists {
        let Some((folder, name)) = unit(kernels, &list) else { continue };
        let files = read_list(&list, &root)?;
        // The lists of another chip's code name headers of its own folder.
        let is_other = |file: &PathBuf| {
            let names = file.components().map(Component::as_os_str);
            let mut chips = names.filter_map(|name| name.to_str()).filter(|it| is_chip(it));
            chips.any(|chip| chip_name(architecture) != Some(chip))
        };
        if files.iter().any(is_other) {
            continue;
        }
        let dispatches = |file: &PathBuf| file.starts_with(DISPATCH_KERNELS);
        let unit = match folder {
            Folder::Firmware => DeviceUnit::Firmware(name.to_owned()),
            Folder::Kernels if files.iter().any(dispatches) => {
                DeviceUnit::DispatchKernel(name.to_owned())
            }
            Folder::Kernels => DeviceUnit::Kernel(name.to_owned()),
        };
        // The stand-in for the vendor's compiler compiles no firmware: it copies an image of the wheel.
        let image = match folder {
            Folder::Firmware => image_of(site, &list, name),
            Folder::Kernels => None,
        };
        let inputs = code.entry(unit).or_default();
        match image {
            Some(image) => {
                inputs.retain(|file| file.starts_with(IMAGES));
                inputs.insert(image);
            }
            None => inputs.extend(files),
        }
    }
    Ok(code)
}

fn is_chip(name: &str) -> bool {
    Architecture::ALL.iter().any(|it| chip_name(*it) == Some(name))
}

/// The folders below which TT-Metalium builds.
#[derive(Clone, Copy)]
enum Folder {
    Firmware,
    Kernels,
}

/// The folder of a list, and the name of the firmware or kernel: the list of `…/kernels/copy/123/brisc/x.o.dephash`
/// belongs to `copy`.
fn unit<'l>(kernels: &Path, list: &'l Path) -> Option<(Folder, &'l str)> {
    let inside = list.strip_prefix(kernels).ok()?;
    let mut parts = inside.iter().filter_map(|part| part.to_str());
    let folder = parts.find_map(|part| match part {
        "firmware" => Some(Folder::Firmware),
        "kernels" => Some(Folder::Kernels),
        _ => None,
    })?;
    let name = parts.next()?;
    // A file right below the folder belongs to no unit.
    parts.next()?;
    Some((folder, name))
}

/// The site's files in a list, relative to the site. An installation's root is made of links to the site.
fn read_list(list: &Path, root: &Path) -> Result<BTreeSet<PathBuf>, SiteError> {
    let failed = |error: std::io::Error| unreadable(list, &error);
    if std::fs::metadata(list).map_err(failed)?.len() > LIST_LIMIT {
        let reason = format!("it has more than {LIST_LIMIT} B");
        return Err(SiteError::Unreadable { path: list.to_owned(), reason });
    }
    let text = String::from_utf8_lossy(&std::fs::read(list).map_err(failed)?).into_owned();
    let named = text.lines().filter_map(|line| line.strip_prefix('"')?.split_once("\"\t"));
    let inside = named.filter_map(|(name, _)| {
        lexical(Path::new(name)).strip_prefix(root).ok().map(Path::to_owned)
    });
    let own = inside.filter(|file| !file.starts_with(COMPILER));
    Ok(own.map(|file| Path::new("ttnn").join(file)).collect())
}

/// The wheel's image that the firmware beside a list is a copy of.
fn image_of(site: &Path, list: &Path, name: &str) -> Option<PathBuf> {
    let image = Path::new(name).join(name).with_extension("elf");
    let built = std::fs::read(list.parent()?.join(image.file_name()?)).ok()?;
    let mut sets: Vec<_> =
        std::fs::read_dir(site.join(IMAGES)).ok()?.flatten().map(|set| set.file_name()).collect();
    sets.sort_unstable();
    let mut images = sets.into_iter().map(|set| Path::new(IMAGES).join(set).join(&image));
    images.find(|image| std::fs::read(site.join(image)).is_ok_and(|bytes| bytes == built))
}

/// Finds the lists below a folder; without the folder there are none.
fn find_lists(
    folder: &Path,
    depth: usize,
    count: &mut usize,
    lists: &mut Vec<PathBuf>,
) -> Result<(), SiteError> {
    let Some(depth) = depth.checked_sub(1) else { return Ok(()) };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(unreadable(folder, &error)),
    };
    for entry in entries {
        let entry = entry.map_err(|error| unreadable(folder, &error))?;
        *count = count.saturating_add(1);
        if *count > LARGEST_NUMBER {
            let reason = "it holds more files than any installation".to_owned();
            return Err(SiteError::Unreadable { path: folder.to_owned(), reason });
        }
        let path = entry.path();
        let kind = entry.file_type().map_err(|error| unreadable(&path, &error))?;
        if kind.is_dir() {
            find_lists(&path, depth, count, lists)?;
        } else if path.extension().is_some_and(|it| it == LIST) {
            lists.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// An installation with the lists of some units: the folder below `kernels`, and the files below the root.
    fn installation(lists: &[(&str, &[&str])]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let kernels = folder.path().join("made/kernels");
        for (number, (place, files)) in lists.iter().enumerate() {
            let line =
                |file: &&str| format!("\"{}/made/root/{file}\"\t123\n", folder.path().display());
            let text: String = files.iter().map(line).collect();
            let text = format!("{text}\"/dev/shm/sources/own.cpp\"\t5\nno line of a list\n");
            write(&kernels.join(place).join(format!("{number}.o.dephash")), &text);
        }
        (folder, kernels)
    }

    fn names(code: &DeviceCode, unit: &DeviceUnit) -> Vec<String> {
        let files = code.get(unit).into_iter().flatten();
        files.map(|file| file.display().to_string()).collect()
    }

    #[test]
    fn a_kernel_is_made_from_what_its_lists_name() {
        let (folder, kernels) = installation(&[
            ("cache7/kernels/copy/1/brisc", &["tt_metal/hw/inc/api.h", "tt_metal/hw/../hw/b.h"]),
            ("cache7/kernels/copy/2/ncrisc", &["runtime/hw/kernel.ld", "runtime/sfpi/include/x.h"]),
            ("cache7/kernels/copy/3/brisc", &["tt_metal/hw/tt-1xx/blackhole/c.h"]),
            ("cache7/kernels/cq/4/brisc", &["tt_metal/impl/dispatch/kernels/cq.cpp"]),
            ("cache/7/firmware/brisc", &["tt_metal/hw/firmware/brisc.cc"]),
            ("cache7/kernels", &["tt_metal/of_no_unit.h"]),
        ]);
        let site = folder.path().join("site");
        let code = device_code(&site, &kernels, Architecture::WormholeB0).unwrap();
        let kernel = DeviceUnit::Kernel("copy".to_owned());
        let wormhole =
            ["ttnn/runtime/hw/kernel.ld", "ttnn/tt_metal/hw/b.h", "ttnn/tt_metal/hw/inc/api.h"];
        assert_eq!(names(&code, &kernel), wormhole);
        let units: Vec<String> = code.keys().map(ToString::to_string).collect();
        assert_eq!(units, ["kernel copy", "dispatch kernel cq", "firmware brisc"]);
        let code = device_code(&site, &kernels, Architecture::Blackhole).unwrap();
        assert!(
            names(&code, &kernel).contains(&"ttnn/tt_metal/hw/tt-1xx/blackhole/c.h".to_owned())
        );
        // Nothing was built yet.
        let empty =
            device_code(&site, &folder.path().join("none/kernels"), Architecture::Blackhole);
        assert_eq!(empty.unwrap(), DeviceCode::new());
    }

    #[test]
    fn firmware_that_is_a_copy_of_an_image_is_made_from_the_image() {
        let (folder, kernels) =
            installation(&[("cache/firmware/brisc", &["tt_metal/hw/firmware/brisc.cc"])]);
        let site = folder.path().join("site");
        for (set, text) in [("1", "other"), ("2", "the image"), ("3", "the image")] {
            write(&site.join(IMAGES).join(set).join("brisc/brisc.elf"), text);
        }
        let firmware = DeviceUnit::Firmware("brisc".to_owned());
        let made_from = || {
            let code = device_code(&site, &kernels, Architecture::WormholeB0).unwrap();
            names(&code, &firmware)
        };
        let built = kernels.join("cache/firmware/brisc/brisc.elf");
        write(&built, "the image");
        assert_eq!(made_from(), ["ttnn/tt_metal/pre-compiled/2/brisc/brisc.elf"]);
        write(&built, "compiled here");
        assert_eq!(made_from(), ["ttnn/tt_metal/hw/firmware/brisc.cc"]);
    }
}
