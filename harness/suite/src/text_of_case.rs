//! The text of a suite with one of its cases.

/// The text with blank lines in the place of every other case, so that all that is left stands where it stood.
///
/// `None` where the lines alone do not tell where the cases begin and end: `cases` is a map of blocks whose names are indented by two
/// spaces, and all that belongs to a case by more, as YAML asks of it.
pub(super) fn text_of_case(text: &str, case: &str) -> Option<String> {
    let mut part = String::with_capacity(text.len());
    let mut place = Place::Head;
    let mut is_found = false;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end();
        let indent = content.len().checked_sub(content.trim_start_matches(' ').len())?;
        let says_nothing = content.is_empty() || content.trim_start().starts_with('#');
        let before = place;
        place = match (place, indent) {
            (place, _) if says_nothing => place,
            (Place::Head, 0) if content == "cases:" => Place::Between,
            (Place::Head, _) => Place::Head,
            // What stands behind the cases is for the whole suite.
            (Place::Between | Place::Wanted | Place::Other, 0) => Place::Head,
            (Place::Between | Place::Wanted | Place::Other, 2) => {
                let is_wanted = name_of_case(content)? == case;
                if is_wanted && is_found {
                    return None;
                }
                is_found |= is_wanted;
                if is_wanted { Place::Wanted } else { Place::Other }
            }
            (Place::Wanted | Place::Other, 3..) => place,
            (Place::Between | Place::Wanted | Place::Other, _) => return None,
        };
        match place {
            Place::Head | Place::Between | Place::Wanted => part.push_str(line),
            Place::Other => blank(line, before == Place::Wanted, &mut part),
        }
    }
    is_found.then_some(part)
}

/// Spaces in the place of a line. A comment ends a text of several lines above, which spaces would be a part of.
fn blank(line: &str, is_comment: bool, part: &mut String) {
    for (place, byte) in line.bytes().enumerate() {
        part.push(match byte {
            b'\n' => '\n',
            _ if is_comment && place == 0 => '#',
            _ => ' ',
        });
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Head,
    /// Behind `cases:` and before the first case.
    Between,
    Wanted,
    Other,
}

/// The name in a line that begins a case.
fn name_of_case(line: &str) -> Option<&str> {
    let name = line.trim_start().strip_suffix(':')?;
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_').then_some(name)
}

#[cfg(test)]
mod tests {
    use super::text_of_case;

    const SUITE: &str = "about: Größe.
cases:
  # The first one.
  one:
    about: >-
      Ä text: of
      two lines
    steps: []

  two:
    steps: [
      { finish: {} },
    ]
excuse: {}
";

    #[test]
    fn the_bytes_of_a_case_stay_where_they_are() {
        for (case, other, own) in
            [("one", "two:", "Ä text: of"), ("two", "Ä text", "{ finish: {} }")]
        {
            let part = text_of_case(SUITE, case).unwrap();
            assert_eq!(part.len(), SUITE.len());
            assert_eq!(part.find(own), SUITE.find(own), "{part}");
            assert!(!part.contains(other), "{part}");
            assert!(
                part.starts_with("about: Größe.\ncases:\n") && part.ends_with("\nexcuse: {}\n"),
                "{part}"
            );
        }
    }

    #[test]
    fn another_layout_is_no_part() {
        assert_eq!(text_of_case(SUITE, "three"), None);
        assert_eq!(text_of_case(SUITE, "on"), None);
        for (from, to) in [
            ("cases:\n", "cases: {\n"),
            ("cases:\n", "cases: # all\n"),
            ("  two:\n", "  two: { about: x }\n"),
            ("  two:\n", "  \"two\":\n"),
            ("  two:\n", "   two:\n"),
            ("  two:\n", "  ? two\n  :\n"),
            ("  two:\n", "  one:\n"),
            ("    steps: [\n", " steps: [\n"),
        ] {
            let text = SUITE.replacen(from, to, 1);
            assert_ne!(text, SUITE);
            let part = text_of_case(&text, "one");
            // An indent of three spaces belongs to the case above, as it does for YAML.
            assert!(part.is_none() || to.starts_with("   two"), "{to}: {part:?}");
        }
    }
}
