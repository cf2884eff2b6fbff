//! Issuing a request: everything that can be checked is checked here, where the instruction at fault
//! is known. Categories follow Tenstorrent's simulator.

use std::fmt;

use hallmark_chip::{
    FaultMemory, Noc, NocCoordinate, NocRegisters, PhysicalCoordinate, REGISTERS, TileAddress,
};

use super::network::{Channel, DepartureQueue, Operation, Targets, Transfer};
use super::{Initiator, counter};
use crate::machine::actor::Actor;
use crate::machine::coordinates::{TileKind, harvested};
use crate::machine::defects::{Defect, planted};
use crate::machine::fault::{Origin, Violation};
use crate::machine::tile::{Surroundings, Tile};

/// The class bits of the virtual channels that responses travel on; requests have the other classes (NoC/README.md,
/// Virtual channels).
const RESPONSES: u8 = 0b11;

/// `NOC_CTRL` (NoC/MemoryMap.md).
#[derive(Clone, Copy)]
struct Control(u32);

impl Control {
    fn bit(self, bit: u32) -> bool {
        self.0 >> bit & 1 == 1
    }
    fn atomic(self) -> bool {
        self.bit(0)
    }
    fn write(self) -> bool {
        self.bit(1)
    }
    fn inline(self) -> bool {
        self.bit(3)
    }
    fn marked(self) -> bool {
        self.bit(4)
    }
    fn multicast(self) -> bool {
        self.bit(5)
    }
    fn linked(self) -> bool {
        self.bit(6)
    }
    fn includes_source(self) -> bool {
        self.bit(17)
    }
    fn static_channel(self) -> bool {
        self.bit(7)
    }
    /// The virtual channel as far as it decides order: one for each static channel, one for all
    /// requests that leave the choice to the hardware.
    fn virtual_channel(self) -> u8 {
        if self.static_channel() { (self.0 >> 13 & 7) as u8 } else { 8 }
    }

    fn check(self) -> Result<(), Violation> {
        let unimplemented =
            |what: &str| Err(Violation::unimplemented(format!("NOC_CTRL = {:#x}: {what}", self.0)));
        let malformed = |what: &str, remedy: &'static str| {
            let violation = Violation::unsupported(format!("NOC_CTRL = {:#x}: {what}", self.0));
            Err(violation.malformed_request(remedy))
        };
        if self.bit(2) {
            return unimplemented("byte enables");
        }
        if self.bit(9) {
            return unimplemented("a dropped read acknowledgement");
        }
        if self.0 & (7 << 10 | 0x1FF << 18 | 1 << 31) != 0 {
            return malformed(
                "reserved bits are set",
                "set only bits of NOC_CTRL that the documentation names (NoC/MemoryMap.md)",
            );
        }
        if self.0 & (1 << 16 | 0xF << 27) != 0 {
            return unimplemented("y as the major axis, or a priority");
        }
        // The class of a channel is its number without the lowest bit.
        if self.static_channel()
            && self.virtual_channel() >> 1 == RESPONSES
            && !planted(Defect::RequestsTakeChannelsOfResponses)
        {
            return malformed(
                &format!(
                    "a request on virtual channel {}, which is reserved for responses",
                    self.virtual_channel()
                ),
                "name a channel of 0 to 3 for a request to one tile, and 4 or 5 for a multicast (NoC/README.md, Virtual \
                 channels)",
            );
        }
        if self.atomic() && self.write() {
            return malformed(
                "request type 3",
                "ask for a read, a write or an atomic, not for a write that is an atomic",
            );
        }
        if self.multicast() {
            if !self.atomic() && !self.write() {
                return malformed("a multicast read", "read from one tile after the other");
            }
            if self.inline() {
                return unimplemented("a multicast inline write");
            }
            if !self.bit(8) {
                return unimplemented("a multicast without path reservation");
            }
            // A bug of the hardware, by TT-Metalium's noc_fast_multicast_atomic_increment.
            if self.atomic() && !self.marked() && !planted(Defect::PostedMulticastAtomics) {
                return Err(Violation::undefined(format!(
                    "NOC_CTRL = {:#x}: a multicast atomic without responses, which can stop the NoC",
                    self.0
                )));
            }
        } else {
            if self.bit(8) {
                return unimplemented("a unicast with path reservation");
            }
            if self.includes_source() {
                return unimplemented("a unicast that includes its source");
            }
            if !self.atomic() && !self.write() {
                if self.inline() {
                    return unimplemented("an inline read");
                }
                if !self.marked() {
                    return unimplemented("a read without a response");
                }
            }
        }
        Ok(())
    }
}

