//! A kernel is built from its closure: nothing else can decide what it does, come into its ELF, or be quoted.
#![allow(clippy::unwrap_used, reason = "a test says what failed by panicking")]

#[path = "common/data_movement_kernel.rs"]
mod data_movement_kernel;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use data_movement_kernel::data_movement_kernel;
use hallmark_device_code::{
    Compiler, KernelBuildError, KernelStore, PrebuiltUse, SourceClosure, SourceClosureError,
};

/// What a file outside of the suites holds.
const SECRET: &str = "int secret_of_the_runner = 0x5EC2E7;\n";

fn closure(text: &str) -> Result<SourceClosure, SourceClosureError> {
    let files = [("kernels/k.cpp", text), ("kernels/own.h", "inline int own() { return 1; }\n")];
    let files: BTreeMap<String, Arc<[u8]>> = files
        .into_iter()
        .map(|(path, text)| (path.to_owned(), Arc::from(text.as_bytes())))
        .collect();
    SourceClosure::from_files("kernels/k.cpp", &files)
}

#[test]
fn without_a_compiler_a_directive_that_only_one_can_read_is_refused() {
    let sources =
        closure("#define NAME \"own.h\"\n#include NAME\nvoid kernel_main() {}\n").unwrap();
    let store = KernelStore::builder().compiler(None).build();
    let error = store.kernel(&data_movement_kernel(sources)).unwrap_err();
    assert!(matches!(error, KernelBuildError::Unread { .. }), "{error}");
    let said = error.to_string();
    assert!(
        said.starts_with("kernels/k.cpp:2: `#include NAME` can be resolved by a compiler"),
        "{said}"
    );
}

/// `#if ASKS("/etc/passwd")` would tell whether the file exists.
#[test]
fn a_definition_gives_has_include_no_other_name() {
    let store = KernelStore::builder().compiler(None).build();
    let mut request = data_movement_kernel(closure("void kernel_main() {}\n").unwrap());
    for value in ["__has_include", "1 + __has_include(NAME)", "__has_include(\"/etc/passwd\")"] {
        request.defines = BTreeMap::from([("ASKS".to_owned(), value.to_owned())]);
        let error = store.kernel(&request).unwrap_err();
        assert!(
            matches!(&error, KernelBuildError::Define { name, .. } if name == "ASKS"),
            "{error}"
        );
    }
    for value in ["4", "has_include", "__has_include(\"kernels/own.h\")", "defined(__has_include)"]
    {
        request.defines = BTreeMap::from([("ASKS".to_owned(), value.to_owned())]);
        let error = store.kernel(&request).unwrap_err();
        assert!(matches!(error, KernelBuildError::NoCompiler { .. }), "{value}: {error}");
    }
}

/// `##` would join `__has_include` where no scan of directives sees it.
#[test]
fn no_macro_joins_words_to_has_include() {
    let store = KernelStore::builder().compiler(None).build();
    let of = |text: &str, defines: &[(&str, &str)]| {
        let mut request = data_movement_kernel(closure(text).unwrap());
        let defines = defines.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        request.defines = defines.collect();
        store.kernel(&request).unwrap_err()
    };
    let joins = "#define JOIN(a, b) a##b\n";
    for error in [
        of(&format!("{joins}#if JOIN(__has_, include)(\"/etc/passwd\")\n#endif\n"), &[]),
        of(
            &format!("{joins}#if JOIN(A, B)(\"/etc/passwd\")\n"),
            &[("A", "__has_inc"), ("B", "lude")],
        ),
        of("int include;\n", &[("A", "__has_")]),
    ] {
        assert!(matches!(error, KernelBuildError::Joined { .. }), "{error}");
    }
    let error = of(&format!("{joins}#include \"own.h\"\nint has_include;\n"), &[("A", "include")]);
    assert!(matches!(error, KernelBuildError::NoCompiler { .. }), "{error}");
}

mod with_compiler {
    use super::*;

