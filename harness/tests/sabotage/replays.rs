//! What a replay of a capture shows of each defect: the command that `hallmark bisect` names, or why it can name none.

use hallmark_schema::model::CommandKind;

use super::needles::Answer;

/// What a replay shows of a defect, where the capture was made without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replay {
    /// The first bad command is a call of this kind.
    Names(CommandKind),
    /// Two commands lack an order.
    Orders,
    /// Nothing: the search says that it cannot tell.
    Hides(Hidden),
}

/// Why a replay does not show a defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hidden {
    /// With it, a call is carried out that no capture can hold, so that the replay leaves none.
    Unwritable,
    /// With it, what is sound in the capture is taken for damaged.
    Refused,
    /// With it, no device opens.
    Opening,
    /// It spoils how a kernel is built, and the capture holds kernels that were built without it.
    Building,
    /// It spoils what is looked at before anything is carried out, and that is no executor's work.
    Admission,
    /// It spoils what a capture holds beside its commands.
    Beside,
    /// It shows only with settings of a dispatcher that a suite gives, and that no capture holds.
    Settings,
}

impl Replay {
    /// Whether an answer about the defect is right, as far as its kind goes.
    pub(crate) fn fits(self, answer: &Answer) -> bool {
        match (self, answer) {
            (Self::Names(kind), Answer::FirstBad { call, .. }) => kind.name() == call,
            (Self::Orders, Answer::Order { .. }) | (Self::Hides(_), Answer::Inconclusive(_)) => {
                true
            }
            (Self::Names(_) | Self::Orders | Self::Hides(_), _) => false,
        }
    }
}

/// What a replay shows of a defect.
pub(crate) fn replay_of(defect: &str) -> Replay {
    let of_defect = REPLAYS.iter().find(|(_, defects)| defects.contains(&defect));
    of_defect.unwrap_or_else(|| panic!("{defect} is in no class")).0
}

