//! The sources of kernel ELFs, and that builds give the same bytes everywhere.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test says what failed by panicking"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use hallmark_chip::{Architecture, Processor, SourceFrame};
use hallmark_device_code::{
    Compiler, FirmwareBuildError, FirmwareBundle, KernelBuildError, KernelBuildRequest,
    KernelImage, KernelStore, LineTable, MemoryRange, PrebuiltUse, SourceClosure, build_firmware,
    profiled_firmware,
};
use hallmark_schema::model::{DataMovementProcessor, KernelConfig, NocId};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn compiler() -> Compiler {
    Compiler::find().unwrap_or_else(|| panic!("no RISC-V compiler: {}", Compiler::INSTALL))
}

fn request(files: &[(&str, &str)]) -> KernelBuildRequest {
    let files: BTreeMap<String, Arc<[u8]>> =
        files.iter().map(|(path, text)| ((*path).to_owned(), Arc::from(text.as_bytes()))).collect();
    KernelBuildRequest {
        architecture: Architecture::WormholeB0,
        processor: Processor::Brisc,
        sources: Arc::new(SourceClosure::from_files("kernels/k.cpp", &files).unwrap()),
        config: KernelConfig::data_movement(DataMovementProcessor::Riscv0, NocId::Noc0),
        compile_args: vec![1, 2],
        defines: BTreeMap::from([("NUMBER".to_owned(), "3".to_owned())]),
        named_compile_args: BTreeMap::new(),
        opt_level: None,
        bindings: None,
        profiler: None,
    }
}

/// The only prebuilt file with this extension.
fn file_of(prebuilt: &Path, extension: &str) -> PathBuf {
    let files = std::fs::read_dir(prebuilt.join("wormhole_b0")).unwrap();
    let mut files = files.map(|file| file.unwrap().path());
    files.find(|file| file.extension().is_some_and(|found| found == extension)).unwrap()
}

const BLANK: &[(&str, &str)] = &[("kernels/k.cpp", "void kernel_main() {}\n")];

/// A kernel that names zones, and the same kernel without them.
const ZONES: &[(&str, &str)] = &[(
    "kernels/k.cpp",
    "void kernel_main() {\n    DeviceZoneScopedN(\"a zone\");\n    DeviceRecordEvent(1);\n    asm volatile(\"nop\");\n}\n",
)];
const NO_ZONES: &[(&str, &str)] =
    &[("kernels/k.cpp", "void kernel_main() {\n\n\n    asm volatile(\"nop\");\n}\n")];

/// A range for markers.
const PLACE: MemoryRange = MemoryRange { start: 0x1_5700, end: 0x1_8000 };

#[test]
fn firmware_with_markers_needs_a_compiler() {
    let folder = tempfile::tempdir().unwrap();
    let built = profiled_firmware(None, Architecture::WormholeB0, folder.path());
    assert!(matches!(built, Err(FirmwareBuildError::NoCompiler)), "{built:?}");
}