/// Address and coordinates as the registers from one offset on hold them: the address's lower half, its
/// upper bits, and the tile, which may share a register with those.
#[derive(Clone, Copy)]
struct End {
    address: u64,
    coordinates: u32,
}

impl End {
    fn new(initiator: &Initiator, address: u32, tile: u32, registers: &NocRegisters) -> Self {
        let middle = u64::from(initiator.get(address + 4));
        let both = u64::from(initiator.get(address)) | middle << 32;
        let mask = u64::MAX >> 64_u32.saturating_sub(registers.address_bits).min(63);
        Self {
            address: both & mask,
            coordinates: initiator
                .get(tile)
                .checked_shr(registers.coordinate_shift)
                .unwrap_or_default(),
        }
    }

    fn unicast(self) -> Result<NocCoordinate, Violation> {
        if self.coordinates > 0xFFF {
            return Err(Violation::unsupported(format!(
                "{:#x} is no unicast coordinate",
                self.coordinates
            ))
            .naming_nothing());
        }
        Ok(named(self.coordinates))
    }
}

fn named(bits: u32) -> NocCoordinate {
    NocCoordinate { x: (bits & 63) as u8, y: (bits >> 6 & 63) as u8 }
}

/// One end of a transfer.
#[derive(Clone, Copy)]
struct Spot {
    at: PhysicalCoordinate,
    address: u64,
}

impl Spot {
    fn memory(self, length: u32) -> Option<FaultMemory> {
        (self.address < REGISTERS.start).then(|| FaultMemory {
            tile: self.at,
            address: TileAddress(self.address),
            length: length.into(),
        })
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:#x} of tile {}", self.address, self.at)
    }
}

struct Request {
    noc: Noc,
    control: Control,
    /// Or what else that register holds for its kind of request.
    length: u32,
    data: u32,
    target: End,
    result: End,
}

