//! The objects that the steps so far have made.

use std::collections::BTreeMap;

use hallmark_schema::model::{BufferType, CoreRange, Sharding};

use super::frames::{Frame, Frames};
use crate::mistake::{Mistake, Mistakes, nearest, quoted_list};
use crate::read::Name;

/// The size and form of a buffer; a mistake keeps a field from being known.
#[derive(Clone, Debug, Default)]
pub(super) struct BufferFacts {
    pub(super) size: Option<u64>,
    pub(super) page_size: Option<u64>,
    pub(super) buffer_type: Option<BufferType>,
    /// The id of the buffer that a view is a part of.
    pub(super) root: Option<u32>,
    /// Its shards, if it is sharded and its specification is right.
    pub(super) sharding: Option<Sharding>,
    /// Whether `create_global_semaphore` made it.
    pub(super) is_global_semaphore: bool,
}

/// The cores of a kernel.
#[derive(Clone, Debug)]
pub(super) struct KernelFacts {
    pub(super) cores: Vec<CoreRange>,
}

/// A program's last enqueue.
#[derive(Clone, Debug, Default)]
pub(super) struct ProgramFacts {
    pub(super) last_enqueue: Option<u32>,
}

/// The number of a semaphore on its cores.
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
    /// The first object with each name.
    places: BTreeMap<String, usize>,
    /// The frames around the steps that are bound.
    frames: Frames,
    /// Whether a mistake keeps some of them from being known.
    incomplete: bool,
}

#[derive(Clone, Debug)]
struct Object<T> {
    /// The name by which captures know it.
    name: String,
    facts: T,
}

impl<T> Objects<T> {
    fn new(what: &'static str) -> Self {
        Self {
            what,
            list: Vec::new(),
            places: BTreeMap::new(),
            frames: Frames::default(),
            incomplete: false,
        }
    }

    /// Adds one; gives its id.
    pub(super) fn add(&mut self, name: &Name, facts: T, mistakes: &mut Mistakes) -> u32 {
        let full = self.frames.full(&name.text);
        if self.has(&full) {
            mistakes.add::<()>(
                format!("{} `{full}` is already defined in this case", self.what),
                name.span,
                "choose another name",
            );
        }
        let id = self.next();
        self.places.entry(full.clone()).or_insert(self.list.len());
        self.list.push(Object { name: full, facts });
        id
    }

    /// The id that the next one gets.
    pub(super) fn next(&self) -> u32 {
        u32::try_from(self.list.len()).unwrap_or(u32::MAX)
    }

    /// Adds one that a step makes under a name of its own; false if another one has that name.
    pub(super) fn adopt(&mut self, full: &str, facts: T) -> bool {
        let is_free = !self.has(full);
        self.places.insert(full.to_owned(), self.list.len());
        self.list.push(Object { name: full.to_owned(), facts });
        is_free
    }

    /// The name that captures have for an object that is added again: the name of the object that `name` means, if it
    /// means one.
    pub(super) fn meant_again(&self, name: &str) -> String {
        let mut known = self.frames.candidates(name).into_iter();
        known.find(|full| self.has(full)).unwrap_or_else(|| self.frames.full(name))
    }

