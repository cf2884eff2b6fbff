//! How a capture was made of a program that did not use Hallmark's runtime: by whom, and how far it can be trusted.

use std::collections::BTreeSet;

use hallmark_chip::LogicalCore;
use serde::{Deserialize, Serialize};

use super::{CircularBufferId, CommandIndex, KernelId, ObjectKind, RecordedCommand};
use crate::commands::Role;

/// How a capture was made of a program that did not use Hallmark's runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Who carried the program out.
    pub executor: ExecutorRecord,
    /// What the recorder could not follow, as the subject of a sentence each: "a global semaphore".
    pub missing: Vec<String>,
    /// How far it is known which argument words stand for addresses.
    pub relocations: RelocationCheck,
    /// Argument words that hold a place and cannot be relocated, ascending by command, core and index.
    pub placement_bound_words: Vec<PlacementBoundWord>,
    /// Kernels whose source begins with bindings that the executor generated, ascending by kernel.
    pub generated_bindings: Vec<GeneratedBindings>,
    /// Circular buffers that the host program made as dataflow buffers, ascending.
    pub dataflow_buffers: Vec<CircularBufferId>,
}

impl Origin {
    /// Leaves out what speaks of other calls than these, the first of the program and all that is left of it.
    pub fn truncate(&mut self, commands: &[RecordedCommand]) {
        let mut kernels = BTreeSet::new();
        let mut circular_buffers = BTreeSet::new();
        for recorded in commands {
            recorded.command.for_each_reference(|role, kind, id| {
                if (role, kind) == (Role::Creates, ObjectKind::Kernel) {
                    kernels.insert(KernelId(id));
                } else if (role, kind) == (Role::Creates, ObjectKind::CircularBuffer) {
                    circular_buffers.insert(CircularBufferId(id));
                }
            });
        }
        self.generated_bindings.retain(|bindings| kernels.contains(&bindings.kernel));
        self.dataflow_buffers.retain(|buffer| circular_buffers.contains(buffer));
        self.placement_bound_words
            .retain(|word| usize::try_from(word.command.0).is_ok_and(|at| at < commands.len()));
    }
}

/// A runtime other than Hallmark's that carried a program out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExecutorRecord {
    /// What it is called: `TT-Metalium`.
    pub name: String,
    /// Its release as it names it.
    pub release: String,
    /// The build id of its library, as hexadecimal digits; empty if it has none.
    pub build_id: String,
    /// What compiled its kernels, as the compiler names itself; empty if that is not known.
    pub kernel_compiler: String,
}

/// How far it is known which argument words stand for addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelocationCheck {
    /// Words that equal an address of the one run were taken for that address.
    Unchecked,
    /// A second run with other addresses showed which words move with them.
    Checked,
}

/// An argument word that holds a place as a number. Of a `create_kernel` it is a compile-time argument, of a
/// `set_runtime_args` an argument of `core`, and of other commands one that all cores share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacementBoundWord {
    /// The call that holds the word.
    pub command: CommandIndex,
    /// The core whose argument it is, where the call sets arguments per core.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "core")]
    pub core: Option<LogicalCore>,
    /// Its place among the words of the call, counted from 0.
    pub index: u32,
}

/// A kernel whose source begins with bindings that the executor generated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneratedBindings {
    /// The kernel.
    pub kernel: KernelId,
    /// What follows the bindings in its source: the path of the file as the host program named it; empty if the
    /// program gave the text itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub original: String,
}

mod core {
    use hallmark_chip::LogicalCore;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde hands out references")]
    pub(super) fn serialize<S: Serializer>(
        core: &Option<LogicalCore>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        core.map(|core| [core.x, core.y]).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<LogicalCore>, D::Error> {
        let core = Option::<[u32; 2]>::deserialize(from)?;
        Ok(core.map(|[x, y]| LogicalCore { x, y }))
    }
}
