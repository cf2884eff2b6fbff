//! `hallmark certify`.

mod again;
mod certification;
mod challenge;
mod demand;
mod display;
mod failures;
mod packaging;
mod score;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use hallmark_certification::log::{RunIdentity, RunLog};
use hallmark_certification::results::{ResultLine, RunKey};
use hallmark_certification::run::Runner;
use hallmark_certification::store::CaptureStore;
use hallmark_certification::subject::Subject;
use hallmark_certification::waivers::{self, Waiver};
use hallmark_execution::interrupt;
use hallmark_execution::whole_file;
use hallmark_package::Timestamp;
use hallmark_pipeline::shard::Shard;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_schema::model::ContentHash;
use hallmark_schema::plural::counted;

use self::certification::Certification;
use self::challenge::{ChallengeArguments, GivenChallenge};
use self::display::Display;
use self::failures::{internal, unwritten};
use super::options::{
    DeviceOption, Devices, EXECUTION, FirmwareOption, MemoryOption, OUTPUT, RootOption,
    TimeoutOption,
};
use super::run::check_executor;
use super::signature_beside::check_signature;
use super::{Failed, output, work};
use crate::configuration::Configuration;

#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct CertifyArguments {
    #[command(subcommand)]
    action: Option<Action>,
    /// A conformance profile beside the suites by its name, or the file of one
    #[arg(value_name = "PROFILE", required = true)]
    profile: Option<String>,
    #[command(flatten)]
    root: RootOption,
    #[command(flatten)]
    device: DeviceOption,
    #[command(flatten)]
    firmware: FirmwareOption,
    #[command(flatten)]
    memory: MemoryOption,
    /// How many tests run at a time [default: as many as there are processors]
    #[arg(short, long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024),
        help_heading = EXECUTION)]
    jobs: Option<u16>,
    /// A reviewer's challenge: tests with generated data run a second time, with data that follows from it
    #[arg(long, value_name = "FILE", help_heading = EXECUTION)]
    challenge: Option<PathBuf>,
    /// A folder of waivers, each with its approver's signature beside it
    #[arg(long, value_name = "FOLDER", help_heading = EXECUTION)]
    waivers: Option<PathBuf>,
    /// Only one part of the runs: 1/8 is the first of eight parts, whose packages `hallmark package merge` makes one of.
    /// Waivers are the merged package's
    #[arg(long, value_name = "NUMBER/TOTAL", conflicts_with = "waivers", help_heading = EXECUTION)]
    shard: Option<Shard>,
    /// Leave out what only a certification needs: a challenge that the profile requires
    #[arg(long, help_heading = EXECUTION)]
    draft: bool,
    /// Run the failures of the same certification anew, and nothing else: those of the package to be written, or of a
    /// run that was stopped. The log says so, and the package is accepted with that reservation at best
    #[arg(long, help_heading = EXECUTION)]
    again_failed: bool,
    /// The package to be written [default: PROFILE.hallmark, or PROFILE-1-of-8.hallmark]; until it is whole, everything lies in FILE.run
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    output: Option<PathBuf>,
}

#[derive(Clone, Debug, Subcommand)]
enum Action {
    /// Write what a profile demands: its lock
    ///
    /// The lock names each test with the hashes of all it depends on, and says where it is skipped.
    Lock(LockArguments),
    /// Write a challenge for somebody who is going to certify
    Challenge(ChallengeArguments),
}

#[derive(Clone, Debug, Args)]
struct LockArguments {
    /// A conformance profile beside the suites by its name, or the file of one
    #[arg(value_name = "PROFILE")]
    profile: String,
    /// The planted defects that the profile's tests found, a name a line: a profile with a `score` has no lock without them
    #[arg(long, value_name = "FILE", help_heading = EXECUTION)]
    found: Option<PathBuf>,
    /// The file of the lock
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    output: PathBuf,
}

pub(super) fn run(arguments: &CertifyArguments) -> Result<ExitCode, Failed> {
    let jobs = arguments.jobs.map_or_else(work::processors, usize::from);
    match &arguments.action {
        Some(Action::Lock(lock)) => write_lock(arguments, lock, jobs),
        Some(Action::Challenge(challenge)) => challenge::write(challenge),
        None => certify(arguments, jobs),
    }
}

