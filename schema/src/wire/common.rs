//! Values of a fixed size on the wire: numbered enums, ids, hashes and coordinates, both ways.

use hallmark_chip::{Architecture, FaultCategory, L1BankOrder, LogicalCore};

use crate::error::{CaptureError, Path, Problem, Rule};
use crate::generated::capture as fb;
use crate::model::{
    ArgumentRelocation, BindingKind, BufferLayout, BufferRegion, BufferType, ContentHash,
    CoreRange, DataFormat, DataMovementProcessor, DataType, DispatchMode, FailureCode, FieldName,
    FieldValue, Grid, MathFidelity, NocId, NocMode, ObjectKind, OptLevel, RelocationCheck,
    RelocationForm, RelocationKind, Shape2D, ShardOrientation, TensorRole, UnpackToDestMode,
};

/// A model value with a fixed-size form in the format.
pub(crate) trait Wire: Sized {
    type Form;

    fn to_wire(&self) -> Self::Form;

    fn from_wire(form: Self::Form, path: &Path<'_>) -> Result<Self, CaptureError>;
}

pub(crate) fn unknown_value(
    path: &Path<'_>,
    enumeration: &'static str,
    number: impl Into<u64>,
) -> CaptureError {
    let number = number.into();
    path.error(Problem::UnknownValue { enumeration, number, known: crate::VERSION })
}

macro_rules! enums {
    ($($name:ident { $($variant:ident),* $(,)? })*) => {$(
        impl Wire for $name {
            type Form = fb::$name;

            fn to_wire(&self) -> fb::$name {
                match self { $(Self::$variant => fb::$name::$variant),* }
            }

            fn from_wire(form: fb::$name, path: &Path<'_>) -> Result<Self, CaptureError> {
                match form {
                    $(fb::$name::$variant => Ok(Self::$variant),)*
                    _ => Err(unknown_value(path, stringify!($name), form.0)),
                }
            }
        }
    )*};
}

enums! {
    Architecture { Grayskull, WormholeB0, Blackhole }
    DispatchMode { Host, Device }
    BufferType { Dram, L1, L1Small }
    BufferLayout { Interleaved, HeightSharded, WidthSharded, BlockSharded }
    ShardOrientation { RowMajor, ColMajor }
    DataMovementProcessor { Riscv0, Riscv1 }
    NocId { Noc0, Noc1 }
    MathFidelity { LoFi, HiFi2, HiFi3, HiFi4 }
    DataFormat {
        Float32, Float16B, Int32, UInt32, UInt16, UInt8, Float16, Tf32, Lf8, Fp8E4M3, Bfp8, Bfp8B, Bfp4, Bfp4B,
        Bfp2, Bfp2B, Int8, RawUInt8, RawUInt16, RawUInt32, Int16, MxFp4,
    }
    UnpackToDestMode { UnpackToDestFp32 }
    BindingKind {
        RuntimeArg, CommonRuntimeArg, CompileArg, DataflowBuffer, Semaphore, Tensor, Scratchpad, NamedValue, Group,
    }
    RelocationCheck { Unchecked, Checked }
    DataType { Uint8, Uint16, Uint32, Int32, Bfloat16, Float32, Int8, Int16, Float16 }
    RelocationKind { BufferAddress, SemaphoreAddress, CoreNocX, CoreNocY, ShardBankPair, ScratchpadAddress }
    TensorRole { Input, Output }
    ObjectKind { Buffer, Program, Kernel, CircularBuffer, Semaphore, Event, Trace }
}

/// A capture without this field means the first mode.
impl Wire for NocMode {
    type Form = fb::NocMode;

    fn to_wire(&self) -> fb::NocMode {
        match self {
            Self::Dedicated => fb::NocMode::Unspecified,
            Self::Dynamic => fb::NocMode::Dynamic,
        }
    }

    fn from_wire(form: fb::NocMode, path: &Path<'_>) -> Result<Self, CaptureError> {
        match form {
            fb::NocMode::Unspecified => Ok(Self::Dedicated),
            fb::NocMode::Dynamic => Ok(Self::Dynamic),
            _ => Err(unknown_value(path, "NocMode", form.0)),
        }
    }
}

/// An absent value means the default of the kernel's kind.
impl Wire for Option<OptLevel> {
    type Form = fb::OptLevel;

