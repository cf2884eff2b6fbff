//! Any files form an archive, and reading the archive returns them.

use std::collections::BTreeMap;

use proptest::collection::{btree_map, vec};
use proptest::prelude::{any, proptest};
use proptest::sample::Index;

use crate::{Archive, Contents, EntryName, Limits, Package, write_archive};

fn written(files: &BTreeMap<EntryName, Contents>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_archive(files, &mut bytes).unwrap();
    bytes
}

proptest! {
    #[test]
    fn what_is_written_is_read_and_written_again(
        files in btree_map("[a-z0-9]{1,9}/[a-z0-9]{1,9}[.]x", vec(any::<u8>(), 0..1500), 0..8),
    ) {
        let files: BTreeMap<EntryName, Contents> = files
            .into_iter()
            .map(|(name, bytes)| (EntryName::new(&name).unwrap(), Contents::Bytes(bytes)))
            .collect();
        let bytes = written(&files);
        let archive = Archive::read(&bytes, &Limits::default()).unwrap();
        let again = archive.files().map(|(name, bytes)| (name.clone(), Contents::Bytes(bytes.to_vec())));
        let again: BTreeMap<EntryName, Contents> = again.collect();
        assert_eq!(again, files);
        assert_eq!(written(&again), bytes);
    }

    #[test]
    fn what_is_read_is_what_would_be_written(
        at in any::<Index>(), bytes in vec(any::<u8>(), 0..40), cut in any::<bool>(),
    ) {
        let mut package = super::fixture::unsigned();
        let at = at.index(package.len());
        if cut {
            package.truncate(at);
        }
        package.splice(at..at.saturating_add(bytes.len()).min(package.len()), bytes);
        if let Ok(archive) = Archive::read(&package, &Limits::default()) {
            let files = archive.files().map(|(name, bytes)| (name.clone(), Contents::Bytes(bytes.to_vec())));
            assert_eq!(written(&files.collect()), package);
        }
        // Any result is fine, as long as nothing panics.
        drop(Package::read(&package, &Limits::default()));
    }

    #[test]
    fn any_bytes_are_refused(bytes in vec(any::<u8>(), 0..3000)) {
        assert!(Package::read(&bytes, &Limits::default()).is_err());
    }
}
