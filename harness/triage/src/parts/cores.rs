//! Participating cores as parts: programs run only on some of their cores, and both sides run each mixture.
//!
//! The good side also lacks the work of excluded cores, so it runs every mixture. Each buffer is zeroed as soon
//! as it is created, so that no side reads unwritten bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hallmark_chip::LogicalCore;
use hallmark_execution::executor::Executor;
use hallmark_schema::commands::Command;
use hallmark_schema::model::{
    Capture, CommandIndex, CoreRange, ObjectKind, Outcome, ProgramId, QueueId,
};
use hallmark_schema_editing::{Edit, Unit, apply};

use super::{Mixed, Mixture, PartKind};
use crate::defects::{Defect, planted};
use crate::probe::CannotTell;

/// A limit above the number of any chip's cores, because a capture may contain any number.
const MOST_CORES: usize = 4096;

/// Programs on some of their cores.
#[derive(Debug)]
pub struct CoreMixture {
    capture: Arc<Capture>,
    executor: Executor,
    cores: Vec<LogicalCore>,
    programs: BTreeMap<ProgramId, BTreeSet<LogicalCore>>,
}

impl CoreMixture {
    /// The cores of a capture's programs, for an executor.
    pub fn new(capture: Arc<Capture>, executor: Executor) -> Self {
        let mut programs: BTreeMap<ProgramId, BTreeSet<LogicalCore>> = BTreeMap::new();
        for made in &capture.program.commands {
            if let (Command::CreateKernel(call), Outcome::Done) = (&made.command, &made.outcome) {
                let cores = call.cores.iter().flat_map(|range| range.cores().take(MOST_CORES));
                programs.entry(call.program).or_default().extend(cores);
            }
        }
        let cores: BTreeSet<LogicalCore> = programs.values().flatten().copied().collect();
        Self { capture, executor, cores: cores.into_iter().collect(), programs }
    }

    /// Removes every program from the excluded cores, and programs without other cores.
    fn edits(&self, taking_part: &BTreeSet<LogicalCore>) -> Vec<Edit> {
        let of_program = |(&program, cores): (&ProgramId, &BTreeSet<LogicalCore>)| {
            if cores.is_disjoint(taking_part) && !planted(Defect::CoresTakeOtherParts) {
                let unit = Unit::Object { kind: ObjectKind::Program, id: program.0 };
                return vec![Edit::Remove(unit)];
            }
            let left_out: Vec<&LogicalCore> = if planted(Defect::CoresTakeOtherParts) {
                cores.intersection(taking_part).collect()
            } else {
                cores.difference(taking_part).collect()
            };
            let left_out = left_out.into_iter().map(|core| CoreRange::single(*core));
            left_out.map(|cores| Edit::RemoveCores { program, cores }).collect()
        };
        let calls = (0..).map(CommandIndex).zip(&self.capture.program.commands);
        let buffers = calls.filter_map(|(at, made)| match (&made.command, &made.outcome) {
            (Command::CreateBuffer(call), Outcome::Done) => Some((at, call.buffer)),
            _ => None,
        });
        let zeros =
            buffers.map(|(after, buffer)| Edit::InsertWrite { after, queue: QueueId(0), buffer });
        // The suite's or the run's expectations assume all cores.
        [Edit::ExpectAsCaptured]
            .into_iter()
            .chain(zeros.filter(|_| !planted(Defect::BuffersOfCoresNotCleared)))
            .chain(self.programs.iter().flat_map(of_program))
            .collect()
    }
}

impl Mixture for CoreMixture {
    fn kind(&self) -> PartKind {
        PartKind::Cores
    }

    fn parts(&self) -> Vec<String> {
        self.cores.iter().map(ToString::to_string).collect()
    }

    fn equal_parts(&self) -> usize {
        0
    }

    fn with(&self, bad: &[usize]) -> Result<Mixed, CannotTell> {
        let taking_part = bad.iter().filter_map(|number| self.cores.get(*number)).copied();
        let edits = self.edits(&taking_part.collect());
        let capture = Arc::new(apply(&edits, &self.capture).capture);
        Ok(Mixed { capture, executor: self.executor.clone() })
    }
}