    fn to_wire(&self) -> fb::OptLevel {
        match self {
            None => fb::OptLevel::Unspecified,
            Some(OptLevel::O0) => fb::OptLevel::O0,
            Some(OptLevel::O1) => fb::OptLevel::O1,
            Some(OptLevel::O2) => fb::OptLevel::O2,
            Some(OptLevel::O3) => fb::OptLevel::O3,
            Some(OptLevel::Os) => fb::OptLevel::Os,
            Some(OptLevel::Ofast) => fb::OptLevel::Ofast,
            Some(OptLevel::Oz) => fb::OptLevel::Oz,
        }
    }

    fn from_wire(form: fb::OptLevel, path: &Path<'_>) -> Result<Self, CaptureError> {
        match form {
            fb::OptLevel::Unspecified => Ok(None),
            fb::OptLevel::O0 => Ok(Some(OptLevel::O0)),
            fb::OptLevel::O1 => Ok(Some(OptLevel::O1)),
            fb::OptLevel::O2 => Ok(Some(OptLevel::O2)),
            fb::OptLevel::O3 => Ok(Some(OptLevel::O3)),
            fb::OptLevel::Os => Ok(Some(OptLevel::Os)),
            fb::OptLevel::Ofast => Ok(Some(OptLevel::Ofast)),
            fb::OptLevel::Oz => Ok(Some(OptLevel::Oz)),
            _ => Err(unknown_value(path, "OptLevel", form.0)),
        }
    }
}

/// A capture without this field means the first order.
impl Wire for L1BankOrder {
    type Form = fb::L1BankOrder;

    fn to_wire(&self) -> fb::L1BankOrder {
        match self {
            Self::RowByRow => fb::L1BankOrder::Unspecified,
            Self::Shuffled => fb::L1BankOrder::Shuffled,
        }
    }

    fn from_wire(form: fb::L1BankOrder, path: &Path<'_>) -> Result<Self, CaptureError> {
        match form {
            fb::L1BankOrder::Unspecified => Ok(Self::RowByRow),
            fb::L1BankOrder::Shuffled => Ok(Self::Shuffled),
            _ => Err(unknown_value(path, "L1BankOrder", form.0)),
        }
    }
}

impl Wire for FaultCategory {
    type Form = fb::FaultCategory;

    fn to_wire(&self) -> fb::FaultCategory {
        // The number of categories is far below 256; a test compares every number with the schema.
        fb::FaultCategory(self.to_number() as u8)
    }

    fn from_wire(form: fb::FaultCategory, path: &Path<'_>) -> Result<Self, CaptureError> {
        Self::from_number(form.0.into()).ok_or_else(|| unknown_value(path, "FaultCategory", form.0))
    }
}

impl Wire for FailureCode {
    type Form = fb::FailureCode;

    fn to_wire(&self) -> fb::FailureCode {
        fb::FailureCode(self.number())
    }

    fn from_wire(form: fb::FailureCode, path: &Path<'_>) -> Result<Self, CaptureError> {
        let known = Self::ALL.iter().find(|code| code.number() == form.0);
        known.copied().ok_or_else(|| unknown_value(path, "FailureCode", form.0))
    }
}

impl Wire for FieldName {
    type Form = fb::FieldName;

    fn to_wire(&self) -> fb::FieldName {
        fb::FieldName(*self as u16)
    }

    fn from_wire(form: fb::FieldName, path: &Path<'_>) -> Result<Self, CaptureError> {
        let known = Self::ALL.iter().find(|name| **name as u16 == form.0);
        known.copied().ok_or_else(|| unknown_value(path, "FieldName", form.0))
    }
}

impl Wire for ContentHash {
    type Form = fb::ContentHash;

    fn to_wire(&self) -> fb::ContentHash {
        fb::ContentHash(self.0)
    }

    fn from_wire(form: fb::ContentHash, _: &Path<'_>) -> Result<Self, CaptureError> {
        Ok(Self(form.0))
    }
}

impl Wire for Grid {
    type Form = fb::Grid;

