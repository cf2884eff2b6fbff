//! The line of vector code that needs more values at a time than the vector unit has registers.
//!
//! The compiler then puts a vector into memory (`fsd`) and takes it back (`fld`), which no instruction of the vector unit can
//! do. The assembler rejects both, and knows lines of its own text alone.

use std::collections::BTreeMap;

/// The beginning of the sentence about such a line.
pub const TOO_MANY_VECTORS: &str = "vector code has more vectors at a time than";

/// A line of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SourceLine {
    /// The file, as the compiler names it.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
}

/// The line for which assembly first puts a vector into memory: one of a file that `is_of_kernel` knows, since the
/// instructions themselves stand in Hallmark's headers.
pub(super) fn first_spill(
    assembly: &str,
    is_of_kernel: impl Fn(&str) -> bool,
) -> Option<SourceLine> {
    let mut files = BTreeMap::new();
    let mut last = None;
    for line in assembly.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some(".file") => {
                let number = words.next().and_then(|word| word.parse::<u32>().ok());
                let name = line.split('"').nth(1);
                if let (Some(number), Some(name)) = (number, name) {
                    files.insert(number, name);
                }
            }
            Some(".loc") => {
                let mut numbers = words.map_while(|word| word.parse::<u32>().ok());
                let (Some(file), Some(line)) = (numbers.next(), numbers.next()) else { continue };
                if let Some(name) = files.get(&file).filter(|name| is_of_kernel(name)) {
                    last = Some((*name, line));
                }
            }
            Some("fld" | "fsd") => {
                let (file, line) = last?;
                return Some(SourceLine { file: file.to_owned(), line });
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASSEMBLY: &str = "\
\t.file 1 \"../hallmark/vector_unit/vector/registers.h\"
\t.file 2 \"kernels/own.cpp\"
\t.loc 2 12 5 is_stmt 1 view .LVU3
\t.loc 1 80 9
\tfmv.d\tft1,ft0
\t.loc 2 15 5 is_stmt 0
\t.loc 1 81 9
\tfsd\tft0,8(sp)
\t.loc 2 20 5
\tfld\tft0,8(sp)
";

    fn found(assembly: &str) -> Option<(String, u32)> {
        first_spill(assembly, |file| file.starts_with("kernels/")).map(|it| (it.file, it.line))
    }

    #[test]
    fn the_first_vector_in_memory_belongs_to_the_last_line_of_the_kernel_before_it() {
        assert_eq!(found(ASSEMBLY), Some(("kernels/own.cpp".to_owned(), 15)));
    }

    #[test]
    fn code_without_one_has_no_line() {
        assert_eq!(found(&ASSEMBLY.replace("fsd", "fsw").replace("fld", "flw")), None);
        assert_eq!(found(&ASSEMBLY.replace(".loc 2", ".loc 1")), None);
        assert_eq!(found(&ASSEMBLY.replace(".file 2", ".file x")), None);
    }
}
