//! The names of objects within a `repeat` or a fragment, and their names in captures.

use std::collections::BTreeMap;
use std::rc::Rc;

/// A `repeat` or a fragment around steps.
#[derive(Clone, Debug)]
pub(super) enum Frame {
    /// A round of a `repeat`: its objects are called `name_<round>`.
    Round(u64),
    /// A fragment: its objects are called `<prefix>_name`, and it knows only the outer objects that it was given.
    Fragment {
        /// The `as` of its use.
        prefix: Option<String>,
        /// The names that it was given, by its own names for them.
        given: BTreeMap<String, String>,
    },
}

/// The frames around steps, the innermost last.
#[derive(Clone, Debug, Default)]
pub(super) struct Frames(Rc<[Frame]>);

fn full(frames: &[Frame], name: &str) -> String {
    frames.iter().rev().fold(name.to_owned(), |name, frame| match frame {
        Frame::Round(round) => format!("{name}_{round}"),
        Frame::Fragment { prefix: Some(prefix), .. } => format!("{prefix}_{name}"),
        Frame::Fragment { prefix: None, .. } => name,
    })
}

impl Frames {
    pub(super) fn with(&self, frame: Frame) -> Self {
        Self(self.0.iter().cloned().chain([frame]).collect())
    }

    pub(super) fn without_last(&self) -> Self {
        Self(self.0.iter().take(self.0.len().saturating_sub(1)).cloned().collect())
    }

    /// Whether steps of a fragment are bound.
    pub(super) fn in_fragment(&self) -> bool {
        self.0.iter().any(|frame| matches!(frame, Frame::Fragment { .. }))
    }

    /// The name that captures have for an object that is made here.
    pub(super) fn full(&self, name: &str) -> String {
        full(&self.0, name)
    }

    /// The name that the fragment around was given for a name of its own.
    pub(super) fn alias(&self, name: &str) -> Option<&str> {
        let given = self.0.iter().rev().find_map(|frame| match frame {
            Frame::Fragment { given, .. } => Some(given),
            Frame::Round(_) => None,
        })?;
        given.get(name).map(String::as_str)
    }

    /// The names that captures may have for an object that is known here, the nearest first.
    pub(super) fn candidates(&self, name: &str) -> Vec<String> {
        if let Some(given) = self.alias(name) {
            return vec![given.to_owned()];
        }
        let mut names = Vec::new();
        let mut frames = &*self.0;
        loop {
            names.push(full(frames, name));
            match frames.split_last() {
                Some((Frame::Round(_), outer)) => frames = outer,
                Some((Frame::Fragment { .. }, _)) | None => return names,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_rounds_and_fragments() {
        let given = [("source".to_owned(), "src".to_owned())].into();
        let fragment = Frame::Fragment { prefix: Some("first".to_owned()), given };
        let round = Frames::default().with(Frame::Round(2));
        assert_eq!(round.candidates("a"), ["a_2", "a"]);
        let inside = round.with(fragment.clone());
        assert_eq!(inside.full("a"), "first_a_2");
        assert_eq!(inside.candidates("a"), ["first_a_2"], "nothing of what is outside");
        assert_eq!(inside.candidates("source"), ["src"]);
        let repeated = Frames::default().with(fragment).with(Frame::Round(1));
        assert_eq!(repeated.candidates("a"), ["first_a_1", "first_a"]);
        assert_eq!(repeated.alias("source"), Some("src"));
        assert_eq!(repeated.without_last().full("a"), "first_a");
    }
}
