//! Calls that add kernels to programs and give them arguments.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::{
    ArgumentRelocation, CoreArguments, CoreRange, KernelConfig, KernelId, ProgramId,
};

/// `CreateKernel`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateKernel {
    /// Its id.
    pub kernel: KernelId,
    /// Its name in the suite.
    pub name: String,
    /// The program that it joins.
    pub program: ProgramId,
    /// The path of its source, relative to the suites, with `/`; one of the program part's sources.
    pub source: String,
    /// Where it runs.
    pub cores: Vec<CoreRange>,
    /// On what.
    pub config: KernelConfig,
    /// Compile-time arguments.
    pub compile_args: Vec<u32>,
    /// Preprocessor definitions.
    #[serde(deserialize_with = "defines")]
    pub defines: BTreeMap<String, String>,
}

/// `SetRuntimeArgs`, in its form for one core range set (one entry) or for a vector of cores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetRuntimeArgs {
    /// Which kernel.
    pub kernel: KernelId,
    /// Arguments per set of cores.
    pub args: Vec<CoreArguments>,
}

/// `SetCommonRuntimeArgs`: words that all cores of a kernel share. Once for a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetCommonRuntimeArgs {
    /// Which kernel.
    pub kernel: KernelId,
    /// The words.
    pub values: Vec<u32>,
    /// The words that are not plain numbers, ascending by index.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relocations: Vec<ArgumentRelocation>,
}

/// `GetCommonRuntimeArgs` and writing to what it gives: other words from the next launch on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpdateCommonRuntimeArgs {
    /// Which kernel.
    pub kernel: KernelId,
    /// The first word that changes.
    pub first: u32,
    /// The new words.
    pub values: Vec<u32>,
    /// Those of them that are not plain numbers, ascending by index, counted from `first`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relocations: Vec<ArgumentRelocation>,
}

/// A map in which a key stands once: of two definitions of a name, none is the right one.
fn defines<'de, D: serde::Deserializer<'de>>(
    from: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    struct Visitor;
    impl<'de> serde::de::Visitor<'de> for Visitor {
        type Value = BTreeMap<String, String>;

        fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("definitions by their names")
        }

        fn visit_map<A: serde::de::MapAccess<'de>>(
            self,
            mut map: A,
        ) -> Result<Self::Value, A::Error> {
            let mut defines = BTreeMap::new();
            while let Some((name, value)) = map.next_entry::<String, String>()? {
                if defines.contains_key(&name) {
                    let twice = format!("`{name}` is defined twice; keep one definition");
                    return Err(serde::de::Error::custom(twice));
                }
                defines.insert(name, value);
            }
            Ok(defines)
        }
    }
    from.deserialize_map(Visitor)
}
