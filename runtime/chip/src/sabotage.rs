//! Deliberate defects, by which the suites are tested: each must be caught by a suite test.
//!
//! Only a build with the cargo feature `sabotage` holds any of them, and there one is switched on by
//! the environment variable [`VARIABLE`]. In every other build [`planted`] is `false` at compile time.
//! `harness/tests/sabotage.rs` says which test catches which defect, and runs them.

/// The environment variable that holds the name of the defect to switch on.
pub const VARIABLE: &str = "HALLMARK_SABOTAGE";

macro_rules! defects {
    ($($(#[doc = $what:literal])+ $defect:ident,)*) => {
        /// A deliberate defect.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Defect {
            $($(#[doc = $what])+ $defect,)*
        }

        impl Defect {
            /// Every defect.
            pub const ALL: &'static [Self] = &[$(Self::$defect),*];

            /// Its name, as [`VARIABLE`] holds it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$defect => stringify!($defect)),* }
            }

            /// What is wrong while it is switched on.
            pub const fn what(self) -> &'static str {
                match self { $(Self::$defect => concat!($($what),+)),* }
            }
        }
    };
}

defects! {
    /// The allocator does not round pages up to the alignment of a bank.
    PagesUnaligned,
    /// The allocator gives memory away that is taken.
    MemoryGivenTwice,
    /// The allocator forgets memory that was given back.
    FreedMemoryLost,
    /// The allocator does not join free neighbours.
    FreeNeighboursApart,
    /// The allocator counts whole rounds over the banks, so a last partial round has no room.
    LastRoundForgotten,
}

/// Whether a defect is switched on.
#[cfg(feature = "sabotage")]
#[inline]
pub fn planted(defect: Defect) -> bool {
    use std::sync::OnceLock;
    static CHOSEN: OnceLock<Option<Defect>> = OnceLock::new();
    let chosen = CHOSEN.get_or_init(|| {
        let name = std::env::var(VARIABLE).ok()?;
        Defect::ALL.iter().copied().find(|defect| defect.name() == name)
    });
    *chosen == Some(defect)
}

/// Whether a defect is switched on: never, in this build.
#[cfg(not(feature = "sabotage"))]
#[inline]
pub const fn planted(defect: Defect) -> bool {
    let _ = defect;
    false
}
