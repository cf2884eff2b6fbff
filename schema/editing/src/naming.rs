//! Edits that replace names and sources by neutral ones.

use std::collections::BTreeMap;

use hallmark_schema::model::{
    Blobs, Capture, Command, ContentHash, LineTableBytes, ObjectKind, SharedBytes, SourceFile,
};

use crate::draft::Draft;

/// The text that replaces a kernel's source.
const NO_SOURCE: &[u8] = b"// The text of this kernel was left out; its ELF is in the capture.\n";

/// Names objects and outputs by their kinds and numbers. Equal names stay equal.
pub(crate) fn replace_names(draft: &mut Draft<'_>) -> bool {
    let mut names = Names::default();
    for command in &mut draft.commands {
        let command = &mut command.recorded.command;
        let made = command.created().map(|(kind, _, name)| (kind, name.to_owned()));
        if let (Some((kind, before)), Some(name)) = (made, command.given_name_mut())
            && !before.is_empty()
        {
            *name = names.of(stem(kind), &before);
        }
        match command {
            Command::EnqueueReadBuffer(call) => {
                call.output = names.of("output", &call.output);
            }
            Command::CollectTrace(call) => {
                call.collected = names.of("bytes", &call.collected);
            }
            Command::LoadTrace(call) => call.from = names.of("bytes", &call.from),
            _ => {}
        }
    }
    for tensor in &mut draft.free_tensors {
        tensor.name = names.of(tensor.role.name(), &tensor.name);
    }
    true
}

const fn stem(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Buffer => "buffer",
        ObjectKind::Program => "program",
        ObjectKind::Kernel => "kernel",
        ObjectKind::CircularBuffer => "circular_buffer",
        ObjectKind::Semaphore => "semaphore",
        ObjectKind::Event => "event",
        ObjectKind::Trace => "trace",
    }
}

#[derive(Default)]
struct Names(BTreeMap<&'static str, BTreeMap<String, usize>>);

impl Names {
    fn of(&mut self, stem: &'static str, before: &str) -> String {
        let known = self.0.entry(stem).or_default();
        let next = known.len();
        let number = *known.entry(before.to_owned()).or_insert(next);
        format!("{stem}_{number}")
    }
}

/// Removes the text of kernels from a finished capture.
pub(crate) fn without_sources(capture: &mut Capture) {
    let mut paths: BTreeMap<String, String> = BTreeMap::new();
    for recorded in &mut capture.program.commands {
        if let Command::CreateKernel(call) = &mut recorded.command {
            let next = paths.len();
            let path = paths.entry(call.source.clone());
            call.source.clone_from(path.or_insert_with(|| format!("kernels/kernel_{next}.cpp")));
            call.defines.clear();
            call.named_compile_args.clear();
            call.bindings = None;
        }
    }
    let hash = ContentHash::of(NO_SOURCE);
    let mut sources: Vec<SourceFile> =
        paths.into_values().map(|path| SourceFile { path, hash }).collect();
    sources.sort();
    let before: Vec<ContentHash> = capture.program.sources.iter().map(|file| file.hash).collect();
    capture.program.sources = sources;
    drop_blobs(&mut capture.blobs, &before);
    if !capture.program.sources.is_empty() {
        capture.blobs.insert(hash, SharedBytes::from(NO_SOURCE));
    }
    if let Some(record) = &mut capture.record {
        record.elfs.iter_mut().for_each(|elf| elf.lines = LineTableBytes::default());
        if let Some(origin) = &mut record.origin {
            origin.generated_bindings.iter_mut().for_each(|bindings| bindings.original.clear());
        }
    }
}

fn drop_blobs(blobs: &mut Blobs, hashes: &[ContentHash]) {
    blobs.retain(|hash, _| !hashes.contains(hash));
}
