//! The `kernel_main` of a kernel that marks another function as its entry: `TT_KERNEL void NAME(…)`. Template parameters
//! are compile-time arguments, and parameters are runtime arguments, each by its own name in `args::`.

use std::fmt::Write as _;

/// The mark of an entry.
const MARK: &str = "TT_KERNEL";

/// The text of `kernel_main` behind a source that marks its entry; `None` for a source without a marked function.
pub fn generated_main(source: &[u8]) -> Option<String> {
    let source = without_comments(&String::from_utf8_lossy(source));
    let (before, behind) = source
        .match_indices(MARK)
        .map(|(at, _)| source.split_at(at))
        .map(|(before, behind)| (before, behind.get(MARK.len()..).unwrap_or_default()))
        // Not a longer name, and no directive about the mark.
        .find(|(before, behind)| {
            let line = before.rsplit('\n').next().unwrap_or_default();
            behind.starts_with(char::is_whitespace) && !line.trim_start().starts_with('#')
        })?;
    let (head, rest) = behind.split_once('(')?;
    let (parameters, _) = rest.split_once(')')?;
    let name = head.split_whitespace().last()?;
    let mut text = format!("void kernel_main() {{ {name}");
    if let Some(list) = before.trim_end().strip_suffix('>') {
        let (template, list) = list.rsplit_once('<')?;
        if template.trim_end().ends_with("template") {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "<{}>", arguments(list));
        }
    }
    let _ = writeln!(text, "({}); }}", arguments(parameters));
    Some(text)
}

/// The value of each parameter of a list.
fn arguments(parameters: &str) -> String {
    let names = parameters.split(',').filter_map(|parameter| {
        let declared = parameter.split('=').next().unwrap_or_default();
        declared.split_whitespace().last()
    });
    let values: Vec<String> =
        names.filter(|name| *name != "void").map(|name| format!("get_arg(args::{name})")).collect();
    values.join(", ")
}

/// A source whose comments are spaces.
fn without_comments(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        let (code, comment) = rest.split_at(at);
        text.push_str(code);
        let end = if comment.starts_with("//") {
            comment.find('\n').unwrap_or(comment.len())
        } else {
            comment.find("*/").map_or(comment.len(), |end| end.saturating_add(2))
        };
        text.push(' ');
        rest = comment.get(end..).unwrap_or_default();
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_gets_each_argument_by_its_name() {
        let source = b"#ifndef TT_KERNEL\n#define TT_KERNEL static\n#endif\n// TT_KERNEL void other(int a)\n\
            template <uint32_t Ht, /* TT_KERNEL */ uint32_t Wt>\nTT_KERNEL void work(\n    uint32_t start,  // where\n    const uint32_t pages) {\n}\n";
        let main = generated_main(source).unwrap();
        let expected = "void kernel_main() { work<get_arg(args::Ht), get_arg(args::Wt)>(get_arg(args::start), get_arg(args::pages)); }\n";
        assert_eq!(main, expected);
        assert_eq!(
            generated_main(b"int x = a > b;\nTT_KERNEL void work() {}").unwrap(),
            "void kernel_main() { work(); }\n"
        );
        for source in [
            b"void kernel_main() { TT_KERNELS; }".as_slice(),
            b"// TT_KERNEL void work() {}\nvoid kernel_main() {}",
            b"#define TT_KERNEL static\nvoid kernel_main() {}",
        ] {
            assert_eq!(generated_main(source), None);
        }
    }
}
