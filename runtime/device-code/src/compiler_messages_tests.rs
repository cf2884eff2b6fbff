//! Tests of whole diagnostics, and of equal ones that are told once.

use hallmark_chip::Processor;

use super::compiler_messages::{
    Diagnostic, Severity, first_diagnostics, merged, without_own_failure,
};

const DECLARED: &str = "\
kernels/own.cpp: In function 'void compute_kernel_main()':
kernels/own.cpp:26:36: error: 'tyle' was not declared in this scope; did you mean 'tile'?
   26 |             copy_tile(cb_in, tile, tyle);
      |                                    ^~~~
      |                                    tile";

/// One call of a refused function, made at a line of the kernel's.
fn refused(line: u32) -> String {
    format!(
        "\
In file included from ../hallmark/compute/api/compute/common.h:6,
                 from kernels/own.cpp:2:
In function 'void hallmark::check_width_of_dst(uint32_t)',
    inlined from 'void hallmark::check_operand(uint32_t)' at ../hallmark/compute/hallmark/operands.h:212:23,
    inlined from 'void compute_kernel_main()' at kernels/own.cpp:{line}:30:
../hallmark/compute/hallmark/operands.h:154:34: error: call to 'refused' declared with attribute error: tiles need fp32_dest_acc_en
  154 |                 refused_by_##name();                                         \\
      |                 ~~~~~~~~~~~~~~~~~^~
In file included from kernels/own.cpp:3:
../hallmark/compute/hallmark/operands.h:176:1: note: in expansion of macro 'HALLMARK_CHECK'
  176 | HALLMARK_CHECK(
      | ^~~~~~~~~~~~~~"
    )
}

const REDEFINED: &str = "\
In file included from <command-line>:
./../hallmark/prelude.h:14: warning: \"ARCH_WORMHOLE\" redefined
   14 | #define ARCH_WORMHOLE 2
      | 
./../hallmark/prelude.h:2: note: this is the location of the previous definition";

fn is_of_kernel(file: &str) -> bool {
    file.starts_with("kernels/")
}

#[test]
fn diagnostics_are_whole() {
    let text = [REDEFINED, &refused(14), DECLARED].join("\n");
    let all = Diagnostic::all(&text);
    let brief: Vec<_> = all
        .iter()
        .map(|it| (it.severity, it.place.clone(), it.message.as_str(), it.lines.len()))
        .collect();
    let place = |file: &str, line| Some((file.to_owned(), line));
    assert_eq!(
        brief,
        [
            (
                Severity::Warning,
                place("./../hallmark/prelude.h", 14),
                "\"ARCH_WORMHOLE\" redefined",
                5
            ),
            (
                Severity::Error,
                place("../hallmark/compute/hallmark/operands.h", 154),
                "call to 'refused' declared with attribute error: tiles need fp32_dest_acc_en",
                12
            ),
            (
                Severity::Error,
                place("kernels/own.cpp", 26),
                "'tyle' was not declared in this scope; did you mean 'tile'?",
                5
            ),
        ]
    );
    let lines: Vec<String> = all.iter().flat_map(|it| it.lines.clone()).collect();
    assert_eq!(lines.join("\n"), text, "no line is lost, and none changes its place");
    let own: Vec<_> = all.iter().map(|it| it.place_in(is_of_kernel)).collect();
    assert_eq!(own, [None, place("kernels/own.cpp", 14), place("kernels/own.cpp", 26)]);
    assert_eq!(Diagnostic::first_error(&text).as_ref(), all.get(1));
}

#[test]
fn linkers_and_instantiations_are_diagnostics_too() {
    let text = "\
/usr/lib/ld: ../kernel.o: in function `kernel_main':
./kernels/own.cpp:9: undefined reference to `helper'
collect2: error: ld returned 1 exit status
kernels/own.cpp: In instantiation of 'void f() [with T = int]':
kernels/own.cpp:48:9:   required from here
kernels/own.h:15:37: error: static assertion failed: only floats
kernels/own.cpp:2:10: fatal error: own.h: No such file or directory
compilation terminated.";
    let all = Diagnostic::all(text);
    let brief: Vec<_> = all.iter().map(|it| (it.message.as_str(), it.lines.len())).collect();
    assert_eq!(
        brief,
        [
            ("undefined reference to `helper'", 2),
            ("ld returned 1 exit status", 1),
            ("static assertion failed: only floats", 3),
            ("own.h: No such file or directory", 2),
        ]
    );
    let places: Vec<_> =
        all.iter().map(|it| it.place_in(is_of_kernel).map(|(_, line)| line)).collect();
    assert_eq!(places, [None, None, Some(48), Some(2)]);
}

