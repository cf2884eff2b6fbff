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

/// What a call is for an object that it refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// It makes the object.
    Creates,
    /// It needs the object; of a buffer, its memory.
    Uses,
    /// The object is gone with it.
    Releases,
    /// It speaks of an object that was made once and may be gone.
    Names,
}

/// Takes each object that a call refers to, with the place of its id.
pub(crate) type Visit<'v> =
    &'v mut dyn FnMut(Role, ObjectKind, u32, &Path<'_>) -> Result<(), CaptureError>;

/// Takes each object that a call refers to, with its id to be changed.
pub(crate) type VisitMut<'v> = &'v mut dyn FnMut(Role, ObjectKind, &mut u32);

/// What a call waits for before it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// For nothing: what it enqueues may still be to come.
    Nothing,
    /// For everything enqueued on a queue.
    Queue(QueueId),
    /// For everything enqueued on any queue.
    AllQueues,
    /// For an event.
    Event(EventId),
}

impl Wait {
    /// What a call waits for that is blocking, or not.
    pub(crate) const fn if_blocking(blocking: bool, queue: QueueId) -> Self {
        if blocking { Self::Queue(queue) } else { Self::Nothing }
    }
}

/// A value that refers to objects by their ids.
pub(crate) trait References {
    /// Visits the references in the order of the schema's fields.
    ///
    /// # Errors
    /// The first that `visit` gives.
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError>;

    /// Visits the same references in the same order, so that their ids can be changed.
    fn references_mut(&mut self, visit: VisitMut<'_>);
}

/// What a call's schema does not say: its rules and its sentence.
pub(crate) trait Call {
    /// Checks the rules that hold for the call alone, whatever comes of it: limits, names, well-formed
    /// lists.
    ///
    /// # Errors
    /// The first rule that is broken, with its place.
    fn check_shape(&self, _path: &Path<'_>) -> Result<(), CaptureError> {
        Ok(())
    }

    /// Checks the rules that depend on what earlier calls made. Those of a call that was not `done` are
    /// limits alone. That its objects exist is checked before.
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

    /// What the call waits for before it returns.
    fn waits_for(&self) -> Wait {
        Wait::Nothing
    }

    /// What stands behind the call and its subject in a line of `hallmark dump`.
    fn sentence(&self, _wording: &Wording<'_>) -> String {
        String::new()
    }
}

/// A call, whichever it is.
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

    /// Takes each object that the call refers to, with what the call is for it, in the order of the
    /// schema's fields.
    pub fn for_each_reference(&self, mut take: impl FnMut(Role, ObjectKind, u32)) {
        // The visitor refuses nothing.
        let _ = self.visit_references(&Path::root(Part::Program), &mut |role, kind, id, _| {
            take(role, kind, id);
            Ok(())
        });
    }

    /// Takes the same objects in the same order, with their ids to be changed.
    pub fn for_each_reference_mut(&mut self, mut take: impl FnMut(Role, ObjectKind, &mut u32)) {
        self.as_call_mut().references_mut(&mut take);
    }

    /// The object that the call is about: the one that it makes, or the first that it needs.
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

    /// Checks the rules that hold for this command alone, whatever comes of it. A recorder refuses what
    /// breaks them before the call, because no capture could hold it.
    ///
    /// # Errors
    /// The field, from the command down, and what is wrong with it.
    pub fn check_shape(&self) -> Result<(), (String, Problem)> {
        self.check_shape_at(&Path::root(Part::Program)).map_err(|error| match error.place {
            crate::ErrorLocation::Field { path, .. } => (path, error.problem),
            place => (place.to_string(), error.problem),
        })
    }

    /// As [`Command::check_shape`], with the place in the program part.
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

    /// What the call waits for before it returns.
    pub fn waits_for(&self) -> Wait {
        self.as_call().waits_for()
    }

    /// As [`Call::sentence`].
    pub(crate) fn sentence(&self, wording: &Wording<'_>) -> String {
        self.as_call().sentence(wording)
    }
}
