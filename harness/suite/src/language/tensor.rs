//! Steps that make tensors, convert them and run binaries. Each becomes one or several calls of the host API.

use std::borrow::Cow;

use hallmark_schema::model::{BufferLayout, FailureCode, ShardOrientation};
use hallmark_stitching::{Converter, RefusalKind};
use hallmark_tensor::DataType;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, json};

use super::step::{ExpectError, Steps};
use super::value::{Cores, ShapeNumbers};
use crate::language::ExpectedValue;
use crate::mistake::{Mistakes, Span, suggest};
use crate::node::{Node, Value};
use crate::read::{
    Choice, Name, Number, Read, Setting, choices, entries, map_type, refuse_unknown_keys,
};

/// The order in which a tensor's elements lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorLayout {
    /// Row after row.
    RowMajor,
    /// Tile after tile.
    Tile,
}

/// Where a tensor lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorMemory {
    /// Memory of the host.
    Host,
    /// DRAM of the device.
    Dram,
    /// L1 of the device's cores.
    L1,
}

choices! {
    DataType, "tensor data type":
        "float32" => Self::Float32, "bfloat16" => Self::Bfloat16, "uint32" => Self::Uint32,
        "int32" => Self::Int32, "uint16" => Self::Uint16, "uint8" => Self::Uint8,
        "bfp8_b" => Self::Bfp8B, "bfp4_b" => Self::Bfp4B,
        // As TT-Metalium's `DataType` has them.
        "bfloat8_b" => Self::Bfp8B, "bfloat4_b" => Self::Bfp4B;
    TensorLayout, "tensor layout": "row_major" => Self::RowMajor, "tile" => Self::Tile;
    Converter, "converter": "host" => Self::Host, "device" => Self::Device;
    TensorMemory, "memory": "host" => Self::Host, "dram" => Self::Dram, "l1" => Self::L1;
}

map_type! {
    /// How a tensor is cut into shards, one for each core. All its matrices stand one below the other for that.
    TensorShards, "`shard`" {
        /// The cores that hold the shards: cores of the compute grid for L1, `[bank, 0]` for a bank of DRAM.
        cores: Cores,
        /// Rows and columns of a shard, in elements.
        shape: ShapeNumbers,
        /// The order in which the cores of a range get shards. Default `row_major`.
        orientation: Option<Setting<ShardOrientation>>,
    }
}
map_type! {
    /// `createTensor`: a tensor on the host, in rows.
    CreateTensor, "`create_tensor`" {
        /// The name by which later steps know the tensor. In expectations it stands for its elements, row by row.
        id: Name,
        /// The dimensions, the outermost first; `[]` is one element.
        shape: Vec<Number>,
        /// The type of the elements.
        dtype: Setting<DataType>,
        /// The bytes of which the elements are taken: data, or a value as expectations compute it.
        data: ExpectedValue,
        /// How far the elements lie apart in each dimension, in elements. Default: without gaps.
        stride: Option<Vec<Number>>,
        /// Bytes of an element. Default: those of the type.
        itemsize: Option<Number>,
    }
}
map_type! {
    /// A tensor without content, on the host or on the device.
    AllocateTensor, "`allocate_tensor`" {
        /// The name by which later steps know the tensor.
        id: Name,
        /// The dimensions, the outermost first; `[]` is one element.
        shape: Vec<Number>,
        /// The type of the elements.
        dtype: Setting<DataType>,
        /// The order of the elements. Default `row_major`.
        layout: Option<Setting<TensorLayout>>,
        /// Rows and columns of a tile. Default `[32, 32]`.
        tile: Option<ShapeNumbers>,
        /// Where the tensor lives.
        memory: Setting<TensorMemory>,
        /// How its pages are spread over the banks. Default `interleaved`.
        memory_layout: Option<Setting<BufferLayout>>,
        /// The shards, unless pages are interleaved.
        shard: Option<TensorShards>,
    }
}
map_type! {
    /// `allocateInputTensor`, `allocateOutputTensor`: a tensor on the device as a binary needs it, without content.
    AllocateBinaryTensor, "a step that allocates a binary's tensor" {
        /// The name by which later steps know the tensor.
        id: Name,
        /// The binary, from `binaries`.
        binary: Name,
        /// Which of its inputs or outputs, counted from 0.
        index: Number,
    }
}
map_type! {
    /// Gives a tensor's memory back.
    DeallocateTensor, "`deallocate_tensor`" {
        /// The tensor that is gone afterwards.
        tensor: Name,
    }
}
map_type! {
    /// `toLayout`: brings the content of one tensor into another, as that one's type, layout and memory ask for.
    /// A tensor on the host that is brought content from the device is an output of the case.
    ToLayout, "`to_layout`" {
        /// The tensor that gets the content.
        dst: Name,
        /// The tensor that has it.
        src: Name,
        /// The events that must have happened before. Default: none.
        dependencies: Option<Vec<Name>>,
        /// The name of the event that happens once the content is there.
        event: Option<Name>,
        /// The command queue. Default 0.
        queue: Option<Number>,
        /// Who converts: `host`, or `device`, whose cores convert layouts and memories between tensors on the device.
        /// Both give the same bytes. Default `host`.
        by: Option<Setting<Converter>>,
    }
}
map_type! {
    /// `submit`: enqueues the programs of a binary.
    Submit, "`submit`" {
        /// The binary, from `binaries`.
        binary: Name,
        /// The tensors that it reads, in the order of its `inputs`.
        inputs: Vec<Name>,
        /// The tensors that it writes, in the order of its `outputs`. A tensor of a new name is allocated.
        outputs: Vec<Name>,
        /// What each output holds afterwards, row by row, in the order of `outputs`, as far as the suite can say: the
        /// host converts and compares by it. Types of elements are those of the outputs, `float32` of a block format.
        gives: Option<Vec<ExpectedValue>>,
        /// What the elements that only fill up tiles of the outputs hold afterwards. Default 0.
        padding: Option<Number>,
        /// The events that must have happened before. Default: none.
        dependencies: Option<Vec<Name>>,
        /// The name of the event that happens once the outputs are there.
        event: Option<Name>,
        /// The command queue. Default 0.
        queue: Option<Number>,
    }
}
map_type! {
    /// A tensor that a binary reads or writes.
    BinaryTensorEntry, "an input or output of a binary" {
        /// The name by which the binary's steps know its buffer.
        id: Name,
        /// The dimensions, the outermost first; `[]` is one element.
        shape: Vec<Number>,
        /// The type of the elements.
        dtype: Setting<DataType>,
        /// The order of the elements. Default `row_major`.
        layout: Option<Setting<TensorLayout>>,
        /// Rows and columns of a tile. Default `[32, 32]`.
        tile: Option<ShapeNumbers>,
        /// The memory of the device where the tensor lives.
        memory: Setting<TensorMemory>,
        /// How its pages are spread over the banks. Default `interleaved`.
        memory_layout: Option<Setting<BufferLayout>>,
        /// The shards, unless pages are interleaved.
        shard: Option<TensorShards>,
    }
}
map_type! {
    /// A binary: programs whose inputs and outputs are tensors that each `submit` names. Its steps make programs and
    /// enqueue them; they know the buffers of inputs and outputs by their names, and the case's parameters.
    BinaryEntry, "a binary" {
        /// What it computes, in a sentence.
        about: Option<String>,
        /// What it reads.
        inputs: Vec<BinaryTensorEntry>,
        /// What it writes.
        outputs: Vec<BinaryTensorEntry>,
        /// The calls that make it and enqueue its programs.
        steps: Steps,
    }
}

