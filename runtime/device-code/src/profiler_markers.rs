//! The markers of profiled firmware and kernels, read as untrusted input.

use super::profiler_abi::{
    BUFFER_WORDS, DRAM_ALIGNMENT_WORDS, KIND_SHIFT, MARKER_VALID, MarkerKind, NUMBER_SHIFT,
    ProfilerHeader, TIME_MASK, zone_number,
};

/// The largest part of an ELF's section of zone names that is read, bytes.
const ZONES_LIMIT: usize = 1 << 16;

/// The name of a zone, an event or data, from the ELF that marks it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ZoneName {
    /// The number of the name in markers.
    pub number: u16,
    /// Its name.
    pub name: String,
    /// The source file, as the compiler names it.
    pub file: String,
    /// The line of the marker in the source file.
    pub line: u32,
}

/// The names in a section of an ELF, each once; invalid entries are skipped.
pub(crate) fn zone_names(section: &[u8]) -> Vec<ZoneName> {
    let section = section.get(..ZONES_LIMIT).unwrap_or(section);
    let mut names: Vec<ZoneName> = section.split(|byte| *byte == 0).filter_map(zone_name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn zone_name(text: &[u8]) -> Option<ZoneName> {
    let number = zone_number(text);
    let text = std::str::from_utf8(text).ok()?.strip_suffix(",KERNEL_PROFILER")?;
    let mut parts = text.rsplitn(3, ',');
    let (line, file, name) = (parts.next()?, parts.next()?, parts.next()?);
    Some(ZoneName {
        number,
        name: name.to_owned(),
        file: file.to_owned(),
        line: line.parse().ok()?,
    })
}

/// The markers of a processor in one launch. Times are those of its tile's clock, modulo 2^44.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkedLaunch {
    /// The number of the launch on the tile, counted from 1.
    pub launch: u32,
    /// The number of markers that did not fit.
    pub dropped: u32,
    /// The firmware's zone; `None` if it has not begun.
    pub firmware: Option<MarkedZone>,
    /// The kernel's zone; `None` if it has not begun, or has no markers.
    pub kernel: Option<MarkedZone>,
    /// The kernel's own markers.
    pub markers: Vec<Marker>,
}

/// A marker of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// The start of a zone.
    Start {
        /// The zone's number.
        zone: u16,
        /// The time in ticks.
        time: u64,
    },
    /// The end of a zone.
    End {
        /// The zone's number.
        zone: u16,
        /// The time in ticks.
        time: u64,
    },
    /// The total duration of a zone.
    Total {
        /// The zone's number.
        zone: u16,
        /// The duration in ticks.
        ticks: u32,
    },
    /// A timestamp with data.
    Data {
        /// The number of its name.
        name: u16,
        /// The time in ticks.
        time: u64,
        /// The data.
        data: u64,
    },
    /// A timestamp.
    Event {
        /// The event's number.
        event: u16,
        /// The time in ticks.
        time: u64,
    },
}

/// The time between two markers of the same zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkedZone {
    /// The zone's number.
    pub zone: u16,
    /// The time of its start.
    pub from: u64,
    /// The time of its end; `None` if it did not end.
    pub until: Option<u64>,
}

/// Markers that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("word {word} of the markers is no {expected}")]
pub struct MarkersError {
    /// The index of the word, counted from 0.
    pub word: usize,
    /// The expected content.
    pub expected: &'static str,
}

impl MarkedLaunch {
    /// The launches that are stored consecutively in DRAM.
    ///
    /// # Errors
    /// The first word that Hallmark's firmware never writes.
    pub fn all_of(words: &[u32]) -> Result<Vec<Self>, MarkersError> {
        let mut launches = Vec::new();
        let mut at = 0usize;
        while at < words.len() {
            let wrong = |word, expected| MarkersError { word: at.saturating_add(word), expected };
            let rest = words.get(at..).unwrap_or_default();
            let of_header = |word: u32| rest.get(word as usize).copied();
            let launch = of_header(ProfilerHeader::LAUNCH).filter(|word| word & MARKER_VALID == 0);
            let launch = launch.ok_or_else(|| wrong(0, "number of a launch"))?;
            let length = of_header(ProfilerHeader::WORDS)
                .filter(|words| (ProfilerHeader::FIRST_MARKER..=BUFFER_WORDS).contains(words))
                .map(|words| words as usize);
            let buffer = length.and_then(|length| rest.get(..length));
            let buffer = buffer
                .ok_or_else(|| wrong(ProfilerHeader::WORDS as usize, "length of a buffer"))?;
            let read = Self::of_buffer(buffer, launch)
                .map_err(|error| MarkersError { word: at.saturating_add(error.word), ..error })?;
            launches.push(read);
            at = at.saturating_add(buffer.len().next_multiple_of(DRAM_ALIGNMENT_WORDS as usize));
        }
        Ok(launches)
    }

