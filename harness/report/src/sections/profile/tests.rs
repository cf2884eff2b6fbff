//! The tables of a profile page, by what their cells say.

use crate::profile::{Lane, LineCost, ProfileReport, ProfiledOperation, WaitShare, ZoneCost};

/// The cells of the table rows in which a word stands, without tags.
fn rows(html: &str, word: &str) -> Vec<Vec<String>> {
    let rows = html.split("<tr>").skip(1).filter_map(|row| row.split("</tr>").next());
    rows.filter(|row| row.contains(word))
        .map(|row| {
            let cells = row.split("<td").skip(1).filter_map(|cell| cell.split_once('>'));
            cells.map(|(_, cell)| without_tags(cell)).collect()
        })
        .collect()
}

fn without_tags(html: &str) -> String {
    let mut text = String::new();
    for piece in html.split('<') {
        text.push_str(piece.split_once('>').map_or(piece, |(_, text)| text));
    }
    // Thousands are set apart by a narrow space.
    text.trim().replace('\u{202f}', " ")
}

fn operation(place: u64, program: &str, ticks: Option<u64>) -> ProfiledOperation {
    ProfiledOperation {
        place,
        program: program.to_owned(),
        ticks,
        cores: Some(place + 4),
        completed: ticks.is_some(),
        lanes: vec![Lane {
            tile: "(1,2)".to_owned(),
            processor: "BRISC".to_owned(),
            kernel: Some((3, 90)),
            waits: vec![(20, 45)],
        }],
        ..ProfiledOperation::default()
    }
}

fn page(operations: Vec<ProfiledOperation>) -> String {
    let report = ProfileReport {
        subject: "capture.lmb".to_owned(),
        device: "sim:blackhole".to_owned(),
        operations,
        ..ProfileReport::default()
    };
    crate::page::profile_html(&report)
}

#[test]
fn an_operation_shows_its_share_of_all_ticks_and_its_longest_wait() {
    let wait = |place: &str, ticks| WaitShare {
        kernel: "reader".to_owned(),
        place: place.to_owned(),
        cores: 2,
        ticks,
        of: 2000,
    };
    let slow = ProfiledOperation {
        waits: vec![wait("a.cpp:7", 1500), wait("b.cpp:9", 30)],
        ..operation(8, "slow", Some(3000))
    };
    let html = page(vec![slow, operation(5, "fast", Some(1000)), operation(9, "lost", None)]);
    let of = |program| rows(&html, &format!("<code>{program}</code>"));
    assert_eq!(of("slow"), [["8", "slow", "3 000", "75 %", "", "12", "75 % a.cpp:7"]]);
    assert_eq!(of("fast"), [["5", "fast", "1 000", "25 %", "", "9", ""]]);
    assert_eq!(of("lost"), [["9", "lost", "did not end", "", "", "13", ""]]);
    assert_eq!(
        rows(&html, "<code>reader</code>"),
        [["reader", "a.cpp:7", "2", "1 500", "75 %"], ["reader", "b.cpp:9", "2", "30", "1 %"]]
    );
}

#[test]
fn a_zone_shows_how_often_it_ran_and_whether_it_ended() {
    let zone = |zone: &str, times, ticks, longest, open| ZoneCost {
        kernel: "writer".to_owned(),
        zone: zone.to_owned(),
        times,
        ticks,
        longest,
        open,
    };
    let zones =
        vec![zone("copy", 17, 4200, 310, 0), zone("wait", 5, 90, 40, 2), zone("sum", 0, 77, 77, 0)];
    let html = page(vec![ProfiledOperation { zones, ..operation(3, "program", Some(5000)) }]);
    assert_eq!(
        rows(&html, "<code>writer</code>"),
        [
            ["writer", "copy", "17", "4 200", "310"],
            ["writer", "wait 2 did not end", "5", "90", "40"],
            // Only the sum was marked, so that the number of zones is unknown.
            ["writer", "sum", "", "77", ""],
        ]
    );
}

#[test]
fn a_line_shows_its_share_of_the_instructions() {
    let line =
        |place: &str, instructions| LineCost { place: place.to_owned(), instructions, of: 800 };
    let lines = vec![line("k.cpp:12", 600), line("k.cpp:30", 88)];
    let html = page(vec![ProfiledOperation { lines, ..operation(3, "program", Some(5000)) }]);
    assert_eq!(rows(&html, "k.cpp:"), [["k.cpp:12", "600", "75 %"], ["k.cpp:30", "88", "11 %"]]);
}