/// What a tensor is and where it lives, however the step that says so is called.
#[derive(Clone, Copy, Debug)]
pub struct TensorEntry<'e> {
    /// The dimensions.
    pub shape: &'e [Number],
    /// The type of the elements.
    pub dtype: &'e Setting<DataType>,
    /// The order of the elements.
    pub layout: Option<&'e Setting<TensorLayout>>,
    /// Rows and columns of a tile.
    pub tile: Option<&'e ShapeNumbers>,
    /// Where the tensor lives.
    pub memory: &'e Setting<TensorMemory>,
    /// How its pages are spread.
    pub memory_layout: Option<&'e Setting<BufferLayout>>,
    /// The shards.
    pub shard: Option<&'e TensorShards>,
}

macro_rules! tensor_entry {
    ($($name:ident),+) => {$(
        impl $name {
            /// What the tensor is and where it lives.
            pub const fn entry(&self) -> TensorEntry<'_> {
                TensorEntry {
                    shape: self.shape.as_slice(),
                    dtype: &self.dtype,
                    layout: self.layout.as_ref(),
                    tile: self.tile.as_ref(),
                    memory: &self.memory,
                    memory_layout: self.memory_layout.as_ref(),
                    shard: self.shard.as_ref(),
                }
            }
        }
    )+};
}

tensor_entry!(AllocateTensor, BinaryTensorEntry);

