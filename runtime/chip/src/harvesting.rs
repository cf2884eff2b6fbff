//! Chips with rows or columns of Tensix tiles fused off.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use crate::defects::{Defect, planted};
use crate::{Architecture, ChipDescription};

/// Which rows (Grayskull, Wormhole) or columns (Blackhole) of Tensix tiles are fused off.
///
/// Bit i is the i-th row or column with Tensix tiles, in the order of NoC 0: on Wormhole bit 0 is y 1, bit 4 is
/// y 5, bit 5 is y 7. This is tt-umd's `tensix_harvesting_mask`. Fuses and telemetry count in the order on the
/// die instead; see [`HarvestingMask::of_die`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HarvestingMask(pub u32);

/// The fewest rows or columns of a usable chip: one for programs and one reserved for dispatch.
const LEFT: u32 = 2;

impl HarvestingMask {
    /// The mask of an unharvested chip.
    pub const NONE: Self = Self(0);

    /// Whether nothing is fused off.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether the `index`-th row or column is fused off.
    pub fn holds(self, index: usize) -> bool {
        u32::try_from(index).is_ok_and(|index| self.0.checked_shr(index).unwrap_or(0) & 1 == 1)
    }

    /// The mask for a bit set that counts in the order on the die: tt-umd's
    /// `tensix_harvesting_physical_layout`, and the order of a chip's telemetry.
    ///
    /// # Errors
    /// [`HarvestingError::OutOfRange`] for bits beyond the last row or column.
    pub fn of_die(architecture: Architecture, bits: u32) -> Result<Self, HarvestingError> {
        let chip = ChipDescription::of(architecture);
        let harvestable = chip.harvestable();
        check_range(chip, bits)?;
        let places = chip.harvestable_on_die.iter().enumerate();
        let off = places.filter(|(bit, _)| Self(bits).holds(*bit)).filter_map(|(_, place)| {
            harvestable.iter().position(|harvestable| harvestable == place)
        });
        Ok(Self(off.fold(0, |mask, index| mask | 1 << index)))
    }
}

impl fmt::Display for HarvestingMask {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:#x}", self.0)
    }
}

/// The text is not a mask.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a harvesting mask; write the mask in hexadecimal digits, such as 0x3")]
pub struct ParseHarvestingMaskError {
    text: String,
}

impl FromStr for HarvestingMask {
    type Err = ParseHarvestingMaskError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.strip_prefix("0x")
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .map(Self)
            .ok_or_else(|| ParseHarvestingMaskError { text: text.to_owned() })
    }
}

/// A mask that no chip can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HarvestingError {
    /// The mask has bits beyond the last row or column.
    #[error(
        "harvesting mask {mask} of {architecture} has bits above {highest}: a bit stands for each of its \
         {count} {what} of Tensix tiles, the lowest for the first"
    )]
    OutOfRange {
        /// The architecture.
        architecture: Architecture,
        /// The invalid mask.
        mask: HarvestingMask,
        /// The greatest mask.
        highest: HarvestingMask,
        /// The number of rows or columns.
        count: u32,
        /// `rows` or `columns`.
        what: &'static str,
    },
    /// The mask leaves too few rows or columns for programs and dispatch.
    #[error(
        "harvesting mask {mask} leaves {left} of {count} {what} of a {architecture}; at least {LEFT} are \
         needed, as the last one is reserved for dispatch"
    )]
    TooFewLeft {
        /// The architecture.
        architecture: Architecture,
        /// The invalid mask.
        mask: HarvestingMask,
        /// The remaining rows or columns.
        left: u32,
        /// The number of rows or columns of an unharvested chip.
        count: u32,
        /// `rows` or `columns`.
        what: &'static str,
    },
}

crate::error_checks! { HarvestingError: OutOfRange, TooFewLeft; besides: }

fn check_range(chip: &ChipDescription, bits: u32) -> Result<(), HarvestingError> {
    let count = chip.harvestable().len() as u32;
    let highest = HarvestingMask(1_u32.checked_shl(count).map_or(u32::MAX, |above| above - 1));
    if bits & !highest.0 == 0 {
        return Ok(());
    }
    HarvestingError::OutOfRange {
        architecture: chip.architecture,
        mask: HarvestingMask(bits),
        highest,
        count,
        what: chip.harvested_what(),
    }
    .refuse()
}

/// The descriptions of all harvested chips requested so far; at most one per mask.
static HARVESTED: Mutex<BTreeMap<(Architecture, HarvestingMask), &'static ChipDescription>> =
    Mutex::new(BTreeMap::new());

