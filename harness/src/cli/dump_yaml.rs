use std::path::Path;

use hallmark_schema::model::Capture;

use super::Failed;
use crate::verdict::ExitCode;

pub(super) fn write(_capture: &Capture, _folder: &Path) -> Result<String, Failed> {
    Err(Failed::new(ExitCode::USAGE, "not yet"))
}