mod with_compiler {
    use super::*;

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn builds_are_confined_where_the_system_can() {
        let compiler = compiler();
        assert_eq!(compiler.unconfined().confines_builds(), Some(false));
        // The names of the kernel's security modules; not every user may read them.
        let modules = std::fs::read_to_string("/sys/kernel/security/lsm").unwrap_or_default();
        if modules.trim().split(',').any(|name| name == "landlock") {
            assert_eq!(compiler.confines_builds(), Some(true));
        }
    }

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn markers_are_in_builds_for_a_profile_alone() {
        let store = KernelStore::builder().compiler(Some(compiler())).build();
        let elf = |request: &KernelBuildRequest| store.kernel(request).unwrap().elf;
        let plain = elf(&request(NO_ZONES));
        assert_eq!(elf(&request(ZONES)), plain, "zones cost nothing");
        assert!(KernelImage::parse(&plain).unwrap().zones().is_empty());
        let profiled = |files| KernelBuildRequest { profiler: Some(PLACE), ..request(files) };
        let marked = KernelImage::parse(&elf(&profiled(ZONES))).unwrap();
        let names = |image: &KernelImage| {
            let names = image.zones().iter().map(|it| (it.name.clone(), it.file.clone(), it.line));
            names.collect::<Vec<_>>()
        };
        let own = ("a zone".to_owned(), "kernels/k.cpp".to_owned(), 2);
        assert!(names(&marked).contains(&own), "{:?}", marked.zones());
        // Each build contains the kernel's own zone.
        let unnamed = KernelImage::parse(&elf(&profiled(NO_ZONES))).unwrap();
        let names: Vec<_> = names(&unnamed).into_iter().map(|(name, _, _)| name).collect();
        assert_eq!(names, ["BRISC-KERNEL"]);
    }

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn firmware_with_markers_is_built_once_and_takes_nothing_from_buffers() {
        let (folder, compiler) = (tempfile::tempdir().unwrap(), compiler());
        for architecture in Architecture::ALL {
            let build = || profiled_firmware(Some(&compiler), architecture, folder.path()).unwrap();
            let place = build();
            let written =
                std::fs::metadata(place.join("manifest.json")).unwrap().modified().unwrap();
            assert_eq!(build(), place);
            let again = std::fs::metadata(place.join("manifest.json")).unwrap().modified().unwrap();
            assert_eq!(written, again);
            let marked = FirmwareBundle::load(&place, architecture).unwrap();
            let plain = FirmwareBundle::builtin(architecture).unwrap();
            let (with, without) = (marked.memory(), plain.memory());
            assert_eq!(with.unreserved_base, without.unreserved_base);
            assert_eq!(with.kernel_config.start, without.kernel_config.start);
            let markers = with.profiler.unwrap();
            assert_eq!(
                (with.kernel_config.end, markers.end),
                (markers.start, without.kernel_config.end)
            );
            assert_eq!(without.profiler, None);
            let names: Vec<&str> = marked
                .images()
                .iter()
                .flat_map(|it| &it.zones)
                .map(|it| it.name.as_str())
                .collect();
            assert_eq!(names, ["BRISC-FW", "NCRISC-FW", "TRISC-FW", "TRISC-FW", "TRISC-FW"]);
        }
    }

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn a_prebuilt_kernel_needs_no_compiler_and_damage_is_noticed() {
        let compiler = compiler();
        let folder = tempfile::tempdir().unwrap();
        let with = KernelStore::builder().prebuilt(folder.path()).compiler(Some(compiler)).build();
        let without = || KernelStore::builder().prebuilt(folder.path()).compiler(None).build();
        let request = request(BLANK);
        assert!(matches!(without().kernel(&request), Err(KernelBuildError::NoCompiler { .. })));
        let report = with.build_all(std::slice::from_ref(&request), PrebuiltUse::Complete).unwrap();
        assert_eq!((report.kernels, report.changed.len()), (1, 3));
        let kernel = without().kernel(&request).unwrap();
        KernelImage::parse(&kernel.elf).unwrap();
        assert!(kernel.lines.is_some());
        // A second run has nothing to do and finds no difference.
        assert!(
            with.build_all(std::slice::from_ref(&request), PrebuiltUse::Complete)
                .unwrap()
                .changed
                .is_empty()
        );
        assert!(
            with.build_all(std::slice::from_ref(&request), PrebuiltUse::CHECK_ALL)
                .unwrap()
                .changed
                .is_empty()
        );
        // A change of any input gives another kernel.
        let changes: [fn(&mut KernelBuildRequest); 5] = [
            |request| request.compile_args[1] = 7,
            |request| request.processor = Processor::Ncrisc,
            |request| drop(request.defines.insert("NUMBER".to_owned(), "4".to_owned())),
            |request| drop(request.defines.remove("NUMBER")),
            |request| {
                request.config =
                    KernelConfig::data_movement(DataMovementProcessor::Riscv0, NocId::Noc1);
            },
        ];
        for change in changes {
            let mut other = request.clone();
            change(&mut other);
            assert!(matches!(without().kernel(&other), Err(KernelBuildError::NoCompiler { .. })));
        }
        let file = file_of(folder.path(), "elf");
        let mut bytes = std::fs::read(&file).unwrap();
        bytes[100] ^= 1;
        std::fs::write(&file, &bytes).unwrap();
        assert!(matches!(without().kernel(&request), Err(KernelBuildError::Damaged { .. })));
        assert_eq!(
            with.build_all(std::slice::from_ref(&request), PrebuiltUse::CHECK_ALL)
                .unwrap()
                .changed
                .len(),
            1
        );
        std::fs::remove_file(&file).unwrap();
        assert!(matches!(without().kernel(&request), Err(KernelBuildError::File { .. })));
    }

