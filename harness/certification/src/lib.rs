//! Certification: a conformance profile is run on a subject, and the result is a package that a stranger can verify.
//!
//! # A run
//!
//! A certification is an ordinary run of a conformance profile (`suites/conformance-profiles/*.yaml`, [`profile`]) that
//! keeps its evidence. [`resolution`] turns a profile into tests. [`lock`] writes the tests down with the hashes of all
//! their dependencies, and says which runs are due and which are skipped. [`mod@run`] carries a run out. [`log`] notes
//! it in a chain of lines, from which a stopped run goes on. [`store`] keeps captures without blobs.
//!
//! [`assembly`] makes the package: a canonical ustar archive with a manifest, an in-toto statement and signatures,
//! whose form `hallmark_package` defines. [`merge`] makes one package from the packages of all shards: it puts their
//! logs one behind the other, and the verifier recomputes the whole.
//!
//! # The verifier
//!
//! [`verify`] trusts nothing in a package but its bytes. It makes the lock from its own suites, profiles and captured
//! workloads, computes each verdict from the captures with the judges of `hallmark run`, and compares the claims last.
//! `hallmark certify` ends with the same verifier. A result that nobody has repeated is a *reservation*, and
//! the exit code says so (14).
//!
//! A new check of the verifier is a variant of `RejectionReason` (`verify/rejection.rs`) with a row in
//! `harness/tests/certification/forgeries.rs`: a real package, changed in that respect alone.
//!
//! # Reviews
//!
//! [`difference`] compares two packages. [`replay`] chooses the results that a reviewer repeats, and [`repetition`] runs
//! them on the subject that the package holds or names. [`report`] turns a package into the data of a page.
//!
//! # Layers
//!
//! A module knows only the modules of the layers below its own; `tests/layers.rs` checks that.
//!
//! 1. `github_annotations`, `test_result`: results in the forms of other tools
//! 2. `merge`, `repetition`, `report`: one package of several shards; runs of what a package holds; the page about it
//! 3. `verify`: verification of a package
//! 4. `demand`, `run`, `subject`: the demands of a profile, one run, the certified subject
//! 5. `assembly`, `difference`, `profile`, `resolution`, `waivers`: packages, conformance profiles and waivers
//! 6. `lock`, `log`, `replay`: the lock of a profile, the log of a run, repetition of results
//! 7. `challenge`, `environment`, `packed_capture`, `results`, `store`: data

pub mod assembly;
pub mod challenge;
pub mod demand;
pub mod difference;
pub mod environment;
pub mod github_annotations;
pub mod lock;
pub mod log;
pub mod merge;
pub mod packed_capture;
pub mod profile;
pub mod repetition;
pub mod replay;
pub mod report;
pub mod resolution;
pub mod results;
pub mod run;
pub mod store;
pub mod subject;
pub mod test_result;
pub mod verify;
pub mod waivers;
