//! Tests on cards under nextest: each card has a test group of its own, and only so many of its tests run
//! at a time as it has slots, which is one.
//!
//! nextest chooses groups by names, so the name of a test on a card begins with the card:
//! `pci_0::wormhole_b0::…` (see `.config/nextest.toml`). Several cards of an architecture
//! (`HALLMARK_DEVICE_WORMHOLE_B0=pci:0,pci:1`) share its tests. Which cards there are is looked at when tests
//! are listed, once a run; the process of a test knows its card by its name.

use std::collections::BTreeMap;

use hallmark_chip::Architecture;
use hallmark_runtime::DeviceSpec;
use hallmark_runtime::devices::pci::ListedCard;

use hallmark_execution::executor::{ExecutorChoice, ExecutorError, Purpose};

/// A card, and how names of its tests begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Such as `pci_0`.
    pub name: String,
    /// The card that the tests of the slot run on.
    pub device: DeviceSpec,
    /// How it is used.
    pub executor: ExecutorChoice,
}

/// The cards that tests run on, by architecture.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    cards: BTreeMap<Architecture, Vec<Slot>>,
}

impl Slots {
    /// Those that the environment names for capturing.
    ///
    /// # Errors
    /// A name is no device's.
    pub fn of_environment() -> Result<Self, ExecutorError> {
        let variable = |architecture| std::env::var(Purpose::Capture.variable(architecture)).ok();
        Self::of(variable)
    }

    fn of(variable: impl Fn(Architecture) -> Option<String>) -> Result<Self, ExecutorError> {
        let mut cards = BTreeMap::new();
        for architecture in Architecture::ALL {
            let Some(text) = variable(architecture) else { continue };
            let mut slots: Vec<Slot> = Vec::new();
            for (place, text) in text.split(',').enumerate() {
                let executor: ExecutorChoice = text.parse()?;
                Purpose::Capture.admits(&executor, architecture)?;
                let name = match &executor.device {
                    Some(DeviceSpec::Pci(number)) => format!("pci_{number}"),
                    Some(DeviceSpec::SimulatedCard(_)) => format!("pci_sim_{place}"),
                    // They have no limit, so their tests keep their names.
                    Some(
                        DeviceSpec::Simulator(_)
                        | DeviceSpec::Ttsim(_)
                        | DeviceSpec::Misbehaving(_),
                    )
                    | None => continue,
                };
                let Some(device) = executor.device.clone() else { continue };
                slots.push(Slot { name, device, executor });
            }
            if !slots.is_empty() {
                cards.insert(architecture, slots);
            }
        }
        Ok(Self { cards })
    }

    /// The slot of an architecture's `index`-th test: cards take turns.
    pub fn slot(&self, architecture: Architecture, index: usize) -> Option<&Slot> {
        let slots = self.cards.get(&architecture)?;
        slots.get(index.checked_rem(slots.len())?)
    }

