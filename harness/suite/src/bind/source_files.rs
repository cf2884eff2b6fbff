//! Places in the files that hold steps, as messages and reports name them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::fragments::Fragments;
use crate::mistake::{SourceText, Span};

/// The suite's file and those that it imports.
#[derive(Debug)]
pub(super) struct SourceFiles<'a> {
    suite: &'a SourceText,
    fragments: &'a Fragments,
    /// Where lines end in each file that holds steps: a file is scanned once.
    line_ends: BTreeMap<u16, Vec<usize>>,
}

impl<'a> SourceFiles<'a> {
    pub(super) const fn new(suite: &'a SourceText, fragments: &'a Fragments) -> Self {
        Self { suite, fragments, line_ends: BTreeMap::new() }
    }

    fn text_of(&self, span: Span) -> &'a SourceText {
        self.fragments.file(span.file).unwrap_or(self.suite)
    }

    /// The path of the file that a place stands in, unless that is the suite.
    pub(super) fn imported(&self, span: Span) -> Option<String> {
        self.fragments.file(span.file).map(|file| file.path.clone())
    }

    /// `line 5`, or `line 5 of suites/fragments/x.yaml`.
    pub(super) fn place(&self, span: Span) -> String {
        match self.imported(span) {
            Some(_) => self.place_with_file(span),
            None => format!("line {}", self.line(span)),
        }
    }

    /// `line 5 of suites/fragments/x.yaml`, also for a place in the suite.
    pub(super) fn place_with_file(&self, span: Span) -> String {
        format!("line {} of {}", self.line(span), self.text_of(span).path)
    }

    /// The line of a step.
    pub(super) fn line_of_step(&mut self, span: Span) -> u32 {
        let text = Arc::clone(&self.text_of(span).text);
        let ends = self.line_ends.entry(span.file).or_insert_with(|| {
            let ends = text.match_indices('\n');
            ends.map(|(at, _)| at).collect()
        });
        let line = ends.partition_point(|&end| end < span.start).saturating_add(1);
        u32::try_from(line).unwrap_or(u32::MAX)
    }

    fn line(&self, span: Span) -> u32 {
        let before = self.text_of(span).text.get(..span.start).unwrap_or_default();
        let line = before.bytes().filter(|&byte| byte == b'\n').count().saturating_add(1);
        u32::try_from(line).unwrap_or(u32::MAX)
    }
}
