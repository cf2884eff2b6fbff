//! Configuration files: their keys and mistakes, the order in which they count, and trust.

use super::*;

/// What a root's file gives, with the mistakes as they are drawn.
fn read(text: &str, owner: Owner) -> Result<FileSettings, String> {
    let source = SourceText { path: ROOT_FILE.to_owned(), text: text.into() };
    read_text(text, Path::new("/r"), owner).map_err(|mistakes| {
        let locate = |mistake| LocatedMistake { file: source.clone(), mistake };
        SuiteMistakes(mistakes.into_iter().map(locate).collect()).to_string()
    })
}

const EVERYTHING: &str = r#"
# A comment.
architectures = ["bh", "wormhole_b0"]
devices = ["sim", "wh=sim:wh:harvested=0x3"]
replay_devices = ["bh=sim dispatch=device"]
firmware = "fw"
dispatch = "overlap"
jobs = 3
timeout = 300
memory = "2GiB"
color = "never"
"#;

#[test]
fn every_key_is_read() {
    let settings = read(EVERYTHING, Owner::Root).unwrap();
    let both = vec![Architecture::WormholeB0, Architecture::Blackhole];
    assert_eq!(settings.architectures, Some(both));
    assert_eq!(settings.devices.len(), 2);
    assert_eq!(settings.replay_devices.len(), 1);
    assert_eq!(settings.firmware.unwrap().value, Path::new("/r/fw"));
    assert_eq!(settings.dispatch, Some(Dispatch::Overlap));
    assert_eq!(settings.jobs, Some(3));
    assert_eq!(settings.timeout.map(|it| it.value), Some(300));
    assert_eq!(settings.memory.map(|it| it.value), Some(MemorySize(2 << 30)));
    assert_eq!(settings.color, Some(ColorChoice::Never));
    let own = read("trusted_roots = [\"/a\"]", Owner::User).unwrap();
    assert_eq!(own.trusted_roots, [Path::new("/a")]);
    assert!(read("", Owner::Root).unwrap().architectures.is_none());
}

#[test]
fn the_list_of_keys_is_complete() {
    for key in KEYS {
        let error = read(&format!("{key} = 2020-01-01"), Owner::User).unwrap_err();
        assert!(!error.contains("there is no setting"), "{error}");
    }
}

#[test]
fn mistakes_say_where_and_what_is_possible() {
    let error = |text: &str| read(text, Owner::Root).unwrap_err();
    insta::assert_snapshot!(error("jobs = 4\narchitecturs = [\"wh\"]\n"));
    for (text, parts) in [
        ("arch = ['wh']", &["there is no setting `arch`", "did you mean `architectures`?"][..]),
        ("frimware = 'x'", &["hallmark.toml:1:1", "did you mean `firmware`?"]),
        ("jobs = 4\n[run]\njobs = 4", &["hallmark.toml:2:2", "no setting `run`"]),
        ("architectures = ['wh', 'w']", &["hallmark.toml:1:24", "unknown architecture `w`"]),
        ("architectures = []", &["no architecture is named"]),
        ("architectures = 'wh'", &["hallmark.toml:1:17", "invalid type"]),
        ("devices = ['pci:0']", &["its architecture is missing", "write `ARCHITECTURE=pci:0`"]),
        ("devices = ['sim', 'sin']", &["hallmark.toml:1:19", "unknown device `sin`"]),
        ("firmware = ''", &["the path is empty"]),
        ("dispatch = 'devcie'", &["did you mean `device`?"]),
        ("jobs = 0", &["0 is not a possible number of tests", "a number from 1 to 1024"]),
        ("jobs = 1025", &["1025 is not"]),
        ("jobs = '4'", &["hallmark.toml:1:8", "invalid type"]),
        ("timeout = 0", &["0 is not a possible number of seconds", "a number from 1 to 86400"]),
        ("timeout = 86401", &["86401 is not"]),
        ("timeout = '60 s'", &["hallmark.toml:1:11", "invalid type"]),
        ("memory = '2 dozen'", &["not a size of memory"]),
        ("color = 'no'", &["one of `auto`, `always`, `never`"]),
        (
            "trusted_roots = ['/']",
            &["a root's file cannot say which roots are trusted", "in your own file"],
        ),
        ("jobs = 4\njobs = 5", &["hallmark.toml:2:1", "duplicate key"]),
        ("jobs = ", &["hallmark.toml:1:8"]),
        ("x", &["hallmark.toml:1:2"]),
    ] {
        let error = error(text);
        for part in parts {
            assert!(error.contains(part), "{text}: {error}");
        }
    }
    assert!(read("jobs = 1\n", Owner::Root).is_ok() && read("jobs = 1024", Owner::Root).is_ok());
    let error = read("trusted_roots = ['a']", Owner::User).unwrap_err();
    assert!(error.contains("`a` is not a whole path"), "{error}");
}

