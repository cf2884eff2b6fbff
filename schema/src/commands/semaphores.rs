//! The call that adds a semaphore to a program.

use serde::{Deserialize, Serialize};

use crate::model::{CoreRange, ProgramId, SemaphoreId};

/// `CreateSemaphore`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateSemaphore {
    /// Its id.
    pub semaphore: SemaphoreId,
    /// Its name in the suite.
    pub name: String,
    /// The program that it joins.
    pub program: ProgramId,
    /// On which cores.
    pub cores: Vec<CoreRange>,
    /// What it holds at each launch.
    pub initial_value: u32,
}
