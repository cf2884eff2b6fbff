//! Properties of every page: no string of a report is executed, nothing is loaded, the size is bounded.

use std::collections::BTreeSet;

use serde_json::Value;

use super::*;
use crate::model::*;
use crate::picture::*;

/// A report in which every list has an entry and every picture occurs.
fn sample() -> Report {
    let text = |text: &str| text.to_owned();
    let cell = Cell { x: 1, y: 1 };
    let pictures = vec![
        Picture::Pages(PageStrip {
            buffer: text("dst"),
            page_size: 2048,
            pages: 7,
            differing: vec![PageRange { first: 3, last: 3 }],
        }),
        Picture::Banks(BankBars {
            memory: text("DRAM"),
            buffer: text("dst"),
            banks: vec![Bank { bank: 3, place: text("tile (0,5)"), pages: 1, differing: 1 }],
        }),
        Picture::Bytes(BytePair {
            object: text("out"),
            left_name: text("expected"),
            right_name: text("actual"),
            offset: 0,
            left: text("00010203"),
            right: text("00010204"),
        }),
        Picture::Tiles(TileGrid {
            architecture: text("wormhole_b0"),
            columns: 2,
            rows: 2,
            tiles: vec![
                Tile { cell, kind: TileKind::Tensix, label: text("0,0") },
                Tile { cell: Cell { x: 0, y: 0 }, kind: TileKind::Dram, label: text("x") },
            ],
            marks: vec![TileMark { cell, role: TileRole::Fault, about: text("BRISC") }],
            arrows: vec![Arrow { from: cell, to: Cell { x: 0, y: 0 } }],
            arrow_meaning: text("from who waits"),
        }),
        Picture::Waits(WaitChart {
            cores: vec![WaitingCores {
                name: text("(0,0) BRISC"),
                awaited: text("semaphore"),
                is_stuck: true,
            }],
            edges: vec![WaitEdge { from: 0, to: 0 }],
        }),
        Picture::Source(SourceExcerpt {
            who: text("(0,0) BRISC"),
            file: text("copy.cpp"),
            first: 13,
            line: 14,
            lines: vec![text("a();"), text("b();")],
        }),
    ];
    let failure = Failure {
        name: text("wormhole_b0::group::suite::case"),
        label: text("FAIL"),
        tone: Tone::Bad,
        written_at: Some(text("suites/a.yaml:3")),
        lines: vec![text("Mismatch"), text("more")],
        pictures,
        remedies: vec![
            Remedy { name: text("again"), text: text("hallmark run"), is_command: true },
            Remedy { name: text("kept"), text: text("target/hallmark"), is_command: false },
        ],
        signature: Some(text("{}")),
        earlier: vec![text("it hung before")],
    };
    let fact = || Fact { name: text("Commit"), value: text("abc") };
    Report {
        kind: text("Run"),
        subject: text("wormhole_b0 on sim"),
        conclusion: Conclusion { tone: Tone::Bad, text: text("1 of 2 tests did not pass") },
        remarks: vec![text("a remark")],
        facts: vec![fact()],
        rows: vec![Row {
            architecture: text("wormhole_b0"),
            device: text("sim"),
            dispatch: text("host"),
            counts: vec![Count { word: text("pass"), tone: Tone::Good, tests: 1 }],
            seconds: Some(3.9),
        }],
        claims: vec![Claim {
            text: text("it holds"),
            basis: Basis::Replayed,
            doubt: text("nobody"),
        }],
        failures: vec![FailureGroup {
            title: Some(text("`out` differs")),
            failures: vec![failure.clone(), failure],
        }],
        waivers: vec![Waiver {
            name: text("W-1"),
            tests: vec![text("a::**")],
            matches: 6,
            failure: text("DataRace"),
            reason: text("known"),
            link: Some(text("https://example.org/1")),
            until: text("2027-07-01, in 220 days"),
            tone: Tone::Excused,
            approved_by: text("reviewer@example.org"),
        }],
        difference: Some(Difference {
            base: text("last.hallmark"),
            groups: vec![DifferenceGroup {
                title: text("passed, and fails now"),
                tone: Tone::Bad,
                tests: vec![fact()],
            }],
        }),
        headroom: vec![Headroom {
            test: text("t"),
            output: text("out"),
            used: 0.25,
            allowed: text("2 units in the last place"),
        }],
        reasons: vec![ReasonList {
            title: text("Skipped"),
            tone: Tone::Neutral,
            reasons: vec![Reason { reason: text("not here"), tests: vec![text("a::b")] }],
        }],
        tests: vec![ListedTest {
            name: text("a::b"),
            word: text("pass"),
            tone: Tone::Good,
            basis: Some(Basis::Replayed),
            seconds: Some(0.5),
        }],
    }
}

/// The names of enum values of a report's types, which cannot be a user's strings.
const KEYWORDS: [&str; 23] = [
    "good",
    "bad",
    "excused",
    "neutral",
    "replayed",
    "recomputed",
    "submitted",
    "signed",
    "asserted",
    "tensix",
    "harvested",
    "dram",
    "ethernet",
    "pcie",
    "arc",
    "fault",
    "against",
    "memory",
    "waits",
    "runs",
    "pages",
    "banks",
    "bytes",
];

