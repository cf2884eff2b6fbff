//! The calls of the host API: a struct for each, in a file for each family, and [`Command`] over them.

mod buffers;
mod circular_buffers;
mod events;
mod fields;
mod kernels;
mod programs;
mod queues;
mod semaphores;
mod traces;

pub use buffers::*;
pub use circular_buffers::*;
pub use events::*;
pub use fields::{CallField, CallValue, Presence};
pub use kernels::*;
pub use programs::*;
pub use queues::*;
pub use semaphores::*;
pub use traces::*;

use crate::error::{CaptureError, Part, Path, Problem};
pub use crate::generated::commands::{Command, CommandKind};
use crate::journal::weight::Weight;
use crate::model::{EventId, ObjectKind, QueueId};
use crate::validate::{Checker, check_object_name};
use crate::wording::Wording;

/// The relation of a call to an object that it refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The call makes the object.
    Creates,
    /// The call needs the object to exist. For a buffer, it needs the memory.
    Uses,
    /// The call releases the object.
    Releases,
    /// The call names an object that was made once and may have been released.
    Names,
}

/// A callback for each object that a call refers to, with the path of its id.
pub(crate) type Visit<'v> =
    &'v mut dyn FnMut(Role, ObjectKind, u32, &Path<'_>) -> Result<(), CaptureError>;

/// A callback for each object that a call refers to, with a mutable reference to its id.
pub(crate) type VisitMut<'v> = &'v mut dyn FnMut(Role, ObjectKind, &mut u32);

/// The work that a call waits for before it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The call does not wait: its own work may still be pending.
    Nothing,
    /// For everything enqueued on a queue.
    Queue(QueueId),
    /// For everything enqueued on any queue.
    AllQueues,
    /// For an event.
    Event(EventId),
}

impl Wait {
    /// The wait of a call that takes a `blocking` flag.
    pub(crate) const fn if_blocking(blocking: bool, queue: QueueId) -> Self {
        if blocking { Self::Queue(queue) } else { Self::Nothing }
    }
}

/// A value that refers to objects by their ids.
pub(crate) trait References {
    /// Visits the references in the order of the schema's fields.
    ///
    /// # Errors
    /// The first error that `visit` returns.
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError>;

    /// Visits the same references in the same order, with mutable ids.
    fn references_mut(&mut self, visit: VisitMut<'_>);
}

/// The parts of a call that its schema does not state: its rules and its sentence.
pub(crate) trait Call {
    /// Checks the rules that hold for the call alone, whatever its outcome: limits, names, well-formed lists.
    ///
    /// # Errors
    /// The first rule that is broken, with its place.
    fn check_shape(&self, _path: &Path<'_>) -> Result<(), CaptureError> {
        Ok(())
    }

    /// Checks the rules that depend on the results of earlier calls. For a call that was not `done`, only
    /// limits apply. The existence of its objects has been checked before.
    ///
    /// # Errors
    /// The first rule that is broken, with its place.
    fn check<'p>(
        &'p self,
        _checker: &mut Checker<'p>,
        _done: bool,
        _path: &Path<'_>,
    ) -> Result<(), CaptureError> {
        Ok(())
    }

    /// The work that the call waits for before it returns.
    fn waits_for(&self) -> Wait {
        Wait::Nothing
    }

    /// The text after the call's name and subject in a line of `hallmark dump`.
    fn sentence(&self, _wording: &Wording<'_>) -> String {
        String::new()
    }
}

/// Any call of the host API.
pub(crate) trait AnyCall: Call + References + Weight {}

impl<T: Call + References + Weight> AnyCall for T {}

impl Command {
    /// Visits the objects that the call refers to, in the order of the schema's fields.
    pub(crate) fn visit_references(
        &self,
        path: &Path<'_>,
        visit: Visit<'_>,
    ) -> Result<(), CaptureError> {
        self.as_call().references(path, visit)
    }

    /// Passes `take` each object that the call refers to, with its role, in the order of the schema's fields.
    pub fn for_each_reference(&self, mut take: impl FnMut(Role, ObjectKind, u32)) {
        // This visitor never returns an error.
        let _ = self.visit_references(&Path::root(Part::Program), &mut |role, kind, id, _| {
            take(role, kind, id);
            Ok(())
        });
    }

    /// Passes `take` the same objects in the same order, with mutable ids.
    pub fn for_each_reference_mut(&mut self, mut take: impl FnMut(Role, ObjectKind, &mut u32)) {
        self.as_call_mut().references_mut(&mut take);
    }

    /// The subject of the call: the object that it makes, or else the first that it needs.
    pub fn subject(&self) -> Option<(ObjectKind, u32)> {
        let mut first = None;
        self.for_each_reference(|_, kind, id| first = first.or(Some((kind, id))));
        first
    }

    /// The object that the call makes, with its id and name.
    pub fn created(&self) -> Option<(ObjectKind, u32, &str)> {
        let name = self.given_name()?;
        let mut made = None;
        self.for_each_reference(|role, kind, id| {
            if role == Role::Creates {
                made = Some((kind, id, name));
            }
        });
        made
    }

    /// Checks the rules that hold for this command alone, whatever its outcome. A recorder refuses a command
    /// that breaks one before it makes the call, because no capture could hold the command.
    ///
    /// # Errors
    /// The field, as a path from the command down, and the problem.
    pub fn check_shape(&self) -> Result<(), (String, Problem)> {
        self.check_shape_at(&Path::root(Part::Program)).map_err(|error| match error.place {
            crate::ErrorLocation::Field { path, .. } => (path, error.problem),
            place => (place.to_string(), error.problem),
        })
    }

    /// As [`Command::check_shape`], with the command's path in the program part.
    pub(crate) fn check_shape_at(&self, path: &Path<'_>) -> Result<(), CaptureError> {
        if let Some(name) = self.given_name() {
            check_object_name(name, &path.field("name"))?;
        }
        self.as_call().check_shape(path)
    }

    /// As [`Call::check`].
    pub(crate) fn check<'p>(
        &'p self,
        checker: &mut Checker<'p>,
        done: bool,
        path: &Path<'_>,
    ) -> Result<(), CaptureError> {
        self.as_call().check(checker, done, path)
    }

    /// The work that the call waits for before it returns.
    pub fn waits_for(&self) -> Wait {
        self.as_call().waits_for()
    }

    /// As [`Call::sentence`].
    pub(crate) fn sentence(&self, wording: &Wording<'_>) -> String {
        self.as_call().sentence(wording)
    }
}
