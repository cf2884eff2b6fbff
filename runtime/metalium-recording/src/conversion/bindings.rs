//! Reads the headers that TT-Metalium generated for a kernel, by the forms that the release's description states.

use std::collections::BTreeMap;

use hallmark_device_code::bindings::{
    BindingForms, COMPILE_TIME_VARARGS, FIRST_COMMON_VARARG, FIRST_VARARG, Filled, MEMBERS, NAME,
};
use hallmark_schema::model::{BindingKind, BindingValue, KernelBinding, KernelBindings};

/// The names that a header defines, with their values; `None` if a line has none of the forms, so that it may define
/// more.
pub(super) fn read(text: &[u8], forms: &BindingForms) -> Option<KernelBindings> {
    let text = std::str::from_utf8(text).ok()?;
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut reader = Reader { forms, bindings: KernelBindings::default(), namespace: None };
    let mut rest = lines.as_slice();
    while let [line, ..] = rest {
        let taken = match reader.definition(rest) {
            Some(taken) => taken?,
            None => reader.other(line, rest)?,
        };
        rest = rest.get(taken.max(1)..)?;
    }
    reader.bindings.problem().is_none().then_some(reader.bindings)
}

struct Reader<'r> {
    forms: &'r BindingForms,
    bindings: KernelBindings,
    /// The namespace of the current line.
    namespace: Option<&'r str>,
}

impl<'r> Reader<'r> {
    /// Takes the lines of a definition: their number, or `Some(None)` if its values cannot be right.
    fn definition(&mut self, lines: &[&str]) -> Option<Option<usize>> {
        for function in &self.forms.functions {
            if let Some(filled) = function.read(lines) {
                return Some(self.numbers(&filled).map(|()| function.lines()));
            }
        }
        let namespace = self.namespace?;
        for (&kind, forms) in &self.forms.definitions {
            if kind.namespace().is_some_and(|known| known != namespace) {
                continue;
            }
            for form in forms {
                if let Some(filled) = form.read(lines) {
                    let binding = self.binding(kind, &filled);
                    return Some(binding.map(|binding| {
                        self.bindings.names.push(binding);
                        form.lines()
                    }));
                }
            }
        }
        None
    }

    fn numbers(&mut self, filled: &Filled<'_>) -> Option<()> {
        for (name, value) in filled {
            let place = match name.as_str() {
                FIRST_VARARG => &mut self.bindings.first_vararg,
                FIRST_COMMON_VARARG => &mut self.bindings.first_common_vararg,
                COMPILE_TIME_VARARGS => &mut self.bindings.compile_time_varargs,
                _ => return None,
            };
            *place = number(value)?;
        }
        Some(())
    }

    fn binding(&self, kind: BindingKind, filled: &Filled<'_>) -> Option<KernelBinding> {
        let name = (*filled.get(NAME)?).to_owned();
        let values = match filled.get(MEMBERS) {
            Some(members) => self.places(members)?,
            None => values(kind, filled)?,
        };
        Some(KernelBinding { kind, name, values })
    }

    /// The places of a group's members among the names so far.
    fn places(&self, members: &str) -> Option<Vec<u32>> {
        let names = self.bindings.names.iter().zip(0..);
        let here: BTreeMap<&str, u32> = names
            .filter(|(name, _)| self.bindings.namespace(name) == self.namespace)
            .map(|(name, place)| (name.name.as_str(), place))
            .collect();
        members.split(',').map(|member| here.get(member.trim()).copied()).collect()
    }

    /// Takes a line that defines nothing; the number of lines that belong to it.
    fn other(&mut self, line: &'_ str, lines: &[&str]) -> Option<usize> {
        if let Some(namespace) = line.strip_prefix("namespace ").and_then(|it| it.strip_suffix('{'))
        {
            let known = hallmark_device_code::bindings::NAMESPACES.iter();
            let known = known.copied().find(|known| *known == namespace.trim())?;
            self.namespace = self.namespace.is_none().then_some(known);
            return self.namespace.map(|_| 1);
        }
        if line.starts_with('}') && self.namespace.take().is_some() {
            return Some(1);
        }
        let is_plain = line.is_empty()
            || line.starts_with("//")
            || line.starts_with("#include")
            || line == "#pragma once"
            || (line.starts_with("struct ") && line.ends_with(';') && !line.contains('{'))
            || (line.starts_with("template <") && line.ends_with('>'));
        if is_plain {
            return Some(1);
        }
        if !line.ends_with('{') {
            return None;
        }
        // A function.
        let mut depth = 0_usize;
        for (at, line) in lines.iter().enumerate() {
            for letter in line.bytes() {
                match letter {
                    b'{' => depth = depth.saturating_add(1),
                    b'}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
            if depth == 0 {
                return at.checked_add(1);
            }
        }
        None
    }
}

/// A number of C++ without a sign.
fn number(text: &str) -> Option<u32> {
    text.strip_suffix('u').unwrap_or(text).parse().ok()
}

/// The values of a name, in the order of its kind.
fn values(kind: BindingKind, filled: &Filled<'_>) -> Option<Vec<u32>> {
    let value = |value: &BindingValue| {
        let text = filled.get(value.name)?;
        match value.words {
            [] => number(text),
            words => u32::try_from(words.iter().position(|word| word == text)?).ok(),
        }
    };
    let first: Vec<Option<u32>> = kind.values().iter().map(value).collect();
    // A release without access patterns has the number of an unknown one.
    let first = kind.values().iter().zip(first).map(|(of, value)| {
        let unknown = of.words.iter().position(|word| *word == "UNKNOWN");
        value.or_else(|| u32::try_from(unknown?).ok().filter(|_| !filled.contains_key(of.name)))
    });
    let more: Vec<u32> = kind.more_values().iter().filter_map(value).collect();
    let mut values = first.collect::<Option<Vec<u32>>>()?;
    if more.len() == kind.more_values().len() {
        values.extend(more);
    }
    Some(values)
}
