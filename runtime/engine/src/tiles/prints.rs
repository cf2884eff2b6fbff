//! What kernels print: the host takes it out of their images while the device runs.
//!
//! A kernel that prints waits until the host has room, and at its end until the host has taken all (`debug/print.cpp`). So
//! an image is replaced only after its text was taken, and a chip on which only such kernels wait does not stand still.

use hallmark_chip::{
    Advance, DeviceError, LogicalCore, NocCoordinate, PhysicalCoordinate, Processor, TileAddress,
};
use hallmark_device_code::PrintBlock;
use hallmark_schema::model::{CommandIndex, Printed, PrintedTexts};

use super::{FIRST_SLICE, Tiles};
use crate::chip_access::ChipAccess;
use crate::stop::RawStop;

/// The end of a slice of time.
#[derive(Debug)]
pub(crate) struct Advanced {
    pub(crate) advance: Advance,
    /// The ticks that count as spent.
    pub(crate) ticks: u64,
    /// Whether launches have begun, as far as that was looked at.
    pub(crate) has_news: bool,
}

/// What was taken at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Took {
    Nothing,
    /// Text beyond the limits.
    Dropped,
    Kept,
}

/// What kernels have printed so far.
#[derive(Debug, Default)]
pub(crate) struct Prints {
    /// Whether a kernel that prints was ever placed. Otherwise no tile is looked at.
    exist: bool,
    /// The launch to which text belongs from now on.
    launch: Option<CommandIndex>,
    texts: PrintedTexts,
    /// Whether the device has stopped and its last words were taken.
    last_taken: bool,
    sink: Option<PrintSink>,
}

/// A listener that is given each piece of text as it comes.
struct PrintSink(Box<dyn FnMut(&Printed)>);

impl std::fmt::Debug for PrintSink {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("PrintSink")
    }
}

impl Prints {
    /// Gives each piece of text that is kept to a listener, too.
    pub(crate) fn listen(&mut self, sink: Box<dyn FnMut(&Printed)>) {
        self.sink = Some(PrintSink(sink));
    }

    /// A kernel that prints is placed on a tile.
    pub(crate) const fn note_kernel(&mut self) {
        self.exist = true;
    }

    /// Text belongs to the program of this enqueue from now on.
    pub(crate) const fn belong_to(&mut self, launch: Option<CommandIndex>) {
        self.launch = launch;
    }

    /// Keeps text, up to the limits. Whether it was kept.
    fn add(&mut self, core: LogicalCore, processor: Processor, text: &str) -> bool {
        let launch = self.launch;
        let is_kept = self.texts.add(launch, core, processor, text);
        if let (true, Some(PrintSink(sink))) = (is_kept, &mut self.sink) {
            sink(&Printed { launch, core, processor, text: text.to_owned(), dropped: 0 });
        }
        is_kept
    }
}

impl Tiles {
    /// Lets the device run, and takes what kernels have printed. If there was something, the device does not stand still.
    /// `look` takes note of launches that have begun: no kernel has text left when the next launch begins, so all text is
    /// of the last one. It says whether there was news.
    ///
    /// # Errors
    /// The device's, or that of `look`.
    pub(crate) fn advance(
        &mut self,
        ticks: u64,
        look: impl FnOnce(&mut Self) -> Result<bool, RawStop>,
    ) -> Result<Advanced, RawStop> {
        let advance = self.chip.access().advance(ticks);
        if !self.prints.exist {
            return Ok(Advanced { advance: advance?, ticks, has_news: false });
        }
        let has_news = advance.is_ok() && look(self)?;
        let took = self.take_prints();
        let advance = advance?;
        Ok(match (advance, took?) {
            // It came back before its time, because kernels wait for the host.
            (Advance::Quiescent(_), Took::Kept) => {
                Advanced { advance: Advance::Ran, ticks: ticks.min(FIRST_SLICE), has_news }
            }
            // Of what is dropped there is no end, so that it takes its time nevertheless.
            (Advance::Quiescent(_), Took::Dropped) => {
                Advanced { advance: Advance::Ran, ticks, has_news }
            }
            (advance, _) => Advanced { advance, ticks, has_news },
        })
    }

