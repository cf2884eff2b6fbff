//! Steps: one for each call of the host API, under its name.

use std::borrow::Cow;

use hallmark_chip::{FaultCategory, Processor};
use hallmark_schema::model::{
    BindingKind, BufferLayout, BufferType, CommandKind, DataFormat, DataMovementProcessor,
    FailureCode, FieldName, MathFidelity, NocId, NocMode, OptLevel, ShardOrientation,
    UnpackToDestMode,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, json};

use super::fragment_use::Use;
use super::global_semaphore::{CreateGlobalSemaphore, ResetGlobalSemaphore};
use super::plain::{PlainStep, is_plain, required_keys};
use super::tensor::{TensorCall, TensorStep};
use super::value::{Argument, CompileArgument, CoreNumbers, Cores, DataSource, ShapeNumbers};
use crate::mistake::{Mistakes, Span, nearest, quoted_list, suggest};
use crate::node::{Entry, Node, Value};
use crate::read::{
    ByText, DefineValue, Name, Named, Number, OneOf, Read, Setting, choices, entries, map_type,
    refuse_unknown_keys,
};

map_type! {
    /// `ShardSpecBuffer`: how a sharded buffer is cut into shards, one for each core. In a height-sharded
    /// buffer, pages fill one shard after the other. In the other layouts, shards are rectangles of the
    /// tensor, row by row; the part of a shard beyond the tensor's edge is padding.
    ShardSpecEntry, "`shard_spec`" {
        /// The cores that hold the shards, each named once: cores of the compute grid for L1, `[bank, 0]` for
        /// a bank of DRAM.
        cores: Cores,
        /// Rows and columns of a shard, in elements.
        shape: ShapeNumbers,
        /// The order in which the cores of a range get shards. Default `row_major`.
        orientation: Option<Setting<ShardOrientation>>,
        /// Rows and columns of a page, in elements.
        page_shape: ShapeNumbers,
        /// Rows and columns of the whole buffer, in pages.
        tensor2d_shape_in_pages: ShapeNumbers,
    }
}
map_type! {
    /// A part of a buffer, in whole pages.
    RegionEntry, "`region`" {
        /// The first byte of the part, counted from the start of the buffer.
        offset: Number,
        /// Bytes of the part.
        size: Number,
    }
}
map_type! {
    /// `CreateBuffer`: pages spread over the banks of DRAM or L1.
    CreateBuffer, "`create_buffer`" {
        /// The name by which later steps know the buffer.
        id: Name,
        /// The memory that holds the pages.
        r#type: Setting<BufferType>,
        /// Bytes of the whole buffer over all banks, a multiple of `page_size`.
        size: Number,
        /// Bytes of a page, a positive multiple of 4. Each page lies in one bank.
        page_size: Number,
        /// How pages are spread over banks. Default `interleaved`.
        layout: Option<Setting<BufferLayout>>,
        /// How a sharded buffer is cut into shards.
        shard_spec: Option<ShardSpecEntry>,
        /// Whether the buffer takes the lowest free address (`true`) or the highest (`false`). Default:
        /// `true` in DRAM, `false` in L1.
        bottom_up: Option<Setting<bool>>,
    }
}
map_type! {
    /// `Buffer::view`: makes whole pages of a buffer a buffer of their own for writes and reads. The view has
    /// no memory of its own. Its address is that of the whole buffer, because kernels count pages from there.
    CreateBufferView, "`create_buffer_view`" {
        /// The name by which later steps know the view.
        id: Name,
        /// The buffer or view that the view is a part of.
        of: Name,
        /// The first byte that the view shows, counted from the start of `of`.
        offset: Number,
        /// Bytes that the view shows.
        size: Number,
    }
}
map_type! {
    /// The configuration of a compute kernel, which is built for the three compute threads.
    ComputeConfig, "`compute`" {
        /// Passes of the matrix unit. Default `hifi4`.
        math_fidelity: Option<Setting<MathFidelity>>,
        /// 32-bit accumulation in the destination registers. Default `false`.
        fp32_dest_acc_en: Option<Setting<bool>>,
        /// Approximate transcendental functions. Default `false`.
        math_approx_mode: Option<Setting<bool>>,
        /// The destination registers as one, instead of two halves. Default `false`.
        dst_full_sync_en: Option<Setting<bool>>,
        /// The circular buffers that are not unpacked in the default way.
        unpack_to_dest_mode: Option<Vec<UnpackToDestEntry>>,
        /// More precise packing of 8-bit blocks. Default `false`.
        bfp8_pack_precise: Option<Setting<bool>>,
    }
}
map_type! {
    /// How a circular buffer is unpacked.
    UnpackToDestEntry, "an entry of `unpack_to_dest_mode`" {
        /// The index of the circular buffer.
        index: Number,
        /// How it is unpacked: to the destination registers with 32 bits an element.
        mode: Setting<UnpackToDestMode>,
    }
}
map_type! {
    /// `CreateKernel`: adds a kernel to a program, on a data-movement processor (`processor`, `noc`) or on
    /// the compute threads (`compute`).
    CreateKernel, "`create_kernel`" {
        /// The name by which later steps know the kernel.
        id: Name,
        /// The program that gets the kernel.
        program: Name,
        /// The kernel's source: a name from `kernels`.
        kernel: Name,
        /// The cores that the kernel runs on.
        cores: Cores,
        /// The data-movement processor.
        processor: Option<Setting<DataMovementProcessor>>,
        /// The NoC of the kernel's requests unless they name one. Default: `noc_0` on `riscv_0`, `noc_1` on
        /// `riscv_1`.
        noc: Option<Setting<NocId>>,
        /// Whether the kernel shares both NoCs with the other kernel of its cores (`dynamic`), which the firmware
        /// here cannot do: the call fails. Default `dedicated`.
        noc_mode: Option<Setting<NocMode>>,
        /// A compute kernel, with its configuration; `{}` for the default.
        compute: Option<ComputeConfig>,
        /// Compile-time arguments.
        compile_args: Option<Vec<CompileArgument>>,
        /// Preprocessor definitions: a text, or `=parameter`.
        defines: Option<ByText<DefineValue>>,
        /// Compile-time arguments that the kernel knows by their names: `get_named_compile_time_arg_val("name")`.
        named_compile_args: Option<ByText<Number>>,
        /// How far the build is optimized. Default: `o2` on a data-movement processor, `o3` of a compute kernel,
        /// where the compiler here is given `o2` too.
        opt_level: Option<Setting<OptLevel>>,
        /// The names of the source whose definitions are generated, as for TT-Metalium's `ProgramSpec`.
        bindings: Option<KernelBindings>,
    }
}
map_type! {
    /// The names of a kernel's source whose definitions are generated. A source that uses some marks its entry by
    /// `TT_KERNEL` or has a `kernel_main`.
    KernelBindings, "`bindings`" {
        /// The names.
        names: Vec<KernelBinding>,
        /// The runtime argument that `get_vararg(0)` returns. Default 0.
        first_vararg: Option<Number>,
        /// The common runtime argument that `get_common_vararg(0)` returns. Default 0.
        first_common_vararg: Option<Number>,
        /// How many compile-time arguments `get_compile_time_vararg` returns. Default 0.
        compile_time_varargs: Option<Number>,
    }
}
map_type! {
    /// A name of a kernel's source.
    KernelBinding, "an entry of `names`" {
        /// What the name stands for, and with it its namespace.
        kind: Setting<BindingKind>,
        /// The name.
        name: Name,
        /// Of a `runtime_arg` (`args::`) or `common_runtime_arg` (`args::`) its offset in bytes; of a `compile_arg`
        /// (`args::`) or `named_value` (`blaze_ct_args::`) its value; of a `dataflow_buffer` (`dfb::`) its index and the
        /// numbers of the producer's and the consumer's `dfb::AccessPattern`; of a `semaphore` (`sem::`) its id and the
        /// number of its `SemScope`; of a `tensor` (`tensor::`) its accessor's first compile-time argument and the offset
        /// in bytes of its address among the common runtime arguments; of a `scratchpad` (`scratch::`) its common runtime
        /// argument and its size; of a `group` the places of its members in this list. The numbers of a tile format may
        /// follow those of a dataflow buffer, a tensor and a scratchpad: data format, rows and columns of a face, faces
        /// down and across.
        values: Vec<Number>,
    }
}
map_type! {
    /// The arguments of some cores.
    CoreArgs, "an entry of `per_core`" {
        /// The cores. Each gets its own words: in expressions, `core_x` and `core_y` are the core's
        /// coordinates, and `core_index` is its number within this entry, counted row by row.
        cores: Cores,
        /// The arguments, in order.
        args: Vec<Argument>,
    }
}
map_type! {
    /// `SetRuntimeArgs`: sets a kernel's arguments, either the same on a set of cores (`args`) or per core
    /// (`per_core`).
    SetRuntimeArgs, "`set_runtime_args`" {
        /// The kernel whose arguments are set.
        kernel: Name,
        /// The cores that get `args`. Default: those of the kernel.
        cores: Option<Cores>,
        /// The arguments, the same on every core.
        args: Option<Vec<Argument>>,
        /// Arguments per core, as in TT-Metalium's call with a vector for each core.
        per_core: Option<Vec<CoreArgs>>,
    }
}
map_type! {
    /// `SetCommonRuntimeArgs`: sets the arguments that all cores of a kernel share. They can be set once.
    SetCommonRuntimeArgs, "`set_common_runtime_args`" {
        /// The kernel whose arguments are set.
        kernel: Name,
        /// The arguments, in order.
        args: Vec<Argument>,
    }
}
map_type! {
    /// Changes common arguments from the next launch on: a write to what `GetCommonRuntimeArgs` returns.
    UpdateCommonRuntimeArgs, "`update_common_runtime_args`" {
        /// The kernel whose arguments change.
        kernel: Name,
        /// The number of the first argument that changes. Default 0.
        first: Option<Number>,
        /// The new arguments, from `first` on.
        args: Vec<Argument>,
    }
}
map_type! {
    /// One index of a circular buffer.
    CircularBufferIndexEntry, "an index of a circular buffer" {
        /// The number by which kernels name the circular buffer.
        index: Number,
        /// Bytes of a page.
        page_size: Number,
        /// The declared format. Default `uint32`.
        data_format: Option<Setting<DataFormat>>,
        /// The tiles that pages are declared to hold. Default: 32×32 elements.
        tile: Option<TileEntry>,
    }
}
map_type! {
    /// The tiles of a circular buffer.
    TileEntry, "`tile`" {
        /// Rows and columns of a tile: 1, 2, 4, 8, 16 or 32, and 16 or 32.
        shape: ShapeNumbers,
        /// Rows and columns of the faces that a tile is stored in. Default: at most 16 of each.
        face_shape: Option<ShapeNumbers>,
        /// Whether faces and the elements in them are transposed. Default `false`.
        transpose: Option<Setting<bool>>,
    }
}
map_type! {
    /// `CreateCircularBuffer`: a queue of pages in L1 on each of its cores, from one kernel to another.
    CreateCircularBuffer, "`create_circular_buffer`" {
        /// The name by which later steps know the circular buffer.
        id: Name,
        /// The program that gets the circular buffer.
        program: Name,
        /// The cores; each gets a circular buffer of its own.
        cores: Cores,
        /// Bytes on each core.
        total_size: Number,
        /// The indices that share the memory.
        indices: Vec<CircularBufferIndexEntry>,
        /// The L1 buffer in which a dynamic circular buffer lies. Without this key the circular buffer gets
        /// memory of its own.
        globally_allocated_address: Option<GlobalAddress>,
    }
}
map_type! {
    /// A place in an L1 buffer: the same offset in the part of the buffer that each core's bank holds.
    GlobalAddress, "`globally_allocated_address`" {
        /// The L1 buffer.
        buffer: Name,
        /// Bytes from the buffer's address to the circular buffer. Default 0.
        address_offset: Option<Number>,
    }
}
map_type! {
    /// `CreateSemaphore`: a word in L1 on each of its cores, by which kernels signal each other.
    CreateSemaphore, "`create_semaphore`" {
        /// The name by which later steps know the semaphore.
        id: Name,
        /// The program that gets the semaphore.
        program: Name,
        /// The cores; each gets a word of its own.
        cores: Cores,
        /// The value that the word has at the start of each launch. Default 0.
        initial_value: Option<Number>,
    }
}
map_type! {
    /// `EnqueueWriteBuffer`: data goes from the host to a buffer.
    EnqueueWriteBuffer, "`enqueue_write_buffer`" {
        /// The buffer that is written.
        buffer: Name,
        /// The bytes, as many as the buffer or the region has.
        data: DataSource,
        /// The part of the buffer that is written. Default: all of it.
        region: Option<RegionEntry>,
        /// A name for the data. Until the next write, expectations may use the buffer's name as well.
        r#as: Option<Name>,
        /// Whether the call waits until the write is done. Default `false`.
        blocking: Option<Setting<bool>>,
        /// The command queue. Default 0.
        queue: Option<Number>,
    }
}
map_type! {
    /// `EnqueueReadBuffer`: a buffer's content comes back to the host as an output.
    EnqueueReadBuffer, "`enqueue_read_buffer`" {
        /// The buffer that is read.
        buffer: Name,
        /// The name of the output.
        r#as: Name,
        /// The part of the buffer that is read. Default: all of it.
        region: Option<RegionEntry>,
        /// Whether the call waits until the read is done. Default `false`.
        blocking: Option<Setting<bool>>,
        /// The command queue. Default 0.
        queue: Option<Number>,
    }
}
map_type! {
    /// `EnqueueProgram`: the program's kernels run on their cores.
    EnqueueProgram, "`enqueue_program`" {
        /// The program that is launched.
        program: Name,
        /// Whether the call waits until the program is done. Default `false`.
        blocking: Option<Setting<bool>>,
        /// The command queue. Default 0.
        queue: Option<Number>,
    }
}
map_type! {
    /// `ReplayTrace`: runs every program of a trace, each as it was when it was enqueued.
    ReplayTrace, "`replay_trace`" {
        /// The trace whose programs run again.
        trace: Name,
        /// Whether the call waits until the replay is done. Default `false`.
        blocking: Option<Setting<bool>>,
        /// The command queue. Default 0.
        queue: Option<Number>,
    }
}
map_type! {
    /// `CollectTrace`: makes bytes from a trace. The bytes do not depend on where its buffers lie.
    CollectTrace, "`collect_trace`" {
        /// The trace whose bytes are taken.
        trace: Name,
        /// The name of the bytes, for `load_trace`.
        r#as: Name,
    }
}
map_type! {
    /// `LoadTrace`: makes a trace from bytes, with the addresses that the buffers have now.
    LoadTrace, "`load_trace`" {
        /// The name by which later steps know the trace.
        id: Name,
        /// The name that `collect_trace` gave the bytes.
        from: Name,
        /// Which buffers replace those of the trace: `{ input: other_input }` puts `other_input` in the
        /// place of `input`. Both must have the same size, pages and kind. The trace's other buffers are
        /// found by their names.
        buffers: Option<Named<Name>>,
    }
}

