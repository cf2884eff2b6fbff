//! Who launches programs, as users say it.

use std::fmt;

use clap::ValueEnum;
use hallmark_schema::model::DispatchMode;

/// Who launches programs, and whether programs of two queues run at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Dispatch {
    /// The host writes, launches and polls
    #[default]
    Host,
    /// Firmware on a reserved tile does it, following commands that the host sends
    Device,
    /// As `device`, and programs of two queues run at the same time on every device
    Overlap,
}

impl Dispatch {
    /// Every mode, in the order of its declaration.
    pub const ALL: [Self; 3] = [Self::Host, Self::Device, Self::Overlap];

    /// The mode's word on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Device => "device",
            Self::Overlap => "overlap",
        }
    }

    /// The mode of a word.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dispatch| dispatch.name() == name)
    }

    /// The dispatch mode of the runtime.
    pub const fn mode(self) -> DispatchMode {
        match self {
            Self::Host => DispatchMode::Host,
            Self::Device | Self::Overlap => DispatchMode::Device,
        }
    }
}

impl fmt::Display for Dispatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
