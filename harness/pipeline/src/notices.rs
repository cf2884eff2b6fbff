//! What a run says while it does something that takes long and is no test.

/// Who hears of it: nobody by default.
#[derive(Clone, Copy, Debug)]
pub struct Notices(fn(&str));

impl Notices {
    /// Those that a function takes, each a line for people.
    pub const fn to(say: fn(&str)) -> Self {
        Self(say)
    }

    /// Says a line.
    pub(super) fn say(self, line: &str) {
        self.0(line);
    }
}

impl Default for Notices {
    fn default() -> Self {
        Self(|_| ())
    }
}