choices! {
    FaultCategory, "fault category":
        "UndefinedBehavior" => Self::UndefinedBehavior,
        "NonContractualBehavior" => Self::NonContractualBehavior,
        "UnpredictableValueUsed" => Self::UnpredictableValueUsed,
        "UnsupportedFunctionality" => Self::UnsupportedFunctionality,
        "UnimplementedFunctionality" => Self::UnimplementedFunctionality,
        "UntestedFunctionality" => Self::UntestedFunctionality,
        "MissingSpecification" => Self::MissingSpecification,
        "SystemError" => Self::SystemError,
        "ConfigurationError" => Self::ConfigurationError,
        "AssertionFailure" => Self::AssertionFailure,
        "DataRace" => Self::DataRace,
        "MemoryNotGranted" => Self::MemoryNotGranted,
        "CircularBufferMisuse" => Self::CircularBufferMisuse,
        "RequestsUnderWay" => Self::RequestsUnderWay,
        "UnorderedSynchronization" => Self::UnorderedSynchronization,
        "ArgumentOutOfRange" => Self::ArgumentOutOfRange,
        "LinkedMulticast" => Self::LinkedMulticast,
        "TransactionOverflow" => Self::TransactionOverflow,
        "StaleCacheRead" => Self::StaleCacheRead,
        "KernelAssertion" => Self::KernelAssertion;
    Processor, "processor":
        "BRISC" => Self::Brisc, "NCRISC" => Self::Ncrisc, "TRISC0" => Self::Trisc0,
        "TRISC1" => Self::Trisc1, "TRISC2" => Self::Trisc2;
}

