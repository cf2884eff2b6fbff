//! What a compiler says of a source, as whole diagnostics: an error with the lines that lead to it and those that explain it.

use hallmark_chip::Processor;
use hallmark_schema::plural::counted;

use super::earlier_objects::today;

/// How bad the thing is that a diagnostic is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The source does not compile.
    Error,
    /// It compiles.
    Warning,
}

/// One diagnostic of a compiler or a linker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The file as the compiler names it, and the line, counted from 1; a linker names none.
    pub place: Option<(String, u32)>,
    /// The compiler's sentence.
    pub message: String,
    /// All of its lines, as the compiler wrote them.
    pub lines: Vec<String>,
}

/// The diagnostics with which a compiler marks a header line.
const MARKS: [(&str, Severity); 4] = [
    (": fatal error: ", Severity::Error),
    (INTERNAL_ERROR, Severity::Error),
    (": error: ", Severity::Error),
    (": warning: ", Severity::Warning),
];

/// What gcc says where it fails itself.
const INTERNAL_ERROR: &str = ": internal compiler error: ";

/// The messages of a compiler that failed itself end at the line of the source, with the remedy in the place of the
/// compiler's own stack.
pub(super) fn without_own_failure(messages: String) -> String {
    let Some((before, after)) = messages.split_once(INTERNAL_ERROR) else { return messages };
    let failure = after.lines().next().unwrap_or_default();
    format!(
        "{before}{INTERNAL_ERROR}{failure}; the compiler has failed and did not refuse the kernel: write this line in another \
         way, such as with a function in the place of a variable template or an alias"
    )
}

/// What a linker says of a name that no object defines.
const UNDEFINED: &str = "undefined reference to ";

impl Diagnostic {
    /// The diagnostics of a compiler's messages, in their order.
    pub fn all(messages: &str) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        // Lines that lead to the next diagnostic, or to a note of the last one.
        let mut leads: Vec<String> = Vec::new();
        for line in messages.lines() {
            if let Some(mut diagnostic) = Self::of_header(line) {
                diagnostic.lines = std::mem::take(&mut leads);
                diagnostic.lines.push(line.to_owned());
                found.push(diagnostic);
                continue;
            }
            if leads_to_another(line, !leads.is_empty()) || found.is_empty() {
                leads.push(line.to_owned());
            } else if let Some(last) = found.last_mut() {
                last.lines.append(&mut leads);
                last.lines.push(line.to_owned());
            }
        }
        if let Some(last) = found.last_mut() {
            last.lines.append(&mut leads);
        }
        found
    }

    /// The first error of a compiler's messages.
    pub fn first_error(messages: &str) -> Option<Self> {
        Self::all(messages).into_iter().find(|it| it.severity == Severity::Error)
    }

    /// The diagnostic that begins with a line.
    fn of_header(line: &str) -> Option<Self> {
        if line.starts_with(' ') {
            return None;
        }
        let marked =
            MARKS.iter().filter_map(|(mark, severity)| Some((line.find(mark)?, mark, severity)));
        if let Some((at, mark, severity)) = marked.min_by_key(|(at, ..)| *at) {
            let (before, message) = (line.get(..at)?, line.get(at.saturating_add(mark.len())..)?);
            let (place, message) = (place(before), message.to_owned());
            return Some(Self { severity: *severity, place, message, lines: Vec::new() });
        }
        let (before, _) = line.split_once(UNDEFINED)?;
        let message = line.get(before.len()..)?.to_owned();
        Some(Self {
            severity: Severity::Error,
            place: place(before.trim_end_matches(": ")),
            message,
            lines: Vec::new(),
        })
    }

    /// The line of the kernel's own sources that the diagnostic is about: that of the call, if it stands in a header.
    pub fn place_in(&self, is_of_kernel: impl Fn(&str) -> bool) -> Option<(String, u32)> {
        let called = self.lines.iter().filter_map(|line| {
            if let Some((_, at)) = line.split_once("inlined from ") {
                return place(at.rsplit_once(" at ")?.1.trim_end_matches([',', ':']));
            }
            match line.split_once("required from") {
                Some((at, _)) => place(at.trim_end().trim_end_matches(':')),
                None => place(line.split_once(": note: in expansion of macro")?.0),
            }
        });
        let places = self.place.clone().into_iter().chain(called);
        places.filter(|(file, _)| is_of_kernel(file)).last()
    }
}

/// `FILE:LINE` or `FILE:LINE:COLUMN`.
fn place(text: &str) -> Option<(String, u32)> {
    let (rest, last) = text.rsplit_once(':')?;
    let last = last.parse().ok()?;
    let with_column =
        rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
    let (file, line) = with_column.unwrap_or((rest, last));
    Some((file.to_owned(), line))
}

