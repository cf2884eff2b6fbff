//! The sources of kernels, and their paths in a capture.

use hallmark_schema::model::{BindingKind, KernelBindings};

use super::*;

/// The sources of a capture.
fn texts(conversion: &Conversion) -> Vec<(&str, String)> {
    let capture = &conversion.capture;
    let sources = capture.program.sources.iter().map(|source| {
        let text = String::from_utf8_lossy(&capture.blobs[&source.hash]).into_owned();
        (source.path.as_str(), text)
    });
    sources.collect()
}

fn paths(conversion: &Conversion) -> Vec<&str> {
    texts(conversion).into_iter().map(|(path, _)| path).collect()
}

fn recorded(kernels: Vec<KernelDescription>, files: &[(&str, &str)]) -> RecordingBuilder {
    let mut recording = RecordingBuilder::new();
    for (path, text) in files {
        recording.files.insert((*path).to_owned(), text.as_bytes().to_vec());
    }
    recording.describe(1, kernels);
    recording.launch(1, &[]);
    recording
}

#[test]
fn includes_go_in_and_the_releases_own_headers_stay_out() {
    let source = "#include \"api/dataflow/dataflow_api.h\"\n#include \"own.h\"\n#include \"ttnn/operations/x/common.hpp\"\n";
    let conversion = recorded(
        vec![with_source("ttnn/cpp/ttnn/operations/x/device/kernels/k.cpp", source)],
        &[
            ("/opt/metal/tt_metal/hw/inc/api/dataflow/dataflow_api.h", ""),
            (
                "/opt/metal/ttnn/cpp/ttnn/operations/x/device/kernels/own.h",
                "#include \"../up.h\"\n",
            ),
            ("/opt/metal/ttnn/cpp/ttnn/operations/x/device/up.h", "#include \"own.h\"\n"),
            ("/opt/metal/ttnn/cpp/ttnn/operations/x/common.hpp", "// common\n"),
        ],
    )
    .convert();
    assert_eq!(
        paths(&conversion),
        [
            "ttnn/cpp/ttnn/operations/x/device/kernels/k.cpp",
            "ttnn/cpp/ttnn/operations/x/device/kernels/own.h",
            "ttnn/cpp/ttnn/operations/x/device/up.h",
            // Found in an include folder: the path is relative to that folder's name in the source.
            "ttnn/operations/x/common.hpp",
        ]
    );
}

#[test]
fn a_header_between_angle_brackets_goes_in_if_the_release_keeps_it_elsewhere() {
    let source =
        "#include <ttnn/operations/x/common.hpp>\n#include <api/noc.h>\n#include <tuple>\n";
    let conversion = recorded(
        vec![with_source("ttnn/cpp/ttnn/operations/y/k.cpp", source)],
        &[
            ("/opt/metal/ttnn/cpp/ttnn/operations/x/common.hpp", "#include \"own.h\"\n"),
            ("/opt/metal/ttnn/cpp/ttnn/operations/x/own.h", ""),
            ("/opt/metal/ttnn/cpp/ttnn/operations/y/ttnn/operations/x/common.hpp", "// beside\n"),
            ("/opt/metal/tt_metal/api/noc.h", ""),
            ("/opt/metal/tuple", ""),
        ],
    )
    .convert();
    assert_eq!(
        paths(&conversion),
        [
            "ttnn/cpp/ttnn/operations/y/k.cpp",
            "ttnn/operations/x/common.hpp",
            "ttnn/operations/x/own.h",
        ]
    );
}

#[test]
fn kernels_elsewhere_have_paths_below_the_folder_that_holds_all_they_include() {
    let files = [("/tmp/tmp8f2/common/types.h", ""), ("/tmp/other/far.h", "")];
    let near = || with_source("/tmp/tmp8f2/kernels/a.cpp", "#include \"../common/types.h\"\n");
    let conversion = recorded(vec![near()], &files).convert();
    assert_eq!(paths(&conversion), ["kernels/common/types.h", "kernels/kernels/a.cpp"]);
    let conversion =
        recorded(vec![near(), with_source("/tmp/other/b.cpp", "#include \"far.h\"\n")], &files)
            .convert();
    assert_eq!(
        paths(&conversion),
        ["kernels-1/b.cpp", "kernels-1/far.h", "kernels/common/types.h", "kernels/kernels/a.cpp",]
    );
}

/// A header in the form of 0.81.1, with a definition of each kind.
const HEADER: &str = r#"// AUTO-GENERATED — do not edit.

#pragma once

#include "api/dataflow/dataflow_buffer.h"

