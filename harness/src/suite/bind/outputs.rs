//! What must come back: one expectation for each read.

use hallmark_schema::model::{Command, ContentHash, Expectation};

use super::{Binder, BoundStep, ExpectedOutput};
use crate::suite::language::{Expect, ExpectedValue, ValueForm};
use crate::suite::mistake::suggest;
use crate::suite::read::Name;

impl Binder<'_> {
    pub(super) fn outputs(&mut self, steps: &mut [BoundStep]) -> Option<Vec<ExpectedOutput>> {
        let case = self.context.case;
        let expectations = case.expect.as_deref().unwrap_or_default();
        let mut outputs: Vec<ExpectedOutput> = Vec::new();
        for expect in expectations {
            let (name, value) = match expect {
                Expect::Equal(equal) => (&equal.output, Ok(&equal.value)),
                Expect::Unchecked(unchecked) => (&unchecked.output, Err(&unchecked.reason)),
            };
            if outputs.iter().any(|known| known.output == name.text) {
                self.mistakes.add::<()>(
                    format!("`{}` already has an expectation", name.text),
                    name.span,
                    "one for each output",
                );
                continue;
            }
            let Some((expectation, output)) = self.output(name, value) else {
                continue;
            };
            set_expectation(steps, &output.output, expectation);
            outputs.push(output);
        }
        let reads = std::mem::take(&mut self.reads);
        for read in &reads {
            let named = expectations.iter().any(|expect| match expect {
                Expect::Equal(equal) => equal.output.text == read.output,
                Expect::Unchecked(unchecked) => unchecked.output.text == read.output,
            });
            if !named {
                self.mistakes.add::<()>(
                    format!("nothing is expected of output `{}`", read.output),
                    read.span,
                    "add `- equal: [output, value]` to `expect`, or `- unchecked: output` with a reason",
                );
            }
        }
        let checks = !outputs.is_empty()
            || case
                .steps
                .iter()
                .any(|step| step.expect_error.is_some() || step.expect_fault.is_some());
        if !checks && self.mistakes.is_empty() {
            self.mistakes.add::<()>(
                "this case checks nothing",
                self.context.span,
                "read a buffer and say what must come back, or expect an error",
            );
        }
        outputs.sort_by_key(|output| output.command);
        Some(outputs)
    }

    fn output(
        &mut self,
        name: &Name,
        value: Result<&ExpectedValue, &String>,
    ) -> Option<(Expectation, ExpectedOutput)> {
        let Some(read) = self.reads.iter().find(|read| read.output == name.text).cloned() else {
            let outputs: Vec<&str> = self.reads.iter().map(|read| read.output.as_str()).collect();
            let help = if outputs.is_empty() {
                "no step reads a buffer".to_owned()
            } else {
                suggest(&name.text, outputs)
            };
            return self.mistakes.add(
                format!("no output is called `{}`", name.text),
                name.span,
                help,
            );
        };
        let value = match value {
            Ok(value) => value,
            Err(reason) => {
                return Some((
                    Expectation::Unchecked { reason: reason.clone() },
                    ExpectedOutput {
                        output: name.text.clone(),
                        against: String::new(),
                        bytes: None,
                        hash: None,
                        command: read.command,
                    },
                ));
            }
        };
        let later = std::mem::replace(&mut self.known, read.known);
        let known = self.value(value, read.length);
        self.known = later;
        let known = known?;
        if known.length != read.length {
            return self.mistakes.add(
                format!(
                    "`{}` has {} B, but the value that it must equal has {} B",
                    name.text, read.length, known.length
                ),
                value.span,
                "",
            );
        }
        let hash = known.hash.or_else(|| known.bytes.as_deref().map(ContentHash::of));
        let against = match &value.value {
            ValueForm::Name(name) => format!("`{}`", name.text),
            ValueForm::Words(_) => "the words in the suite".to_owned(),
            ValueForm::Computed(_) => "what the suite computes".to_owned(),
        };
        Some((
            // Not known only while a suite is checked.
            Expectation::Exact { hash: hash.unwrap_or(ContentHash([0; 32])) },
            ExpectedOutput {
                output: name.text.clone(),
                against,
                bytes: known.bytes,
                hash,
                command: read.command,
            },
        ))
    }
}

fn set_expectation(steps: &mut [BoundStep], name: &str, wanted: Expectation) {
    for step in steps {
        if let Command::EnqueueReadBuffer { output, expectation, .. } = &mut step.command
            && output == name
        {
            *expectation = wanted;
            return;
        }
    }
}