    /// The content of a processor's buffer; `words` is its filled part.
    ///
    /// # Errors
    /// The first word that Hallmark's kernels never write.
    pub fn of_buffer(words: &[u32], launch: u32) -> Result<Self, MarkersError> {
        let fixed = |at: u32| {
            let marker = |at: u32| {
                let first = *words.get(at as usize)?;
                let low = *words.get(at as usize + 1)?;
                let zone = (first >> NUMBER_SHIFT) as u16;
                (first & MARKER_VALID != 0).then(|| (zone, time(first, low)))
            };
            let (zone, from) = marker(at)?;
            Some(MarkedZone { zone, from, until: marker(at + 2).map(|(_, until)| until) })
        };
        let mut read = Self {
            launch,
            dropped: words.get(ProfilerHeader::DROPPED as usize).copied().unwrap_or(0),
            firmware: fixed(ProfilerHeader::FIRMWARE_ZONE),
            kernel: fixed(ProfilerHeader::KERNEL_ZONE),
            markers: Vec::new(),
        };
        let mut at = ProfilerHeader::FIRST_MARKER as usize;
        while let Some(&[first, low]) = words.get(at..).and_then(<[u32]>::first_chunk) {
            let wrong = |expected| MarkersError { word: at, expected };
            if first & MARKER_VALID == 0 {
                return Err(wrong("marker"));
            }
            let number = (first >> NUMBER_SHIFT) as u16;
            let time = time(first, low);
            let kind = first >> (NUMBER_SHIFT + KIND_SHIFT) & 0b111;
            let mut length = 2;
            read.markers.push(match kind {
                MarkerKind::ZONE_START => Marker::Start { zone: number, time },
                MarkerKind::ZONE_END => Marker::End { zone: number, time },
                MarkerKind::ZONE_TOTAL => Marker::Total { zone: number, ticks: low },
                MarkerKind::EVENT => Marker::Event { event: number, time },
                MarkerKind::TIMESTAMPED_DATA => {
                    let data = words.get(at.saturating_add(2)..).and_then(<[u32]>::first_chunk);
                    let Some(&[high, low]) = data else {
                        return Err(wrong("marker with its data"));
                    };
                    length = 4;
                    let data = u64::from(high) << 32 | u64::from(low);
                    Marker::Data { name: number, time, data }
                }
                _ => return Err(wrong("kind of marker")),
            });
            at = at.saturating_add(length);
        }
        Ok(read)
    }

    /// The kernel's zones in the order of their starts. An end without a start is ignored.
    pub fn zones(&self) -> Vec<MarkedZone> {
        let mut zones: Vec<MarkedZone> = Vec::new();
        for marker in &self.markers {
            match *marker {
                Marker::Start { zone, time } => {
                    zones.push(MarkedZone { zone, from: time, until: None });
                }
                Marker::End { zone, time } => {
                    let mut open = zones.iter_mut().rev();
                    if let Some(open) = open.find(|it| it.zone == zone && it.until.is_none()) {
                        open.until = Some(time);
                    }
                }
                Marker::Total { .. } | Marker::Data { .. } | Marker::Event { .. } => {}
            }
        }
        zones
    }
}

