//! A suite with one of its cases alone, at one point of the case's matrix and with other numbers.
//!
//! It is written as a suite again, in the words of the suite that it comes from: what a reader knows from there is called the
//! same here, and expectations follow from the numbers as they do there.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use hallmark_schema::model::Real;

use super::discover::{LoadedSuite, SelectedTest};
use super::flow::Flow;
use super::mistake::SuiteMistakes;
use super::name::TestName;
use super::node::{Entry, Node, Value, load, texts_of_key};

/// A case at one point of its matrix, whose numbers can be changed.
#[derive(Clone, Debug)]
pub struct NarrowedCase {
    suite: LoadedSuite,
    name: TestName,
    /// The keys of the suite but for its cases.
    head: Vec<Entry>,
    /// The keys of the case.
    case: Vec<Entry>,
}

/// The key of the parameters of a case.
const MATRIX: &str = "matrix";
/// The key of the numbers that a case computes.
const VARIABLES: &str = "variables";
/// The key of the conditions of a case.
const CONDITIONS: &str = "when";

impl NarrowedCase {
    /// The case of a test, at the test's point and for its architecture.
    ///
    /// `None` where the suite's text does not hold it any more.
    pub fn of(test: &SelectedTest) -> Option<Self> {
        let suite = test.suite().clone();
        let name = test.name.clone();
        let Value::Map(keys) = load(suite.text()?, 0).ok()?.value else { return None };
        let (cases, mut head): (Vec<Entry>, Vec<Entry>) =
            keys.into_iter().partition(|entry| entry.key == "cases");
        let cases = cases.into_iter().next()?;
        let Value::Map(mut case) = cases.value.get(&name.case)?.value.clone().value else {
            return None;
        };
        let used = test.case()?;
        let binaries = used.used_binaries();
        let of_binaries = suite.binaries().filter(|(name, _)| binaries.contains(name));
        let of_binaries = of_binaries.flat_map(|(_, binary)| binary.steps.used_kernels());
        let kernels: BTreeSet<&str> = used.used_kernels().into_iter().chain(of_binaries).collect();
        let used_fragments = used.used_fragments();
        let fragments = suite.fragments();
        let imports: BTreeSet<&str> = used_fragments
            .into_iter()
            .filter_map(|name| fragments.find(name))
            .filter_map(|(file, _)| file.source.path.strip_prefix("suites/"))
            .collect();
        head.retain_mut(|entry| match (entry.key.as_str(), &mut entry.value.value) {
            ("kernels", Value::Map(all)) => {
                all.retain(|kernel| kernels.contains(kernel.key.as_str()));
                !all.is_empty()
            }
            ("binaries", Value::Map(all)) => {
                all.retain(|binary| binaries.contains(binary.key.as_str()));
                !all.is_empty()
            }
            ("import", Value::List(files)) => {
                files.retain(|file| {
                    matches!(&file.value, Value::Text(path) if imports.contains(path.as_str()))
                });
                !files.is_empty()
            }
            _ => true,
        });
        for entry in &mut case {
            match (entry.key.as_str(), &mut entry.value.value) {
                (MATRIX, Value::Map(parameters)) => narrow(parameters, &name.parameters)?,
                (VARIABLES, Value::Map(variables)) => {
                    of_architecture(variables, name.architecture.name())
                }
                _ => {}
            }
        }
        only_for(&mut case, name.architecture.name());
        Some(Self { suite, name, head, case })
    }

    /// The numbers that can be changed, by name: parameters, what labelled values of parameters set, and variables that are
    /// plain numbers.
    pub fn numbers(&self) -> BTreeMap<String, i128> {
        let mut numbers = BTreeMap::new();
        for (name, node) in self.places() {
            if let Value::Integer(number) = node.value {
                numbers.insert(name.to_owned(), number);
            }
        }
        numbers
    }

