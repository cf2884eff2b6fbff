//! Values that stand in steps: cores, arguments, data.

use std::borrow::Cow;

use hallmark_schema::model::{
    BindingKind, BufferLayout, BufferType, DataFormat, DataMovementProcessor, DataType,
    MathFidelity, NocId, NocMode, OptLevel, ShardOrientation, UnpackToDestMode,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::mistake::{Mistakes, Span};
use crate::node::{Node, Value};
use crate::read::{Name, Number, Read, Setting, alternatives, choices, map_type};

choices! {
    BufferType, "buffer type":
        "dram" => Self::Dram, "l1" => Self::L1, "l1_small" => Self::L1Small;
    BufferLayout, "buffer layout":
        "interleaved" => Self::Interleaved, "height_sharded" => Self::HeightSharded,
        "width_sharded" => Self::WidthSharded, "block_sharded" => Self::BlockSharded;
    ShardOrientation, "shard orientation":
        "row_major" => Self::RowMajor, "col_major" => Self::ColMajor;
    DataMovementProcessor, "processor": "riscv_0" => Self::Riscv0, "riscv_1" => Self::Riscv1;
    NocId, "NoC": "noc_0" => Self::Noc0, "noc_1" => Self::Noc1;
    NocMode, "NoC mode": "dedicated" => Self::Dedicated, "dynamic" => Self::Dynamic;
    OptLevel, "optimization level":
        "o0" => Self::O0, "o1" => Self::O1, "o2" => Self::O2, "o3" => Self::O3, "os" => Self::Os,
        "ofast" => Self::Ofast, "oz" => Self::Oz;
    BindingKind, "kind of name":
        "runtime_arg" => Self::RuntimeArg, "common_runtime_arg" => Self::CommonRuntimeArg,
        "compile_arg" => Self::CompileArg, "dataflow_buffer" => Self::DataflowBuffer,
        "semaphore" => Self::Semaphore, "tensor" => Self::Tensor, "scratchpad" => Self::Scratchpad,
        "named_value" => Self::NamedValue, "group" => Self::Group;
    UnpackToDestMode, "way to unpack": "unpack_to_dest_fp32" => Self::UnpackToDestFp32;
    MathFidelity, "math fidelity":
        "lo_fi" => Self::LoFi, "hifi2" => Self::HiFi2, "hifi3" => Self::HiFi3, "hifi4" => Self::HiFi4;
    DataFormat, "data format", also called "bfloat16" => "float16_b":
        "float32" => Self::Float32, "float16_b" => Self::Float16B, "int32" => Self::Int32,
        "uint32" => Self::UInt32, "uint16" => Self::UInt16, "uint8" => Self::UInt8,
        "float16" => Self::Float16, "tf32" => Self::Tf32, "lf8" => Self::Lf8,
        "fp8_e4m3" => Self::Fp8E4M3, "bfp8" => Self::Bfp8, "bfp8_b" => Self::Bfp8B,
        "bfp4" => Self::Bfp4, "bfp4_b" => Self::Bfp4B, "bfp2" => Self::Bfp2,
        "bfp2_b" => Self::Bfp2B, "int8" => Self::Int8, "raw_uint8" => Self::RawUInt8,
        "raw_uint16" => Self::RawUInt16, "raw_uint32" => Self::RawUInt32, "int16" => Self::Int16,
        "mx_fp4" => Self::MxFp4;
    DataType, "data type", also called "float16_b" => "bfloat16":
        "uint8" => Self::Uint8, "uint16" => Self::Uint16, "uint32" => Self::Uint32,
        "int32" => Self::Int32, "bfloat16" => Self::Bfloat16, "float32" => Self::Float32,
        "int8" => Self::Int8, "int16" => Self::Int16, "float16" => Self::Float16;
}

/// A corner of a range.
pub type CoreNumbers = [Number; 2];

/// Both corners of a range, the ends included.
#[derive(Clone, Debug)]
pub struct NumberRange {
    /// The corner with the smaller coordinates.
    pub start: CoreNumbers,
    /// The opposite corner.
    pub end: CoreNumbers,
}

/// Logical cores: `[x, y]`, a range `[[x, y], [x, y]]`, a list of ranges, or `all`.
#[derive(Clone, Debug)]
pub struct Cores {
    /// Where it stands.
    pub span: Span,
    /// The cores, in one of the forms of a suite.
    pub form: CoresForm,
}

/// The ways to name cores.
#[derive(Clone, Debug)]
pub enum CoresForm {
    /// The whole compute grid.
    All,
    /// Rectangles of cores, each named by two corners.
    Ranges(Vec<NumberRange>),
}

const CORES_HELP: &str = "a core [x, y], a range [[x, y], [x, y]], a list of ranges, or `all`";

impl Read for Cores {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        let form = match &node.value {
            Value::Text(text) if text == "all" => CoresForm::All,
            Value::List(nodes) => match nodes.as_slice() {
                [] => CoresForm::Ranges(Vec::new()),
                [x, y] if !is_list(x) && !is_list(y) => {
                    let core = [Number::read(x, mistakes)?, Number::read(y, mistakes)?];
                    CoresForm::Ranges(vec![NumberRange { start: core.clone(), end: core }])
                }
                [start, end] if is_core(start) && is_core(end) => {
                    CoresForm::Ranges(vec![range(start, end, mistakes)?])
                }
                ranges => CoresForm::Ranges(
                    ranges
                        .iter()
                        .map(|node| match &node.value {
                            Value::List(corners) => match corners.as_slice() {
                                [start, end] if is_core(start) && is_core(end) => {
                                    range(start, end, mistakes)
                                }
                                [x, y] if !is_list(x) && !is_list(y) => range(node, node, mistakes),
                                _ => mistakes.add(
                                    "this is not a range of cores",
                                    node.span,
                                    CORES_HELP,
                                ),
                            },
                            _ => {
                                mistakes.add("this is not a range of cores", node.span, CORES_HELP)
                            }
                        })
                        .collect::<Option<_>>()?,
                ),
            },
            _ => {
                return mistakes.add(
                    format!("expected cores, found {}", node.kind()),
                    node.span,
                    CORES_HELP,
                );
            }
        };
        Some(Self { span: node.span, form })
    }
}

