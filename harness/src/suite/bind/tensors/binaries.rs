//! Binaries of suites: bound by their first use, in a scope of their own.

use hallmark_schema::commands::Command;
use hallmark_schema::model::BufferId;
use hallmark_stitching::{Binary, BinaryTensor, Loaded};
use hallmark_tensor::TensorPages;

use super::{CaseTensors, Made, Stopped, known};
use crate::suite::bind::blocks::ROUND;
use crate::suite::bind::{Binder, BoundStep};
use crate::suite::language::{BinaryEntry, BinaryTensorEntry};
use crate::suite::mistake::{Mistake, suggest};
use crate::suite::read::Name;

impl<'a> Binder<'a> {
    /// The binary with this name, which its first use binds.
    pub(super) fn binary(&mut self, tensors: &mut CaseTensors, name: &Name) -> Made<Loaded> {
        if let Some(bound) = tensors.binaries.get(&name.text) {
            return known(*bound);
        }
        let binaries = self.context.binaries;
        let Some(entry) = binaries.and_then(|binaries| binaries.get(&name.text)) else {
            let help = binaries.map_or_else(
                || "this suite has no `binaries`".to_owned(),
                |binaries| suggest(&name.text, binaries.names()),
            );
            let message = format!("unknown binary `{}`", name.text);
            let mistake = Mistake::new(message, name.span, help);
            return known(
                self.mistakes.add_unknown_name(&format!("binary {}", name.text), mistake),
            );
        };
        if self.scope.frames.in_fragment() {
            // A fragment does not know the parameters of the case, which the binary's steps may need.
            return known(self.mistakes.add(
                format!("a fragment cannot be the first to use binary `{}`", name.text),
                name.span,
                "allocate one of its tensors in the case, in front of `use`",
            ));
        }
        let outer_scope = std::mem::take(&mut self.scope);
        // Nothing that the binary's steps write or read is the case's.
        let outer_known = std::mem::take(&mut self.known);
        let outer_reads = std::mem::take(&mut self.reads);
        let outer_outputs = std::mem::take(&mut self.outputs_read);
        let round = self.numbers.remove(ROUND);
        let outer_kernels = std::mem::replace(&mut self.kernels, self.context.kernels);
        self.in_binary = true;
        let bound = self.bind_binary(name, entry);
        self.in_binary = false;
        self.kernels = outer_kernels;
        self.numbers.extend(round.map(|round| (ROUND.to_owned(), round)));
        self.outputs_read = outer_outputs;
        self.reads = outer_reads;
        self.known = outer_known;
        self.scope = outer_scope;
        let loaded = bound.map(|binary| tensors.stitching.load(binary));
        tensors.binaries.insert(name.text.clone(), loaded);
        known(loaded)
    }

    /// The binaries that steps have used.
    pub(in crate::suite::bind) fn bound_binaries(&self) -> Vec<Binary> {
        let Some(tensors) = &self.tensors else { return Vec::new() };
        let loaded = tensors.binaries.values().flatten();
        let bound = loaded.filter_map(|loaded| tensors.stitching.binary(*loaded).ok());
        bound.cloned().collect()
    }

    /// Binds a binary in a scope of its own.
    fn bind_binary(&mut self, name: &Name, entry: &'a BinaryEntry) -> Option<Binary> {
        let mut steps = Vec::new();
        let inputs = self.free_tensors(&entry.inputs, &mut steps);
        let outputs = self.free_tensors(&entry.outputs, &mut steps);
        let whole = self.sequence(&entry.steps, &mut steps);
        let (inputs, outputs) = (inputs?, outputs?);
        whole.then_some(())?;
        let mut commands = Vec::new();
        for step in steps {
            if step.failure.is_some() {
                return self.mistakes.add(
                    format!("line {}: no call of a binary may fail", step.line),
                    name.span,
                    "expect the failure in a case",
                );
            }
            commands.push(step.command);
        }
        let blobs = self.blobs.iter().map(|(hash, bytes)| (*hash, bytes.into())).collect();
        match Binary::new(&name.text, commands, blobs, inputs, outputs) {
            Ok(binary) => Some(binary),
            Err(problem) => {
                self.mistakes.add(format!("`{}` is no binary: {problem}", name.text), name.span, "")
            }
        }
    }

    /// The buffers that stand for a binary's inputs or outputs.
    fn free_tensors(
        &mut self,
        entries: &[BinaryTensorEntry],
        steps: &mut Vec<BoundStep>,
    ) -> Option<Vec<BinaryTensor>> {
        let mut tensors = Some(Vec::new());
        for entry in entries {
            match self.free_tensor(entry) {
                Some(tensor) => {
                    let command = Command::CreateBuffer(tensor.create_buffer());
                    self.adopt(&command, entry.id.span, false);
                    self.scope.commands = self.scope.commands.saturating_add(1);
                    let line = self.line_of_step(entry.id.span);
                    let (failure, place) = (None, None);
                    steps.push(BoundStep { line, file: None, command, failure, place });
                    if let Some(tensors) = &mut tensors {
                        tensors.push(tensor);
                    }
                }
                None => {
                    self.scope.define_unknown(&entry.id);
                    tensors = None;
                }
            }
        }
        tensors
    }

    fn free_tensor(&mut self, entry: &BinaryTensorEntry) -> Option<BinaryTensor> {
        let made = self.tensor_spec(entry.entry()).and_then(|spec| {
            let memory = self.memory(entry.entry(), entry.id.span)?;
            memory.map(|memory| Ok(TensorPages::new(spec, &memory)?)).transpose()
        });
        match made {
            Ok(Some(pages)) => {
                let buffer = BufferId(self.scope.buffers.count());
                Some(BinaryTensor { name: entry.id.text.clone(), buffer, pages })
            }
            Ok(None) => self.mistakes.add(
                "the tensors of a binary live on the device",
                entry.id.span,
                "write `memory: dram` or `memory: l1`",
            ),
            Err(Stopped::Mistaken) => None,
            Err(Stopped::Refused(error)) => self.mistakes.add(error.to_string(), entry.id.span, ""),
        }
    }
}