    /// The card that a listed name begins with, with its architecture, and the rest of the name.
    pub fn split<'a>(&self, name: &'a str) -> (Option<(Architecture, &Slot)>, &'a str) {
        let Some((first, rest)) = name.split_once("::") else { return (None, name) };
        let mut all = self
            .cards
            .iter()
            .flat_map(|(architecture, slots)| slots.iter().map(move |slot| (*architecture, slot)));
        // One card is of one architecture, so its name says which.
        match all.find(|(_, slot)| slot.name == first) {
            Some(found) => (Some(found), rest),
            None => (None, name),
        }
    }

    /// Whether every card that was named is there and is what it is taken for; `found` are the cards of this
    /// machine, unless nobody can look for them.
    ///
    /// # Errors
    /// What is amiss with the first that is not.
    pub fn check(&self, found: Option<&[ListedCard]>) -> Result<(), ExecutorError> {
        for (architecture, slot) in
            self.cards.iter().flat_map(|(it, slots)| slots.iter().map(move |slot| (it, slot)))
        {
            let DeviceSpec::Pci(number) = slot.device else { continue };
            let wrong = match found {
                None => {
                    Some("this build has no driver for cards; build with `--features pci`".into())
                }
                Some(found) => match found.iter().find(|card| card.number == number) {
                    None => Some("the driver has found no such card".to_owned()),
                    Some(ListedCard { card: Err(error), .. }) => Some(error.to_string()),
                    Some(ListedCard { card: Ok(info), .. }) => {
                        match Architecture::from_pci_id(info.pci_id) {
                            Some(is) if is == *architecture => None,
                            Some(is) => Some(format!("it is a {is}")),
                            None => Some(format!("its PCI id {:#010x} is no chip's", info.pci_id)),
                        }
                    }
                },
            };
            if let Some(wrong) = wrong {
                return Err(ExecutorError::Card {
                    architecture: *architecture,
                    device: slot.device.clone(),
                    reason: wrong,
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use hallmark_runtime::devices::pci::{CardInfo, OpenCardError};

    use super::*;

    fn slots(wormhole: &'static str, blackhole: &'static str) -> Slots {
        Slots::of(|architecture| {
            let text = match architecture {
                Architecture::Grayskull => "",
                Architecture::WormholeB0 => wormhole,
                Architecture::Blackhole => blackhole,
            };
            (!text.is_empty()).then(|| text.to_owned())
        })
        .unwrap()
    }

    fn card(number: u32, architecture: Architecture) -> ListedCard {
        let info = CardInfo {
            pci_id: architecture.pci_id(),
            address: "0000:01:00.0".to_owned(),
            driver: (2, 9, 0),
        };
        ListedCard { number, card: Ok(info), users: Vec::new() }
    }

    #[test]
    fn cards_take_turns_and_simulators_have_no_slots() {
        let slots = slots("pci:0,pci:3", "sim:blackhole");
        let names: Vec<&str> = (0..3)
            .filter_map(|test| slots.slot(Architecture::WormholeB0, test))
            .map(|slot| slot.name.as_str())
            .collect();
        assert_eq!(names, ["pci_0", "pci_3", "pci_0"]);
        assert_eq!(slots.slot(Architecture::Blackhole, 0), None);
        let (found, rest) = slots.split("pci_3::wormhole_b0::group::suite::case");
        let (architecture, slot) = found.unwrap();
        assert_eq!((architecture, &slot.device), (Architecture::WormholeB0, &DeviceSpec::Pci(3)));
        assert_eq!(rest, "wormhole_b0::group::suite::case");
        for other in ["pci_1::wormhole_b0::a::b::c", "blackhole::a::b::c"] {
            assert_eq!(slots.split(other), (None, other));
        }
    }

    #[test]
    fn a_card_that_is_not_there_or_another_fails_the_listing() {
        let slots = slots("pci:0", "pci:1");
        let both = [card(0, Architecture::WormholeB0), card(1, Architecture::Blackhole)];
        assert_eq!(slots.check(Some(&both)), Ok(()));
        let swapped = [card(1, Architecture::WormholeB0), card(0, Architecture::Blackhole)];
        let reason = "it is silent".to_owned();
        let absent = OpenCardError::Absent { device: "pci:0".to_owned(), reason };
        let silent = [ListedCard { number: 0, card: Err(absent), users: Vec::new() }];
        for (found, words) in [
            (None, "--features pci"),
            (
                Some(&both[..1]),
                "blackhole cannot be tested on pci:1: the driver has found no such card",
            ),
            (Some(swapped.as_slice()), "it is a blackhole"),
            (Some(silent.as_slice()), "it is silent"),
        ] {
            let error = slots.check(found).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        assert_eq!(self::slots("pci:sim:wormhole_b0", "").check(None), Ok(()));
    }

    /// nextest knows groups by their configuration alone.
    #[test]
    fn each_card_has_a_group_of_one_in_nextests_configuration() {
        let text = include_str!("../../.config/nextest.toml");
        for card in 0..8 {
            for line in [
                format!("pci_{card} = {{ max-threads = 1 }}"),
                format!(
                    "filter = 'binary(suites) & test(/^pci_{card}::/)'\ntest-group = 'pci_{card}'"
                ),
            ] {
                assert!(text.contains(&line), "{line}");
            }
        }
    }
}