    /// The number of objects, failed creations included.
    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.list.len()).unwrap_or(u32::MAX)
    }

    /// Adds one whose name may be taken: from now on it means the new one.
    pub(super) fn add_again(&mut self, name: &Name, facts: T) -> u32 {
        let id = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        let full = self.meant_again(&name.text);
        self.places.insert(full.clone(), self.list.len());
        self.list.push(Object { name: full, facts });
        id
    }

    /// The id and facts of the object with this name.
    pub(super) fn find(&self, name: &str) -> Option<(u32, &T)> {
        let names = self.frames.candidates(name);
        let place = names.iter().find_map(|name| self.places.get(name).copied())?;
        Some((u32::try_from(place).ok()?, self.list.get(place).map(|object| &object.facts)?))
    }

    /// The name by which captures know an object.
    pub(super) fn name(&self, id: u32) -> Option<&str> {
        let place = usize::try_from(id).ok()?;
        self.list.get(place).map(|object| object.name.as_str())
    }

    /// The id and facts of the object with this name, or a mistake that lists the objects.
    pub(super) fn get(&self, name: &Name, mistakes: &mut Mistakes) -> Option<(u32, &T)> {
        let found = self.find(&name.text);
        if found.is_none() && !self.incomplete {
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
            if self.frames.in_fragment() && self.has(&name.text) {
                help = "a fragment knows only what it is given: add it to its `names`".to_owned();
            }
            let called = match self.frames.alias(&name.text) {
                Some(given) if given != name.text => format!("`{given}`, here `{}`,", name.text),
                _ => format!("`{}`", name.text),
            };
            let subject = format!("{} {called}", self.what);
            let message = format!("{subject} is not defined here");
            mistakes.add_unknown_name::<()>(&subject, Mistake::new(message, name.span, help));
        }
        found
    }

    fn has(&self, full: &str) -> bool {
        self.places.contains_key(full)
    }

    pub(super) fn facts_of(&self, id: u32) -> Option<&T> {
        self.list.get(usize::try_from(id).ok()?).map(|object| &object.facts)
    }

    fn get_mut(&mut self, id: u32) -> Option<&mut T> {
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
    pub(super) events: Objects<()>,
    pub(super) traces: Objects<()>,
    /// Collected traces; false for a trace whose collection fails.
    pub(super) collected: Objects<bool>,
    /// The last command that enqueued something of a name, by the name that captures have for it.
    enqueued: BTreeMap<String, u32>,
    /// The views of each buffer, and the views of those.
    views: BTreeMap<u32, Vec<u32>>,
    /// How many commands the steps so far make.
    commands: u32,
    /// The last command that enqueued a program.
    last_program: Option<u32>,
    frames: Frames,
}

impl Default for Scope {
    fn default() -> Self {
        Self {
            buffers: Objects::new("buffer"),
            programs: Objects::new("program"),
            kernels: Objects::new("kernel"),
            circular_buffers: Objects::new("circular buffer"),
            semaphores: Objects::new("semaphore"),
            events: Objects::new("event"),
            traces: Objects::new("trace"),
            collected: Objects::new("collected trace"),
            enqueued: BTreeMap::new(),
            views: BTreeMap::new(),
            commands: 0,
            last_program: None,
            frames: Frames::default(),
        }
    }
}

impl Scope {
    /// Enters a round of a `repeat` or a fragment.
    pub(super) fn enter(&mut self, frame: Frame) {
        self.frames = self.frames.with(frame);
        self.tell_frames();
    }

    /// Leaves the round or fragment that was entered last.
    pub(super) fn leave(&mut self) {
        self.frames = self.frames.without_last();
        self.tell_frames();
    }

    fn tell_frames(&mut self) {
        self.buffers.frames = self.frames.clone();
        self.programs.frames = self.frames.clone();
        self.kernels.frames = self.frames.clone();
        self.circular_buffers.frames = self.frames.clone();
        self.semaphores.frames = self.frames.clone();
        self.events.frames = self.frames.clone();
        self.traces.frames = self.frames.clone();
        self.collected.frames = self.frames.clone();
    }

    /// The name that captures have for the object that the steps here call `name`. Without such an object, the name
    /// that the fragment was given for it, or `name` itself.
    pub(super) fn meant(&self, name: &str) -> String {
        let made = |full: &String| {
            self.buffers.has(full)
                || self.programs.has(full)
                || self.kernels.has(full)
                || self.circular_buffers.has(full)
                || self.semaphores.has(full)
                || self.events.has(full)
                || self.traces.has(full)
        };
        let candidates = self.frames.candidates(name);
        candidates.iter().find(|name| made(name)).cloned().unwrap_or_else(|| {
            self.frames.alias(name).map_or_else(|| name.to_owned(), str::to_owned)
        })
    }