#[test]
fn equal_errors_of_several_processors_are_told_once() {
    let [one, two, three] = [Processor::Trisc0, Processor::Trisc1, Processor::Trisc2];
    let of_unpack = [REDEFINED, &refused(14), &refused(17), &refused(14)].join("\n");
    let messages =
        [(one, of_unpack), (two, [&refused(14), DECLARED].join("\n")), (three, refused(49))];
    let told = merged(&messages, true, is_of_kernel);
    let expected = format!(
        "{}\n  (on TRISC0, TRISC1 and TRISC2, and again at kernels/own.cpp:17 and kernels/own.cpp:49)\n\
         {DECLARED}\n  (on TRISC1)\n{REDEFINED}\n  (on TRISC0)",
        refused(14)
    );
    assert_eq!(told, expected);
    // What one processor says of one line stays as it is.
    assert_eq!(merged(&[(Processor::Brisc, DECLARED.to_owned())], false, is_of_kernel), DECLARED);
    let withheld = "messages withheld: they may quote any file";
    let messages = [one, two].map(|processor| (processor, withheld.to_owned()));
    assert_eq!(merged(&messages, true, is_of_kernel), withheld);
}

#[test]
fn many_places_are_counted() {
    let text: Vec<String> = (10..20).map(refused).collect();
    let told = merged(&[(Processor::Trisc0, text.join("\n"))], true, is_of_kernel);
    let last = told.lines().last();
    let named: Vec<String> = (11..17).map(|line| format!("kernels/own.cpp:{line}")).collect();
    let expected = format!("  (on TRISC0, and again at {} and 3 other lines)", named.join(", "));
    assert_eq!(last, Some(expected.as_str()));
}

#[test]
fn only_whole_diagnostics_are_left_out() {
    let text = [&refused(14), DECLARED, REDEFINED, DECLARED].join("\n");
    for (lines, shown, cut, errors, warnings) in [
        (4, 8, 4, 2, 1),
        (16, 12, 0, 2, 1),
        (17, 17, 0, 1, 1),
        (22, 22, 0, 1, 0),
        (27, 27, 0, 0, 0),
    ] {
        let first = first_diagnostics(&text, lines);
        let counts = (first.lines.len(), first.cut, first.errors, first.warnings);
        assert_eq!(counts, (shown, cut, errors, warnings), "{lines}");
        assert!(text.starts_with(&first.lines.join("\n")));
    }
    let withheld = "messages withheld\nin two lines";
    assert_eq!(first_diagnostics(withheld, 1).lines.join("\n"), withheld);
}

#[test]
fn a_compiler_that_fails_itself_is_named() {
    let messages = "In file included from kernels/k.cpp:1:\nkernels/k.cpp:8:36: internal compiler error: Segmentation fault\n    \
                    8 | template<uint32_t d0>\n0x7f1 main\n\t../sysdeps/start.S:115\nPlease submit a full bug report, with\n";
    let said = without_own_failure(messages.to_owned());
    let [diagnostic] = &Diagnostic::all(&said)[..] else { panic!("{said}") };
    assert_eq!(diagnostic.place, Some(("kernels/k.cpp".to_owned(), 8)));
    assert!(diagnostic.message.starts_with("Segmentation fault; the compiler has failed and"));
    assert!(!said.contains("bug report") && !said.contains("0x7f1"), "{said}");
    let others = "kernels/k.cpp:8:36: error: no";
    assert_eq!(without_own_failure(others.to_owned()), others);
}
