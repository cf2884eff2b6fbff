//! The files of a firmware bundle, and bundles combined from the files of two.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use hallmark_chip::{Architecture, Processor};

use super::bundle::{BundleError, BundleProblem, Manifest, builtin_file};
use super::kernel_elf::LoadedElf;
use super::limits;

const MANIFEST: &str = "manifest.json";

/// A program of a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BundleImage {
    /// The program of a core of a worker tile.
    Core(Processor),
    /// The program of a dispatch tile's BRISC.
    Dispatcher,
}

impl BundleImage {
    /// Every program.
    pub fn all() -> impl Iterator<Item = Self> {
        Processor::ALL.into_iter().map(Self::Core).chain([Self::Dispatcher])
    }

    /// The name under which its ELF is written: `brisc.elf`, …, `dispatch.elf`.
    pub fn file(self) -> String {
        match self {
            Self::Core(processor) => format!("{}.elf", processor.name().to_lowercase()),
            Self::Dispatcher => "dispatch.elf".to_owned(),
        }
    }
}

impl fmt::Display for BundleImage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Core(processor) => formatter.write_str(processor.name()),
            Self::Dispatcher => formatter.write_str("the dispatcher"),
        }
    }
}

/// The files of a bundle with a readable manifest. [`FirmwareBundle::load`](super::FirmwareBundle::load) checks
/// whether the bundle can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleFiles {
    manifest: Manifest,
    elfs: BTreeMap<BundleImage, Arc<[u8]>>,
}

impl BundleFiles {
    /// The files in a folder, or those of the built-in bundle without a folder.
    ///
    /// # Errors
    /// A file does not exist or cannot be read, or the manifest is invalid.
    pub fn read(folder: Option<&Path>, architecture: Architecture) -> Result<Self, BundleError> {
        let bundle = || folder.map_or("built-in".to_owned(), |folder| folder.display().to_string());
        let error = |problem| BundleError { bundle: bundle(), problem };
        let read = |file: &str, limit: u64| {
            let bytes = match folder {
                Some(folder) => limits::read_file(&folder.join(file), limit),
                None => builtin_file(architecture, file).map(<[u8]>::to_vec),
            };
            bytes.map_err(|reason| {
                error(BundleProblem::Unreadable { file: file.into(), reason: Arc::new(reason) })
            })
        };
        let manifest: Manifest = serde_json::from_slice(&read(MANIFEST, limits::TEXT_FILE)?)
            .map_err(|reason| error(BundleProblem::Manifest(Arc::new(reason))))?;
        let mut elfs = BTreeMap::new();
        for image in BundleImage::all() {
            let Some(file) = file_of(&manifest, image) else { continue };
            if Path::new(file).file_name().is_none_or(|name| name != file) {
                return Err(error(BundleProblem::FileName(file.to_owned())));
            }
            elfs.insert(image, read(file, limits::ELF_FILE)?.into());
        }
        Ok(Self { manifest, elfs })
    }

    /// The files of a new bundle: the ELFs of a folder, under the names that [`Self::write`] gives them, or those of the
    /// built-in bundle. Addresses come from the ELFs, and everything else of the manifest from the built-in bundle.
    /// Without a dispatcher's ELF, the bundle supports only dispatch by the host.
    ///
    /// # Errors
    /// An ELF does not exist, cannot be read, or is invalid.
    pub fn new(
        name: &str,
        architecture: Architecture,
        elfs: Option<&Path>,
    ) -> Result<Self, BundleError> {
        let mut files = Self::read(None, architecture)?;
        name.clone_into(&mut files.manifest.name);
        let Some(folder) = elfs else { return Ok(files) };
        let error = |problem| BundleError { bundle: folder.display().to_string(), problem };
        for image in BundleImage::all() {
            let file = image.file();
            let elf = match limits::read_file(&folder.join(&file), limits::ELF_FILE) {
                Ok(elf) => elf,
                Err(reason)
                    if reason.kind() == io::ErrorKind::NotFound
                        && image == BundleImage::Dispatcher =>
                {
                    files.manifest.dispatch = None;
                    files.elfs.remove(&image);
                    continue;
                }
                Err(reason) => {
                    let problem =
                        BundleProblem::Unreadable { file: file.into(), reason: Arc::new(reason) };
                    return Err(error(problem));
                }
            };
            let loaded = LoadedElf::parse(&elf)
                .map_err(|problem| error(BundleProblem::Elf { file, error: problem }))?;
            if let BundleImage::Core(processor) = image {
                let of = files.manifest.image_mut(processor);
                (of.load_address, of.entry) = (loaded.load_address, loaded.entry);
            }
            files.elfs.insert(image, elf.into());
        }
        Ok(files)
    }

