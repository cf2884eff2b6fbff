//! Notices during long actions that are no tests.

/// The receiver of notices; none by default.
#[derive(Clone, Copy, Debug)]
pub struct Notices(fn(&str));

impl Notices {
    /// Notices for a function that takes each as a line of text.
    pub const fn to(say: fn(&str)) -> Self {
        Self(say)
    }

    /// Sends a line.
    pub(super) fn say(self, line: &str) {
        self.0(line);
    }
}

impl Default for Notices {
    fn default() -> Self {
        Self(|_| ())
    }
}
