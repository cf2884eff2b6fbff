//! Translates commands to steps.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::sync::Arc;

use hallmark_chip::{ChipDescription, LogicalCore};
use hallmark_schema::commands::{self, CallValue};
use hallmark_schema::model::{
    ArgumentRelocation, BufferRegion, Capture, Command, ContentHash, CoreArguments, CoreRange,
    Data, Expectation, Failure, FieldName, Generator, KernelBinding, KernelBindings, KernelConfig,
    NocMode, ObjectKind, Outcome, OutputHash, QueuesEnd, RelocatedArgument, Shape2D, ShardSpec,
    TileShape, TraceBuffer, UnpackToDestMode,
};
use hallmark_suite::flow::Flow;
use hallmark_suite::language::key as plain_key;
use hallmark_suite::read::Choice as _;

use super::Heading;
use super::not_a_suite::NotASuite;

/// A suite's text and the data files that it names.
pub(super) struct Dumped {
    pub(super) text: String,
    pub(super) data: BTreeMap<ContentHash, Arc<[u8]>>,
}

/// The path of data below `suites`.
pub(super) fn data_path(hash: ContentHash) -> String {
    format!("data/{hash}.bin")
}

pub(super) fn suite(capture: &Capture, heading: &Heading) -> Result<Dumped, NotASuite> {
    let program = &capture.program;
    let chip = ChipDescription::of(program.architecture);
    if chip.compute_grid() != (program.grid.columns, program.grid.rows) {
        return Err(NotASuite::HarvestedGrid);
    }
    if program.placement_bound {
        return Err(NotASuite::PlacementBound);
    }
    if program.is_binary() {
        return Err(NotASuite::Binary);
    }
    let outputs = capture.outputs.iter().map(|output| (output.name.as_str(), output)).collect();
    let mut teller =
        SuiteWriter { capture, outputs, names: Names::default(), data: BTreeMap::new() };
    let mut kernels: BTreeMap<String, String> = BTreeMap::new();
    let mut steps = String::new();
    let mut expect = String::new();
    for recorded in &program.commands {
        if let Command::CreateKernel(commands::CreateKernel { source, .. }) = &recorded.command {
            let count = kernels.len();
            kernels.entry(source.clone()).or_insert_with(|| format!("source_{count}"));
        }
        let failure = match &recorded.outcome {
            Outcome::Done => None,
            Outcome::Failed(failure) => Some(failure),
            Outcome::Unfinished => return Err(NotASuite::Unfinished(recorded.command.kind())),
        };
        let step = teller.step(&recorded.command, &kernels)?;
        let name = recorded.command.kind().name();
        let _ = writeln!(steps, "      - {name}: {step}");
        if let Some(failure) = failure {
            let _ = writeln!(steps, "        expect_error: {}", error(failure));
        } else if let Some(expectation) = teller.expectation(&recorded.command)? {
            let _ = writeln!(expect, "      - {expectation}");
        }
    }
    let mut device = String::new();
    let l1 = [("l1_small_size", program.l1_small_size), ("worker_l1_size", program.worker_l1_size)];
    let l1: Vec<_> = l1.into_iter().filter(|(_, size)| *size > 0).collect();
    if (program.num_command_queues, program.trace_region_size) != (1, 0) || !l1.is_empty() {
        let mut entry = vec![
            ("num_command_queues", Flow::number(program.num_command_queues)),
            ("trace_region_size", Flow::number(program.trace_region_size)),
        ];
        entry.extend(l1.into_iter().map(|(key, size)| (key, Flow::number(size))));
        device = format!("    device: {}\n", Flow::Map(entry));
    }
    let returned = program.commands.iter().any(|recorded| {
        matches!(
            recorded.command,
            Command::EnqueueReadBuffer(commands::EnqueueReadBuffer {
                expectation: Expectation::AsCaptured,
                ..
            })
        )
    });
    let again = match returned {
        true => "it expects of reads what the capture returned",
        false => "capturing it again gives the same program bytes",
    };
    let mut text: String =
        heading.comment.iter().map(|line| format!("# {}\n", one_line(line))).collect();
    let about = heading.about.as_deref().map(|about| Flow::text(one_line(about)));
    let about = about.map_or_else(|| "The calls of the capture.".to_owned(), |it| it.to_string());
    let _ = write!(
        text,
        "about: A capture told as a suite; {again}.\n{}\
         cases:\n  {}:\n    about: {about}\n    when: {{ architectures: [{}], reason: it was captured there }}\n{device}    steps:\n{steps}",
        kernels_text(&kernels),
        Flow::text(&*heading.case),
        program.architecture
    );
    if !expect.is_empty() {
        let _ = write!(text, "    expect:\n{expect}");
    }
    if let Some(failure) = capture.at_end().and_then(QueuesEnd::failure) {
        let _ = writeln!(text, "    expect_at_end:\n      expect_error: {}", error(failure));
    }
    Ok(Dumped { text, data: teller.data })
}

