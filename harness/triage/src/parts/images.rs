//! The images of two firmware bundles, as parts.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use hallmark_execution::executor::{Executor, Release};
use hallmark_runtime::device_code::temporary::TemporaryFolder;
use hallmark_runtime::device_code::{BundleError, BundleFiles, BundleImage};
use hallmark_schema::model::Capture;
use thiserror::Error;

use super::{Mixed, Mixture, PartKind};
use crate::probe::CannotTell;

/// Images of two bundles that cannot be combined.
#[derive(Debug, Error)]
pub enum ImageMixtureError {
    /// A bundle cannot be read.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// The bundles are incompatible.
    #[error(
        "the two bundles differ in {what}, so the images of one cannot stand beside those of the other; `--over versions` tells which bundle it is"
    )]
    Disagreement {
        /// The difference.
        what: &'static str,
    },
    /// An executor that does not load firmware bundles: only releases of Hallmark do.
    #[error("{executor} brings its own firmware; name another executor with --bad")]
    OwnFirmware {
        /// The executor.
        executor: String,
    },
    /// A mixture cannot be written to a folder.
    #[error(
        "a bundle cannot be written to the folder for temporary files: {0}; free some space there"
    )]
    Folder(std::io::Error),
}

/// Bundles that combine images of two.
#[derive(Debug)]
pub struct ImageMixture {
    capture: Arc<Capture>,
    executor: Executor,
    good: BundleFiles,
    bad: BundleFiles,
    images: Vec<BundleImage>,
    folder: TemporaryFolder,
    /// The mixtures in the folder.
    written: Mutex<BTreeSet<Vec<usize>>>,
}

impl ImageMixture {
    /// Mixtures of both executors' firmware images, executed by the bad one.
    ///
    /// # Errors
    /// [`ImageMixtureError`].
    pub fn new(
        capture: Arc<Capture>,
        good: &Executor,
        bad: &Executor,
    ) -> Result<Self, ImageMixtureError> {
        match bad.release {
            Release::This | Release::Other(_) => {}
            Release::Metalium(_) => {
                return Err(ImageMixtureError::OwnFirmware { executor: bad.to_string() });
            }
        }
        let files =
            |of: &Executor| BundleFiles::read(of.programs.firmware.as_deref(), of.architecture);
        let (of_good, of_bad) = (files(good)?, files(bad)?);
        if let Some(what) = of_good.disagreement(&of_bad) {
            return Err(ImageMixtureError::Disagreement { what });
        }
        Ok(Self {
            capture,
            executor: bad.clone(),
            images: of_good.different_images(&of_bad),
            good: of_good,
            bad: of_bad,
            folder: TemporaryFolder::new().map_err(ImageMixtureError::Folder)?,
            written: Mutex::default(),
        })
    }
}

impl Mixture for ImageMixture {
    fn kind(&self) -> PartKind {
        PartKind::Images
    }

    fn parts(&self) -> Vec<String> {
        self.images.iter().map(ToString::to_string).collect()
    }

    fn equal_parts(&self) -> usize {
        BundleImage::all().count().saturating_sub(self.images.len())
    }

    fn with(&self, bad: &[usize]) -> Result<Mixed, CannotTell> {
        let images = bad.iter().filter_map(|number| self.images.get(*number)).copied().collect();
        let names: Vec<String> = bad.iter().map(ToString::to_string).collect();
        let folder = self.folder.path().join(format!("bad-{}", names.join("-")));
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if !written.contains(bad) {
            let mixed = self.good.with(&images, &self.bad);
            let made = std::fs::create_dir_all(&folder).and_then(|()| mixed.write(&folder));
            made.map_err(|error| CannotTell::Lost {
                executor: self.executor.to_string(),
                reason: ImageMixtureError::Folder(error).to_string(),
            })?;
            written.insert(bad.to_vec());
        }
        let mut executor = self.executor.clone();
        executor.programs.firmware = Some(folder);
        Ok(Mixed { capture: Arc::clone(&self.capture), executor })
    }
}
