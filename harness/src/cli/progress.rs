//! The progress of runs: a bar on a terminal, else a line now and then.

mod lines;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use self::lines::Lines;
use super::output;

/// A terminal with fewer columns gets a shorter bar.
const WIDE: usize = 80;

/// The columns of `about 59m left` and the space around it.
const ESTIMATE: usize = 18;

/// The form of the progress on stderr.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// A bar in so many columns.
    Bar(usize),
    /// A line every ten seconds.
    Lines,
    /// None.
    Hidden,
}

impl Form {
    /// The form that stderr can show.
    pub(super) fn of_stderr() -> Self {
        output::error_width().map_or(Self::Lines, Self::Bar)
    }
}

/// Shows the progress of a run on stderr.
pub(super) struct Progress {
    bar: ProgressBar,
    /// The columns for the name of a test.
    room: usize,
    /// In place of the bar.
    lines: Option<Lines>,
}

impl Progress {
    /// The progress of so many things, which `unit` names: `tests`.
    pub(super) fn new(number: usize, unit: &'static str, form: Form) -> Self {
        Self::of(number, unit, form, layout)
    }

    /// The same with an estimate of the remaining time in the bar, for runs that take minutes.
    pub(super) fn with_estimate(number: usize, unit: &'static str, form: Form) -> Self {
        Self::of(number, unit, form, |number, columns| {
            if columns < WIDE {
                return layout(number, columns);
            }
            let (_, room) = layout(number, columns);
            let template = "   {bar:30} {pos}/{len}  about {eta} left  {msg}";
            (template, room.saturating_sub(ESTIMATE))
        })
    }

    fn of(
        number: usize,
        unit: &'static str,
        form: Form,
        layout: impl Fn(usize, usize) -> (&'static str, usize),
    ) -> Self {
        let Form::Bar(columns) = form else {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
            let lines = matches!(form, Form::Lines).then(|| Lines::new(number, unit, output::note));
            return Self { bar, room: 0, lines };
        };
        let bar = ProgressBar::new(u64::try_from(number).unwrap_or(u64::MAX));
        let (template, room) = layout(number, columns);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("■□ "));
        }
        Self { bar, room, lines: None }
    }

    /// Shows that a test begins.
    pub(super) fn begin(&self, name: &str) {
        self.bar.set_message(last_parts(name, self.room));
    }

    /// Shows that a test has ended; `print` prints its result, if any.
    pub(super) fn end(&self, passed: bool, print: Option<impl FnOnce()>) {
        if let Some(print) = print {
            // The bar is hidden while `print` runs.
            self.bar.suspend(print);
        }
        self.bar.inc(1);
        if let Some(lines) = &self.lines {
            lines.end(passed);
        }
    }

    /// Counts tests that ended earlier.
    pub(super) fn skip(&self, tests: usize) {
        self.bar.set_position(u64::try_from(tests).unwrap_or(u64::MAX));
        self.bar.reset_eta();
        if let Some(lines) = &self.lines {
            lines.skip(tests);
        }
    }

    /// Removes the bar, and ends the lines.
    pub(super) fn close(&self) {
        self.bar.finish_and_clear();
        if let Some(lines) = &self.lines {
            lines.close();
        }
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
