//! The objects that the steps so far have made.

use hallmark_schema::model::{BufferType, CoreRange};

use crate::suite::mistake::{Mistakes, nearest, quoted_list};
use crate::suite::read::Name;

/// What a buffer was asked to be.
#[derive(Clone, Debug)]
pub(super) struct BufferFacts {
    pub(super) size: u64,
    pub(super) page_size: u64,
    pub(super) buffer_type: BufferType,
}

/// Where a kernel runs.
#[derive(Clone, Debug)]
pub(super) struct KernelFacts {
    pub(super) cores: Vec<CoreRange>,
}

/// A program's last enqueue.
#[derive(Clone, Debug, Default)]
pub(super) struct ProgramFacts {
    pub(super) last_enqueue: Option<u32>,
}

/// Which number a semaphore has on its cores.
#[derive(Clone, Debug)]
pub(super) struct SemaphoreFacts {
    pub(super) program: u32,
    pub(super) cores: Vec<CoreRange>,
    pub(super) number: u32,
    /// Whether the call succeeds and so takes its number.
    pub(super) made: bool,
}

/// Objects of one kind by name; their ids count creations, failed ones included.
#[derive(Clone, Debug)]
pub(super) struct Objects<T> {
    what: &'static str,
    list: Vec<Object<T>>,
    /// The round of a `repeat` whose steps are bound.
    round: Option<u64>,
}

#[derive(Clone, Debug)]
struct Object<T> {
    /// As captures know it.
    name: String,
    /// As the steps of its round know it, if it was made in one.
    local: Option<(String, u64)>,
    facts: T,
}

/// What a round of a `repeat` calls the things that it makes.
pub(super) fn name_in_round(name: &str, round: Option<u64>) -> String {
    match round {
        Some(round) => format!("{name}_{round}"),
        None => name.to_owned(),
    }
}

impl<T> Objects<T> {
    const fn new(what: &'static str) -> Self {
        Self { what, list: Vec::new(), round: None }
    }

    /// Adds one; gives its id.
    pub(super) fn add(&mut self, name: &Name, facts: T, mistakes: &mut Mistakes) -> u32 {
        let full = name_in_round(&name.text, self.round);
        if self.list.iter().any(|known| known.name == full) {
            mistakes.add::<()>(
                format!("{} `{full}` is already defined in this case", self.what),
                name.span,
                "choose another name",
            );
        }
        let id = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        let local = self.round.map(|round| (name.text.clone(), round));
        self.list.push(Object { name: full, local, facts });
        id
    }

    /// The id and facts of the object with this name.
    pub(super) fn find(&self, name: &str) -> Option<(u32, &T)> {
        let here = |object: &Object<T>| match (&object.local, self.round) {
            (Some((local, made)), Some(round)) => local == name && *made == round,
            _ => false,
        };
        let place = self.list.iter().position(here);
        let place = place.or_else(|| self.list.iter().position(|known| known.name == name))?;
        Some((u32::try_from(place).ok()?, self.list.get(place).map(|object| &object.facts)?))
    }

    /// The name by which captures know an object.
    pub(super) fn name(&self, id: u32) -> Option<&str> {
        let place = usize::try_from(id).ok()?;
        self.list.get(place).map(|object| object.name.as_str())
    }

    /// The same, or a mistake that says what there is.
    pub(super) fn get(&self, name: &Name, mistakes: &mut Mistakes) -> Option<(u32, &T)> {
        let found = self.find(&name.text);
        if found.is_none() {
            let names: Vec<&str> = self.list.iter().map(|object| object.name.as_str()).collect();
            let mut help = if names.is_empty() {
                format!("no {} is defined so far", self.what)
            } else {
                format!("defined so far: {}", quoted_list(&names))
            };
            if names.len() > 8
                && let Some(nearest) = nearest(&name.text, names.iter().copied())
            {
                help = format!("did you mean `{nearest}`?");
            }
            mistakes.add::<()>(
                format!("{} `{}` is not defined here", self.what, name.text),
                name.span,
                help,
            );
        }
        found
    }

    pub(super) fn get_mut(&mut self, id: u32) -> Option<&mut T> {
        self.list.get_mut(usize::try_from(id).ok()?).map(|object| &mut object.facts)
    }

    pub(super) fn facts(&self) -> impl Iterator<Item = &T> {
        self.list.iter().map(|object| &object.facts)
    }
}

#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) buffers: Objects<BufferFacts>,
    pub(super) programs: Objects<ProgramFacts>,
    pub(super) kernels: Objects<KernelFacts>,
    pub(super) circular_buffers: Objects<()>,
    pub(super) semaphores: Objects<SemaphoreFacts>,
    pub(super) commands: u32,
    pub(super) last_program: Option<u32>,
    pub(super) round: Option<u64>,
}

impl Default for Scope {
    fn default() -> Self {
        Self {
            buffers: Objects::new("buffer"),
            programs: Objects::new("program"),
            kernels: Objects::new("kernel"),
            circular_buffers: Objects::new("circular buffer"),
            semaphores: Objects::new("semaphore"),
            commands: 0,
            last_program: None,
            round: None,
        }
    }
}

impl Scope {
    /// Begins a round of a `repeat`, or ends the last one.
    pub(super) const fn enter(&mut self, round: Option<u64>) {
        self.buffers.round = round;
        self.programs.round = round;
        self.kernels.round = round;
        self.circular_buffers.round = round;
        self.semaphores.round = round;
        self.round = round;
    }

    /// Defines a name as an object of every kind: the step that makes it is wrong, and a mistake at
    /// each of its uses would help nobody.
    pub(super) fn define_unknown(&mut self, name: &Name) {
        let ignored = &mut Mistakes::default();
        let facts = BufferFacts { size: 0, page_size: 0, buffer_type: BufferType::Dram };
        self.buffers.add(name, facts, ignored);
        self.programs.add(name, ProgramFacts::default(), ignored);
        self.kernels.add(name, KernelFacts { cores: Vec::new() }, ignored);
        self.circular_buffers.add(name, (), ignored);
        let facts = SemaphoreFacts { program: 0, cores: Vec::new(), number: 0, made: false };
        self.semaphores.add(name, facts, ignored);
    }

    /// The number that a new semaphore gets.
    pub(super) fn semaphore_number(&self, program: u32, cores: &[CoreRange]) -> u32 {
        let made = self.semaphores.facts().filter(|facts| facts.made && facts.program == program);
        let others = made.map(|facts| (facts.cores.as_slice(), facts.number));
        // Too many of them are the device's to refuse.
        hallmark_runtime::semaphore_number(u32::MAX, cores, others).unwrap_or_default()
    }
}