map_type! {
    /// The fault that this synchronizing call must report. The place is compared where the device
    /// reports one.
    ExpectFault, "`expect_fault`" {
        /// The kind of rule that must be broken.
        category: OneOf<FaultCategory>,
        /// The logical core that must fault.
        core: Option<CoreNumbers>,
        /// The processor that must fault.
        processor: Option<OneOf<Processor>>,
        /// The function in which the program counter must lie.
        symbol: Option<String>,
        /// The program that must cause the fault. Default: the program enqueued last.
        program: Option<Name>,
    }
}

/// The error that this call must return: its code and every one of its fields.
#[derive(Clone, Debug)]
pub struct ExpectError {
    /// Where it stands.
    pub span: Span,
    /// The code that the failure must have.
    pub code: FailureCode,
    /// Its fields, in the order of [`FailureCode::fields`].
    pub fields: Vec<(FieldName, ExpectErrorField)>,
}

/// A field of an expected error.
#[derive(Clone, Debug)]
pub struct ExpectErrorField {
    /// Where it stands.
    pub span: Span,
    /// The YAML value that stands there.
    pub node: Node,
}

impl Read for ExpectError {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        let list = entries(node, "`expect_error`", mistakes)?;
        let Some(code) = node.get("code") else {
            return mistakes.add("`expect_error` needs `code`", node.span, "add `code: …`");
        };
        let codes = || FailureCode::ALL.iter().map(|code| code.name());
        let Value::Text(name) = &code.value.value else {
            return mistakes.add(
                format!("`code` must be the name of an error, not {}", code.value.kind()),
                code.value.span,
                "",
            );
        };
        let Some(known) = FailureCode::ALL.iter().copied().find(|code| code.name() == name) else {
            return mistakes.add(
                format!("unknown error code `{name}`"),
                code.value.span,
                suggest(name, codes()),
            );
        };
        let names: Vec<&str> = known.fields().iter().map(|field| field.name()).collect();
        let before = mistakes.len();
        for entry in list.iter().filter(|entry| entry.key != "code") {
            if !names.contains(&entry.key.as_str()) {
                mistakes.add::<()>(
                    format!("{} has no field `{}`", known.name(), entry.key),
                    entry.key_span,
                    suggest(&entry.key, names.iter().copied()),
                );
            }
        }
        let mut fields = Vec::new();
        for &field in known.fields() {
            match node.get(field.name()) {
                Some(entry) => fields.push((
                    field,
                    ExpectErrorField { span: entry.value.span, node: entry.value.clone() },
                )),
                None => {
                    mistakes.add::<()>(
                        format!("{} needs the field `{}`", known.name(), field.name()),
                        code.value.span,
                        format!("its fields are {}", quoted_list(&names)),
                    );
                }
            }
        }
        (mistakes.len() == before).then_some(Self { span: node.span, code: known, fields })
    }
}

