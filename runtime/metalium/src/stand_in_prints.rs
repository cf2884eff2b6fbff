//! Upstream's header of `DPRINT`, changed where the stand-in compiler cannot follow it.

/// The header, relative to upstream's root.
pub(crate) const HEADER: &str = "tt_metal/hw/inc/api/debug/device_print.h";
/// What takes the place of the functions that lay texts into sections.
pub(crate) const STRINGS: &str = include_str!("../stand_in/prints/strings.hpp");

/// Texts that stand in the header once, and their replacements. gcc before release 14 takes no parameter for a constant;
/// `strings.hpp` explains the second replacement.
const REPLACED: [(&str, &str); 2] = [
    ("constexpr auto message_size = ", "const auto message_size = "),
    (
        "if (risc_state == DevicePrintRiscCoreState::KernelNotPrinted)",
        "if (hallmark_stand_in::is_first_print())",
    ),
];
/// The functions that are replaced begin with the first text, and end in front of the second.
const FUNCTIONS: [&str; 2] = [
    "template <typename Tag, typename... ArgsT>\nstatic std::uintptr_t register_string_info()",
    "template <typename BufferType>\nusing device_print_buffer_ptr",
];

/// The header for the stand-in compiler; `None` if the release's header has another form.
pub(crate) fn changed(upstream: &str) -> Option<String> {
    let mut text = upstream.to_owned();
    for (before, after) in REPLACED {
        text = replaced(&text, before, after)?;
    }
    let [first, behind] = FUNCTIONS;
    let (head, rest) = text.split_once(first)?;
    let (_, tail) = rest.split_once(behind)?;
    Some([head, STRINGS, behind, tail].concat())
}

/// The text with its one `before` replaced; `None` if it has none or several.
fn replaced(text: &str, before: &str, after: &str) -> Option<String> {
    let (head, tail) = text.split_once(before)?;
    (!tail.contains(before)).then(|| [head, after, tail].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> String {
        let [first, behind] = FUNCTIONS;
        let [(one, _), (other, _)] = REPLACED;
        format!("begin {one}size(args...);\n{first} {{}}\nmore\n{behind};\n{other} {{}}\nend\n")
    }

    #[test]
    fn the_header_is_changed_in_each_place() {
        let changed = changed(&header()).unwrap();
        assert!(changed.starts_with("begin const auto message_size = size(args...);\n"));
        assert!(changed.ends_with(";\nif (hallmark_stand_in::is_first_print()) {}\nend\n"));
        assert!(changed.contains(STRINGS) && !changed.contains("more\n"));
    }

    #[test]
    fn a_header_of_another_form_is_left_alone() {
        let texts = REPLACED.map(|(before, _)| before).into_iter().chain(FUNCTIONS);
        for text in texts {
            assert_eq!(changed(&header().replace(text, "")), None, "{text}");
        }
        for (before, _) in REPLACED {
            assert_eq!(changed(&(header() + before)), None, "{before}");
        }
    }
}
