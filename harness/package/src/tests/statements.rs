//! Forged statements, each signed by an allowed submitter, so that only the statement's checks can refuse them.

use std::collections::BTreeMap;

use super::fixture::{Forgery, predicate, replace, restated, unnoticed, verify};
use crate::json::{self, JsonProblem};
use crate::{Predicate, STATEMENT, Statement};

/// The statement with a text replaced.
fn edited(old: &'static str, new: &'static str) -> Vec<u8> {
    restated(|files| replace(files, STATEMENT, old, new))
}

/// The statement with a changed value.
fn other(change: impl FnOnce(&mut Statement)) -> Vec<u8> {
    restated(|files| {
        let mut statement: Statement = json::read(&files[STATEMENT]).unwrap();
        change(&mut statement);
        files.insert(STATEMENT.to_owned(), json::write(&statement).unwrap());
    })
}

#[rustfmt::skip] // One forgery per line.
const FORGERIES: &[Forgery<Vec<u8>>] = &[
    ("dated in the future", || edited("2026-11-23T08:00:00Z", "2026-11-24T12:00:01Z"), "made at 2026-11-24T12:00:01Z, which is after"),
    ("no date", || edited("2026-11-23T08:00:00Z", "yesterday"), "a time is written as"),
    ("JSON re-serialized", || edited("\"draft\":", "\"draft\": "), "not the one that is written for its value"),
    ("another escape", || edited("\"smoke\"", "\"smok\\u0065\""), "not the one that is written for its value"),
    ("keys in another order", || edited("\"draft\":false,\"challenge\":null", "\"challenge\":null,\"draft\":false"), "not the one that is written for its value"),
    ("duplicate key", || edited("\"draft\":false", "\"draft\":true,\"draft\":false"), "duplicate key \"draft\""),
    ("duplicate key in a map", || edited("\"Pass\":1", "\"Pass\":2,\"Pass\":1"), "duplicate key \"Pass\""),
    ("duplicate key by an escape", || edited("\"Pass\":1", "\"P\\u0061ss\":2,\"Pass\":1"), "duplicate key \"Pass\""),
    ("duplicate key in an unknown field", || edited("\"draft\":", "\"more\":[{\"a\":1,\"a\":2}],\"draft\":"), "duplicate key \"a\""),
    ("unknown field", || edited("\"draft\":", "\"final\":true,\"draft\":"), "unknown field `final`"),
    ("a field is missing", || edited(",\"challenge\":null", ""), "not the one that is written for its value"),
    ("two documents", || edited("{\"_type\"", "{}{\"_type\""), "no JSON"),
    ("a byte order mark", || edited("{\"_type\"", "\u{feff}{\"_type\""), "no JSON"),
    ("nested without end", || restated(|files| drop(files.insert(STATEMENT.to_owned(), vec![b'['; 100_000]))), "no JSON"),
    ("other type", || edited("in-toto.io/Statement/v1", "in-toto.io/Statement/v0.1"), "the statement is of the type"),
    ("other predicateType", || edited("#hallmark-package-v1", "#hallmark-package-v2"), "the predicate is of the type"),
    ("subject empty", || other(|statement| statement.subject.clear()), "has no subject"),
    ("subject twice", || other(|statement| statement.subject.push(statement.subject[0].clone())), "the subject `MANIFEST` stands twice"),
    ("subject not the bundle", || other(|statement| statement.subject[1].digest = statement.subject[0].digest), "`firmware/wormhole_b0/manifest.json` has other hashes"),
    ("subject of other hashes", || other(|statement| statement.subject[0].digest.sha256 = crate::Sha256::of(b"")), "`MANIFEST` has other hashes"),
    ("subject unknown", || other(|statement| statement.subject[1].name = "firmware/wormhole_b0/brisc.elf".to_owned()), "`firmware/wormhole_b0/brisc.elf` is not the manifest"),
    ("subject absent", || other(|statement| drop(statement.subject.pop())), "`profile.lock` is in the package, and no subject"),
    ("subjects in another order", || other(|statement| statement.subject.reverse()), "not in the order of their names"),
];

#[test]
fn forged_statements_are_refused() {
    assert_eq!(verify(&other(|_| ())), Ok(()));
    assert_eq!(unnoticed(FORGERIES, |bytes| verify(bytes)), Vec::<String>::new());
}

#[test]
fn lines_are_documents_and_errors_name_them() {
    let values = [predicate(), predicate()];
    let bytes = json::write_lines(&values).unwrap();
    assert_eq!(json::read_lines::<Predicate>(&bytes), Ok(values.to_vec()));
    assert_eq!(json::read_lines::<Predicate>(b""), Ok(Vec::new()));
    let error = |bytes: &[u8]| json::read_lines::<Predicate>(bytes).unwrap_err();
    let cut = error(&bytes[..bytes.len() - 1]);
    assert_eq!((cut.line, cut.problem), (Some(2), JsonProblem::NoLineEnd));
    let empty = error(&[b"\n", bytes.as_slice()].concat());
    assert!(matches!((empty.line, empty.problem), (Some(1), JsonProblem::Malformed { .. })));
}

#[test]
fn numbers_have_one_spelling() {
    type Numbers = BTreeMap<String, f64>;
    let read = |text: &str| json::read::<Numbers>(text.as_bytes()).is_ok();
    assert!(read("{\"a\":0.1}\n"));
    assert!(!read("{\"a\":1e-1}\n"));
    assert!(!read("{\"a\":0.10}\n"));
    assert!(!read("{\"a\":1e999}\n"));
}
