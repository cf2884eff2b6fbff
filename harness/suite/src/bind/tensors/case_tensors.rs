//! The tensors of a case, and the binaries that its steps use.

use std::collections::BTreeMap;

use hallmark_chip::ChipDescription;
use hallmark_schema::commands::Command;
use hallmark_schema::model::{BufferId, ContentHash, ObjectKind, SharedBytes};
use hallmark_stitching::{
    Binary, Held, HostCalls as _, Loaded, PlannedCalls, PlannedName, Stitching, Tensor,
};

use super::{Made, Stopped, known};
use crate::bind::evaluator::Evaluator;
use crate::bind::scope::Scope;
use crate::bound::ExpectedOutput;
use crate::mistake::{Mistake, suggest};
use crate::read::Name;

/// The tensors of a case, from its first step of tensors on.
#[derive(Debug)]
pub(in crate::bind) struct CaseTensors {
    stitching: Stitching<'static, PlannedCalls>,
    /// Tensors by the names that captures have for them.
    by_name: BTreeMap<String, Tensor>,
    /// The names of tensors.
    names: BTreeMap<Tensor, String>,
    /// The binaries that steps have used; none where a binary is wrong.
    binaries: BTreeMap<String, Option<Loaded>>,
    /// The outputs of reads that only the host's conversions make.
    outputs: Vec<ExpectedOutput>,
    /// Whether a mistake keeps some tensors from being known.
    is_incomplete: bool,
}

impl CaseTensors {
    /// No tensors yet, behind the calls so far.
    pub(in crate::bind) fn new(chip: &'static ChipDescription, scope: &Scope) -> Self {
        let mut calls = PlannedCalls::new(chip);
        calls.begin_after(scope.commands(), |kind| match kind {
            ObjectKind::Buffer => scope.buffers.count(),
            ObjectKind::Program => scope.programs.count(),
            ObjectKind::Kernel => scope.kernels.count(),
            ObjectKind::CircularBuffer => scope.circular_buffers.count(),
            ObjectKind::Semaphore => scope.semaphores.count(),
            ObjectKind::Event => scope.events.count(),
            ObjectKind::Trace => scope.traces.count(),
        });
        Self {
            stitching: Stitching::new(calls),
            by_name: BTreeMap::new(),
            names: BTreeMap::new(),
            binaries: BTreeMap::new(),
            outputs: Vec::new(),
            is_incomplete: false,
        }
    }