    /// Defines a name as an object of every kind: the step that makes it is wrong, and a mistake at
    /// each of its uses would help no reader.
    pub(super) fn define_unknown(&mut self, name: &Name) {
        let ignored = &mut Mistakes::default();
        self.buffers.add(name, BufferFacts::default(), ignored);
        self.programs.add(name, ProgramFacts::default(), ignored);
        self.kernels.add(name, KernelFacts { cores: Vec::new() }, ignored);
        self.circular_buffers.add(name, (), ignored);
        let facts = SemaphoreFacts { program: 0, cores: Vec::new(), number: 0, made: false };
        self.semaphores.add(name, facts, ignored);
        self.events.add_again(name, ());
        self.traces.add(name, (), ignored);
        self.collected.add(name, true, ignored);
    }

    /// Notes that a mistake keeps some objects from being known: from here on, an unknown name is no mistake.
    pub(super) const fn note_unknown_objects(&mut self) {
        self.buffers.incomplete = true;
        self.programs.incomplete = true;
        self.kernels.incomplete = true;
        self.circular_buffers.incomplete = true;
        self.semaphores.incomplete = true;
        self.events.incomplete = true;
        self.traces.incomplete = true;
        self.collected.incomplete = true;
    }

    /// The name that captures have for the object that a step names `name`.
    pub(super) fn given(&self, name: &Name) -> String {
        self.frames.full(&name.text)
    }

    /// The frames around the steps that are bound.
    pub(super) const fn frames(&self) -> &Frames {
        &self.frames
    }

    /// The index of the next command.
    pub(super) const fn commands(&self) -> u32 {
        self.commands
    }

    /// Notes that a command has been bound.
    pub(super) const fn count_command(&mut self) {
        self.commands = self.commands.saturating_add(1);
    }

    /// Notes a view of a buffer, or of one of its views.
    pub(super) fn add_view(&mut self, root: u32, view: u32) {
        self.views.entry(root).or_default().push(view);
    }

    /// Notes that the next command enqueues the object that a step names `name`.
    pub(super) fn enqueues(&mut self, name: &Name) {
        let full = self.meant(&name.text);
        self.note_enqueued(full);
    }

    /// Notes that the next command enqueues the object that captures name `full`.
    pub(super) fn note_enqueued(&mut self, full: String) {
        self.note_enqueued_by(full, self.commands);
    }

    /// Notes that a command enqueues the object that captures name `full`.
    pub(super) fn note_enqueued_by(&mut self, full: String, command: u32) {
        self.enqueued.insert(full, command);
    }

    /// Notes that the next command enqueues a program.
    pub(super) fn note_program(&mut self, program: u32) {
        self.last_program = Some(self.commands);
        if let Some(facts) = self.programs.get_mut(program) {
            facts.last_enqueue = Some(self.commands);
        }
    }

    /// The last command that enqueued a program.
    pub(super) const fn last_program(&self) -> Option<u32> {
        self.last_program
    }

    /// The last command that enqueued something of a name.
    pub(super) fn last_enqueued(&self, name: &str) -> Option<u32> {
        let candidates = self.frames.candidates(name);
        candidates.iter().find_map(|full| self.enqueued.get(full).copied())
    }

    /// The names of the buffer and the views that share memory with a buffer, its own name included.
    pub(super) fn sharing_memory(&self, buffer: u32) -> Vec<String> {
        let root = self.buffers.facts_of(buffer).and_then(|facts| facts.root).unwrap_or(buffer);
        let views = self.views.get(&root).into_iter().flatten().copied();
        let ids = std::iter::once(root).chain(views);
        ids.filter_map(|id| self.buffers.name(id).map(str::to_owned)).collect()
    }

    /// The number that a new semaphore gets.
    pub(super) fn semaphore_number(&self, program: u32, cores: &[CoreRange]) -> u32 {
        let made = self.semaphores.facts().filter(|facts| facts.made && facts.program == program);
        let others = made.map(|facts| (facts.cores.as_slice(), facts.number));
        // Too many of them are the device's to refuse.
        hallmark_runtime::semaphore_number(u32::MAX, cores, others).unwrap_or_default()
    }
}
