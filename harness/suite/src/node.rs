//! Reads the text of a suite file into a tree of values that know where they stand.

use std::collections::BTreeSet;

pub use hallmark_yaml::{Entry, Node, Value};

use super::mistake::{Mistake, Span};
use super::yaml_error::refusal;

/// Larger suite files are refused before they are parsed.
pub const FILE_LIMIT: u64 = 4 << 20;

/// Why the text of a file of suites cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum UnreadableText {
    /// The file is larger than [`FILE_LIMIT`].
    #[error("it has {length} B, more than {} MiB", FILE_LIMIT >> 20)]
    TooLong { length: u64 },
    #[error("it is not UTF-8")]
    NotUtf8(#[from] std::string::FromUtf8Error),
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

/// The one place where YAML is parsed. `file` goes into every span.
pub fn load(text: &str, file: u16) -> Result<Node, Mistake> {
    if u64::try_from(text.len()).is_ok_and(|length| length > FILE_LIMIT) {
        return Err(Mistake::new(
            format!("a suite file is at most {} MiB", FILE_LIMIT >> 20),
            Span { file, ..Span::default() },
            "split it by what its cases test",
        ));
    }
    hallmark_yaml::parse(text, file).map_err(|error| refusal(text, file, &error))
}

/// Adds the texts that stand under a key, wherever it stands in a value. The parser bounds the depth.
pub fn texts_of_key(node: &Node, key: &str, texts: &mut BTreeSet<String>) {
    match &node.value {
        Value::List(nodes) => nodes.iter().for_each(|node| texts_of_key(node, key, texts)),
        Value::Map(entries) => {
            for entry in entries {
                if let Value::Text(text) = &entry.value.value
                    && entry.key == key
                {
                    texts.insert(text.clone());
                }
                texts_of_key(&entry.value, key, texts);
            }
        }
        Value::Null | Value::Bool(_) | Value::Integer(_) | Value::Float(_) | Value::Text(_) => {}
    }
}
