//! The queues of an engine: their commands, the choice between them, and the races of commands that were executed.

use hallmark_schema::model::{CommandIndex, EventId, QueueId};

use super::races::QueueRaces;
use super::{Due, Executed, QueueRace, QueueSchedule, QueuedWork, Until};
use crate::InternalError;
use crate::launch::ProgramLaunch;
use crate::order::{Progress, QUEUES};
use crate::settings::EngineSettings;
use crate::work::{Work, WorkItem};

/// The command queues of an engine.
#[derive(Debug)]
pub(crate) struct CommandQueues {
    queued: QueuedWork,
    /// Chooses the queue that goes on where the choice is open.
    schedule: QueueSchedule,
    races: QueueRaces,
    /// Whether there is another queue with which commands may race.
    may_race: bool,
}

impl CommandQueues {
    pub(crate) fn new(settings: &EngineSettings) -> Self {
        Self {
            queued: QueuedWork::default(),
            schedule: QueueSchedule::new(settings.schedule_seed),
            races: QueueRaces::default(),
            may_race: settings.num_command_queues > 1,
        }
    }

    /// Takes work; it is executed once a call waits for it.
    pub(crate) fn push(&mut self, item: WorkItem) {
        self.queued.push(item);
    }

    /// Drops all that was enqueued: the device has stopped.
    pub(crate) fn clear(&mut self) {
        self.queued = QueuedWork::default();
    }

    /// Whether there is another queue with which commands may race.
    pub(crate) const fn may_race(&self) -> bool {
        self.may_race
    }

    /// Bytes that queued launches hold, roughly.
    pub(crate) const fn launches_weight(&self) -> u64 {
        self.queued.launches()
    }

    /// The launches among the commands, in the order of their calls.
    pub(crate) fn launches(&self) -> impl Iterator<Item = (CommandIndex, &ProgramLaunch)> {
        self.queued.queued_launches()
    }

    /// Whether commands wait to be executed.
    pub(crate) fn has_work(&self) -> bool {
        self.queued.has_work()
    }

    /// Whether any command but events waits to be executed.
    pub(crate) fn has_more_than_events(&self) -> bool {
        self.queued.has_more_than_events()
    }

    /// Whether a queue has nothing to be executed.
    pub(crate) fn is_empty(&self, queue: QueueId) -> bool {
        self.queued.is_empty(queue)
    }

    /// Whether the command that records an event was executed.
    pub(crate) fn has_happened(&self, event: EventId) -> bool {
        self.queued.has_happened(event)
    }

    /// The command that records an event was executed.
    pub(crate) fn happens(&mut self, event: EventId) {
        self.queued.happens(event);
    }

    /// Event ids count from 0 again.
    pub(crate) fn forget_events(&mut self) {
        self.queued.forget_events();
    }

    /// The item that is executed next to come to a point; `None` once it is reached.
    ///
    /// # Errors
    /// The queues wait for each other, which no calls can bring about.
    pub(crate) fn take_next(&mut self, until: Until) -> Result<Option<Due>, InternalError> {
        self.queued.take_next(until, &mut self.schedule)
    }

    /// The item that is executed next, whatever the host waits for; `None` if none can be. `must_wait` says of
    /// which queues the first command cannot begin yet.
    pub(crate) fn take_any(&mut self, must_wait: [bool; QUEUES]) -> Option<Due> {
        self.queued.take_any(&mut self.schedule, must_wait)
    }

    /// The work that each queue executes next.
    pub(crate) fn first_of_each(&self) -> [Option<&Work>; QUEUES] {
        self.queued.first_of_each()
    }

    /// Whether a command races with one executed before it.
    pub(crate) fn would_race(&self, now: &Executed) -> bool {
        self.races.would_race(now)
    }

    /// Notes a command that was executed, with its races. `later` is done before the commands that each queue is given
    /// later, `under_way` before the launches that are executed and not noted yet.
    pub(crate) fn executed(
        &mut self,
        now: Executed,
        later: [Progress; QUEUES],
        under_way: impl Iterator<Item = Progress>,
    ) {
        let floor: Vec<Progress> = self.queued.floor(later).into_iter().chain(under_way).collect();
        self.races.executed(now, &floor);
    }

