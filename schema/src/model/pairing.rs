//! How the call with a vector of cores and a vector of argument vectors records what has no partner: such a
//! call fails, and its capture still says what was asked.

use hallmark_chip::LogicalCore;

use super::{CoreArguments, CoreRange};

/// Ends the ranges of an entry of cores alone: a start beyond its end holds no core, and no call that succeeds
/// has such a range.
const WITHOUT_VECTOR: CoreRange =
    CoreRange { start: LogicalCore { x: 1, y: 1 }, end: LogicalCore { x: 0, y: 0 } };

/// What an entry of argument vectors is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing<'a> {
    /// A vector for some cores.
    Paired,
    /// A vector for which no core was passed.
    VectorAlone,
    /// Cores for which no vector was passed.
    CoresAlone(&'a [CoreRange]),
}

impl CoreArguments {
    /// The entry of cores for which no vector was passed.
    pub fn of_cores_alone(cores: &[LogicalCore]) -> Self {
        let ranges = cores.iter().map(|&core| CoreRange::single(core)).chain([WITHOUT_VECTOR]);
        Self { cores: ranges.collect(), values: Vec::new(), relocations: Vec::new() }
    }

    /// What the entry is for.
    pub fn pairing(&self) -> Pairing<'_> {
        match self.cores.as_slice() {
            [] => Pairing::VectorAlone,
            [cores @ .., WITHOUT_VECTOR] => Pairing::CoresAlone(cores),
            _ => Pairing::Paired,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_says_what_it_is_for() {
        let core = LogicalCore { x: 2, y: 3 };
        let alone = CoreArguments::of_cores_alone(&[core]);
        assert_eq!(alone.pairing(), Pairing::CoresAlone(&[CoreRange::single(core)]));
        // Captures hold it so.
        let [start, end] = [1, 0].map(|both| LogicalCore { x: both, y: both });
        assert_eq!(alone.cores.last(), Some(&CoreRange { start, end }));
        let paired = CoreArguments { cores: vec![CoreRange::single(core)], ..alone };
        assert_eq!(paired.pairing(), Pairing::Paired);
        let vector = CoreArguments { cores: Vec::new(), values: vec![7], ..paired };
        assert_eq!(vector.pairing(), Pairing::VectorAlone);
    }
}