/// Makes a text fit in a comment of one line.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

fn kernels_text(kernels: &BTreeMap<String, String>) -> String {
    if kernels.is_empty() {
        return String::new();
    }
    let mut text = "kernels:\n".to_owned();
    for (path, name) in kernels {
        let source = Flow::Map(vec![("source", Flow::text(path.as_str()))]);
        let _ = writeln!(text, "  {name}: {source}");
    }
    text
}

fn error(failure: &Failure) -> Flow {
    let mut fields = vec![("code", Flow::text(failure.code().name()))];
    for (name, text) in failure.texts() {
        let value = match (name, text.split_once(',')) {
            (FieldName::Core, Some((x, y))) => {
                Flow::List(vec![number_or_text(x), number_or_text(y)])
            }
            _ => number_or_text(&text),
        };
        fields.push((name.name(), value));
    }
    Flow::Map(fields)
}

fn number_or_text(text: &str) -> Flow {
    text.parse::<i128>().map_or_else(|_| Flow::text(text), Flow::Number)
}

fn core(core: LogicalCore) -> Flow {
    Flow::List(vec![Flow::number(core.x), Flow::number(core.y)])
}

fn cores(ranges: &[CoreRange]) -> Flow {
    let range = |range: &CoreRange| Flow::List(vec![core(range.start), core(range.end)]);
    Flow::List(ranges.iter().map(range).collect())
}

fn shards(spec: &ShardSpec) -> Flow {
    let shape =
        |shape: Shape2D| Flow::List(vec![Flow::number(shape.height), Flow::number(shape.width)]);
    Flow::Map(vec![
        ("cores", cores(&spec.cores)),
        ("shape", shape(spec.shape)),
        ("orientation", Flow::text(spec.orientation.name())),
        ("page_shape", shape(spec.page_shape)),
        ("tensor2d_shape_in_pages", shape(spec.tensor2d_shape_in_pages)),
    ])
}

