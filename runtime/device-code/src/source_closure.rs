//! A kernel's source with the user's own files that it includes.
//!
//! Includes are found without a preprocessor: every `#include "…"` counts, even in branches that are not
//! compiled. A file is searched beside the including one, then at the root of the suites; otherwise it must be
//! a header of Hallmark's, which no closure lists. A path between angle brackets that has folders counts if the root of the
//! suites has the file. The folder `hallmark` contains only Hallmark's own kernels.
//! What only a preprocessor can read is noted: whether it leaves the closure is known after a build alone.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::directives::{Directive, DirectiveKind, Pieces, RefusedDirective, Scan, scan};
use super::headers::{self, Additional};
use super::missing_header::MissingHeader;
use super::{limits, own_kernels, refuse_links};

/// The function with which each compute kernel for the Tensix coprocessor begins.
const COMPUTE_START: &[u8] = b"compute_kernel_hw_startup";

/// A kernel source and its own includes by path, relative to the suites, with `/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceClosure {
    root: String,
    files: BTreeMap<String, Arc<[u8]>>,
    unread: Option<UnreadDirective>,
    pieces: Pieces,
    uses_object_api: bool,
    uses_compute_api: bool,
    uses_vector_unit: bool,
}

/// A directive that only a preprocessor can read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadDirective {
    /// The file.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The text of the line.
    pub directive: String,
}

/// A closure that cannot be formed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SourceClosureError {
    /// A path that leads out of the suites or breaks the rules for paths in suites.
    #[error("`{path}` is not a path relative to the suites with `/` and without `..`")]
    Path {
        /// The path relative to the suites.
        path: String,
    },
    /// The kernel's source cannot be read.
    #[error("kernel {path} cannot be read: {reason}")]
    Unreadable {
        /// The path relative to the suites.
        path: String,
        /// The error of the operating system.
        reason: Arc<std::io::Error>,
    },
    /// An include that is neither a file of the user's nor a header of Hallmark's.
    #[error("{file}:{line}: `{include}` {missing}")]
    MissingInclude {
        /// The including file.
        file: String,
        /// The line of the include, counted from 1.
        line: usize,
        /// The included path.
        include: String,
        /// The kind of header.
        missing: MissingHeader,
    },
    /// A directive that no kernel may contain.
    #[error("{file}:{line}: `{directive}` {refusal}")]
    Refused {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// The text of the line.
        directive: String,
        /// The reason.
        refusal: RefusedDirective,
    },
    /// The closure has too many files.
    #[error("kernel {path} includes more than {} files", limits::SOURCE_FILES)]
    TooManyFiles {
        /// The path of the kernel's source, relative to the suites.
        path: String,
    },
}

impl SourceClosureError {
    /// Whether the machine failed, such as by too many open files, and nothing was learnt of the kernel.
    pub fn is_of_machine(&self) -> bool {
        use std::io::ErrorKind;
        match self {
            Self::Unreadable { reason, .. } => !matches!(
                reason.kind(),
                ErrorKind::NotFound
                    | ErrorKind::PermissionDenied
                    | ErrorKind::InvalidInput
                    | ErrorKind::InvalidFilename
                    | ErrorKind::FileTooLarge
                    | ErrorKind::IsADirectory
                    | ErrorKind::NotADirectory
            ),
            Self::Path { .. }
            | Self::MissingInclude { .. }
            | Self::Refused { .. }
            | Self::TooManyFiles { .. } => false,
        }
    }
}

impl SourceClosure {
    /// Whether a file, as the compiler names it, belongs to the closure.
    pub(super) fn has(&self, file: &str) -> bool {
        self.files.contains_key(file.trim_start_matches("./"))
    }

