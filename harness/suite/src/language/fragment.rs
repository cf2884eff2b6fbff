//! Fragments: steps that suites share.

use super::case::KernelSource;
use super::step::Steps;
use crate::read::{Name, Named, map_type};

map_type! {
    /// A file of steps that suites share, `suites/fragments/<name>.yaml`. A suite names it in `import`.
    FragmentFile, "a file of fragments" {
        /// What the fragments are for, in a sentence.
        about: String,
        /// Kernels that the fragments use, by name.
        kernels: Option<Named<KernelSource>>,
        /// Fragments by name.
        fragments: Named<Fragment>,
    }
}

map_type! {
    /// Steps with parameters. A fragment knows nothing of the case that uses it except what the case gives it.
    Fragment, "a fragment" {
        /// What the steps do, in a sentence.
        about: String,
        /// The names of the numbers that a case gives to the fragment, for expressions and for `=name`.
        numbers: Option<Vec<Name>>,
        /// The names of the objects, kernels and settings that a case gives to the fragment.
        names: Option<Vec<Name>>,
        /// The calls, in order. A fragment cannot use another fragment.
        steps: Steps,
    }
}