impl ChipDescription {
    /// The description of a chip with some rows or columns fused off.
    ///
    /// Logical cores count the remaining rows and columns. Translated coordinates name the remaining ones first
    /// and the harvested ones last, as the chips' firmware configures them (WormholeB0/NoC/Coordinates.md;
    /// tt-zephyr-platforms `ComputeNocTranslation`). Without translation (Grayskull) tiles keep their
    /// coordinates.
    ///
    /// # Errors
    /// [`HarvestingError`] if no chip can have this mask.
    pub fn harvested(
        architecture: Architecture,
        mask: HarvestingMask,
    ) -> Result<&'static Self, HarvestingError> {
        let whole = Self::of(architecture);
        check_range(whole, mask.0)?;
        let count = whole.harvestable().len() as u32;
        let left = count.saturating_sub(mask.0.count_ones());
        if left < LEFT {
            let what = whole.harvested_what();
            HarvestingError::TooFewLeft { architecture, mask, left, count, what }.refuse()?;
        }
        if mask.is_none() {
            return Ok(whole);
        }
        let mut known = HARVESTED.lock().unwrap_or_else(PoisonError::into_inner);
        let place = known.entry((architecture, mask));
        Ok(*place.or_insert_with(|| Box::leak(Box::new(whole.without(mask)))))
    }

    /// The positions of the harvestable rows or columns, in the order of the mask's bits.
    const fn harvestable(&self) -> &'static [u8] {
        let whole = Self::of(self.architecture);
        if whole.harvests_rows { whole.tensix_rows } else { whole.tensix_columns }
    }

    /// `rows` or `columns`, whichever the chip harvests, for people.
    pub const fn harvested_what(&self) -> &'static str {
        if self.harvests_rows { "rows" } else { "columns" }
    }

    /// The harvested rows or columns, with a bit for each in the order on the die: the inverse of
    /// [`HarvestingMask::of_die`].
    pub fn harvested_on_die(&self) -> u32 {
        let places = (0..).zip(self.harvestable_on_die);
        let off = places.filter(|(_, place)| self.harvested.contains(place));
        off.fold(0, |off, (bit, _)| off | 1 << bit)
    }

    /// The remaining rows or columns, with a bit for each in the order on the die.
    pub fn enabled_on_die(&self) -> u32 {
        let all = (0..).zip(self.harvestable_on_die).fold(0, |all, (bit, _)| all | 1 << bit);
        all & !self.harvested_on_die()
    }

    /// Whether a physical coordinate is that of a harvested Tensix tile.
    pub fn is_harvested(&self, tile: crate::PhysicalCoordinate) -> bool {
        if self.harvests_rows {
            self.harvested.contains(&tile.y) && self.tensix_columns.contains(&tile.x)
        } else {
            self.harvested.contains(&tile.x) && self.tensix_rows.contains(&tile.y)
        }
    }

    /// This unharvested chip without the rows or columns of a valid mask.
    fn without(&self, mask: HarvestingMask) -> Self {
        let places = self.harvestable();
        let names = if self.harvests_rows { self.row_names } else { self.column_names };
        let (mut left, mut left_names, mut off) = (Vec::new(), Vec::new(), Vec::new());
        for (index, (&place, &name)) in places.iter().zip(names).enumerate() {
            if mask.holds(index) {
                off.push(place);
            } else {
                left.push(place);
                left_names.push(name);
            }
        }
        if self.harvested_from_the_last {
            // In the order on the die, from the last number downwards.
            off.sort_by_key(|place| self.harvestable_on_die.iter().position(|it| it == place));
            off.reverse();
        }
        let translated =
            if self.harvests_rows { self.translated_rows } else { self.translated_columns };
        let translated = if self.noc.translation.is_some() {
            // The remaining ones come first, so they take the first coordinates.
            left_names = names.iter().copied().take(left.len()).collect();
            let others = translated.iter().copied().filter(|(name, _)| !names.contains(name));
            let standing = if planted(Defect::TranslationIgnoresHarvesting) {
                places.to_vec()
            } else {
                left.iter().chain(&off).copied().collect()
            };
            let mut all: Vec<(u8, u8)> =
                others.chain(names.iter().copied().zip(standing)).collect();
            all.sort_unstable();
            all
        } else {
            translated.to_vec()
        };
        let mut chip = Self { harvesting: mask, harvested: leak(off), ..*self };
        let (standing, named, translation) = (leak(left), leak(left_names), leak(translated));
        if chip.harvests_rows {
            (chip.tensix_rows, chip.row_names, chip.translated_rows) =
                (standing, named, translation);
        } else {
            (chip.tensix_columns, chip.column_names, chip.translated_columns) =
                (standing, named, translation);
        }
        chip
    }
}

/// Leaks a list for the life of the process: the number of chips is small.
fn leak<T>(list: Vec<T>) -> &'static [T] {
    Box::leak(list.into_boxed_slice())
}