const fn is_list(node: &Node) -> bool {
    matches!(node.value, Value::List(_))
}

fn is_core(node: &Node) -> bool {
    matches!(&node.value, Value::List(nodes) if matches!(nodes.as_slice(), [x, y] if !is_list(x) && !is_list(y)))
}

fn range(start: &Node, end: &Node, mistakes: &mut Mistakes) -> Option<NumberRange> {
    let start = <CoreNumbers>::read(start, mistakes);
    let end = <CoreNumbers>::read(end, mistakes);
    Some(NumberRange { start: start?, end: end? })
}

impl Read for CoreNumbers {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        match &node.value {
            Value::List(nodes) => match nodes.as_slice() {
                [x, y] => {
                    let (x, y) = (Number::read(x, mistakes), Number::read(y, mistakes));
                    Some([x?, y?])
                }
                _ => mistakes.add("a core has two coordinates", node.span, "[x, y]"),
            },
            _ => {
                mistakes.add(format!("expected a core, found {}", node.kind()), node.span, "[x, y]")
            }
        }
    }
}

/// Rows and columns, `[height, width]`.
#[derive(Clone, Debug)]
pub struct ShapeNumbers {
    /// Rows of the rectangle.
    pub height: Number,
    /// Columns of the rectangle.
    pub width: Number,
}

impl Read for ShapeNumbers {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        match &node.value {
            Value::List(nodes) => match nodes.as_slice() {
                [height, width] => {
                    let (height, width) =
                        (Number::read(height, mistakes), Number::read(width, mistakes));
                    Some(Self { height: height?, width: width? })
                }
                _ => mistakes.add("a shape has two sides", node.span, "[height, width]"),
            },
            _ => mistakes.add(
                format!("expected a shape, found {}", node.kind()),
                node.span,
                "[height, width]",
            ),
        }
    }
}

impl JsonSchema for ShapeNumbers {
    fn schema_name() -> Cow<'static, str> {
        "Shape".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let number = generator.subschema_for::<Number>();
        json_schema!({
            "description": "Rows and columns, `[height, width]`.",
            "type": "array", "items": number, "minItems": 2, "maxItems": 2,
        })
    }
}

impl JsonSchema for Cores {
    fn schema_name() -> Cow<'static, str> {
        "Cores".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Logical cores: `[x, y]`, a range `[[x, y], [x, y]]` with both ends, a list of ranges, or `all` for the compute grid.",
            "anyOf": [{ "const": "all" }, { "type": "array" }],
        })
    }
}