    pub(crate) const fn prints_mut(&mut self) -> &mut Prints {
        &mut self.prints
    }

    /// What was printed and not taken before, in the order of its first text.
    pub(crate) fn take_printed(&mut self) -> Vec<Printed> {
        if self.prints.exist {
            // A device that does not answer any more has told all that it will tell.
            let _ = self.take_prints();
        }
        self.prints.texts.take()
    }

    /// Takes what kernels have printed.
    ///
    /// # Errors
    /// The device's, unless it has stopped and lets its memory be read nevertheless.
    fn take_prints(&mut self) -> Result<Took, DeviceError> {
        let Self { chip, booted, prints, .. } = self;
        if prints.last_taken {
            return Ok(Took::Nothing);
        }
        let mut took = Took::Nothing;
        for (&core, tile) in booted.iter() {
            for binary in tile.binaries.resident() {
                let Some(block) = binary.image().print_block() else { continue };
                let block = u64::from(binary.base()).saturating_add(u64::from(block));
                let place = Place { noc: tile.noc, physical: tile.physical, block };
                let words = match place.take(chip.access()) {
                    Ok(words) => words,
                    Err(error) => {
                        prints.last_taken = true;
                        place.take_stopped(chip.access()).ok_or(error)?
                    }
                };
                if !words.is_empty() {
                    let image = binary.image();
                    let is_kept = prints.add(core, image.print_processor(), &image.printed(&words));
                    took = took.max(if is_kept { Took::Kept } else { Took::Dropped });
                }
            }
        }
        Ok(took)
    }
}

/// Where a kernel prints.
struct Place {
    noc: NocCoordinate,
    physical: PhysicalCoordinate,
    /// The address of its [`PrintBlock`].
    block: u64,
}

impl Place {
    const fn at(&self, offset: u32) -> TileAddress {
        TileAddress(self.block.saturating_add(offset as u64))
    }

    /// Takes the words that were printed.
    fn take(&self, access: &mut ChipAccess) -> Result<Vec<u32>, DeviceError> {
        let written = access.read_word(self.noc, self.at(PrintBlock::WRITTEN))?;
        let taken = access.read_word(self.noc, self.at(PrintBlock::TAKEN))?;
        let mut words = Vec::new();
        for offset in printed(written, taken) {
            words.push(access.read_word(self.noc, self.at(offset))?);
        }
        if !words.is_empty() {
            access.write_word(self.noc, self.at(PrintBlock::TAKEN), written)?;
            access.order()?;
        }
        Ok(words)
    }

    /// The words that were printed before a device stopped; `None` if it does not say.
    fn take_stopped(&self, access: &mut ChipAccess) -> Option<Vec<u32>> {
        let mut block = [0; PrintBlock::SIZE as usize];
        if !access.read_stopped(self.physical, self.at(0), &mut block) {
            return None;
        }
        let word = |offset: u32| {
            let bytes = block.get(offset as usize..).and_then(<[u8]>::first_chunk::<4>);
            bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
        };
        let offsets = printed(word(PrintBlock::WRITTEN), word(PrintBlock::TAKEN));
        Some(offsets.map(word).collect())
    }
}

/// The offsets of the words between two counts of a block. A forged kernel may count as it likes.
fn printed(written: u32, taken: u32) -> impl Iterator<Item = u32> {
    let count = written.wrapping_sub(taken).min(PrintBlock::RING_WORDS);
    (0..count).map(move |index| {
        PrintBlock::RING + 4 * (taken.wrapping_add(index) % PrintBlock::RING_WORDS)
    })
}

#[cfg(test)]
mod tests {
    use hallmark_schema::limits;