fn write_lock(
    arguments: &CertifyArguments,
    lock: &LockArguments,
    jobs: usize,
) -> Result<ExitCode, Failed> {
    let root = arguments.root.find()?;
    let demand = demand::of(&root, &lock.profile, jobs)?;
    let score = score::check(&root, demand.lock.profile.score, lock.found.as_deref())?;
    let bytes = demand.lock.to_bytes().map_err(|error| internal(&error))?;
    whole_file::write_durably(&lock.output, &bytes)
        .map_err(|error| unwritten(&lock.output, &error))?;
    let tests = counted(demand.tests().len(), "test", "tests");
    let name = demand.profile.name();
    output::say(&format!("wrote {}  {tests} of `{name}`{score}", lock.output.display()));
    Ok(ExitCode::SUCCESS)
}

fn certify(arguments: &CertifyArguments, jobs: usize) -> Result<ExitCode, Failed> {
    // Without a subcommand the parser requires a profile.
    let Some(profile) = &arguments.profile else {
        return Err(Failed::new(ExitCode::USAGE, "certify needs a profile"));
    };
    arguments.memory.grant(&Configuration::default());
    let root = arguments.root.find()?;
    let now = Timestamp::now();
    let demand = demand::of(&root, profile, jobs)?;
    let shard = arguments.shard.filter(|shard| *shard != Shard::WHOLE);
    let part = shard.map(|it| format!("-{}-of-{}", it.number(), it.total())).unwrap_or_default();
    let named_by_profile = PathBuf::from(format!("{}{part}.hallmark", demand.profile.name()));
    let package = arguments.output.as_deref().unwrap_or(&named_by_profile);
    let architectures: Vec<_> = demand.lock.architectures().into_iter().collect();
    let devices = Devices {
        device: Some(&arguments.device),
        replay_device: None,
        programs: arguments.firmware.settings()?,
        // A certification depends on no configuration file.
        configuration: None,
        // The time of its tests is that of their suites.
        timeout: TimeoutOption::default(),
    };
    let settings = devices.settings(root, &architectures)?;
    let subject = Subject::of(&settings.workers, &demand.lock)?;
    let rule = demand.lock.profile.challenge;
    let challenge = arguments.challenge.as_deref();
    let challenge = challenge.map(|it| GivenChallenge::read(&settings.root, it)).transpose()?;
    match &challenge {
        Some(given) => {
            given.check(now, rule.valid_for_days)?;
            if !arguments.draft {
                given.check_giver(rule.required)?;
            }
        }
        None if rule.required && !arguments.draft => {
            return Err(Failed::new(
                ExitCode::USAGE,
                format!(
                    "the conformance profile `{}` requires a challenge; name one with --challenge, or make a draft \
                     without one with --draft",
                    demand.profile.name()
                ),
            ));
        }
        None => {}
    }
    let waivers = arguments
        .waivers
        .as_deref()
        .map(|it| Waiver::read_folder(&settings.root, it))
        .transpose()?;
    let waivers = waivers.unwrap_or_default();
    waivers::check_all(&waivers, &demand.lock.profile, now)?;
    if !arguments.draft {
        waivers.iter().try_for_each(|waiver| check_signature(waiver.path()))?;
    }
    whole_file::check_writable(package).map_err(|error| {
        let text = format!("{} cannot be written: {error}", package.display());
        Failed::new(ExitCode::USAGE, text)
    })?;
    for &architecture in &architectures {
        let executor = settings.workers.executor(architecture);
        check_executor(&settings.workers, &executor, architecture)?;
    }
    let (is_draft, is_again) = (arguments.draft, arguments.again_failed);
    let certification = Certification {
        settings,
        demand,
        subject,
        challenge,
        waivers,
        shard,
        package,
        is_draft,
        is_again,
        jobs,
    };
    certification.run()
}