impl JsonSchema for ExpectError {
    fn schema_name() -> Cow<'static, str> {
        "ExpectError".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let forms: Vec<_> = FailureCode::ALL
            .iter()
            .map(|code| {
                let mut properties = Map::new();
                properties.insert("code".to_owned(), json!({ "const": code.name() }));
                let mut required = vec!["code"];
                for field in code.fields() {
                    properties.insert(field.name().to_owned(), json!({}));
                    required.push(field.name());
                }
                json!({
                    "type": "object", "properties": properties, "required": required,
                    "additionalProperties": false,
                })
            })
            .collect();
        json_schema!({
            "description": "The error that this call must return: its code and every one of its fields. Objects are given by name, cores as `[x, y]`, commands by the name of the program or trace that they enqueue, or of the data that they write or read.",
            "oneOf": forms,
        })
    }
}

/// A call of the host API, with what is expected of it.
#[derive(Clone, Debug)]
pub struct Step {
    /// Where its name stands.
    pub span: Span,
    /// The call with its fields.
    pub kind: StepKind,
    /// The error that it must return.
    pub expect_error: Option<ExpectError>,
    /// The fault that it must report.
    pub expect_fault: Option<ExpectFault>,
}

/// The steps of a case, as far as they can be read.
#[derive(Clone, Debug)]
pub struct Steps(pub Vec<StepOrHole>);

