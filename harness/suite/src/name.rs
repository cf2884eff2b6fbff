//! Test names: `<architecture>::<group>::<suite>::<case>::<parameter>=<value>…`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use hallmark_chip::Architecture;
use serde::{Deserialize, Serialize};

use super::read::is_name;

/// A test's name in its parts. Its text form is the whole name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct TestName {
    /// The architecture that the test is bound for.
    pub architecture: Architecture,
    /// The folder below `suites`.
    pub group: String,
    /// The file's name without `.yaml`.
    pub suite: String,
    /// The case that the test is one binding of.
    pub case: String,
    /// Parameters and values in declared order.
    pub parameters: Vec<(String, String)>,
}

/// The text is not a test name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{name}` is not a test name: {problem}; a name looks like wormhole_b0::group::suite::case::parameter=value"
)]
pub struct TestNameError {
    name: String,
    problem: String,
}

/// The architecture that a name of a test or its first parts begin with, as a user wrote them, and the rest.
pub fn split_architecture(text: &str) -> Option<(Architecture, &str)> {
    let (first, rest) = text.split_once("::")?;
    Some((Architecture::named_by_user(first).ok()?, rest))
}

/// A name of a test or its first parts as a user wrote them, with the whole name of the architecture.
pub fn with_whole_architecture(text: &str) -> String {
    match split_architecture(text) {
        Some((architecture, rest)) => format!("{architecture}::{rest}"),
        None => text.to_owned(),
    }
}

impl TestName {
    /// The suite's file, relative to the root, with `/`.
    pub fn suite_path(&self) -> String {
        format!("suites/{}/{}.yaml", self.group, self.suite)
    }

    /// The folder or file of this test below some other folder: one folder for each part.
    pub fn folder(&self) -> PathBuf {
        let mut path = PathBuf::from(self.architecture.name());
        path.extend([&self.group, &self.suite, &self.case]);
        path.extend(self.parameters.iter().map(|(name, value)| format!("{name}={value}")));
        path
    }

    /// The golden's file, relative to the root, with `/`.
    pub fn golden_path(&self) -> String {
        let folder =
            format!("goldens/{}/{}/{}/{}", self.architecture, self.group, self.suite, self.case);
        if self.parameters.is_empty() {
            return format!("{folder}.lmb");
        }
        let parameters: Vec<String> =
            self.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("{folder}/{}.lmb", parameters.join(","))
    }

    /// Its point of the matrix: `pages=7, page_size=32`; may be empty.
    pub fn point(&self) -> String {
        let parameters: Vec<String> =
            self.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        parameters.join(", ")
    }

    /// Everything before the parameters.
    pub fn case_name(&self) -> String {
        format!("{}::{}::{}::{}", self.architecture, self.group, self.suite, self.case)
    }
}

impl fmt::Display for TestName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.case_name())?;
        self.parameters.iter().try_for_each(|(name, value)| write!(formatter, "::{name}={value}"))
    }
}

impl From<TestName> for String {
    fn from(name: TestName) -> Self {
        name.to_string()
    }
}

impl TryFrom<String> for TestName {
    type Error = TestNameError;

    fn try_from(text: String) -> Result<Self, TestNameError> {
        text.parse()
    }
}

impl FromStr for TestName {
    type Err = TestNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = |problem: String| TestNameError { name: text.to_owned(), problem };
        let mut parts = text.split("::");
        let mut part = |what: &str| match parts.next() {
            Some(part) if is_name(part) => Ok(part.to_owned()),
            Some(part) => Err(error(format!("`{part}` is not a valid name of {what}"))),
            None => Err(error(format!("it lacks {what}"))),
        };
        let architecture =
            part("an architecture")?.parse().map_err(|problem| error(format!("{problem}")))?;
        let (group, suite, case) = (part("a group")?, part("a suite")?, part("a case")?);
        let parameters = parts
            .map(|part| match part.split_once('=') {
                Some((name, value)) if is_name(name) && is_name(value) => {
                    Ok((name.to_owned(), value.to_owned()))
                }
                _ => Err(error(format!("`{part}` is not `parameter=value`"))),
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { architecture, group, suite, case, parameters })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        let text = "wormhole_b0::dataflow::loopback::one_core::pages=7::processor=riscv_1";
        let name: TestName = text.parse().unwrap();
        assert_eq!(name.to_string(), text);
        assert_eq!(
            name.golden_path(),
            "goldens/wormhole_b0/dataflow/loopback/one_core/pages=7,processor=riscv_1.lmb"
        );
        assert_eq!(name.suite_path(), "suites/dataflow/loopback.yaml");
    }

    #[test]
    fn users_may_shorten_the_architecture() {
        for (written, whole) in [
            ("wh::a::b::c", "wormhole_b0::a::b::c"),
            ("bh::*", "blackhole::*"),
            ("grayskull::a", "grayskull::a"),
            ("whx::a", "whx::a"),
            ("suites/wh", "suites/wh"),
            ("::wh", "::wh"),
        ] {
            assert_eq!(with_whole_architecture(written), whole);
        }
        assert!("wh::a::b::c".parse::<TestName>().is_err(), "files hold whole names");
    }

    #[test]
    fn wrong_names_say_why() {
        for wrong in [
            "",
            "x::a::b::c",
            "wormhole_b0::a::b",
            "wormhole_b0::a::../x::c",
            "wormhole_b0::a::b::c::d",
            "wormhole_b0::..::b::c",
            "wormhole_b0::a::.::c",
        ] {
            let error = wrong.parse::<TestName>().unwrap_err().to_string();
            assert!(error.contains("is not a test name"), "{error}");
        }
    }
}
