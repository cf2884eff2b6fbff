//! Time that passes, and that this process gets of it.

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

/// Seconds of processor time that some work takes.
pub fn time<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<(T, f64), E> {
    let watch = Watch::start();
    let result = work()?;
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
