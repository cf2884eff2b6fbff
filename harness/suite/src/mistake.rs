//! Mistakes in suite files: where, what, what was expected, and the nearest name.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use hallmark_schema::plural::counted;
/// A range of bytes in a suite file (file 0) or in one of the files that it imports.
pub use hallmark_yaml::Span;

/// Something wrong in one file, before it is known which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// What is wrong, without a full stop.
    pub message: String,
    /// The place in the file that is wrong.
    pub span: Span,
    /// What would be right; may be empty.
    pub help: String,
    /// Later places of the same file with the same mistake.
    pub also: Vec<Span>,
}

impl Mistake {
    /// A mistake with its place and remedy.
    pub fn new(message: impl Into<String>, span: Span, help: impl Into<String>) -> Self {
        Self { message: message.into(), span, help: help.into(), also: Vec::new() }
    }
}

/// The text of a suite file and the name by which people know it.
#[derive(Clone, Debug)]
pub struct SourceText {
    /// Relative to the root, with `/`.
    pub path: String,
    /// The whole file.
    pub text: Arc<str>,
}

/// A mistake in a known file.
#[derive(Clone, Debug)]
pub struct LocatedMistake {
    /// The file that it lies in.
    pub file: SourceText,
    /// What is wrong in it.
    pub mistake: Mistake,
}

impl LocatedMistake {
    /// Line and column, both counted from 1, columns in characters.
    pub fn line_and_column(&self) -> (usize, usize) {
        let (line, _, column, _) = self.place();
        (line, column.saturating_add(1))
    }

    /// The text before a place of the file.
    fn before(&self, place: usize) -> &str {
        let text = &self.file.text;
        let mut start = place.min(text.len());
        while !text.is_char_boundary(start) {
            start = start.saturating_sub(1);
        }
        text.get(..start).unwrap_or_default()
    }

    /// The other lines with the same mistake: ` (also in lines 17 and 20)`.
    fn also(&self) -> String {
        let (line, ..) = self.place();
        let others: BTreeSet<usize> =
            self.mistake.also.iter().map(|span| line_after(self.before(span.start))).collect();
        let others: Vec<String> =
            others.into_iter().filter(|other| *other != line).map(|it| it.to_string()).collect();
        match others.as_slice() {
            [] => String::new(),
            [one] => format!(" (also in line {one})"),
            [first @ .., last] => format!(" (also in lines {} and {last})", first.join(", ")),
        }
    }

    fn place(&self) -> (usize, &str, usize, usize) {
        let text = &self.file.text;
        let before = self.before(self.mistake.span.start);
        let start = before.len();
        let line_start = before.rfind('\n').map_or(0, |at| at.saturating_add(1));
        let line = line_after(before);
        let rest = text.get(line_start..).unwrap_or_default();
        let line_text = rest.lines().next().unwrap_or_default();
        let column = before.get(line_start..).unwrap_or_default().chars().count();
        let marked = text
            .get(start..start.saturating_add(self.mistake.span.length))
            .and_then(|marked| marked.lines().next())
            .map_or(1, |marked| marked.chars().count());
        (line, line_text, column, marked.max(1))
    }
}

/// The number of the line that follows a text, counted from 1.
fn line_after(before: &str) -> usize {
    before.bytes().filter(|&byte| byte == b'\n').count().saturating_add(1)
}

/// Longer lines are cut off with `…`.
const SHOWN_COLUMNS: usize = 110;

impl fmt::Display for LocatedMistake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, text, column, marked) = self.place();
        let number = line.to_string();
        let margin = " ".repeat(number.len());
        writeln!(formatter, "error: {}{}", self.mistake.message, self.also())?;
        writeln!(formatter, "{margin} ┌─ {}:{line}:{}", self.file.path, column.saturating_add(1))?;
        // A window of the line that holds the caret.
        let skipped = if column.saturating_add(marked) > SHOWN_COLUMNS {
            column.saturating_sub(SHOWN_COLUMNS / 2)
        } else {
            0
        };
        let shown: String = text.chars().skip(skipped).take(SHOWN_COLUMNS).collect();
        let cut = text.chars().count() > skipped.saturating_add(SHOWN_COLUMNS);
        writeln!(
            formatter,
            "{number} │ {}{}{}",
            if skipped > 0 { "…" } else { "" },
            shown.trim_end(),
            if cut { " …" } else { "" }
        )?;
        let indent =
            " ".repeat(column.saturating_sub(skipped).saturating_add(usize::from(skipped > 0)));
        write!(formatter, "{margin} │ {indent}{}", "^".repeat(marked.min(SHOWN_COLUMNS)))?;
        if !self.mistake.help.is_empty() {
            write!(formatter, " {}", self.mistake.help)?;
        }
        writeln!(formatter)
    }
}

/// Every mistake of every suite that was read. Nothing is run while there is one.
#[derive(Clone, Debug, Default)]
pub struct SuiteMistakes(pub Vec<LocatedMistake>);

impl std::error::Error for SuiteMistakes {}

impl SuiteMistakes {
    /// Each mistake with its place.
    pub(super) fn listing(&self) -> String {
        self.0.iter().map(ToString::to_string).collect()
    }
}

