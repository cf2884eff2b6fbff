//! The call that adds a semaphore to a program.

use serde::{Deserialize, Serialize};

use crate::commands::Call;
use crate::error::{CaptureError, Path};
use crate::model::{CoreRange, ObjectKind, ProgramId, SemaphoreId};
use crate::validate::{Checker, check_core_count};
use crate::wording::{self, Wording};

/// `CreateSemaphore`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateSemaphore {
    /// Its id: the number of semaphores created before it, failed creations included.
    pub semaphore: SemaphoreId,
    /// Its name in the suite.
    pub name: String,
    /// The program that owns it.
    pub program: ProgramId,
    /// The cores that each get one.
    pub cores: Vec<CoreRange>,
    /// Its value at each launch.
    pub initial_value: u32,
}

impl Call for CreateSemaphore {
    fn check_shape(&self, path: &Path<'_>) -> Result<(), CaptureError> {
        check_core_count(&self.cores, &path.field("cores"))
    }

    fn check(
        &self,
        checker: &mut Checker<'_>,
        done: bool,
        path: &Path<'_>,
    ) -> Result<(), CaptureError> {
        checker.cores(&self.cores, done, &path.field("cores"))
    }

    fn sentence(&self, wording: &Wording<'_>) -> String {
        let program = wording.names.show(ObjectKind::Program, self.program.0);
        let cores = wording::ranges(&self.cores);
        format!("{program} at {cores}, initial value {}", self.initial_value)
    }
}
