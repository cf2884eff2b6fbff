//! The subject that a package names, with the firmware that the package holds.

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_chip::Architecture;
use hallmark_package::{LOCK, Package, RESULTS, STATEMENT, Statement, Timestamp, json};
use hallmark_runtime::device_code::FirmwareBundle;

use super::claims;
use super::rejection::{Rejection, RejectionReason, VerifierStep};
use super::waiving;
use crate::environment::Environment;
use crate::lock::Lock;
use crate::results::ResultLine;
use crate::waivers::FirmwareHashes;

/// The subject of a package: statement, firmware, environment and results agree on it.
#[derive(Clone, Debug)]
pub struct PackedSubject {
    /// The statement about the package.
    pub statement: Statement,
    /// The firmware of each demanded architecture: the package's, or the built-in one if firmware is not the subject.
    pub firmware: BTreeMap<Architecture, Arc<FirmwareBundle>>,
    /// The devices of the runs, as the submitter names them.
    pub environment: Environment,
}

impl PackedSubject {
    /// Reads the subject of a package whose container was verified.
    ///
    /// # Errors
    /// A document is invalid, or two of them name different subjects.
    pub fn of(package: &Package<'_>, at: Timestamp) -> Result<Self, Rejection> {
        let reject = |problem, file| Rejection::new(VerifierStep::Documents, problem).in_file(file);
        let statement = package
            .statement(at)
            .map_err(|error| reject(RejectionReason::Statement(error), STATEMENT))?;
        let lock = Lock::read(package.file(LOCK).unwrap_or_default())
            .map_err(|error| reject(RejectionReason::Lock(error), LOCK))?;
        let results: Vec<ResultLine> = json::read_lines(package.file(RESULTS).unwrap_or_default())
            .map_err(|error| Rejection::of_json(VerifierStep::Documents, error).in_file(RESULTS))?;
        let environment = claims::environment(package)?;
        let firmware = claims::firmware(package, &statement, &lock)?;
        claims::devices(&statement, &results)?;
        claims::subject(&statement, &environment, &firmware, &results)?;
        Ok(Self { statement, firmware, environment })
    }
}

/// The hashes of a package's firmware, by which waivers are selected.
///
/// # Errors
/// The firmware differs from the claim.
pub fn firmware_hashes(
    package: &Package<'_>,
    statement: &Statement,
    lock: &Lock,
) -> Result<FirmwareHashes, Rejection> {
    let firmware = claims::firmware(package, statement, lock)?;
    Ok(waiving::hashes(statement.predicate.subject.kind, &firmware))
}
