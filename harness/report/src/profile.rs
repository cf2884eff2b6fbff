//! A profile: the distribution of programs' time, as one self-contained HTML file.

/// The content of a profile page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProfileReport {
    /// The profiled program.
    pub subject: String,
    /// The executor.
    pub device: String,
    /// The main loss of time in the slowest operation, in one sentence with code in backticks; empty if there
    /// is none worth mentioning.
    pub sentence: String,
    /// Remarks about the page's numbers, one sentence each.
    pub remarks: Vec<String>,
    /// The operations, the slowest first.
    pub operations: Vec<ProfiledOperation>,
}

/// An enqueued program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProfiledOperation {
    /// Its position among all, counted from 1.
    pub place: u64,
    /// The program's name.
    pub program: String,
    /// Its duration in ticks; `None` if unknown.
    pub ticks: Option<u64>,
    /// The number of cores that ran a kernel; `None` if unknown.
    pub cores: Option<u64>,
    /// Whether it completed.
    pub completed: bool,
    /// The activity of its processors.
    pub lanes: Vec<Lane>,
    /// The waits of its kernels, the longest first.
    pub waits: Vec<WaitShare>,
    /// The source lines of its kernels, those with the most instructions first.
    pub lines: Vec<LineCost>,
    /// The zones that its kernels marked, the longest first; empty without markers.
    pub zones: Vec<ZoneCost>,
}

/// The activity of a processor during an operation. Times are ticks since the operation began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// The tile.
    pub tile: String,
    /// The processor of that tile.
    pub processor: String,
    /// The start and end of the kernel, if one ran.
    pub kernel: Option<(u64, u64)>,
    /// The waits of the kernel, ascending.
    pub waits: Vec<(u64, u64)>,
}

/// A wait of a kernel, summed over all cores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WaitShare {
    /// The kernel.
    pub kernel: String,
    /// The waiting source line, with code in backticks.
    pub place: String,
    /// The number of waiting cores.
    pub cores: u64,
    /// The duration in ticks.
    pub ticks: u64,
    /// The total running time of these kernels, in ticks.
    pub of: u64,
}

/// The zones with the same name in a kernel, summed over all cores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ZoneCost {
    /// The kernel.
    pub kernel: String,
    /// The zone and its line, with code in backticks.
    pub zone: String,
    /// The number of zones; 0 if only their sum was marked.
    pub times: u64,
    /// The total duration of all ended zones, in ticks.
    pub ticks: u64,
    /// The duration of the longest zone, in ticks.
    pub longest: u64,
    /// The number of zones that did not end.
    pub open: u64,
}

/// A source line of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineCost {
    /// The line, with code in backticks.
    pub place: String,
    /// The executed instructions of the line, on all cores.
    pub instructions: u64,
    /// The executed instructions of all kernels of the operation.
    pub of: u64,
}
