//! Unpaired cores and argument vectors of the call with a vector of each. Such a call fails, and its capture
//! still records all its arguments.

use hallmark_chip::LogicalCore;

use super::{CoreArguments, CoreRange};

/// The last range of an entry that has cores but no vector. Its start lies beyond its end, so it contains no
/// core, and no successful call has such a range.
const WITHOUT_VECTOR: CoreRange =
    CoreRange { start: LogicalCore { x: 1, y: 1 }, end: LogicalCore { x: 0, y: 0 } };

/// The content of an entry of argument vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing<'a> {
    /// A vector for these cores.
    Paired,
    /// A vector without a core.
    VectorAlone,
    /// Cores without a vector.
    CoresAlone(&'a [CoreRange]),
}

impl CoreArguments {
    /// The entry for cores without a vector.
    pub fn of_cores_alone(cores: &[LogicalCore]) -> Self {
        let ranges = cores.iter().map(|&core| CoreRange::single(core)).chain([WITHOUT_VECTOR]);
        Self { cores: ranges.collect(), values: Vec::new(), relocations: Vec::new() }
    }

    /// The content of the entry.
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
        // Captures hold the marker in this form.
        let [start, end] = [1, 0].map(|both| LogicalCore { x: both, y: both });
        assert_eq!(alone.cores.last(), Some(&CoreRange { start, end }));
        let paired = CoreArguments { cores: vec![CoreRange::single(core)], ..alone };
        assert_eq!(paired.pairing(), Pairing::Paired);
        let vector = CoreArguments { cores: Vec::new(), values: vec![7], ..paired };
        assert_eq!(vector.pairing(), Pairing::VectorAlone);
    }
}
