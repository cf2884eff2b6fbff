//! The generated headers of kernels: definitions of the names that a program binds (`args::`, `dfb::`, `sem::`,
//! `tensor::`, `scratch::`).
//!
//! A capture holds the names with their values ([`KernelBindings`]). [`BindingForms`] says how definitions are written
//! for one version of the device API: [`BindingForms::own`] for the headers here, and each description of a release of
//! TT-Metalium for that release. A form is a text with `${…}` in the place of each value (`form.rs`), so that a
//! recorder reads the headers of a release by the same forms.
//!
//! A kernel may leave its `kernel_main` to the generated headers, too (`entry.rs`).

mod entry;
mod form;
mod own;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use hallmark_schema::model::{BindingKind, KernelBinding, KernelBindings};

pub use self::entry::generated_main;
pub use self::form::{Filled, Form, FormError};

/// The placeholder of a binding's name.
pub const NAME: &str = "name";
/// The placeholder of a group's members, which commas separate.
pub const MEMBERS: &str = "members";
/// The placeholder of [`KernelBindings::first_vararg`].
pub const FIRST_VARARG: &str = "first_vararg";
/// The placeholder of [`KernelBindings::first_common_vararg`].
pub const FIRST_COMMON_VARARG: &str = "first_common_vararg";
/// The placeholder of [`KernelBindings::compile_time_varargs`].
pub const COMPILE_TIME_VARARGS: &str = "compile_time_varargs";

/// The namespaces of names, in the order of their definitions.
pub const NAMESPACES: [&str; 6] = ["dfb", "sem", "tensor", "scratch", "args", "blaze_ct_args"];

/// How the definitions of generated names are written.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BindingForms {
    /// The headers of all kernels with bindings, between their quotation marks or angle brackets.
    pub includes: Vec<String>,
    /// The headers for names of a kind.
    pub includes_of: BTreeMap<BindingKind, Vec<String>>,
    /// The definitions of a kind. The first form whose values a name has is written.
    pub definitions: BTreeMap<BindingKind, Vec<Form>>,
    /// The type of a pointer to no name, for each namespace with `get_token_if_present`.
    pub absent: BTreeMap<String, String>,
    /// The functions for arguments without names.
    pub functions: Vec<Form>,
}

/// A name that cannot be defined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{namespace}::{name}` has no definition there: {kind:?} with {values} values")]
pub struct BindingError {
    /// The namespace.
    pub namespace: &'static str,
    /// The name.
    pub name: String,
    /// The meaning of the name.
    pub kind: BindingKind,
    /// The number of its values.
    pub values: usize,
}

impl BindingForms {
    /// The forms for the headers of this build.
    pub fn own() -> &'static Self {
        &own::FORMS
    }

    /// The text that is compiled before a kernel with these names.
    ///
    /// # Errors
    /// [`BindingError`] of a name whose definition has no form.
    pub fn headers(&self, bindings: &KernelBindings) -> Result<String, BindingError> {
        let mut text = String::new();
        let kinds = bindings.names.iter().flat_map(|name| self.includes_of.get(&name.kind));
        let mut includes: Vec<&String> = Vec::new();
        for include in self.includes.iter().chain(kinds.flatten()) {
            if !includes.contains(&include) {
                includes.push(include);
                // Writing to a `String` cannot fail.
                let _ = writeln!(text, "#include {include}");
            }
        }
        for namespace in NAMESPACES {
            let belongs = |name: &&KernelBinding| bindings.namespace(name) == Some(namespace);
            let (groups, names): (Vec<_>, Vec<_>) = bindings
                .names
                .iter()
                .filter(belongs)
                .partition(|name| name.kind == BindingKind::Group);
            let absent = self.absent.get(namespace);
            if names.is_empty() && absent.is_none() {
                continue;
            }
            let _ = writeln!(text, "namespace {namespace} {{");
            for name in &names {
                text.push_str(&self.definition(bindings, name, namespace)?);
            }
            if let Some(absent) = absent {
                text.push_str(&lookup(&names, absent));
            }
            for group in groups {
                text.push_str(&self.definition(bindings, group, namespace)?);
            }
            text.push_str("}\n");
        }
        let numbers = |placeholder: &str| {
            let number = match placeholder {
                FIRST_VARARG => bindings.first_vararg,
                FIRST_COMMON_VARARG => bindings.first_common_vararg,
                COMPILE_TIME_VARARGS => bindings.compile_time_varargs,
                _ => return None,
            };
            Some(format!("{number}u"))
        };
        for function in &self.functions {
            text.extend(function.fill(numbers));
            text.push('\n');
        }
        Ok(text)
    }

    fn definition(
        &self,
        bindings: &KernelBindings,
        binding: &KernelBinding,
        namespace: &'static str,
    ) -> Result<String, BindingError> {
        let value = |placeholder: &str| match placeholder {
            NAME => Some(binding.name.clone()),
            MEMBERS if binding.kind == BindingKind::Group => {
                let members = bindings.members(binding);
                let names: Option<Vec<&str>> =
                    members.map(|member| Some(member?.name.as_str())).collect();
                Some(names?.join(", "))
            }
            _ => {
                let mut values = binding.named_values();
                let (value, number) = values.find(|(value, _)| value.name == placeholder)?;
                match value.words {
                    [] => Some(format!("{number}u")),
                    words => Some((*words.get(usize::try_from(number).ok()?)?).to_owned()),
                }
            }
        };
        let forms = self.definitions.get(&binding.kind).map(Vec::as_slice).unwrap_or_default();
        let mut text = forms.iter().find_map(|form| form.fill(value)).ok_or(BindingError {
            namespace,
            name: binding.name.clone(),
            kind: binding.kind,
            values: binding.values.len(),
        })?;
        text.push('\n');
        Ok(text)
    }
}