impl Certification<'_> {
    /// The folder in which the package is made.
    fn folder(&self) -> PathBuf {
        let mut name = self.package.file_name().unwrap_or_default().to_owned();
        name.push(".run");
        self.package.with_file_name(name)
    }

    /// Carries out all runs that have no result yet, and writes the package.
    fn run(&self) -> Result<ExitCode, Failed> {
        let Self { settings, demand, subject, .. } = self;
        let challenge = self.challenge.as_ref();
        let mut runs = demand.lock.runs(&subject.devices, challenge.is_some())?;
        if let Some(shard) = self.shard {
            let all = runs.len();
            runs = shard.of(runs.into_iter().collect()).into_iter().collect();
            if runs.is_empty() {
                let runs = counted(all, "run", "runs");
                let text = format!("shard {shard} of {runs} is empty; use at most {all} shards");
                return Err(Failed::new(ExitCode::USAGE, text));
            }
        }
        let folder = self.folder();
        let log_file = folder.join(hallmark_package::RUN);
        let challenge_hash = challenge.map(|given| ContentHash::of(&given.file.bytes));
        let identity = self.identity(challenge_hash)?;
        let store = CaptureStore::new(folder.clone());
        again::clear_ended(self.package, &folder, &log_file)?;
        if self.is_again && !log_file.exists() {
            again::restore(self.package, &identity, &store, &log_file)?;
        }
        let (log, known) = RunLog::open(&log_file, &identity)?;
        let mut results: BTreeMap<RunKey, ResultLine> =
            known.into_iter().map(|result| (result.run.clone(), result)).collect();
        if self.is_again {
            again::forget_failures(&mut results, &log)?;
        }
        let is_open = |key: &&RunKey| !results.contains_key(key);
        let open: Vec<&RunKey> = runs.keys().filter(is_open).collect();
        let failures = folder.join("failures");
        let given = challenge.map(|given| given.challenge);
        let runner = Runner::new(settings.clone(), store.clone(), failures, given);
        let display = Display::new(subject, demand, runs.len(), results.len());
        let ended = work::each(&open, self.jobs, |key| {
            display.begin(key);
            let result = match runs.get(key).copied().flatten() {
                Some(reason) => Some(ResultLine::skipped(key, reason)),
                None => {
                    let absent = || format!("the lock has no test {}", key.test);
                    let test = demand.test(&key.test);
                    let test = test.ok_or_else(|| Failed::new(ExitCode::INTERNAL, absent()))?;
                    runner.carry_out(test, key)?
                }
            };
            // The user who stopped the run can resume it.
            let Some(result) = result else { return Ok(None) };
            log.add(result.clone())?;
            display.end(&result);
            Ok(Some(result))
        });
        display.close();
        for result in ended?.into_iter().flatten() {
            results.insert(result.run.clone(), result);
        }
        if results.len() < runs.len() || interrupt::requested() {
            let all = counted(runs.len(), "run", "runs");
            output::say(&format!(
                "stopped after {} of {all}; the same command goes on",
                results.len()
            ));
            return Ok(ExitCode::INTERRUPTED);
        }
        waivers::apply(&self.waivers, &demand.lock.profile, &subject.firmware, &mut results)?;
        self.write_package(&results, &store, &log_file)?;
        // All that the folder holds is in the package: the certification has ended, whatever came of it. Until the folder is
        // gone, no other process goes on with it.
        again::not_removed(&folder).iter().for_each(|problem| output::warn(problem));
        drop(log);
        let code = display.summary(&results, self.package);
        Ok(ExitCode::first([code, self.verify_package()?]))
    }

    /// The identity of the run.
    fn identity(&self, challenge: Option<ContentHash>) -> Result<RunIdentity, Failed> {
        let Self { settings, demand, subject, shard, .. } = self;
        let workers = &settings.workers;
        let mut executors = BTreeMap::new();
        for architecture in demand.lock.architectures() {
            let executor = workers.executor(architecture);
            let made_of = executor.identity(&workers.worker.executable);
            let made_of = made_of.map_err(|error| Failed::new(ExitCode::DEVICE, error))?;
            executors.insert(architecture, made_of);
        }
        let lock = demand.lock.hash().map_err(|error| internal(&error))?;
        let (subjects, shard) = (subject.parts.clone(), *shard);
        Ok(RunIdentity { lock, executors, subjects, challenge, shard })
    }
}
