//! The commits between two ends.

use std::fmt;
use std::str::FromStr;

use hallmark_schema::plain;

use super::CommitsError;
use super::git::Checkout;

/// Two ends of a history as written: `OLDER..NEWER`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitRange {
    /// The first commit.
    pub first: String,
    /// The last commit.
    pub last: String,
}

/// A text that is not a range of commits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no range of commits; write OLDER..NEWER, such as v1.2..HEAD")]
pub struct NoCommitRange(String);

impl FromStr for CommitRange {
    type Err = NoCommitRange;

    fn from_str(text: &str) -> Result<Self, NoCommitRange> {
        let wrong = || NoCommitRange(text.to_owned());
        let (first, last) = text.split_once("..").ok_or_else(wrong)?;
        let is_revision = |end: &str| !end.is_empty() && !end.starts_with(['-', '.']);
        if !is_revision(first) || !is_revision(last) {
            return Err(wrong());
        }
        Ok(Self { first: first.to_owned(), last: last.to_owned() })
    }
}

impl fmt::Display for CommitRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}..{}", self.first, self.last)
    }
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its hash, in full.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
}

impl Commit {
    /// The first twelve digits of its hash, as Git shows it in large repositories.
    pub fn short(&self) -> &str {
        self.id.get(..12).unwrap_or(&self.id)
    }
}

impl fmt::Display for Commit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.short(), self.subject)
    }
}

impl CommitRange {
    /// The first commit and those after it up to the last one, oldest first. Of a merge, the first parent's history is
    /// taken: the commits of the branch that was merged count as one change.
    ///
    /// # Errors
    /// [`CommitsError`].
    pub fn commits(&self, repository: &Checkout) -> Result<Vec<Commit>, CommitsError> {
        let Self { first, last } = self;
        let shallow = repository.git(&["rev-parse", "--is-shallow-repository"])?.trim() == "true";
        let find = |end: &String| {
            let wanted = format!("{end}^{{commit}}");
            let found = repository.git(&["rev-parse", "--verify", "--quiet", &wanted]);
            found.map(|id| id.trim().to_owned()).map_err(|error| match error {
                CommitsError::Git { said, .. } if said.is_empty() => {
                    CommitsError::NoCommit { end: end.clone(), shallow }
                }
                other => other,
            })
        };
        let [from, until] = [find(first)?, find(last)?];
        if from == until {
            return Err(CommitsError::OneCommit { first: first.clone(), last: last.clone() });
        }
        if !repository.answers_yes(&["merge-base", "--is-ancestor", &from, &until])? {
            let (first, last) = (first.clone(), last.clone());
            return Err(CommitsError::NoAncestor { first, last, shallow });
        }
        let range = format!("{from}..{until}");
        let log = ["log", "--no-show-signature", "--format=%H %s"];
        let of_first = repository.git(&[log.as_slice(), &["-1", &from]].concat())?;
        let later = ["--reverse", "--first-parent", &range];
        let later = repository.git(&[log.as_slice(), &later].concat())?;
        let commits: Vec<Commit> = of_first.lines().chain(later.lines()).map(commit).collect();
        // Of commits beside each other, neither is later: a search between them has no meaning.
        let second = commits.get(1).map_or(until.as_str(), |commit| commit.id.as_str());
        let parent = repository.git(&["rev-parse", "--verify", &format!("{second}^1")])?;
        if parent.trim() != from {
            let (first, last) = (first.clone(), last.clone());
            return Err(CommitsError::OnABranch { first, last });
        }
        Ok(commits)
    }
}

/// The longest part of a message that is shown, characters.
const SUBJECT: usize = 72;

fn commit(line: &str) -> Commit {
    let (id, subject) = line.split_once(' ').unwrap_or((line, ""));
    // A message is anybody's text: it may hold characters that control a terminal.
    let subject: String = subject.chars().take(SUBJECT).collect();
    Commit { id: id.to_owned(), subject: plain(&subject) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_two_ends() {
        let range: CommitRange = "v1.2..HEAD~3".parse().unwrap();
        assert_eq!((range.first.as_str(), range.last.as_str()), ("v1.2", "HEAD~3"));
        for wrong in ["", "v1", "..", "v1..", "..v1", "-x..v1", "v1..--all", "a...b"] {
            let error = wrong.parse::<CommitRange>().unwrap_err();
            assert_eq!(error, NoCommitRange(wrong.to_owned()));
        }
    }

    #[test]
    fn a_message_is_shown_without_what_controls_a_terminal() {
        let id = "0123456789abcdef0123456789abcdef01234567";
        let commit = commit(&format!("{id} \u{1b}[31mred{}", "x".repeat(100)));
        assert_eq!(commit.id, id);
        let shown = format!("0123456789ab (\\u{{1b}}[31mred{})", "x".repeat(SUBJECT - 8));
        assert_eq!(commit.to_string(), shown);
    }
}