macro_rules! tensor_steps {
    ($($(#[doc = $doc:literal])+ $key:literal => $variant:ident($type:ty),)+) => {
        /// The steps of tensors.
        #[derive(Clone, Debug)]
        pub enum TensorCall {
            $($(#[doc = $doc])+ $variant($type),)+
        }

        impl TensorCall {
            /// The names of the steps.
            pub const NAMES: &'static [&'static str] = &[$($key),+];

            fn read(name: &str, node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
                match name {
                    $($key => <$type>::read(node, mistakes).map(Self::$variant),)+
                    _ => None,
                }
            }

            /// The schema of each step, by its name.
            pub fn schemas(generator: &mut SchemaGenerator) -> Map<String, serde_json::Value> {
                let mut schemas = Map::new();
                $(schemas.insert($key.to_owned(), generator.subschema_for::<$type>().into());)+
                schemas
            }
        }
    };
}

tensor_steps! {
    /// A tensor of data, on the host.
    "create_tensor" => Create(Box<CreateTensor>),
    /// A tensor without content.
    "allocate_tensor" => Allocate(Box<AllocateTensor>),
    /// A tensor for a binary's input.
    "allocate_input_tensor" => AllocateInput(AllocateBinaryTensor),
    /// A tensor for a binary's output.
    "allocate_output_tensor" => AllocateOutput(AllocateBinaryTensor),
    /// A tensor that is gone.
    "deallocate_tensor" => Deallocate(DeallocateTensor),
    /// A conversion.
    "to_layout" => ToLayout(ToLayout),
    /// A binary's programs.
    "submit" => Submit(Box<Submit>),
}

/// A step of tensors, with what is expected of it.
#[derive(Clone, Debug)]
pub struct TensorStep {
    /// Where its name stands.
    pub span: Span,
    /// The step with its fields.
    pub call: TensorCall,
    /// The error that it must meet.
    pub expect_error: Option<ExpectTensorError>,
}

/// The error that a step of tensors must meet.
#[derive(Clone, Debug)]
pub enum ExpectTensorError {
    /// The tensors are refused before a call is made.
    Refusal(Span, RefusalKind),
    /// The only call that the step makes fails.
    Call(ExpectError),
}

impl Choice for RefusalKind {
    const WHAT: &'static str = "refusal of a tensor";
    const CHOICES: &'static [(&'static str, Self)] = Self::NAMES;
}

impl Read for ExpectTensorError {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        if let Some(entry) = node.get("code")
            && let Value::Text(name) = &entry.value.value
        {
            if let Some(kind) = RefusalKind::from_name(name) {
                let list = entries(node, "`expect_error`", mistakes)?;
                refuse_unknown_keys(list, &["code"], "the refusal of a tensor", mistakes);
                return Some(Self::Refusal(node.span, kind));
            }
            let calls = FailureCode::ALL.iter().map(|code| code.name());
            if !calls.clone().any(|code| code == name) {
                let kinds = RefusalKind::NAMES.iter().map(|(name, _)| *name);
                return mistakes.add(
                    format!("unknown error code `{name}`"),
                    entry.value.span,
                    suggest(name, kinds.chain(calls)),
                );
            }
        }
        ExpectError::read(node, mistakes).map(Self::Call)
    }
}

impl JsonSchema for ExpectTensorError {
    fn schema_name() -> Cow<'static, str> {
        "ExpectTensorError".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let call = generator.subschema_for::<ExpectError>();
        let kinds: Vec<_> = RefusalKind::NAMES.iter().map(|(name, _)| *name).collect();
        json_schema!({
            "description": "The error that the step must meet: the code of a refusal, or of the call that the step makes, with every one of its fields.",
            "anyOf": [
                {
                    "type": "object", "additionalProperties": false, "required": ["code"],
                    "properties": { "code": { "enum": kinds } },
                },
                call,
            ],
        })
    }
}

impl TensorStep {
    /// The name of the step of tensors that a node holds, and where it stands.
    pub fn name_in(node: &Node) -> Option<(&'static str, Span)> {
        let Value::Map(list) = &node.value else { return None };
        list.iter().find_map(|entry| {
            let name = TensorCall::NAMES.iter().find(|name| **name == entry.key)?;
            Some((*name, entry.key_span))
        })
    }
}

impl Read for TensorStep {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        let list = entries(node, "a step", mistakes)?;
        let (name, span) = Self::name_in(node)?;
        refuse_unknown_keys(list, &[name, "expect_error"], "a step of tensors", mistakes);
        let entry = node.get(name)?;
        let call = TensorCall::read(name, &entry.value, mistakes);
        let expected = node.get("expect_error");
        let expected = expected.map(|entry| ExpectTensorError::read(&entry.value, mistakes));
        let expect_error = expected.map_or(Some(None), |read| read.map(Some));
        Some(Self { span, call: call?, expect_error: expect_error? })
    }
}

impl JsonSchema for TensorStep {
    fn schema_name() -> Cow<'static, str> {
        "TensorStep".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut properties = TensorCall::schemas(generator);
        let forms: Vec<_> = properties.keys().map(|name| json!({ "required": [name] })).collect();
        let expected = generator.subschema_for::<ExpectTensorError>();
        properties.insert("expect_error".to_owned(), expected.into());
        json_schema!({
            "description": "A step of tensors under its name: it makes one or several calls of the host API, or it is refused before any call.",
            "type": "object", "properties": properties, "additionalProperties": false, "oneOf": forms,
        })
    }
}

impl TensorCall {
    /// The binary that the step names.
    pub const fn binary(&self) -> Option<&Name> {
        match self {
            Self::AllocateInput(call) | Self::AllocateOutput(call) => Some(&call.binary),
            Self::Submit(call) => Some(&call.binary),
            Self::Create(_) | Self::Allocate(_) | Self::Deallocate(_) | Self::ToLayout(_) => None,
        }
    }
}