struct ScratchpadBindingToken;
namespace dfb {
constexpr DFBBindingToken<dfb::AccessPattern::STRIDED, dfb::AccessPattern::ALL> in{3, ::binding_details::LLKMetadata{.format = 5u, .face_r_dim = 16u, .face_c_dim = 8u, .num_faces_r_dim = 2u, .num_faces_c_dim = 1u}};
template <::internal::TemplateString name>
constexpr auto get_token_if_present() {
    if constexpr (name == "in") {
        return &in;
    } else {
        return nullptr;
    }
}
}  // namespace dfb
namespace sem {
constexpr ::SemaphoreBindingToken ready{2, ::SemScope::EXTERNAL};
}  // namespace sem
namespace tensor {
using src_t = ::tensor_accessor::TensorBindingToken<1u, 8u>;
constexpr src_t src{::binding_details::LLKMetadata{.format = 6u, .face_r_dim = 16u, .face_c_dim = 16u, .num_faces_r_dim = 2u, .num_faces_c_dim = 2u}};
using dst_t = ::tensor_accessor::TensorBindingToken<3u, 12u>;
constexpr dst_t dst{::binding_details::LLKMetadata{.format = 6u, .face_r_dim = 16u, .face_c_dim = 16u, .num_faces_r_dim = 2u, .num_faces_c_dim = 2u}};
constexpr auto both = std::make_tuple(dst, src);
}  // namespace tensor
namespace scratch {
constexpr ScratchpadBindingToken pad{4u, 2048u};
}  // namespace scratch
namespace args {
constexpr experimental::RtaArg<uint32_t> pages{4};
constexpr experimental::CrtaArg<uint32_t> stride{8};
constexpr experimental::CtaVal<uint32_t> rows{7u};
}  // namespace args

FORCE_INLINE uint32_t get_vararg(uint32_t idx) { return get_arg_val<uint32_t>(2 + idx); }
FORCE_INLINE uint32_t get_common_vararg(uint32_t idx) { return get_common_arg_val<uint32_t>(5 + idx); }

FORCE_INLINE constexpr uint32_t get_num_compile_time_varargs() {
    return 6u;
}
namespace blaze_ct_args {
    static constexpr uint32_t batch = 9;
}
"#;

fn with_header(header: &str) -> Conversion {
    let mut bound = with_source("ttnn/k.cpp", "void kernel_main() { args::n; }\n");
    bound.has_generated_bindings = true;
    let mut recording = recorded(vec![bound], &[]);
    let (program, text) = (ObservedProgram(1), header.as_bytes().to_vec());
    recording.event(Event::BindingsGenerated { program, kernel: 0, text });
    let conversion = recording.convert();
    assert_eq!(conversion.missing, []);
    conversion
}

fn bindings_of(conversion: &Conversion) -> Option<KernelBindings> {
    conversion.capture.program.commands.iter().find_map(|recorded| match &recorded.command {
        Command::CreateKernel(call) => call.bindings.clone(),
        _ => None,
    })
}

#[test]
fn generated_names_are_data_beside_a_source_as_it_was() {
    let conversion = with_header(HEADER);
    assert_eq!(
        texts(&conversion),
        [("ttnn/k.cpp", "void kernel_main() { args::n; }\n".to_owned())]
    );
    assert_eq!(origin(&conversion).generated_bindings, []);
    let bindings = bindings_of(&conversion).unwrap();
    let names = bindings.names.iter();
    let names = names.map(|it| (it.kind, it.name.as_str(), it.values.as_slice()));
    assert_eq!(
        names.collect::<Vec<_>>(),
        [
            (BindingKind::DataflowBuffer, "in", [3, 0, 1, 5, 16, 8, 2, 1].as_slice()),
            (BindingKind::Semaphore, "ready", &[2, 2]),
            (BindingKind::Tensor, "src", &[1, 8, 6, 16, 16, 2, 2]),
            (BindingKind::Tensor, "dst", &[3, 12, 6, 16, 16, 2, 2]),
            (BindingKind::Group, "both", &[3, 2]),
            (BindingKind::Scratchpad, "pad", &[4, 2048]),
            (BindingKind::RuntimeArg, "pages", &[4]),
            (BindingKind::CommonRuntimeArg, "stride", &[8]),
            (BindingKind::CompileArg, "rows", &[7]),
            (BindingKind::NamedValue, "batch", &[9]),
        ]
    );
    let numbers =
        (bindings.first_vararg, bindings.first_common_vararg, bindings.compile_time_varargs);
    assert_eq!(numbers, (2, 5, 6));
}

/// A header that may define more than its known lines stays text: nothing of it is lost.
#[test]
fn a_header_with_a_line_of_no_form_precedes_the_source() {
    for (known, other) in [
        ("constexpr experimental::RtaArg<uint32_t> pages{4};", "constexpr Pipe pages{4};"),
        ("ALL> in{3,", "OTHER> in{3,"),
        ("make_tuple(dst, src)", "make_tuple(dst, none)"),
        ("namespace sem {", "namespace pipe {"),
        ("pages{4};", "pages{5};"),
        ("return 6u;", "return more;"),
        ("stride{8};", "pages{8};"),
    ] {
        let header = HEADER.replace(known, other);
        assert_ne!(header, HEADER);
        let conversion = with_header(&header);
        assert_eq!(bindings_of(&conversion), None, "{other}");
        let [(_, text)] = &texts(&conversion)[..] else { panic!() };
        assert!(text.contains(other) && text.contains("kernel_main"), "{text}");
        assert_eq!(origin(&conversion).generated_bindings.len(), 1);
    }
}

