//! Kernels that a run needs and does not have.

use hallmark_execution::worker::kernels::KernelUnavailable;
use hallmark_schema::model::CommandKind;

use super::finding::Finding;
use super::signatures;
use crate::signature::CallEnd;
use crate::verdict::Verdict;

/// The finding for a test whose kernels are not available.
pub(super) fn without_kernels(error: KernelUnavailable) -> Finding {
    let headline = error.to_string();
    match error {
        KernelUnavailable::Library { .. } => Finding::new(Verdict::Unsupported, headline),
        KernelUnavailable::Machine { .. } => Finding::new(Verdict::InternalError, headline),
        KernelUnavailable::Broken { kernel, .. } => {
            let reason = kernel.messages.first().cloned().unwrap_or_default();
            let refused = CallEnd::Refused { reason };
            let signature = signatures::of_call(CommandKind::CreateKernel, CallEnd::Done, refused);
            Finding::new(Verdict::NotBuilt, headline)
                .lines(clashing_define(&kernel.messages).map(|name| {
                    format!(
                        "the define `{name}` also changes a name in Hallmark's headers: give the define another name"
                    )
                }))
                .lines(kernel.messages.iter().cloned())
                .signed(Some(signature))
                .of_broken_kernel(kernel)
        }
    }
}

/// The define of a kernel that the compiler finds in a place where a header has a name: the first error is in the file that
/// holds the defines.
fn clashing_define(messages: &[String]) -> Option<&str> {
    let error = messages.iter().position(|line| line.contains(" error: "))?;
    let (first, rest) = messages.get(error..)?.split_first()?;
    if !first.contains("/prelude.h:") {
        return None;
    }
    let (_, define) = rest.first()?.split_once("| #define ")?;
    define.split_whitespace().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_define_that_a_header_uses_as_a_name_is_told() {
        let told = |text: &str| {
            let messages: Vec<String> = text.lines().map(str::to_owned).collect();
            clashing_define(&messages).map(str::to_owned)
        };
        let clash = "In file included from <command-line>:\n\
                     ./../hallmark/prelude.h:8:11: error: expected nested-name-specifier before numeric constant\n    \
                     8 | #define WIDTH 3\n";
        assert_eq!(told(clash).as_deref(), Some("WIDTH"));
        assert_eq!(told(&clash.replace("error", "note")), None);
        assert_eq!(told(&format!("k.cpp:4:2: error: no `x`\n{clash}")), None);
        assert_eq!(told("./../hallmark/prelude.h:8:11: error: cut off"), None);
        assert_eq!(told(""), None);
    }
}
