//! Compares bytes with TT-Metalium's. `upstream.txt` holds hashes from the ttnn wheel 0.81.1, written by
//! `scripts/tensor-bytes/run`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod made;

use made::{Made, data_type, digest, layout, shape};

#[test]
fn tensors_and_conversions_have_the_bytes_of_tt_metalium() {
    let table = include_str!("upstream.txt");
    let mut different = Vec::new();
    for line in table.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let (bytes, expected) = match words[..] {
            ["create", of, named, laid_out, padding, expected] => {
                let made = Made {
                    data_type: data_type(of),
                    target: data_type(of),
                    shape: shape(named),
                    layout: layout(laid_out),
                    padding: padding.parse().unwrap(),
                };
                (made.tensor().into_bytes(), expected)
            }
            ["convert", from, to, named, laid_out, expected] => {
                let made = Made {
                    data_type: data_type(from),
                    target: data_type(to),
                    shape: shape(named),
                    layout: layout(laid_out),
                    padding: 0.0,
                };
                (made.tensor().to_data_type(data_type(to)).unwrap().into_bytes(), expected)
            }
            ["layout", of, named, from, to, expected] => {
                let padding = if from == "row_major" { 0.0 } else { 7.0 };
                let of = data_type(of);
                let made = Made {
                    data_type: of,
                    target: of,
                    shape: shape(named),
                    layout: layout(from),
                    padding,
                };
                (made.tensor().to_layout(layout(to), 0.0).unwrap().into_bytes(), expected)
            }
            _ => panic!("not a line of the table: {line}"),
        };
        if digest(&bytes) != expected {
            different.push(line);
        }
    }
    assert!(
        different.is_empty(),
        "{} of {} tensors have other bytes:\n{}",
        different.len(),
        table.lines().count(),
        different.join("\n")
    );
    assert!(table.lines().count() > 2000);
}
