//! A simulated chip at the physical addresses of a machine that has nothing else.

use std::ffi::OsStr;
use std::str::FromStr;

use hallmark_chip::library_variables::{
    ORDER_ANNOTATED, ORDER_ON, ORDER_STRICT, SIM_ARCH, SIM_HARVESTING, SIM_ORDER,
};
use hallmark_chip::{
    Architecture, Bar, BarOffset, Fault, FaultCategory, HarvestingMask, Meaning, NocCoordinate,
    StatedProgram, TileAddress, WaitReport,
};
use hallmark_sim::{Chip, HostMemory, SimulatorError, SimulatorOptions};
use serde::Deserialize;

/// Configuration offsets of the lower halves of the base address registers.
const BAR_REGISTERS: [(Bar, u16); 3] = [(Bar::Bar0, 0x10), (Bar::Bar2, 0x18), (Bar::Bar4, 0x20)];
/// What `hallmark_annotate` calls 0, 1, 2, ….
const MEANINGS: [Meaning; 6] = [
    Meaning::Freed,
    Meaning::Buffer,
    Meaning::Semaphore,
    Meaning::Mailbox,
    Meaning::CircularBuffer,
    Meaning::Code,
];
/// The form of a statement, whose other fields this release may not know.
#[derive(Deserialize)]
struct Form {
    version: u32,
}

/// What a configuration read answers where there is no device.
const NO_DEVICE: u32 = 0xFFFF_FFFF;

/// What the process's environment says of the chip.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Variables<'a> {
    /// `HALLMARK_SIM_ARCH`.
    pub(crate) architecture: Option<&'a OsStr>,
    /// `HALLMARK_SIM_HARVESTING`.
    pub(crate) harvesting: Option<&'a OsStr>,
    /// `HALLMARK_SIM_ORDER`.
    pub(crate) order: Option<&'a OsStr>,
}

/// When the order of the coprocessor's units is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Order {
    /// From the first annotation on.
    #[default]
    Annotated,
    /// From power-on on.
    On,
    /// From power-on on, as [`SimulatorOptions::strict_tensix`] says.
    Strict,
}

impl FromStr for Order {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Fault> {
        match text {
            ORDER_ANNOTATED => Ok(Self::Annotated),
            ORDER_ON => Ok(Self::On),
            ORDER_STRICT => Ok(Self::Strict),
            _ => Err(configuration(format!(
                "{SIM_ORDER}: `{text}` is not {ORDER_ANNOTATED}, {ORDER_ON} or {ORDER_STRICT}"
            ))),
        }
    }
}

pub(crate) struct Simulator {
    chip: Chip,
    /// Each base address register with the physical addresses that it answers.
    bars: [(Bar, std::ops::Range<u64>); 3],
}

impl Simulator {
    /// Powers on the chip with this name, Wormhole if there is none, with what a mask says fused off.
    pub(crate) fn power_on(variables: Variables<'_>) -> Result<Self, Fault> {
        let Variables { architecture, harvesting, order } = variables;
        let order = match order {
            None => Order::default(),
            Some(order) => order.to_string_lossy().parse()?,
        };
        let architecture = match architecture {
            None => Architecture::WormholeB0,
            Some(name) => {
                let name = name.to_string_lossy();
                name.parse::<Architecture>()
                    .map_err(|error| configuration(format!("{SIM_ARCH}: {error}")))?
            }
        };
        let harvesting = match harvesting {
            None => HarvestingMask::NONE,
            Some(mask) => (mask.to_string_lossy().parse())
                .map_err(|error| configuration(format!("{SIM_HARVESTING}: {error}")))?,
        };
        let options = SimulatorOptions {
            allow_races: true,
            harvesting,
            strict_tensix: order == Order::Strict,
            ..SimulatorOptions::default()
        };
        let mut chip = Chip::new(architecture, &options).map_err(|error| {
            let variable = match error {
                // Nothing asks the library's chip for a data cache.
                SimulatorError::UnknownArchitecture { .. } | SimulatorError::NoDataCache { .. } => {
                    SIM_ARCH
                }
                SimulatorError::Harvesting(_) => SIM_HARVESTING,
            };
            configuration(format!("{variable}: {error}"))
        })?;
        if order != Order::Annotated {
            chip.watch_annotated_memory();
        }
        let sizes = chip.description().bar_sizes;
        let mut bars = BAR_REGISTERS.map(|(bar, _)| (bar, 0..0));
        for ((slot, (_, register)), size) in bars.iter_mut().zip(BAR_REGISTERS).zip(sizes) {
            let low = u64::from(chip.config_read(register)? & !0xF);
            let base = u64::from(chip.config_read(register + 4)?) << 32 | low;
            slot.1 = base..base.saturating_add(size);
        }
        Ok(Self { chip, bars })
    }

