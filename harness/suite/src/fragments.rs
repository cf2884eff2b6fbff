//! The files of fragments that a suite imports.

use std::collections::BTreeSet;

use super::language::{Fragment, FragmentFile, StepKind, StepOrHole, Suite};
use super::mistake::{Mistakes, SourceText, quoted_list};
use super::node::{UnreadableText, load};
use super::read::{At, Read, is_name};

/// The folder below `suites` that holds files of fragments instead of suites.
pub const FOLDER: &str = "fragments";
/// Files that one suite may import.
const IMPORTS: usize = 16;

/// A file of fragments that was read.
#[derive(Clone, Debug)]
pub struct ImportedFile {
    /// Its number in spans.
    pub number: u16,
    /// The file's path and text.
    pub source: SourceText,
    /// The kernels and fragments that it declares.
    pub content: FragmentFile,
}

/// What a suite imports.
#[derive(Clone, Debug, Default)]
pub struct Fragments {
    files: Vec<ImportedFile>,
    /// Whether a file is missing here, so that nobody can say which fragments there are.
    incomplete: bool,
}

impl Fragments {
    /// The fragment with this name, and the file that holds it.
    pub fn find(&self, name: &str) -> Option<(&ImportedFile, &Fragment)> {
        self.files.iter().find_map(|file| Some((file, file.content.fragments.get(name)?)))
    }

    /// The names of all fragments.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().flat_map(|file| file.content.fragments.names())
    }

    /// Whether a mistake keeps some of them from being known.
    pub const fn is_incomplete(&self) -> bool {
        self.incomplete
    }

    /// Whether nothing is imported.
    pub const fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The file with this number in spans.
    pub fn file(&self, number: u16) -> Option<&SourceText> {
        self.files.iter().find(|file| file.number == number).map(|file| &file.source)
    }

    /// Reads what a suite imports; `read` gives the text of a file below `suites`. The texts read so
    /// far go into `sources`, in the order of their numbers, whatever is wrong with them.
    pub(super) fn load(
        suite: &Suite,
        sources: &mut Vec<SourceText>,
        read: impl Fn(&str) -> Result<String, UnreadableText>,
        mistakes: &mut Mistakes,
    ) -> Self {
        let mut fragments = Self::default();
        let imports = suite.import.as_deref().unwrap_or_default();
        if let Some(import) = imports.get(IMPORTS) {
            mistakes.add::<()>(
                format!("a suite imports at most {IMPORTS} files"),
                import.span,
                "split the suite, or put fragments together",
            );
            return fragments;
        }
        for (place, import) in imports.iter().enumerate() {
            let path = &import.value;
            if imports.iter().take(place).any(|earlier| earlier.value == *path) {
                mistakes.add::<()>(
                    format!("duplicate import of `{path}`"),
                    import.span,
                    "remove one of the two",
                );
                continue;
            }
            let name = path.strip_prefix("fragments/").and_then(|it| it.strip_suffix(".yaml"));
            if !name.is_some_and(is_name) {
                mistakes.add::<()>(
                    format!("`{path}` is not a file of fragments"),
                    import.span,
                    "write `fragments/<name>.yaml`, relative to the folder `suites`",
                );
                continue;
            }
            fragments.import(import, sources, &read, mistakes);
        }
        fragments.incomplete = fragments.files.len() < imports.len();
        fragments.check_names(imports, mistakes);
        fragments
    }

    fn import(
        &mut self,
        import: &At<String>,
        sources: &mut Vec<SourceText>,
        read: &impl Fn(&str) -> Result<String, UnreadableText>,
        mistakes: &mut Mistakes,
    ) {
        let path = &import.value;
        let text = match read(path) {
            Ok(text) => text,
            Err(problem) => {
                mistakes.add::<()>(
                    format!("`{path}` cannot be read: {problem}"),
                    import.span,
                    "the path is relative to the folder `suites`",
                );
                return;
            }
        };
        let number = u16::try_from(sources.len()).unwrap_or(u16::MAX);
        let source = SourceText { path: format!("suites/{path}"), text: text.into() };
        sources.push(source.clone());
        let node = match load(&source.text, number) {
            Ok(node) => node,
            Err(mistake) => {
                mistakes.push(mistake);
                return;
            }
        };
        let Some(content) = FragmentFile::read(&node, mistakes) else { return };
        for (name, fragment) in &content.fragments.0 {
            check_fragment(name, fragment, mistakes);
        }
        let used: BTreeSet<&str> = content
            .fragments
            .0
            .iter()
            .flat_map(|(_, fragment)| fragment.steps.iter())
            .filter_map(|step| match &step.kind {
                StepKind::CreateKernel(call) => Some(call.kernel.text.as_str()),
                _ => None,
            })
            .collect();
        for (name, _) in content.kernels.iter().flat_map(|kernels| &kernels.0) {
            if !used.contains(name.value.as_str()) {
                mistakes.add::<()>(
                    format!("no fragment uses kernel `{}`", name.value),
                    name.span,
                    "remove it",
                );
            }
        }
        self.files.push(ImportedFile { number, source, content });
    }

    /// A name must mean one fragment.
    fn check_names(&self, imports: &[At<String>], mistakes: &mut Mistakes) {
        for (place, file) in self.files.iter().enumerate() {
            for name in file.content.fragments.names() {
                let mut earlier = self.files.iter().take(place);
                let Some(other) = earlier.find(|other| other.content.fragments.get(name).is_some())
                else {
                    continue;
                };
                let import =
                    imports.iter().find(|import| file.source.path.ends_with(&import.value));
                mistakes.add::<()>(
                    format!("{} also defines fragment `{name}`", other.source.path),
                    import.map(|import| import.span).unwrap_or_default(),
                    "rename one of the two, or import only one of the files",
                );
            }
        }
    }

    /// Every import is there for a reason.
    pub(super) fn check_used(&self, suite: &Suite, mistakes: &mut Mistakes) {
        let steps = suite.cases.0.iter().flat_map(|(_, case)| case.steps.all());
        let used: BTreeSet<&str> = steps
            .filter_map(|step| match step {
                StepOrHole::Use(_, call) => self.find(&call.fragment.text),
                StepOrHole::Step(_)
                | StepOrHole::Repeat(..)
                | StepOrHole::Tensor(_)
                | StepOrHole::Hole(_) => None,
            })
            .map(|(file, _)| file.source.path.as_str())
            .collect();
        for import in suite.import.iter().flatten() {
            let path = format!("suites/{}", import.value);
            let known = self.files.iter().any(|file| file.source.path == path);
            if known && !used.contains(path.as_str()) {
                mistakes.add::<()>(
                    format!("no case uses a fragment of `{}`", import.value),
                    import.span,
                    "remove it",
                );
            }
        }
    }
}

/// What is wrong with a fragment by itself.
fn check_fragment(name: &At<String>, fragment: &Fragment, mistakes: &mut Mistakes) {
    let mut seen: Vec<&str> = Vec::new();
    for parameter in fragment.numbers.iter().chain(&fragment.names).flatten() {
        if seen.contains(&parameter.text.as_str()) {
            mistakes.add::<()>(
                format!("duplicate parameter `{}` of fragment `{}`", parameter.text, name.value),
                parameter.span,
                "remove one of the two",
            );
        }
        seen.push(&parameter.text);
    }
    for step in fragment.steps.all() {
        if let StepOrHole::Use(span, call) = step {
            mistakes.add::<()>(
                "a fragment cannot use a fragment",
                *span,
                format!("copy the steps of {} here", quoted_list(&[&call.fragment.text])),
            );
        }
    }
}