    /// Inlined functions are included: the kernel's own, one of a header beside it, and one of the kernel API.
    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn a_line_table_names_every_function_of_a_line() {
        let store = KernelStore::builder().compiler(Some(compiler())).build();
        let files = [
            (
                "kernels/k.cpp",
                "#include \"shared/helper.h\"\n\nvoid kernel_main() {\n    helper();\n}\n",
            ),
            (
                "kernels/shared/helper.h",
                "#include \"api/dataflow/dataflow_api.h\"\n\
                 inline void helper() {\n    cb_wait_front(3, 2);\n}\n",
            ),
        ];
        let kernel = store.kernel(&request(&files)).unwrap();
        let lines = LineTable::decode(&kernel.lines.unwrap()).unwrap();
        let image = KernelImage::parse(&kernel.elf).unwrap();
        let main = image.symbols().address_of("kernel_main").unwrap();
        let stacks: Vec<Vec<SourceFrame>> =
            (main..image.size()).step_by(4).map(|offset| lines.frames_at(offset)).collect();
        let own = |frame: &SourceFrame| (frame.function.clone(), frame.file.clone(), frame.line);
        let deepest = stacks.iter().find(|stack| stack.len() == 3).unwrap();
        assert_eq!(own(&deepest[0]), ("kernel_main".into(), "kernels/k.cpp".into(), 4));
        assert_eq!(own(&deepest[1]), ("helper".into(), "kernels/shared/helper.h".into(), 3));
        let SourceFrame { function, file, line } = &deepest[2];
        assert_eq!(
            (function.as_str(), file.as_str()),
            ("cb_wait_front", "api/dataflow/dataflow_api.h")
        );
        let header = root().join("runtime/firmware/include").join(file);
        let header = std::fs::read_to_string(header).unwrap();
        let before: Vec<&str> = header.lines().take(*line as usize).collect();
        assert!(before[before.len() - 8..].iter().any(|text| text.contains("void cb_wait_front(")));
    }

    /// Texts as in the source, whatever they hold; on every kind of core, and without the header's name.
    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn an_assertion_is_found_by_the_place_of_its_ebreak() {
        let store = KernelStore::builder().compiler(Some(compiler())).build();
        let source = r#"
            #define LIMIT 7
            constexpr int below(int x) { ASSERT(x < LIMIT); return x; }
            static_assert(below(6) == 6, "");
            void kernel_main() {
                const unsigned x = below(*reinterpret_cast<volatile int*>(0x1000));
                if (x == 5) ASSERT(false && "50% of {} or |\n", 1); else ASSERT(x % 2 == '\n');
            }
        "#;
        for processor in Processor::ALL {
            let files = [("kernels/k.cpp", source)];
            let request = KernelBuildRequest { processor, ..request(&files) };
            let kernel = store.kernel(&request).unwrap();
            let image = KernelImage::parse(&kernel.elf).unwrap();
            let at = |base: u32| {
                let places = (0..image.size()).step_by(4).map(|offset| base + offset);
                let found = places.filter_map(|pc| Some(image.assertion_at(base, pc)?.to_string()));
                found.collect::<std::collections::BTreeSet<String>>()
            };
            let expected = [
                r#"ASSERT(false && "50% of {} or |\n") in kernels/k.cpp:7"#,
                r"ASSERT(x % 2 == '\n') in kernels/k.cpp:7",
                "ASSERT(x < LIMIT) in kernels/k.cpp:3",
            ];
            assert_eq!(at(0), expected.map(str::to_owned).into(), "{processor}");
            assert_eq!(at(0x4000), at(0));
            assert_eq!(image.assertion_at(0x4000, 0x3FFC), None);
        }
    }