    /// The architecture that the manifest names, as it is written there.
    pub fn architecture(&self) -> &str {
        &self.manifest.architecture
    }

    /// A difference between the manifests of two bundles that prevents their images from running together;
    /// `None` without one.
    pub fn disagreement(&self, other: &Self) -> Option<&'static str> {
        let (one, other) = (&self.manifest, &other.manifest);
        let abi = |manifest: &Manifest| manifest.dispatch.as_ref().map(|it| it.dispatch_abi);
        let parts = [
            ("the architecture", one.architecture != other.architecture),
            ("the launch ABI", one.launch_abi != other.launch_abi),
            ("the dispatch ABI", abi(one) != abi(other)),
            ("the memory map", one.memory != other.memory),
            ("the limits", one.limits != other.limits),
            ("the data cache", one.data_cache != other.data_cache),
        ];
        parts.into_iter().find_map(|(what, differs)| differs.then_some(what))
    }

    /// The images that differ between two bundles, in their bytes or their addresses.
    pub fn different_images(&self, other: &Self) -> Vec<BundleImage> {
        let place = |files: &Self, image| match image {
            BundleImage::Core(processor) => {
                let of = files.manifest.image(processor);
                Some((of.load_address, of.entry, of.private))
            }
            BundleImage::Dispatcher => None,
        };
        BundleImage::all()
            .filter(|image| {
                self.elfs.get(image) != other.elfs.get(image)
                    || place(self, *image) != place(other, *image)
            })
            .collect()
    }

    /// The same bundle with some images of another one. The manifests must agree: see
    /// [`BundleFiles::disagreement`].
    #[must_use]
    pub fn with(&self, images: &BTreeSet<BundleImage>, other: &Self) -> Self {
        let mut mixed = self.clone();
        for image in images {
            match image {
                BundleImage::Core(processor) => {
                    let of = other.manifest.image(*processor);
                    mixed.manifest.image_mut(*processor).clone_from(of);
                }
                BundleImage::Dispatcher => {
                    mixed.manifest.dispatch.clone_from(&other.manifest.dispatch);
                }
            }
            match other.elfs.get(image) {
                Some(elf) => mixed.elfs.insert(*image, Arc::clone(elf)),
                None => mixed.elfs.remove(image),
            };
        }
        if !images.is_empty() {
            let names: Vec<String> = images.iter().map(ToString::to_string).collect();
            let (of, names) = (&other.manifest.name, names.join(", "));
            mixed.manifest.name = format!("{} with {names} of {of}", self.manifest.name);
        }
        mixed
    }

    /// Writes the bundle into an existing, empty folder. Each image gets its own file name, because two bundles
    /// may use one name for different images.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let mut manifest = self.manifest.clone();
        for (image, elf) in &self.elfs {
            let file = image.file();
            match image {
                BundleImage::Core(processor) => {
                    manifest.image_mut(*processor).file.clone_from(&file);
                }
                BundleImage::Dispatcher => {
                    if let Some(dispatch) = &mut manifest.dispatch {
                        dispatch.file.clone_from(&file);
                    }
                }
            }
            std::fs::write(folder.join(file), elf)?;
        }
        std::fs::write(folder.join(MANIFEST), serde_json::to_vec_pretty(&manifest)?)
    }
}

