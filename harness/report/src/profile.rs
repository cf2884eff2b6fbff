//! A profile: where the time of programs went, as one self-contained HTML file.

/// What a page about a profile says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProfileReport {
    /// What was profiled.
    pub subject: String,
    /// Who carried it out.
    pub device: String,
    /// What most of the slowest operation's time is lost to, in one sentence with code between backticks; empty if there
    /// is nothing worth saying.
    pub sentence: String,
    /// What is to be known about the page's numbers, a sentence each.
    pub remarks: Vec<String>,
    /// The operations, the slowest first.
    pub operations: Vec<ProfiledOperation>,
}

/// A program that was enqueued.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProfiledOperation {
    /// Its place among all, counted from 1.
    pub place: u64,
    /// The program's name.
    pub program: String,
    /// How long it took, in ticks; nothing where that is not known.
    pub ticks: Option<u64>,
    /// Cores that ran a kernel; nothing where that is not known.
    pub cores: Option<u64>,
    /// Whether it came to its end.
    pub completed: bool,
    /// What its processors did.
    pub lanes: Vec<Lane>,
    /// What its kernels waited for, the longest first.
    pub waits: Vec<WaitShare>,
    /// What its kernels executed most, the most first.
    pub lines: Vec<LineCost>,
    /// The zones that its kernels marked, the longest first; none without markers.
    pub zones: Vec<ZoneCost>,
}

/// What a processor did during an operation. Moments are ticks since the operation began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// The tile.
    pub tile: String,
    /// The processor of that tile.
    pub processor: String,
    /// The kernel's first and last moment, if one ran.
    pub kernel: Option<(u64, u64)>,
    /// When the kernel waited, ascending.
    pub waits: Vec<(u64, u64)>,
}

/// A wait of a kernel, of all cores together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WaitShare {
    /// The kernel.
    pub kernel: String,
    /// Where it waits, with code between backticks.
    pub place: String,
    /// On how many cores.
    pub cores: u64,
    /// How long, in ticks.
    pub ticks: u64,
    /// How long these kernels ran, in ticks.
    pub of: u64,
}

/// The zones of one name that a kernel marked, of all cores together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ZoneCost {
    /// The kernel.
    pub kernel: String,
    /// The zone and its line, with code between backticks.
    pub zone: String,
    /// How many zones; 0 where only their sum was marked.
    pub times: u64,
    /// How long all lasted that ended, in ticks.
    pub ticks: u64,
    /// How long the longest lasted, in ticks.
    pub longest: u64,
    /// How many did not end.
    pub open: u64,
}

/// A source line of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineCost {
    /// The line, with code between backticks.
    pub place: String,
    /// Instructions that were executed of it, on all cores.
    pub instructions: u64,
    /// Instructions of all kernels of the operation.
    pub of: u64,
}
