//! The paths in Rust source that begin in its own crate, with their lines.

use std::collections::BTreeMap;

/// A path from the crate's root.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    /// Counted from 1.
    pub(crate) line: usize,
    pub(crate) path: Vec<String>,
    pub(crate) visibility: Visibility,
}

/// Whether a path is given to others under another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visibility {
    /// `pub use`, or `pub(..) use`.
    GivenOut,
    Own,
}

/// The names that a root has in scope by `use`, and the module below the root that each comes from. `module` is the
/// root's own path.
pub(crate) fn reexports(root: &str, module: &[String]) -> BTreeMap<String, String> {
    let tokens = tokens(root);
    let mut found = BTreeMap::new();
    for start in uses(&tokens) {
        for used in tree(&tokens, start).0 {
            // A path without `crate`, `self` or `super` begins below the root, or in another crate.
            let path = resolved(&used.path, module).map_or(used.path, |path| {
                match path.strip_prefix(module) {
                    Some(inside) => inside.to_vec(),
                    None => Vec::new(),
                }
            });
            let from = path.first().cloned();
            if let (Some(from), Some(name)) = (from, used.name) {
                found.insert(name, from);
            }
        }
    }
    found
}

/// The paths in a file of this module that begin with `crate`, `self` or `super`.
pub(crate) fn references(text: &str, module: &[String]) -> Vec<Reference> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    // Modules within the file, each with the depth of braces that it ends at.
    let mut inner: Vec<(usize, String)> = Vec::new();
    let mut depth = 0;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let place: Vec<String> =
            module.iter().cloned().chain(inner.iter().map(|(_, name)| name.clone())).collect();
        let word = |ahead: usize| tokens.get(at + ahead).map(|token| token.text.as_str());
        match token.text.as_str() {
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                if inner.last().is_some_and(|(end, _)| *end == depth) {
                    inner.pop();
                }
            }
            "mod" if word(2) == Some("{") => {
                inner.push((depth, word(1).unwrap_or_default().to_owned()));
            }
            // In a type, `use<…>` names no path.
            "use" if word(1) != Some("<") => {
                let before = |back: usize| {
                    let token = at.checked_sub(back).and_then(|at| tokens.get(at));
                    token.map(|token| token.text.as_str())
                };
                let given_out = matches!(before(1), Some("pub" | ")"));
                let visibility = if given_out { Visibility::GivenOut } else { Visibility::Own };
                let (used, end) = tree(&tokens, at + 1);
                let inside = used.into_iter().filter_map(|Used { line, path, .. }| {
                    Some(Reference { line, path: resolved(&path, &place)?, visibility })
                });
                found.extend(inside);
                at = end;
                continue;
            }
            "crate" | "self" | "super" if word(1) == Some("::") => {
                let (line, mut path) = (token.line, vec![token.text.clone()]);
                while tokens.get(at + 1).is_some_and(|token| token.text == "::")
                    && let Some(segment) = tokens.get(at + 2).filter(|token| token.is_word())
                {
                    path.push(segment.text.clone());
                    at += 2;
                }
                let path = resolved(&path, &place);
                let visibility = Visibility::Own;
                found.extend(path.map(|path| Reference { line, path, visibility }));
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// A path from the root; `None` if it begins in another crate, or in a name that is in scope.
fn resolved(path: &[String], place: &[String]) -> Option<Vec<String>> {
    let (first, rest) = path.split_first()?;
    let mut from = match first.as_str() {
        "crate" => return Some(rest.to_vec()),
        "self" => place.to_vec(),
        "super" => place.split_last()?.1.to_vec(),
        _ => return None,
    };
    let further = rest.iter().take_while(|segment| *segment == "super").count();
    from.truncate(from.len().saturating_sub(further));
    from.extend(rest.iter().skip(further).cloned());
    Some(from)
}

/// A path that a `use` names.
struct Used {
    line: usize,
    path: Vec<String>,
    /// What it is called from then on; nothing for a `*`.
    name: Option<String>,
}

/// Where the trees of `use` items begin.
fn uses(tokens: &[Token]) -> impl Iterator<Item = usize> + '_ {
    (1..).zip(tokens).filter(|(_, token)| token.text == "use").map(|(after, _)| after)
}

