//! The executors of a test, determined once per test.

use std::time::Duration;

use hallmark_chip::{Architecture, ChipDescription};

use hallmark_execution::applicability;
use hallmark_execution::executor::Executor;
use hallmark_suite::bound::BoundTest;
use hallmark_suite::discover::SelectedTest;
use hallmark_suite::mistake::SuiteMistakes;

/// The executors of an architecture's test, and the chip.
#[derive(Clone, Debug)]
pub struct TestExecutors {
    /// The architecture of the test.
    pub architecture: Architecture,
    /// The executor that captures.
    pub capture: Executor,
    /// The executor that replays.
    pub replay: Executor,
    /// The capturing chip, as far as it is known before the device is opened.
    pub chip: &'static ChipDescription,
    /// See [`WorkerSettings::least_timeout`](super::settings::WorkerSettings::least_timeout).
    pub least_timeout: Duration,
}

impl TestExecutors {
    /// The replaying executor, if it differs from the capturing one.
    pub fn other_replay(&self) -> Option<&Executor> {
        (self.replay != self.capture).then_some(&self.replay)
    }

    /// A test bound for the capturing chip, with at least the time that the settings give.
    ///
    /// # Errors
    /// Its suite is invalid.
    pub fn bind(&self, test: &SelectedTest) -> Result<BoundTest, SuiteMistakes> {
        let mut bound = test.bind_on(self.chip)?;
        bound.timeout = bound.timeout.max(self.least_timeout);
        Ok(bound)
    }

    /// Whether the capturing chip is harvested.
    pub fn is_harvested(&self) -> bool {
        !self.capture.device.harvesting().is_none()
    }

    /// Why a test does not apply to the capturing or the replaying device.
    pub fn skip_reason(&self, test: &SelectedTest) -> Option<String> {
        let device = &self.capture.device;
        applicability::skip_reason(device, self.architecture, test).or_else(|| {
            // Whether the test fits another chip is determined by the replay.
            applicability::unmet_condition(&self.other_replay()?.device, test)
        })
    }
}
