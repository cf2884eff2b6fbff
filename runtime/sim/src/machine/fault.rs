//! A broken rule and who broke it, inside the simulator: what becomes a [`Fault`] at its edge.

use std::ops::Deref;

use hallmark_chip::{
    Fault, FaultCategory, FaultMemory, FaultPlace, PhysicalCoordinate, Processor, Writer,
};

use crate::machine::memory::Source;

/// A broken rule before anybody has said where. Each step of the machine may return one, and nearly none does: it is as
/// small as a pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation(Box<Broken>);

/// A broken rule in detail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Broken {
    pub(crate) category: FaultCategory,
    pub(crate) reason: String,
    /// Where it was broken, if not where the core stands that the machine executes.
    pub(crate) place: Option<Box<FaultPlace>>,
    /// Where the other party to it stood, if there is one.
    pub(crate) against: Option<Box<FaultPlace>>,
    /// The memory that the fault concerns, if any.
    pub(crate) memory: Option<Box<FaultMemory>>,
    /// The source of the unwritten value that the fault concerns, if any.
    pub(crate) unwritten: Option<Source>,
    /// The kernel's mistake, where the category alone could mean that the machine lacks something.
    pub(crate) mistake: Option<Mistake>,
}

/// A mistake of a kernel that Tenstorrent's simulator calls unsupported or not implemented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mistake {
    /// It asks for an address or a coordinate that the chip does not have.
    NamesNothing,
    /// It has more local variables than its stack holds.
    StackFull,
    /// It asks the NoC for something that no request can be; with what to do instead.
    MalformedRequest(&'static str),
}

impl Deref for Violation {
    type Target = Broken;

    fn deref(&self) -> &Broken {
        &self.0
    }
}

impl Violation {
    #[cold]
    pub(crate) fn new(category: FaultCategory, reason: impl Into<String>) -> Self {
        Self(Box::new(Broken {
            category,
            reason: reason.into(),
            place: None,
            against: None,
            memory: None,
            unwritten: None,
            mistake: None,
        }))
    }

    /// The same with other words.
    pub(crate) fn in_words(mut self, category: FaultCategory, reason: String) -> Self {
        self.0.category = category;
        self.0.reason = reason;
        self
    }

    pub(crate) fn broken_at(mut self, place: FaultPlace) -> Self {
        self.0.place = Some(Box::new(place));
        self
    }

    pub(crate) fn against(mut self, place: Option<FaultPlace>) -> Self {
        self.0.against = place.map(Box::new);
        self
    }

    pub(crate) fn about(mut self, memory: Option<FaultMemory>) -> Self {
        self.0.memory = memory.map(Box::new);
        self
    }

    pub(crate) fn undefined(reason: impl Into<String>) -> Self {
        Self::new(FaultCategory::UndefinedBehavior, reason)
    }

    pub(crate) fn non_contractual(reason: impl Into<String>) -> Self {
        Self::new(FaultCategory::NonContractualBehavior, reason)
    }

    pub(crate) fn unsupported(reason: impl Into<String>) -> Self {
        Self::new(FaultCategory::UnsupportedFunctionality, reason)
    }

    pub(crate) fn unimplemented(reason: impl Into<String>) -> Self {
        Self::new(FaultCategory::UnimplementedFunctionality, reason)
    }

    /// No chip has anything at the address or the coordinate. Tenstorrent's simulator calls some of those accesses
    /// unsupported and others not implemented.
    pub(crate) fn naming_nothing(mut self) -> Self {
        self.0.mistake = Some(Mistake::NamesNothing);
        self
    }

    /// The access is one of a stack that has grown out of the core's memory.
    pub(crate) fn filling_the_stack(mut self) -> Self {
        self.0.mistake = Some(Mistake::StackFull);
        self
    }

    /// No chip carries out such a request.
    pub(crate) fn malformed_request(mut self, remedy: &'static str) -> Self {
        self.0.mistake = Some(Mistake::MalformedRequest(remedy));
        self
    }

    pub(crate) fn untested(reason: impl Into<String>) -> Self {
        Self::new(FaultCategory::UntestedFunctionality, reason)
    }

    /// A value that nothing wrote decides `what`.
    pub(crate) fn unpredictable(what: impl std::fmt::Display, source: Source) -> Self {
        let mut violation = Self::new(
            FaultCategory::UnpredictableValueUsed,
            format!(
                "{what} depends on {source}, which nothing has written since power-on or since it was \
                 freed"
            ),
        );
        violation.0.unwritten = Some(source);
        violation.about(source.fault_memory())
    }

    pub(crate) fn at(self, place: Option<FaultPlace>) -> Fault {
        let Broken { category, reason, place: own, against, memory, .. } = *self.0;
        Fault { category, reason, place: own.or(place.map(Box::new)), against, memory }
    }
}

/// Who caused an effect: the host, or an instruction of a core. A NoC request keeps the instruction
/// that issued it until its last response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Host,
    Core(CoreOrigin),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CoreOrigin {
    pub(crate) tile: PhysicalCoordinate,
    pub(crate) processor: Processor,
    pub(crate) pc: u32,
    pub(crate) instruction: u32,
    pub(crate) retired: u64,
}

impl CoreOrigin {
    pub(crate) fn place(&self) -> FaultPlace {
        FaultPlace {
            tile: self.tile,
            processor: Some(self.processor),
            pc: Some(self.pc),
            instruction: Some(self.instruction),
            retired: Some(self.retired),
            symbol: None,
            frames: Vec::new(),
        }
    }
}

impl Origin {
    pub(crate) fn writer(&self) -> Writer {
        match self {
            Self::Host => Writer::Host,
            Self::Core(core) => {
                Writer::Core { tile: core.tile, processor: core.processor, retired: core.retired }
            }
        }
    }

    /// Where a fault of this origin happened; the host's happened at the tile it reached for.
    pub(crate) fn place(&self, reached: PhysicalCoordinate) -> FaultPlace {
        match self {
            Self::Core(core) => core.place(),
            Self::Host => FaultPlace::of_tile(reached),
        }
    }
}
