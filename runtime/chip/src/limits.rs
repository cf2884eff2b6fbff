//! A crate's limits as one table: constants, and a list of them for the tests, so that a limit without its two
//! test cases is an error.

/// Declares limits as constants, and for tests `LIMITS`, the list of their names and values.
///
/// A test of the crate checks the list: each limit needs a test case at the limit and one past it.
#[macro_export]
macro_rules! limits {
    ($($(#[$attribute:meta])* $visibility:vis const $name:ident: $type:ty = $value:expr;)+) => {
        $($(#[$attribute])* $visibility const $name: $type = $value;)+

        /// The limits by name, in the order of their declaration.
        #[cfg(test)]
        pub(crate) const LIMITS: &[(&str, u64)] = &[$((stringify!($name), $name as u64)),+];
    };
}
