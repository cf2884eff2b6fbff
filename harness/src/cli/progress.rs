//! The progress bar of runs.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A terminal with fewer columns gets a shorter bar.
const WIDE: usize = 80;

/// The columns of `about 59m left` and the space around it.
const ESTIMATE: usize = 18;

/// Shows the progress of a run on stderr if stderr is a terminal.
pub(super) struct Progress {
    bar: ProgressBar,
    /// The columns for the name of a test.
    room: usize,
}

impl Progress {
    /// The bar of `tests` tests in `columns` columns; hidden if `columns` is `None`.
    pub(super) fn new(tests: usize, columns: Option<usize>) -> Self {
        Self::of(tests, columns, layout)
    }

    /// The same bar with an estimate of the remaining time, for runs that take minutes.
    pub(super) fn with_estimate(tests: usize, columns: Option<usize>) -> Self {
        Self::of(tests, columns, |tests, columns| {
            if columns < WIDE {
                return layout(tests, columns);
            }
            let (_, room) = layout(tests, columns);
            let template = "   {bar:30} {pos}/{len}  about {eta} left  {msg}";
            (template, room.saturating_sub(ESTIMATE))
        })
    }

    fn of(
        tests: usize,
        columns: Option<usize>,
        layout: impl Fn(usize, usize) -> (&'static str, usize),
    ) -> Self {
        let Some(columns) = columns else {
            let target = ProgressDrawTarget::hidden();
            return Self { bar: ProgressBar::with_draw_target(None, target), room: 0 };
        };
        let bar = ProgressBar::new(u64::try_from(tests).unwrap_or(u64::MAX));
        let (template, room) = layout(tests, columns);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("■□ "));
        }
        Self { bar, room }
    }

    /// Shows that a test begins.
    pub(super) fn begin(&self, name: &str) {
        self.bar.set_message(last_parts(name, self.room));
    }

    /// Shows that a test has ended; `print` prints its result, if any.
    pub(super) fn end(&self, print: Option<impl FnOnce()>) {
        if let Some(print) = print {
            // The bar is hidden while `print` runs.
            self.bar.suspend(print);
        }
        self.bar.inc(1);
    }

    /// Counts tests that ended earlier.
    pub(super) fn skip(&self, tests: usize) {
        self.bar.set_position(u64::try_from(tests).unwrap_or(u64::MAX));
        self.bar.reset_eta();
    }

    /// Removes the bar.
    pub(super) fn close(&self) {
        self.bar.finish_and_clear();
    }
}

/// The template of the bar, and the columns that are left for a name.
fn layout(tests: usize, columns: usize) -> (&'static str, usize) {
    let (template, fixed) = if columns < WIDE {
        ("{bar:10} {pos}/{len} {msg}", 10 + 1 + 1 + 1)
    } else {
        ("   {bar:30} {pos}/{len}  {msg}", 3 + 30 + 1 + 1 + 2)
    };
    let numbers = tests.to_string().len().saturating_mul(2);
    // The last column stays free, because some terminals begin a new line there.
    (template, columns.saturating_sub(fixed + numbers + 1))
}

/// The last parts of a name, as many as fit.
fn last_parts(name: &str, room: usize) -> String {
    if name.chars().count() <= room {
        return name.to_owned();
    }
    let mut parts = name.match_indices("::").filter_map(|(at, _)| name.get(at + 2..));
    let rest = parts.find(|rest| rest.chars().count() < room);
    rest.map(|rest| format!("…{rest}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_loses_whole_parts() {
        let name = "wormhole_b0::dataflow::loopback::one_core::pages=7";
        for (room, shown) in [
            (100, name),
            (50, name),
            (49, "…dataflow::loopback::one_core::pages=7"),
            (38, "…dataflow::loopback::one_core::pages=7"),
            (37, "…loopback::one_core::pages=7"),
            (8, "…pages=7"),
            (7, ""),
            (0, ""),
        ] {
            assert_eq!(last_parts(name, room), shown, "{room}");
        }
    }

    #[test]
    fn the_bar_fits_narrow_terminals() {
        for tests in [1, 12, 1066, 123_456] {
            for columns in [40, 79, 80, 200] {
                let (template, room) = layout(tests, columns);
                let bar = if template.contains("30") { 30 } else { 10 };
                let line = template
                    .replace(&format!("{{bar:{bar}}}"), &"■".repeat(bar))
                    .replace("{pos}", &tests.to_string())
                    .replace("{len}", &tests.to_string())
                    .replace("{msg}", &"x".repeat(room));
                assert_eq!(line.chars().count(), columns - 1, "{line}");
            }
        }
    }
}