/// A step, or what is known of one that is wrong, so that the steps behind it can still be checked.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "holes are rare")]
pub enum StepOrHole {
    /// A step.
    Step(Step),
    /// Steps again and again.
    Repeat(Span, Repeat),
    /// The steps of a fragment.
    Use(Span, Box<Use>),
    /// A step of tensors, which stands for several calls.
    Tensor(TensorStep),
    /// The name that the wrong step gives to an object or an output.
    Hole(Option<Name>),
}

impl Steps {
    /// The steps that could be read, each once however often it is repeated.
    pub fn iter(&self) -> impl Iterator<Item = &Step> {
        self.0.iter().flat_map(|step| match step {
            StepOrHole::Step(step) => vec![step],
            StepOrHole::Repeat(_, repeat) => repeat.steps.iter().collect(),
            StepOrHole::Use(..) | StepOrHole::Tensor(_) | StepOrHole::Hole(_) => Vec::new(),
        })
    }

    /// Everything that stands in a list of steps, what stands in a `repeat` included.
    pub fn all(&self) -> Vec<&StepOrHole> {
        let mut all = Vec::new();
        for step in &self.0 {
            all.push(step);
            if let StepOrHole::Repeat(_, repeat) = step {
                all.extend(repeat.steps.all());
            }
        }
        all
    }
}

