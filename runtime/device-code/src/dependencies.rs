//! The files that a compiler or an assembler has read, from the list that it writes for make.

/// The files of a list, in its order. The target before the colon is not a file of the list.
pub(super) fn dependencies(list: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(list);
    let mut files = Vec::new();
    let mut file = String::new();
    let mut backslashes = 0usize;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '\\' {
            backslashes = backslashes.saturating_add(1);
            continue;
        }
        let is_escaped = backslashes % 2 == 1;
        match letter {
            // Of the backslashes before white space and `#`, each second one is an escape.
            ' ' | '\t' | '#' | ':' if is_escaped => {
                file.extend(std::iter::repeat_n('\\', backslashes / 2));
                file.push(letter);
            }
            ' ' | '\t' | '\n' | '\r' => {
                file.extend(std::iter::repeat_n('\\', backslashes / 2));
                files.extend(taken(&mut file));
            }
            '$' => {
                file.extend(std::iter::repeat_n('\\', backslashes));
                let _ = letters.next_if_eq(&'$');
                file.push('$');
            }
            letter => {
                file.extend(std::iter::repeat_n('\\', backslashes));
                file.push(letter);
            }
        }
        backslashes = 0;
    }
    files.extend(taken(&mut file));
    let targets = files.iter().position(|file| file.ends_with(':'));
    files.split_off(targets.map_or(0, |last| last.saturating_add(1)))
}

fn taken(file: &mut String) -> Option<String> {
    (!file.is_empty()).then(|| std::mem::take(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_make_reads_them() {
        let of = |list: &str| dependencies(list.as_bytes());
        assert_eq!(
            of("../k.o: kernels/k.cpp \\\n ../hallmark/a.h\n"),
            ["kernels/k.cpp", "../hallmark/a.h"]
        );
        assert_eq!(
            of("k.o: a\\ b.h c\\#d.h e$$f.h \\\n\tg\\:h.h"),
            ["a b.h", "c#d.h", "e$f.h", "g:h.h"]
        );
        assert_eq!(of("k.o: a\\\\\\ b.h c\\d.h"), ["a\\ b.h", "c\\d.h"]);
        assert_eq!(of("k.o:\n"), Vec::<String>::new());
        assert_eq!(of(""), Vec::<String>::new());
    }
}
