//! The kinds of entries by number; the recorder's table is generated from this one.

macro_rules! kinds {
    ($($name:ident = $number:literal,)*) => {
        /// The kind of an entry. Each is an event of the same name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub(crate) enum Kind {
            $($name = $number,)*
        }

        impl Kind {
            /// Every kind.
            pub(crate) const ALL: &[Self] = &[$(Self::$name),*];
        }
    };
}

kinds! {
    LibraryLoaded = 1,
    DeviceOpened = 2,
    DeviceClosed = 3,
    BufferAllocated = 4,
    BufferFreed = 5,
    Written = 6,
    ReadBegun = 7,
    ReadCompleted = 8,
    ProgramDescribed = 9,
    BindingsGenerated = 10,
    ProgramEnqueued = 11,
    ProgramDestroyed = 12,
    Finish = 13,
    EventRecorded = 14,
    EventWaitedFor = 15,
    EventSynchronized = 16,
    EventQueried = 17,
    TraceBegun = 18,
    TraceEnded = 19,
    TraceReplayed = 20,
    TraceReleased = 21,
    CallThrew = 22,
    Unfollowed = 23,
    ProcessEnded = 24,
    CutBegun = 25,
    CutEnded = 26,
    ContentsReadBack = 27,
}

impl Kind {
    /// The number in the file.
    pub(crate) const fn number(self) -> u32 {
        self as u32
    }

    pub(super) fn of(number: u32) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.number() == number)
    }

    /// Whether data follow the fields.
    pub(super) const fn has_data(self) -> bool {
        matches!(
            self,
            Self::Written | Self::ReadCompleted | Self::BindingsGenerated | Self::ContentsReadBack
        )
    }
}