map_type! {
    /// Steps that are repeated. In their expressions, `round` is the number of the round, counted from 0.
    /// Objects, outputs and data of a round are called `name_<round>`: the steps of that round write `name`,
    /// later steps and expectations write `name_0`, `name_1`, …
    Repeat, "`repeat`" {
        /// The number of rounds; 0 is allowed.
        times: Number,
        /// The steps of a round. They cannot hold another `repeat`.
        steps: Steps,
    }
}

impl Read for Steps {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        let Value::List(nodes) = &node.value else {
            return mistakes.add(
                format!("steps must be a list, not {}", node.kind()),
                node.span,
                "begin each step with `-`",
            );
        };
        let read = |node: &Node, mistakes: &mut Mistakes| {
            let step = match node.get("repeat") {
                Some(entry) => repeat(node, entry, mistakes),
                None if node.get("use").is_some() => use_fragment(node, mistakes),
                None if TensorStep::name_in(node).is_some() => {
                    TensorStep::read(node, mistakes).map(StepOrHole::Tensor)
                }
                None => Step::read(node, mistakes).map(StepOrHole::Step),
            };
            step.unwrap_or_else(|| StepOrHole::Hole(name_in(node)))
        };
        Some(Self(nodes.iter().map(|node| read(node, mistakes)).collect()))
    }
}

fn repeat(node: &Node, entry: &Entry, mistakes: &mut Mistakes) -> Option<StepOrHole> {
    refuse_unknown_keys(
        entries(node, "a step", mistakes)?,
        &["repeat"],
        "a repeated step",
        mistakes,
    );
    let repeat = Repeat::read(&entry.value, mistakes)?;
    for step in &repeat.steps.0 {
        if let StepOrHole::Repeat(span, _) = step {
            return mistakes.add(
                "a `repeat` cannot contain a `repeat`",
                *span,
                "multiply the two `times`",
            );
        }
    }
    Some(StepOrHole::Repeat(entry.key_span, repeat))
}

fn use_fragment(node: &Node, mistakes: &mut Mistakes) -> Option<StepOrHole> {
    let list = entries(node, "a step", mistakes)?;
    refuse_unknown_keys(list, &["use"], "a step that uses a fragment", mistakes);
    let entry = node.get("use")?;
    let call = Use::read(&entry.value, mistakes)?;
    Some(StepOrHole::Use(entry.key_span, call.into()))
}

