//! TT-Metalium's numbers for the enums of a capture.

use hallmark_chip::Architecture;
use hallmark_schema::model::{
    BufferLayout, BufferType, DataFormat, MathFidelity, OptLevel, UnpackToDestMode,
};

/// An enum of upstream's: its number for each value of a capture.
macro_rules! vendor_enum {
    (
        $(#[$documentation:meta])*
        $table:ident of $type:ident { $($variant:ident => $name:literal),* $(,)? }
        others { $($(#[$other_documentation:meta])* $other:ident => $other_name:literal),* $(,)? }
    ) => {
        $(#[$documentation])*
        #[expect(non_snake_case, reason = "the fields have the names of the variants")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $table {
            $(#[serde(rename = $name)] $variant: u32,)*
            $(#[serde(rename = $other_name)] $(#[$other_documentation])* pub $other: u32,)*
        }

        impl $table {
            /// The number of a value.
            pub const fn number(&self, value: $type) -> u32 {
                match value {
                    $($type::$variant => self.$variant,)*
                }
            }

            /// The value with a number; `None` if captures have none.
            pub fn value(&self, number: u32) -> Option<$type> {
                [$((self.$variant, $type::$variant)),*]
                    .into_iter()
                    .find_map(|(known, value)| (known == number).then_some(value))
            }

            fn named(&self) -> Vec<(&'static str, u32)> {
                vec![$(($name, self.$variant),)* $(($other_name, self.$other),)*]
            }
        }
    };
}

vendor_enum! {
    /// `BufferType`.
    BufferTypes of BufferType { Dram => "DRAM", L1 => "L1", L1Small => "L1_SMALL" }
    others {
        /// Host memory, which captures do not have.
        system_memory => "SYSTEM_MEMORY",
        /// Traces, which are not buffers of a program.
        trace => "TRACE",
    }
}

vendor_enum! {
    /// `TensorMemoryLayout`.
    Layouts of BufferLayout {
        Interleaved => "INTERLEAVED", HeightSharded => "HEIGHT_SHARDED",
        WidthSharded => "WIDTH_SHARDED", BlockSharded => "BLOCK_SHARDED",
    }
    others {}
}

vendor_enum! {
    /// `MathFidelity`.
    MathFidelities of MathFidelity {
        LoFi => "LoFi", HiFi2 => "HiFi2", HiFi3 => "HiFi3", HiFi4 => "HiFi4",
    }
    others {}
}

vendor_enum! {
    /// `KernelBuildOptLevel`.
    OptLevels of OptLevel {
        O1 => "O1", O2 => "O2", O3 => "O3", O0 => "O0", Os => "Os", Ofast => "Ofast", Oz => "Oz",
    }
    others {}
}

vendor_enum! {
    /// `UnpackToDestMode`.
    UnpackToDestModes of UnpackToDestMode { UnpackToDestFp32 => "UnpackToDestFp32" }
    others {
        /// The mode of circular buffers that a capture does not name.
        default_mode => "Default",
    }
}

vendor_enum! {
    /// `tt::DataFormat`.
    DataFormats of DataFormat {
        Float32 => "Float32", Float16 => "Float16", Bfp8 => "Bfp8", Bfp4 => "Bfp4", Tf32 => "Tf32",
        Float16B => "Float16_b", Bfp8B => "Bfp8_b", Bfp4B => "Bfp4_b", Int32 => "Int32",
        UInt16 => "UInt16", Lf8 => "Lf8", Bfp2 => "Bfp2", Int16 => "Int16", Int8 => "Int8",
        Bfp2B => "Bfp2_b", MxFp4 => "MxFp4", UInt32 => "UInt32", Fp8E4M3 => "Fp8_e4m3",
        UInt8 => "UInt8", RawUInt8 => "RawUInt8", RawUInt16 => "RawUInt16",
        RawUInt32 => "RawUInt32",
    }
    others {}
}

/// `tt::ARCH`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Architectures {
    #[serde(rename = "WORMHOLE_B0")]
    wormhole_b0: u32,
    #[serde(rename = "BLACKHOLE")]
    blackhole: u32,
}

impl Architectures {
    /// The architecture with a number.
    pub fn value(&self, number: u32) -> Option<Architecture> {
        let known = [
            (self.wormhole_b0, Architecture::WormholeB0),
            (self.blackhole, Architecture::Blackhole),
        ];
        known.into_iter().find_map(|(known, value)| (known == number).then_some(value))
    }

    fn named(&self) -> Vec<(&'static str, u32)> {
        vec![("WORMHOLE_B0", self.wormhole_b0), ("BLACKHOLE", self.blackhole)]
    }
}

/// The numbers of a release's enums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
pub struct Numbers {
    /// `BufferType`.
    pub buffer_type: BufferTypes,
    /// `TensorMemoryLayout`.
    #[serde(rename = "TensorMemoryLayout")]
    pub layout: Layouts,
    /// `MathFidelity`.
    pub math_fidelity: MathFidelities,
    /// `KernelBuildOptLevel`.
    #[serde(rename = "KernelBuildOptLevel")]
    pub opt_level: OptLevels,
    /// `UnpackToDestMode`.
    pub unpack_to_dest_mode: UnpackToDestModes,
    /// `tt::DataFormat`.
    pub data_format: DataFormats,
    /// `tt::ARCH`.
    #[serde(rename = "ARCH")]
    pub architecture: Architectures,
}

impl Numbers {
    /// The enums with their names, for C++.
    pub(super) fn enums(&self) -> [(&'static str, Vec<(&'static str, u32)>); 7] {
        [
            ("BufferType", self.buffer_type.named()),
            ("TensorMemoryLayout", self.layout.named()),
            ("MathFidelity", self.math_fidelity.named()),
            ("KernelBuildOptLevel", self.opt_level.named()),
            ("UnpackToDestMode", self.unpack_to_dest_mode.named()),
            ("DataFormat", self.data_format.named()),
            ("ARCH", self.architecture.named()),
        ]
    }
}
