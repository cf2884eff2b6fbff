//! Who carries out a test, found out once per test.

use hallmark_chip::{Architecture, ChipDescription};

use hallmark_execution::applicability;
use hallmark_execution::executor::Executor;
use hallmark_suite::bound::BoundTest;
use hallmark_suite::discover::SelectedTest;
use hallmark_suite::mistake::SuiteMistakes;

/// Who carries out a test of an architecture, and on which chip.
#[derive(Clone, Debug)]
pub struct TestExecutors {
    /// The architecture of the test.
    pub architecture: Architecture,
    /// The executor that captures.
    pub capture: Executor,
    /// The executor that replays.
    pub replay: Executor,
    /// The chip that captures, as far as it is known before the device is opened.
    pub chip: &'static ChipDescription,
}

impl TestExecutors {
    /// The executor that replays, if it is not the one that captures.
    pub fn other_replay(&self) -> Option<&Executor> {
        (self.replay != self.capture).then_some(&self.replay)
    }

    /// A test bound for the chip that captures it.
    ///
    /// # Errors
    /// Its suite is wrong.
    pub fn bind(&self, test: &SelectedTest) -> Result<BoundTest, SuiteMistakes> {
        test.bind_on(self.chip)
    }

    /// Whether rows or columns of the chip that captures are fused off.
    pub fn is_harvested(&self) -> bool {
        !self.capture.device.harvesting().is_none()
    }

    /// Why a test does not apply to the device that captures, or to the one that replays.
    pub fn skip_reason(&self, test: &SelectedTest) -> Option<String> {
        let device = &self.capture.device;
        applicability::skip_reason(device, self.architecture, test).or_else(|| {
            // The replay finds out whether the test fits another chip.
            applicability::unmet_condition(&self.other_replay()?.device, test)
        })
    }
}
