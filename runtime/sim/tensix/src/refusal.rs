//! Why an instruction or an access is not executed.

use hallmark_chip::FaultCategory;

use crate::opcodes;

/// An instruction that breaks a rule or is not simulated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Refusal {
    /// What kind of a rule it breaks.
    pub category: FaultCategory,
    /// The instruction, the rule, and the page of the documentation that holds it.
    pub reason: String,
}

impl Refusal {
    /// A refusal of anything.
    pub fn new(category: FaultCategory, reason: impl Into<String>) -> Self {
        Self { category, reason: reason.into() }
    }

    /// A refusal of an instruction: its name and its word stand before the reason.
    pub fn of(word: u32, category: FaultCategory, reason: impl std::fmt::Display) -> Self {
        let name = opcodes::name(word).unwrap_or("the instruction");
        Self::new(category, format!("{name} {word:#010x}: {reason}"))
    }

    /// The refusal of an access that an instruction makes.
    #[must_use]
    pub fn by(self, word: u32) -> Self {
        Self::of(word, self.category, self.reason)
    }

    /// The documentation leaves the result open.
    pub fn undefined(word: u32, reason: impl std::fmt::Display) -> Self {
        Self::of(word, FaultCategory::UndefinedBehavior, reason)
    }

    /// It may work on this chip, but no document guarantees it.
    pub fn non_contractual(word: u32, reason: impl std::fmt::Display) -> Self {
        Self::of(word, FaultCategory::NonContractualBehavior, reason)
    }

    /// The chip has it, and the simulator does not.
    pub fn unsupported(word: u32, reason: impl std::fmt::Display) -> Self {
        Self::of(word, FaultCategory::UnsupportedFunctionality, reason)
    }

    /// The chip has it, and the simulator does not have it yet.
    pub fn unimplemented(word: u32, reason: impl std::fmt::Display) -> Self {
        Self::of(word, FaultCategory::UnimplementedFunctionality, reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_instruction_and_its_word() {
        let refusal = Refusal::unsupported(0x2600_8003, "no reason");
        assert_eq!(refusal.to_string(), "MVMUL 0x26008003: no reason");
        assert_eq!(refusal.category, FaultCategory::UnsupportedFunctionality);
        let unknown = Refusal::undefined(0xFE00_0001, "no reason");
        assert_eq!(unknown.to_string(), "the instruction 0xfe000001: no reason");
    }
}
