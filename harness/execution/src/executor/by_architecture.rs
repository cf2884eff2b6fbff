//! The executor for each architecture's captures: by flag, by environment variable, or the simulator.

use std::collections::BTreeMap;

use hallmark_chip::Architecture;
use hallmark_runtime::DeviceSpec;
use hallmark_runtime::devices::SimulatedChip;

use super::{Executor, ExecutorChoice, ExecutorError, ProgramSettings, Release};

/// The use of an executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Capturing, and replaying unless another executor is chosen for that.
    Capture,
    /// Only replaying.
    Replay,
}

impl Purpose {
    /// The flag that chooses the executor.
    const fn flag(self) -> &'static str {
        match self {
            Self::Capture => "--device",
            Self::Replay => "--replay-device",
        }
    }

    /// The environment variable that chooses the executor of an architecture.
    pub fn variable(self, architecture: Architecture) -> String {
        let prefix = match self {
            Self::Capture => "HALLMARK_DEVICE",
            Self::Replay => "HALLMARK_REPLAY_DEVICE",
        };
        format!("{prefix}_{}", architecture.name().to_uppercase())
    }

    /// Whether an executor can serve captures of an architecture: its device is of that architecture itself if
    /// it is to make them, while they may be replayed on a chip of another one and by another release.
    pub fn admits(
        self,
        choice: &ExecutorChoice,
        architecture: Architecture,
    ) -> Result<(), ExecutorError> {
        choice.check_folders()?;
        choice.check_settings(architecture)?;
        if self == Self::Replay {
            return Ok(());
        }
        let text = || choice.to_string();
        let flag = self.flag();
        match choice.release {
            Release::This | Release::Metalium(_) => {}
            Release::Other(_) => {
                return Err(ExecutorError::OtherReleaseCaptures { text: text(), flag });
            }
        }
        let is = choice.device.as_ref().and_then(DeviceSpec::architecture);
        if is.is_some_and(|is| is != architecture) {
            return Err(ExecutorError::OtherArchitecture { text: text(), architecture });
        }
        Ok(())
    }
}

/// The place that chooses an executor. Of several, the last one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChosenBy {
    /// A configuration file.
    File,
    /// The environment variable of the architecture.
    Variable,
    /// An option of the command line, or the caller.
    Option,
}

/// An executor for each architecture, by default the simulator.
#[derive(Clone, Debug, Default)]
pub struct Executors {
    chosen: BTreeMap<Architecture, (ExecutorChoice, ChosenBy)>,
}

impl Executors {
    /// Those of configuration files.
    pub fn of_files(choices: impl IntoIterator<Item = (Architecture, ExecutorChoice)>) -> Self {
        let chosen = choices.into_iter().map(|(it, choice)| (it, (choice, ChosenBy::File)));
        Self { chosen: chosen.collect() }
    }

    /// Chooses executors by the environment, overridden by choices of the form `[ARCHITECTURE=]EXECUTOR`. A
    /// choice without an architecture applies to all of `selected`; there must be only one, unless the device
    /// itself names its architecture or is a simulator.
    ///
    /// # Errors
    /// The problem of a choice.
    pub fn choose(
        choices: &[String],
        selected: &[Architecture],
        purpose: Purpose,
    ) -> Result<Self, ExecutorError> {
        Self::default().overridden(choices, selected, purpose)
    }

    /// As [`Self::choose`], with these executors where neither the environment nor a choice names one.
    ///
    /// # Errors
    /// The problem of a choice.
    pub fn overridden(
        self,
        choices: &[String],
        selected: &[Architecture],
        purpose: Purpose,
    ) -> Result<Self, ExecutorError> {
        let mut executors = self;
        for &architecture in &Architecture::ALL {
            if let Some(text) = std::env::var_os(purpose.variable(architecture)) {
                let text = text.to_string_lossy().into_owned();
                // If several cards share the tests of the test command, the first one is used.
                let text = text.split(',').next().unwrap_or_default();
                executors.insert(text.parse()?, architecture, purpose, ChosenBy::Variable)?;
            }
        }
        executors.add(choices, selected, purpose)?;
        Ok(executors)
    }