    use super::*;

    const MOST_OF_LAUNCH: usize = limits::PRINTED_BYTES as usize;
    const MOST_OF_RUN: usize = limits::TOTAL_PRINTED_BYTES as usize;

    const CORE: LogicalCore = LogicalCore { x: 3, y: 5 };

    #[test]
    fn text_is_kept_by_launch_core_and_processor() {
        let mut prints = Prints::default();
        prints.belong_to(Some(CommandIndex(4)));
        prints.add(CORE, Processor::Ncrisc, "one ");
        prints.add(CORE, Processor::Brisc, "other\n");
        prints.add(CORE, Processor::Ncrisc, "line\n");
        prints.belong_to(Some(CommandIndex(6)));
        prints.add(CORE, Processor::Ncrisc, "later\n");
        let row = |it: &Printed| (it.launch.unwrap().0, it.processor, it.text.clone());
        let rows: Vec<_> = prints.texts.as_slice().iter().map(row).collect();
        let text = |text: &str| text.to_owned();
        assert_eq!(
            rows,
            [
                (4, Processor::Ncrisc, text("one line\n")),
                (4, Processor::Brisc, text("other\n")),
                (6, Processor::Ncrisc, text("later\n")),
            ]
        );
    }

    #[test]
    fn places_are_kept_up_to_the_limit() {
        let mut prints = Prints::default();
        for launch in 0..=limits::PRINTED_TEXTS as u32 {
            prints.belong_to(Some(CommandIndex(launch)));
            let is_kept = prints.add(CORE, Processor::Brisc, "one\ntwo\n");
            assert_eq!(is_kept, launch < limits::PRINTED_TEXTS as u32, "{launch}");
        }
        assert_eq!(prints.texts.as_slice().len() as u64, limits::PRINTED_TEXTS);
        assert_eq!(prints.texts.as_slice().last().unwrap().dropped, 2);
        // A place that is known goes on.
        prints.belong_to(Some(CommandIndex(7)));
        assert!(prints.add(CORE, Processor::Brisc, "three"));
        assert_eq!(prints.texts.as_slice()[7].text, "one\ntwo\nthree");
    }

    #[test]
    fn the_ring_is_read_from_the_word_that_is_next() {
        let at = |word: u32| PrintBlock::RING + 4 * word;
        let words = |written, taken| printed(written, taken).collect::<Vec<u32>>();
        assert_eq!(words(7, 5), [at(5), at(6)]);
        let last = PrintBlock::RING_WORDS - 1;
        assert_eq!(words(1, u32::MAX), [at(last), at(0)]);
        assert_eq!(words(5, 5), [0; 0]);
        assert_eq!(words(4, 5).len(), PrintBlock::RING_WORDS as usize);
    }

    #[test]
    fn text_is_kept_up_to_the_limits() {
        let mut prints = Prints::default();
        let most = "x".repeat(MOST_OF_LAUNCH);
        prints.add(CORE, Processor::Brisc, &most);
        prints.add(CORE, Processor::Brisc, "a\nb\n");
        prints.add(CORE, Processor::Brisc, "c");
        assert_eq!(
            (prints.texts.as_slice()[0].text.len(), prints.texts.as_slice()[0].dropped),
            (MOST_OF_LAUNCH, 3)
        );
        for number in 1..MOST_OF_RUN / MOST_OF_LAUNCH {
            prints.belong_to(Some(CommandIndex(number as u32)));
            prints.add(CORE, Processor::Brisc, &most);
        }
        assert_eq!(prints.texts.as_slice().iter().map(|it| it.dropped).sum::<u64>(), 3);
        prints.belong_to(Some(CommandIndex(100)));
        prints.add(CORE, Processor::Brisc, "y\n");
        let last = prints.texts.as_slice().last().unwrap();
        assert_eq!((last.text.as_str(), last.dropped), ("", 1));
    }
}
