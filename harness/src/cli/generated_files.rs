//! Files that `hallmark schema --write` generates from the types that parse suites, fragments and conformance
//! profiles.

use hallmark_certification::profile::{PROFILES_SCHEMA_PATH, profiles_json_schema};
use hallmark_suite::reference::{
    FRAGMENTS_SCHEMA_PATH, REFERENCE_PATH, SCHEMA_PATH, fragments_json_schema, json_schema,
    markdown,
};

/// Every generated file, by its path relative to the root.
pub(super) fn generated_files() -> [(&'static str, String); 4] {
    [
        (SCHEMA_PATH, json_schema()),
        (FRAGMENTS_SCHEMA_PATH, fragments_json_schema()),
        (PROFILES_SCHEMA_PATH, profiles_json_schema()),
        (REFERENCE_PATH, markdown()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_schema_and_reference_are_current() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        for (path, text) in generated_files() {
            let committed = std::fs::read_to_string(format!("{root}/{path}")).unwrap_or_default();
            if std::env::var_os("HALLMARK_UPDATE_SCHEMA").is_some() {
                std::fs::write(format!("{root}/{path}"), &text).unwrap();
                continue;
            }
            assert!(committed == text, "{path} has drifted: run `hallmark schema --write`");
        }
    }
}
