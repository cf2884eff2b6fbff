//! Annotations: lines by which GitHub Actions shows a failure beside the line of a file.
//! <https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands>

/// Whether whoever reads what this process prints shows annotations.
pub fn are_shown() -> bool {
    std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// An annotation of a line of a file, counted from 1.
pub fn error(file: &str, line: usize, title: &str, message: &str) -> String {
    format!(
        "::error file={},line={line},title={}::{}",
        property(file),
        property(title),
        data(message)
    )
}

/// An annotation of the run as a whole.
pub fn error_anywhere(title: &str, message: &str) -> String {
    format!("::error title={}::{}", property(title), data(message))
}

/// What ends a line, or begins an escape, is escaped.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// In a property, its own ends are escaped as well.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_an_annotation_is_escaped() {
        assert_eq!(
            error("suites/a,b.yaml", 7, "FAIL x::y", "100 % of\nboth: a, b"),
            "::error file=suites/a%2Cb.yaml,line=7,title=FAIL x%3A%3Ay::100 %25 of%0Aboth: a, b"
        );
        assert_eq!(error_anywhere("hallmark", "a\r\nb"), "::error title=hallmark::a%0D%0Ab");
    }
}
