//! The names of misbehaving devices, and their meaning.

use std::fmt;
use std::num::NonZeroU64;
use std::path::Path;
use std::str::FromStr;

use hallmark_chip::{Architecture, LogicalCore, UnknownArchitecture};
use thiserror::Error;

/// The way in which a device misbehaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Misbehaviour {
    /// The driver reports it as gone.
    Dies,
    /// The device drops off the bus: every read returns ones, every write vanishes.
    AllOnes,
    /// The device has dropped off the bus before it is opened.
    Absent,
    /// An access never returns.
    Stalls,
    /// The device's cores stop executing.
    Freezes,
    /// The device presents another chip's PCI id.
    OtherArchitecture,
    /// Writes to DRAM vanish.
    DropsWrites,
    /// Writes through unordered windows arrive late and in reverse. The contract allows this, so it must have
    /// no effect.
    ReordersWrites,
    /// The lowest bit of the first byte of data read from DRAM is flipped.
    FlipsBit,
    /// A program is not run.
    ForgetsLaunch,
    /// A core does not run its part of programs that the host launches.
    ForgetsCore,
    /// A queue does not wait for an event.
    ForgetsEvent,
}

impl Misbehaviour {
    /// Every kind.
    pub const ALL: [Self; 12] = [
        Self::Dies,
        Self::AllOnes,
        Self::Absent,
        Self::Stalls,
        Self::Freezes,
        Self::OtherArchitecture,
        Self::DropsWrites,
        Self::ReordersWrites,
        Self::FlipsBit,
        Self::ForgetsLaunch,
        Self::ForgetsCore,
        Self::ForgetsEvent,
    ];

    /// The spelling in a device name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dies => "dies",
            Self::AllOnes => "all_ones",
            Self::Absent => "absent",
            Self::Stalls => "stalls",
            Self::Freezes => "freezes",
            Self::OtherArchitecture => "other_architecture",
            Self::DropsWrites => "drops_writes",
            Self::ReordersWrites => "reorders_writes",
            Self::FlipsBit => "flips_bit",
            Self::ForgetsLaunch => "forgets_launch",
            Self::ForgetsCore => "forgets_core",
            Self::ForgetsEvent => "forgets_event",
        }
    }

    /// When the misbehaviour can occur.
    const fn times(self) -> Times {
        match self {
            Self::Absent | Self::OtherArchitecture => Times::WhenOpened,
            Self::ForgetsLaunch | Self::ForgetsEvent => Times::Nth,
            Self::Dies
            | Self::AllOnes
            | Self::Stalls
            | Self::Freezes
            | Self::DropsWrites
            | Self::ReordersWrites
            | Self::FlipsBit
            | Self::ForgetsCore => Times::From,
        }
    }
}

/// When a kind of device misbehaves, which determines its option.
enum Times {
    /// While the device is opened.
    WhenOpened,
    /// From a launch on.
    From,
    /// Once.
    Nth,
}

/// A misbehaving device, named `KIND:ARCHITECTURE`, optionally followed by options and `:MARKER`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MisbehavingSpec {
    /// The kind of misbehaviour.
    pub how: Misbehaviour,
    /// The architecture of the chip.
    pub architecture: Architecture,
    /// The first launch at which it misbehaves, counted from 1. Without it, most kinds begin at the first write
    /// of data to DRAM.
    pub from: Option<NonZeroU64>,
    /// The skipped launch or wait for an event, counted from 1; the first by default.
    pub nth: Option<NonZeroU64>,
    /// The core that skips its launches; the first by default.
    pub core: Option<LogicalCore>,
    /// The share of runs in which it misbehaves; all by default.
    pub chance: Option<Chance>,
    /// Determines, with the schedule seed or the counter, the runs in which it misbehaves. Without it, equal runs may differ.
    pub seed: Option<u64>,
    /// A file with one byte for each run of the device so far. The number of the run replaces the schedule seed: runs under one
    /// schedule seed differ, and an absent file makes them repeat from the first on.
    pub counter: Option<Box<Path>>,
    /// A file that is created when the device is lost; while it exists, the device is absent.
    pub marker: Option<Box<Path>>,
}

