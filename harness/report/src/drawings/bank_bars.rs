//! Banks of memory as bars: the number of a buffer's pages in each, and the number of differing ones.

use maud::{Markup, html};

use super::captioned;
use super::svg::{Anchor, Area, Drawing, Point};
use crate::picture::{Bank, BankBars};
use crate::text::{counted, grouped, line, to_u64, word};

/// Height of the longest bar.
const HEIGHT: i32 = 64;
/// Height of the labels below the bars.
const BELOW: i32 = 18;
/// Width of all bars together, if each fits.
const WIDTH: usize = 512;
/// The largest number of drawn banks.
const DRAWN: usize = 256;

/// The bars with their sentence.
pub(super) fn figure(bars: &BankBars) -> Markup {
    let hit: Vec<&Bank> = bars.banks.iter().filter(|bank| bank.differing > 0).collect();
    let count = to_u64(bars.banks.len());
    let caption = html! {
        "Differing pages of " code { (word(&bars.buffer)) } " lie in "
        b {
            @match hit.as_slice() {
                [one] => { (word(&bars.memory)) " bank " (grouped(one.bank)) ", " (word(&one.place)) }
                _ => { (grouped(to_u64(hit.len()))) " of " (counted(count, "bank", "banks")) }
            }
        }
        @if hit.len() == 1 { ", one of " (counted(count, "bank", "banks")) }
        @else { " of " (word(&bars.memory)) }
    };
    captioned("banks", &caption, &drawing(bars))
}

fn drawing(bars: &BankBars) -> Markup {
    let drawn = bars.banks.get(..DRAWN.min(bars.banks.len())).unwrap_or_default();
    let pitch = WIDTH.checked_div(drawn.len()).unwrap_or(WIDTH).clamp(4, 40);
    let pitch = i32::try_from(pitch).unwrap_or(4);
    let width = i32::try_from(drawn.len()).unwrap_or(0).saturating_mul(pitch).max(pitch);
    let highest = drawn.iter().map(|bank| bank.pages).max().unwrap_or(0).max(1);
    let title = format!("Pages of {} by bank", bars.buffer);
    let mut drawing = Drawing::new(width, HEIGHT.saturating_add(BELOW), title);
    // Numbers that would overlap are left out.
    let every = if pitch >= 20 { 1 } else { 8 };
    let mut x: i32 = 0;
    for bank in drawn {
        let bar = |pages: u64| {
            let scaled = u128::from(pages) * u128::from(HEIGHT.unsigned_abs());
            let height = scaled.div_ceil(u128::from(highest));
            i32::try_from(height).unwrap_or(HEIGHT).clamp(0, HEIGHT)
        };
        let area = |height: i32| Area {
            x,
            y: HEIGHT.saturating_sub(height),
            width: pitch.saturating_sub(2).max(2),
            height,
        };
        let about = format!(
            "bank {}, {}: {} of {} differ",
            grouped(bank.bank),
            bank.place,
            grouped(bank.differing),
            counted(bank.pages, "page", "pages")
        );
        drawing.rectangle(area(bar(bank.pages)), "cell", None);
        if bank.differing > 0 {
            let height = bar(bank.differing.min(bank.pages)).max(2);
            drawing.rectangle(area(height), "bad", Some(line(&about)));
        }
        if bank.bank.is_multiple_of(every) {
            let middle = x.saturating_add(pitch / 2).saturating_sub(1);
            let at = Point { x: middle, y: HEIGHT.saturating_add(14) };
            drawing.text(at, Anchor::Middle, "axis", grouped(bank.bank));
        }
        x = x.saturating_add(pitch);
    }
    let left_out = bars.banks.len().saturating_sub(drawn.len());
    html! {
        (drawing.render())
        @if left_out > 0 { p.legend { "The first " (grouped(to_u64(DRAWN))) " banks are drawn." } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(banks: u64, hit: &[u64]) -> String {
        let bank = |bank| Bank {
            bank,
            place: format!("tile (0,{bank})"),
            pages: 4,
            differing: if hit.contains(&bank) { 3 } else { 0 },
        };
        let banks = (0..banks).map(bank).collect();
        let bars = BankBars { memory: "DRAM".to_owned(), buffer: "dst".to_owned(), banks };
        figure(&bars).into_string()
    }

    #[test]
    fn one_bank_is_named_and_several_are_counted() {
        let one = bars(12, &[3]);
        assert!(one.contains("<b>DRAM bank 3, tile (0,3)</b>, one of 12 banks"), "{one}");
        assert_eq!(one.matches("class=\"bad\"").count(), 1);
        assert!(one.contains("bank 3, tile (0,3): 3 of 4 pages differ"), "{one}");
        let two = bars(12, &[3, 4]);
        assert!(two.contains("<b>2 of 12 banks</b> of DRAM"), "{two}");
        assert_eq!(bars(300, &[299]).matches("<rect").count(), DRAWN);
        assert!(bars(0, &[]).contains("<b>0 of 0 banks</b>"));
    }
}