    /// A kernel with a macro of its own of this name gets no other one.
    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn a_kernel_may_define_its_own_assertions() {
        let store = KernelStore::builder().compiler(Some(compiler())).build();
        let source = "#define ASSERT(x) static_assert(x)\nvoid kernel_main() { ASSERT(true); }\n";
        store.kernel(&request(&[("kernels/k.cpp", source)])).unwrap();
    }

    /// A kernel has parts of the C++ library by either form of `#include`, and one that has none cannot ask for them: its key
    /// does not depend on them.
    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn parts_of_the_library_are_those_that_a_kernel_includes() {
        let store = KernelStore::builder().compiler(Some(compiler())).build();
        let build = |source: &str| store.kernel(&request(&[("kernels/k.cpp", source)]));
        for include in ["# include <array>", "#include\"array\""] {
            let source = format!(
                "{include}\nvoid kernel_main() {{ static_assert(std::array{{1, 2}}.size() == 2 && __cplusplus > 201703L); }}\n"
            );
            build(&source).unwrap_or_else(|error| panic!("{include}: {error}"));
        }
        let asks = "#if __has_include(<array>) || __has_include(\"api/dataflow/noc.h\")\n#error\n#endif\nvoid kernel_main() {}\n";
        build(asks).unwrap();
    }