    /// Adds the waits for units since the last call, with the steps that each put in order. The first call begins to look.
    pub(crate) fn add_waits(&mut self, report: &mut WaitReport) {
        let cores = self.chip.take_activity().cores;
        for wait in cores.iter().flat_map(|core| &core.unit_waits) {
            report.add(wait, |_| None);
        }
    }

    pub(crate) fn clock(&self) -> u64 {
        self.chip.clock()
    }

    /// A word of configuration space. The tuple's low byte is device and function, then the bus.
    pub(crate) fn config_read(
        &mut self,
        bus_device_function: u32,
        offset: u32,
    ) -> Result<u32, Fault> {
        if bus_device_function != 0 {
            return Ok(NO_DEVICE);
        }
        let offset = u16::try_from(offset).map_err(|_| {
            let reason = format!("configuration offset {offset:#x}");
            fault(FaultCategory::UnimplementedFunctionality, reason)
        })?;
        self.chip.config_read(offset)
    }

    pub(crate) fn memory_read(&mut self, paddr: u64, buffer: &mut [u8]) -> Result<(), Fault> {
        let at = self.bar_offset(paddr)?;
        self.chip.bar_read(at, buffer)
    }

    pub(crate) fn memory_write(&mut self, paddr: u64, bytes: &[u8]) -> Result<(), Fault> {
        let at = self.bar_offset(paddr)?;
        self.chip.bar_write(at, bytes)
    }

    pub(crate) fn clock_by(&mut self, clocks: u32, host: &mut dyn HostMemory) -> Result<(), Fault> {
        self.chip.advance(u64::from(clocks), host).map(|_| ())
    }

    /// Takes note of what a range of a tile's memory is for, and finds races from then on.
    pub(crate) fn annotate(
        &mut self,
        (x, y): (u32, u32),
        start: u64,
        length: u64,
        meaning: u32,
    ) -> Result<(), Fault> {
        let refused = |what: String| fault(FaultCategory::ConfigurationError, what);
        let coordinate = u8::try_from(x).ok().zip(u8::try_from(y).ok());
        let (x, y) = coordinate.ok_or_else(|| refused(format!("no tile is called ({x},{y})")))?;
        let meaning = usize::try_from(meaning).ok().and_then(|index| MEANINGS.get(index));
        let meaning = meaning
            .ok_or_else(|| refused(format!("a meaning is a number below {}", MEANINGS.len())))?;
        let tile = self.chip.place(NocCoordinate { x, y })?;
        self.chip.watch_annotated_memory();
        self.chip.annotate(tile, TileAddress(start), length, *meaning);
        Ok(())
    }

    /// Takes note of a program's kernels.
    pub(crate) fn state_program(&mut self, text: &[u8]) -> Result<(), Fault> {
        let unreadable = |error: serde_json::Error| {
            configuration(format!("the statement of a program cannot be read: {error}"))
        };
        let Form { version } = serde_json::from_slice(text).map_err(unreadable)?;
        if version != StatedProgram::VERSION {
            return Ok(());
        }
        self.chip.state_program(&serde_json::from_slice(text).map_err(unreadable)?)
    }

