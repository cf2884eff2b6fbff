//! Deliberate defects, by which the suites are tested: each must be caught by a suite test.
//!
//! Here stands only how one is switched on. Each crate lists its own beside the code that it plants them
//! in, with [`planted_defects!`](crate::planted_defects). Only a build with the cargo feature `sabotage`
//! holds any of them, and there the environment variable [`VARIABLE`] names the one that is switched on. In
//! every other build `planted` is `false` at compile time. `harness/tests/sabotage.rs` gathers the lists and
//! runs the test that must catch each, which `harness/tests/sabotage/list.rs` names.
//!
//! A check is tested in the same way: switched off, it must make the test of its [`liars`] fail. Where an enum of
//! errors lists the checks already, [`error_checks!`](crate::error_checks) or [`is_switched_off`] takes the place of a
//! list of defects.

pub mod liars;

use std::sync::OnceLock;

/// The environment variable that holds the name of the defect to switch on.
pub const VARIABLE: &str = "HALLMARK_SABOTAGE";

/// Whether this build holds the defects.
pub const ENABLED: bool = cfg!(feature = "sabotage");

/// Whether the check is switched off that gives one kind of an enum's errors: [`VARIABLE`] holds both names,
/// `Failure::OutOfMemory`. What the check refuses is accepted then.
pub fn is_switched_off(errors: &str, kind: &str) -> bool {
    static CHOSEN: OnceLock<Option<String>> = OnceLock::new();
    let chosen = || CHOSEN.get_or_init(|| std::env::var(VARIABLE).ok()).as_deref();
    ENABLED && chosen().and_then(|chosen| chosen.split_once("::")) == Some((errors, kind))
}

/// An entry of a crate's list of defects. No two lists have an entry of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlantedDefect {
    /// What [`VARIABLE`] holds to switch it on.
    pub name: &'static str,
    /// What is wrong while it is switched on.
    pub what: &'static str,
}

/// Which entry of a list is switched on. A list keeps it, because the simulator asks at each instruction.
#[doc(hidden)]
#[derive(Debug)]
pub struct Choice(OnceLock<Option<usize>>);

impl Choice {
    /// One that is read from the environment when it is first needed.
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

/// A list of defects: the enum `Defect`, the function `planted` that says whether one is switched on, and
/// the list itself, `DEFECTS`, which the crate makes public.
///
/// A defect that is listed and planted nowhere is a warning of the compiler.
#[macro_export]
macro_rules! planted_defects {
    ($($(#[doc = $what:literal])+ $defect:ident,)+) => {
        /// A deliberate defect.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Defect {
            $($(#[doc = $what])+ $defect,)+
        }

        /// The deliberate defects, in the order of their declaration.
        pub const DEFECTS: &[$crate::sabotage::PlantedDefect] = &[
            $($crate::sabotage::PlantedDefect {
                name: stringify!($defect),
                what: concat!($($what),+).trim_ascii(),
            },)+
        ];

        /// Whether a defect is switched on: never, at compile time, without the feature `sabotage`.
        #[inline]
        pub(crate) fn planted(defect: Defect) -> bool {
            static CHOICE: $crate::sabotage::Choice = $crate::sabotage::Choice::new();
            $crate::sabotage::ENABLED && CHOICE.is(DEFECTS, defect as usize)
        }
    };
}

/// Makes checks of the kinds of an enum's errors: `CHECKS` lists them, and `refuse` gives the error back unless its check
/// is switched off.
///
/// A kind behind `besides` is no check of its own: it passes on what another check found, or it leaves no value that
/// could be accepted. Each kind stands in one of the two lists, or the compiler names it.
#[macro_export]
macro_rules! error_checks {
    ($visibility:vis $errors:ident: $($check:ident),+; besides: $($other:ident),*) => {
        impl $errors {
            /// The checks that give these errors, by the names by which a build with the feature `sabotage` switches one
            /// off.
            pub const CHECKS: &'static [&'static str] =
                &[$(concat!(stringify!($errors), "::", stringify!($check))),+];

            /// Refuses with this error, unless its check is switched off.
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
        let what = "Harvesting: translated numbers name the tiles of a whole chip.";
        let declared = PlantedDefect { name: "TranslationIgnoresHarvesting", what };
        assert_eq!(crate::DEFECTS, [declared]);
    }
}