    /// Formats are checked as the kernel is compiled, each mistake by its own words.
    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn a_wrong_print_does_not_compile() {
        let store = KernelStore::builder().compiler(Some(compiler())).build();
        let build = |body: &str| {
            let source = format!(
                "#include <cstdint>\n#include \"api/debug/dprint.h\"\n\
                 void kernel_main() {{ int x = 1; float f = 1; {body} }}\n"
            );
            store.kernel(&request(&[("kernels/k.cpp", &source)]))
        };
        for right in [
            r#"DPRINT("{:*<+#08x}{:.3f}{{}}\n", x, f);"#,
            r#"DPRINT("{1} {0:d} {1:e}", x, f); DPRINT(""); if (x) DPRINT("a"); else DPRINT("b");"#,
            r#"DPRINT("{}{:s}{:p}", bf16_t(1), CTSTR("%d"), &x);"#,
            r#"DEVICE_PRINT("{} {}\n", x, f); DEVICE_PRINT_DATA0("{}", x); DEVICE_PRINT_DATA1("{}", x);"#,
            r#"DPRINT("{:.2f}", TSLICE(1, 0, SliceRange::hw041(), TSLICE_INPUT_CB));"#,
            r#"DPRINT("{:#x}", TileSlice<128>(1, 0, SliceRange{0, 1, 1, 0, 1, 1}, TSLICE_OUTPUT_CB, TSLICE_WR_PTR, false));"#,
        ] {
            let kernel = build(right).unwrap_or_else(|error| panic!("{right}: {error}"));
            assert!(KernelImage::parse(&kernel.elf).unwrap().print_block().is_some());
        }
        for (wrong, words) in [
            (r#"DPRINT("{");"#, "a brace that stands for itself is written twice"),
            (r#"DPRINT("}");"#, "a brace that stands for itself is written twice"),
            (r#"DPRINT("{:.}", f);"#, "a brace that stands for itself is written twice"),
            (r#"DPRINT("{:129}", x);"#, "a brace that stands for itself is written twice"),
            (r#"DPRINT("{} {1}", x, x);"#, "fields with an index and fields without one"),
            (r#"DPRINT("{} {}", x);"#, "another number of fields"),
            (r#"DPRINT("{}", x, f);"#, "another number of fields"),
            (r#"DPRINT("{1}", x);"#, "another number of fields"),
            (r#"DPRINT("{:x}", f);"#, "a type that its field cannot show"),
            (r#"DPRINT("{:.2}", x);"#, "a type that its field cannot show"),
            (r#"DPRINT("{:s}", x);"#, "a type that its field cannot show"),
            (
                r#"DPRINT("{:s}", TSLICE(1, 0, SliceRange::hw041(), TSLICE_INPUT_CB));"#,
                "a type that its field cannot show",
            ),
            (
                r#"DPRINT("{}", TileSlice<32>(1, 0, SliceRange::hw041(), TSLICE_INPUT_CB));"#,
                "room for 64 or 128 bytes",
            ),
            (
                r#"DPRINT("{}", TileSlice<252>(1, 0, SliceRange::hw041(), TSLICE_INPUT_CB));"#,
                "room for 64 or 128 bytes",
            ),
            (r#"DPRINT("{}", "text");"#, "DPRINT prints a text as CTSTR"),
            (r#"struct S { int a; }; DPRINT("{}", S{1});"#, "DPRINT prints numbers, bool"),
            (
                r#"DPRINT << "x" << x << ENDL();"#,
                "Old style DPRINT is deprecated. Use DPRINT(format, ...) instead.",
            ),
            (
                r#"uint32_t w[2]; DPRINT << U32_ARRAY(w, 2) << TYPED_U32_ARRAY(0, 0, w, 2);"#,
                "Old style DPRINT is deprecated. Use DPRINT(format, ...) instead.",
            ),
            (r#"DEVICE_PRINT("{}", x, f);"#, "another number of fields"),
        ] {
            let error = build(wrong).unwrap_err().to_string();
            assert!(error.contains(words), "{wrong}: {error}");
        }
    }

    /// Each changed byte of a kernel with texts, assertions and a block is refused or harmless, whatever it prints.
    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn a_changed_kernel_that_prints_is_refused_or_harmless() {
        let store = KernelStore::builder().compiler(Some(compiler())).build();
        let source = "#include \"api/debug/dprint.h\"\nvoid kernel_main() {\n\
                      ASSERT(get_arg_val<int>(0) == 1); WAYPOINT(\"A\");\n\
                      DPRINT(\"{:5.2f}|\", 1.5f); }\n";
        let source = format!("#include \"api/dataflow/dataflow_api.h\"\n{source}");
        let kernel = store.kernel(&request(&[("kernels/k.cpp", &source)])).unwrap();
        let whole = KernelImage::parse(&kernel.elf).unwrap();
        // The compiler numbers the texts.
        let mut messages = (0..8).map(|number| [0x0003_0000 | number, 0x0405, 0x3FC0_0000]);
        let message = messages.find(|message| whole.printed(message) == " 1.50|").unwrap();
        let mut bytes = kernel.elf.to_vec();
        let mut refused = 0;
        for index in 0..bytes.len() {
            let change = [0x01, 0x80, 0xFF][index % 3];
            bytes[index] ^= change;
            match KernelImage::parse(&bytes) {
                Ok(image) => {
                    assert!(image.printed(&message).len() < 10_000);
                    assert!(image.print_block().is_none_or(|block| block < image.size()));
                    let places = (0..image.size()).step_by(4);
                    let assertions = places.filter_map(|pc| image.assertion_at(0, pc));
                    for assertion in assertions {
                        assert!(!assertion.to_string().contains(char::is_control));
                    }
                }
                Err(_) => refused += 1,
            }
            bytes[index] ^= change;
        }
        assert!(refused > 100, "{refused}");
    }

    /// A kernel that includes the header, or whose text names it, and prints nothing is the kernel that it was.
    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn a_kernel_that_prints_nothing_costs_nothing() {
        let store = KernelStore::builder().compiler(Some(compiler())).build();
        let build = |text: &str| store.kernel(&request(&[("kernels/k.cpp", text)])).unwrap().elf;
        let plain = build("void kernel_main() {}\n");
        let header = "#include \"api/debug/dprint.h\"\n#include \"api/debug/assert.h\"\n";
        let silent = build(&format!("{header}void kernel_main() {{ DPRINT_UNPACK(\"x\"); }}\n"));
        assert_eq!(plain, silent);
        let printing = build(&format!("{header}void kernel_main() {{ DPRINT(\"x\"); }}\n"));
        assert_ne!(plain, printing);
    }

    /// A damaged table, such as one of an earlier release: the kernel runs without it, and the next build
    /// replaces it.
    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn a_damaged_line_table_counts_as_absent_and_is_built_again() {
        let folder = tempfile::tempdir().unwrap();
        let store =
            KernelStore::builder().prebuilt(folder.path()).compiler(Some(compiler())).build();
        let requests = [request(BLANK)];
        let report = store.build_all(&requests, PrebuiltUse::Complete).unwrap();
        let file = file_of(folder.path(), "lines");
        let whole = std::fs::read(&file).unwrap();
        assert_eq!(
            (report.largest_line_table, report.line_tables),
            (whole.len() as u64, whole.len() as u64)
        );
        let damages: [&dyn Fn(); 3] = [
            &|| std::fs::write(&file, &whole[1..]).unwrap(),
            &|| std::fs::write(&file, vec![1; 3000]).unwrap(),
            &|| std::fs::remove_file(&file).unwrap(),
        ];
        for damage in damages {
            damage();
            assert_eq!(store.kernel(&requests[0]).unwrap().lines, None);
            assert_eq!(
                store.build_all(&requests, PrebuiltUse::CHECK_ALL).unwrap().changed,
                std::slice::from_ref(&file)
            );
            assert_eq!(
                store.build_all(&requests, PrebuiltUse::Complete).unwrap().changed,
                std::slice::from_ref(&file)
            );
            assert_eq!(std::fs::read(&file).unwrap(), whole);
        }
    }

    /// A run refuses such files, and a build of all kernels mends them.
    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn a_damaged_kernel_or_lock_is_built_again() {
        let folder = tempfile::tempdir().unwrap();
        let compiler = compiler();
        let with = || {
            let store = KernelStore::builder().prebuilt(folder.path());
            store.compiler(Some(compiler.clone())).build()
        };
        let requests = [request(BLANK)];
        with().build_all(&requests, PrebuiltUse::Complete).unwrap();
        let elf = file_of(folder.path(), "elf");
        let lock = folder.path().join("wormhole_b0.lock");
        let [whole_elf, whole_lock] = [&elf, &lock].map(|file| std::fs::read(file).unwrap());
        let flipped: Vec<u8> = whole_elf.iter().map(|byte| byte ^ 1).collect();
        let damages: [(&dyn Fn(), &Path); 4] = [
            (&|| std::fs::write(&elf, &flipped).unwrap(), &elf),
            (&|| std::fs::remove_file(&elf).unwrap(), &elf),
            (&|| std::fs::write(&lock, "no lock\n").unwrap(), &lock),
            (&|| std::fs::write(&lock, [0xFF]).unwrap(), &lock),
        ];
        for (damage, damaged) in damages {
            damage();
            assert!(with().kernel(&requests[0]).is_err());
            let report = with().build_all(&requests, PrebuiltUse::Complete).unwrap();
            assert_eq!(report.changed, [damaged]);
            assert_eq!(std::fs::read(&elf).unwrap(), whole_elf);
            assert_eq!(std::fs::read(&lock).unwrap(), whole_lock);
            with().kernel(&requests[0]).unwrap();
        }
    }

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn a_kernel_that_nothing_reaches_any_more_is_removed() {
        let compiler = compiler();
        let folder = tempfile::tempdir().unwrap();
        let store = KernelStore::builder().prebuilt(folder.path()).compiler(Some(compiler)).build();
        let mut other = request(BLANK);
        other.compile_args.clear();
        let text =
            "#include <stdint.h>\nvoid kernel_main() { *(volatile uint32_t*)0x40000 = NUMBER; }\n";
        let both = [request(&[("kernels/k.cpp", text)]), other];
        assert_eq!(store.build_all(&both, PrebuiltUse::Complete).unwrap().changed.len(), 5);
        assert_eq!(store.build_all(&both[1..], PrebuiltUse::CHECK_ALL).unwrap().changed.len(), 3);
        assert_eq!(store.build_all(&both[1..], PrebuiltUse::Complete).unwrap().changed.len(), 3);
        assert_eq!(std::fs::read_dir(folder.path().join("wormhole_b0")).unwrap().count(), 2);
    }

    /// A part of a check builds a part of the kernels. It reads the others, and builds those that the lock does
    /// not name.
    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn the_parts_of_a_check_together_build_every_kernel() {
        let folder = tempfile::tempdir().unwrap();
        let store =
            KernelStore::builder().prebuilt(folder.path()).compiler(Some(compiler())).build();
        let mut requests = [request(BLANK), request(BLANK), request(BLANK)];
        for (argument, request) in (5..).zip(&mut requests) {
            request.compile_args[1] = argument;
        }
        store.build_all(&requests, PrebuiltUse::Complete).unwrap();
        let differing = |requests: &[KernelBuildRequest]| -> Vec<usize> {
            let parts = (0..3).map(|first| PrebuiltUse::Check { first, of: 3 });
            parts.map(|part| store.build_all(requests, part).unwrap().changed.len()).collect()
        };
        assert_eq!(differing(&requests), [0, 0, 0]);
        // Only the kernel's build verifies a line table, so exactly one part notices that it was replaced by
        // another.
        let tables = || {
            let files = std::fs::read_dir(folder.path().join("wormhole_b0")).unwrap();
            let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
            files.retain(|file| file.extension().is_some_and(|extension| extension == "lines"));
            files
        };
        let other = request(&[("kernels/k.cpp", "\n\nvoid kernel_main() {}\n")]);
        let other = store.kernel(&other).unwrap().lines.unwrap();
        for table in tables() {
            let whole = std::fs::read(&table).unwrap();
            std::fs::write(&table, &other).unwrap();
            let mut parts = differing(&requests);
            parts.sort_unstable();
            assert_eq!(parts, [0, 0, 1], "{}", table.display());
            std::fs::write(&table, whole).unwrap();
        }
        // Every part reads every ELF, …
        let file = file_of(folder.path(), "elf");
        let whole = std::fs::read(&file).unwrap();
        std::fs::write(&file, &whole[1..]).unwrap();
        assert_eq!(differing(&requests), [1, 1, 1]);
        std::fs::write(&file, whole).unwrap();
        // … and builds missing kernels: another lock, ELF and line table than those of the removed argument.
        requests[1].compile_args[1] = 8;
        assert!(differing(&requests).iter().all(|&changed| changed >= 3));
    }

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn the_cache_serves_other_processes_and_a_damaged_entry_is_built_again() {
        let compiler = compiler();
        let folder = tempfile::tempdir().unwrap();
        let store =
            || KernelStore::builder().cache(folder.path()).compiler(Some(compiler.clone())).build();
        let kernel = store().kernel(&request(BLANK)).unwrap();
        let file = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        let time = std::fs::metadata(&file).unwrap().modified().unwrap();
        assert_eq!(store().kernel(&request(BLANK)).unwrap(), kernel);
        assert_eq!(std::fs::metadata(&file).unwrap().modified().unwrap(), time);
        std::fs::write(&file, &kernel.elf[..100]).unwrap();
        assert_eq!(store().kernel(&request(BLANK)).unwrap(), kernel);
    }

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn an_error_names_the_kernel_as_the_suites_do() {
        let compiler = compiler();
        let store = KernelStore::builder().compiler(Some(compiler)).build();
        let files = [
            ("kernels/k.cpp", "#include \"shared/helper.h\"\nvoid kernel_main() { helper(); }\n"),
            ("kernels/shared/helper.h", "\n\ninline void helper() { nothing(); }\n"),
        ];
        let error = store.kernel(&request(&files)).unwrap_err().to_string();
        assert!(error.starts_with("kernel kernels/k.cpp for BRISC does not build:"), "{error}");
        assert!(error.contains("kernels/shared/helper.h:3:24: error:"), "{error}");
        assert!(!error.contains("/tmp"), "{error}");
        let mut bad = request(BLANK);
        bad.defines.insert("A B".to_owned(), String::new());
        assert!(matches!(store.kernel(&bad), Err(KernelBuildError::Define { .. })));
        let mut bad = request(BLANK);
        bad.defines.insert("A".to_owned(), "1\n#error".to_owned());
        assert!(matches!(store.kernel(&bad), Err(KernelBuildError::Define { .. })));
        // The variables exceed the private RAM.
        let large = "char all[4000]; void kernel_main() { asm volatile(\"\" : : \"r\"(all)); }\n";
        let error = store.kernel(&request(&[("kernels/k.cpp", large)])).unwrap_err().to_string();
        assert!(error.contains("do not fit into private RAM"), "{error}");
    }

    /// A kernel moved by the host equals one linked for the new address.
    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn moving_a_kernel_gives_what_linking_it_there_gives() {
        let compiler = compiler();
        let store = KernelStore::builder().compiler(Some(compiler)).build();
        let source =
            std::fs::read_to_string(root().join("suites/kernels/private_memory.cpp")).unwrap();
        let mut request = request(&[("kernels/k.cpp", source.as_str())]);
        request.compile_args = vec![2, 32];
        let image = KernelImage::parse(&store.kernel(&request).unwrap().elf).unwrap();
        let folder = tempfile::tempdir().unwrap();
        for base in [0x3200_u32, 0x1_27F0, 0x16_0000] {
            let elf = folder.path().join("there.elf");
            let linked = store.compiler().unwrap().kernel_at(&request, base).unwrap();
            std::fs::write(&elf, linked).unwrap();
            let binary = folder.path().join("there.bin");
            let status = Command::new("riscv64-unknown-elf-objcopy")
                .args(["-O", "binary", "-j", ".text"])
                .args([&elf, &binary])
                .status()
                .unwrap();
            assert!(status.success());
            let expected = std::fs::read(&binary).unwrap();
            let placed = image.relocate(base).unwrap();
            assert_eq!(placed[..expected.len()], expected, "{base:#x}");
        }
    }

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn the_firmware_is_what_its_sources_give() {
        let compiler = compiler();
        let firmware = root().join("runtime/firmware");
        let locked = std::fs::read_to_string(firmware.join("compiler.txt")).unwrap();
        assert_eq!(
            locked.trim_end(),
            compiler.version(),
            "the bundle was built by another compiler"
        );
        let fresh = tempfile::tempdir().unwrap();
        build_firmware(&compiler, Architecture::WormholeB0, &firmware, fresh.path()).unwrap();
        for entry in std::fs::read_dir(fresh.path()).unwrap() {
            let entry = entry.unwrap();
            let committed = firmware.join("bundles/hallmark-1/wormhole_b0").join(entry.file_name());
            let same = std::fs::read(entry.path()).unwrap() == std::fs::read(&committed).unwrap();
            assert!(same, "{} differs: run scripts/device-code", committed.display());
        }
        let loaded = FirmwareBundle::load(fresh.path(), Architecture::WormholeB0).unwrap();
        let builtin = FirmwareBundle::builtin(Architecture::WormholeB0).unwrap();
        assert_eq!(loaded.hash(), builtin.hash());
    }
}