/// The function that asks for a name of a namespace that need not be bound.
fn lookup(names: &[&KernelBinding], absent: &str) -> String {
    let mut text = String::from(
        "template <::internal::TemplateString name>\nconstexpr auto get_token_if_present() {\n    ",
    );
    for KernelBinding { name, .. } in names {
        let _ = write!(text, "if constexpr (name == \"{name}\") {{ return &{name}; }} else ");
    }
    let _ = writeln!(text, "{{ return static_cast<{absent}>(nullptr); }}\n}}");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(kind: BindingKind, name: &str, values: &[u32]) -> KernelBinding {
        KernelBinding { kind, name: name.to_owned(), values: values.to_vec() }
    }

    #[test]
    fn a_definition_takes_the_values_that_a_name_has() {
        let bindings = KernelBindings {
            names: vec![
                name(BindingKind::DataflowBuffer, "plain", &[3, 0, 1]),
                name(BindingKind::DataflowBuffer, "tiles", &[4, 2, 3, 5, 16, 8, 2, 1]),
                name(BindingKind::Group, "both", &[1, 0]),
                name(BindingKind::CompileArg, "rows", &[7]),
            ],
            first_vararg: 5,
            first_common_vararg: 6,
            compile_time_varargs: 2,
        };
        let text = BindingForms::own().headers(&bindings).unwrap();
        for line in [
            "constexpr DFBBindingToken<dfb::AccessPattern::STRIDED, dfb::AccessPattern::ALL> plain{3u};",
            "constexpr DFBBindingToken<dfb::AccessPattern::BLOCKED, dfb::AccessPattern::UNKNOWN> tiles{4u, ::binding_details::LLKMetadata{.format = 5u, .face_r_dim = 16u, .face_c_dim = 8u, .num_faces_r_dim = 2u, .num_faces_c_dim = 1u}};",
            "constexpr auto both = std::make_tuple(tiles, plain);",
            "constexpr experimental::CtaVal<uint32_t> rows{7u};",
            "if constexpr (name == \"plain\") { return &plain; } else if constexpr (name == \"tiles\") { return &tiles; } else",
            "get_arg_val<uint32_t>(5u + idx)",
            "get_common_arg_val<uint32_t>(6u + idx)",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        assert!(text.contains("#include <tuple>"), "{text}");
        assert!(!text.contains("semaphore"), "{text}");
        let mut lacking = BindingForms::own().clone();
        lacking.definitions.remove(&BindingKind::CompileArg);
        let error = lacking.headers(&bindings).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`args::rows` has no definition there: CompileArg with 1 values"
        );
    }
}