map_type! {
    /// The bank-relative address of a buffer.
    BufferArgument, "a buffer's address" {
        /// The buffer whose address the word is.
        buffer: Name,
        /// Bytes added to the address. Default 0.
        offset: Option<Number>,
    }
}
map_type! {
    /// The common runtime arguments of a `TensorAccessor` for a buffer. For a sharded buffer they hold the
    /// coordinates of its banks, two banks to a word. An interleaved buffer has none.
    AccessorRuntimeArgument, "an accessor's runtime arguments" {
        /// The buffer that the accessor reads and writes.
        accessor: Name,
    }
}
map_type! {
    /// One word of the coordinates of a sharded buffer's banks.
    ShardBankPairArgument, "the banks of two shards" {
        /// The sharded buffer.
        shard_bank_pair: Name,
        /// Which pair: the banks of the shards `2 * index` and `2 * index + 1`.
        index: Number,
    }
}
map_type! {
    /// The number by which the kernel asks for a semaphore (`get_semaphore`).
    SemaphoreArgument, "a semaphore's number" {
        /// The semaphore whose number the word is.
        semaphore: Name,
    }
}
map_type! {
    /// The address of a global semaphore, which is the same on each of its cores.
    GlobalSemaphoreArgument, "a global semaphore's address" {
        /// The global semaphore whose address the word is.
        global_semaphore: Name,
    }
}
map_type! {
    /// The L1 address of a semaphore.
    SemaphoreAddressArgument, "a semaphore's address" {
        /// The semaphore whose address the word is.
        semaphore_address: Name,
        /// Bytes added to the address. Default 0.
        offset: Option<Number>,
    }
}
map_type! {
    /// The L1 address of a scratchpad: memory of the kernel's own on each of its cores, at the same address. Only a
    /// common argument makes one (`set_common_runtime_args`).
    ScratchpadArgument, "a scratchpad's address" {
        /// Bytes of the scratchpad on each core.
        scratchpad: Number,
    }
}
map_type! {
    /// The x coordinate by which NoC requests name a core.
    NocXArgument, "a core's NoC x" {
        /// The logical core, `[x, y]`.
        noc_x: CoreNumbers,
    }
}
map_type! {
    /// The y coordinate by which NoC requests name a core.
    NocYArgument, "a core's NoC y" {
        /// The logical core, `[x, y]`.
        noc_y: CoreNumbers,
    }
}
alternatives! {
    /// An argument that the runtime fills in.
    PlacedArgument, "an argument" {
        /// A buffer's address.
        "buffer" => Buffer(BufferArgument),
        /// A semaphore's number.
        "semaphore" => Semaphore(SemaphoreArgument),
        /// A semaphore's address.
        "semaphore_address" => SemaphoreAddress(SemaphoreAddressArgument),
        /// A global semaphore's address.
        "global_semaphore" => GlobalSemaphore(GlobalSemaphoreArgument),
        /// The banks of two shards.
        "shard_bank_pair" => ShardBankPair(ShardBankPairArgument),
        /// The address of a scratchpad, which the argument makes.
        "scratchpad" => Scratchpad(ScratchpadArgument),
        /// A core's x coordinate on the NoC.
        "noc_x" => NocX(NocXArgument),
        /// A core's y coordinate on the NoC.
        "noc_y" => NocY(NocYArgument),
    }
}
map_type! {
    /// The compile-time arguments of a `TensorAccessor` for a buffer.
    AccessorArgument, "an accessor" {
        /// The buffer that the accessor reads and writes.
        accessor: Name,
    }
}
alternatives! {
    /// A compile-time argument that is not a plain number.
    PlacedCompileArgument, "a compile-time argument" {
        /// What a `TensorAccessor` needs to know of a buffer; takes several words.
        "accessor" => Accessor(AccessorArgument),
        /// A semaphore's number.
        "semaphore" => Semaphore(SemaphoreArgument),
    }
}

map_type! {
    /// Many words in a row: `start`, `start + step`, `start + 2 * step`, …, modulo 2^32.
    SequenceArgument, "a sequence of words" {
        /// How many words there are.
        sequence: Number,
        /// The first word. Default 0.
        start: Option<Number>,
        /// The difference from one word to the next. Default 1.
        step: Option<Number>,
    }
}