    fn bar_offset(&self, paddr: u64) -> Result<BarOffset, Fault> {
        self.bars
            .iter()
            .find(|(_, range)| range.contains(&paddr))
            .map(|(bar, range)| BarOffset { bar: *bar, offset: paddr - range.start })
            .ok_or_else(|| {
                let reason = format!("no base address register answers at {paddr:#x}");
                fault(FaultCategory::UndefinedBehavior, reason)
            })
    }
}

fn configuration(reason: String) -> Fault {
    fault(FaultCategory::ConfigurationError, reason)
}

/// A broken rule that no core broke.
pub(crate) fn fault(category: FaultCategory, reason: impl Into<String>) -> Fault {
    Fault::without_place(category, reason)
}

/// The closing line of a process whose program broke a rule.
pub(crate) fn error_line(clock: u64, function: &str, fault: &Fault) -> String {
    let Fault { category, reason, place, .. } = fault;
    let place = place.as_ref().map(|place| {
        let processor = place.processor.map(|processor| format!(" {processor}"));
        let pc = place.pc.map(|pc| format!(" at pc {pc:#x}"));
        let (processor, pc) = (processor.unwrap_or_default(), pc.unwrap_or_default());
        format!("tile {}{processor}{pc}: ", place.tile)
    });
    let text = format!("{}{reason}", place.unwrap_or_default()).replace('\n', "; ");
    format!("[{clock}] ERROR: {category}: {function}: {text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    struct NoMemory;

    impl HostMemory for NoMemory {
        fn read(&mut self, _: u64, _: &mut [u8]) -> bool {
            false
        }
        fn write(&mut self, _: u64, _: &[u8]) -> bool {
            false
        }
    }

    fn chip(architecture: &str) -> Simulator {
        let architecture = Some(OsStr::new(architecture));
        Simulator::power_on(Variables { architecture, ..Variables::default() }).unwrap()
    }

    #[test]
    fn each_chip_answers_with_its_id_and_says_where_its_registers_are() {
        for &architecture in hallmark_sim::ARCHITECTURES {
            let mut chip = chip(architecture.name());
            assert_eq!(chip.config_read(0, 0).unwrap(), architecture.pci_id());
            assert_eq!(chip.config_read(8, 0).unwrap(), NO_DEVICE);
            let registers = chip.chip.description().windows.registers;
            let base = chip.bars.iter().find(|(bar, _)| *bar == registers.bar).unwrap();
            let window = base.1.start + registers.offset;
            chip.memory_write(window, &7u32.to_le_bytes()).unwrap();
            let mut back = [0; 4];
            chip.memory_read(window, &mut back).unwrap();
            assert_eq!(u32::from_le_bytes(back), 7);
            chip.clock_by(100, &mut NoMemory).unwrap();
        }
    }

    #[test]
    fn what_cannot_be_set_up_is_a_configuration_error_and_names_the_variable() {
        let order = "`yes` is not annotated, on or strict";
        for (architecture, harvesting, order, variable, part) in [
            ("quasar", None, None, "HALLMARK_SIM_ARCH", "quasar"),
            (
                "blackhole",
                Some("two"),
                None,
                "HALLMARK_SIM_HARVESTING",
                "`two` is not a harvesting mask",
            ),
            ("wormhole_b0", Some("0x400"), None, "HALLMARK_SIM_HARVESTING", "bits above 0x3ff"),
            ("wormhole_b0", None, Some("yes"), "HALLMARK_SIM_ORDER", order),
        ] {
            let [harvesting, order] = [harvesting, order].map(|text| text.map(OsStr::new));
            let architecture = Some(OsStr::new(architecture));
            let result = Simulator::power_on(Variables { architecture, harvesting, order });
            let fault = result.err().unwrap();
            assert_eq!(fault.category, FaultCategory::ConfigurationError);
            assert!(fault.reason.contains(variable) && fault.reason.contains(part), "{fault}");
        }
    }

    #[test]
    fn a_chip_may_be_harvested() {
        let chip = Simulator::power_on(Variables {
            harvesting: Some(OsStr::new("0x21")),
            ..Variables::default()
        })
        .unwrap();
        assert_eq!(chip.chip.description().compute_grid(), (8, 7));
    }

    #[test]
    fn a_closing_line_has_the_form_of_the_abi() {
        let mut chip = Simulator::power_on(Variables::default()).unwrap();
        let fault = chip.memory_read(0x10, &mut [0; 4]).unwrap_err();
        assert_eq!(
            error_line(chip.clock(), "libttsim_pci_mem_rd_bytes", &fault),
            "[0] ERROR: UndefinedBehavior: libttsim_pci_mem_rd_bytes: no base address register \
             answers at 0x10"
        );
    }

    #[test]
    fn a_program_is_stated_by_a_text() {
        const VERSION: u32 = StatedProgram::VERSION;
        let mut chip = Simulator::power_on(Variables::default()).unwrap();
        let text = |x: u32, version: u32| {
            format!(
                r#"{{"version":{version},"messages":{{"first":32,"size":144,"count":8,"next":28,"base":0,
                "semaphores":16,"semaphore_distance":16,"circular_buffers":24,"circular_buffer_mask":96,
                "arguments":28,"no_arguments":65535,"code":52,"code_size":72,
                "program":108,"processors":112,"stack_of_ncrisc":20}},"program":5,
                "groups":[{{"tiles":[{{"x":{x},"y":18}}],"semaphores":[0],"kernels":[{{"name":"k",
                "processors":[1],"noc":"noc0","arguments":2,"common_arguments":0}}]}}]}}"#
            )
        };
        chip.state_program(text(18, VERSION).as_bytes()).unwrap();
        // Nothing is known of a later form, whose fields may be others.
        let later = text(63, VERSION + 1).replacen('{', "{\"later\":1,", 1);
        chip.state_program(later.as_bytes()).unwrap();
        let unknown_field = text(18, VERSION).replacen('{', "{\"later\":1,", 1);
        assert!(chip.state_program(unknown_field.as_bytes()).is_err());
        assert!(chip.state_program(text(63, VERSION).as_bytes()).is_err());
        let with = |from: &str, to: &str| text(18, VERSION).replace(from, to);
        chip.state_program(with("\"count\":8", "\"count\":64").as_bytes()).unwrap();
        for (from, to) in [
            ("\"count\":8", "\"count\":65"),
            ("\"count\":8", "\"count\":0"),
            ("\"size\":144", "\"size\":0"),
            ("\"first\":32", "\"first\":1498000"),
        ] {
            let fault = chip.state_program(with(from, to).as_bytes()).unwrap_err();
            assert!(fault.reason.contains("do not fit L1"), "{to}: {fault}");
        }
        for wrong in ["", "{}", "5"] {
            let fault = chip.state_program(wrong.as_bytes()).unwrap_err();
            assert_eq!(fault.category, FaultCategory::ConfigurationError, "{wrong}");
        }
    }

    #[test]
    fn memory_is_annotated_by_number_and_by_the_name_of_its_tile() {
        let mut chip = Simulator::power_on(Variables::default()).unwrap();
        for meaning in 0..6 {
            chip.annotate((18, 18), 0x1000, 64, meaning).unwrap();
            chip.annotate((0, 11), 0x1000, 64, meaning).unwrap();
        }
        for (tile, meaning) in [((18, 18), 6), ((256, 18), 1), ((18, 256), 1), ((63, 0), 1)] {
            assert!(chip.annotate(tile, 0x1000, 64, meaning).is_err(), "{tile:?} {meaning}");
        }
    }
}
