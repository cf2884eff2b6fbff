//! Our conversions, and the hash of what they give.

use hallmark_tensix::formats::{
    Block, Exponents, Format, Pack, PackSettings, Relu, Unpack, UnpackSettings, UnpackTarget,
    accumulate,
};

use hallmark_chip::FaultCategory;

use crate::cases::{Command, DATA, PACKED};
use crate::random::{Chip, Hash, category};

/// The conversions and their hash.
pub(crate) struct Player {
    chip: Chip,
    /// Over all outcomes.
    pub(crate) hash: Hash,
    /// Conversions that were done, that were refused.
    pub(crate) outcomes: [u64; 2],
}

impl Player {
    pub(crate) fn new(chip: Chip) -> Self {
        Self { chip, hash: Hash::new(), outcomes: [0; 2] }
    }

    /// Plays a command.
    pub(crate) fn play(&mut self, command: &Command) {
        let result = match command {
            Command::Unpack { settings, data } => self.unpack(*settings, data),
            Command::Pack { settings, data, memory } => self.pack(*settings, data, memory),
        };
        match result {
            Ok(words) => {
                self.outcomes[0] += 1;
                self.hash.add(0);
                words.into_iter().for_each(|word| self.hash.add(word));
            }
            Err(refused) => {
                self.outcomes[1] += 1;
                self.hash.add(2 + category(refused));
            }
        }
    }

    fn unpack(&self, settings: [u32; 6], data: &[u32; DATA]) -> Result<Vec<u32>, FaultCategory> {
        let [from, to, to_destination, unsigned, four_bits, exponent] = settings;
        let unpack = Unpack::choose(
            0,
            &UnpackSettings {
                from: Format::from_code(from),
                to: Format::from_code(to),
                target: if to_destination == 1 {
                    UnpackTarget::Destination
                } else {
                    UnpackTarget::Source
                },
                unsigned: unsigned == 1,
                four_bit_exponent: four_bits == 1,
                largest_float8_is_padded: self.chip == Chip::Blackhole,
            },
        )
        .map_err(|refusal| refusal.category)?;
        let memory = packed(data, unpack.bits());
        let exponents = [exponent as u8];
        let exponents = if Format::from_code(from).is_block() {
            Exponents::Section { bytes: &exponents, first: 0 }
        } else {
            Exponents::None
        };
        let mut row = [0; DATA];
        assert_eq!(unpack.run(&memory, 0, exponents, &mut row), DATA);
        Ok(row.to_vec())
    }

    fn pack(
        &self,
        settings: [u32; 10],
        data: &[u32; DATA],
        memory: &[u32; 20],
    ) -> Result<Vec<u32>, FaultCategory> {
        let [wide, unsigned, raw, rounds, intermediate, to, four_bits, mode, threshold, adds] =
            settings;
        // Ttsim refuses conversions that the documentation has, before all else.
        if !PACKED.contains(&(wide, intermediate, to)) {
            return Err(FaultCategory::UnimplementedFunctionality);
        }
        let to = Format::from_code(to);
        let pack = Pack::choose(
            0,
            &PackSettings {
                wide: wide == 1,
                unsigned: unsigned == 1,
                raw: raw == 1,
                round_to_ten_bits: rounds == 1,
                intermediate: Format::from_code(intermediate),
                to,
                four_bit_exponent: four_bits == 1,
                relu: Relu { mode, threshold: threshold as u16 },
                exponent_threshold: None,
                has_float16_of_32_bits: self.chip == Chip::Blackhole,
            },
        )
        .map_err(|refusal| refusal.category)?;
        let values = data.map(|stored| pack.datum(stored));
        let bits = to.bits().unwrap();
        let mut bytes: Vec<u8> = memory.iter().flat_map(|word| word.to_le_bytes()).collect();
        let start = if bits <= 8 { 16 } else { 0 };
        let before = bytes[start..].to_vec();
        let written = match Block::of(&values.map(|value| value as u16), to) {
            Some(block) => {
                bytes[..16].fill(0);
                bytes[0] = block.exponent;
                block.bytes().to_vec()
            }
            None if adds == 1 => {
                let old = unpacked(&before, bits);
                let sums =
                    std::array::from_fn(|index| accumulate(to, old[index], values[index]).unwrap());
                packed(&sums, bits)
            }
            None => packed(&values, bits),
        };
        let end = start + written.len().next_multiple_of(16);
        bytes[start..end].fill(0);
        bytes[start..start + written.len()].copy_from_slice(&written);
        Ok(bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect())
    }
}

/// Data of some bits each, one after the other.
fn packed(data: &[u32; DATA], bits: u32) -> Vec<u8> {
    let mut bytes = vec![0; DATA * bits as usize / 8];
    for bit in 0..DATA * bits as usize {
        let value = data[bit / bits as usize] >> (bit % bits as usize) & 1;
        bytes[bit / 8] |= (value as u8) << (bit % 8);
    }
    bytes
}

fn unpacked(bytes: &[u8], bits: u32) -> [u32; DATA] {
    std::array::from_fn(|index| {
        let start = index * bits as usize / 8;
        let bytes = &bytes[start..start + bits as usize / 8];
        bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))
    })
}
