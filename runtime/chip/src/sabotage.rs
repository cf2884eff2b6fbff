//! Deliberate defects that test the suites: a suite test must detect each defect.
//!
//! This module only switches them on. Each crate lists its own defects beside the code that they affect, with
//! [`planted_defects!`](crate::planted_defects). Only a build with the cargo feature `sabotage` contains them;
//! there the environment variable [`VARIABLE`] names the active one. In every other build `planted` is `false`
//! at compile time. `harness/tests/sabotage.rs` collects the lists and, for each defect, runs the test that
//! must detect it; `harness/tests/sabotage/list.rs` names these tests.
//!
//! Checks are tested in the same way: a check that is switched off must make its test fail, one of the
//! [`liars`]. Where an enum of errors already lists the checks, [`error_checks!`](crate::error_checks) or
//! [`is_switched_off`] replaces a list of defects.

pub mod liars;

use std::sync::OnceLock;

/// The environment variable with the name of the active defect.
pub const VARIABLE: &str = "HALLMARK_SABOTAGE";

/// Whether this build contains the defects.
pub const ENABLED: bool = cfg!(feature = "sabotage");

/// Whether the check that returns this kind of an enum's errors is switched off: [`VARIABLE`] holds both names,
/// as `Failure::OutOfMemory`. Input that the check would refuse is then accepted.
pub fn is_switched_off(errors: &str, kind: &str) -> bool {
    static CHOSEN: OnceLock<Option<String>> = OnceLock::new();
    let chosen = || CHOSEN.get_or_init(|| std::env::var(VARIABLE).ok()).as_deref();
    ENABLED && chosen().and_then(|chosen| chosen.split_once("::")) == Some((errors, kind))
}

/// An entry of a crate's list of defects. Names are unique over all lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlantedDefect {
    /// The value of [`VARIABLE`] that activates it.
    pub name: &'static str,
    /// The effect of the active defect.
    pub what: &'static str,
}

/// The active entry of a list. A list caches it, because the simulator checks it at each instruction.
#[doc(hidden)]
#[derive(Debug)]
pub struct Choice(OnceLock<Option<usize>>);

impl Choice {
    /// A choice that is read from the environment on first use.
    #[expect(clippy::new_without_default, reason = "only a list of defects has one, as a static")]
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// Whether the entry with this index in `list` is switched on.
    pub fn is(&self, list: &[PlantedDefect], index: usize) -> bool {
        let chosen = self.0.get_or_init(|| {
            let name = std::env::var(VARIABLE).ok()?;
            list.iter().position(|defect| defect.name == name)
        });
        *chosen == Some(index)
    }
}

/// Declares a list of defects: the enum `Defect`, the function `planted` that tests whether one is active, and
/// the public list `DEFECTS`.
///
/// The compiler warns about a listed defect that no code plants. The enum is visible in its crate alone, unless the list
/// begins with `pub enum;`.
#[macro_export]
macro_rules! planted_defects {
    (#[doc = $first:literal] $($others:tt)*) => {
        $crate::planted_defects! { pub(crate) enum; #[doc = $first] $($others)* }
    };
    ($visibility:vis enum; $($(#[doc = $what:literal])+ $defect:ident,)+) => {
        /// A deliberate defect.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $visibility enum Defect {
            $($(#[doc = $what])+ $defect,)+
        }

        /// The deliberate defects, in the order of their declaration.
        pub const DEFECTS: &[$crate::sabotage::PlantedDefect] = &[
            $($crate::sabotage::PlantedDefect {
                name: stringify!($defect),
                what: concat!($($what),+).trim_ascii(),
            },)+
        ];

        /// Whether a defect is active; `false` at compile time without the feature `sabotage`.
        #[inline]
        pub(crate) fn planted(defect: Defect) -> bool {
            static CHOICE: $crate::sabotage::Choice = $crate::sabotage::Choice::new();
            $crate::sabotage::ENABLED && CHOICE.is(DEFECTS, defect as usize)
        }
    };
}

/// Makes a check of each kind of an enum's errors: `CHECKS` lists them, and `refuse` returns the error unless
/// its check is switched off.
///
/// A kind after `besides` is no check of its own: it passes on another check's result, or it leaves no value
/// that could be accepted. Each kind must be in one of the two lists, or the compiler reports it.
#[macro_export]
macro_rules! error_checks {
    ($visibility:vis $errors:ident: $($check:ident),+; besides: $($other:ident),*) => {
        impl $errors {
            /// The names of the checks that return these errors, by which a build with the feature `sabotage`
            /// switches one off.
            pub const CHECKS: &'static [&'static str] =
                &[$(concat!(stringify!($errors), "::", stringify!($check))),+];

            /// Returns this error, unless its check is switched off.
            ///
            /// # Errors
            /// This error.
            $visibility fn refuse(self) -> Result<(), Self> {
                let kind = match self {
                    $(Self::$check { .. } => stringify!($check),)+
                    $(Self::$other { .. } => return Err(self),)*
                };
                if $crate::sabotage::is_switched_off(stringify!($errors), kind) {
                    return Ok(());
                }
                Err(self)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::PlantedDefect;

    #[test]
    fn an_entry_has_the_name_and_the_text_of_its_declaration() {
        let what = "Harvesting: translated coordinates name the tiles of an unharvested chip.";
        let declared = PlantedDefect { name: "TranslationIgnoresHarvesting", what };
        assert_eq!(crate::DEFECTS, [declared]);
    }
}
