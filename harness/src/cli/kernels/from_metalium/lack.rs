//! The first thing that a kernel lacks, in one sentence.

use hallmark_runtime::KernelProblem;
use hallmark_runtime::device_code::{Diagnostic, TOO_MANY_VECTORS};
use serde::Serialize;

/// The kind of thing that a kernel lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum LackKind {
    /// A header that Hallmark does not have.
    Header,
    /// A name that Hallmark's headers do not have.
    Name,
    /// A function or an overload that Hallmark's headers refuse.
    RefusedFunction,
    /// Registers of the vector unit.
    VectorRegisters,
    /// Another error of the compiler's.
    Error,
    /// The kernel's own source, or one that it includes.
    Source,
    /// A compiler, or the right prebuilt kernels.
    Compiler,
    /// The captured run did not build the kernel.
    Capture,
}

impl LackKind {
    /// All of them, in the order of the summary.
    pub(super) const ALL: [Self; 8] = [
        Self::Header,
        Self::Name,
        Self::RefusedFunction,
        Self::VectorRegisters,
        Self::Error,
        Self::Source,
        Self::Compiler,
        Self::Capture,
    ];

    /// What a number of kernels lacks or does, in the summary.
    pub(super) fn words(self, count: usize) -> String {
        let (one, many) = match self {
            Self::Header => ("lacks a header", "lack a header"),
            Self::Name => ("lacks a name", "lack a name"),
            Self::RefusedFunction => {
                ("has a call that the headers refuse", "have a call that the headers refuse")
            }
            Self::VectorRegisters => ("lacks vector registers", "lack vector registers"),
            Self::Error => ("has another error", "have another error"),
            Self::Source => ("lacks a source", "lack a source"),
            Self::Compiler => ("cannot be built here", "cannot be built here"),
            Self::Capture => ("was not built when captured", "were not built when captured"),
        };
        format!("{count} {}", if count == 1 { one } else { many })
    }
}

/// What a kernel lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Lack {
    pub(super) kind: LackKind,
    /// One sentence.
    pub(super) text: String,
    /// The compiler's messages, one per line.
    pub(super) messages: Vec<String>,
}

/// What gcc says of a name that was not declared.
const NAMES: [&str; 8] = [
    " was not declared in this scope",
    " has not been declared",
    " is not a member of ",
    " does not name a type",
    " has no member named ",
    "no matching function for call to ",
    " is not a template",
    "undefined reference to ",
];

/// What gcc says in front of a sentence of Hallmark's headers.
const REFUSALS: [&str; 2] = [" declared with attribute error: ", "static assertion failed: "];

impl Lack {
    /// What a kernel lacks that could not be had. `is_source` knows the files of the capture.
    pub(super) fn of(problem: &KernelProblem, is_source: impl Fn(&str) -> bool) -> Self {
        let said = |kind, text: &str| Self { kind, text: text.to_owned(), messages: Vec::new() };
        match problem {
            KernelProblem::LackedHeader { file, line, header, release } => said(
                LackKind::Header,
                &format!(
                    "{file}:{line} includes `{header}`, a header of {release} that Hallmark does not have"
                ),
            ),
            KernelProblem::SourceNotFound(text) => said(LackKind::Source, text),
            KernelProblem::Unusable(text) | KernelProblem::Machine(text) => {
                said(LackKind::Compiler, text)
            }
            KernelProblem::BuildFailed(text) => Self::of_messages(text, is_source),
        }
    }

    fn of_messages(text: &str, is_source: impl Fn(&str) -> bool) -> Self {
        let messages = text.lines().skip(1).map(str::to_owned).collect();
        let Some(error) = Diagnostic::first_error(text) else {
            // The build did not come to the compiler, and the text is one sentence.
            return Self { kind: LackKind::Error, text: text.to_owned(), messages };
        };
        let place = error.place_in(is_source).or(error.place);
        let place = place.map(|(file, line)| format!("{file}:{line}: ")).unwrap_or_default();
        let (kind, said) = kind_of(&error.message);
        Self { kind, text: format!("{place}{said}"), messages }
    }
}

