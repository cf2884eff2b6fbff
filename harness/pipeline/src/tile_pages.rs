//! Circular buffers whose pages are smaller than the tiles that a compute kernel reads or writes there.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_runtime::metalium::tiles::TILES;
use hallmark_schema::model::{Capture, Command, KernelConfig};

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
        let tiles = tiles(kernel.defines.get(TILES).map_or("", String::as_str));
        let of_program = buffers.values().filter(|buffer| {
            let meets = |range| buffer.cores.iter().any(|other| overlaps(range, other));
            buffer.program == kernel.program && kernel.cores.iter().any(meets)
        });
        for (buffer, index) in of_program.flat_map(|it| it.indices.iter().map(move |at| (it, at))) {
            let Some(&[bytes, rows, columns]) = tiles.get(&index.index) else { continue };
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

fn overlaps(
    one: &hallmark_schema::model::CoreRange,
    other: &hallmark_schema::model::CoreRange,
) -> bool {
    one.start.x <= other.end.x
        && other.start.x <= one.end.x
        && one.start.y <= other.end.y
        && other.start.y <= one.end.y
}

/// Bytes, rows and columns of the tiles of each index: `{index,format,bytes,rows,columns}`.
fn tiles(definition: &str) -> BTreeMap<u32, [u32; 3]> {
    let entries = definition.split('{').filter_map(|entry| {
        let numbers = entry.split('}').next()?.split(',').map(|number| number.trim().parse());
        let numbers: Vec<u32> = numbers.collect::<Result<_, _>>().ok()?;
        let [index, _, bytes, rows, columns] = *numbers.as_slice() else { return None };
        Some((index, [bytes, rows, columns]))
    });
    entries.collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use hallmark_schema::model::{Capture, MathFidelity, SharedBytes};

    use super::*;

    /// A capture with a circular buffer 0 `stage` of pages of 64 bytes, whose kernel `consume` computes tiles of so many
    /// bytes.
    fn capture(bytes: u32) -> Capture {
        let path =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema/released/1.0/captures/deadlock.lmb");
        let file: SharedBytes = std::fs::read(path).unwrap().into();
        let mut capture = Capture::from_bytes(&file).unwrap();
        for recorded in &mut capture.program.commands {
            if let Command::CreateKernel(call) = &mut recorded.command
                && call.name == "consume"
            {
                call.config = KernelConfig::Compute {
                    math_fidelity: MathFidelity::HiFi4,
                    fp32_dest_acc_en: false,
                    math_approx_mode: false,
                    dst_full_sync_en: false,
                    unpack_to_dest_mode: BTreeMap::new(),
                    bfp8_pack_precise: false,
                };
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

    #[test]
    fn a_definition_by_hand_is_read_as_far_as_it_is_one() {
        assert_eq!(tiles("{1,2,3,4,5}, {x}, {6,7}"), BTreeMap::from([(1, [3, 4, 5])]));
        assert_eq!(tiles(""), BTreeMap::new());
    }
}
