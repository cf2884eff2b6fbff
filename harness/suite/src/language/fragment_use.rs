//! The step that stands for those of a fragment, and what it gives the fragment.

use schemars::JsonSchema;

use crate::mistake::{Mistakes, Span};
use crate::node::{Node, Value};
use crate::read::{Name, Named, Read, map_type};

map_type! {
    /// The steps of a fragment.
    Use, "`use`" {
        /// The fragment, from one of the files that `import` names.
        fragment: Name,
        /// What the fragment is given: a number or an expression for each of its `numbers`, a name for each
        /// of its `names`.
        with: Option<Named<FragmentInput>>,
        /// The prefix by which later steps and expectations know what the fragment makes: `<as>_<name>`.
        /// Without it, names stay as they are.
        r#as: Option<Name>,
    }
}

/// What a fragment is given; the fragment says whether it is a number or a name.
#[derive(Clone, Debug)]
pub struct FragmentInput {
    /// The YAML value that stands there.
    pub node: Node,
}

impl FragmentInput {
    /// Where it stands.
    pub const fn span(&self) -> Span {
        self.node.span
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.node.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl Read for FragmentInput {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        match node.value {
            Value::List(_) | Value::Map(_) | Value::Null => mistakes.add(
                format!("expected a number, an expression or a name, found {}", node.kind()),
                node.span,
                "",
            ),
            _ => Some(Self { node: node.clone() }),
        }
    }
}

impl JsonSchema for FragmentInput {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Given".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": ["number", "string", "boolean"],
            "title": "a number, an expression or a name",
        })
    }
}
