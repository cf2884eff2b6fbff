//! The claims that no verifier can reject without the device. Every report lists them on its first page.

/// An implicit claim of every package that nothing in a package can prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unrejectable {
    /// The claim.
    pub claim: &'static str,
    /// Why it may still be wrong, and which measures make a false claim harder.
    pub doubt: &'static str,
}

/// All such claims.
pub const UNREJECTABLE: [Unrejectable; 4] = [
    Unrejectable {
        claim: "The tests were not run until they passed, and the subject does not know them.",
        doubt: "The package cannot show it. Repeats, a reviewer's challenge and captures of the user's own make a forgery dearer.",
    },
    Unrejectable {
        claim: "Each repeat, each schedule seed and each replay was a run of its own.",
        doubt: "Equal runs leave equal captures, so that one run can stand for all of them.",
    },
    Unrejectable {
        claim: "The tests ran on the devices and with the libraries that the environment names.",
        doubt: "The submitter wrote it; only firmware is in the package itself.",
    },
    Unrejectable {
        claim: "The package was made when it says.",
        doubt: "The submitter dates it; a reviewer who gave the challenge knows the earliest day.",
    },
];
