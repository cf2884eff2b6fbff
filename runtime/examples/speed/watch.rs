//! Time that passes, that this process gets of it, and work whose instructions are counted.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

pub struct Watch {
    wall: Instant,
    processor: Duration,
}

fn processor() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec as u32)
}

impl Watch {
    pub fn start() -> Self {
        Self { wall: Instant::now(), processor: processor() }
    }

    /// Seconds of processor time, and seconds.
    pub fn stop(&self) -> (f64, f64) {
        let spent = processor().saturating_sub(self.processor);
        (spent.as_secs_f64(), self.wall.elapsed().as_secs_f64())
    }
}

/// Does some work. Callgrind counts the instructions of this function alone, which it finds by its name.
#[inline(never)]
pub fn counted<T>(work: impl FnOnce() -> T) -> T {
    // Work in tail position might be jumped to, and callgrind would see this function left.
    std::hint::black_box(work())
}

/// Whether no clock is asked: valgrind ends a process that has rustix ask the kernel's own.
pub static HAS_NO_CLOCK: AtomicBool = AtomicBool::new(false);

/// Seconds of processor time that some work takes; none where there is no clock.
pub fn time<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<(T, f64), E> {
    if HAS_NO_CLOCK.load(Ordering::Relaxed) {
        return Ok((counted(work)?, 0.0));
    }
    let watch = Watch::start();
    let result = counted(work)?;
    Ok((result, watch.stop().0))
}

/// The same for the shortest of some tries.
pub fn shortest<T, E>(tries: u32, mut work: impl FnMut() -> Result<T, E>) -> Result<f64, E> {
    let mut shortest = f64::MAX;
    for _ in 0..tries {
        let (result, seconds) = time(&mut work)?;
        drop(result);
        shortest = shortest.min(seconds);
    }
    Ok(shortest)
}