fn part(region: BufferRegion) -> [(&'static str, Flow); 2] {
    [("offset", Flow::number(region.offset)), ("size", Flow::number(region.size))]
}

/// Names of objects by id. A suite cannot distinguish two objects with the same name.
#[derive(Default)]
struct Names {
    buffers: Vec<String>,
    programs: Vec<String>,
    kernels: Vec<String>,
    circular_buffers: Vec<String>,
    semaphores: Vec<String>,
    events: Vec<String>,
    traces: Vec<String>,
}

fn add(list: &mut Vec<String>, name: &str) -> Result<Flow, NotASuite> {
    if list.iter().any(|known| known == name) {
        return Err(NotASuite::SameName(name.to_owned()));
    }
    list.push(name.to_owned());
    Ok(Flow::text(name))
}

fn name(list: &[String], id: u32) -> Result<Flow, NotASuite> {
    text(list, id).map(Flow::text)
}

fn text(list: &[String], id: u32) -> Result<&str, NotASuite> {
    let name = usize::try_from(id).ok().and_then(|id| list.get(id));
    name.map(String::as_str).ok_or(NotASuite::UnknownObject(id))
}

/// The name of an event, if the event is the last one with that name.
fn last(events: &[String], id: u32) -> Result<Flow, NotASuite> {
    let told = name(events, id)?;
    let at = usize::try_from(id).unwrap_or(usize::MAX);
    let mut later = events.iter().skip(at.saturating_add(1));
    match events.get(at) {
        Some(name) if later.any(|other| other == name) => {
            Err(NotASuite::EarlierEvent(name.clone()))
        }
        _ => Ok(told),
    }
}

/// The keys and values of a step.
type Fields = Vec<(&'static str, Flow)>;

/// The fields of a call that needs no special translation, the queue last.
fn plain_fields(command: &Command, names: &mut Names) -> Result<Fields, NotASuite> {
    let kind = command.kind();
    let call = serde_json::to_value(command).unwrap_or_default();
    let arguments = call.get(kind.name());
    let (queues, others): (Vec<_>, Vec<_>) =
        kind.fields().iter().partition(|field| field.value == CallValue::Queue);
    let mut told = Vec::new();
    for field in others.into_iter().chain(queues) {
        let Some(key) = plain_key(field) else { continue };
        let value = arguments.and_then(|arguments| arguments.get(field.name));
        let number = value.and_then(serde_json::Value::as_u64);
        let flow = match field.value {
            CallValue::GivenName => match command.created() {
                // A name stands for the event recorded last.
                Some((ObjectKind::Event, _, name)) => {
                    names.events.push(name.to_owned());
                    Some(Flow::text(name))
                }
                Some((made, _, name)) => Some(add(names.of(made), name)?),
                None => None,
            },
            CallValue::Object(_, of) => {
                let id = number.and_then(|id| u32::try_from(id).ok()).unwrap_or(u32::MAX);
                Some(match of {
                    ObjectKind::Event => last(&names.events, id)?,
                    other => name(names.of(other), id)?,
                })
            }
            CallValue::Queue | CallValue::Number32 | CallValue::Number64 => {
                number.map(Flow::number)
            }
            CallValue::Flag => value.and_then(serde_json::Value::as_bool).map(Flow::Bool),
            CallValue::Other => return Err(NotASuite::NoStep(kind)),
        };
        told.extend(flow.map(|flow| (key, flow)));
    }
    Ok(told)
}

impl Names {
    /// The names of objects of a kind, by their ids.
    const fn of(&mut self, kind: ObjectKind) -> &mut Vec<String> {
        match kind {
            ObjectKind::Buffer => &mut self.buffers,
            ObjectKind::Program => &mut self.programs,
            ObjectKind::Kernel => &mut self.kernels,
            ObjectKind::CircularBuffer => &mut self.circular_buffers,
            ObjectKind::Semaphore => &mut self.semaphores,
            ObjectKind::Event => &mut self.events,
            ObjectKind::Trace => &mut self.traces,
        }
    }
}

struct SuiteWriter<'a> {
    capture: &'a Capture,
    /// The capture's outputs, by name.
    outputs: HashMap<&'a str, &'a OutputHash>,
    names: Names,
    data: BTreeMap<ContentHash, Arc<[u8]>>,
}

impl SuiteWriter<'_> {
    fn step(
        &mut self,
        command: &Command,
        kernels: &BTreeMap<String, String>,
    ) -> Result<Flow, NotASuite> {
        let fields = match command {
            Command::CreateBuffer(call) => self.create_buffer(call)?,
            Command::CreateBufferView(call) => self.create_buffer_view(call)?,
            Command::CreateKernel(call) => self.create_kernel(call, kernels)?,
            Command::SetRuntimeArgs(call) => self.set_runtime_args(call)?,
            Command::CreateCircularBuffer(call) => self.create_circular_buffer(call)?,
            Command::CreateSemaphore(call) => self.create_semaphore(call)?,
            Command::EnqueueWriteBuffer(call) => self.enqueue_write_buffer(call)?,
            Command::EnqueueReadBuffer(call) => self.enqueue_read_buffer(call)?,
            Command::CollectTrace(call) => self.collect_trace(call)?,
            Command::LoadTrace(call) => self.load_trace(call)?,
            Command::SetCommonRuntimeArgs(call) => self.set_common_runtime_args(call)?,
            Command::UpdateCommonRuntimeArgs(call) => self.update_common_runtime_args(call)?,
            plain => plain_fields(plain, &mut self.names)?,
        };
        Ok(Flow::Map(fields))
    }

    fn create_buffer(&mut self, call: &commands::CreateBuffer) -> Result<Fields, NotASuite> {
        let commands::CreateBuffer {
            name,
            size,
            page_size,
            buffer_type,
            layout,
            shard_spec,
            bottom_up,
            ..
        } = call;
        let names = &mut self.names;
        let mut fields = vec![
            ("id", add(&mut names.buffers, name)?),
            ("type", Flow::text(buffer_type.name())),
            ("size", Flow::number(*size)),
            ("page_size", Flow::number(*page_size)),
            ("layout", Flow::text(layout.name())),
        ];
        fields.extend(shard_spec.iter().map(|spec| ("shard_spec", shards(spec))));
        fields.extend(bottom_up.map(|bottom_up| ("bottom_up", Flow::Bool(bottom_up))));
        Ok(fields)
    }

    fn create_buffer_view(
        &mut self,
        call: &commands::CreateBufferView,
    ) -> Result<Fields, NotASuite> {
        let commands::CreateBufferView { name: view, parent, region, .. } = call;
        let names = &mut self.names;
        let parent = name(&names.buffers, parent.0)?;
        let mut fields = vec![("id", add(&mut names.buffers, view)?), ("of", parent)];
        fields.extend(part(*region));
        Ok(fields)
    }

    fn create_kernel(
        &mut self,
        call: &commands::CreateKernel,
        kernels: &BTreeMap<String, String>,
    ) -> Result<Fields, NotASuite> {
        let commands::CreateKernel {
            name: kernel,
            program,
            source,
            cores: ranges,
            config,
            compile_args,
            defines,
            named_compile_args,
            opt_level,
            bindings,
            kernel: _,
        } = call;
        let names = &mut self.names;
        let mut fields = vec![
            ("id", add(&mut names.kernels, kernel)?),
            ("program", name(&names.programs, program.0)?),
            ("kernel", Flow::text(kernels.get(source).map_or("", String::as_str))),
            ("cores", cores(ranges)),
        ];
        fields.extend(kernel_config(config));
        let words = compile_args.iter().map(|word| Flow::number(*word)).collect();
        fields.push(("compile_args", Flow::List(words)));
        if let Some((_, value)) = defines
            .iter()
            .find(|(_, value)| value.starts_with('=') || value.trim() != *value || value.is_empty())
        {
            return Err(NotASuite::Define(value.clone()));
        }
        let defines =
            defines.iter().map(|(name, value)| (name.clone(), Flow::text(value.as_str())));
        fields.push(("defines", Flow::Named(defines.collect())));
        if !named_compile_args.is_empty() {
            let arguments = named_compile_args.iter();
            let arguments = arguments.map(|(name, word)| (name.clone(), Flow::number(*word)));
            fields.push(("named_compile_args", Flow::Named(arguments.collect())));
        }
        fields.extend(opt_level.map(|level| ("opt_level", Flow::text(level.name()))));
        fields.extend(bindings.iter().map(|bindings| ("bindings", bound_names(bindings))));
        Ok(fields)
    }

    fn set_runtime_args(&self, call: &commands::SetRuntimeArgs) -> Result<Fields, NotASuite> {
        let commands::SetRuntimeArgs { kernel, args } = call;
        let names = &self.names;
        let mut fields = vec![("kernel", name(&names.kernels, kernel.0)?)];
        fields.extend(self.runtime_args(args)?);
        Ok(fields)
    }

    fn create_circular_buffer(
        &mut self,
        call: &commands::CreateCircularBuffer,
    ) -> Result<Fields, NotASuite> {
        let commands::CreateCircularBuffer {
            name: buffer,
            program,
            cores: ranges,
            total_size,
            indices,
            globally_allocated_address: place,
            ..
        } = call;
        let names = &mut self.names;
        let index = |index: &hallmark_schema::model::CircularBufferIndex| {
            let mut fields = vec![
                ("index", Flow::number(index.index)),
                ("page_size", Flow::number(index.page_size)),
                ("data_format", Flow::text(index.data_format.name())),
            ];
            fields.extend(index.tile.map(|tile| ("tile", tile_shape(tile))));
            Flow::Map(fields)
        };
        let mut fields = vec![
            ("id", add(&mut names.circular_buffers, buffer)?),
            ("program", name(&names.programs, program.0)?),
            ("cores", cores(ranges)),
            ("total_size", Flow::number(*total_size)),
            ("indices", Flow::List(indices.iter().map(index).collect())),
        ];
        if let Some(place) = place {
            let place = Flow::Map(vec![
                ("buffer", name(&names.buffers, place.buffer.0)?),
                ("address_offset", Flow::number(place.address_offset)),
            ]);
            fields.push(("globally_allocated_address", place));
        }
        Ok(fields)
    }

    fn create_semaphore(&mut self, call: &commands::CreateSemaphore) -> Result<Fields, NotASuite> {
        let commands::CreateSemaphore {
            name: semaphore,
            program,
            cores: ranges,
            initial_value,
            ..
        } = call;
        let names = &mut self.names;
        Ok(vec![
            ("id", add(&mut names.semaphores, semaphore)?),
            ("program", name(&names.programs, program.0)?),
            ("cores", cores(ranges)),
            ("initial_value", Flow::number(*initial_value)),
        ])
    }

    fn enqueue_write_buffer(
        &mut self,
        call: &commands::EnqueueWriteBuffer,
    ) -> Result<Fields, NotASuite> {
        let commands::EnqueueWriteBuffer { queue, buffer, data, blocking, region } = call;
        let buffer = name(&self.names.buffers, buffer.0)?;
        let mut fields = vec![
            ("buffer", buffer),
            ("data", self.told_data(data)?),
            ("blocking", Flow::Bool(*blocking)),
            ("queue", Flow::number(queue.0)),
        ];
        fields.extend(region.map(|region| ("region", Flow::Map(part(region).into()))));
        Ok(fields)
    }

    fn enqueue_read_buffer(&self, call: &commands::EnqueueReadBuffer) -> Result<Fields, NotASuite> {
        let commands::EnqueueReadBuffer { queue, buffer, output, blocking, region, .. } = call;
        let names = &self.names;
        let mut fields = vec![
            ("buffer", name(&names.buffers, buffer.0)?),
            ("as", Flow::text(output.as_str())),
            ("blocking", Flow::Bool(*blocking)),
            ("queue", Flow::number(queue.0)),
        ];
        fields.extend(region.map(|region| ("region", Flow::Map(part(region).into()))));
        Ok(fields)
    }

    fn collect_trace(&self, call: &commands::CollectTrace) -> Result<Fields, NotASuite> {
        let commands::CollectTrace { trace, collected } = call;
        let names = &self.names;
        Ok(vec![("trace", name(&names.traces, trace.0)?), ("as", Flow::text(collected.as_str()))])
    }

    fn load_trace(&mut self, call: &commands::LoadTrace) -> Result<Fields, NotASuite> {
        let commands::LoadTrace { name: trace, from, buffers, .. } = call;
        let names = &mut self.names;
        let id = add(&mut names.traces, trace)?;
        let mut fields = vec![("id", id), ("from", Flow::text(from.as_str()))];
        let mut pairs = Vec::new();
        for TraceBuffer { recorded, buffer } in buffers {
            let recorded = text(&names.buffers, recorded.0)?.to_owned();
            pairs.push((recorded, name(&names.buffers, buffer.0)?));
        }
        if !pairs.is_empty() {
            fields.push(("buffers", Flow::Named(pairs)));
        }
        Ok(fields)
    }

    fn set_common_runtime_args(
        &self,
        call: &commands::SetCommonRuntimeArgs,
    ) -> Result<Fields, NotASuite> {
        let commands::SetCommonRuntimeArgs { kernel, values, relocations } = call;
        let names = &self.names;
        Ok(vec![
            ("kernel", name(&names.kernels, kernel.0)?),
            ("args", self.words(values, relocations)?),
        ])
    }

    fn update_common_runtime_args(
        &self,
        call: &commands::UpdateCommonRuntimeArgs,
    ) -> Result<Fields, NotASuite> {
        let commands::UpdateCommonRuntimeArgs { kernel, first, values, relocations } = call;
        let names = &self.names;
        Ok(vec![
            ("kernel", name(&names.kernels, kernel.0)?),
            ("first", Flow::number(*first)),
            ("args", self.words(values, relocations)?),
        ])
    }

    fn runtime_args(&self, args: &[CoreArguments]) -> Result<Fields, NotASuite> {
        if let [only] = args {
            return Ok(vec![
                ("cores", cores(&only.cores)),
                ("args", self.words(&only.values, &only.relocations)?),
            ]);
        }
        let mut entries = Vec::new();
        for entry in args {
            let single = match entry.cores.as_slice() {
                [range] if range.start == range.end => range.start,
                _ => return Err(NotASuite::ArgumentsUnpaired),
            };
            let words = self.words(&entry.values, &entry.relocations)?;
            entries.push(Flow::Map(vec![("cores", core(single)), ("args", words)]));
        }
        Ok(vec![("per_core", Flow::List(entries))])
    }

    fn words(&self, values: &[u32], relocations: &[ArgumentRelocation]) -> Result<Flow, NotASuite> {
        let by_index: BTreeMap<u32, &ArgumentRelocation> =
            relocations.iter().map(|relocation| (relocation.index, relocation)).collect();
        let words = (0_u32..).zip(values).map(|(index, word)| match by_index.get(&index) {
            None => Ok(Flow::number(*word)),
            Some(relocation) => self.relocated(relocation.argument),
        });
        words.collect::<Result<_, NotASuite>>().map(Flow::List)
    }

    fn relocated(&self, argument: RelocatedArgument) -> Result<Flow, NotASuite> {
        let at = |offset| ("offset", Flow::number(offset));
        let place = |x: u16, y: u16| core(LogicalCore { x: x.into(), y: y.into() });
        Ok(Flow::Map(match argument {
            RelocatedArgument::BufferAddress { buffer, offset } => {
                vec![("buffer", name(&self.names.buffers, buffer.0)?), at(offset)]
            }
            RelocatedArgument::ShardBankPair { buffer, pair } => vec![
                ("shard_bank_pair", name(&self.names.buffers, buffer.0)?),
                ("index", Flow::number(pair)),
            ],
            RelocatedArgument::SemaphoreAddress { semaphore, offset } => {
                vec![("semaphore_address", name(&self.names.semaphores, semaphore.0)?), at(offset)]
            }
            RelocatedArgument::ScratchpadAddress { size } => {
                vec![("scratchpad", Flow::number(size))]
            }
            RelocatedArgument::CoreNocX { x, y } => vec![("noc_x", place(x, y))],
            RelocatedArgument::CoreNocY { x, y } => vec![("noc_y", place(x, y))],
        }))
    }

    fn told_data(&mut self, data: &Data) -> Result<Flow, NotASuite> {
        let length = ("length", Flow::number(data.length));
        Ok(Flow::Map(match data.generator {
            Some(Generator::Uniform { data_type, seed }) => vec![
                ("uniform", Flow::text(data_type.name())),
                ("seed", Flow::number(seed)),
                length,
            ],
            Some(Generator::UniformBetween { data_type, seed, minimum, maximum }) => vec![
                ("uniform", Flow::text(data_type.name())),
                ("seed", Flow::number(seed)),
                ("min", Flow::Real(minimum)),
                ("max", Flow::Real(maximum)),
                length,
            ],
            Some(Generator::Normal { data_type, seed, mean, deviation }) => vec![
                ("normal", Flow::text(data_type.name())),
                ("seed", Flow::number(seed)),
                ("mean", Flow::Real(mean)),
                ("deviation", Flow::Real(deviation)),
                length,
            ],
            Some(Generator::Sequence { data_type, start, step }) => vec![
                ("sequence", Flow::text(data_type.name())),
                ("start", Flow::number(start)),
                ("step", Flow::number(step)),
                length,
            ],
            Some(Generator::Constant { data_type, bits }) => vec![
                ("constant", Flow::text(data_type.name())),
                ("bits", Flow::number(bits)),
                length,
            ],
            None => {
                let bytes = self
                    .capture
                    .blobs
                    .get(&data.hash)
                    .map(Arc::from)
                    .ok_or(NotASuite::DataAbsent(data.hash))?;
                self.data.insert(data.hash, bytes);
                vec![("file", Flow::text(data_path(data.hash)))]
            }
        }))
    }

    fn expectation(&mut self, command: &Command) -> Result<Option<Flow>, NotASuite> {
        let Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { output, expectation, .. }) =
            command
        else {
            return Ok(None);
        };
        let captured = self.outputs.get(output.as_str()).copied();
        let output = Flow::text(output.as_str());
        let equal = |output, hash: &ContentHash| {
            let value = Flow::Map(vec![("hash", Flow::text(hash.to_string()))]);
            Some(Flow::Map(vec![("equal", Flow::List(vec![output, value]))]))
        };
        match expectation {
            Expectation::Exact { hash } => Ok(equal(output, hash)),
            Expectation::Unchecked { reason } => {
                let reason = Flow::text(reason.as_str());
                Ok(Some(Flow::Map(vec![("unchecked", output), ("reason", reason)])))
            }
            // The suite must return what the capture's own run returned.
            Expectation::AsCaptured => match captured {
                Some(captured) => Ok(equal(output, &captured.hash)),
                None => Err(NotASuite::NothingExpected),
            },
            Expectation::Reference { data, tolerance } => {
                let value = self.told_data(data)?;
                let mut entry = vec![
                    ("near", Flow::List(vec![output, value])),
                    ("type", Flow::text(tolerance.data_type.name())),
                ];
                if tolerance.ulp > 0 {
                    entry.push(("ulp", Flow::number(tolerance.ulp)));
                }
                if !tolerance.absolute.is_zero() {
                    entry.push(("absolute", Flow::Real(tolerance.absolute)));
                }
                if !tolerance.relative.is_zero() {
                    entry.push(("relative", Flow::Real(tolerance.relative)));
                }
                if !tolerance.pcc.is_zero() {
                    entry.push(("pcc", Flow::Real(tolerance.pcc)));
                }
                entry.push(("reason", Flow::text(tolerance.reason.as_str())));
                Ok(Some(Flow::Map(entry)))
            }
        }
    }
}

