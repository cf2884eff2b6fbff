//! The text of a suite with one of its cases.

/// The text with every other case blanked out, so that the rest keeps its position.
///
/// `None` if the cases cannot be told apart line by line: `cases` is a map of blocks whose names are indented by two spaces, and all
/// that belongs to a case by more. YAML asks that of blocks and of quoted texts, and parsers do not ask it within brackets.
pub(super) fn text_of_case(text: &str, case: &str) -> Option<String> {
    let mut part = String::with_capacity(text.len());
    // A break of lines for YAML, and none here.
    if text.contains('\r') {
        return None;
    }
    let mut place = Place::Head;
    let mut is_found = false;
    let mut brackets = Brackets::default();
    for line in text.split_inclusive('\n') {
        let content = line.trim_end();
        let indent = content.len().checked_sub(content.trim_start_matches(' ').len())?;
        let says_nothing = content.is_empty() || content.trim_start().starts_with('#');
        let before = place;
        if indent <= 2 && !says_nothing && brackets.are_open() {
            return None;
        }
        brackets.read(content)?;
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

/// Spaces in the place of a line. The first line of several becomes a comment, because spaces alone would extend a text of several
/// lines above it.
fn blank(line: &str, is_comment: bool, part: &mut String) {
    for (place, byte) in line.bytes().enumerate() {
        part.push(match byte {
            b'\n' => '\n',
            _ if is_comment && place == 0 => '#',
            _ => ' ',
        });
    }
}

/// The brackets that are open behind a line.
#[derive(Debug, Default)]
struct Brackets(u32);

impl Brackets {
    const fn are_open(&self) -> bool {
        self.0 != 0
    }

    /// Reads a line without its comment. `None` if a quoted text ends in another line, or if more brackets close than open: that
    /// happens in texts, whose brackets mean nothing.
    fn read(&mut self, line: &str) -> Option<()> {
        let mut quote = None;
        let mut before = ' ';
        let mut letters = line.chars();
        while let Some(letter) = letters.next() {
            match (quote, letter) {
                (Some('"'), '\\') => {
                    letters.next();
                }
                (Some(open), _) if letter == open => quote = None,
                (Some(_), _) => {}
                (None, '#') if before == ' ' => break,
                // Within a word, a quote is an apostrophe.
                (None, '"' | '\'') if matches!(before, ' ' | '[' | '{' | ',' | ':') => {
                    quote = Some(letter);
                }
                (None, '[' | '{') => self.0 = self.0.checked_add(1)?,
                (None, ']' | '}') => self.0 = self.0.checked_sub(1)?,
                (None, _) => {}
            }
            before = letter;
        }
        quote.is_none().then_some(())
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

    /// Lines in brackets may be indented by less than their block for the parser, so that a name of a case may be none.
    #[test]
    fn open_brackets_and_other_breaks_of_lines_are_for_the_whole_suite() {
        for to in [
            "    steps: [{ finish: {},\n  two:\n    true }]\n",
            "    steps: [{ finish: {},\n    queue: 0\n}]\n",
            "    steps: [] # [\n    when: [ # ]\n  two: ]\n",
            "    steps: [\"}]\",\n  two: ]\n",
            "    steps: [\"\\\"]\",\n  two: ]\n",
            "    steps: ['it''s ]',\n  two: ]\n",
            "    steps: []\rexcuse: {}\n",
        ] {
            let text = SUITE.replacen("    steps: []\n", to, 1);
            assert_ne!(text, SUITE);
            assert_eq!(text_of_case(&text, "one"), None, "{to}");
            assert_eq!(text_of_case(&text, "two"), None, "{to}");
        }
        // Brackets in texts and comments mean nothing, and so do quotes in words.
        for to in
            ["    steps: [] # [\n", "    steps: [\"[\", '{']\n", "    steps: [it's, a\"word\"]\n"]
        {
            let text = SUITE.replacen("    steps: []\n", to, 1);
            assert!(text_of_case(&text, "two").is_some(), "{to}");
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
