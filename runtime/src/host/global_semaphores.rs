//! Global semaphores: words in L1 that no launch sets back.
//!
//! TT-Metalium's `GlobalSemaphore` is a buffer with one word on each core, and its reset is a blocking write of the first
//! queue. Here it is the same two calls, so that a capture, a trace and every device know it without a form of its own, and
//! a recording of a TT-Metalium program holds it in the same way.

use hallmark_schema::commands::{Command, CreateBuffer, EnqueueWriteBuffer};
use hallmark_schema::limits;
use hallmark_schema::model::{
    Blobs, BufferId, BufferLayout, BufferType, ContentHash, CoreRange, Data, DataType, Generator,
    QueueId, Shape2D, ShardOrientation, ShardSpec,
};

use super::device::Device;
use super::types::{Buffer, GlobalSemaphore, GlobalSemaphoreConfig, SemaphoreMemory};
use crate::error::CallError;
use crate::payload::Input;

/// Bytes of the word on each core.
const WORD: u64 = 4;

impl From<SemaphoreMemory> for BufferType {
    fn from(memory: SemaphoreMemory) -> Self {
        match memory {
            SemaphoreMemory::L1 => Self::L1,
            SemaphoreMemory::L1Small => Self::L1Small,
        }
    }
}

impl GlobalSemaphoreConfig<'_> {
    /// The call that takes the memory of the words.
    pub fn creation(&self, buffer: BufferId) -> CreateBuffer {
        let cores = core_count(self.cores);
        let one = Shape2D { height: 1, width: 1 };
        let height = u32::try_from(cores).unwrap_or(u32::MAX);
        CreateBuffer {
            buffer,
            name: self.name.to_owned(),
            size: cores.saturating_mul(WORD),
            page_size: WORD,
            buffer_type: self.memory.into(),
            layout: BufferLayout::HeightSharded,
            shard_spec: Some(ShardSpec {
                cores: self.cores.to_vec(),
                shape: one,
                orientation: ShardOrientation::RowMajor,
                page_shape: one,
                tensor2d_shape_in_pages: Shape2D { height, width: 1 },
            }),
            bottom_up: None,
        }
    }

    /// The semaphore, once [`GlobalSemaphoreConfig::creation`] has taken its memory.
    pub fn semaphore(&self, buffer: BufferId) -> GlobalSemaphore {
        GlobalSemaphore::of(buffer.into(), core_count(self.cores).saturating_mul(WORD))
    }
}

impl GlobalSemaphore {
    /// The global semaphore whose words are a buffer of `size` bytes.
    pub const fn of(buffer: Buffer, size: u64) -> Self {
        Self { buffer, size }
    }

    /// The buffer that holds its words. Its address is the address of the word on each of its cores, and an argument
    /// passes it to a kernel; [`Device::deallocate_buffer`] frees it.
    pub const fn buffer(self) -> Buffer {
        self.buffer
    }

    /// The call that writes a value to every word.
    pub fn write(self, value: u32) -> EnqueueWriteBuffer {
        let generator = Generator::Constant { data_type: DataType::Uint32, bits: value };
        let fits = self.size <= limits::DATA_BYTES && generator.check(self.size).is_ok();
        // Data that does not fit is refused before it is made.
        let hash = if fits { generator.hash(self.size) } else { ContentHash([0; 32]) };
        EnqueueWriteBuffer {
            queue: QueueId(0),
            buffer: self.buffer.id(),
            data: Data { length: self.size, hash, generator: Some(generator) },
            blocking: true,
            region: None,
        }
    }
}

/// The cores of ranges, each as often as it is named; a creation refuses ranges that overlap or are upside down.
fn core_count(ranges: &[CoreRange]) -> u64 {
    let width = |start: u32, end: u32| match u64::from(end).checked_sub(start.into()) {
        Some(more) => more.saturating_add(1),
        None => 0,
    };
    let cores = |range: &CoreRange| {
        width(range.start.x, range.end.x).saturating_mul(width(range.start.y, range.end.y))
    };
    ranges.iter().map(cores).fold(0, u64::saturating_add)
}

impl Device {
    /// `CreateGlobalSemaphore`: a word in L1 at the same address of each core, and its first value. The word keeps its
    /// value from launch to launch.
    ///
    /// It makes two calls, `CreateBuffer` and a blocking `EnqueueWriteBuffer` on the first queue. When the write fails, the
    /// memory is given back.
    ///
    /// # Errors
    /// As [`Device::create_buffer`] and [`Device::enqueue_write_buffer`].
    pub fn create_global_semaphore(
        &mut self,
        config: &GlobalSemaphoreConfig<'_>,
    ) -> Result<GlobalSemaphore, CallError> {
        let buffer = self.next_buffer();
        self.call(Command::CreateBuffer(config.creation(buffer.id())), Input::Nothing)?;
        let semaphore = config.semaphore(buffer.id());
        match self.reset_global_semaphore(semaphore, config.initial_value) {
            Ok(()) => Ok(semaphore),
            Err(error) => {
                if let CallError::Host(failed) = &error
                    && !failed.failure.ends_the_run()
                {
                    self.deallocate_buffer(buffer)?;
                }
                Err(error)
            }
        }
    }

    /// `GlobalSemaphore::reset_semaphore_value`: writes a value to every word, behind all earlier work of the first queue,
    /// and waits for it.
    ///
    /// # Errors
    /// As [`Device::enqueue_write_buffer`].
    pub fn reset_global_semaphore(
        &mut self,
        semaphore: GlobalSemaphore,
        value: u32,
    ) -> Result<(), CallError> {
        self.make_call(Command::EnqueueWriteBuffer(semaphore.write(value)), &Blobs::new())
    }
}
