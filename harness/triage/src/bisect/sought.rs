//! The sought failure of a search over commands, if the user names one.

use hallmark_pipeline::signature::{MatchLevel, Signature};

use super::sign::Sign;

/// A sought failure. Other differences are skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SoughtSign {
    /// Its signature.
    pub signature: Signature,
    /// The level at which another failure counts as the same.
    pub level: MatchLevel,
}

impl SoughtSign {
    /// Whether a failure is the sought one.
    pub fn is(&self, signature: &Signature) -> bool {
        self.signature.matches(signature, self.level)
    }

    /// The part of a sign that belongs to the failure. For memory only the place is known at this point.
    pub(super) fn of(&self, sign: Sign) -> Option<Sign> {
        match sign {
            Sign::Call(signature) => self.is(&signature).then_some(Sign::Call(signature)),
            Sign::Read(signature) => self.is(&signature).then_some(Sign::Read(signature)),
            Sign::Memory(mut buffers) => {
                if self.level != MatchLevel::Any {
                    buffers.retain(|buffer| self.is_of(&buffer.name));
                }
                (!buffers.is_empty()).then_some(Sign::Memory(buffers))
            }
        }
    }

    /// Whether the failure is a wrong content of the object with this name.
    fn is_of(&self, name: &str) -> bool {
        match &self.signature {
            Signature::Differs { object, .. } => object == name,
            Signature::Fault { .. }
            | Signature::Deadlock { .. }
            | Signature::Hang { .. }
            | Signature::Crash { .. }
            | Signature::Outcome { .. }
            | Signature::Unstable { .. } => false,
        }
    }
}
