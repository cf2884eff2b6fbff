//! The typed language of waivers.

use std::fmt;

use hallmark_package::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use hallmark_suite::language::{DeviceKind, TestFailure};
use hallmark_suite::mistake::Mistakes;
use hallmark_suite::node::Node;
use hallmark_suite::read::{At, Name, OneOf, Read, map_type};

map_type! {
    /// A waiver: failures that an approver excuses for a time. A waived failure is never a pass.
    WaiverFile, "a waiver" {
        /// The waiver's id, which is the name of its file as well.
        waiver: Name,
        /// First parts of names of tests, with or without the architecture.
        tests: Vec<At<String>>,
        /// How many tests fail so, exactly.
        matches: At<u64>,
        /// How they fail: a verdict, or the category of a fault. Another failure is not excused.
        verdict: OneOf<TestFailure>,
        /// The output that differs, if it is to be this one alone.
        output: Option<Name>,
        /// Where they fail [default: everywhere]
        r#where: Option<WhereEntry>,
        /// Why that is excused, in a sentence.
        reason: String,
        /// Where that can be read up.
        issue: At<String>,
        /// The first day on which the waiver counts: `2027-01-10`.
        from: At<Day>,
        /// The last day on which the waiver counts.
        until: At<Day>,
        /// Who approved it, as the approver's key is known. The approver signs the file, and is not the submitter.
        approved: At<String>,
    }
}

map_type! {
    /// Where a waiver counts.
    WhereEntry, "`where`" {
        /// On these kinds of device [default: all]
        devices: Option<Vec<OneOf<DeviceKind>>>,
        /// With firmware of these hashes, or of these beginnings of hashes [default: all]
        firmware: Option<Vec<At<String>>>,
        /// With these masks of what is fused off [default: all]
        harvesting: Option<Vec<At<u64>>>,
    }
}

/// A day of UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day {
    begin: i64,
}

/// Seconds of a day.
const DAY: i64 = 86_400;

impl Day {
    /// The day in a text such as `2027-01-10`.
    fn of(text: &str) -> Option<Self> {
        let begin: Timestamp = format!("{text}T00:00:00Z").parse().ok()?;
        Some(Self { begin: begin.unix() })
    }

    /// Whether the day has begun at a time.
    pub const fn has_begun(self, at: Timestamp) -> bool {
        at.unix() >= self.begin
    }

    /// Whether the day has ended at a time.
    pub const fn is_over(self, at: Timestamp) -> bool {
        at.unix() >= self.begin.saturating_add(DAY)
    }

    /// The number of days from this one to a later one, both included.
    pub fn days_to(self, last: Self) -> Option<u64> {
        let seconds = last.begin.checked_sub(self.begin)?;
        u64::try_from(seconds.checked_div(DAY)?).ok()?.checked_add(1)
    }

    /// Whole days from the day of a time to this one: 0 on the day itself; `None` if the day has ended.
    pub fn days_left(self, at: Timestamp) -> Option<u64> {
        let today = at.unix().checked_div(DAY)?;
        u64::try_from(self.begin.checked_div(DAY)?.checked_sub(today)?).ok()
    }
}

impl fmt::Display for Day {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let begin = Timestamp::from_unix(self.begin).map_err(|_| fmt::Error)?.to_string();
        formatter.write_str(begin.split('T').next().unwrap_or_default())
    }
}

impl Read for Day {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        let text = String::read(node, mistakes)?;
        match Self::of(&text) {
            Some(day) => Some(day),
            None => mistakes.add(format!("`{text}` is no day"), node.span, "write `2027-01-10`"),
        }
    }
}

impl JsonSchema for Day {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Day".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date", "title": "a day" })
    }
}
