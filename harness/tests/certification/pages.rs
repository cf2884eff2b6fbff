//! Pages about packages with a liar's texts.

use hallmark_certification::results::RunVerdict;
use hallmark_pipeline::verdict::Verdict;

use crate::common::{command, text};
use crate::forgeries::{Forgery, root};

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
    assert_eq!(page.matches("</style>").count(), 1, "{page}");
    assert_eq!(page.matches("</title>").count(), 1, "{page}");
}