    /// As [`Self::choose`], whatever the environment says.
    ///
    /// # Errors
    /// The problem of a choice.
    pub fn named(
        choices: &[String],
        selected: &[Architecture],
        purpose: Purpose,
    ) -> Result<Self, ExecutorError> {
        let mut executors = Self::default();
        executors.add(choices, selected, purpose)?;
        Ok(executors)
    }

    fn add(
        &mut self,
        choices: &[String],
        selected: &[Architecture],
        purpose: Purpose,
    ) -> Result<(), ExecutorError> {
        for text in choices {
            let choice: ExecutorChoice = text.parse()?;
            match (choice.says_architecture(), choice.architecture, selected) {
                // A replay may use a chip of another architecture, so the text before `=` takes precedence.
                (_, Some(one), _) | (Some(one), None, _) | (None, None, &[one]) => {
                    self.insert(choice, one, purpose, ChosenBy::Option)?;
                }
                (None, None, all) if choice.device.is_none() => {
                    for &one in all {
                        self.insert(choice.clone(), one, purpose, ChosenBy::Option)?;
                    }
                }
                (None, None, _) => {
                    let (text, flag) = (text.clone(), purpose.flag());
                    return Err(ExecutorError::WhichArchitecture { text, flag });
                }
            }
        }
        Ok(())
    }

    fn insert(
        &mut self,
        choice: ExecutorChoice,
        architecture: Architecture,
        purpose: Purpose,
        by: ChosenBy,
    ) -> Result<(), ExecutorError> {
        purpose.admits(&choice, architecture)?;
        self.chosen.insert(architecture, (choice, by));
        Ok(())
    }

    /// One executor for an architecture.
    pub fn only(choice: ExecutorChoice, architecture: Architecture) -> Self {
        Self { chosen: BTreeMap::from([(architecture, (choice, ChosenBy::Option))]) }
    }

    /// The choice for an architecture, if there is one.
    pub fn chosen(&self, architecture: Architecture) -> Option<&ExecutorChoice> {
        self.chosen.get(&architecture).map(|(choice, _)| choice)
    }

    /// The place that chooses the executor of an architecture; `None` for the simulator that nobody chose.
    pub fn chosen_by(&self, architecture: Architecture) -> Option<ChosenBy> {
        self.chosen.get(&architecture).map(|(_, by)| *by)
    }

    /// The executor for an architecture.
    pub fn of(&self, architecture: Architecture, others: &ProgramSettings) -> Executor {
        let simulator = ExecutorChoice::simulator();
        self.chosen(architecture).unwrap_or(&simulator).executor(architecture, others)
    }

    /// The simulators of the same chips.
    pub fn simulated(&self) -> Self {
        let chosen = self.chosen.iter().map(|(&architecture, (choice, by))| {
            let harvesting = choice.device.as_ref().map(DeviceSpec::harvesting).unwrap_or_default();
            let device = DeviceSpec::Simulator(SimulatedChip { architecture, harvesting });
            let choice =
                ExecutorChoice { device: Some(device), release: Release::This, ..choice.clone() };
            (architecture, (choice, *by))
        });
        Self { chosen: chosen.collect() }
    }
}

/// The executor for the replay of an architecture's capture: a choice of the form `[ARCHITECTURE=]EXECUTOR`,
/// the environment, or the simulator.
///
/// # Errors
/// The problem of the choice.
pub fn for_capture(
    choice: Option<&str>,
    captured: Architecture,
    others: &ProgramSettings,
) -> Result<Executor, ExecutorError> {
    let Some(text) = choice else {
        let executors = Executors::choose(&[], &[captured], Purpose::Capture)?;
        return Ok(executors.of(captured, others));
    };
    let choice: ExecutorChoice = text.parse()?;
    choice.check_folders()?;
    if let (Some(architecture), Some(is)) =
        (choice.architecture, choice.device.as_ref().and_then(DeviceSpec::architecture))
        && architecture != is
    {
        return Err(ExecutorError::OtherArchitecture { text: choice.to_string(), architecture });
    }
    let architecture = choice.architecture.unwrap_or(captured);
    choice.check_settings(architecture)?;
    Ok(choice.executor(architecture, others))
}