    /// The closure of `path`, read from the suites' folder. Files below `hallmark/` are Hallmark's own and are
    /// never read from there.
    pub fn read(suites: &Path, path: &str) -> Result<Self, SourceClosureError> {
        Self::collect(path, |file| {
            if own_kernels::is_reserved(file) {
                let own = own_kernels::source(file);
                return own.map(Into::into).ok_or_else(|| std::io::ErrorKind::NotFound.into());
            }
            refuse_links(suites, file)?;
            limits::read_file(&suites.join(file), limits::SOURCE_FILE)
        })
    }

    /// The closure of `path` among given files, such as those of a capture.
    pub fn from_files(
        path: &str,
        files: &BTreeMap<String, Arc<[u8]>>,
    ) -> Result<Self, SourceClosureError> {
        Self::collect(path, |file| {
            files
                .get(file)
                .map(|bytes| bytes.to_vec())
                .ok_or_else(|| std::io::ErrorKind::NotFound.into())
        })
    }

    /// The kernel's own path.
    pub fn path(&self) -> &str {
        &self.root
    }

    /// Every file, ascending by path, the kernel itself included.
    pub const fn files(&self) -> &BTreeMap<String, Arc<[u8]>> {
        &self.files
    }

    /// The first directive that only a preprocessor can read.
    pub(super) const fn unread(&self) -> Option<&UnreadDirective> {
        self.unread.as_ref()
    }

    /// The words from which a macro could join an operator that asks for a file.
    pub(super) const fn pieces(&self) -> &Pieces {
        &self.pieces
    }

    /// Whether a source includes a header of the API of objects, by either form of `#include`.
    pub(super) const fn uses_object_api(&self) -> bool {
        self.uses_object_api
    }

    /// Whether a source is one of a compute kernel for the Tensix coprocessor: it names the function with which each such
    /// kernel begins, or it includes a header that no other kernel has.
    pub const fn uses_compute_api(&self) -> bool {
        self.uses_compute_api
    }

    /// Whether a source includes a header of the compute API for the vector unit. Such a source is one of a compute kernel for
    /// the coprocessor, and its headers need those of the C++ library that the API of objects has.
    pub(super) const fn uses_vector_unit(&self) -> bool {
        self.uses_vector_unit
    }

    fn collect(
        path: &str,
        read: impl Fn(&str) -> std::io::Result<Vec<u8>>,
    ) -> Result<Self, SourceClosureError> {
        let root =
            normalize(path).ok_or_else(|| SourceClosureError::Path { path: path.to_owned() })?;
        let source = read(&root).map_err(|reason| SourceClosureError::Unreadable {
            path: root.clone(),
            reason: Arc::new(reason),
        })?;
        let mut files = BTreeMap::from([(root.clone(), Arc::<[u8]>::from(source))]);
        let mut pending = vec![root.clone()];
        let (mut unread, mut pieces) = (None, Pieces::default());
        let (mut uses_object_api, mut uses_compute_api, mut uses_vector_unit) =
            (false, false, false);
        while let Some(file) = pending.pop() {
            let Some(text) = files.get(&file).cloned() else { continue };
            let Scan { directives: found, pieces: own } = scan(&text);
            pieces.extend(own);
            for Directive { line, text: directive, kind } in &found {
                let (file, line, directive) = (file.clone(), *line, directive.clone());
                match kind {
                    DirectiveKind::Include(_) => {}
                    DirectiveKind::Unread => {
                        unread.get_or_insert(UnreadDirective { file, line, directive });
                    }
                    DirectiveKind::Refused(refusal) => {
                        let refusal = *refusal;
                        return Err(SourceClosureError::Refused { file, line, directive, refusal });
                    }
                }
            }
            let is_of_objects = |name: &str| Additional::ObjectApi.has(name);
            let is_of_compute =
                |name: &str| Additional::Compute.has(name) && !headers::is_of_every_kernel(name);
            // A header in the place of one that every compute kernel has says nothing of the vector unit.
            let is_of_vectors =
                |name: &str| Additional::VectorUnit.has(name) && !Additional::Compute.has(name);
            uses_compute_api |= memchr::memmem::find(&text, COMPUTE_START).is_some();
            for include in includes_of_system(&text) {
                uses_object_api = uses_object_api || is_of_objects(include);
                uses_compute_api = uses_compute_api || is_of_compute(include);
                uses_vector_unit = uses_vector_unit || is_of_vectors(include);
                if include.contains('/')
                    && let Some((found, Some(bytes))) = find_one(include, &files, &read)?
                {
                    add(&root, &mut files, &mut pending, found, bytes)?;
                }
            }
            for (line, include) in of_lines_and(&text, found) {
                uses_object_api = uses_object_api || is_of_objects(&include);
                uses_compute_api = uses_compute_api || is_of_compute(&include);
                uses_vector_unit = uses_vector_unit || is_of_vectors(&include);
                let Some((found, bytes)) = find(&file, &include, &files, &read)? else {
                    if headers::is_own(&include) {
                        continue;
                    }
                    let missing = MissingHeader::of(&include);
                    return Err(SourceClosureError::MissingInclude {
                        file,
                        line,
                        include,
                        missing,
                    });
                };
                if let Some(bytes) = bytes {
                    add(&root, &mut files, &mut pending, found, bytes)?;
                }
            }
        }
        uses_object_api |= uses_vector_unit;
        uses_compute_api |= uses_vector_unit;
        Ok(Self {
            root,
            files,
            unread,
            pieces,
            uses_object_api,
            uses_compute_api,
            uses_vector_unit,
        })
    }
}

