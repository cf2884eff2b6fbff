//! Axes: their spelling, their versions, and refused ones.

use super::*;

const CONTEXT: AxisContext =
    AxisContext { architecture: Architecture::Blackhole, loads_firmware: false };

fn read(text: &str) -> Result<Axis, String> {
    let text: AxisText = text.parse().map_err(|error: AxisError| error.to_string())?;
    Axis::read(&text, &CONTEXT).map_err(|error| error.to_string())
}

/// Folders with one file each, by name and content.
fn folders(of: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in of {
        std::fs::create_dir_all(folder.path().join(name)).unwrap();
        std::fs::write(folder.path().join(name).join("brisc.elf"), content).unwrap();
    }
    folder
}

/// The names of versions below a folder, each with its equal neighbours.
fn names(axis: &Axis, folder: &Path) -> Vec<Vec<String>> {
    let short =
        |name: &String| Path::new(name).strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
    let of =
        |version: &Version| [&version.name].into_iter().chain(&version.alike).map(short).collect();
    axis.versions.iter().map(of).collect()
}

#[test]
fn patterns_are_in_the_order_of_versions_and_equal_neighbours_are_one() {
    let folder = folders(&[
        ("1.10", "c"),
        ("1.9", "b"),
        ("1.8", "a"),
        ("1.11", "c"),
        ("1.12", "b"),
        ("1.13", "b"),
    ]);
    let at = folder.path().display();
    let axis = read(&format!("firmware={at}/1.*")).unwrap();
    let expected: [&[&str]; 4] = [&["1.8"], &["1.9"], &["1.10", "1.11"], &["1.12", "1.13"]];
    assert_eq!(names(&axis, folder.path()), expected);
    assert_eq!(axis.versions[1].hash, axis.versions[3].hash, "wherever it is");
    // An explicit list keeps its order.
    let axis = read(&format!("kernels={at}/1.10, {at}/1.8")).unwrap();
    assert_eq!(names(&axis, folder.path()), [["1.10"], ["1.8"]]);
}

#[test]
fn a_list_names_a_version_a_line() {
    let folder = folders(&[("1", "a"), ("2", "b"), ("3", "c")]);
    let at = folder.path().display();
    let list = folder.path().join("list");
    std::fs::write(&list, format!("{at}/3\n\n  {at}/1  \n{at}/2\n")).unwrap();
    let axis = read(&format!("firmware=@{}", list.display())).unwrap();
    assert_eq!(names(&axis, folder.path()), [["3"], ["1"], ["2"]]);
    std::fs::write(&list, [0xff]).unwrap();
    let error = read(&format!("firmware=@{}", list.display())).unwrap_err();
    assert!(error.contains("list cannot be read"), "{error}");
}

#[test]
fn what_is_built_in_needs_no_path() {
    let folder = folders(&[("1", "a")]);
    let at = folder.path().display();
    let axis = read(&format!("firmware={at}/1,builtin")).unwrap();
    assert!(matches!(axis.versions[1].part, Part::Firmware(None)));
    let axis = read("executor=sim:blackhole,misbehaving:flips_bit:blackhole").unwrap();
    assert!(matches!(axis.versions[1].part, Part::Executor(_)));
}

#[test]
fn firmware_of_another_abi_is_there_and_cannot_be_used() {
    let folder = folders(&[("1", "a")]);
    let at = folder.path().display();
    let text = format!("firmware=builtin,{at}/1").parse().unwrap();
    let context = AxisContext { loads_firmware: true, ..CONTEXT };
    let axis = Axis::read(&text, &context).unwrap();
    assert_eq!(axis.versions[0].unusable, None);
    let reason = axis.versions[1].unusable.as_deref().unwrap();
    assert!(reason.contains("manifest.json"), "{reason}");
}