fn kernel_config(config: &KernelConfig) -> Vec<(&'static str, Flow)> {
    match config {
        KernelConfig::DataMovement { processor, noc, noc_mode } => {
            let mut fields =
                vec![("processor", Flow::text(processor.name())), ("noc", Flow::text(noc.name()))];
            if *noc_mode != NocMode::Dedicated {
                fields.push(("noc_mode", Flow::text(noc_mode.name())));
            }
            fields
        }
        KernelConfig::Compute {
            math_fidelity,
            fp32_dest_acc_en,
            math_approx_mode,
            dst_full_sync_en,
            unpack_to_dest_mode,
            bfp8_pack_precise,
        } => {
            let mut compute = vec![
                ("math_fidelity", Flow::text(math_fidelity.name())),
                ("fp32_dest_acc_en", Flow::Bool(*fp32_dest_acc_en)),
                ("math_approx_mode", Flow::Bool(*math_approx_mode)),
            ];
            for (key, is_on) in
                [("dst_full_sync_en", *dst_full_sync_en), ("bfp8_pack_precise", *bfp8_pack_precise)]
            {
                compute.extend(is_on.then_some((key, Flow::Bool(true))));
            }
            if !unpack_to_dest_mode.is_empty() {
                let entry = |(index, mode): (&u32, &UnpackToDestMode)| {
                    Flow::Map(vec![
                        ("index", Flow::number(*index)),
                        ("mode", Flow::text(mode.name())),
                    ])
                };
                let entries = unpack_to_dest_mode.iter().map(entry).collect();
                compute.push(("unpack_to_dest_mode", Flow::List(entries)));
            }
            vec![("compute", Flow::Map(compute))]
        }
    }
}

