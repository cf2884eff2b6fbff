//! Floating-point numbers of captures: finite, with one form of zero, so that equal programs have equal bytes.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A finite number, compared and hashed by its bits. Zero has one form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Real(u64);

impl Real {
    /// Zero.
    pub const ZERO: Self = Self(0);

    /// The number, unless it is infinite or NaN.
    pub fn new(value: f64) -> Option<Self> {
        // A negative zero would be written as an absent field, and be read as a positive zero.
        value.is_finite().then(|| Self(if value == 0.0 { 0 } else { value.to_bits() }))
    }

    /// The number.
    pub const fn get(self) -> f64 {
        f64::from_bits(self.0)
    }

    /// Whether it is 0.
    pub const fn is_zero(&self) -> bool {
        self.0 == 0
    }
}

impl From<i32> for Real {
    fn from(value: i32) -> Self {
        Self::new(value.into()).unwrap_or_default()
    }
}

impl fmt::Display for Real {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(formatter)
    }
}

impl Serialize for Real {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(self.get())
    }
}

impl<'de> Deserialize<'de> for Real {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::new(f64::deserialize(from)?)
            .ok_or_else(|| serde::de::Error::custom("the number is not finite"))
    }
}