/// Whether a line leads to the diagnostic behind it.
fn leads_to_another(line: &str, others_do: bool) -> bool {
    if line.starts_with(' ') {
        let line = line.trim_start();
        return others_do && (line.starts_with("from ") || line.starts_with("inlined from "));
    }
    line.starts_with("In file included from ")
        || line.starts_with("In function ")
        || (line.contains(": In ") || line.contains(": At ") || line.contains(": in function "))
            && line.ends_with(':')
        || line.contains("   required from ")
        || line.contains("   required by ")
}

/// What several processors' compilers say of one kernel: equal diagnostics once, with their processors and with the other
/// lines of the kernel that they are about. Of a kernel with one processor it is not named.
pub(super) fn merged(
    messages: &[(Processor, String)],
    has_several: bool,
    is_of_kernel: impl Fn(&str) -> bool,
) -> String {
    struct Group {
        first: Diagnostic,
        processors: Vec<Processor>,
        places: Vec<(String, u32)>,
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut untold: Vec<&str> = Vec::new();
    for (processor, text) in messages {
        let diagnostics = Diagnostic::all(text);
        if diagnostics.is_empty() && !untold.contains(&text.as_str()) {
            untold.push(text);
        }
        for diagnostic in diagnostics {
            let place = diagnostic.place_in(&is_of_kernel).or_else(|| diagnostic.place.clone());
            let known = groups.iter_mut().find(|group| {
                group.first.severity == diagnostic.severity
                    && group.first.message == diagnostic.message
            });
            let group = match known {
                Some(group) => group,
                None => {
                    groups.push(Group {
                        first: diagnostic,
                        processors: Vec::new(),
                        places: Vec::new(),
                    });
                    let Some(group) = groups.last_mut() else { continue };
                    group
                }
            };
            if !group.processors.contains(processor) {
                group.processors.push(*processor);
            }
            if let Some(place) = place.filter(|place| !group.places.contains(place)) {
                group.places.push(place);
            }
        }
    }
    groups.sort_by_key(|group| group.first.severity);
    let mut lines: Vec<String> = untold.into_iter().map(str::to_owned).collect();
    for Group { first, processors, places } in groups {
        let mut told: Vec<String> = today(&first.message, &first.lines).into_iter().collect();
        lines.extend(first.lines);
        if has_several {
            told.push(format!("on {}", named(&processors)));
        }
        let again = again_at(places.get(1..).unwrap_or_default());
        told.extend((!again.is_empty()).then_some(again));
        if !told.is_empty() {
            lines.push(format!("  ({})", told.join(", ")));
        }
    }
    lines.join("\n")
}

/// The number of further places of a diagnostic that are named.
const PLACES: usize = 6;

/// The further places of a diagnostic.
fn again_at(places: &[(String, u32)]) -> String {
    if places.is_empty() {
        return String::new();
    }
    let named = places.iter().take(PLACES).map(|(file, line)| format!("{file}:{line}"));
    let mut named: Vec<String> = named.collect();
    let others = places.len().saturating_sub(named.len());
    if others > 0 {
        named.push(counted(others, "other line", "other lines"));
    }
    format!("and again at {}", joined(&named))
}

/// The names of processors, in a sentence.
pub(super) fn named(processors: &[Processor]) -> String {
    joined(&processors.iter().map(|it| it.name().to_owned()).collect::<Vec<_>>())
}

fn joined(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

/// The first of a compiler's diagnostics, and the numbers of those left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FirstDiagnostics {
    /// Lines of whole diagnostics.
    pub lines: Vec<String>,
    /// Lines that were left out of a first diagnostic that is too long by itself.
    pub cut: usize,
    /// Errors that were left out.
    pub errors: usize,
    /// Warnings that were left out.
    pub warnings: usize,
}

impl FirstDiagnostics {
    /// The lines, and one more about the errors that were left out, if there are any. `closing` ends it: where they are.
    pub fn with_further_errors(self, closing: &str) -> Vec<String> {
        let Self { mut lines, errors, .. } = self;
        if errors > 0 {
            lines
                .push(format!("… {}{closing}", counted(errors, "further error", "further errors")));
        }
        lines
    }
}

/// The first diagnostics of a compiler's messages. Together they have at most this number of lines, and the first one alone has
/// at most twice as many.
pub fn first_diagnostics(messages: &str, lines: usize) -> FirstDiagnostics {
    let mut first = FirstDiagnostics::default();
    let diagnostics = Diagnostic::all(messages);
    if diagnostics.is_empty() {
        first.lines = messages.lines().map(str::to_owned).collect();
    }
    for diagnostic in diagnostics {
        let is_full = first.errors.saturating_add(first.warnings) > 0
            || !first.lines.is_empty()
                && first.lines.len().saturating_add(diagnostic.lines.len()) > lines;
        match (is_full, diagnostic.severity) {
            (false, _) => first.lines.extend(diagnostic.lines),
            (true, Severity::Error) => first.errors = first.errors.saturating_add(1),
            (true, Severity::Warning) => first.warnings = first.warnings.saturating_add(1),
        }
    }
    first.cut = first.lines.len().saturating_sub(lines.saturating_mul(2));
    first.lines.truncate(lines.saturating_mul(2));
    first
}
