//! Descriptions of impossible devices and of possible devices at the limits.

use hallmark_chip::{Architecture, ChipDescription, HarvestingError, HarvestingMask};

/// The number of rows or columns that may be fused off.
fn places(architecture: Architecture) -> u32 {
    let chip = ChipDescription::of(architecture);
    let places = if chip.harvests_rows { chip.tensix_rows } else { chip.tensix_columns };
    places.len() as u32
}

fn harvested(architecture: Architecture, mask: u32) -> Result<(), HarvestingError> {
    ChipDescription::harvested(architecture, HarvestingMask(mask)).map(|_| ())
}

#[test]
fn a_mask_has_a_bit_for_each_row_or_column() {
    for architecture in Architecture::ALL {
        let places = places(architecture);
        harvested(architecture, 1 << (places - 1)).unwrap();
        let error = harvested(architecture, 1 << places).unwrap_err();
        assert!(matches!(error, HarvestingError::OutOfRange { .. }), "{error}");
    }
}

#[test]
fn a_mask_leaves_two_rows_or_columns() {
    for architecture in Architecture::ALL {
        let all = (1 << places(architecture)) - 1;
        harvested(architecture, all & !0b11).unwrap();
        let error = harvested(architecture, all & !0b1).unwrap_err();
        assert!(matches!(error, HarvestingError::TooFewLeft { left: 1, .. }), "{error}");
    }
}
