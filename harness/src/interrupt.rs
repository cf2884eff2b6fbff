//! SIGINT and SIGTERM: noticed once, acted on by whoever waits for a worker.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Begins to notice. A second signal ends the process at once.
pub fn install() -> Result<(), std::io::Error> {
    let flag = Arc::clone(INTERRUPTED.get_or_init(Arc::default));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // The second signal finds the flag set and ends the process; workers die with their parent.
        signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&flag))?;
        signal_hook::flag::register(signal, Arc::clone(&flag))?;
    }
    survive_file_size_limit();
    Ok(())
}

/// Makes a write past a file-size limit an error like any other instead of the end of the process.
pub fn survive_file_size_limit() {
    let ignored = Arc::new(AtomicBool::new(false));
    // Without it such a write ends the process, which is no worse than before.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, ignored);
}

/// Whether somebody asked to stop.
pub fn requested() -> bool {
    INTERRUPTED.get().is_some_and(|flag| flag.load(Ordering::SeqCst))
}
