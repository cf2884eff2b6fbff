//! The origin of a capture whose program did not use Hallmark's runtime: the executor, and the limits of the
//! capture's accuracy.

use std::collections::BTreeSet;

use hallmark_chip::LogicalCore;
use serde::{Deserialize, Serialize};

use super::{CircularBufferId, CommandIndex, KernelId, ObjectKind, RecordedCommand};
use crate::commands::Role;

/// The origin of a capture whose program did not use Hallmark's runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The executor of the program.
    pub executor: ExecutorRecord,
    /// Host features that the recorder could not follow, each as the subject of a sentence: "a global
    /// semaphore".
    pub missing: Vec<String>,
    /// How reliably argument words are identified as addresses.
    pub relocations: RelocationCheck,
    /// Argument words that hold a placement and cannot be relocated, ascending by command, core and index.
    pub placement_bound_words: Vec<PlacementBoundWord>,
    /// Kernels whose source begins with bindings that the executor generated, ascending by kernel.
    pub generated_bindings: Vec<GeneratedBindings>,
    /// Circular buffers that the host program created as dataflow buffers, ascending.
    pub dataflow_buffers: Vec<CircularBufferId>,
}

impl Origin {
    /// Drops every entry about a call, kernel or circular buffer outside `commands`, the remaining prefix of
    /// the program's commands.
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

/// A runtime other than Hallmark's that executed a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExecutorRecord {
    /// Its name: `TT-Metalium`.
    pub name: String,
    /// Its release, as it states it.
    pub release: String,
    /// The build id of its library, as hexadecimal digits; empty if it has none.
    pub build_id: String,
    /// The compiler of its kernels, as the compiler states it; empty if unknown.
    pub kernel_compiler: String,
}

/// How reliably argument words are identified as addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelocationCheck {
    /// Words that equal an address of the only run were taken for that address.
    Unchecked,
    /// A second run with other addresses showed which words change with them.
    Checked,
}

/// An argument word that holds a placement as a plain number. In a `create_kernel` it is a compile-time
/// argument, in a `set_runtime_args` an argument of `core`, and in other commands a common argument of all
/// cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacementBoundWord {
    /// The command that holds the word.
    pub command: CommandIndex,
    /// The core of the argument, if the call sets arguments per core.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "core")]
    pub core: Option<LogicalCore>,
    /// Its index among the words of the call, counted from 0.
    pub index: u32,
}

/// A kernel whose source begins with bindings that the executor generated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneratedBindings {
    /// The kernel.
    pub kernel: KernelId,
    /// The source after the bindings: the path of the file as the host program named it; empty if the program
    /// passed the source text.
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