/// The name that a step gives out, however wrong the step is.
fn name_in(node: &Node) -> Option<Name> {
    let Value::Map(entries) = &node.value else { return None };
    let entry =
        entries.iter().find_map(|entry| entry.value.get("id").or_else(|| entry.value.get("as")))?;
    match &entry.value.value {
        Value::Text(text) => Some(Name { text: text.clone(), span: entry.value.span }),
        _ => None,
    }
}

impl JsonSchema for Steps {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Steps".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (call, tensor) =
            (generator.subschema_for::<Step>(), generator.subschema_for::<TensorStep>());
        json_schema!({ "type": "array", "items": { "anyOf": [call, tensor] } })
    }
}

macro_rules! step_kinds {
    ([$($kind:ident),+ $(,)?], [$($name:literal => $several:ident),+ $(,)?] $(,)?) => {
        /// The calls: those that know more of their fields than the schema of captures says, and all
        /// others.
        #[derive(Clone, Debug)]
        pub enum StepKind {
            $(#[doc = concat!("See [`", stringify!($kind), "`].")] $kind($kind),)+
            $(#[doc = concat!("See [`", stringify!($several), "`].")] $several($several),)+
            /// A call that binds itself.
            Plain(PlainStep),
        }

        /// What a step does: a call of a capture, or a call of the host API that captures hold as other calls.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum StepName {
            Call(CommandKind),
            $($several,)+
        }

        impl StepName {
            fn all() -> impl Iterator<Item = Self> {
                CommandKind::ALL.iter().copied().map(Self::Call).chain([$(Self::$several),+])
            }

            const fn name(self) -> &'static str {
                match self {
                    Self::Call(kind) => kind.name(),
                    $(Self::$several => $name,)+
                }
            }
        }

        impl StepKind {
            fn read(name: StepName, node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
                match name {
                    $(StepName::Call(CommandKind::$kind) => {
                        $kind::read(node, mistakes).map(Self::$kind)
                    })+
                    $(StepName::$several => $several::read(node, mistakes).map(Self::$several),)+
                    StepName::Call(plain) => PlainStep::read(plain, node, mistakes).map(Self::Plain),
                }
            }

            fn schema(name: StepName, generator: &mut SchemaGenerator) -> Schema {
                match name {
                    $(StepName::Call(CommandKind::$kind) => generator.subschema_for::<$kind>(),)+
                    $(StepName::$several => generator.subschema_for::<$several>(),)+
                    StepName::Call(plain) => PlainStep::schema(plain, generator),
                }
            }
        }

        #[cfg(test)]
        const NOT_PLAIN: &[CommandKind] = &[$(CommandKind::$kind),+];
    };
}

step_kinds! {
    [
        CreateBuffer,
        CreateKernel,
        SetRuntimeArgs,
        CreateCircularBuffer,
        CreateSemaphore,
        EnqueueWriteBuffer,
        EnqueueReadBuffer,
        EnqueueProgram,
        SetCommonRuntimeArgs,
        UpdateCommonRuntimeArgs,
        CreateBufferView,
        ReplayTrace,
        CollectTrace,
        LoadTrace,
    ],
    [
        "create_global_semaphore" => CreateGlobalSemaphore,
        "reset_global_semaphore" => ResetGlobalSemaphore,
    ],
}

/// A step of which only the name of its call stands there.
fn without_fields(text: &str, span: Span, mistakes: &mut Mistakes) -> Option<Step> {
    if StepName::all().any(|step| step.name() == text) {
        return mistakes.add(
            format!("`{text}` lacks its fields"),
            span,
            format!("write `{}`", example(text)),
        );
    }
    let help = match nearest(text, StepName::all().map(StepName::name)) {
        Some(nearest) => format!("did you mean `{}`?", example(nearest)),
        None => "write `call: { field: value }`".to_owned(),
    };
    mistakes.add(format!("unknown step `{text}`"), span, help)
}