/// The defects of each class.
pub(crate) const REPLAYS: &[(Replay, &[&str])] = &[
    (
        Replay::Names(CommandKind::EnqueueProgram),
        &[
            "PagesUnaligned",
            "MemoryGivenTwice",
            "LastRoundForgotten",
            "FreedMemoryKeepsItsMeaning",
            "AddressOffsetIgnored",
            "AddressOfTheNextSemaphore",
            "CoordinatesSwapped",
            "ArgumentsSwapped",
            "ArgumentsOfTheFirstCore",
            "CircularBuffersPacked",
            "ClashIgnored",
            "OnePageTooMany",
            "SemaphoresShareANumber",
            "LastTileNotLaunched",
            "SemaphoresResetOnce",
            "KernelBinaryOfTheSameSizeReused",
            "LastSiteNotRelocated",
            "RecorderForgetsBlocking",
            "BgeuStrict",
            "AtomicAddsOne",
            "AtomicReturnsNew",
            "MulticastAcknowledgedOnce",
            "ReadsLosePoison",
            "MulticastAlwaysIncludesSource",
            "MulticastDropsLastTarget",
            "OneByteTooManyInAPacket",
            "AnyAlignmentOfTransfers",
            "StreamCountsNarrow",
            "LbUnsigned",
            "SraLogical",
            "MulhsuSigned",
            "DivisionByZeroIsZero",
            "OneTileDoneIsEnough",
            "ChannelsUnordered",
            "StreamLosesAnUpdate",
            "MailboxLastInFirstOut",
            "OldCodeKept",
            "PageCountsKept",
            "DoneBeforeTheOthers",
            "DoneBeforeTheKernel",
            "FinishedBeforeTheKernel",
            "LastThreadNotStarted",
            "LaunchesDoNotOverlap",
            "CoresHaveNoOwner",
            "TracesTakeColdPrograms",
            "ChangedArgumentsNotSent",
            "KernelBinariesCountAsThere",
            "MulticastWrapsInRows",
            "MulticastWrapsInColumns",
            "OddAtomicsIncrement",
            "ReadsTooFarOn",
            "WritesTooFarOn",
            "InlineWritesOneMore",
            "MailboxesHoldFive",
            "NarrowStoresKeepTheirLine",
            "DataCacheOneLineMore",
            "DataCacheOneLineLess",
            "PrivateMemoryOneWordMore",
            "PrivateMemoryOneWordLess",
            "SraForgetsPoison",
            "ClzOfZeroIs31",
            "PackTakesTheUpperHalf",
            "KeptLaunchesNotChanged",
            "RectanglesLoseTheirLastRow",
            "HarvestingUnread",
            "Wrong_FENCE",
            "Wrong_LUI",
            "Wrong_AUIPC",
            "Wrong_JAL",
            "Wrong_JALR",
            "Wrong_BEQ",
            "Wrong_BLT",
            "Wrong_BGE",
            "Wrong_BLTU",
            "Wrong_BGEU",
            "Wrong_LB",
            "Wrong_LH",
            "Wrong_LW",
            "Wrong_LBU",
            "Wrong_LHU",
            "Wrong_SB",
            "Wrong_SH",
            "Wrong_SW",
            "Wrong_SLTI",
            "Wrong_SLTIU",
            "Wrong_XORI",
            "Wrong_ORI",
            "Wrong_SLLI",
            "Wrong_SRLI",
            "Wrong_SRAI",
            "Wrong_RORI",
            "Wrong_CLZ",
            "Wrong_CTZ",
            "Wrong_CPOP",
            "Wrong_SEXT_B",
            "Wrong_SEXT_H",
            "Wrong_ORC_B",
            "Wrong_REV8",
            "Wrong_BREV8",
            "Wrong_ADD",
            "Wrong_SUB",
            "Wrong_SLL",
            "Wrong_SLT",
            "Wrong_SLTU",
            "Wrong_XOR",
            "Wrong_SRL",
            "Wrong_SRA",
            "Wrong_OR",
            "Wrong_AND",
            "Wrong_MUL",
            "Wrong_MULH",
            "Wrong_MULHSU",
            "Wrong_MULHU",
            "Wrong_DIV",
            "Wrong_DIVU",
            "Wrong_REM",
            "Wrong_REMU",
            "Wrong_SH1ADD",
            "Wrong_SH2ADD",
            "Wrong_SH3ADD",
            "Wrong_ANDN",
            "Wrong_ORN",
            "Wrong_XNOR",
            "Wrong_MIN",
            "Wrong_MINU",
            "Wrong_MAX",
            "Wrong_MAXU",
            "Wrong_ROL",
            "Wrong_ROR",
            "Wrong_PACK",
            "Wrong_AMOSWAP",
            "Wrong_AMOADD",
            "Wrong_AMOXOR",
            "Wrong_AMOAND",
            "Wrong_AMOOR",
            "Wrong_AMOMIN",
            "Wrong_AMOMAX",
            "Wrong_AMOMINU",
            "Wrong_AMOMAXU",
            "Wrong_CSRRW",
            "Wrong_CSRRS",
            "Wrong_CSRRC",
            "Wrong_CSRRWI",
            "Wrong_CSRRSI",
            "Wrong_CSRRCI",
        ],
    ),
    (
        Replay::Names(CommandKind::ReplayTrace),
        &[
            "HalfATraceCommandIsEnough",
            "TraceForgetsItsLastProgram",
            "LoadedTraceForgetsAddends",
            "LoadedTraceIgnoresGivenBuffers",
            "LoadedTraceForgetsSemaphores",
        ],
    ),
    (
        Replay::Names(CommandKind::EnqueueWriteBuffer),
        &["WritesToTheNextBank", "RegionsOfQueueRacesGrow", "ReplayerForgetsQueues"],
    ),
    (
        Replay::Names(CommandKind::EnqueueReadBuffer),
        &[
            "ReadsMissAPage",
            "RecorderKeepsTheFirstRead",
            "QueriesOrderNothing",
            "EventsOrderNothing",
            "QueueRacesUnreported",
        ],
    ),
    (
        Replay::Names(CommandKind::CreateBuffer),
        &["FreedMemoryLost", "FreeNeighboursApart", "TraceRegionNotSetAside"],
    ),
    (Replay::Names(CommandKind::CreateCircularBuffer), &["IndexTwiceOnACore"]),
    (Replay::Names(CommandKind::CreateKernel), &["RecorderForgetsDefines"]),
    (Replay::Names(CommandKind::CreateSemaphore), &["ReplayerForgetsInitialValues"]),
    (
        Replay::Names(CommandKind::SetRuntimeArgs),
        &[
            "ArgumentCountMayChange",
            "RecorderLosesRelocations",
            "RecorderSharesArguments",
            "RecorderForgetsFailures",
            "ReplayerForgetsFailedCalls",
            "ReplayerSetsOneCore",
        ],
    ),
    (Replay::Names(CommandKind::DeallocateBuffer), &["ReplayerForgetsDeallocations"]),
    (
        Replay::Names(CommandKind::EnqueueRecordEvent),
        &["EventNumbersShared", "WaitingTakesNoNumber"],
    ),
    (Replay::Names(CommandKind::EventSynchronize), &["HiddenEventsAreSeen"]),
    (Replay::Names(CommandKind::EventQuery), &["QueriesSayYes", "QueriesAnswerEarly"]),
    (
        Replay::Names(CommandKind::EndTraceCapture),
        &["TracedProgramsRun", "TraceRoomForOne", "TraceRoomKept", "ReplayerForgetsTraceRegions"],
    ),
    (
        Replay::Names(CommandKind::LoadTrace),
        &["LoadedTraceTakesAnyShape", "LoadedTraceTakesNoRoom", "ReplayerForgetsTraceBuffers"],
    ),
    (Replay::Orders, &["QueueReversed", "WaitsDoNotWait"]),
    (
        Replay::Hides(Hidden::Unwritable),
        &[
            "ShardPairPastTheLast",
            "OneArgumentTooMany",
            "IndexTwiceInABuffer",
            "ReplayerWritesZeros",
            "TraceTakesWrites",
        ],
    ),
    (
        Replay::Hides(Hidden::Refused),
        &[
            "EncoderLosesARelocation",
            "EncoderLosesACompileArgument",
            "EncoderCutsSizes",
            "EncoderForgetsInitialValues",
            "DecoderForgetsEndsOfRanges",
            "EncoderHidesEvents",
        ],
    ),
    (
        Replay::Hides(Hidden::Opening),
        &[
            "BusyLoopsParked",
            "TranslationIgnoresHarvesting",
            "Wrong_BNE",
            "Wrong_ADDI",
            "Wrong_ANDI",
        ],
    ),
    (
        Replay::Hides(Hidden::Building),
        &[
            "OnePageIsEnoughToRead",
            "OnePageIsEnoughToWrite",
            "PointersRunOn",
            "PushesCountOne",
            "PopsCountOne",
            "AddressInTheNextBank",
            "AddressOnePageOff",
            "AddressUnaligned",
            "AccessorForgetsPartialShards",
            "ReadBarrierWaitsForNothing",
            "WriteBarrierWaitsForNothing",
            "AtomicBarrierWaitsForNothing",
            "FlushWaitsForNothing",
            "TransactionBarrierWaitsForNothing",
            "MulticastDropsItself",
            "MulticastDropsAColumn",
            "NocCoordinatesSwapped",
            "SemaphoreWaitTakesMore",
            "SemaphoreWaitWantsMore",
            "IncrementAddsOne",
            "SemaphoreOfTheNextNumber",
            "ArgumentsCountedFromOne",
            "CommonArgumentsAreOwn",
            "LongReadsRepeatThemselves",
            "VariablesNotZeroed",
            "LastVariableNotSet",
            "KernelEndsBeforeItsWrites",
            "InlineWritesShareALine",
        ],
    ),
    (
        Replay::Hides(Hidden::Admission),
        &["AdaptedReplayKeepsAddresses", "AssessmentForgetsCircularBuffers"],
    ),
    (Replay::Hides(Hidden::Settings), &["EventNumbersUnsigned"]),
    (Replay::Hides(Hidden::Beside), &["RecorderForgetsIncludes"]),
];
