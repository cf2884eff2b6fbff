//! The room of a part of the page: a report may hold more than a page should.

use maud::Markup;

/// The remaining room of a list, in bytes of HTML.
pub(crate) struct Room {
    bytes: usize,
}

/// The entries of a list that fit on the page.
pub(crate) struct Fitting {
    /// These entries.
    pub(crate) entries: Vec<Markup>,
    /// The number of entries left out.
    pub(crate) left_out: u64,
}

impl Room {
    /// Room for this many bytes.
    pub(crate) const fn new(bytes: usize) -> Self {
        Self { bytes }
    }

    /// Takes room for the markup; `false` if there is not enough.
    pub(crate) fn take(&mut self, markup: &Markup) -> bool {
        match self.bytes.checked_sub(markup.0.len()) {
            Some(left) => {
                self.bytes = left;
                true
            }
            None => false,
        }
    }

    /// The first entries of a list that fit. All entries after the first one that does not fit are left out.
    pub(crate) fn fit<T>(
        &mut self,
        all: impl IntoIterator<Item = T>,
        mut render: impl FnMut(T) -> Markup,
    ) -> Fitting {
        let mut all = all.into_iter();
        let mut entries = Vec::new();
        let mut left_out: u64 = 0;
        for one in all.by_ref() {
            let entry = render(one);
            if !self.take(&entry) {
                left_out = 1;
                break;
            }
            entries.push(entry);
        }
        left_out = left_out.saturating_add(crate::text::to_u64(all.count()));
        Fitting { entries, left_out }
    }
}

#[cfg(test)]
mod tests {
    use maud::html;

    use super::*;

    #[test]
    fn a_list_ends_where_the_room_does() {
        let entry = |number: usize| html! { (number) };
        let fit = |bytes| {
            let fitting = Room::new(bytes).fit(0..10, entry);
            (fitting.entries.len(), fitting.left_out)
        };
        assert_eq!(fit(10), (10, 0));
        assert_eq!(fit(9), (9, 1));
        assert_eq!(fit(0), (0, 10));
    }
}
