//! How long it takes to list 10 000 tests, and to find one of them by name, beside the same in a suite of
//! its own: `cargo run --release --package hallmark --example listing`. With a number behind `--`, of so many tests in
//! hundreds.
#![expect(clippy::print_stdout, reason = "the figures")]

use std::path::Path;
use std::time::{Duration, Instant};

use hallmark_suite::discover::{Root, known_architectures};

type Error = Box<dyn std::error::Error>;

/// Suites of ten cases with ten tests each.
fn write(folder: &Path, suites: usize) -> Result<(), Error> {
    for suite in 0..suites {
        let group = folder.join(format!("suites/group{}", suite / 10));
        std::fs::create_dir_all(&group)?;
        let mut text = "about: Many tests.\ncases:\n".to_owned();
        for case in 0..10 {
            text.push_str(&format!(
                "  case{case}:
    about: A buffer, written and read.
    matrix: {{ pages: [1, 2, 3, 4, 5], page_size: [64, 128] }}
    steps:
      - create_buffer: {{ id: a, type: dram, size: pages * page_size, page_size: page_size }}
      - enqueue_write_buffer: {{ buffer: a, data: {{ uniform: uint32, seed: {case} }} }}
      - enqueue_read_buffer: {{ buffer: a, as: out }}
      - finish: {{}}
    expect:
      - equal: [out, a]
"
            ));
        }
        std::fs::write(group.join(format!("suite{}.yaml", suite % 10)), text)?;
    }
    Ok(())
}

/// The shortest of some tries.
fn best(mut work: impl FnMut() -> Result<(), Error>) -> Result<Duration, Error> {
    let mut shortest = Duration::MAX;
    for _ in 0..10 {
        let start = Instant::now();
        work()?;
        shortest = shortest.min(start.elapsed());
    }
    Ok(shortest)
}

fn main() -> Result<(), Error> {
    let (many, alone) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let suites = std::env::args().nth(1).map_or(Ok(100), |hundreds| hundreds.parse())?;
    write(many.path(), suites)?;
    write(alone.path(), 1)?;
    let architectures: Vec<_> = known_architectures().into_iter().take(1).collect();
    let root = Root::at(many.path())?;
    let mut count = 0;
    let listing = best(|| {
        let suites = root.load_all()?;
        let tests = suites.iter().flat_map(|suite| suite.tests(&architectures));
        count = tests.map(|test| test.name.to_string()).filter(|name| !name.is_empty()).count();
        Ok(())
    })?;
    let check = best(|| {
        for suite in root.load_all()? {
            suite.check(&architectures)?;
        }
        Ok(())
    })?;
    let name = "group0::suite0::case7::pages=3::page_size=128";
    let name = format!("{}::{name}", architectures.first().ok_or("no architecture")?).parse()?;
    let find = |folder: &Path| {
        let root = Root::at(folder)?;
        best(|| {
            root.test(&name)?.bind()?;
            Ok(())
        })
    };
    println!("list {count} tests         {:8.2} ms", listing.as_secs_f64() * 1e3);
    println!("check every one of them   {:8.2} ms", check.as_secs_f64() * 1e3);
    println!("bind one of them by name  {:8.2} ms", find(many.path())?.as_secs_f64() * 1e3);
    println!("the same, alone           {:8.2} ms", find(alone.path())?.as_secs_f64() * 1e3);
    Ok(())
}