#[test]
fn changed_bytes_are_read_or_are_a_mistake_within_the_text() {
    // The text with a byte of each kind put, replaced or taken at every place, and every beginning of it.
    let bytes = EVERYTHING.as_bytes();
    let mut texts: Vec<Vec<u8>> = (0..bytes.len()).map(|end| bytes[..end].to_vec()).collect();
    for at in 0..bytes.len() {
        for byte in *b"\"'[]={}.,#\n\0 -9x\\" {
            let mut put = bytes.to_vec();
            put.insert(at, byte);
            let mut replaced = bytes.to_vec();
            replaced[at] = byte;
            texts.extend([put, replaced]);
        }
        let mut taken = bytes.to_vec();
        taken.remove(at);
        texts.push(taken);
    }
    let deep = format!("devices = {}", "[".repeat(60_000));
    texts.push(deep.into_bytes());
    let mut wrong = 0;
    for text in texts {
        let text = String::from_utf8(text).unwrap();
        let Err(mistakes) = read_text(&text, Path::new("/r"), Owner::Root) else { continue };
        wrong += 1;
        assert!(!mistakes.is_empty());
        for Mistake { message, span, .. } in mistakes {
            assert!(!message.is_empty(), "{text}");
            assert!(span.start + span.length <= text.len(), "{span:?} of {text}");
        }
    }
    assert!(wrong > 1000, "{wrong}");
}

/// A root and a home, each in a folder of its own.
struct Folders {
    root: tempfile::TempDir,
    home: tempfile::TempDir,
}

impl Folders {
    fn new(root_file: &str, user_file: &str) -> Self {
        let folders =
            Self { root: tempfile::tempdir().unwrap(), home: tempfile::tempdir().unwrap() };
        std::fs::write(folders.root.path().join(ROOT_FILE), root_file).unwrap();
        std::fs::write(folders.user_file(), user_file).unwrap();
        folders
    }

    fn user_file(&self) -> PathBuf {
        self.home.path().join("config.toml")
    }

    fn read(&self, trusts: bool) -> Result<Configuration, String> {
        Configuration::read(Some(self.root.path()), Some(&self.user_file()), trusts)
            .map_err(|error| error.to_string())
    }
}

#[test]
fn the_file_of_the_root_counts_more_than_that_of_the_user() {
    let of_root = "jobs = 2\ndevices = ['bh=sim dispatch=device']\n";
    let folders = Folders::new(of_root, "jobs = 3\ncolor = 'never'\ndevices = ['sim']\n");
    let configuration = folders.read(false).unwrap();
    let user_file = folders.user_file().display().to_string();
    assert_eq!(configuration.jobs, Some(Setting { value: 2, file: ROOT_FILE.into() }));
    let color = Setting { value: ColorChoice::Never, file: user_file.as_str().into() };
    assert_eq!(configuration.color, Some(color));
    let file = |it| configuration.devices[&it].file.to_string();
    assert_eq!(file(Architecture::Blackhole), ROOT_FILE);
    assert_eq!(file(Architecture::WormholeB0), user_file);
    assert_eq!(configuration.usual_architectures(), default_architectures());
    let alone = Configuration::read(None, Some(&folders.user_file()), false).unwrap();
    assert_eq!(alone.jobs.unwrap().value, 3);
    let neither = tempfile::tempdir().unwrap();
    let nothing = Configuration::read(Some(neither.path()), None, false).unwrap();
    assert_eq!(nothing, Configuration::default());
}

