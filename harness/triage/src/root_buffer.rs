//! The buffer that owns the memory of a read.

use hallmark_schema::model::{BufferId, Capture, Command, CommandIndex};

/// The object of a read.
pub(super) struct ReadOf {
    /// The buffer that owns the memory.
    pub(super) root: BufferId,
    /// The name of the read buffer or view in the host program.
    pub(super) name: String,
    /// The offset of the read in the buffer that owns the memory, bytes.
    pub(super) offset: u64,
}

/// The object of a read; `None` if the call is no read, or its buffer is unknown.
pub(super) fn read_of(capture: &Capture, read: CommandIndex) -> Option<ReadOf> {
    let commands = &capture.program.commands;
    let made = commands.get(usize::try_from(read.0).ok()?)?;
    let Command::EnqueueReadBuffer(call) = &made.command else { return None };
    let mut root = call.buffer;
    let mut offset = call.region.map_or(0, |region| region.offset);
    let mut name = None;
    // A view comes after its parent, so the search ends.
    for made in commands.iter().rev() {
        match &made.command {
            Command::CreateBufferView(view) if view.buffer == root => {
                name = name.or_else(|| Some(view.name.clone()));
                root = view.parent;
                offset = offset.checked_add(view.region.offset)?;
            }
            Command::CreateBuffer(buffer) if buffer.buffer == root => {
                let name = name.unwrap_or_else(|| buffer.name.clone());
                return Some(ReadOf { root, name, offset });
            }
            _ => {}
        }
    }
    None
}