/// A share of runs, in millionths: 0 is none, a million is all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chance(u32);

impl Chance {
    const ALL: u32 = 1_000_000;

    /// Whether a number, uniform over 64 bits, falls into the share.
    pub(super) const fn includes(self, number: u64) -> bool {
        number % (Self::ALL as u64) < self.0 as u64
    }
}

impl fmt::Display for Chance {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = format!("{}.{:06}", self.0 / Self::ALL, self.0 % Self::ALL);
        formatter.write_str(share.trim_end_matches('0').trim_end_matches('.'))
    }
}

impl FromStr for Chance {
    type Err = MisbehavingSpecError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let share: Option<f64> = text.parse().ok();
        let share = share.filter(|share| (0.0..=1.0).contains(share));
        let share = share.ok_or_else(|| MisbehavingSpecError::Chance { text: text.to_owned() })?;
        // At most a million.
        Ok(Self((share * f64::from(Self::ALL)).round() as u32))
    }
}

/// The text is not the name of a misbehaving device.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MisbehavingSpecError {
    /// An unknown kind.
    #[error("unknown misbehaviour `{name}`; write one of {}", names())]
    UnknownKind {
        /// The text in place of the kind.
        name: String,
    },
    /// The name ends after the kind.
    #[error("the architecture is missing")]
    NoArchitecture,
    /// An unknown architecture.
    #[error(transparent)]
    Architecture(#[from] UnknownArchitecture),
    /// A launch, an event or a seed that is not a number.
    #[error("`{option}={value}` is no number{}", if *option == "seed" { "" } else { " from 1 on" })]
    Number {
        /// The option's name.
        option: &'static str,
        /// The option's value.
        value: String,
    },
    /// A text that is not a core.
    #[error("`core={text}` is no core; write its column and row, as in `core=1-0`")]
    Core {
        /// The text.
        text: String,
    },
    /// A text that is not a share.
    #[error("`chance={text}` is no number from 0 to 1")]
    Chance {
        /// The text.
        text: String,
    },
    /// An option that no device has.
    #[error(
        "unknown option `{option}=`; the options are from, nth, core, chance, seed and counter, and a marker file of such a name is written `./{option}=`"
    )]
    UnknownOption {
        /// The option's name.
        option: String,
    },
    /// A repeated option.
    #[error("`{option}=` stands there twice")]
    Twice {
        /// The option's name.
        option: &'static str,
    },
    /// An option that has no effect for the kind.
    #[error("`{option}=` says nothing of a device that {kind}: {reason}")]
    Useless {
        /// The option's name.
        option: &'static str,
        /// The kind's name.
        kind: &'static str,
        /// Why it has no effect.
        reason: &'static str,
    },
}

fn names() -> String {
    Misbehaviour::ALL.map(Misbehaviour::name).join(", ")
}

impl fmt::Display for MisbehavingSpec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { how, architecture, from, nth, core, chance, seed, counter, marker } = self;
        write!(formatter, "{}:{architecture}", how.name())?;
        if let Some(from) = from {
            write!(formatter, ":from={from}")?;
        }
        if let Some(nth) = nth {
            write!(formatter, ":nth={nth}")?;
        }
        if let Some(LogicalCore { x, y }) = core {
            write!(formatter, ":core={x}-{y}")?;
        }
        if let Some(chance) = chance {
            write!(formatter, ":chance={chance}")?;
        }
        if let Some(seed) = seed {
            write!(formatter, ":seed={seed}")?;
        }
        if let Some(counter) = counter {
            write!(formatter, ":counter={}", counter.display())?;
        }
        match marker {
            Some(marker) => write!(formatter, ":{}", marker.display()),
            None => Ok(()),
        }
    }
}

/// Sets an option, which must not be set yet.
fn set<T: FromStr>(
    value: &mut Option<T>,
    option: &'static str,
    text: &str,
) -> Result<(), MisbehavingSpecError> {
    if value.is_some() {
        return Err(MisbehavingSpecError::Twice { option });
    }
    let number =
        text.parse().map_err(|_| MisbehavingSpecError::Number { option, value: text.to_owned() });
    *value = Some(number?);
    Ok(())
}