pub(super) fn issue(
    tile: &mut Tile,
    index: usize,
    number: usize,
    surroundings: &mut Surroundings<'_>,
) -> Result<(), Violation> {
    let Origin::Core(origin) = surroundings.origin else {
        return Err(Violation::unsupported("only a core issues NoC requests"));
    };
    let noc = if index == 0 { Noc::Noc0 } else { Noc::Noc1 };
    let Some(niu) = tile.nius.get(index) else { return Ok(()) };
    let Some(&initiator) = niu.initiators.get(number) else { return Ok(()) };
    let masks = niu.multicast_masks(surroundings.description.noc_grid);
    let registers = &surroundings.description.noc;
    let offsets = &registers.offsets;
    let control = Control(initiator.get(offsets.control));
    control.check()?;
    let request = Request {
        noc,
        control,
        length: initiator.get(offsets.length),
        data: initiator.get(offsets.data),
        target: End::new(&initiator, offsets.target, offsets.target_tile, registers),
        result: End::new(&initiator, offsets.return_address, offsets.return_tile, registers),
    };
    let (operation, targets, address, local) = if control.atomic() {
        request.atomic(tile, masks, surroundings)?
    } else if !control.write() {
        request.read(tile, surroundings)?
    } else if control.inline() {
        request.inline_write(tile, surroundings)?
    } else if control.multicast() {
        request.multicast(tile, masks, surroundings)?
    } else {
        request.write(tile, surroundings)?
    };
    let base_of = |field: u32| {
        let pointers = &tile.cores.get(surroundings.core?.index())?.pointers;
        let buffer = (number as u32).saturating_mul(registers.command_buffer_stride);
        let base = registers.base.get(index)?.saturating_add(buffer);
        pointers.stored_at(base.saturating_add(field), initiator.get(field))
    };
    let [own, other] = match operation {
        Operation::Write { .. } => [offsets.target, offsets.return_address],
        Operation::Read { .. } | Operation::InlineWrite { .. } | Operation::Atomic { .. } => {
            [offsets.return_address, offsets.target]
        }
    };
    let bases = [base_of(own), base_of(other)];
    let marked = control.marked();
    let transaction = (initiator.get(offsets.packet_tag) >> 10 & 0xF) as usize;
    let channel = Channel {
        noc,
        source: tile.at,
        destination: targets.key(),
        virtual_channel: control.virtual_channel(),
    };
    tile.tells_something_new();
    if let Some(niu) = tile.nius.get_mut(index) {
        niu.count(counter::ACCEPTED, 1);
        match operation {
            Operation::Read { .. } => {
                niu.count(counter::OUTSTANDING + transaction, 1);
                niu.count(counter::READS_STARTED, 1);
            }
            Operation::Atomic { .. } if marked => {
                niu.count(counter::OUTSTANDING + transaction, 1);
                niu.count(counter::MARKED_ATOMICS_STARTED, 1);
            }
            Operation::Atomic { .. } => {}
            Operation::Write { .. } | Operation::InlineWrite { .. } => {
                if marked {
                    niu.count(counter::OUTSTANDING + transaction, 1);
                    niu.count(counter::MARKED_WRITES_STARTED, 1);
                } else {
                    niu.count(counter::POSTED_WRITES_STARTED, 1);
                }
                if matches!(operation, Operation::Write { .. }) {
                    niu.count(counter::OUTGOING + transaction, 1);
                }
            }
        }
    }
    let request = Transfer {
        number: surroundings.network.take_number(),
        noc,
        origin,
        issuer: surroundings.core.map(|core| Actor::core(tile.number, core)),
        // The hardware chooses the virtual channel of the others, and they keep no order.
        ordered_on: control.static_channel().then_some(channel),
        command_buffer: number as u8,
        linked: control.linked(),
        queue: DepartureQueue::of(operation, registers),
        accepted: surroundings.now,
        transaction,
        marked,
        operation,
        targets,
        address,
        local,
        bases,
        data: Vec::new(),
        taint: None,
        torn: 0,
    };
    surroundings.observers.request_issued(&request, &mut tile.scene(surroundings.coordinates))?;
    surroundings.network.start(request, channel, surroundings.now);
    Ok(())
}

type Checked = (Operation, Targets, u64, u32);

impl Request {
    fn resolve(
        &self,
        end: End,
        surroundings: &Surroundings<'_>,
    ) -> Result<(PhysicalCoordinate, TileKind), Violation> {
        let at = surroundings.coordinates.resolve(self.noc, end.unicast()?)?;
        match surroundings.coordinates.kind(at) {
            TileKind::Harvested => Err(harvested(at)),
            TileKind::Empty => {
                Err(Violation::unimplemented(format!("there is no tile at {at}")).naming_nothing())
            }
            place => Ok((at, place)),
        }
    }

    /// The end of a request that must be the issuing tile's own L1.
    fn own(
        &self,
        end: End,
        length: u64,
        tile: &Tile,
        surroundings: &Surroundings<'_>,
        what: &str,
    ) -> Result<u32, Violation> {
        let (at, _) = self.resolve(end, surroundings)?;
        if at != tile.at {
            return Err(Violation::unimplemented(format!(
                "the {what} names tile {at} as its own end, but {} issues it",
                tile.at
            ))
            .naming_nothing());
        }
        if end.address.saturating_add(length) > tile.memory.size() {
            return Err(Violation::unsupported(format!(
                "the {what}'s own end, {length} bytes at {:#x}, is not in L1",
                end.address
            ))
            .naming_nothing());
        }
        Ok(end.address as u32)
    }