/// How a call is written: `finish: {}`, `create_program: { id: … }`.
fn example(name: &str) -> String {
    let kind = CommandKind::ALL.iter().copied().find(|kind| kind.name() == name);
    let required: Vec<String> = kind
        .filter(|kind| is_plain(*kind))
        .map(|kind| required_keys(kind).map(|key| format!("{key}: …")).collect())
        .unwrap_or_else(|| vec!["…".to_owned()]);
    match required.as_slice() {
        [] => format!("{name}: {{}}"),
        keys => format!("{name}: {{ {} }}", keys.join(", ")),
    }
}

impl Read for Step {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        if let Value::Text(text) = &node.value {
            return without_fields(text, node.span, mistakes);
        }
        let list = entries(node, "a step", mistakes)?;
        let known = |key: &str| StepName::all().find(|step| step.name() == key);
        let mut step = None;
        let mut complete = true;
        for entry in list {
            match entry.key.as_str() {
                "expect_error" | "expect_fault" => {}
                key => match known(key) {
                    Some(_) if step.is_some() => {
                        complete = false;
                        mistakes.add::<()>(
                            "a step can make only one call",
                            entry.key_span,
                            "start another step with `-`",
                        );
                    }
                    Some(kind) => {
                        let read = match entry.value.value {
                            Value::Null => {
                                without_fields(key, entry.key_span, mistakes).map(|step| step.kind)
                            }
                            _ => StepKind::read(kind, &entry.value, mistakes),
                        };
                        complete &= read.is_some();
                        step = Some((entry.key_span, read));
                    }
                    None => {
                        complete = false;
                        mistakes.add::<()>(
                            format!("unknown step `{key}`"),
                            entry.key_span,
                            suggest(
                                key,
                                StepName::all()
                                    .map(StepName::name)
                                    .chain(TensorCall::NAMES.iter().copied())
                                    .chain(["expect_error", "expect_fault", "repeat", "use"]),
                            ),
                        );
                    }
                },
            }
        }
        let expect_error =
            node.get("expect_error").map(|entry| ExpectError::read(&entry.value, mistakes));
        let expect_fault =
            node.get("expect_fault").map(|entry| ExpectFault::read(&entry.value, mistakes));
        if expect_error.is_some() && expect_fault.is_some() {
            return mistakes.add(
                "a call cannot be expected to return an error and to report a fault",
                node.span,
                "remove `expect_error` or `expect_fault`",
            );
        }
        match step {
            Some((span, Some(kind))) if complete => Some(Self {
                span,
                kind,
                expect_error: expect_error.map_or(Some(None), |read| read.map(Some))?,
                expect_fault: expect_fault.map_or(Some(None), |read| read.map(Some))?,
            }),
            None if complete => mistakes.add(
                "this step makes no call",
                node.span,
                "add a call in front of it, such as `finish: {}`",
            ),
            _ => None,
        }
    }
}

impl JsonSchema for Step {
    fn schema_name() -> Cow<'static, str> {
        "Step".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut properties = Map::new();
        let mut forms = Vec::new();
        for step in StepName::all() {
            properties.insert(step.name().to_owned(), StepKind::schema(step, generator).into());
            forms.push(json!({ "required": [step.name()] }));
        }
        properties.insert("repeat".to_owned(), generator.subschema_for::<Repeat>().into());
        forms.push(json!({ "required": ["repeat"] }));
        properties.insert("use".to_owned(), generator.subschema_for::<Use>().into());
        forms.push(json!({ "required": ["use"] }));
        properties
            .insert("expect_error".to_owned(), generator.subschema_for::<ExpectError>().into());
        properties
            .insert("expect_fault".to_owned(), generator.subschema_for::<ExpectFault>().into());
        json_schema!({
            "description": "A call of the host API under its name, perhaps with the error or fault that must come of it; or `repeat`; or the steps of a fragment (`use`).",
            "type": "object", "properties": properties, "additionalProperties": false, "oneOf": forms,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::plain::is_plain;

    /// A call with a field that the schema of captures does not say enough of needs a step here.
    #[test]
    fn every_call_binds_itself_or_has_a_step_of_its_own() {
        for kind in CommandKind::ALL {
            assert!(NOT_PLAIN.contains(kind) || is_plain(*kind), "{}", kind.name());
        }
    }
}