/// The paths of a tree, and where it ends.
fn tree(tokens: &[Token], start: usize) -> (Vec<Used>, usize) {
    let mut found = Vec::new();
    let end = branch(tokens, start, &[], &mut found);
    (found, end)
}

/// The paths of a branch up to its `,`, `}` or `;`, and where that stands.
fn branch(tokens: &[Token], start: usize, prefix: &[String], found: &mut Vec<Used>) -> usize {
    let word = |at: usize| tokens.get(at).map_or(";", |token| token.text.as_str());
    let mut path = prefix.to_vec();
    let mut name = None;
    let mut at = start;
    let mut line = 0;
    while let Some(token) = tokens.get(at)
        && !matches!(token.text.as_str(), "," | "}" | ";")
    {
        line = token.line;
        match token.text.as_str() {
            "::" => {}
            "{" => {
                at += 1;
                while !matches!(word(at), "}" | ";") {
                    at = branch(tokens, at, &path, found);
                    at += usize::from(word(at) == ",");
                }
                return at + 1;
            }
            "as" => {
                at += 1;
                name = Some(word(at).to_owned());
            }
            segment => path.push(segment.to_owned()),
        }
        at += 1;
    }
    if path.len() > prefix.len() {
        let own = path.iter().rfind(|segment| *segment != "self").cloned();
        let name = name.or(own).filter(|name| name != "*");
        found.push(Used { line, path, name });
    }
    at
}

#[derive(Debug)]
struct Token {
    line: usize,
    text: String,
}

impl Token {
    fn is_word(&self) -> bool {
        self.text.starts_with(|first: char| first == '_' || first.is_alphabetic())
    }
}

/// Words, `::` and single marks; no comments, strings, characters or lifetimes.
fn tokens(text: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut rest = text;
    let mut line = 1;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => block_comment(rest),
            '"' => string(rest),
            'r' | 'b' | 'c' if let Some(length) = raw_string(rest) => length,
            'b' | 'c' if rest.get(1..).is_some_and(|rest| rest.starts_with('"')) => {
                1 + string(rest.get(1..).unwrap_or_default())
            }
            '\'' => character(rest),
            _ if rest.starts_with("::") => 2,
            _ if first == '_' || first.is_alphanumeric() => {
                let is_part = |letter: char| letter == '_' || letter.is_alphanumeric();
                rest.find(|letter| !is_part(letter)).unwrap_or(rest.len())
            }
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        rest = after;
        let is_text = token.starts_with("::") || token.chars().count() == 1 || {
            token.starts_with(|first: char| first == '_' || first.is_alphanumeric())
        };
        let is_string = token.contains('"') || token.contains('\'');
        if is_text && !is_string && !token.trim().is_empty() {
            found.push(Token { line, text: token.to_owned() });
        }
        line += token.matches('\n').count();
    }
    found
}

fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    loop {
        let rest = text.get(at..).unwrap_or_default();
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
        } else {
            at += rest.chars().next().map_or(0, char::len_utf8);
        }
        if depth == 0 || at >= text.len() {
            return at;
        }
    }
}

fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// `r"…"`, `br#"…"#` and the like.
fn raw_string(text: &str) -> Option<usize> {
    let (prefix, rest) = text.split_at(text.find(|letter| !matches!(letter, 'r' | 'b' | 'c'))?);
    let (hashes, rest) = rest.split_at(rest.find(|letter| letter != '#')?);
    if !prefix.ends_with('r') || prefix.len() > 2 {
        return None;
    }
    let end = format!("\"{hashes}");
    let length = rest.strip_prefix('"')?.find(&end)?;
    Some(prefix.len() + hashes.len() + 1 + length + end.len())
}

/// A character, or the mark of a lifetime.
fn character(text: &str) -> usize {
    let mut letters = text.char_indices().skip(1);
    match letters.next() {
        // The letter after the backslash may be a mark itself.
        Some((_, '\\')) => text.get(3..).and_then(|rest| rest.find('\'')).map_or(1, |end| end + 4),
        Some(_) => match letters.next() {
            Some((at, '\'')) => at + 1,
            _ => 1,
        },
        None => 1,
    }
}