    fn length(&self, surroundings: &Surroundings<'_>, what: &str) -> Result<u32, Violation> {
        let length = self.length;
        let limit = surroundings.description.noc_max_burst;
        let limit = limit + u32::from(planted(Defect::OneByteTooManyInAPacket));
        if length == 0 || length > limit {
            let violation = Violation::unsupported(format!(
                "a {what} of {length} bytes; 1 to {limit} are possible in a packet"
            ));
            return Err(violation.malformed_request(if length == 0 {
                "make no request where there is nothing to move"
            } else {
                "make several requests of it, as noc_async_read, noc_async_write and noc_async_write_multicast do"
            }));
        }
        Ok(length)
    }

    /// Data moves only between addresses that are alike modulo a power of 2.
    fn congruent(
        (source, destination): (Spot, Spot),
        length: u32,
        modulus: u64,
        what: &str,
    ) -> Result<(), Violation> {
        let [from, to] = [source, destination].map(|spot| spot.address % modulus);
        if from == to || planted(Defect::AnyAlignmentOfTransfers) {
            return Ok(());
        }
        let violation = Violation::undefined(format!(
            "the {what} moves {length} bytes from {source} to {destination}; the addresses are {from} and {to} modulo {modulus}, and \
             must be equal modulo {modulus}"
        ));
        // The end that is not aligned is more likely to be the wrong one.
        let odd = if from == 0 { destination } else { source };
        Err(violation.about(odd.memory(length)))
    }

    /// A kernel that takes a worker's logical coordinates for those of the NoC may come to an Ethernet tile, which has less
    /// L1 than a worker.
    fn in_worker(
        (at, place): (PhysicalCoordinate, TileKind),
        address: u64,
        length: u32,
        surroundings: &Surroundings<'_>,
        what: &str,
    ) -> Result<(), Violation> {
        let size = surroundings.description.ethernet_l1_size;
        let is_behind = address < REGISTERS.start
            && address.saturating_add(length.into()) > size
            && matches!(place, TileKind::Ethernet(_));
        if !is_behind {
            return Ok(());
        }
        Err(Violation::unsupported(format!(
            "the {what} of {length} bytes at {address:#x} lies beyond the L1 of tile {at}, which is an Ethernet tile with {size:#x} \
             bytes of L1 and not a worker; name workers by the NoC coordinates that the host passes, not by logical ones"
        ))
        .naming_nothing())
    }

    fn read(&self, tile: &Tile, surroundings: &Surroundings<'_>) -> Result<Checked, Violation> {
        let (at, place) = self.resolve(self.target, surroundings)?;
        self.resolve(self.result, surroundings)?;
        let length = self.length(surroundings, "read")?;
        let local = self.own(self.result, length.into(), tile, surroundings, "read")?;
        let (source, destination) = (self.target.address, self.result.address);
        let spots = (Spot { at, address: source }, Spot { at: tile.at, address: destination });
        Self::in_worker((at, place), source, length, surroundings, "read")?;
        match place {
            TileKind::Dram(_) => {
                let modulus = surroundings.description.dram_alignment.into();
                Self::congruent(spots, length, modulus, "read from DRAM")?;
            }
            TileKind::Pcie => {}
            _ if source >= REGISTERS.start => {
                // A narrower one passes here and is refused by the register file.
                if u64::from(length) > 4 - destination % 4 {
                    return Err(Violation::unimplemented(format!(
                        "a read of {length} bytes from register {source:#x}"
                    )));
                }
                Self::congruent(spots, length, 4, "read of a register")?;
            }
            _ => Self::congruent(spots, length, 16, "read")?,
        }
        let source = source + 16 * u64::from(planted(Defect::ReadsTooFarOn));
        Ok((Operation::Read { length }, Targets::One(at), source, local))
    }

