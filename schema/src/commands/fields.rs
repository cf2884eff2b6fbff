//! The fields of calls, for code that reads, binds or writes any call without knowing its type.

use super::Role;
use crate::model::ObjectKind;

/// A field of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallField {
    /// Its name in the schema and in the text forms.
    pub name: &'static str,
    /// Its meaning, in one or more sentences.
    pub doc: &'static str,
    /// The kind of its value.
    pub value: CallValue,
    /// Whether the writer of a call may leave it out.
    pub presence: Presence,
}

/// The kind of value in a field of a call.
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
    /// Any other value. Code that binds the call must know the call.
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

/// The value of a field that is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// The field cannot be left out.
    Required,
    /// 0, or false.
    Zero,
    /// Absent: the call makes no statement about it.
    Absent,
}
