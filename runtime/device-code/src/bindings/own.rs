//! How the names are defined for the headers of `runtime/firmware`: their classes are those of TT-Metalium 0.81.1.

use std::sync::LazyLock;

use hallmark_schema::model::BindingKind;

use super::{BindingForms, Form};

/// The forms of this build.
pub(super) static FORMS: LazyLock<BindingForms> = LazyLock::new(|| {
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    let forms = |list: &[&str]| {
        // A test reads each of them; a text that is no form would be left out.
        let read = list.iter().filter_map(|text| Form::try_from((*text).to_owned()).ok());
        read.collect()
    };
    BindingForms {
        includes: texts(INCLUDES),
        includes_of: INCLUDES_OF.iter().map(|(kind, list)| (*kind, texts(list))).collect(),
        definitions: DEFINITIONS.iter().map(|(kind, list)| (*kind, forms(list))).collect(),
        absent: ABSENT.iter().map(|(space, of)| ((*space).to_owned(), (*of).to_owned())).collect(),
        functions: forms(FUNCTIONS),
    }
});

const INCLUDES: &[&str] = &[
    "\"internal/template_string.h\"",
    "\"api/dataflow/dfb_binding_token.h\"",
    "\"api/tensor/tensor_binding_token.h\"",
    "\"api/scratchpad_binding_token.h\"",
    "\"experimental/kernel_args.h\"",
    "\"api/compile_time_args.h\"",
];

const INCLUDES_OF: &[(BindingKind, &[&str])] = &[
    (BindingKind::DataflowBuffer, &["\"api/dataflow/dataflow_buffer.h\""]),
    (BindingKind::Semaphore, &["\"api/dataflow/semaphore_binding_token.h\""]),
    (BindingKind::Scratchpad, &["\"api/scratchpad.h\""]),
    (BindingKind::Group, &["<tuple>"]),
];

const DEFINITIONS: &[(BindingKind, &[&str])] = &[
    (BindingKind::RuntimeArg, &["constexpr experimental::RtaArg<uint32_t> ${name}{${offset}};"]),
    (
        BindingKind::CommonRuntimeArg,
        &["constexpr experimental::CrtaArg<uint32_t> ${name}{${offset}};"],
    ),
    (BindingKind::CompileArg, &["constexpr experimental::CtaVal<uint32_t> ${name}{${value}};"]),
    (
        BindingKind::DataflowBuffer,
        &[
            "constexpr DFBBindingToken<dfb::AccessPattern::${producer}, dfb::AccessPattern::${consumer}> ${name}{${index}, ::binding_details::LLKMetadata{.format = ${format}, .face_r_dim = ${face_rows}, .face_c_dim = ${face_columns}, .num_faces_r_dim = ${faces_down}, .num_faces_c_dim = ${faces_across}}};",
            "constexpr DFBBindingToken<dfb::AccessPattern::${producer}, dfb::AccessPattern::${consumer}> ${name}{${index}};",
        ],
    ),
    (
        BindingKind::Semaphore,
        &["constexpr ::SemaphoreBindingToken ${name}{${id}, ::SemScope::${scope}};"],
    ),
    (
        BindingKind::Tensor,
        &[
            "using ${name}_t = ::tensor_accessor::TensorBindingToken<${compile_arg}, ${offset}>;\nconstexpr ${name}_t ${name}{::binding_details::LLKMetadata{.format = ${format}, .face_r_dim = ${face_rows}, .face_c_dim = ${face_columns}, .num_faces_r_dim = ${faces_down}, .num_faces_c_dim = ${faces_across}}};",
            "using ${name}_t = ::tensor_accessor::TensorBindingToken<${compile_arg}, ${offset}>;\nconstexpr ${name}_t ${name}{::binding_details::LLKMetadata{}};",
        ],
    ),
    (
        BindingKind::Scratchpad,
        &[
            "constexpr ScratchpadBindingToken ${name}{${argument}, ${size}, ::binding_details::LLKMetadata{.format = ${format}, .face_r_dim = ${face_rows}, .face_c_dim = ${face_columns}, .num_faces_r_dim = ${faces_down}, .num_faces_c_dim = ${faces_across}}};",
            "constexpr ScratchpadBindingToken ${name}{${argument}, ${size}};",
        ],
    ),
    (BindingKind::NamedValue, &["static constexpr uint32_t ${name} = ${value};"]),
    (BindingKind::Group, &["constexpr auto ${name} = std::make_tuple(${members});"]),
];

const ABSENT: &[(&str, &str)] = &[
    ("dfb", "const DFBBindingToken<>*"),
    ("tensor", "const ::tensor_accessor::NullTensorBindingToken*"),
    ("scratch", "const ScratchpadBindingToken*"),
];

const FUNCTIONS: &[&str] = &[
    "FORCE_INLINE uint32_t get_vararg(uint32_t idx) { return get_arg_val<uint32_t>(${first_vararg} + idx); }",
    "FORCE_INLINE uint32_t get_common_vararg(uint32_t idx) { return get_common_arg_val<uint32_t>(${first_common_vararg} + idx); }",
    "FORCE_INLINE constexpr uint32_t get_num_compile_time_varargs() { return ${compile_time_varargs}; }",
    "template <uint32_t idx>\nFORCE_INLINE constexpr uint32_t get_compile_time_vararg() {\n    static_assert(idx < get_num_compile_time_varargs(), \"compile-time argument index out of range\");\n    return kernel_compile_time_args[idx];\n}",
    "FORCE_INLINE constexpr uint32_t get_compile_time_vararg(uint32_t idx) { return kernel_compile_time_args[idx]; }",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_forms() {
        assert_eq!(FORMS.functions.len(), FUNCTIONS.len());
        for kind in BindingKind::ALL {
            let stated = DEFINITIONS.iter().find(|(known, _)| *known == kind);
            let (_, stated) = stated.unwrap_or_else(|| panic!("{kind:?} has none"));
            assert_eq!(FORMS.definitions[&kind].len(), stated.len(), "{kind:?}");
        }
    }
}