/// Each described release writes each kind of name, and its recorder reads the same again, as far as the release knows
/// the values.
#[test]
fn each_release_reads_what_it_writes() {
    let bindings = bindings_of(&with_header(HEADER)).unwrap();
    for release in ReleaseDescription::all().unwrap() {
        let text = release.bindings().headers(&bindings).unwrap();
        let read = crate::conversion::bindings::read(text.as_bytes(), release.bindings());
        let mut read = read.unwrap_or_else(|| panic!("{}: {text}", release.version()));
        assert_eq!(read.names.len(), bindings.names.len(), "{}", release.version());
        for (read, written) in read.names.iter_mut().zip(&bindings.names) {
            let is_known = |(read, written): (&u32, &u32)| read == written || *read == 3;
            let (shorter, whole) = (read.values.len(), written.values.len());
            assert!(shorter == whole || shorter == written.kind.values().len());
            assert!(read.values.iter().zip(&written.values).all(is_known), "{read:?}");
            read.values.clone_from(&written.values);
        }
        assert_eq!(read, bindings, "{}", release.version());
    }
}

#[test]
fn bindings_are_in_front_of_a_source_with_a_name_of_its_own() {
    let mut bound = with_source("ttnn/k.cpp", "void kernel_main() { args::n; }\n");
    bound.has_generated_bindings = true;
    let mut recording = recorded(vec![bound.clone(), bound], &[]);
    for (kernel, text) in [(0, "#pragma once\nint n;\n"), (1, "int m;\n")] {
        let (program, text) = (ObservedProgram(1), text.as_bytes().to_vec());
        recording.event(Event::BindingsGenerated { program, kernel, text });
    }
    let conversion = recording.convert();
    assert_eq!(conversion.missing, []);
    let texts = texts(&conversion);
    assert!(texts.iter().all(|(path, _)| path.starts_with("ttnn/k-") && path.ends_with(".cpp")));
    let mut texts: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
    texts.sort_unstable();
    assert_eq!(
        texts,
        ["int m;\nvoid kernel_main() { args::n; }\n", "int n;\nvoid kernel_main() { args::n; }\n"]
    );
    let bindings = &origin(&conversion).generated_bindings;
    assert_eq!(bindings.iter().map(|it| it.kernel.0).collect::<Vec<_>>(), [0, 1]);
    assert!(bindings.iter().all(|it| it.original == "ttnn/k.cpp"));
}

#[test]
fn a_kernel_given_as_text_is_named_by_its_content() {
    let text = |text: &str| KernelDescription {
        text: KernelText::Text(text.as_bytes().to_vec()),
        ..kernel("")
    };
    let conversion = recorded(vec![text("a"), text("b"), text("a")], &[]).convert();
    let paths = paths(&conversion);
    assert_eq!(paths.len(), 2);
    assert!(paths.iter().all(|path| path.starts_with("kernels/text-")), "{paths:?}");
}

#[test]
fn a_file_that_was_changed_between_two_programs_is_in_the_capture_twice() {
    let mut recording = recorded(vec![with_source("k.cpp", "1")], &[]);
    recording.describe(2, vec![with_source("k.cpp", "2")]);
    recording.launch(2, &[]);
    let conversion = recording.convert();
    let texts = texts(&conversion);
    assert_eq!(texts.len(), 2);
    assert!(texts.contains(&("k.cpp", "1".to_owned())), "{texts:?}");
}

#[test]
fn a_path_that_captures_refuse_is_written_otherwise() {
    let conversion = recorded(vec![with_source("/a/b/x:y.cpp", "")], &[]).convert();
    assert_eq!(paths(&conversion), ["kernels/x_y.cpp"]);
}

#[test]
fn definitions_with_parameters_are_in_front_of_the_source() {
    let mut kernel = with_source("ttnn/k.cpp", "void kernel_main() { ADD(1, 2); NONE(); }\n");
    for (name, value) in [("ADD(a,b)", "((a) + (b))"), ("NONE()", ""), ("PLAIN", "7")] {
        kernel.defines.push((name.to_owned(), value.to_owned()));
    }
    let conversion = recorded(vec![kernel], &[]).convert();
    assert_eq!(conversion.missing, []);
    let [(path, text)] = &texts(&conversion)[..] else { panic!() };
    assert!(path.starts_with("ttnn/k-"), "{path}");
    assert_eq!(
        text,
        "#define ADD(a,b) ((a) + (b))\n#define NONE() \nvoid kernel_main() { ADD(1, 2); NONE(); }\n"
    );
    assert_eq!(origin(&conversion).generated_bindings.len(), 1);
}
