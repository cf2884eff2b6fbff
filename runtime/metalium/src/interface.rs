//! The C interface of the C++ library, loaded: the only unsafe code of this crate.
#![expect(unsafe_code, reason = "calls into a C library")]

use std::ffi::{CStr, c_char};
use std::marker::PhantomData;
use std::path::Path;

use libloading::Library;

/// Structures in the interface's form. They borrow the data that they point to.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Range {
    pub(crate) start_x: u32,
    pub(crate) start_y: u32,
    pub(crate) end_x: u32,
    pub(crate) end_y: u32,
}

/// A pointer and a count: C's form of a list.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct List<'a, T> {
    data: *const T,
    count: usize,
    borrowed: PhantomData<&'a [T]>,
}

impl<'a, T> From<&'a [T]> for List<'a, T> {
    fn from(list: &'a [T]) -> Self {
        Self { data: list.as_ptr(), count: list.len(), borrowed: PhantomData }
    }
}

/// How a sharded buffer is cut.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Sharding<'a> {
    pub(crate) cores: List<'a, Range>,
    pub(crate) shape: [u32; 2],
    pub(crate) page_shape: [u32; 2],
    pub(crate) tensor_shape_in_pages: [u32; 2],
    pub(crate) is_column_major: u32,
}

/// The arguments for making a buffer.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Buffer {
    pub(crate) size: u64,
    pub(crate) page_size: u64,
    /// Upstream's `BufferType`.
    pub(crate) buffer_type: u32,
    /// -1 if the program does not specify it.
    pub(crate) bottom_up: i32,
    /// Upstream's `TensorMemoryLayout`.
    pub(crate) layout: u32,
}

/// The address and size that upstream has assigned to a buffer.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct MadeBuffer {
    pub(crate) address: u64,
    pub(crate) size_per_bank: u64,
}

/// The options for opening a device.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Opening {
    pub(crate) trace_region_size: u64,
    pub(crate) l1_small_size: u64,
    /// 0 selects upstream's default.
    pub(crate) worker_l1_size: u64,
    pub(crate) queues: u32,
}

/// The arguments for making a kernel.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Kernel<'a> {
    pub(crate) path: CText<'a>,
    pub(crate) cores: List<'a, Range>,
    pub(crate) is_compute: u32,
    pub(crate) processor: u32,
    pub(crate) noc: u32,
    pub(crate) math_fidelity: u32,
    pub(crate) fp32_dest_acc_en: u32,
    pub(crate) math_approx_mode: u32,
    /// Upstream's `NOC_MODE`.
    pub(crate) noc_mode: u32,
    pub(crate) dst_full_sync_en: u32,
    pub(crate) bfp8_pack_precise: u32,
    /// Upstream's `KernelBuildOptLevel`, or -1 for its default.
    pub(crate) opt_level: i32,
    /// Upstream's `UnpackToDestMode` of each circular buffer, or empty.
    pub(crate) unpack_to_dest_mode: List<'a, u8>,
    pub(crate) compile_args: List<'a, u32>,
    pub(crate) defines: List<'a, [CText<'a>; 2]>,
    pub(crate) named_compile_args: List<'a, NamedCompileArg<'a>>,
    /// An additional folder for includes; empty without one.
    pub(crate) include_path: CText<'a>,
}

/// A scratchpad that a common argument makes.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Scratchpad {
    /// The index of the argument.
    pub(crate) argument: u32,
    pub(crate) size: u32,
}

/// A compile-time argument that a kernel reads by name.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct NamedCompileArg<'a> {
    pub(crate) name: CText<'a>,
    pub(crate) value: u32,
}

