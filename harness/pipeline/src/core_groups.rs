//! Groups of cores at the same line with the same message: a report shows them together.

use std::collections::BTreeSet;

use hallmark_chip::{LogicalCore, PhysicalCoordinate, Processor, SourceFrame};
use hallmark_schema::plural::counted;

use super::source_lines;
use super::stopped_program::StoppedProgram;

/// The largest number of groups in a report.
const SHOWN_GROUPS: usize = 12;
/// The number of named cores of a group that is not a rectangle.
const NAMED_CORES: usize = 4;

/// A core in a report.
pub(super) struct GroupedCore<'a> {
    pub(super) tile: PhysicalCoordinate,
    pub(super) processor: Processor,
    pub(super) symbol: Option<&'a str>,
    pub(super) frames: &'a [SourceFrame],
    /// The message about it.
    pub(super) about: String,
}

/// Cores with the same message, and the caller's data about each.
struct Group<'a, T> {
    function: String,
    core: GroupedCore<'a>,
    tiles: Vec<PhysicalCoordinate>,
    each: Vec<T>,
}

/// A report's lines about cores. `more` gives the continuation of a group's line, and the lines below it.
pub(super) fn groups<'a, T: Copy>(
    program: &StoppedProgram<'_>,
    cores: impl Iterator<Item = (GroupedCore<'a>, T)>,
    more: impl Fn(&[T]) -> (Option<String>, Vec<String>),
) -> Vec<String> {
    let mut groups: Vec<Group<'a, T>> = Vec::new();
    for (core, of) in cores {
        let GroupedCore { tile, processor, symbol, frames, about } = &core;
        let function = program.function(*tile, *processor, *symbol, frames);
        let alike = groups.iter_mut().find(|group| {
            group.function == function
                && group.core.processor == *processor
                && group.core.frames == *frames
                && group.core.about == *about
        });
        match alike {
            Some(group) => {
                group.tiles.push(*tile);
                group.each.push(of);
            }
            None => {
                groups.push(Group { function, tiles: vec![*tile], each: vec![of], core });
            }
        }
    }
    let mut lines = Vec::new();
    for Group { function, core, tiles, each } in groups.iter().take(SHOWN_GROUPS) {
        let GroupedCore { processor, frames, about, .. } = core;
        let cores = named(program, tiles);
        let (further, below) = more(each);
        let further = further.map(|further| format!(", {further}")).unwrap_or_default();
        let about = std::iter::once(format!("{about}{further}")).chain(below);
        let head = format!("{cores} {processor:<6}{function}");
        lines.extend(below_core(program, head, frames, about.collect()));
    }
    let hidden = groups.iter().skip(SHOWN_GROUPS).map(|group| group.tiles.len()).sum::<usize>();
    if hidden > 0 {
        lines.push(format!("and {} more", counted(hidden, "core", "cores")));
    }
    lines
}

/// A core and its message: in one line, or below the source lines if they are known.
pub(super) fn below_core(
    program: &StoppedProgram<'_>,
    core: String,
    frames: &[SourceFrame],
    mut about: Vec<String>,
) -> Vec<String> {
    let mut first = core;
    if frames.is_empty() && !about.is_empty() {
        first = format!("{first}, {}", about.remove(0));
    }
    let below = source_lines::inlined(program.capture, frames).into_iter().chain(about);
    std::iter::once(first).chain(below.map(|line| format!("  {line}"))).collect()
}

/// `(1,1)`, `64 cores (0,0)–(7,7)`, `3 cores (0,0) (1,1) (2,2)`.
pub(super) fn named(program: &StoppedProgram<'_>, tiles: &[PhysicalCoordinate]) -> String {
    if let [one] = tiles {
        return program.core_name(*one);
    }
    let count = counted(tiles.len(), "core", "cores");
    let logical: Option<BTreeSet<LogicalCore>> =
        tiles.iter().map(|tile| program.logical(*tile)).collect();
    if let Some((first, last)) = logical.as_ref().and_then(rectangle) {
        return format!("{count} {first}–{last}");
    }
    let names: Vec<String> =
        tiles.iter().take(NAMED_CORES).map(|tile| program.core_name(*tile)).collect();
    let rest = if tiles.len() > NAMED_CORES { " …" } else { "" };
    format!("{count} {}{rest}", names.join(" "))
}

/// The corners of a rectangle that the cores fill completely.
fn rectangle(cores: &BTreeSet<LogicalCore>) -> Option<(LogicalCore, LogicalCore)> {
    let (columns, rows) = (cores.iter().map(|core| core.x), cores.iter().map(|core| core.y));
    let first = LogicalCore { x: columns.clone().min()?, y: rows.clone().min()? };
    let last = LogicalCore { x: columns.max()?, y: rows.max()? };
    let width = u64::from(last.x.abs_diff(first.x)).checked_add(1)?;
    let height = u64::from(last.y.abs_diff(first.y)).checked_add(1)?;
    (u64::try_from(cores.len()).ok()? == width.checked_mul(height)?).then_some((first, last))
}
