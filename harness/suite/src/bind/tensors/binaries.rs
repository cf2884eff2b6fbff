//! The tensors of binaries that suites write.

use hallmark_schema::commands::Command;
use hallmark_schema::model::BufferId;
use hallmark_stitching::BinaryTensor;
use hallmark_tensor::TensorPages;

use super::Stopped;
use super::calls::adopt;
use super::specs::{memory, tensor_spec};
use crate::bind::evaluator::Evaluator;
use crate::bind::scope::Scope;
use crate::bind::source_files::SourceFiles;
use crate::bound::BoundStep;
use crate::language::BinaryTensorEntry;

/// The buffers that stand for a binary's inputs or outputs.
pub(in crate::bind) fn free_tensors(
    evaluator: &mut Evaluator<'_>,
    scope: &mut Scope,
    sources: &mut SourceFiles<'_>,
    entries: &[BinaryTensorEntry],
    steps: &mut Vec<BoundStep>,
) -> Option<Vec<BinaryTensor>> {
    let mut tensors = Some(Vec::new());
    for entry in entries {
        match free_tensor(evaluator, scope, entry) {
            Some(tensor) => {
                let command = Command::CreateBuffer(tensor.create_buffer());
                adopt(evaluator.mistakes(), scope, &command, entry.id.span, false);
                scope.count_command();
                let line = sources.line_of_step(entry.id.span);
                let (failure, place) = (None, None);
                steps.push(BoundStep { line, file: None, command, failure, place });
                if let Some(tensors) = &mut tensors {
                    tensors.push(tensor);
                }
            }
            None => {
                scope.define_unknown(&entry.id);
                tensors = None;
            }
        }
    }
    tensors
}

fn free_tensor(
    evaluator: &mut Evaluator<'_>,
    scope: &Scope,
    entry: &BinaryTensorEntry,
) -> Option<BinaryTensor> {
    let made = tensor_spec(evaluator, entry.entry()).and_then(|spec| {
        let memory = memory(evaluator, entry.entry(), entry.id.span)?;
        memory.map(|memory| Ok(TensorPages::new(spec, &memory)?)).transpose()
    });
    match made {
        Ok(Some(pages)) => {
            let buffer = BufferId(scope.buffers.count());
            Some(BinaryTensor { name: entry.id.text.clone(), buffer, pages })
        }
        Ok(None) => evaluator.mistakes().add(
            "the tensors of a binary live on the device",
            entry.id.span,
            "write `memory: dram` or `memory: l1`",
        ),
        Err(Stopped::Mistaken) => None,
        Err(Stopped::Refused(error)) => {
            evaluator.mistakes().add(error.to_string(), entry.id.span, "")
        }
    }
}