/// The time of a marker.
fn time(first: u32, low: u32) -> u64 {
    u64::from(first & TIME_MASK) << 32 | u64::from(low)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn marker(kind: u32, number: u32, time: u64) -> [u32; 2] {
        let first = MARKER_VALID | (kind << KIND_SHIFT | number) << NUMBER_SHIFT;
        [first | (time >> 32) as u32, time as u32]
    }

    fn buffer(launch: u32, dropped: u32, own: &[u32]) -> Vec<u32> {
        let mut words = vec![launch, dropped, 12 + own.len() as u32, 0];
        for (kind, number, time) in [(0, 7, 100), (1, 7, 900), (0, 8, 200), (1, 8, 800)] {
            words.extend(marker(kind, number, time));
        }
        words.extend(own);
        words
    }

    #[test]
    fn launches_lie_one_behind_the_other_at_multiples_of_the_alignment() {
        let late = (3 << 32) | 5;
        let own = [marker(0, 1, 300), marker(0, 2, 310), marker(1, 2, 320), marker(4, 9, late)];
        let mut words = buffer(1, 0, own.as_flattened());
        words.resize(32, 0);
        let data = [marker(3, 4, 400), [1, 2], marker(2, 5, 77), marker(1, 6, 0)];
        words.extend(buffer(2, 3, data.as_flattened()));
        words.resize(64, 0);
        let [first, second] = MarkedLaunch::all_of(&words).unwrap().try_into().unwrap();
        assert_eq!((first.launch, first.dropped), (1, 0));
        let fixed = |zone, from, until| Some(MarkedZone { zone, from, until: Some(until) });
        assert_eq!((first.firmware, first.kernel), (fixed(7, 100, 900), fixed(8, 200, 800)));
        assert_eq!(first.markers.last(), Some(&Marker::Event { event: 9, time: late }));
        let zones = [
            MarkedZone { zone: 1, from: 300, until: None },
            MarkedZone { zone: 2, from: 310, until: Some(320) },
        ];
        assert_eq!(first.zones(), zones);
        assert_eq!((second.launch, second.dropped), (2, 3));
        let data = Marker::Data { name: 4, time: 400, data: 1 << 32 | 2 };
        assert_eq!(second.markers[..2], [data, Marker::Total { zone: 5, ticks: 77 }]);
        assert_eq!(second.zones(), []);
    }

    #[test]
    fn what_is_wrong_is_named_by_its_word() {
        let error = |words: &[u32]| MarkedLaunch::all_of(words).unwrap_err();
        let good = buffer(1, 0, &[]);
        let with = |at: usize, word: u32| {
            let mut words = good.clone();
            words[at] = word;
            error(&words)
        };
        assert_eq!(with(0, MARKER_VALID).expected, "number of a launch");
        for length in [0, 11, 13, 513, u32::MAX] {
            assert_eq!(with(2, length), MarkersError { word: 2, expected: "length of a buffer" });
        }
        let late = |own: &[u32]| {
            let mut words = good.clone();
            words.resize(16, 0);
            words.extend(buffer(2, 0, own));
            error(&words)
        };
        assert_eq!(late(&[0, 0]), MarkersError { word: 28, expected: "marker" });
        assert_eq!(late(&marker(7, 0, 0)), MarkersError { word: 28, expected: "kind of marker" });
        assert_eq!(late(&marker(3, 0, 0)).expected, "marker with its data");
    }

    #[test]
    fn names_have_the_number_of_their_whole_text() {
        let text = b"a, b,kernels/k.cpp,12,KERNEL_PROFILER";
        let section =
            [text.as_slice(), b"\0", text, b"\0no name\0k,f,x,KERNEL_PROFILER\0"].concat();
        let name = ZoneName {
            number: zone_number(text),
            name: "a, b".to_owned(),
            file: "kernels/k.cpp".to_owned(),
            line: 12,
        };
        assert_eq!(zone_names(&section), [name]);
    }

    proptest! {
        #[test]
        fn no_words_do_harm(words in proptest::collection::vec(any::<u32>(), 0..80)) {
            let _ = MarkedLaunch::all_of(&words);
            let _ = MarkedLaunch::of_buffer(&words, 1).map(|it| it.zones());
            let valid: Vec<u32> = words.iter().map(|word| word | MARKER_VALID).collect();
            let _ = MarkedLaunch::of_buffer(&valid, 1).map(|it| it.zones());
        }
    }
}