    fn write(&self, tile: &Tile, surroundings: &Surroundings<'_>) -> Result<Checked, Violation> {
        self.resolve(self.target, surroundings)?;
        let (at, place) = self.resolve(self.result, surroundings)?;
        let length = self.length(surroundings, "write")?;
        let local = self.own(self.target, length.into(), tile, surroundings, "write")?;
        Self::in_worker((at, place), self.result.address, length, surroundings, "write")?;
        let source = Spot { at: tile.at, address: self.target.address };
        let target = Spot { at, address: self.result.address };
        Self::congruent((source, target), length, 16, "write")?;
        let destination = self.result.address + 16 * u64::from(planted(Defect::WritesTooFarOn));
        Ok((Operation::Write { length }, Targets::One(at), destination, local))
    }

    fn multicast(
        &self,
        tile: &Tile,
        masks: (u32, u32),
        surroundings: &Surroundings<'_>,
    ) -> Result<Checked, Violation> {
        let length = self.length(surroundings, "multicast")?;
        let corners = self.corners(self.result, surroundings)?;
        let local = self.own(self.target, length.into(), tile, surroundings, "multicast")?;
        let address = self.result.address;
        if address < tile.memory.size() {
            if address + u64::from(length) > tile.memory.size() {
                return Err(Violation::unsupported(format!(
                    "the multicast's {length} bytes at {address:#x} pass the end of L1"
                ))
                .naming_nothing());
            }
        } else if length != 4 {
            let violation = Violation::unsupported(format!(
                "a multicast of {length} bytes to register {address:#x}"
            ));
            return Err(
                violation.malformed_request("write one register of 4 bytes with each request")
            );
        } else if !address.is_multiple_of(4) {
            return Err(Violation::unimplemented(format!(
                "a multicast to the misaligned register {address:#x}"
            )));
        }
        if self.target.address % 16 != address % 16 {
            return Err(Violation::unimplemented(format!(
                "multicast: source {:#x} and destination {address:#x} differ modulo 16",
                self.target.address
            )));
        }
        let targets = self.rectangle(corners, tile, masks, surroundings)?;
        Ok((Operation::Write { length }, targets, address, local))
    }

    /// The corners of a rectangle of tiles: start and end.
    fn corners(
        &self,
        end: End,
        surroundings: &Surroundings<'_>,
    ) -> Result<(PhysicalCoordinate, PhysicalCoordinate), Violation> {
        let rectangle = end.coordinates & 0xFF_FFFF;
        let end = surroundings.coordinates.resolve(self.noc, named(rectangle & 0xFFF))?;
        let start = surroundings.coordinates.resolve(self.noc, named(rectangle >> 12))?;
        Ok((start, end))
    }

    /// The tiles of a rectangle that take part in a multicast.
    fn rectangle(
        &self,
        (start, end): (PhysicalCoordinate, PhysicalCoordinate),
        tile: &Tile,
        masks: (u32, u32),
        surroundings: &Surroundings<'_>,
    ) -> Result<Targets, Violation> {
        let coordinates = surroundings.coordinates;
        // Data flows towards greater coordinates on NoC 0 and smaller ones on NoC 1; translation does
        // not change that, so software swaps start and end there (NoC/Coordinates.md).
        let (low, high, first) = match self.noc {
            Noc::Noc0 => (start, end, "smallest"),
            Noc::Noc1 => (end, start, "greatest"),
        };
        let wraps_in_columns = low.x > high.x && !planted(Defect::MulticastWrapsInColumns);
        let wraps_in_rows = low.y > high.y && !planted(Defect::MulticastWrapsInRows);
        if wraps_in_columns || wraps_in_rows {
            return Err(Violation::unimplemented(format!(
                "the multicast from {start} to {end} wraps around the edge of NoC {}, on which a rectangle \
                 starts at its {first} x and y: swap the corners",
                self.noc.index()
            )).naming_nothing());
        }
        let mut targets = Vec::new();
        for y in (low.y..=high.y).filter(|&y| masks.1 >> y & 1 == 0) {
            for x in (low.x..=high.x).filter(|&x| masks.0 >> x & 1 == 0) {
                let at = PhysicalCoordinate { x, y };
                if !matches!(coordinates.kind(at), TileKind::Tensix(_)) {
                    return Err(Violation::unimplemented(format!(
                        "a multicast to {at}, which is no Tensix tile"
                    ))
                    .naming_nothing());
                }
                let includes_source = self.control.includes_source()
                    || planted(Defect::MulticastAlwaysIncludesSource);
                if at != tile.at || includes_source {
                    targets.push(at);
                }
            }
        }
        if planted(Defect::MulticastDropsLastTarget) {
            targets.pop();
        }
        Ok(Targets::Many { tiles: targets, low, high })
    }