/// Whether a text in front of `=` names an option, and is no part of a path.
fn is_option_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
}

/// A core as `COLUMN-ROW`.
fn core(text: &str) -> Result<LogicalCore, MisbehavingSpecError> {
    let numbers = text.split_once('-').map(|(x, y)| (x.parse(), y.parse()));
    match numbers {
        Some((Ok(x), Ok(y))) => Ok(LogicalCore { x, y }),
        _ => Err(MisbehavingSpecError::Core { text: text.to_owned() }),
    }
}

impl FromStr for MisbehavingSpec {
    type Err = MisbehavingSpecError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (how, rest) =
            text.split_once(':').map_or((text, None), |(how, rest)| (how, Some(rest)));
        let known = Misbehaviour::ALL.into_iter().find(|known| known.name() == how);
        let how =
            known.ok_or_else(|| MisbehavingSpecError::UnknownKind { name: how.to_owned() })?;
        let rest = rest.ok_or(MisbehavingSpecError::NoArchitecture)?;
        let (architecture, mut rest) =
            rest.split_once(':').map_or((rest, None), |(first, rest)| (first, Some(rest)));
        let architecture = Architecture::named_by_user(architecture)?;
        let mut spec = Self {
            how,
            architecture,
            from: None,
            nth: None,
            core: None,
            chance: None,
            seed: None,
            counter: None,
            marker: None,
        };
        while let Some(text) = rest {
            let (part, behind) =
                text.split_once(':').map_or((text, None), |(part, behind)| (part, Some(behind)));
            match part.split_once('=') {
                Some(("from", value)) => set(&mut spec.from, "from", value)?,
                Some(("nth", value)) => set(&mut spec.nth, "nth", value)?,
                Some(("seed", value)) => set(&mut spec.seed, "seed", value)?,
                Some(("core", _)) if spec.core.is_some() => {
                    return Err(MisbehavingSpecError::Twice { option: "core" });
                }
                Some(("core", value)) => spec.core = Some(core(value)?),
                Some(("chance", _)) if spec.chance.is_some() => {
                    return Err(MisbehavingSpecError::Twice { option: "chance" });
                }
                Some(("chance", value)) => spec.chance = Some(value.parse()?),
                // A path may hold colons.
                Some(("counter", _)) => {
                    spec.counter = text.split_once('=').map(|(_, path)| Path::new(path).into());
                    break;
                }
                Some((option, _)) if is_option_name(option) => {
                    return Err(MisbehavingSpecError::UnknownOption { option: option.to_owned() });
                }
                Some(_) | None => {
                    spec.marker = Some(Path::new(text).into());
                    break;
                }
            }
            rest = behind;
        }
        spec.check()?;
        Ok(spec)
    }
}