    /// The same with another number of this name.
    #[must_use]
    pub fn with(&self, name: &str, number: i128) -> Self {
        let mut changed = self.clone();
        for (known, node) in places_mut(&mut changed.case) {
            if known == name
                && let Value::Integer(before) = &mut node.value
            {
                *before = number;
            }
        }
        changed
    }

    fn places(&self) -> Vec<(&str, &Node)> {
        let mut places = Vec::new();
        for entry in &self.case {
            match (entry.key.as_str(), &entry.value.value) {
                (MATRIX, Value::Map(parameters)) => {
                    for parameter in parameters {
                        let Value::List(values) = &parameter.value.value else { continue };
                        for value in values {
                            match &value.value {
                                Value::Map(set) => places.extend(
                                    set.iter().map(|entry| (entry.key.as_str(), &entry.value)),
                                ),
                                _ => places.push((parameter.key.as_str(), value)),
                            }
                        }
                    }
                }
                (VARIABLES, Value::Map(variables)) => {
                    places.extend(variables.iter().map(|entry| (entry.key.as_str(), &entry.value)));
                }
                _ => {}
            }
        }
        places
    }

    /// The suite's text. `why` stands above it, a comment of one line.
    pub fn text(&self, why: &str) -> String {
        let mut text = format!("# {}\n", why.replace(['\n', '\r'], " "));
        for entry in &self.head {
            write_key(&mut text, 0, entry);
        }
        let _ = writeln!(text, "cases:\n  {}:", Flow::text(&*self.name.case));
        for entry in &self.case {
            write_key(&mut text, 2, entry);
        }
        text
    }

    /// The one test of it.
    ///
    /// # Errors
    /// Its numbers make no suite. A test with them may still not be bound.
    pub fn test(&self) -> Result<SelectedTest, SuiteMistakes> {
        let text = self.text("narrowed").into();
        let suite = self.suite.root().load_text(&self.suite.file, text)?;
        let mut tests = suite.tests(&[self.name.architecture]);
        tests.pop().ok_or_else(SuiteMistakes::default)
    }

    /// The files that it names beside its kernels' sources, relative to `suites`: what it imports, and data.
    pub fn files(&self) -> BTreeSet<String> {
        let mut files = BTreeSet::new();
        for entry in &self.head {
            if let ("import", Value::List(imports)) = (entry.key.as_str(), &entry.value.value) {
                files.extend(imports.iter().filter_map(text_of).map(str::to_owned));
            }
        }
        for entry in &self.case {
            texts_of_key(&entry.value, "file", &mut files);
        }
        files
    }
}