    fn inline_write(
        &self,
        tile: &Tile,
        surroundings: &Surroundings<'_>,
    ) -> Result<Checked, Violation> {
        let (at, place) = self.resolve(self.target, surroundings)?;
        let address = self.target.address;
        let limit = match place {
            TileKind::Tensix(_) => tile.memory.size(),
            TileKind::Ethernet(_) => surroundings.description.ethernet_l1_size,
            _ => {
                return Err(Violation::unimplemented(format!(
                    "an inline write to {at}, which takes none"
                ))
                .naming_nothing());
            }
        };
        if address < REGISTERS.start && !surroundings.description.noc.inline_writes_to_l1 {
            // A bug of the hardware (NoC/MemoryMap.md, NOC_CMD_WR_INLINE).
            return Err(Violation::undefined(format!(
                "an inline write to L1 {address:#x} of tile {at}, which this chip does not carry out \
                 safely; stage the word in L1 and write it from there"
            )));
        }
        if address >= REGISTERS.start {
            // The byte enables are ignored there.
            if !address.is_multiple_of(4) {
                return Err(Violation::unimplemented(format!(
                    "an inline write to the misaligned register {address:#x}"
                )));
            }
        } else {
            let enables = self.length;
            let shift = enables.trailing_zeros();
            if enables == 0 || !shift.is_multiple_of(4) || enables >> shift != 0xF {
                return Err(Violation::unimplemented(format!(
                    "byte enables {enables:#x} of an inline write are not those of one word"
                )));
            }
            if address % 16 != u64::from(shift) % 16 {
                return Err(Violation::unimplemented(format!(
                    "byte enables {enables:#x} do not fit address {address:#x}"
                )));
            }
            if address.saturating_add(4) > limit {
                return Err(Violation::unsupported(format!(
                    "an inline write to {address:#x}, past the end of L1"
                ))
                .naming_nothing());
            }
        }
        let more = u32::from(planted(Defect::InlineWritesOneMore));
        let operation = Operation::InlineWrite { value: self.data.wrapping_add(more) };
        Ok((operation, Targets::One(at), address, 0))
    }

