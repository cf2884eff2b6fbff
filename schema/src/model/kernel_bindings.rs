//! Names of a kernel's source whose definitions TT-Metalium generates: `args::`, `dfb::`, `sem::`, `tensor::`,
//! `scratch::`.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// What a name stands for: the namespace of its definition, and the meaning of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BindingKind {
    /// A runtime argument.
    RuntimeArg,
    /// A common runtime argument.
    CommonRuntimeArg,
    /// A compile-time argument.
    CompileArg,
    /// A dataflow buffer of the program.
    DataflowBuffer,
    /// A semaphore of the program.
    Semaphore,
    /// A tensor that the host program binds.
    Tensor,
    /// A scratchpad of the kernel.
    Scratchpad,
    /// A compile-time argument of the API before `args::`.
    NamedValue,
    /// A tuple of other names.
    Group,
}

/// The access patterns of a dataflow buffer's ends, by their numbers.
pub const ACCESS_PATTERNS: [&str; 4] = ["STRIDED", "ALL", "BLOCKED", "UNKNOWN"];

/// The ways in which a semaphore is accessed, by their numbers.
pub const SEMAPHORE_SCOPES: [&str; 4] =
    ["LOCAL_NONATOMIC", "DM_LOCAL_CACHED", "EXTERNAL", "COMPUTE_ATOMIC"];

/// The values that state a tile format: the number of its data format, and its faces.
const TILE_FORMAT: [BindingValue; 5] = [
    BindingValue::number("format"),
    BindingValue::number("face_rows"),
    BindingValue::number("face_columns"),
    BindingValue::number("faces_down"),
    BindingValue::number("faces_across"),
];

/// A value of a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindingValue {
    /// Its name.
    pub name: &'static str,
    /// The words for its numbers; empty if it is a plain number.
    pub words: &'static [&'static str],
}

impl BindingValue {
    const fn number(name: &'static str) -> Self {
        Self { name, words: &[] }
    }
}

impl BindingKind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::RuntimeArg,
        Self::CommonRuntimeArg,
        Self::CompileArg,
        Self::DataflowBuffer,
        Self::Semaphore,
        Self::Tensor,
        Self::Scratchpad,
        Self::NamedValue,
        Self::Group,
    ];

    /// The namespace of the names; `None` for a group, which is in the namespace of its members.
    pub const fn namespace(self) -> Option<&'static str> {
        match self {
            Self::RuntimeArg | Self::CommonRuntimeArg | Self::CompileArg => Some("args"),
            Self::DataflowBuffer => Some("dfb"),
            Self::Semaphore => Some("sem"),
            Self::Tensor => Some("tensor"),
            Self::Scratchpad => Some("scratch"),
            Self::NamedValue => Some("blaze_ct_args"),
            Self::Group => None,
        }
    }

    /// The values that a binding of this kind has; a group has the places of its members.
    pub const fn values(self) -> &'static [BindingValue] {
        const OFFSET: &[BindingValue] = &[BindingValue::number("offset")];
        const VALUE: &[BindingValue] = &[BindingValue::number("value")];
        match self {
            Self::RuntimeArg | Self::CommonRuntimeArg => OFFSET,
            Self::CompileArg | Self::NamedValue => VALUE,
            Self::DataflowBuffer => {
                const {
                    &[
                        BindingValue::number("index"),
                        BindingValue { name: "producer", words: &ACCESS_PATTERNS },
                        BindingValue { name: "consumer", words: &ACCESS_PATTERNS },
                    ]
                }
            }
            Self::Semaphore => {
                const {
                    &[
                        BindingValue::number("id"),
                        BindingValue { name: "scope", words: &SEMAPHORE_SCOPES },
                    ]
                }
            }
            Self::Tensor => {
                const { &[BindingValue::number("compile_arg"), BindingValue::number("offset")] }
            }
            Self::Scratchpad => {
                const { &[BindingValue::number("argument"), BindingValue::number("size")] }
            }
            Self::Group => &[],
        }
    }

    /// The values that may follow.
    pub const fn more_values(self) -> &'static [BindingValue] {
        match self {
            Self::DataflowBuffer | Self::Tensor | Self::Scratchpad => &TILE_FORMAT,
            Self::RuntimeArg
            | Self::CommonRuntimeArg
            | Self::CompileArg
            | Self::Semaphore
            | Self::NamedValue
            | Self::Group => &[],
        }
    }
}

