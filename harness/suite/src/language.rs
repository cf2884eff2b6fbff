//! The suite language as types: each declaration here is at once the parser, the JSON Schema and the
//! reference of what a suite may say.

mod case;
mod excuse;
mod expectation;
mod fragment;
mod fragment_use;
mod global_semaphore;
mod matrix;
mod plain;
mod step;
mod tensor;
mod value;

pub use case::*;
pub use excuse::*;
pub use expectation::*;
pub use fragment::*;
pub use fragment_use::*;
pub use global_semaphore::*;
pub use matrix::*;
pub use plain::*;
pub use step::*;
pub use tensor::*;
pub use value::*;
