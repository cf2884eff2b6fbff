//! Circular buffers whose pages are smaller than the tiles that a compute kernel reads or writes there.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_runtime::metalium::tiles::{TILES, TileSize, tile_sizes};
use hallmark_schema::model::{Capture, Command, CoreRange, KernelConfig};

/// A sentence for each circular buffer with small pages on a core of a compute kernel that knows the tiles of its circular
/// buffers. Such a buffer is right if only data movement uses it, so the sentence stands beside a failure alone.
pub(super) fn smaller_than_tiles(capture: &Capture) -> Vec<String> {
    let mut buffers = BTreeMap::new();
    let mut kernels = Vec::new();
    for recorded in &capture.program.commands {
        match &recorded.command {
            Command::CreateCircularBuffer(call) => {
                buffers.insert(call.circular_buffer, call.clone());
            }
            Command::UpdateCircularBufferPageSize(call) => {
                let buffer = buffers.get_mut(&call.circular_buffer);
                let mut indices = buffer.into_iter().flat_map(|buffer| &mut buffer.indices);
                if let Some(index) = indices.find(|index| index.index == call.index) {
                    index.page_size = call.page_size;
                }
            }
            Command::CreateKernel(call) if matches!(call.config, KernelConfig::Compute { .. }) => {
                kernels.push(call);
            }
            _ => {}
        }
    }
    let mut said = BTreeSet::new();
    for kernel in kernels {
        let tiles = tile_sizes(kernel.defines.get(TILES).map_or("", String::as_str));
        let of_program = buffers.values().filter(|buffer| {
            let meets = |range: &CoreRange| buffer.cores.iter().any(|other| range.overlaps(*other));
            buffer.program == kernel.program && kernel.cores.iter().any(meets)
        });
        for (buffer, index) in of_program.flat_map(|it| it.indices.iter().map(move |at| (it, at))) {
            let Some(&TileSize { bytes, rows, columns }) = tiles.get(&index.index) else {
                continue;
            };
            if index.page_size < bytes {
                said.insert(format!(
                    "circular buffer {} `{}` has pages of {} B, and a tile of {rows} × {columns} in its data_format has {bytes} B: if \
                     `{}` reads or writes tiles there, give it pages of {bytes} B",
                    index.index, buffer.name, index.page_size, kernel.name
                ));
            }
        }
    }
    said.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use hallmark_schema::model::{MathFidelity, SharedBytes};

    use super::*;

    /// A capture with one circular buffer, `stage` at index 0 with pages of 64 bytes. Its kernel `consume` is a compute kernel
    /// for tiles of this size.
    fn capture(bytes: u32) -> Capture {
        let path =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema/released/1.0/captures/deadlock.lmb");
        let file: SharedBytes = std::fs::read(path).unwrap().into();
        let mut capture = Capture::from_bytes(&file).unwrap();
        for recorded in &mut capture.program.commands {
            if let Command::CreateKernel(call) = &mut recorded.command
                && call.name == "consume"
            {
                call.config = KernelConfig::compute(MathFidelity::HiFi4);
                let tiles = format!("{{3,5,2048,32,32}},{{0,5,{bytes},32,32}}");
                call.defines.insert(TILES.to_owned(), tiles);
            }
        }
        capture
    }

    #[test]
    fn pages_that_are_smaller_than_a_tile_are_told() {
        let text = "circular buffer 0 `stage` has pages of 64 B, and a tile of 32 × 32 in its data_format has 2048 B: if `consume` \
                    reads or writes tiles there, give it pages of 2048 B";
        assert_eq!(smaller_than_tiles(&capture(2048)), [text]);
        // The whole tile fits, or no kernel computes.
        assert_eq!(smaller_than_tiles(&capture(64)), [] as [&str; 0]);
        let mut moved = capture(2048);
        moved.program.commands.retain(|it| !matches!(it.command, Command::CreateKernel(_)));
        assert_eq!(smaller_than_tiles(&moved), [] as [&str; 0]);
    }
}
