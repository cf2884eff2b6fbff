//! Namespaces of signatures: the roles of signers.

use std::fmt;

/// The signed object, and with it the signer's role. A signature is valid only in its own namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Namespace {
    /// A package, by its submitter.
    Package,
    /// A waiver, by its approver.
    Waiver,
    /// A challenge, by a reviewer.
    Challenge,
    /// A package, by a reviewer.
    Review,
    /// The lock of a conformance profile, by its publisher.
    Profile,
}

impl Namespace {
    /// Every namespace.
    pub const ALL: [Self; 5] =
        [Self::Package, Self::Waiver, Self::Challenge, Self::Review, Self::Profile];

    /// The name in `ssh-keygen -n` and in a file of allowed signers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Package => "package@hallmark",
            Self::Waiver => "waiver@hallmark",
            Self::Challenge => "challenge@hallmark",
            Self::Review => "review@hallmark",
            Self::Profile => "profile@hallmark",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|namespace| namespace.name() == name)
    }

    pub(crate) fn list() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
