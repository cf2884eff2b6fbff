//! Pages about packages with a liar's texts.

use hallmark_certification::results::RunVerdict;
use hallmark_pipeline::verdict::Verdict;

use crate::common::{command, text};
use crate::firmware::PROFILE;
use crate::firmware_builds::{Build, builds};
use crate::forgeries::{Forgery, root};
use crate::roots::{hallmark, part_of_the_repository, profile};

/// A text that a browser would obey if the page did not escape it.
const SCRIPT: &str =
    "</title></style><script>alert(1)</script><img src=x onerror=alert(1)> javascript:alert(1)";

#[test]
fn what_a_liar_writes_is_text_on_the_page() {
    let mut forgery = Forgery::begin();
    forgery.results(|results| {
        results[0].verdict = RunVerdict(Verdict::Mismatch);
        results[0].lines = vec![SCRIPT.to_owned(), SCRIPT.to_owned()];
        results[1].verdict = RunVerdict(Verdict::Skipped { reason: SCRIPT.to_owned() });
        results[2].waiver = Some(SCRIPT.to_owned());
    });
    forgery.predicate.subject.name = SCRIPT.to_owned();
    forgery.predicate.profile.edition = SCRIPT.to_owned();
    forgery.predicate.hallmark = SCRIPT.to_owned();
    let folder = tempfile::tempdir().unwrap();
    let (package, page) = (folder.path().join("<b>x.hallmark"), folder.path().join("x.html"));
    std::fs::write(&package, forgery.end()).unwrap();
    let said =
        command(root()).args(["package", "report"]).arg(&package).arg("-o").arg(&page).output();
    let said = said.unwrap();
    assert_eq!(said.status.code(), Some(13), "{}", text(&said));
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'; "), "{page}");
    // The page holds the lines of the failure, its reason and the facts, and none of them is a tag.
    assert!(page.matches("&lt;script&gt;").count() >= 5, "{page}");
    for tag in ["<script", "<img", "<b>x", "href=\"javascript:"] {
        assert!(!page.contains(tag), "{tag}: {page}");
    }
    // A rejected package has no account of its own: all its words are the submitter's.
    assert!(page.contains("The submitter's account, which nobody has checked:"), "{page}");
    assert_eq!(page.matches("</style>").count(), 1, "{page}");
    assert_eq!(page.matches("</title>").count(), 1, "{page}");
}

/// A waived failure whose words the submitter has made up.
#[test]
fn words_that_no_capture_gives_stand_under_their_heading() {
    const HEADING: &str = "account, which nobody has checked:";
    let builds = builds(&[Build::Broken("brisc.elf")]);
    let root = part_of_the_repository(&["circular_buffers/pages"]);
    let case = "circular_buffers::pages::each_index::producer=riscv_1";
    let text_of_profile =
        PROFILE.replace("dataflow::loopback::one_core::pages=1::page_size=32", case);
    profile(root.path(), "build", &text_of_profile);
    let firmware = builds.path().join("1.1");
    let made = ["certify", "build", "-o", "x.hallmark", "--firmware", firmware.to_str().unwrap()];
    assert_eq!(hallmark(root.path(), &made).status.code(), Some(1));
    let page = |package: &str| {
        let said = hallmark(root.path(), &["package", "report", package, "-o", "x.html"]);
        assert_eq!(said.status.code(), Some(13), "{}", text(&said));
        std::fs::read_to_string(root.path().join("x.html")).unwrap()
    };
    // The captures give what an honest submitter says, but for the name of the memory, which no capture holds.
    let honest = page("x.hallmark");
    let (own, submitted) = honest.split_once(HEADING).unwrap();
    assert!(own.contains("which nothing has written since power-on"), "{own}");
    assert!(own.contains("The capturing run and the replay agree"), "{own}");
    let (submitted, _) = submitted.split_once("again").unwrap();
    assert!(submitted.contains("is byte 0 of page 0 of buffer"), "{submitted}");
    assert!(!submitted.contains("power-on") && !submitted.contains("agree"), "{submitted}");
    let mut forgery = Forgery::of(&std::fs::read(root.path().join("x.hallmark")).unwrap());
    forgery.results(|all| {
        all.iter_mut().for_each(|result| result.lines = vec!["The kernel is wrong.".to_owned()]);
    });
    std::fs::write(root.path().join("y.hallmark"), forgery.end()).unwrap();
    let forged = page("y.hallmark");
    let (own, submitted) = forged.split_once(HEADING).unwrap();
    assert!(own.contains("which nothing has written since power-on"), "{own}");
    assert!(!own.contains("The kernel is wrong."), "{own}");
    assert!(submitted.contains("The kernel is wrong."), "{submitted}");
    let export = ["package", "export", "y.hallmark", "--as", "github-annotations"];
    let annotations = text(&hallmark(root.path(), &export));
    let (own, submitted) = annotations.split_once(HEADING).unwrap();
    assert!(own.contains("nothing has written") && submitted.contains("is wrong"), "{annotations}");
}