#[test]
fn a_root_reaches_out_of_itself_only_if_the_user_trusts_it() {
    let place = tempfile::tempdir().unwrap();
    let outside = place.path().display();
    for (text, named) in [
        ("devices = ['wh=ttsim:lib.so']".to_owned(), "names a library"),
        ("replay_devices = ['wh=ttsim:/lib.so']".to_owned(), "names a library"),
        ("replay_devices = ['hallmark:old']".to_owned(), "names an executable"),
        ("devices = ['wh=metalium:site@ttsim:lib.so']".to_owned(), "names a folder of libraries"),
        ("devices = ['bh=pci:0']".to_owned(), "names a card"),
        (
            "devices = ['misbehaving:flips_bit:bh:chance=0.5:seed=1:counter=f']".to_owned(),
            "names a file to write",
        ),
        (format!("devices = ['sim firmware={outside}']"), "names a path outside itself"),
        (format!("devices = ['sim kernels={outside}']"), "names a path outside itself"),
        (format!("firmware = '{outside}'"), "names a path outside itself"),
        ("firmware = '..'".to_owned(), "names a path outside itself"),
        ("firmware = 'link'".to_owned(), "names a path outside itself"),
        (
            "timeout = 3601".to_owned(),
            "lets a test run longer than 3600 s, the most that a suite may give",
        ),
        ("memory = '1025MiB'".to_owned(), "lets a worker take more memory than 1 GiB"),
    ] {
        let folders = Folders::new(&text, "");
        let root = folders.root.path();
        std::os::unix::fs::symlink(place.path(), root.join("link")).unwrap();
        let refused = folders.read(false).unwrap_err();
        let whole = root.canonicalize().unwrap();
        for part in [
            &format!("this root {named}, and you have not said that you trust it"),
            "--trust allows it for one command",
            &format!(
                "`trusted_roots = [\"{}\"]` in {}",
                whole.display(),
                folders.user_file().display()
            ),
        ] {
            assert!(refused.contains(part), "{text}: {refused}");
        }
        let of_trusted = folders.read(true);
        // Nothing else is wrong with it but what it names.
        assert!(
            of_trusted.is_ok() || text.starts_with("replay_devices = ['hallmark"),
            "{of_trusted:?}"
        );
        let trusting = format!("trusted_roots = ['{}']", whole.display());
        std::fs::write(folders.user_file(), trusting).unwrap();
        assert!(!folders.read(false).is_err_and(|error| error.contains("trust")), "{text}");
        std::fs::write(folders.user_file(), "trusted_roots = ['/nowhere', '/']").unwrap();
        assert!(folders.read(false).unwrap_err().contains("trust"), "{text}");
        // The user's own file may name it.
        let of_user = text.replace("'..'", "'/'").replace("'link'", "'/'");
        std::fs::write(folders.user_file(), of_user).unwrap();
        std::fs::write(root.join(ROOT_FILE), "").unwrap();
        assert!(!folders.read(false).is_err_and(|error| error.contains("trust")), "{text}");
    }
    assert!(Folders::new("memory = '1GiB'\ntimeout = 3600", "").read(false).is_ok());
    let inside = Folders::new("firmware = 'fw'\ndevices = ['sim kernels=fw']", "");
    let absent = inside.read(false).unwrap_err();
    assert!(absent.contains("there is no firmware folder"), "{absent}");
    std::fs::create_dir(inside.root.path().join("fw")).unwrap();
    assert!(inside.read(false).is_ok());
}

#[test]
fn an_architecture_has_one_device_in_a_file() {
    let choice = |configuration: &Configuration, architecture| {
        configuration.devices[&architecture].value.to_string()
    };
    for devices in ["'sim dispatch=device', 'wh=sim'", "'wh=sim', 'sim dispatch=device'"] {
        let folders = Folders::new(&format!("devices = [{devices}]"), "");
        let configuration = folders.read(false).unwrap();
        assert_eq!(choice(&configuration, Architecture::WormholeB0), "sim");
        assert!(choice(&configuration, Architecture::Blackhole).ends_with("dispatch=device"));
    }
    for (devices, of) in [
        ("'wh=sim', 'bh=sim', 'sim:wh dispatch=device'", "wormhole_b0"),
        ("'sim dispatch=device', 'sim'", "all architectures"),
    ] {
        for key in ["devices", "replay_devices"] {
            let error = Folders::new(&format!("{key} = [{devices}]"), "").read(false).unwrap_err();
            let expected = format!("this is the second device of {of}");
            assert!(error.contains(&expected), "{error}");
            assert_eq!(error.matches("this is the second").count(), 1, "{error}");
        }
    }
}

#[test]
fn a_file_is_a_regular_one_up_to_the_limit() {
    let folders = Folders::new("", "");
    let file = folders.root.path().join(ROOT_FILE);
    let limit = usize::try_from(FILE_LIMIT).unwrap();
    let text = |length: usize| format!("jobs = 2 #{}", "x".repeat(length - 10));
    std::fs::write(&file, text(limit)).unwrap();
    assert_eq!(folders.read(false).unwrap().jobs.unwrap().value, 2);
    std::fs::write(&file, text(limit + 1)).unwrap();
    assert_eq!(folders.read(false).unwrap_err(), "hallmark.toml: has more than 64 KiB");
    std::fs::write(&file, b"jobs = 2 # \xff").unwrap();
    let error = folders.read(false).unwrap_err();
    assert_eq!(error, "hallmark.toml: is not UTF-8 text: byte 11 belongs to no character");
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", &file).unwrap();
    assert!(folders.read(false).unwrap_err().contains("is a symbolic link"));
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    assert_eq!(folders.read(false).unwrap_err(), "hallmark.toml: is not a file");
}

#[test]
fn the_file_of_the_user_s_own_is_where_others_are() {
    let of = |variables: &[(&str, &str)]| {
        let found = |name: &str| variables.iter().find(|(it, _)| *it == name);
        user_file(|name| found(name).map(|(_, value)| (*value).into()))
    };
    let home = Some(PathBuf::from("/h/.config/hallmark/config.toml"));
    assert_eq!(of(&[("HOME", "/h")]), home);
    assert_eq!(of(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "")]), home);
    assert_eq!(of(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "relative")]), home);
    let given = Some(PathBuf::from("/c/hallmark/config.toml"));
    assert_eq!(of(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "/c")]), given);
    assert_eq!(of(&[]), None);
}