    /// The compiler as it is, and as on a system that cannot confine it.
    fn compilers() -> [Compiler; 2] {
        let compiler =
            Compiler::find().unwrap_or_else(|| panic!("no RISC-V compiler: {}", Compiler::INSTALL));
        [compiler.clone(), compiler.unconfined()]
    }

    /// The refusal of a kernel, which must not depend on the system and not quote the secret.
    fn refusals(text: &str) -> Vec<String> {
        let sources = match closure(text) {
            Ok(sources) => sources,
            Err(refused) => return vec![refused.to_string()],
        };
        let build = |compiler: Compiler| {
            let store = KernelStore::builder().compiler(Some(compiler)).build();
            match store.kernel(&data_movement_kernel(sources.clone())) {
                Ok(kernel) => {
                    let elf = String::from_utf8_lossy(&kernel.elf).into_owned();
                    panic!("{text:?} is built; with the secret: {}", elf.contains("secret"))
                }
                Err(error) => error.to_string(),
            }
        };
        compilers().map(build).to_vec()
    }

    fn secret(folder: &Path) -> String {
        let path = folder.join("secret.h");
        std::fs::write(&path, SECRET).unwrap();
        path.display().to_string()
    }

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn no_file_outside_of_the_closure_is_built_in_or_quoted() {
        let folder = tempfile::tempdir().unwrap();
        let secret = secret(folder.path());
        let main = "void kernel_main() {}\n";
        for text in [
            format!("#include <{secret}>\n{main}"),
            format!("#inc\\\nlude /* x */ <{secret}>\n{main}"),
            format!("%:include <{secret}>\n{main}"),
            format!("#define NAME <{secret}>\n#include NAME\n{main}"),
            format!("#define NAME \"{secret}\"\n#include NAME\n{main}"),
            format!("#define NAME \"{secret}\"\n#include NAME\nvoid kernel_main() {{ error; }}\n"),
            format!("#include_next <{secret}>\n{main}"),
            format!("#line 1 \"{secret}\"\nvoid kernel_main() {{ error; }}\n"),
            format!("# 1 \"{secret}\"\nvoid kernel_main() {{ error; }}\n"),
            format!("#if __has_include(\"{secret}\")\n#endif\n{main}"),
            format!("asm(\".incbin \\\"{secret}\\\"\");\n{main}"),
            format!("asm(\".inc\" \"bin \\\"{secret}\\\"\");\n{main}"),
            format!("asm(\".include \\\"{secret}\\\"\");\n{main}"),
            format!(
                "asm(\".macro get what\\n.\\\\what \\\"{secret}\\\"\\n.endm\\nget incbin\");\n{main}"
            ),
        ] {
            for said in refusals(&text) {
                assert!(!said.contains("secret_of_the_runner"), "{text}: {said}");
                assert!(!said.contains("5EC2E7"), "{text}: {said}");
            }
        }
    }

    /// The folders of the system's libraries and of the compiler's programs hold other files as well.
    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn no_file_beside_the_libraries_of_the_system_is_quoted() {
        let is_quoted = |said: &str, file: &str| {
            let text = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
            let lines = text.lines().map(str::trim).filter(|line| line.len() > 8);
            // gas quotes what it takes for an instruction in lower case.
            let (said, mut lines) = (said.to_lowercase(), lines.map(str::to_lowercase));
            lines.any(|line| said.contains(&line))
        };
        let compiler = Compiler::find().unwrap();
        assert_eq!(compiler.confines_builds(), Some(true), "this system has no Landlock");
        let files = ["/usr/lib/os-release", "/usr/bin/ldd"];
        let files: Vec<&str> = files.into_iter().filter(|file| Path::new(file).is_file()).collect();
        assert!(!files.is_empty());
        for file in files {
            for text in [
                format!("#define NAME \"{file}\"\n#include NAME\nvoid kernel_main() {{}}\n"),
                format!("#define NAME <{file}>\n#include NAME\nvoid kernel_main() {{}}\n"),
                format!("asm(\".include \\\"{file}\\\"\");\nvoid kernel_main() {{}}\n"),
            ] {
                for said in refusals(&text) {
                    assert!(!is_quoted(&said, file), "{text}: {said}");
                }
            }
        }
    }