impl<'a> Kernel<'a> {
    /// A data-movement kernel on the first processor; names and values of definitions alternate.
    pub(crate) fn new(
        path: CText<'a>,
        cores: List<'a, Range>,
        compile_args: List<'a, u32>,
        defines: List<'a, [CText<'a>; 2]>,
        named_compile_args: List<'a, NamedCompileArg<'a>>,
        include_path: CText<'a>,
    ) -> Self {
        Self {
            path,
            cores,
            compile_args,
            is_compute: 0,
            processor: 0,
            noc: 0,
            math_fidelity: 0,
            fp32_dest_acc_en: 0,
            math_approx_mode: 0,
            noc_mode: 0,
            dst_full_sync_en: 0,
            bfp8_pack_precise: 0,
            opt_level: -1,
            unpack_to_dest_mode: (&[][..]).into(),
            defines,
            named_compile_args,
            include_path,
        }
    }
}

/// Zero-terminated text.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct CText<'a> {
    text: *const c_char,
    borrowed: PhantomData<&'a CStr>,
}

impl<'a> From<&'a CStr> for CText<'a> {
    fn from(text: &'a CStr) -> Self {
        Self { text: text.as_ptr(), borrowed: PhantomData }
    }
}

/// One index of a circular buffer.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct CircularBufferIndex {
    pub(crate) index: u32,
    pub(crate) page_size: u32,
    /// Upstream's `DataFormat`.
    pub(crate) data_format: u32,
    pub(crate) has_tile: u32,
    /// Height and width of a tile, and of one of its faces.
    pub(crate) tile: [u32; 4],
    pub(crate) transposes_tile: u32,
}

/// The arguments for making a circular buffer.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct CircularBuffer<'a> {
    pub(crate) cores: List<'a, Range>,
    pub(crate) total_size: u32,
    pub(crate) indices: List<'a, CircularBufferIndex>,
    /// -1 if it has its own memory.
    pub(crate) buffer: i64,
    pub(crate) address_offset: u32,
}

/// The session of the C++ side; its content is opaque here.
#[repr(C)]
pub(crate) struct RawSession {
    _private: [u8; 0],
}

/// Declares the functions: their symbols, and methods of [`Interface`] that call them.
macro_rules! functions {
    ($($name:ident($($argument:ident: $type:ty),* $(,)?);)*) => {
        struct Functions {
            new: unsafe extern "C" fn() -> *mut RawSession,
            error: unsafe extern "C" fn(*const RawSession) -> *const c_char,
            read: unsafe extern "C" fn(*mut RawSession, u32, u32, *mut u8) -> i32,
            write: unsafe extern "C" fn(*mut RawSession, u32, u32, *const u8, u64, u64, u32) -> i32,
            $($name: unsafe extern "C" fn(*mut RawSession, $($type),*) -> i32,)*
        }

        impl Functions {
            /// # Safety
            /// The library is the one that is built from this crate's sources.
            unsafe fn of(library: &Library) -> Result<Self, libloading::Error> {
                // SAFETY: the sources declare each function with these types.
                unsafe {
                    Ok(Self {
                        new: *library.get(b"hallmark_metalium_new\0")?,
                        error: *library.get(b"hallmark_metalium_error\0")?,
                        read: *library.get(b"hallmark_metalium_read\0")?,
                        write: *library.get(b"hallmark_metalium_write\0")?,
                        $($name: *library.get(concat!("hallmark_metalium_", stringify!($name), "\0").as_bytes())?,)*
                    })
                }
            }
        }

        impl Interface {
            $(
                pub(crate) fn $name(&mut self, $($argument: $type),*) -> Result<(), String> {
                    // SAFETY: the session is alive, and every pointer is valid for the call.
                    let failed = unsafe { (self.functions.$name)(self.session, $($argument),*) };
                    self.result(failed)
                }
            )*
        }
    };
}

