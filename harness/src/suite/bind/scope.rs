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
    list: Vec<(String, T)>,
}

impl<T> Objects<T> {
    const fn new(what: &'static str) -> Self {
        Self { what, list: Vec::new() }
    }

    /// Adds one; gives its id.
    pub(super) fn add(&mut self, name: &Name, facts: T, mistakes: &mut Mistakes) -> u32 {
        if self.list.iter().any(|(known, _)| *known == name.text) {
            mistakes.add::<()>(
                format!("{} `{}` is already defined in this case", self.what, name.text),
                name.span,
                "choose another name",
            );
        }
        let id = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.list.push((name.text.clone(), facts));
        id
    }

    /// The id and facts of the object with this name.
    pub(super) fn find(&self, name: &str) -> Option<(u32, &T)> {
        let place = self.list.iter().position(|(known, _)| known == name)?;
        Some((u32::try_from(place).ok()?, self.list.get(place).map(|(_, facts)| facts)?))
    }

    /// The same, or a mistake that says what there is.
    pub(super) fn get(&self, name: &Name, mistakes: &mut Mistakes) -> Option<(u32, &T)> {
        let found = self.find(&name.text);
        if found.is_none() {
            let names: Vec<&str> = self.list.iter().map(|(name, _)| name.as_str()).collect();
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
        self.list.get_mut(usize::try_from(id).ok()?).map(|(_, facts)| facts)
    }

    pub(super) fn facts(&self) -> impl Iterator<Item = &T> {
        self.list.iter().map(|(_, facts)| facts)
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
        }
    }
}

impl Scope {
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