    fn to_wire(&self) -> fb::Grid {
        fb::Grid::new(self.columns, self.rows)
    }

    fn from_wire(form: fb::Grid, _: &Path<'_>) -> Result<Self, CaptureError> {
        Ok(Self { columns: form.columns(), rows: form.rows() })
    }
}

impl Wire for CoreRange {
    type Form = fb::CoreRange;

    fn to_wire(&self) -> fb::CoreRange {
        fb::CoreRange::new(self.start.x, self.start.y, self.end.x, self.end.y)
    }

    fn from_wire(form: fb::CoreRange, _: &Path<'_>) -> Result<Self, CaptureError> {
        Ok(Self {
            start: LogicalCore { x: form.start_x(), y: form.start_y() },
            end: LogicalCore { x: form.end_x(), y: form.end_y() },
        })
    }
}

impl Wire for Shape2D {
    type Form = fb::Shape2D;

    fn to_wire(&self) -> fb::Shape2D {
        fb::Shape2D::new(self.height, self.width)
    }

    fn from_wire(form: fb::Shape2D, _: &Path<'_>) -> Result<Self, CaptureError> {
        Ok(Self { height: form.height(), width: form.width() })
    }
}

impl Wire for BufferRegion {
    type Form = fb::BufferRegion;

    fn to_wire(&self) -> fb::BufferRegion {
        fb::BufferRegion::new(self.offset, self.size)
    }

    fn from_wire(form: fb::BufferRegion, _: &Path<'_>) -> Result<Self, CaptureError> {
        Ok(Self { offset: form.offset(), size: form.size() })
    }
}

impl Wire for ArgumentRelocation {
    type Form = fb::ArgumentRelocation;

    fn to_wire(&self) -> fb::ArgumentRelocation {
        let RelocationForm { index, kind, object, offset } = (*self).into();
        fb::ArgumentRelocation::new(index, object, offset, kind.to_wire())
    }

    fn from_wire(form: fb::ArgumentRelocation, path: &Path<'_>) -> Result<Self, CaptureError> {
        let form = RelocationForm {
            index: form.index(),
            kind: RelocationKind::from_wire(form.kind(), &path.field("kind"))?,
            object: form.object(),
            offset: form.offset(),
        };
        form.try_into().map_err(|rule: Rule| path.field("offset").error(rule))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_enums_of_model_and_schema_agree() {
        for code in FailureCode::ALL {
            assert_eq!(code.to_wire().variant_name(), Some(code.name()));
        }
        assert_eq!(FailureCode::ALL.len(), usize::from(fb::FailureCode::ENUM_MAX));
        for name in FieldName::ALL {
            assert_eq!(name.to_wire().variant_name(), Some(format!("{name:?}").as_str()));
        }
        assert_eq!(FieldName::ALL.len(), usize::from(fb::FieldName::ENUM_MAX));
        for category in FaultCategory::ALL {
            assert_eq!(category.to_wire().variant_name(), Some(category.name()));
        }
        assert_eq!(FaultCategory::ALL.len(), usize::from(fb::FaultCategory::ENUM_MAX));
        // Failures hold these values as numbers, independent of the wire's.
        for (kind, form) in [
            (BufferType::Dram, fb::BufferType::Dram),
            (BufferType::L1, fb::BufferType::L1),
            (BufferType::L1Small, fb::BufferType::L1Small),
        ] {
            assert_eq!(kind.to_number(), u64::from(form.0));
        }
        for form in fb::ObjectKind::ENUM_VALUES.iter().skip(1) {
            let kind = ObjectKind::from_number(form.0.into());
            assert_eq!(kind.map(|kind| kind.to_wire()), Some(*form));
        }
    }

    #[test]
    fn commands_are_numbered_as_the_model_lists_them() {
        use crate::model::CommandKind;
        assert_eq!(CommandKind::ALL.len(), usize::from(fb::Command::ENUM_MAX));
        for (kind, form) in CommandKind::ALL.iter().zip(fb::Command::ENUM_VALUES.iter().skip(1)) {
            assert_eq!(form.variant_name(), Some(format!("{kind:?}").as_str()));
        }
    }
}
