//! The call that makes a program.

use serde::{Deserialize, Serialize};

use crate::commands::Call;
use crate::model::ProgramId;

/// `CreateProgram`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateProgram {
    /// Its id: the number of programs created before it, failed creations included.
    pub program: ProgramId,
    /// Its name in the suite.
    pub name: String,
}

impl Call for CreateProgram {}