functions! {
    self_test();
    open(settings: &Opening, grid: &mut [u32; 2]);
    close();
    worker_core(x: u32, y: u32, core: &mut [u32; 2]);
    takes_annotations(takes: &mut u32);
    annotate(x: u32, y: u32, start: u64, length: u64, meaning: u32);
    takes_programs(takes: &mut u32);
    number_program(id: u32, number: u32);
    state_program(text: CText<'_>);
    create_buffer(id: u32, buffer: &Buffer, sharding: Option<&Sharding<'_>>, made: &mut MadeBuffer);
    check_view(id: u32, of_offset: u64, of_size: u64, offset: u64, size: u64);
    deallocate_buffer(id: u32);
    create_program(id: u32);
    create_kernel(id: u32, program: u32, kernel: &Kernel<'_>);
    set_runtime_args(kernel: u32, cores: List<'_, Range>, words: List<'_, u32>);
    set_common_runtime_args(kernel: u32, words: List<'_, u32>, made: List<'_, Scratchpad>);
    update_common_runtime_args(kernel: u32, first: u32, words: List<'_, u32>);
    create_semaphore(program: u32, cores: List<'_, Range>, initial_value: u32, index: &mut u32);
    create_circular_buffer(id: u32, program: u32, made: &CircularBuffer<'_>);
    update_circular_buffer_total_size(id: u32, total_size: u32);
    update_circular_buffer_page_size(id: u32, index: u32, page_size: u32);
    update_dynamic_circular_buffer_address(id: u32, buffer: u32, offset: u32);
    update_dynamic_circular_buffer_address_and_total_size(id: u32, buffer: u32, total_size: u32);
    enqueue_program(queue: u32, id: u32, blocking: u32);
    finish(queue: u32);
    record_event(queue: u32, event: u32, host_visible: u32);
    wait_for_event(queue: u32, event: u32);
    synchronize_event(event: u32);
    query_event(event: u32, has_happened: &mut u32);
    begin_trace(queue: u32, trace: u32);
    end_trace(queue: u32, trace: u32);
    replay_trace(queue: u32, trace: u32, blocking: u32);
    release_trace(trace: u32);
}

/// The loaded interface with its single session. The library stays loaded until the process ends, because the
/// vendor's code has threads of its own.
pub(crate) struct Interface {
    functions: Functions,
    session: *mut RawSession,
}

impl std::fmt::Debug for Interface {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Interface").finish_non_exhaustive()
    }
}

impl Interface {
    /// Loads the library that [`Installation::prepare`](crate::Installation::prepare) has built.
    pub(crate) fn load(path: &Path) -> Result<Self, String> {
        // SAFETY: the library is built from this crate's sources and the verified site. Loading it runs the
        // vendor's initialisers, in a worker process.
        let library = unsafe { Library::new(path) }.map_err(|error| error.to_string())?;
        // SAFETY: see above.
        let functions = unsafe { Functions::of(&library) }.map_err(|error| error.to_string())?;
        std::mem::forget(library);
        // SAFETY: the function takes no arguments and returns a session or null.
        let session = unsafe { (functions.new)() };
        if session.is_null() {
            return Err("there is no memory for a session".to_owned());
        }
        Ok(Self { functions, session })
    }

    fn result(&self, failed: i32) -> Result<(), String> {
        if failed == 0 {
            return Ok(());
        }
        // SAFETY: the session is alive, and the text is valid until the session's next failure.
        let text = unsafe { CStr::from_ptr((self.functions.error)(self.session)) };
        Err(text.to_string_lossy().into_owned())
    }

    /// Writes to a part of a buffer. The vendor's code copies the bytes before it returns.
    pub(crate) fn write(
        &mut self,
        queue: u32,
        buffer: u32,
        bytes: &[u8],
        offset: u64,
        blocking: u32,
    ) -> Result<(), String> {
        let size = bytes.len() as u64;
        // SAFETY: the pointer is valid for `size` bytes during the call.
        let failed = unsafe {
            (self.functions.write)(
                self.session,
                queue,
                buffer,
                bytes.as_ptr(),
                offset,
                size,
                blocking,
            )
        };
        self.result(failed)
    }

    /// Reads a whole buffer of `size` bytes, and waits for it: upstream's mesh buffers have no other read.
    pub(crate) fn read(&mut self, queue: u32, buffer: u32, size: usize) -> Result<Vec<u8>, String> {
        let mut bytes = vec![0; size];
        // SAFETY: the memory has room for the whole buffer, and the call returns after filling it.
        let failed =
            unsafe { (self.functions.read)(self.session, queue, buffer, bytes.as_mut_ptr()) };
        self.result(failed)?;
        Ok(bytes)
    }
}