    fn atomic(
        &self,
        tile: &Tile,
        masks: (u32, u32),
        surroundings: &Surroundings<'_>,
    ) -> Result<Checked, Violation> {
        let (targets, place) = if self.control.multicast() {
            let corners = self.corners(self.target, surroundings)?;
            (self.rectangle(corners, tile, masks, surroundings)?, None)
        } else {
            let (at, place) = self.resolve(self.target, surroundings)?;
            (Targets::One(at), Some((at, place)))
        };
        self.resolve(self.result, surroundings)?;
        let (operands, address) = (self.length, self.target.address);
        // Bits 15–12: the opcode; 1 increments. 6–2: the width less one. 1–0: the word of 16 bytes.
        let width = operands >> 2 & 31;
        let word = operands & 3;
        let opcode = match operands >> 12 {
            3 | 5 | 7 if planted(Defect::OddAtomicsIncrement) => 1,
            opcode => opcode,
        };
        if opcode != 1 || operands & 0xF80 != 0 || width != 31 {
            return Err(Violation::unimplemented(format!(
                "NOC_AT_LEN_BE = {operands:#x} is no 32-bit increment"
            )));
        }
        if !address.is_multiple_of(4) || u64::from(word) != address / 4 % 4 {
            return Err(Violation::unimplemented(format!(
                "NOC_AT_LEN_BE = {operands:#x} increments word {word} of the 16 bytes around \
                 {address:#x}"
            )));
        }
        if !self.result.address.is_multiple_of(4) {
            return Err(Violation::unimplemented(format!(
                "the atomic's return address {:#x} is misaligned",
                self.result.address
            )));
        }
        let local = self.own(self.result, 4, tile, surroundings, "atomic")?;
        let limit = match place {
            // A rectangle holds no other tiles.
            None | Some((_, TileKind::Tensix(_))) => tile.memory.size(),
            Some((_, TileKind::Ethernet(_))) => surroundings.description.ethernet_l1_size,
            Some((at, _)) => {
                return Err(Violation::unimplemented(format!(
                    "an atomic on {at}, which carries out none"
                ))
                .naming_nothing());
            }
        };
        if address.saturating_add(4) > limit {
            return Err(Violation::unimplemented(format!(
                "an atomic on {address:#x}, which is not in L1"
            ))
            .naming_nothing());
        }
        Ok((Operation::Atomic { increment: self.data }, targets, address, local))
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::FaultCategory::{
        self, UndefinedBehavior, UnimplementedFunctionality, UnsupportedFunctionality,
    };

    use super::*;

    const WRITE: u32 = 1 << 1;
    const MULTICAST: u32 = WRITE | 1 << 5 | 1 << 8;
    const MARKED: u32 = 1 << 4;
    const MULTICAST_ATOMIC: u32 = 1 | MARKED | 1 << 5 | 1 << 8;

    fn refusal(control: u32) -> Option<FaultCategory> {
        Control(control).check().err().map(|violation| violation.category)
    }

    /// What NoC/MemoryMap.md says of each bit of `NOC_CTRL`, each by itself beside a write or a multicast.
    #[test]
    fn each_bit_of_a_request_is_taken_or_refused() {
        for bit in 0..32 {
            let (of_write, of_multicast) = match bit {
                // An atomic that is a write as well.
                0 => (Some(UnsupportedFunctionality), Some(UnsupportedFunctionality)),
                // The write itself, a response, and the virtual channel.
                1 | 4 | 6 | 7 | 13..=15 => (None, None),
                3 => (None, Some(UnimplementedFunctionality)),
                // A multicast with and without path reservation.
                5 => (Some(UnimplementedFunctionality), None),
                8 => (Some(UnimplementedFunctionality), None),
                // It includes its source.
                17 => (Some(UnimplementedFunctionality), None),
                2 | 9 | 16 | 27..=30 => {
                    (Some(UnimplementedFunctionality), Some(UnimplementedFunctionality))
                }
                10..=12 | 18..=26 | 31 => {
                    (Some(UnsupportedFunctionality), Some(UnsupportedFunctionality))
                }
                _ => unreachable!(),
            };
            assert_eq!(refusal(WRITE | 1 << bit), of_write, "a write with bit {bit}");
            assert_eq!(refusal(MULTICAST | 1 << bit), of_multicast, "a multicast with bit {bit}");
        }
    }
    /// Channels 6 and 7 have the class of responses. The bits mean nothing while the hardware chooses the channel.
    #[test]
    fn no_request_takes_the_channels_of_responses() {
        const READ: u32 = MARKED;
        for of_request in [READ, WRITE, MULTICAST, MULTICAST_ATOMIC] {
            for channel in 0..8 {
                let chosen = of_request | channel << 13;
                assert_eq!(refusal(chosen), None, "{chosen:#x}");
                let expected = (channel >= 6).then_some(UnsupportedFunctionality);
                assert_eq!(refusal(chosen | 1 << 7), expected, "{chosen:#x} with a static channel");
            }
        }
    }

    /// An atomic can be multicast, with responses.
    #[test]
    fn a_multicast_atomic_has_responses() {
        assert_eq!(refusal(MULTICAST_ATOMIC), None);
        assert_eq!(refusal(MULTICAST_ATOMIC | 1 << 6 | 1 << 7 | 4 << 13 | 1 << 17), None);
        assert_eq!(refusal(MULTICAST_ATOMIC ^ MARKED), Some(UndefinedBehavior));
        assert_eq!(refusal(MULTICAST_ATOMIC ^ 1 << 8), Some(UnimplementedFunctionality));
    }
}