/// An argument word: a number, an expression, or something that the runtime fills in; or many words.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged)]
pub enum Argument {
    /// A number or an expression.
    Number(Number),
    /// Filled in by the runtime.
    Placed(PlacedArgument),
    /// Words that follow from the first by a step.
    Sequence(SequenceArgument),
    /// The words of an accessor.
    Accessor(AccessorRuntimeArgument),
}

/// A compile-time argument: a number, an expression, or a map.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged)]
pub enum CompileArgument {
    /// A number or an expression.
    Number(Number),
    /// Words that describe an object.
    Placed(PlacedCompileArgument),
}

impl Read for Argument {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        match node.value {
            Value::Map(_) if node.get("sequence").is_some() => {
                SequenceArgument::read(node, mistakes).map(Self::Sequence)
            }
            Value::Map(_) if node.get("accessor").is_some() => {
                AccessorRuntimeArgument::read(node, mistakes).map(Self::Accessor)
            }
            Value::Map(_) => PlacedArgument::read(node, mistakes).map(Self::Placed),
            _ => Number::read(node, mistakes).map(Self::Number),
        }
    }
}

impl Read for CompileArgument {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        match node.value {
            Value::Map(_) => PlacedCompileArgument::read(node, mistakes).map(Self::Placed),
            _ => Number::read(node, mistakes).map(Self::Number),
        }
    }
}

map_type! {
    /// Seeded uniform values. Without `min` and `max`, integers take all their bits and floating-point
    /// values lie in [0, 1).
    UniformData, "uniform data" {
        /// The type of the elements.
        uniform: Setting<DataType>,
        /// The seed, which determines all elements.
        seed: Number,
        /// The smallest value, which may be a fraction for floating-point types. Needs `max`.
        min: Option<Number>,
        /// The largest value. Needs `min`.
        max: Option<Number>,
        /// Bytes. Default: the size of the buffer that it is written to.
        length: Option<Number>,
    }
}
map_type! {
    /// Seeded values with a bell-shaped distribution, none more than six deviations from the mean.
    /// Integers are rounded and stop at the ends of their type.
    NormalData, "normal data" {
        /// The type of the elements.
        normal: Setting<DataType>,
        /// The seed, which determines all elements.
        seed: Number,
        /// The mean. Default 0.
        mean: Option<Number>,
        /// The standard deviation. Default 1.
        deviation: Option<Number>,
        /// Bytes. Default: the size of the buffer that it is written to.
        length: Option<Number>,
    }
}
map_type! {
    /// `start`, `start + step`, `start + 2 * step`, …
    SequenceData, "a sequence" {
        /// The type of the elements.
        sequence: Setting<DataType>,
        /// The first element, a whole number. Default 0.
        start: Option<Number>,
        /// The difference from one element to the next, a whole number. Default 1.
        step: Option<Number>,
        /// Bytes. Default: the size of the buffer that it is written to.
        length: Option<Number>,
    }
}
map_type! {
    /// The same element again and again.
    ConstantData, "constant data" {
        /// The type of the elements.
        constant: Setting<DataType>,
        /// The element; floating-point types take the nearest value. Give either this or `bits`.
        value: Option<Number>,
        /// The bits of the element, for values that no number expresses.
        bits: Option<Number>,
        /// Bytes. Default: the size of the buffer that it is written to.
        length: Option<Number>,
    }
}
map_type! {
    /// The bytes of a file.
    FileData, "data from a file" {
        /// The path of the file, relative to the folder `suites`.
        file: crate::read::At<String>,
    }
}
map_type! {
    /// 32-bit words, written out.
    WordsData, "words" {
        /// Words of 32 bits, in their order.
        words: Vec<Number>,
    }
}
alternatives! {
    /// Where data comes from.
    DataSource, "data" {
        /// Seeded uniform values.
        "uniform" => Uniform(UniformData),
        /// An arithmetic sequence.
        "sequence" => Sequence(SequenceData),
        /// One element, again and again.
        "constant" => Constant(ConstantData),
        /// The bytes of a file.
        "file" => File(FileData),
        /// Words of 32 bits, one by one.
        "words" => Words(WordsData),
        /// Seeded values around a mean.
        "normal" => Normal(NormalData),
    }
}