#[test]
fn what_is_no_axis_is_refused_with_the_reason() {
    let folder = folders(&[("1", "a"), ("2", "a")]);
    let at = folder.path().display();
    std::fs::write(folder.path().join("none.lmb"), "none").unwrap();
    for (wrong, words) in [
        ("", "is no axis of versions; write executor|hallmark|ttsim|firmware|kernels|capture="),
        ("firmware", "is no axis of versions"),
        ("board=1,2", "`board=1,2` is no axis of versions"),
        ("firmware=", "the axis firmware names no version"),
        ("firmware=,", "the axis firmware names no version"),
        ("firmware=/nowhere", "firmware=/nowhere: there is no such folder"),
        ("firmware=/nowhere/*", "firmware=/nowhere/*: there is no such folder"),
        ("firmware=/[", "firmware=/[: Pattern syntax error"),
        ("hallmark=/nowhere", "hallmark=/nowhere: there is no such executable"),
        ("ttsim=/nowhere,/elsewhere", "ttsim=/nowhere: there is no such library"),
        ("capture=/nowhere", "capture=/nowhere: there is no such capture"),
        ("firmware=builtin", "the axis firmware has one version, `builtin`; it takes two"),
        ("executor=sim,qemu:1", "unknown kind of device `qemu`"),
        (&format!("firmware={at}/1,{at}/2"), "and 1 more with the same contents"),
        (&format!("capture={at}/none.lmb"), "none.lmb: "),
        (&format!("ttsim={at}/1"), "there is no such library"),
    ] {
        let error = read(wrong).unwrap_err();
        assert!(error.contains(words), "{wrong}: {error}");
    }
    let texts = ["firmware=builtin", "firmware=builtin"].map(|text| text.parse().unwrap());
    let error = Axis::read_all(&texts[..1], &CONTEXT).unwrap_err().to_string();
    assert!(error.contains("it takes two that differ"), "{error}");
    let both = [&format!("firmware={at}/1,builtin"), &format!("firmware=builtin,{at}/1")];
    let both = both.map(|text| text.parse().unwrap());
    let error = Axis::read_all(&both, &CONTEXT).unwrap_err().to_string();
    assert!(error.contains("the axis firmware stands twice"), "{error}");
}

#[test]
fn a_name_with_the_letters_of_a_pattern_means_what_has_that_name() {
    let folder = folders(&[("fw[1]", "a"), ("fw1", "b"), ("fw2", "c")]);
    let at = folder.path().display();
    let axis = read(&format!("kernels={at}/fw[1],{at}/fw[12]")).unwrap();
    assert_eq!(names(&axis, folder.path()), [["fw[1]"], ["fw1"], ["fw2"]]);
    let text: AxisText = format!("kernels={at}/fw[12]").parse().unwrap();
    assert_eq!(text.first().unwrap(), format!("{at}/fw1"));
}

#[test]
fn what_is_built_in_is_the_same_as_its_copy() {
    let folder = tempfile::tempdir().unwrap();
    let chip = CONTEXT.architecture;
    let files = hallmark_runtime::device_code::BundleFiles::read(None, chip).unwrap();
    // A rewritten manifest may or may not have the bytes of the built-in one; a second copy equals the first.
    for name in ["1", "2"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
        files.write(&folder.path().join(name)).unwrap();
    }
    // Files that the manifest does not name are ignored.
    std::fs::write(folder.path().join("2/README"), "text").unwrap();
    let at = folder.path().display();
    let error = read(&format!("firmware={at}/1,{at}/2")).unwrap_err();
    assert!(error.contains("and 1 more with the same contents"), "{error}");
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../runtime/firmware/bundles/hallmark-1")
        .join(chip.name());
    let error = read(&format!("firmware=builtin,{}", source.display())).unwrap_err();
    assert!(error.contains("and 1 more with the same contents"), "{error}");
    let this = std::env::current_exe().unwrap();
    let copy = folder.path().join("copy");
    std::fs::copy(this, &copy).unwrap();
    let error = read(&format!("hallmark=this,{}", copy.display())).unwrap_err();
    assert!(error.contains("and 1 more with the same contents"), "{error}");
}
