//! The sources of kernels, and their paths in a capture.

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
