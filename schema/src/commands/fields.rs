//! What the fields of calls are, for whoever reads, binds or writes a call without knowing which it is.

use super::Role;
use crate::model::ObjectKind;

/// A field of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallField {
    /// Its name in the schema and in the text forms.
    pub name: &'static str,
    /// What it means, in one or more sentences.
    pub doc: &'static str,
    /// What it holds.
    pub value: CallValue,
    /// Whether whoever writes the call may leave it out.
    pub presence: Presence,
}

/// What a field of a call holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallValue {
    /// The id of an object of this kind.
    Object(Role, ObjectKind),
    /// The name of the object that the call makes.
    GivenName,
    /// A command queue.
    Queue,
    /// A number below 2^32.
    Number32,
    /// A number below 2^64.
    Number64,
    /// A truth value.
    Flag,
    /// Anything else: who binds the call must know it.
    Other,
}

impl CallValue {
    /// Whether the field can be bound without knowing the call.
    pub const fn is_plain(self) -> bool {
        match self {
            Self::Object(..)
            | Self::GivenName
            | Self::Queue
            | Self::Number32
            | Self::Number64
            | Self::Flag => true,
            Self::Other => false,
        }
    }
}

/// What a field is where it is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It cannot be left out.
    Required,
    /// 0, or false.
    Zero,
    /// Not there: the call then says nothing of it.
    Absent,
}