impl fmt::Display for SuiteMistakes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.listing())?;
        let mut files: Vec<&str> =
            self.0.iter().map(|mistake| mistake.file.path.as_str()).collect();
        files.sort_unstable();
        files.dedup();
        write!(
            formatter,
            "{} in {}; nothing runs until {} fixed",
            counted(self.0.len(), "mistake", "mistakes"),
            counted(files.len(), "file", "files"),
            match self.0.len() {
                1 => "it is",
                2 => "both are",
                _ => "all are",
            }
        )
    }
}

/// Collects mistakes while one file is read.
#[derive(Clone, Debug, Default)]
pub struct Mistakes {
    list: Vec<Mistake>,
    /// Names that are known to be wrong, with the file that they stand in.
    wrong_names: BTreeSet<(u16, String)>,
}

impl Mistakes {
    /// Notes one; gives `None`, so that a reader can return it.
    pub fn add<T>(
        &mut self,
        message: impl Into<String>,
        span: Span,
        help: impl Into<String>,
    ) -> Option<T> {
        self.push(Mistake::new(message, span, help));
        None
    }

    /// Adds a mistake that was found.
    pub fn push(&mut self, mistake: Mistake) {
        // A case with a matrix is looked at once per point; the reader needs each mistake once.
        if !self.list.contains(&mistake) {
            self.list.push(mistake);
        }
    }

    /// Adds the mistake that a name stands for nothing here, once for all uses of the name: the others would
    /// say nothing new.
    pub fn add_unknown_name<T>(&mut self, what: &str, mistake: Mistake) -> Option<T> {
        if self.note_wrong_name(what, mistake.span) {
            self.push(mistake);
        } else if let Some(first) = self
            .list
            .iter_mut()
            .find(|known| known.message == mistake.message && known.span.file == mistake.span.file)
            && first.span != mistake.span
            && !first.also.contains(&mistake.span)
        {
            first.also.push(mistake.span);
        }
        None
    }

    /// Notes that nobody can say what a name stands for, because whatever defines it is wrong. Gives whether
    /// that is news.
    pub fn note_wrong_name(&mut self, name: &str, span: Span) -> bool {
        self.wrong_names.insert((span.file, name.to_owned()))
    }

    /// Whether a name is known to stand for nothing in the file of a place.
    pub fn is_wrong_name(&self, name: &str, span: Span) -> bool {
        self.wrong_names.contains(&(span.file, name.to_owned()))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// All of them, as they came.
    pub fn into_list(self) -> Vec<Mistake> {
        self.list
    }

    /// Adds to what is said of a file since there were `from` mistakes, for what depends on who uses it.
    pub fn add_to_those_in(&mut self, file: u16, from: usize, text: &str) {
        for mistake in self.list.iter_mut().skip(from) {
            if mistake.span.file == file {
                mistake.message.push_str(text);
            }
        }
    }

    /// All of them, by place; `files` are a suite and its imports.
    pub fn located(mut self, files: &[SourceText]) -> Vec<LocatedMistake> {
        self.list.sort_by_key(|mistake| (mistake.span.file, mistake.span.start));
        let located = |mistake: Mistake| {
            let file = files.get(usize::from(mistake.span.file)).or(files.first())?.clone();
            Some(LocatedMistake { file, mistake })
        };
        self.list.into_iter().filter_map(located).collect()
    }
}

/// "did you mean `x`?" for the nearest of some names, or what there is.
pub fn suggest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    if let Some(nearest) = nearest(wrong, names.iter().copied()) {
        return format!("did you mean `{nearest}`?");
    }
    match names.as_slice() {
        [] => String::new(),
        [only] => format!("there is only `{only}`"),
        names if names.len() <= 16 => format!("one of {}", quoted_list(names)),
        _ => String::new(),
    }
}

/// Names in backquotes with commas between.
pub fn quoted_list<T: fmt::Display>(names: &[T]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The name that a typing mistake most likely meant.
pub fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (wrong.chars().count() / 3).max(1);
    names
        .into_iter()
        .map(|name| (distance(&wrong.to_lowercase(), &name.to_lowercase()), name))
        .filter(|&(distance, name)| distance <= limit && distance < name.chars().count())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// Edits (insert, remove, replace, swap neighbours) that turn one text into another.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().take(64).collect();
    let mut above: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    let mut before = None;
    for (line, a) in left.chars().take(64).enumerate() {
        let mut next = vec![line.saturating_add(1)];
        for (column, &b) in right.iter().enumerate() {
            let cell =
                |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX);
            let replaced = cell(&row, column).saturating_add(usize::from(a != b));
            let removed = cell(&row, column.saturating_add(1)).saturating_add(1);
            let inserted = cell(&next, column).saturating_add(1);
            let neighbour = column.checked_sub(1).and_then(|column| right.get(column).copied());
            let swapped = match column.checked_sub(1) {
                Some(column) if before == Some(b) && neighbour == Some(a) => {
                    cell(&above, column).saturating_add(1)
                }
                _ => usize::MAX,
            };
            next.push(replaced.min(removed).min(inserted).min(swapped));
        }
        above = std::mem::replace(&mut row, next);
        before = Some(a);
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance("create_bufer", "create_buffer"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("form", "from"), 1);
        assert_eq!(distance("unifrom32", "uniform"), 3);
        assert_eq!(nearest("finsh", ["finish", "create_kernel"]), Some("finish"));
        assert_eq!(nearest("zzz", ["finish", "create_kernel"]), None);
    }
}