impl MisbehavingSpec {
    /// Refuses options without an effect.
    fn check(&self) -> Result<(), MisbehavingSpecError> {
        let kind = self.how.name();
        let useless = |option, reason| Err(MisbehavingSpecError::Useless { option, kind, reason });
        if self.core.is_some() && self.how != Misbehaviour::ForgetsCore {
            return useless("core", "no single core has a part in it");
        }
        match self.how.times() {
            Times::WhenOpened if self.from.is_some() => {
                useless("from", "it misbehaves while it is opened")
            }
            Times::Nth if self.from.is_some() => useless("from", "`nth=` says what it forgets"),
            Times::WhenOpened | Times::From if self.nth.is_some() => {
                useless("nth", "it forgets nothing")
            }
            Times::WhenOpened | Times::From | Times::Nth => {
                if self.seed.is_some() && self.chance.is_none() {
                    return useless("seed", "it misbehaves in every run without `chance=`");
                }
                if self.counter.is_some() && self.seed.is_none() {
                    return useless("counter", "no number decides anything without `seed=`");
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_how_which_when_and_where_it_is_remembered() {
        for how in Misbehaviour::ALL {
            let text = format!("{}:blackhole", how.name());
            let spec: MisbehavingSpec = text.parse().unwrap();
            assert_eq!((spec.how, spec.to_string()), (how, text));
        }
        for text in [
            "dies:wormhole_b0:/tmp/a:b",
            "dies:wormhole_b0:from=7:/tmp/a=b:from=8",
            "dies:wormhole_b0:./chanse=0.1",
            "drops_writes:blackhole:from=1:chance=0.14:seed=3",
            "drops_writes:blackhole:chance=0.14:seed=3:counter=/tmp/runs:of=it",
            "freezes:blackhole:chance=1",
            "freezes:blackhole:chance=0.000001",
            "forgets_event:wormhole_b0:nth=2",
            "forgets_launch:wormhole_b0:nth=20:chance=0.3",
            "forgets_core:wormhole_b0:from=2:core=7-10:chance=0.3",
        ] {
            assert_eq!(text.parse::<MisbehavingSpec>().unwrap().to_string(), text);
        }
        let spec: MisbehavingSpec = "dies:blackhole:seed=1:chance=0.50:from=2".parse().unwrap();
        assert_eq!(spec.to_string(), "dies:blackhole:from=2:chance=0.5:seed=1");
    }

    #[test]
    fn a_wrong_name_says_what_is_wrong() {
        for (wrong, words) in [
            ("", "unknown misbehaviour ``; write one of dies, all_ones"),
            ("dies", "the architecture is missing"),
            ("dies:", "unknown architecture ``"),
            ("sulks:blackhole", "unknown misbehaviour `sulks`"),
            ("dies:blackhole:from=0", "`from=0` is no number from 1 on"),
            ("dies:blackhole:from=-1", "`from=-1` is no number from 1 on"),
            ("dies:blackhole:from=99999999999999999999", "is no number from 1 on"),
            (
                "dies:blackhole:chanse=0.1",
                "unknown option `chanse=`; the options are from, nth, core",
            ),
            ("dies:blackhole:from=2:Seed=1", "unknown option `Seed=`"),
            ("dies:blackhole:from=1:from=2", "`from=` stands there twice"),
            ("dies:blackhole:chance=0.1:chance=0.1", "`chance=` stands there twice"),
            ("dies:blackhole:chance=1.1", "`chance=1.1` is no number from 0 to 1"),
            ("dies:blackhole:chance=NaN", "`chance=NaN` is no number from 0 to 1"),
            ("dies:blackhole:chance=0.1:seed=x", "`seed=x` is no number"),
            ("dies:blackhole:seed=1", "it misbehaves in every run without `chance=`"),
            (
                "dies:blackhole:chance=0.1:counter=/tmp/runs",
                "no number decides anything without `seed=`",
            ),
            ("absent:blackhole:from=1", "it misbehaves while it is opened"),
            ("dies:blackhole:nth=1", "`nth=` says nothing of a device that dies"),
            ("forgets_event:blackhole:from=1", "`nth=` says what it forgets"),
            ("forgets_core:blackhole:core=1", "`core=1` is no core; write its column and row"),
            ("forgets_core:blackhole:core=-1-0", "`core=-1-0` is no core"),
            ("forgets_core:blackhole:core=1-0:core=1-0", "`core=` stands there twice"),
            ("forgets_core:blackhole:nth=1", "`nth=` says nothing of a device that forgets_core"),
            ("dies:blackhole:core=1-0", "no single core has a part in it"),
        ] {
            let error = wrong.parse::<MisbehavingSpec>().unwrap_err().to_string();
            assert!(error.contains(words), "{wrong}: {error}");
        }
    }

    #[test]
    fn a_chance_is_the_share_of_numbers_that_it_includes() {
        let mut random = hallmark_chip::Random::new(1);
        for (text, share) in [("0", 0..1), ("0.14", 13_000..15_000), ("1", 100_000..100_001)] {
            let chance: Chance = text.parse().unwrap();
            let included = (0..100_000).filter(|_| chance.includes(random.next())).count();
            assert!(share.contains(&included), "{included} of 100000 for {text}");
        }
    }
}
