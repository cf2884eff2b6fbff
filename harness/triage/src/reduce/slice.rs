//! The probable dependencies of a failure: everything connected with its buffer or program through kernels'
//! arguments.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_schema::commands::Command;
use hallmark_schema::model::{CommandIndex, ObjectKind, ProgramPart};

/// The object of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SeenAt {
    /// A buffer with wrong bytes.
    Buffer(u32),
    /// A program that stops.
    Program(u32),
}

/// The commands without any connection to the object of the failure. A program is connected with the buffers
/// whose addresses its kernels get, and these with all programs that get them.
pub(super) fn slice(program: &ProgramPart, seen: SeenAt) -> BTreeSet<CommandIndex> {
    let owners = Owners::of(program);
    let mut wanted = BTreeSet::from([match seen {
        SeenAt::Buffer(id) => owners.owner((ObjectKind::Buffer, id)),
        SeenAt::Program(id) => (ObjectKind::Program, id),
    }]);
    let of_commands: Vec<BTreeSet<Object>> =
        program.commands.iter().map(|recorded| owners.of_command(&recorded.command)).collect();
    loop {
        let before = wanted.len();
        for objects in &of_commands {
            let programs = objects.iter().any(|(kind, _)| *kind == ObjectKind::Program);
            if programs && !objects.is_disjoint(&wanted) {
                wanted.extend(objects.iter().copied());
            }
        }
        if wanted.len() == before {
            break;
        }
    }
    let is_connected = |objects: &BTreeSet<Object>| {
        objects.iter().all(|object| match object.0 {
            ObjectKind::Buffer | ObjectKind::Program => wanted.contains(object),
            ObjectKind::Kernel
            | ObjectKind::CircularBuffer
            | ObjectKind::Semaphore
            | ObjectKind::Event
            | ObjectKind::Trace => true,
        })
    };
    (0..)
        .map(CommandIndex)
        .zip(&of_commands)
        .filter(|(_, objects)| is_connected(objects))
        .map(|(index, _)| index)
        .collect()
}

type Object = (ObjectKind, u32);

/// The program of each part of a program, and the buffer of each view.
struct Owners(BTreeMap<Object, Object>);

impl Owners {
    fn of(program: &ProgramPart) -> Self {
        let mut owners = Self(BTreeMap::new());
        for recorded in &program.commands {
            let program = |id: u32| (ObjectKind::Program, id);
            let (part, owner) = match &recorded.command {
                Command::CreateKernel(call) => {
                    ((ObjectKind::Kernel, call.kernel.0), program(call.program.0))
                }
                Command::CreateCircularBuffer(call) => {
                    let part = (ObjectKind::CircularBuffer, call.circular_buffer.0);
                    (part, program(call.program.0))
                }
                Command::CreateSemaphore(call) => {
                    ((ObjectKind::Semaphore, call.semaphore.0), program(call.program.0))
                }
                Command::CreateBufferView(call) => {
                    let parent = owners.owner((ObjectKind::Buffer, call.parent.0));
                    ((ObjectKind::Buffer, call.buffer.0), parent)
                }
                _ => continue,
            };
            owners.0.insert(part, owner);
        }
        owners
    }

    fn owner(&self, object: Object) -> Object {
        self.0.get(&object).copied().unwrap_or(object)
    }

    fn of_command(&self, command: &Command) -> BTreeSet<Object> {
        let mut objects = BTreeSet::new();
        command.for_each_reference(|_, kind, id| {
            objects.insert(self.owner((kind, id)));
        });
        objects
    }
}