    pub(super) const fn stitching(&self) -> &Stitching<'static, PlannedCalls> {
        &self.stitching
    }

    pub(super) const fn stitching_mut(&mut self) -> &mut Stitching<'static, PlannedCalls> {
        &mut self.stitching
    }

    /// Tells the planned calls of one that a plain step makes.
    pub(in crate::bind) fn observe(&mut self, command: &Command, fails: bool) {
        self.stitching.calls().observe(command, fails);
    }

    /// Takes the calls that a step has planned, and their data.
    pub(in crate::bind) fn take_calls(
        &mut self,
    ) -> (Vec<Command>, BTreeMap<ContentHash, SharedBytes>) {
        self.stitching.calls().take()
    }

    /// The calls that the step has planned so far.
    pub(super) fn planned_calls(&mut self) -> &[Command] {
        self.stitching.calls().made()
    }

    pub(in crate::bind) const fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    /// Notes that a mistake keeps some tensors from being known.
    pub(in crate::bind) const fn note_unknown(&mut self) {
        self.is_incomplete = true;
    }

    /// The name that captures have for a tensor.
    pub(super) fn name(&self, tensor: Tensor) -> Option<&str> {
        self.names.get(&tensor).map(String::as_str)
    }

    /// Notes a tensor's name; a second tensor of that name is a mistake.
    pub(super) fn add(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        scope: &Scope,
        name: &Name,
        tensor: Tensor,
    ) -> Made {
        let full = scope.given(name);
        self.names.insert(tensor, full.clone());
        if self.by_name.insert(full.clone(), tensor).is_some() {
            return known(evaluator.mistakes().add(
                format!("tensor `{full}` is already defined in this case"),
                name.span,
                "choose another name",
            ));
        }
        Ok(())
    }

    /// The tensor that a name means here, if there is one.
    pub(super) fn find(&self, scope: &Scope, name: &Name) -> Option<Tensor> {
        let candidates = scope.frames().candidates(&name.text);
        candidates.iter().find_map(|full| self.by_name.get(full)).copied()
    }

    /// The tensor that a name means here, or a mistake.
    pub(super) fn get(
        &self,
        evaluator: &mut Evaluator<'_>,
        scope: &Scope,
        name: &Name,
    ) -> Made<Tensor> {
        if let Some(tensor) = self.find(scope, name) {
            return Ok(tensor);
        }
        if self.is_incomplete {
            return Err(Stopped::Mistaken);
        }
        let is_outside = scope.frames().in_fragment() && self.by_name.contains_key(&name.text);
        let help = match is_outside {
            true => "a fragment knows only what it is given: add it to its `names`".to_owned(),
            false => suggest(&name.text, self.by_name.keys().map(String::as_str)),
        };
        let message = format!("tensor `{}` is not defined here", name.text);
        let mistake = Mistake::new(message, name.span, help);
        known(evaluator.mistakes().add_unknown_name(&format!("tensor {}", name.text), mistake))
    }

    /// The bytes of a buffer after all calls so far, if they are known.
    pub(super) fn held(&mut self, buffer: BufferId) -> Option<SharedBytes> {
        match self.stitching.calls().held(buffer) {
            Held::Bytes(bytes) => Some(bytes),
            Held::AskTheDevice | Held::Unknown => None,
        }
    }

    /// Gives the event that a step's last call records the name that the step asks for.
    pub(super) fn name_event(&mut self, scope: &Scope, event: Option<&Name>) {
        // A name that is known means the event that is recorded now, as that of a plain step does.
        let full = event.map(|event| scope.events.meant_again(&event.text));
        for name in self.stitching.calls().names_mut() {
            if let PlannedName::Event(name) = name {
                // No step asks for an event of such a name.
                *name = full.clone().unwrap_or_else(|| format!("{name}.done"));
            }
        }
    }

    /// Gives the output of a conversion's read a name, and notes how it is compared.
    pub(super) fn add_output(&mut self, output: ExpectedOutput) {
        for name in self.stitching.calls().names_mut() {
            if let PlannedName::Output(name) = name {
                name.clone_from(&output.output);
            }
        }
        self.outputs.push(output);
    }

    /// Takes the outputs of reads that only the host's conversions make.
    pub(in crate::bind) fn take_outputs(&mut self) -> Vec<ExpectedOutput> {
        std::mem::take(&mut self.outputs)
    }

    /// Whether a binary has been bound, right or wrong.
    pub(in crate::bind) fn has_binary(&self, name: &str) -> bool {
        self.binaries.contains_key(name)
    }

    /// Notes a binary by its name; nothing where it is wrong.
    pub(in crate::bind) fn add_binary(&mut self, name: &str, binary: Option<Binary>) {
        let loaded = binary.map(|binary| self.stitching.load(binary));
        self.binaries.insert(name.to_owned(), loaded);
    }

    /// A binary that has been bound, unless a mistake keeps it from being known.
    pub(super) fn binary(&self, name: &Name) -> Made<Loaded> {
        known(self.binaries.get(&name.text).copied().flatten())
    }

    /// The binaries that steps have used.
    pub(in crate::bind) fn bound_binaries(&self) -> Vec<Binary> {
        let loaded = self.binaries.values().flatten();
        let bound = loaded.filter_map(|loaded| self.stitching.binary(*loaded).ok());
        bound.cloned().collect()
    }
}
