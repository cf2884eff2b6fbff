use hallmark_schema::limits;
use hallmark_schema::model::{Command, CoreArguments, CoreRange, Data, Expectation};

use crate::Device;
use crate::dispatch::TILE_WEIGHT;
use crate::error::ArgumentError;
use crate::queue::QUEUED_LAUNCHES;

impl Device {
    /// Refuses what no capture can hold, whether one is under way or not, so that capturing changes
    /// nothing.
    pub(super) fn check_recordable(&self, command: &Command) -> Result<(), ArgumentError> {
        self.recordable(command).map_err(|what| ArgumentError { call: command.kind(), what })
    }

    fn recordable(&self, command: &Command) -> Result<(), String> {
        match command {
            Command::CreateBuffer { name, .. } | Command::CreateProgram { name, .. } => {
                object_name(name)
            }
            Command::CreateKernel { name, source, cores, compile_args, defines, .. } => {
                object_name(name)?;
                at_most("bytes of the source's path", source.len(), limits::PATH_BYTES as u64)?;
                at_most("compile-time arguments", compile_args.len(), limits::COMPILE_ARGUMENTS)?;
                at_most("defines", defines.len(), limits::DEFINES)?;
                for (name, value) in defines {
                    at_most("bytes of a define's name", name.len(), limits::TEXT_BYTES as u64)?;
                    let most = limits::DEFINE_BYTES as u64;
                    at_most("bytes of a define's value", value.len(), most)?;
                }
                ranges(cores)
            }
            Command::SetRuntimeArgs { args, .. } => {
                at_most("sets of arguments", args.len(), limits::ARGUMENT_SETS)?;
                args.iter().try_for_each(arguments)
            }
            Command::CreateCircularBuffer { name, cores, indices, .. } => {
                object_name(name)?;
                at_most("indices", indices.len(), limits::CIRCULAR_BUFFER_INDICES)?;
                ranges(cores)
            }
            Command::CreateSemaphore { name, cores, .. } => {
                object_name(name)?;
                ranges(cores)
            }
            Command::EnqueueWriteBuffer { data, .. } => self::data(data),
            Command::EnqueueReadBuffer { buffer, output, expectation, .. } => {
                plain_name(output)?;
                if self.outputs.contains(output) {
                    return Err(format!(
                        "another read has the output name `{output}`; give each a name of its own"
                    ));
                }
                if let Ok(state) = self.objects.buffers.get(buffer.0) {
                    let (size, most) = (state.extent.size, limits::DATA_BYTES);
                    if size > most {
                        return Err(format!(
                            "a read of {size} B; at most {most} B are read at once"
                        ));
                    }
                }
                match expectation {
                    Expectation::AsCaptured | Expectation::Exact { .. } => Ok(()),
                    Expectation::Reference { data, tolerance } => {
                        reason(&tolerance.reason)?;
                        self::data(data)
                    }
                    Expectation::Unchecked { reason } => self::reason(reason),
                }
            }
            Command::EnqueueProgram { program, .. } => {
                let weight = self.launch_weight(program.0);
                if self.queue.launches().saturating_add(weight) > QUEUED_LAUNCHES {
                    return Err("too many programs are queued; call finish first".to_owned());
                }
                Ok(())
            }
            Command::DeallocateBuffer { .. } | Command::Finish { .. } => Ok(()),
        }
    }

    /// What a launch of a program would hold in the queue, bytes.
    fn launch_weight(&self, program: u32) -> u64 {
        let Ok(program) = self.objects.programs.get(program) else { return 0 };
        let kernels = program.kernels.iter();
        let kernels = kernels.filter_map(|kernel| self.objects.kernels.get(kernel.0).ok());
        kernels.fold(0, |sum, kernel| {
            let arguments: usize = kernel.arguments.values().map(|set| set.values.len() * 4).sum();
            sum + TILE_WEIGHT * kernel.cores.len() as u64 + arguments as u64
        })
    }
}

fn at_most(what: &str, count: usize, most: u64) -> Result<(), String> {
    if count as u64 > most { Err(format!("{count} {what}; at most {most}")) } else { Ok(()) }
}

fn object_name(name: &str) -> Result<(), String> {
    if name.is_empty() { Ok(()) } else { plain_name(name) }
}

fn plain_name(name: &str) -> Result<(), String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.+-".contains(&byte);
    let most = limits::NAME_BYTES;
    if name.is_empty() || name.len() > most || !name.bytes().all(plain) {
        let shown: String = name.chars().take(most).collect();
        return Err(format!(
            "`{}` is no name: 1 to {most} of A-Z, a-z, 0-9 and `_.+-`",
            shown.escape_debug()
        ));
    }
    Ok(())
}

fn reason(text: &str) -> Result<(), String> {
    at_most("bytes of a reason", text.len(), limits::TEXT_BYTES as u64)?;
    if text.trim().is_empty() { Err("the reason is empty; say why".to_owned()) } else { Ok(()) }
}

fn ranges(ranges: &[CoreRange]) -> Result<(), String> {
    at_most("core ranges", ranges.len(), limits::RANGES)?;
    let side = |from: u32, to: u32| {
        u64::from(to).checked_sub(from.into()).map_or(0, |difference| difference + 1)
    };
    let cores = ranges.iter().fold(0u64, |sum, range| {
        let columns = side(range.start.x, range.end.x);
        sum.saturating_add(columns.saturating_mul(side(range.start.y, range.end.y)))
    });
    let most = limits::CORES;
    if cores > most { Err(format!("{cores} cores; at most {most}")) } else { Ok(()) }
}

fn arguments(entry: &CoreArguments) -> Result<(), String> {
    at_most("arguments", entry.values.len(), limits::ARGUMENT_WORDS)?;
    at_most("relocated arguments", entry.relocations.len(), limits::ARGUMENT_WORDS)?;
    let mut next = 0;
    for relocation in &entry.relocations {
        let index = relocation.index;
        if index < next || entry.values.get(index as usize) != Some(&0) {
            return Err(format!(
                "relocated argument {index} is out of place: list each once, ascending, with 0 as its word"
            ));
        }
        next = index.saturating_add(1);
    }
    ranges(&entry.cores)
}

fn data(data: &Data) -> Result<(), String> {
    let (length, most) = (data.length, limits::DATA_BYTES);
    if length > most {
        return Err(format!("{length} B of data; at most {most} B"));
    }
    match &data.generator {
        Some(generator) => {
            generator.check(length).map_err(|problem| format!("the data's generator: {problem}"))
        }
        None => Ok(()),
    }
}
