//! Symbolic links below a folder. A suite may come from a stranger, and a link in it could lead to any file of the
//! machine, whose bytes would come into captures and reports.

use std::io;
use std::path::Path;

/// Refuses a path below a folder if a part of it is a symbolic link. The folder itself may be one: it is the user's.
///
/// # Errors
/// The error names the first part that is a link.
pub fn refuse_links(folder: &Path, path: &str) -> io::Result<()> {
    let mut place = folder.to_owned();
    for part in path.split('/') {
        place.push(part);
        if place.is_symlink() {
            let shown = place.strip_prefix(folder).unwrap_or(&place).display();
            let text = format!(
                "`{shown}` is a symbolic link, and no link is followed; put the file itself there"
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceClosure;

    /// A firmware folder may be a stranger's, too.
    #[test]
    fn no_link_and_no_pipe_of_a_firmware_folder_is_read() {
        use hallmark_chip::Architecture;

        use crate::FirmwareBundle;

        let bundle =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../firmware/bundles/hallmark-1/wormhole_b0");
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("firmware");
        std::fs::create_dir(&folder).unwrap();
        for file in std::fs::read_dir(bundle).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), folder.join(file.file_name())).unwrap();
        }
        let load = || FirmwareBundle::load(&folder, Architecture::WormholeB0);
        load().unwrap();
        for file in ["brisc.elf", "manifest.json"] {
            let (inside, outside) = (folder.join(file), place.path().join("outside"));
            std::fs::rename(&inside, &outside).unwrap();
            std::os::unix::fs::symlink(&outside, &inside).unwrap();
            let said = load().unwrap_err().to_string();
            assert!(said.contains(&format!("`{file}` is a symbolic link")), "{said}");
            std::fs::remove_file(&inside).unwrap();
            let made = std::process::Command::new("mkfifo").arg(&inside).status().unwrap();
            assert!(made.success());
            let said = load().unwrap_err().to_string();
            assert!(said.contains("not a file, but a folder, a pipe or a device"), "{said}");
            std::fs::remove_file(&inside).unwrap();
            std::fs::rename(&outside, &inside).unwrap();
        }
        load().unwrap();
    }

    #[test]
    fn a_link_is_refused_wherever_it_stands_below_the_folder() {
        let place = tempfile::tempdir().unwrap();
        let suites = place.path().join("suites");
        std::fs::create_dir_all(suites.join("kernels")).unwrap();
        std::fs::write(place.path().join("secret"), "secret").unwrap();
        std::fs::write(suites.join("kernels/k.cpp"), "#include \"x.h\"\n").unwrap();
        let link = |to: &str, at: &str| {
            let (to, at) = (place.path().join(to), place.path().join(at));
            std::os::unix::fs::symlink(to, at).unwrap();
        };
        link("secret", "suites/kernels/x.h");
        link("suites/kernels", "suites/more");
        link("nothing", "suites/dangling");
        link("suites", "linked");
        for (path, named) in
            [("kernels/x.h", "kernels/x.h"), ("more/k.cpp", "more"), ("dangling", "dangling")]
        {
            let said = refuse_links(&suites, path).unwrap_err().to_string();
            assert!(said.starts_with(&format!("`{named}` is a symbolic link")), "{said}");
        }
        assert!(refuse_links(&suites, "kernels/k.cpp").is_ok());
        assert!(refuse_links(&place.path().join("linked"), "kernels/k.cpp").is_ok());
        for path in ["kernels/k.cpp", "more/k.cpp", "kernels/x.h"] {
            let said = SourceClosure::read(&suites, path).unwrap_err().to_string();
            assert!(said.contains("is a symbolic link"), "{path}: {said}");
        }
    }
}
