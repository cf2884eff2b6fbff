//! Loads of the vector unit behind writes of the matrix unit. No hardware holds such a load back: at least three other
//! instructions must be executed in between (`SFPLOAD.md` and `SFPLOADMACRO.md`, "Instruction scheduling").

use super::{Hazard, Overlap, Use};
use crate::registers::{Span, Touched};
use crate::threads::PerThread;
use crate::units::{Unit, Units};

/// As many instructions stand between a write and a load of the same rows, at least.
const BETWEEN: usize = 3;

const SFPLOAD: u32 = 0x70;
const SFPLOADMACRO: u32 = 0x93;

/// The last writes of the matrix unit by thread, from the newest to the oldest.
#[derive(Debug, Default)]
pub(super) struct MatrixWrites(PerThread<[Option<(Use, Span)>; BETWEEN]>);

impl MatrixWrites {
    /// Takes note of a write. `ZEROACC` writes no data, and makes rows undefined instead.
    pub(super) fn note(&mut self, by: Use, touched: Touched) {
        if by.units != Units::of(Unit::Matrix) || touched.rows_written.is_empty() {
            return;
        }
        let [newest, older, _] = *self.0.of(by.thread);
        let write = (Use { writes: true, ..by }, touched.rows_written);
        *self.0.of_mut(by.thread) = [Some(write), newest, older];
    }

    /// Tells of the last write before a load of the same rows, if too few instructions stand between the two.
    pub(super) fn check_load<E>(
        &self,
        load: &Use,
        touched: Touched,
        mut comes_after: impl FnMut(&Overlap) -> Result<(), E>,
    ) -> Result<(), E> {
        if !matches!(load.word >> 24, SFPLOAD | SFPLOADMACRO) {
            return Ok(());
        }
        for (earlier, written) in self.0.of(load.thread).iter().flatten() {
            let between = load.position.saturating_sub(earlier.position).saturating_sub(1);
            if between >= BETWEEN as u64 {
                return Ok(());
            }
            if let Some(rows) = written.common(touched.rows_read) {
                let (earlier, later, hazard) = (*earlier, *load, Hazard::Load { between });
                return comes_after(&Overlap { earlier, unit: Unit::Matrix, later, rows, hazard });
            }
        }
        Ok(())
    }
}