    /// A confined compiler may not read the one file, and finds no other.
    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn no_message_of_a_confined_compiler_tells_whether_a_file_exists() {
        let folder = tempfile::tempdir().unwrap();
        let (present, absent) = (secret(folder.path()), folder.path().join("absent.h"));
        let absent = absent.display().to_string();
        for text in [
            "#define NAME <PATH>\n#include NAME\nvoid kernel_main() {}\n",
            "#define NAME \"PATH\"\n#include NAME\nvoid kernel_main() {}\n",
            "asm(\".incbin \\\"PATH\\\"\");\nvoid kernel_main() {}\n",
        ] {
            let said = |path: &str| {
                let said = refusals(&text.replace("PATH", path)).remove(0);
                let said = said.replace(path, "PATH");
                // The assembler names a temporary file of the build.
                let lines = said.lines().map(|line| line.split(".s:").last().unwrap_or_default());
                lines.collect::<Vec<_>>().join("\n")
            };
            assert_eq!(said(&present), said(&absent));
        }
    }

    /// A build has checked that a macro's include stays within the closure, which the lock has the hash of.
    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn a_prebuilt_kernel_with_an_include_of_a_macro_needs_no_compiler() {
        let folder = tempfile::tempdir().unwrap();
        let [compiler, _] = compilers();
        let of = |text: &str| data_movement_kernel(closure(text).unwrap());
        let included = of(
            "#include \"own.h\"\n#define NAME \"own.h\"\n#ifdef A\n#include NAME\n#endif\nvoid kernel_main() { own(); }\n",
        );
        let with = KernelStore::builder().prebuilt(folder.path()).compiler(Some(compiler)).build();
        with.build_all(std::slice::from_ref(&included), PrebuiltUse::Complete).unwrap();
        let without = KernelStore::builder().prebuilt(folder.path()).compiler(None).build();
        without.kernel(&included).unwrap();
        let other = of("#define NAME \"own.h\"\n#include NAME\nvoid kernel_main() {}\n");
        let error = without.kernel(&other).unwrap_err();
        assert!(matches!(error, KernelBuildError::Unread { .. }), "{error}");
    }

    /// What the closure and the compiler hold may be included in any way.
    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn files_of_the_closure_and_of_the_compiler_are_built_in() {
        for text in [
            "#include \"own.h\"\n#include <stdint.h>\n#include <cstdint>\nvoid kernel_main() { own(); }\n",
            "#include \"own.h\"\n#include <kernels/own.h>\n#undef A\nvoid kernel_main() {}\n",
            "#include \"api/dataflow/dataflow_api.h\"\nvoid kernel_main() {}\n",
            "#include/**/\"own.h\"\n#define NAME \"kernels/own.h\"\n#ifdef A\n#include NAME\n#endif\nvoid kernel_main() { own(); }\n",
        ] {
            // A header that is included twice is none of the compiler's errors here.
            let text = text.replace("#include <kernels/own.h>\n", "");
            let built = compilers().map(|compiler| {
                let store = KernelStore::builder().compiler(Some(compiler)).build();
                store.kernel(&data_movement_kernel(closure(&text).unwrap())).unwrap()
            });
            let [confined, unconfined] = built;
            assert_eq!(confined, unconfined, "{text}");
        }
    }

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn a_mistake_is_still_shown_with_its_line() {
        for said in refusals("void kernel_main() {\n    error;\n}\n") {
            assert!(said.contains("kernels/k.cpp:2:5: error: 'error' was not declared"), "{said}");
            assert!(said.contains("    2 |     error;"), "{said}");
        }
        for said in refusals("void kernel_main() { asm(\"no_instruction\"); }\n") {
            assert!(said.contains("ssembler"), "{said}");
        }
    }
}
