//! Some lines of a kernel's source, one of them marked.

use maud::{Markup, html};

use super::captioned;
use crate::picture::SourceExcerpt;
use crate::text::{line, word};

/// The largest number of lines.
const SHOWN: usize = 15;

/// The lines with their sentence.
pub(super) fn figure(excerpt: &SourceExcerpt) -> Markup {
    let SourceExcerpt { who, file, first, line: marked, lines } = excerpt;
    let caption = html! { (line(who)) " at " code { (word(file)) ":" (marked) } };
    // The marked line must be among the shown ones.
    let before = usize::try_from(marked.saturating_sub(*first)).unwrap_or(usize::MAX);
    let skipped = before.saturating_sub(SHOWN / 2);
    let shown = lines.iter().zip(*first..=u32::MAX).skip(skipped).take(SHOWN);
    let content = html! {
        pre.source {
            @for (text, number) in shown {
                @let class = (number == *marked).then_some("marked");
                span class=[class] { i { (format!("{number:>5} ")) } (line(text)) "\n" }
            }
        }
    };
    captioned("excerpt", &caption, &content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_is_meant_is_marked() {
        let excerpt = SourceExcerpt {
            who: "(1,2) BRISC".to_owned(),
            file: "copy.cpp".to_owned(),
            first: 13,
            line: 14,
            lines: ["a();", "b<int>();", "c();"].map(str::to_owned).to_vec(),
        };
        let text = figure(&excerpt).into_string();
        let marked = "<span class=\"marked\"><i>   14 </i>b&lt;int&gt;();\n</span>";
        assert!(text.contains(marked), "{text}");
        assert_eq!(text.matches("marked").count(), 1);
    }

    #[test]
    fn the_line_that_is_meant_is_shown_however_far_down_it_is() {
        let excerpt = SourceExcerpt {
            who: String::new(),
            file: String::new(),
            first: 1,
            line: 80,
            lines: (1..=100).map(|line| format!("line {line};")).collect(),
        };
        let text = figure(&excerpt).into_string();
        assert!(text.contains("<span class=\"marked\"><i>   80 </i>line 80;"), "{text}");
        assert_eq!(text.matches("<span").count(), SHOWN);
    }

    #[test]
    fn numbers_of_lines_do_not_overflow() {
        let excerpt = SourceExcerpt {
            who: String::new(),
            file: String::new(),
            first: u32::MAX - 1,
            line: u32::MAX,
            lines: vec![String::new(); 100],
        };
        assert!(figure(&excerpt).into_string().matches("<span").count() <= SHOWN);
    }
}
