//! The embedded bytes that an edited capture still needs.

use std::collections::BTreeSet;

use hallmark_schema::commands::{EnqueueReadBuffer, EnqueueWriteBuffer};
use hallmark_schema::model::{Blobs, Command, Data, Expectation, ProgramPart, Record, SourceFile};

/// The blobs that a capture refers to.
pub(crate) fn needed(blobs: &Blobs, program: &ProgramPart, record: Option<&Record>) -> Blobs {
    let sources = program.sources.iter().map(|source| source.hash);
    let of_record = record.into_iter().flat_map(|record| {
        let elfs = record.elfs.iter().map(|elf| elf.hash);
        elfs.chain(record.reads.iter().map(|read| read.hash))
    });
    let data = program.commands.iter().filter_map(|recorded| data_of(&recorded.command));
    let data = data.filter(|data| data.generator.is_none()).map(|data| data.hash);
    let wanted: BTreeSet<_> = sources.chain(of_record).chain(data).collect();
    let wanted = wanted.into_iter().filter_map(|hash| Some((hash, blobs.get(&hash)?.clone())));
    wanted.collect()
}

/// The data that a call refers to.
pub(crate) const fn data_of(command: &Command) -> Option<&Data> {
    match command {
        Command::EnqueueWriteBuffer(EnqueueWriteBuffer { data, .. })
        | Command::EnqueueReadBuffer(EnqueueReadBuffer {
            expectation: Expectation::Reference { data, .. },
            ..
        }) => Some(data),
        _ => None,
    }
}

/// The sources of the remaining kernels, and the headers that these may include. A source is a header if no
/// kernel of `all` has it as its own. A header stays if the text of a remaining source names it, or if that
/// text is not embedded.
pub(crate) fn sources(all: &ProgramPart, edited: &ProgramPart, blobs: &Blobs) -> Vec<SourceFile> {
    let own = |program: &ProgramPart| -> BTreeSet<String> {
        let sources = program.commands.iter().filter_map(|recorded| match &recorded.command {
            Command::CreateKernel(call) => Some(call.source.clone()),
            _ => None,
        });
        sources.collect()
    };
    let (every, mut wanted) = (own(all), own(edited));
    let text = |source: &SourceFile| {
        blobs.get(&source.hash).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    };
    let mut unread: Vec<&SourceFile> =
        all.sources.iter().filter(|source| wanted.contains(&source.path)).collect();
    let headers: Vec<&SourceFile> =
        all.sources.iter().filter(|source| !every.contains(&source.path)).collect();
    while let Some(source) = unread.pop() {
        let text = text(source);
        for &header in &headers {
            let file = header.path.rsplit('/').next().unwrap_or_default();
            let is_named = text.as_ref().is_none_or(|text| text.contains(file));
            if is_named && wanted.insert(header.path.clone()) {
                unread.push(header);
            }
        }
    }
    all.sources.iter().filter(|source| wanted.contains(&source.path)).cloned().collect()
}