fn bound_names(bindings: &KernelBindings) -> Flow {
    let KernelBindings { names, first_vararg, first_common_vararg, compile_time_varargs } =
        bindings;
    let names = names.iter().map(|KernelBinding { kind, name, values }| {
        Flow::Map(vec![
            ("kind", Flow::text(kind.name())),
            ("name", Flow::text(name.as_str())),
            ("values", Flow::List(values.iter().map(|value| Flow::number(*value)).collect())),
        ])
    });
    Flow::Map(vec![
        ("names", Flow::List(names.collect())),
        ("first_vararg", Flow::number(*first_vararg)),
        ("first_common_vararg", Flow::number(*first_common_vararg)),
        ("compile_time_varargs", Flow::number(*compile_time_varargs)),
    ])
}

fn tile_shape(tile: TileShape) -> Flow {
    let TileShape { shape, face_shape, transpose } = tile;
    let numbers =
        |shape: Shape2D| Flow::List(vec![Flow::number(shape.height), Flow::number(shape.width)]);
    Flow::Map(vec![
        ("shape", numbers(shape)),
        ("face_shape", numbers(face_shape)),
        ("transpose", Flow::Bool(transpose)),
    ])
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Architecture;
    use hallmark_schema::model::{CommandKind, Grid, ProgramId, ProgramPart, RecordedCommand};

    use super::*;

    fn capture(placement_bound: bool, outcome: Outcome) -> Capture {
        let architecture = Architecture::WormholeB0;
        let (columns, rows) = ChipDescription::of(architecture).compute_grid();
        let command = Command::CreateProgram(commands::CreateProgram {
            program: ProgramId(0),
            name: "program".to_owned(),
        });
        Capture {
            program: ProgramPart {
                architecture,
                grid: Grid { columns, rows },
                placement_bound,
                sources: Vec::new(),
                commands: vec![RecordedCommand { command, outcome }],
                num_command_queues: 1,
                trace_region_size: 0,
                l1_small_size: 0,
                worker_l1_size: 0,
                free_tensors: Vec::new(),
            },
            record: None,
            outputs: Vec::new(),
            blobs: BTreeMap::new(),
        }
    }

    #[test]
    fn what_no_suite_can_say_is_refused_with_the_reason() {
        assert!(suite(&capture(false, Outcome::Done), &Heading::default()).is_ok());
        let refused =
            |bound, outcome| suite(&capture(bound, outcome), &Heading::default()).err().unwrap();
        let refusal = refused(true, Outcome::Done);
        assert_eq!(refusal, NotASuite::PlacementBound);
        let text = refusal.to_string();
        assert!(text.contains("depends on the places") && text.contains("JSON lines"), "{text}");
        let refusal = refused(false, Outcome::Unfinished);
        assert_eq!(refusal, NotASuite::Unfinished(CommandKind::CreateProgram));
        let text = refusal.to_string();
        assert!(text.contains("create_program, never came to an end"), "{text}");
    }
}
