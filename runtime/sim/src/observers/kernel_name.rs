//! The name of a kernel in a fault.

use hallmark_chip::{LaunchDescription, Processor};

/// "kernel `k`".
pub(super) fn kernel_name(launch: &LaunchDescription, processor: Processor) -> String {
    match launch.on(processor) {
        Some((kernel, _)) => format!("kernel `{}`", kernel.name),
        None => "the kernel".to_owned(),
    }
}