fn text_of(node: &Node) -> Option<&str> {
    match &node.value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

fn places_mut(case: &mut [Entry]) -> Vec<(String, &mut Node)> {
    let mut places = Vec::new();
    for entry in case {
        match (entry.key.as_str(), &mut entry.value.value) {
            (MATRIX, Value::Map(parameters)) => {
                for parameter in parameters {
                    let Value::List(values) = &mut parameter.value.value else { continue };
                    for value in values {
                        if matches!(value.value, Value::Map(_)) {
                            let Value::Map(set) = &mut value.value else { continue };
                            places.extend(set.iter_mut().map(|it| (it.key.clone(), &mut it.value)));
                        } else {
                            places.push((parameter.key.clone(), value));
                        }
                    }
                }
            }
            (VARIABLES, Value::Map(variables)) => {
                places.extend(variables.iter_mut().map(|it| (it.key.clone(), &mut it.value)));
            }
            _ => {}
        }
    }
    places
}

/// Leaves of each parameter the value with the label that a test's name has, and no exclusions.
fn narrow(parameters: &mut Vec<Entry>, labels: &[(String, String)]) -> Option<()> {
    parameters.retain(|parameter| parameter.key != "exclude");
    for parameter in parameters {
        let (_, label) = labels.iter().find(|(name, _)| *name == parameter.key)?;
        let Value::List(values) = &mut parameter.value.value else { return None };
        values.retain(|value| label_of(value).as_deref() == Some(label));
        values.truncate(1);
        if values.is_empty() {
            return None;
        }
    }
    Some(())
}

/// What a value of a parameter is called in the names of tests.
fn label_of(value: &Node) -> Option<String> {
    match &value.value {
        Value::Map(_) => label_of(&value.get("label")?.value),
        Value::Integer(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Text(text) => Some(text.clone()),
        Value::Null | Value::Float(_) | Value::List(_) => None,
    }
}

/// Leaves of each variable its number on one architecture.
fn of_architecture(variables: &mut [Entry], architecture: &str) {
    for variable in variables {
        let number = variable.value.get(architecture).map(|entry| entry.value.clone());
        if let Some(number) = number {
            variable.value = number;
        }
    }
}

/// Has a case apply to one architecture alone.
fn only_for(case: &mut Vec<Entry>, architecture: &str) {
    let node = |value| Node { span: Default::default(), value };
    let entry = |key: &str, value| Entry {
        key: key.to_owned(),
        key_span: Default::default(),
        value: node(value),
    };
    let name = || node(Value::Text(architecture.to_owned()));
    let architectures = || entry("architectures", Value::List(vec![name()]));
    let conditions = case.iter_mut().find(|entry| entry.key == CONDITIONS);
    if let Some(Value::Map(conditions)) = conditions.map(|entry| &mut entry.value.value) {
        conditions.retain(|entry| entry.key != "architectures");
        conditions.push(architectures());
        return;
    }
    let reason = entry("reason", Value::Text("it was narrowed there".to_owned()));
    let conditions = entry(CONDITIONS, Value::Map(vec![architectures(), reason]));
    let before = case.iter().position(|entry| entry.key == "steps").unwrap_or(case.len());
    case.insert(before, conditions);
}

/// Writes a key of the suite or of a case: lists and maps with a line for each entry.
fn write_key(text: &mut String, depth: usize, entry: &Entry) {
    let indent = "  ".repeat(depth);
    let key = Flow::text(&*entry.key);
    match &entry.value.value {
        Value::List(nodes) if !nodes.is_empty() => {
            let _ = writeln!(text, "{indent}{key}:");
            for node in nodes {
                write_entry_of_list(text, &indent, node);
            }
        }
        Value::Map(entries) if !entries.is_empty() => {
            let _ = writeln!(text, "{indent}{key}:");
            for entry in entries {
                let key = Flow::text(&*entry.key);
                let _ = writeln!(text, "{indent}  {key}: {}", flow(&entry.value));
            }
        }
        _ => {
            let _ = writeln!(text, "{indent}{key}: {}", flow(&entry.value));
        }
    }
}

/// Writes an entry of a list, with a line for each key of a map.
fn write_entry_of_list(text: &mut String, indent: &str, node: &Node) {
    match &node.value {
        Value::Map(entries) if !entries.is_empty() => {
            let dashes = std::iter::once("-").chain(std::iter::repeat(" "));
            for (dash, entry) in dashes.zip(entries) {
                let key = Flow::text(&*entry.key);
                let _ = writeln!(text, "{indent}  {dash} {key}: {}", flow(&entry.value));
            }
        }
        _ => {
            let _ = writeln!(text, "{indent}  - {}", flow(node));
        }
    }
}

fn flow(node: &Node) -> Flow {
    match &node.value {
        Value::Null => Flow::Nothing,
        Value::Bool(flag) => Flow::Bool(*flag),
        Value::Integer(number) => Flow::Number(*number),
        // The parser gives no number that is none.
        Value::Float(number) => Real::new(*number).map_or(Flow::Nothing, Flow::Real),
        Value::Text(text) => Flow::text(text.as_str()),
        Value::List(nodes) => Flow::List(nodes.iter().map(flow).collect()),
        Value::Map(entries) => Flow::Named(
            entries.iter().map(|entry| (entry.key.clone(), flow(&entry.value))).collect(),
        ),
    }
}

#[cfg(test)]
mod tests;