    /// A race between commands that the host knows to be done, if there is one. It is told once.
    pub(crate) fn known_race(&mut self, host: Progress) -> Option<QueueRace> {
        self.races.known(host)
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::{Footprint, Meaning, PhysicalCoordinate};
    use hallmark_schema::model::{BufferType, DispatchMode, DispatchSettings};

    use super::*;
    use crate::addresses::page_mapping::PageMapping;
    use crate::addresses::{BufferExtent, Placement};
    use crate::order::Order;
    use crate::queue::Beside;
    use crate::work::Annotation;

    const FIRST: QueueId = QueueId(0);
    const SECOND: QueueId = QueueId(1);

    /// Queues, and the order that calls have given.
    struct Calls {
        queues: CommandQueues,
        order: Order,
        command: u32,
    }

    impl Calls {
        fn new() -> Self {
            let settings = EngineSettings {
                dispatch: DispatchMode::Host,
                dispatch_settings: DispatchSettings::default(),
                num_command_queues: 2,
                trace_region_size: 0,
                tick_budget: 1,
                boot_budget: 1,
                schedule_seed: 0,
            };
            let queues = CommandQueues::new(&settings);
            Self { queues, order: Order::default(), command: 10 }
        }

        fn enqueue(&mut self, queue: QueueId, work: Work) {
            let (position, before) = self.order.enqueued(queue);
            let command = CommandIndex(self.command);
            self.command += 1;
            self.queues.push(WorkItem::Enqueue { command, position, before, work });
        }

        fn annotate(&mut self) {
            let extent = BufferExtent {
                buffer_type: BufferType::Dram,
                page_size: 32,
                placement: Placement { address: 64, page_stride: 32, bank_size: 32 },
                mapping: PageMapping::Interleaved { banks: 1 },
                pages: 0..1,
            };
            let annotation = Annotation { extent, meaning: Meaning::Buffer, buffer: None };
            self.queues.push(WorkItem::Annotate(annotation));
        }

        /// The calls of all commands up to a point, 0 for an annotation. Events happen.
        fn run(&mut self, until: Until) -> Vec<u32> {
            let mut ran = Vec::new();
            while let Some(due) = self.queues.take_next(until).unwrap() {
                ran.push(match due {
                    Due::Annotation(..) => 0,
                    Due::Command(command) => {
                        if let Work::RecordEvent(event) = command.work {
                            self.queues.happens(event);
                        }
                        command.command.0
                    }
                });
            }
            ran
        }
    }

    #[test]
    fn an_annotation_parts_earlier_commands_from_later_ones() {
        let mut calls = Calls::new();
        calls.enqueue(FIRST, Work::RecordEvent(EventId(0)));
        calls.enqueue(SECOND, Work::RecordEvent(EventId(1)));
        calls.annotate();
        calls.enqueue(FIRST, Work::RecordEvent(EventId(2)));
        calls.enqueue(SECOND, Work::RecordEvent(EventId(3)));
        // The second queue's first command comes before the annotation, its other one may stay.
        assert_eq!(calls.run(Until::Empty(FIRST)), [10, 11, 0, 12]);
        assert!(calls.queues.has_work() && !calls.queues.has_more_than_events());
        assert_eq!(calls.run(Until::Empty(SECOND)), [13]);
        assert!(!calls.queues.has_work());
    }

    #[test]
    fn a_wait_holds_its_queue_back_until_the_event_has_happened() {
        let mut calls = Calls::new();
        calls.enqueue(FIRST, Work::RecordEvent(EventId(5)));
        calls.enqueue(FIRST, Work::RecordEvent(EventId(6)));
        calls.enqueue(SECOND, Work::WaitForEvent(EventId(5)));
        assert!(!calls.queues.has_happened(EventId(5)));
        assert_eq!(calls.run(Until::Empty(SECOND)), [10, 12]);
        assert!(calls.queues.has_happened(EventId(5)) && !calls.queues.has_happened(EventId(6)));
        // Nothing is left to wait for.
        assert_eq!(
            calls.run(Until::Happened { event: EventId(5), queue: FIRST }),
            Vec::<u32>::new()
        );
        assert_eq!(calls.run(Until::Happened { event: EventId(6), queue: FIRST }), [11]);
    }

    #[test]
    fn a_race_is_told_once_the_host_knows_both_commands_to_be_done() {
        let mut calls = Calls::new();
        let mut touched = Footprint::default();
        touched.add(PhysicalCoordinate { x: 1, y: 1 }, 64, 32, true);
        for (queue, command) in [(FIRST, 20), (FIRST, 22), (SECOND, 25)] {
            let (position, before) = calls.order.enqueued(queue);
            let (command, beside) = (CommandIndex(command), Beside::default());
            let now = Executed { command, position, before, touched: touched.clone(), beside };
            assert_eq!(calls.queues.would_race(&now), queue == SECOND);
            calls.queues.executed(now, [Progress::default(); QUEUES], std::iter::empty());
        }
        assert_eq!(calls.queues.known_race(calls.order.host()), None);
        calls.order.host_saw(calls.order.before_next(FIRST));
        assert_eq!(calls.queues.known_race(calls.order.host()), None);
        calls.order.host_saw(calls.order.before_next(SECOND));
        let race = calls.queues.known_race(calls.order.host()).unwrap();
        assert_eq!((race.first().0, race.second().0), (CommandIndex(20), CommandIndex(25)));
        assert_eq!(race.last_of_queue, CommandIndex(22));
        assert_eq!(calls.queues.known_race(calls.order.host()), None);
    }
}
