//! The buffer with memory of its own that a read is of.

use hallmark_schema::model::{BufferId, Capture, Command, CommandIndex};

/// What a read is of.
pub(super) struct ReadOf {
    /// The buffer that has memory of its own.
    pub(super) root: BufferId,
    /// What the host program calls the buffer, or view, that was read.
    pub(super) name: String,
    /// Where the read begins in the buffer that has memory of its own, in bytes.
    pub(super) offset: u64,
}

/// What a call reads; `None` if it is no read, or of no buffer that is known.
pub(super) fn read_of(capture: &Capture, read: CommandIndex) -> Option<ReadOf> {
    let commands = &capture.program.commands;
    let made = commands.get(usize::try_from(read.0).ok()?)?;
    let Command::EnqueueReadBuffer(call) = &made.command else { return None };
    let mut root = call.buffer;
    let mut offset = call.region.map_or(0, |region| region.offset);
    let mut name = None;
    // A view comes after its parent: the search ends.
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