/// The name of an image's file, if the bundle has the image.
fn file_of(manifest: &Manifest, image: BundleImage) -> Option<&str> {
    match image {
        BundleImage::Core(processor) => Some(&manifest.image(processor).file),
        BundleImage::Dispatcher => manifest.dispatch.as_ref().map(|it| it.file.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FirmwareBundle;

    const CHIP: Architecture = Architecture::WormholeB0;

    fn builtin() -> BundleFiles {
        BundleFiles::read(None, CHIP).unwrap()
    }

    #[test]
    fn a_mixture_can_be_loaded_and_holds_the_images_it_should() {
        let one = builtin();
        let mut other = builtin();
        other.manifest.name = "other".to_owned();
        other.manifest.brisc.file = "ncrisc.elf".to_owned();
        let brisc = BundleImage::Core(Processor::Brisc);
        // The bytes after an ELF's sections are never loaded.
        let changed: Arc<[u8]> = [&*other.elfs[&brisc], &[0]].concat().into();
        other.elfs.insert(brisc, changed);
        assert_eq!(one.disagreement(&other), None);
        assert_eq!(one.different_images(&other), [brisc]);
        let mixed = one.with(&BTreeSet::from([brisc]), &other);
        assert_eq!(mixed.different_images(&other), []);
        let folder = tempfile::tempdir().unwrap();
        mixed.write(folder.path()).unwrap();
        let loaded = FirmwareBundle::load(folder.path(), CHIP).unwrap();
        assert_eq!(loaded.manifest().name, "hallmark-1 with BRISC of other");
        let read = BundleFiles::read(Some(folder.path()), CHIP).unwrap();
        assert_eq!(
            (read.different_images(&other), read.different_images(&one)),
            (vec![], vec![brisc])
        );
        assert_eq!(one.with(&BTreeSet::new(), &other), one);
    }

    #[test]
    fn a_new_bundle_has_the_addresses_of_its_elfs() {
        let folder = tempfile::tempdir().unwrap();
        builtin().write(folder.path()).unwrap();
        let mut new = BundleFiles::new("mine", CHIP, Some(folder.path())).unwrap();
        assert_eq!(new.manifest.name, "mine");
        new.manifest.name = builtin().manifest.name;
        assert_eq!(new, builtin());
        // BRISC's image lies elsewhere than the built-in one.
        std::fs::copy(folder.path().join("trisc0.elf"), folder.path().join("brisc.elf")).unwrap();
        std::fs::remove_file(folder.path().join("dispatch.elf")).unwrap();
        let new = BundleFiles::new("mine", CHIP, Some(folder.path())).unwrap();
        let [brisc, trisc0] =
            [Processor::Brisc, Processor::Trisc0].map(|it| new.manifest.image(it));
        assert_eq!((brisc.load_address, brisc.entry), (trisc0.load_address, trisc0.entry));
        assert!(new.manifest.dispatch.is_none());
        std::fs::remove_file(folder.path().join("ncrisc.elf")).unwrap();
        let error = BundleFiles::new("mine", CHIP, Some(folder.path())).unwrap_err().to_string();
        assert!(error.contains("cannot read ncrisc.elf"), "{error}");
        std::fs::write(folder.path().join("ncrisc.elf"), "no ELF").unwrap();
        let error = BundleFiles::new("mine", CHIP, Some(folder.path())).unwrap_err().to_string();
        assert!(error.contains("ncrisc.elf: "), "{error}");
    }

    #[test]
    fn bundles_that_divide_memory_otherwise_are_not_mixed() {
        let one = builtin();
        let mut other = builtin();
        other.manifest.memory.unreserved_base += 16;
        assert_eq!(one.disagreement(&other), Some("the memory map"));
        let mut other = builtin();
        other.manifest.dispatch = None;
        assert_eq!(one.disagreement(&other), Some("the dispatch ABI"));
    }

    #[test]
    fn no_file_outside_of_the_folder_is_read() {
        let folder = tempfile::tempdir().unwrap();
        builtin().write(folder.path()).unwrap();
        let path = folder.path().join(MANIFEST);
        let manifest = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, manifest.replace("\"brisc.elf\"", "\"../brisc.elf\"")).unwrap();
        let error = BundleFiles::read(Some(folder.path()), CHIP).unwrap_err().to_string();
        assert!(error.ends_with("`../brisc.elf` is not a plain file name"), "{error}");
    }
}