/// Adds a file whose includes are still to be followed.
fn add(
    root: &str,
    files: &mut BTreeMap<String, Arc<[u8]>>,
    pending: &mut Vec<String>,
    found: String,
    bytes: Vec<u8>,
) -> Result<(), SourceClosureError> {
    if files.len() >= limits::SOURCE_FILES {
        return Err(SourceClosureError::TooManyFiles { path: root.to_owned() });
    }
    files.insert(found.clone(), bytes.into());
    pending.push(found);
    Ok(())
}

/// A file's path, and its bytes unless it was read before.
type IncludedFile = Option<(String, Option<Vec<u8>>)>;

fn find(
    file: &str,
    include: &str,
    files: &BTreeMap<String, Arc<[u8]>>,
    read: &impl Fn(&str) -> std::io::Result<Vec<u8>>,
) -> Result<IncludedFile, SourceClosureError> {
    let beside = match file.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{include}"),
        None => include.to_owned(),
    };
    for candidate in [beside.as_str(), include] {
        let found = find_one(candidate, files, read)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

fn find_one(
    path: &str,
    files: &BTreeMap<String, Arc<[u8]>>,
    read: &impl Fn(&str) -> std::io::Result<Vec<u8>>,
) -> Result<IncludedFile, SourceClosureError> {
    let Some(path) = normalize(path) else { return Ok(None) };
    if files.contains_key(&path) {
        return Ok(Some((path, None)));
    }
    match read(&path) {
        Ok(bytes) => Ok(Some((path, Some(bytes)))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(reason) => Err(SourceClosureError::Unreadable { path, reason: Arc::new(reason) }),
    }
}

/// Resolves `.` and `..`; `None` if the path is absolute or leads out of the suites.
pub fn normalize(path: &str) -> Option<String> {
    if path.is_empty() || path.starts_with('/') || path.contains(['\\', '\0']) {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

/// Every `#include "…"` of a text with its line, counted from 1.
pub fn includes(text: &[u8]) -> Vec<(usize, String)> {
    of_lines_and(text, scan(text).directives)
}

/// Every `#include <…>` of a path with folders: no header of the C++ library has one, so it may be a file of the user's.
pub fn includes_in_folders(text: &[u8]) -> Vec<String> {
    includes_of_system(text).filter(|name| name.contains('/')).map(str::to_owned).collect()
}

/// Every `#include <…>` that stands in a line of its own.
fn includes_of_system(text: &[u8]) -> impl Iterator<Item = &str> {
    text.split(|byte| *byte == b'\n').filter_map(|line| {
        let line = std::str::from_utf8(line).ok()?;
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
        Some(rest.trim_start().strip_prefix('<')?.split_once('>')?.0.trim())
    })
}

/// The includes of a text. A line that begins with one counts even in a comment: closures contain its file, and
/// captures have the hash of their closures.
fn of_lines_and(text: &[u8], found: Vec<Directive>) -> Vec<(usize, String)> {
    let text = String::from_utf8_lossy(text);
    let of_lines = text.lines().enumerate().filter_map(|(index, line)| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
        let (name, _) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
        Some((index.saturating_add(1), name.to_owned()))
    });
    let mut includes: Vec<(usize, String)> = of_lines.collect();
    for Directive { line, kind, .. } in found {
        if let DirectiveKind::Include(name) = kind
            && !includes.contains(&(line, name.clone()))
        {
            includes.push((line, name));
        }
    }
    includes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(list: &[(&str, &str)]) -> BTreeMap<String, Arc<[u8]>> {
        list.iter().map(|(path, text)| ((*path).to_owned(), Arc::from(text.as_bytes()))).collect()
    }

    #[test]
    fn a_path_between_angle_brackets_may_be_a_file_of_the_users() {
        let all = files(&[
            ("kernels/a.cpp", "#include <shared/b.h>\n#include <sys/types.h>\n#include <c.h>\n"),
            ("shared/b.h", "#include \"api/dataflow/noc.h\"\n"),
            ("kernels/shared/b.h", ""),
            ("c.h", ""),
        ]);
        let closure = SourceClosure::from_files("kernels/a.cpp", &all).unwrap();
        let paths: Vec<_> = closure.files().keys().map(String::as_str).collect();
        assert_eq!(paths, ["kernels/a.cpp", "shared/b.h"]);
        assert!(closure.uses_object_api());
    }

    #[test]
    fn kernels_for_the_coprocessor_name_its_start_or_one_of_its_headers() {
        let on_baby_cores = "#include \"api/compute/common.h\"\n#include <api/compute/cb_api.h>\n";
        for (source, shared, computes) in [
            (on_baby_cores, "", false),
            ("#include \"api/dataflow/dataflow_api.h\"\n", "", false),
            ("#include <api/compute/matmul.h>\n", "", true),
            ("#include \"shared/b.h\"\n", "#include \"api/compute/bcast.h\"\n", true),
            (
                "#include \"shared/b.h\"\n",
                "inline void f() { compute_kernel_hw_startup(0, 16); }\n",
                true,
            ),
        ] {
            let all = files(&[("kernels/a.cpp", source), ("shared/b.h", shared)]);
            let closure = SourceClosure::from_files("kernels/a.cpp", &all).unwrap();
            assert_eq!(closure.uses_compute_api(), computes, "{source}{shared}");
        }
    }

    #[test]
    fn kernels_for_the_vector_unit_include_one_of_its_headers() {
        for (include, has_vectors) in [
            ("\"api/compute/eltwise_unary/exp.h\"", true),
            ("<api/compute/eltwise_binary_sfpu.h>", true),
            ("\"sfpi.h\"", true),
            // In the place of one that every kernel for the coprocessor has.
            ("\"hallmark/section_units.h\"", false),
            ("\"api/compute/reg_api.h\"", false),
            ("\"api/compute/matmul.h\"", false),
        ] {
            let all = files(&[("kernels/a.cpp", &format!("#include {include}\n"))]);
            let closure = SourceClosure::from_files("kernels/a.cpp", &all).unwrap();
            assert_eq!(closure.uses_vector_unit(), has_vectors, "{include}");
            assert_eq!(closure.uses_object_api(), has_vectors, "{include}");
            assert!(closure.uses_compute_api(), "{include}");
        }
    }

    #[test]
    fn a_closure_follows_the_users_includes_and_stops_at_ours() {
        let all = files(&[
            (
                "kernels/a.cpp",
                "#include \"api/dataflow/dataflow_api.h\"\n  # include \"shared/b.h\" // x\n#include <stdint.h>\n",
            ),
            ("kernels/shared/b.h", "#include \"../c.h\"\n#include \"kernels/d.h\"\n"),
            ("kernels/c.h", "#include \"a.cpp\"\n"),
            ("kernels/d.h", ""),
            ("kernels/unused.h", ""),
        ]);
        let closure = SourceClosure::from_files("kernels/a.cpp", &all).unwrap();
        let paths: Vec<_> = closure.files().keys().map(String::as_str).collect();
        assert_eq!(paths, ["kernels/a.cpp", "kernels/c.h", "kernels/d.h", "kernels/shared/b.h"]);
    }

    #[test]
    fn a_missing_include_is_named_with_its_line() {
        let all = files(&[("k.cpp", "\n\n#include \"nothing.h\"\n")]);
        let error = SourceClosure::from_files("k.cpp", &all).unwrap_err().to_string();
        assert!(error.starts_with("k.cpp:3: `nothing.h`"), "{error}");
    }

    #[test]
    fn an_include_counts_however_it_is_written() {
        let all = files(&[
            ("k.cpp", "/*\n#include \"a.h\"\n*/\n#/**/include \"b.h\"\n#inc\\\nlude \"c.h\"\n"),
            ("a.h", ""),
            ("b.h", ""),
            ("c.h", ""),
        ]);
        let closure = SourceClosure::from_files("k.cpp", &all).unwrap();
        assert_eq!(closure.files(), &all);
        assert_eq!(closure.unread(), None);
    }

    #[test]
    fn a_directive_that_leads_outside_is_refused_in_any_file_of_the_closure() {
        let of = |text: &str| {
            let all = files(&[("k.cpp", "#include \"a.h\"\n"), ("a.h", text)]);
            SourceClosure::from_files("k.cpp", &all)
        };
        let error = of("\n#include </etc/passwd>\n").unwrap_err().to_string();
        assert!(
            error.starts_with("a.h:2: `#include </etc/passwd>` names a file outside"),
            "{error}"
        );
        let error = of("#line 1 \"/etc/passwd\"\n").unwrap_err().to_string();
        assert!(error.starts_with("a.h:1: `#line 1 \"/etc/passwd\"` gives the next"), "{error}");
        let unread = of("#define A \"b.h\"\n#include A\n").unwrap();
        let unread = unread.unread().map(|it| (it.file.as_str(), it.line, it.directive.as_str()));
        assert_eq!(unread, Some(("a.h", 2, "#include A")));
    }

    #[test]
    fn an_error_of_the_machine_is_no_mistake_of_the_kernel() {
        let of = |error: std::io::Error| {
            let reason = Arc::new(error);
            SourceClosureError::Unreadable { path: "k.cpp".to_owned(), reason }.is_of_machine()
        };
        // EMFILE, ENFILE and EIO.
        for code in [24, 23, 5] {
            assert!(of(std::io::Error::from_raw_os_error(code)), "{code}");
        }
        // ENOENT, EACCES, EISDIR and ENAMETOOLONG.
        for code in [2, 13, 21, 36] {
            assert!(!of(std::io::Error::from_raw_os_error(code)), "{code}");
        }
        let pipe = limits::read_file(Path::new("/dev/null"), 1).unwrap_err();
        assert!(!of(pipe));
    }

    #[test]
    fn paths_never_leave_the_suites() {
        let all = files(&[("k.cpp", "#include \"../../etc/passwd\"\n")]);
        assert!(matches!(
            SourceClosure::from_files("k.cpp", &all),
            Err(SourceClosureError::MissingInclude { .. })
        ));
        for path in ["/k.cpp", "../k.cpp", "", "a/../../k.cpp"] {
            assert!(matches!(
                SourceClosure::from_files(path, &all),
                Err(SourceClosureError::Path { .. })
            ));
        }
    }
}