/// A name with the numbers that stand behind it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelBinding {
    /// The meaning of the name.
    pub kind: BindingKind,
    /// The name in the source, without its namespace.
    pub name: String,
    /// The values of its kind ([`BindingKind::values`]), and all or none of those that may follow.
    pub values: Vec<u32>,
}

impl KernelBinding {
    /// Its values with their names.
    pub fn named_values(&self) -> impl Iterator<Item = (BindingValue, u32)> {
        let names = self.kind.values().iter().chain(self.kind.more_values());
        names.copied().zip(self.values.iter().copied())
    }
}

/// The names of a kernel's source whose definitions TT-Metalium generates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelBindings {
    /// The names, in the order of their definitions.
    pub names: Vec<KernelBinding>,
    /// The runtime argument that `get_vararg(0)` returns.
    pub first_vararg: u32,
    /// The common runtime argument that `get_common_vararg(0)` returns.
    pub first_common_vararg: u32,
    /// How many compile-time arguments `get_compile_time_vararg` returns.
    pub compile_time_varargs: u32,
}

impl KernelBindings {
    /// The namespace of a name of the list; `None` for a group without a first member.
    pub fn namespace(&self, binding: &KernelBinding) -> Option<&'static str> {
        match binding.kind {
            BindingKind::Group => self.members(binding).next()??.kind.namespace(),
            kind => kind.namespace(),
        }
    }

    /// The members of a group, `None` for each place without a name that may be a member.
    pub fn members<'b>(
        &'b self,
        group: &'b KernelBinding,
    ) -> impl Iterator<Item = Option<&'b KernelBinding>> {
        group.values.iter().map(|place| {
            let member = self.names.get(usize::try_from(*place).ok()?)?;
            (member.kind != BindingKind::Group).then_some(member)
        })
    }

    /// The first name that cannot be defined, with the reason as a clause.
    pub fn problem(&self) -> Option<(usize, &'static str)> {
        let mut known = BTreeSet::new();
        self.names.iter().enumerate().find_map(|(at, binding)| {
            let namespace = self.namespace(binding);
            let reason = self.problem_of(binding).or_else(|| {
                let is_new = known.insert((namespace, binding.name.as_str()));
                (!is_new).then_some("its namespace has the name twice")
            });
            Some((at, reason?))
        })
    }

    fn problem_of(&self, binding: &KernelBinding) -> Option<&'static str> {
        let mut letters = binding.name.bytes();
        let starts = letters.next().is_some_and(|it| it.is_ascii_alphabetic() || it == b'_');
        if !starts || !letters.all(|letter| letter.is_ascii_alphanumeric() || letter == b'_') {
            return Some("a name is an identifier");
        }
        if binding.kind == BindingKind::Group {
            let namespace = self.namespace(binding);
            let belongs = |member: Option<&KernelBinding>| {
                member.is_some_and(|member| member.kind.namespace() == namespace)
            };
            let is_group = namespace.is_some() && self.members(binding).all(belongs);
            return (!is_group).then_some("a group has names of one namespace of the list");
        }
        let (least, more) = (binding.kind.values().len(), binding.kind.more_values().len());
        if ![least, least.saturating_add(more)].contains(&binding.values.len()) {
            return Some("it has another number of values than its kind");
        }
        let is_known = |(value, number): (BindingValue, u32)| {
            value.words.is_empty() || (number as usize) < value.words.len()
        };
        if !binding.named_values().all(is_known) {
            return Some("a value has no word of that number");
        }
        let is_word = |(value, number): (BindingValue, u32)| {
            value.name != "offset" || number.is_multiple_of(4)
        };
        (!binding.named_values().all(is_word)).then_some("an argument has an offset of whole words")
    }
}
