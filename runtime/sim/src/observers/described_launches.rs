//! The launches that the host has described on a tile.

use std::collections::VecDeque;
use std::sync::Arc;

use hallmark_chip::LaunchDescription;

/// A launch that was described on a tile, and the place of its launch block.
#[derive(Clone, Debug)]
pub(super) struct Described {
    pub(super) block: u32,
    pub(super) launch: Arc<LaunchDescription>,
}

/// Of a tile: the launch that began last, and those that have not begun.
#[derive(Debug, Default)]
pub(super) struct DescribedLaunches(VecDeque<Described>);

impl DescribedLaunches {
    /// The host describes the launches that begin at a launch block from now on.
    pub(super) fn describe(&mut self, block: u32, launches: &[Arc<LaunchDescription>]) {
        self.0.retain(|described| described.block != block);
        let new = launches.iter().map(|launch| Described { block, launch: Arc::clone(launch) });
        self.0.extend(new);
    }

    /// A launch begins on a core. Those before it are over. None if the launch was not described.
    pub(super) fn begin(&mut self, launch: &Arc<LaunchDescription>) -> Option<&Described> {
        let is_it = |described: &Described| Arc::ptr_eq(&described.launch, launch);
        let place = self.0.iter().position(is_it)?;
        self.0.drain(..place);
        self.0.front()
    }

    /// A kernel begins whose program was not stated. The launches that messages told of are over.
    pub(super) fn begin_unknown(&mut self) {
        self.0.retain(|described| !described.launch.ends_by_return);
    }

    /// The launch of a program, whether it has begun or not.
    pub(super) fn of_program(&self, program: u32) -> Option<&Described> {
        self.0.iter().find(|described| described.launch.program == program)
    }
}
