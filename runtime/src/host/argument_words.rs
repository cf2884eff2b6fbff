//! Argument words of a kernel, some of which the runtime fills in.

use hallmark_chip::LogicalCore;
use hallmark_device_code::promises;
use hallmark_schema::model::{ArgumentRelocation, Failure};

use crate::defects::{Defect, planted};

/// Argument words, some of which the runtime fills in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ArgumentWords {
    pub(crate) values: Vec<u32>,
    /// Ascending by index.
    pub(crate) relocations: Vec<ArgumentRelocation>,
}

impl ArgumentWords {
    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.values.len()).unwrap_or(u32::MAX)
    }

    /// Puts other words from `first` on, which must lie within these.
    pub(crate) fn replace(&mut self, first: u32, other: Self) {
        let end = first.saturating_add(other.count());
        let place = first as usize..end as usize;
        if let Some(words) = self.values.get_mut(place) {
            words.copy_from_slice(&other.values);
        }
        self.relocations.retain(|kept| kept.index < first || kept.index >= end);
        self.relocations.extend(other.relocations.into_iter().map(|relocation| {
            ArgumentRelocation { index: relocation.index.saturating_add(first), ..relocation }
        }));
        self.relocations.sort_unstable_by_key(|relocation| relocation.index);
    }
}

/// Refuses more words than a core may have, its own and common ones.
pub(super) fn check_count(count: u32, core: LogicalCore) -> Result<(), Failure> {
    let limit = promises::RUNTIME_ARGUMENTS + u32::from(planted(Defect::OneArgumentTooMany));
    if count > limit { Err(Failure::TooManyRuntimeArgs { count, limit, core }) } else { Ok(()) }
}

/// Refuses scratchpads where an argument cannot make one.
pub(super) fn no_scratchpads(relocations: &[ArgumentRelocation]) -> Result<(), Failure> {
    refuse_scratchpads(relocations.iter().filter_map(ArgumentRelocation::scratchpad))
}

/// Refuses scratchpads, each the index of its argument and its bytes.
pub(super) fn refuse_scratchpads(
    mut refused: impl Iterator<Item = (u32, u32)>,
) -> Result<(), Failure> {
    refused.next().map_or(Ok(()), |(index, size)| Err(Failure::ScratchpadInvalid { index, size }))
}

#[cfg(test)]
mod tests {
    use hallmark_schema::model::{BufferId, RelocatedArgument};

    use super::*;

    fn buffer_at(index: u32, id: u32) -> ArgumentRelocation {
        let argument = RelocatedArgument::BufferAddress { buffer: BufferId(id), offset: 0 };
        ArgumentRelocation { index, argument }
    }

    #[test]
    fn an_update_changes_its_words_and_what_they_stand_for() {
        let mut words = ArgumentWords {
            values: vec![1, 0, 0, 4, 0],
            relocations: vec![buffer_at(1, 7), buffer_at(2, 8), buffer_at(4, 9)],
        };
        words.replace(2, ArgumentWords { values: vec![30, 0], relocations: vec![buffer_at(1, 5)] });
        let relocations = vec![buffer_at(1, 7), buffer_at(3, 5), buffer_at(4, 9)];
        assert_eq!(words, ArgumentWords { values: vec![1, 0, 30, 0, 0], relocations });
    }
}