/// The kind of an error, and its sentence. A sentence of Hallmark's loses the compiler's words before it.
fn kind_of(message: &str) -> (LackKind, String) {
    if message.contains(TOO_MANY_VECTORS) {
        return (LackKind::VectorRegisters, message.to_owned());
    }
    for refusal in REFUSALS {
        let Some((before, sentence)) = message.split_once(refusal) else { continue };
        let called = before.strip_prefix("call to ").map(|name| format!("{name}: "));
        return (LackKind::RefusedFunction, format!("{}{sentence}", called.unwrap_or_default()));
    }
    let kind = match NAMES.iter().any(|words| message.contains(words)) {
        true => LackKind::Name,
        false => LackKind::Error,
    };
    (kind, message.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a failed build for one processor.
    fn of_build(messages: &str) -> Lack {
        let text = format!("kernel kernels/own.cpp for TRISC1 does not build:\n{messages}");
        Lack::of(&KernelProblem::BuildFailed(text), |file| file.starts_with("kernels/"))
    }

    #[test]
    fn each_kind_of_error_has_its_sentence() {
        let cases = [
            (
                "kernels/own.cpp:7:24: error: 'exp_tile' was not declared in this scope\n    7 | exp_tile(0);",
                LackKind::Name,
                "kernels/own.cpp:7: 'exp_tile' was not declared in this scope",
            ),
            (
                "../hallmark/x.h: In function 'f',\n    inlined from 'void compute_kernel_main()' at kernels/own.cpp:9:5:\n\
                 ../hallmark/x.h:4:5: error: call to 'ckernel::atan2_tile' declared with attribute error: Hallmark does not have it",
                LackKind::RefusedFunction,
                "kernels/own.cpp:9: 'ckernel::atan2_tile': Hallmark does not have it",
            ),
            (
                "kernels/own.cpp:48:9:   required from here\n../hallmark/y.h:15:37: error: static assertion failed: Int32 alone",
                LackKind::RefusedFunction,
                "kernels/own.cpp:48: Int32 alone",
            ),
            (
                "kernels/own.cpp:3: error: vector code has more vectors at a time than the 8 registers",
                LackKind::VectorRegisters,
                "kernels/own.cpp:3: vector code has more vectors at a time than the 8 registers",
            ),
            (
                "/usr/x.h:1:2: warning: odd\nkernels/own.cpp:4:1: error: expected ';'",
                LackKind::Error,
                "kernels/own.cpp:4: expected ';'",
            ),
        ];
        for (messages, kind, text) in cases {
            let lack = of_build(messages);
            assert_eq!((lack.kind, lack.text.as_str()), (kind, text));
            assert_eq!(lack.messages.join("\n"), messages);
        }
    }

    #[test]
    fn what_no_compiler_says_has_its_kind_too() {
        let of = |problem: &KernelProblem| {
            let lack = Lack::of(problem, |_| false);
            (lack.kind, lack.text)
        };
        let header = KernelProblem::LackedHeader {
            file: "kernels/own.h".to_owned(),
            line: 21,
            header: "api/none.h".to_owned(),
            release: "TT-Metalium 0.81.1".to_owned(),
        };
        let text = "kernels/own.h:21 includes `api/none.h`, a header of TT-Metalium 0.81.1 that Hallmark does not have";
        assert_eq!(of(&header), (LackKind::Header, text.to_owned()));
        let text = || "why".to_owned();
        let source = KernelProblem::SourceNotFound(text());
        assert_eq!(of(&source), (LackKind::Source, text()));
        assert_eq!(of(&KernelProblem::Unusable(text())), (LackKind::Compiler, text()));
        assert_eq!(of(&KernelProblem::BuildFailed(text())), (LackKind::Error, text()));
    }
}
