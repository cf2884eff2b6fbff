//! The room that a part of the page has: a report may hold more than a page should.

use maud::Markup;

/// What a list of the page may still take, in bytes of HTML.
pub(crate) struct Room {
    bytes: usize,
}

/// The entries of a list that the page has room for.
pub(crate) struct Fitting {
    /// Those entries.
    pub(crate) entries: Vec<Markup>,
    /// How many are left out.
    pub(crate) left_out: u64,
}

impl Room {
    /// Room for so many bytes.
    pub(crate) const fn new(bytes: usize) -> Self {
        Self { bytes }
    }

    /// Takes the room that something needs, if there is as much.
    pub(crate) fn take(&mut self, markup: &Markup) -> bool {
        match self.bytes.checked_sub(markup.0.len()) {
            Some(left) => {
                self.bytes = left;
                true
            }
            None => false,
        }
    }

    /// The first entries of a list, as many as fit. What comes after the first one that does not fit is left out.
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
