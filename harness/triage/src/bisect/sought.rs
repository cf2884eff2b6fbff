//! The failure that a search over commands is for, if a user names one.

use hallmark_pipeline::signature::{MatchLevel, Signature};

use super::sign::Sign;

/// A failure that is looked for. What differs otherwise is passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SoughtSign {
    /// Its signature.
    pub signature: Signature,
    /// When another failure is the same.
    pub level: MatchLevel,
}

impl SoughtSign {
    /// Whether a failure is the one that is looked for.
    pub fn is(&self, signature: &Signature) -> bool {
        self.signature.matches(signature, self.level)
    }

    /// What of a sign belongs to the failure. How memory differs is not known yet: where is.
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

    /// Whether the failure is that an object holds something else.
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
