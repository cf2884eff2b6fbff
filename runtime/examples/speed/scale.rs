//! How much work a measurement does.

/// A share of the work with which figures are worth something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// All of it: for times.
    Full,
    /// A twentieth: for instructions, which come out alike in each run, and take fifty times as long to count as to execute.
    Counted,
    /// A hundredth: to see that the measurement works.
    Smallest,
}

impl Scale {
    /// How many of a measurement's turns, commands or launches are done.
    pub const fn of(self, number: u32) -> u32 {
        let share = match self {
            Self::Full => number,
            Self::Counted => number / 20,
            Self::Smallest => number / 100,
        };
        if share == 0 { 1 } else { share }
    }
}