/// Replaces every string of a report; returns their number.
fn replace(value: &mut Value, with: &str) -> usize {
    match value {
        Value::String(text) if KEYWORDS.contains(&text.as_str()) => 0,
        Value::String(text) => {
            with.clone_into(text);
            1
        }
        Value::Array(values) => values.iter_mut().map(|value| replace(value, with)).sum(),
        Value::Object(values) => values.values_mut().map(|value| replace(value, with)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

fn with_every_string(text: &str) -> String {
    let mut value = serde_json::to_value(sample()).unwrap();
    assert!(replace(&mut value, text) > 50);
    html(&serde_json::from_value(value).unwrap())
}

/// The tags of a page, in order.
fn tags(html: &str) -> Vec<String> {
    html.split('<').skip(1).filter_map(|tag| Some(tag.split_once('>')?.0.to_owned())).collect()
}

#[test]
fn the_page_loads_nothing_and_runs_nothing() {
    let page = html(&sample());
    assert!(page.starts_with("<!DOCTYPE html>"));
    let policy = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
                  style-src 'unsafe-inline'";
    assert!(page.contains(policy.replace('\'', "&#39;").as_str()) || page.contains(policy));
    for tag in tags(&page) {
        let name = tag.split([' ', '/']).find(|it| !it.is_empty()).unwrap_or_default();
        let forbidden = ["script", "iframe", "img", "link", "object", "embed", "form", "base"];
        assert!(!forbidden.contains(&name), "{tag}");
        assert!(!tag.contains(" on"), "{tag}");
    }
    assert!(!STYLE.contains("url(") && !STYLE.contains("@import") && !STYLE.contains('<'));
}

/// A page's tags without the values of their attributes.
fn skeletons(html: &str) -> BTreeSet<String> {
    let skeleton = |tag: String| tag.split('"').step_by(2).collect::<Vec<_>>().join("\"\"");
    tags(html).into_iter().map(skeleton).collect()
}

/// For any strings, the page has the same tags and attributes as for strings of letters.
#[test]
fn no_string_becomes_a_tag_or_an_attribute() {
    let harmless = skeletons(&with_every_string("ab"));
    for hostile in [
        "<script>alert(1)</script>",
        "</style><script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "\" onmouseover=\"alert(1)",
        "' onmouseover='alert(1)",
        "javascript:alert(1)",
        "</title></head><body onload=alert(1)>",
        "<!--",
        "]]><![CDATA[<x>",
        "</svg></pre></details></article>",
        "&lt;script&gt;",
    ] {
        let page = with_every_string(hostile);
        let more: Vec<String> = skeletons(&page).difference(&harmless).cloned().collect();
        assert!(more.is_empty(), "{hostile}: {more:?}");
        assert!(!page.contains("href=\"javascript"), "{hostile}");
    }
}

#[test]
fn what_a_browser_would_obey_is_named() {
    let page = with_every_string("a\u{202e}b\u{2066}c\x1b[31m\0\u{feff}\u{200b}");
    for letter in ['\u{202e}', '\u{2066}', '\x1b', '\0', '\u{feff}', '\u{200b}'] {
        assert!(!page.contains(letter), "{letter:?}");
    }
    assert!(page.contains("a⟨U+202E⟩b⟨U+2066⟩c␛[31m␀"));
}

#[test]
fn the_file_stays_small_however_long_strings_and_lists_are() {
    // Letters that take six and thirteen bytes of HTML.
    for letter in ["\"", "\u{e0001}"] {
        let page = with_every_string(&letter.repeat(1 << 20));
        assert!(page.len() < LARGEST / 4, "{}", page.len());
        let page = html(&endless(&letter.repeat(1_001)));
        assert!(page.len() < LARGEST, "{letter:?}: {}", page.len());
        assert!(page.ends_with("</html>"));
    }
}

/// A report that exceeds the page's limits everywhere.
fn endless(long: &str) -> Report {
    let long = long.to_owned();
    let mut report = sample();
    let fact = Fact { name: long.clone(), value: long.clone() };
    let failure = report.failures[0].failures[0].clone();
    let failure = Failure { lines: vec![long.clone(); 50], ..failure };
    let group = FailureGroup { title: Some(long.clone()), failures: vec![failure; 2] };
    report.failures = vec![group; 20];
    report.tests = vec![ListedTest { name: long.clone(), ..report.tests[0].clone() }; 1_000];
    let headroom = Headroom { test: long.clone(), ..report.headroom[0].clone() };
    report.headroom = vec![headroom; 100];
    let waiver = Waiver { tests: vec![long.clone(); 40], ..report.waivers[0].clone() };
    report.waivers = vec![waiver; 20];
    let reason = Reason { reason: long.clone(), tests: vec![long.clone(); 20] };
    report.reasons[0].reasons = vec![reason; 4];
    report.reasons = vec![report.reasons[0].clone(); 20];
    report.remarks = vec![long.clone(); 100];
    report.facts = vec![fact.clone(); 100];
    let claim = Claim { text: long.clone(), doubt: long.clone(), ..report.claims[0].clone() };
    report.claims = vec![claim; 100];
    let row = Row { architecture: long.clone(), device: long.clone(), ..report.rows[0].clone() };
    report.rows = vec![row; 200];
    let groups = &mut report.difference.as_mut().unwrap().groups;
    groups[0].tests = vec![fact; 100];
    *groups = vec![groups[0].clone(); 20];
    report
}

#[test]
fn three_thousand_tests_are_all_listed() {
    let mut report = sample();
    let name = |number| {
        format!("wormhole_b0::dataflow::loopback::one_core::pages=64::page_size=2048::n={number}")
    };
    report.tests = (0..3_000)
        .map(|number| ListedTest { name: name(number), ..report.tests[0].clone() })
        .collect();
    let page = html(&report);
    assert!(page.len() < LARGEST / 4, "{}", page.len());
    assert!(page.contains("n=2999") && !page.contains("has no room"));
}
