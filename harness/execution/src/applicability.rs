//! Which tests apply to a device.

use hallmark_chip::Architecture;
use hallmark_runtime::DeviceSpec;
use hallmark_suite::discover::SelectedTest;
use hallmark_suite::language::{Capability, Conditions};
use hallmark_suite::read::Choice as _;

use crate::devices::{capabilities, chip_of, detects_faults, kind};
use crate::executor::Purpose;

/// Why a test does not apply to a device, if it does not; `of` is what the device is chosen for.
pub fn skip_reason(device: &DeviceSpec, of: Architecture, test: &SelectedTest) -> Option<String> {
    skip_reason_requiring(device, of, test, &[])
}

/// The same where the device must have some capabilities: a test that needs one applies whether or not the device has it.
pub fn skip_reason_requiring(
    device: &DeviceSpec,
    of: Architecture,
    test: &SelectedTest,
    required: &[Capability],
) -> Option<String> {
    unmet_unless(device, test, required).or_else(|| test.misfit(chip_of(device, of)))
}

/// As [`skip_reason`], whatever the chip's grid.
pub fn unmet_condition(device: &DeviceSpec, test: &SelectedTest) -> Option<String> {
    unmet_unless(device, test, &[])
}

fn unmet_unless(
    device: &DeviceSpec,
    test: &SelectedTest,
    required: &[Capability],
) -> Option<String> {
    if let Some(conditions) = test.conditions()
        && let Some(reason) = unmet(conditions, test.name.architecture, device, required)
    {
        return Some(reason);
    }
    let must_detect = required.contains(&Capability::DetectsFaults);
    let faults = !must_detect && test.expects_fault() && !detects_faults(device);
    faults.then(|| format!("expects a fault, which {} does not report", kind(device).name()))
}

/// What is amiss with a device by a case's own conditions.
fn unmet(
    conditions: &Conditions,
    architecture: Architecture,
    device: &DeviceSpec,
    required: &[Capability],
) -> Option<String> {
    let kind = kind(device);
    if !conditions.admits(architecture) {
        return Some(format!("not for {architecture}: {}", conditions.reason));
    }
    if let Some(devices) = &conditions.devices
        && !devices.iter().any(|one| one.0 == kind)
    {
        let wanted: Vec<&str> = devices.iter().map(|one| one.0.name()).collect();
        let hint = match wanted.as_slice() {
            ["ttsim"] => {
                let variable = Purpose::Capture.variable(architecture);
                format!(" (name one with {variable}=ttsim:PATH)")
            }
            _ => String::new(),
        };
        return Some(format!(
            "needs a device of kind {}{hint}: {}",
            wanted.join(" or "),
            conditions.reason
        ));
    }
    let needs = conditions.needs.as_deref().unwrap_or_default();
    if needs.is_empty() {
        return None;
    }
    let has = capabilities(device);
    let is_lacking = |need: &Capability| !has.contains(need) && !required.contains(need);
    let lacking = needs.iter().filter(|need| is_lacking(&need.0)).map(|need| need.0.name());
    let lacking: Vec<&str> = lacking.collect();
    if lacking.is_empty() {
        return None;
    }
    let lacking = lacking.join(" and ");
    Some(format!("needs {lacking}, which {} lacks: {}", kind.name(), conditions.reason))
}
