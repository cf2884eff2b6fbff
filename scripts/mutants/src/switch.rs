//! Writes mutants into the text of a file, each behind a switch.
//!
//! Everything is an insertion, so that mutants may lie inside one another: `a + b` becomes
//! `(if active(7) { a - b } else { a + b })`, where the operands of the second are switched in their turn and those of
//! the first are not, because one mutant is active at a time.

use std::collections::HashMap;
use std::ops::Range;

use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};

use crate::catalogue::{Genre, Mutant};
use crate::error::Error;

/// A number by which a mutant is switched on.
pub type Number = u32;

/// A file with its mutants.
pub struct Switched {
    /// The text.
    pub text: String,
    /// Which bytes of the text belong to which mutant alone.
    pub insertions: Vec<(Range<usize>, Number)>,
    /// From the beginning of what a mutant changes to its end.
    pub extents: Vec<(Range<usize>, Number)>,
    /// Mutants that cannot be switched, with the reason.
    pub left_out: Vec<(Number, &'static str)>,
}

/// Writes the mutants of one file.
///
/// # Errors
/// The file does not parse.
pub fn switch(file: &str, source: &str, mutants: &[(Number, &Mutant)]) -> Result<Switched, Error> {
    let parsed =
        syn::parse_file(source).map_err(|error| Error::Source { file: file.to_owned(), error })?;
    let lines = line_starts(source);
    let mut wanted: HashMap<(Genre, usize), Vec<(Number, &Mutant)>> = HashMap::new();
    for (number, mutant) in mutants {
        if let Some(offset) = offset(source, &lines, mutant) {
            wanted.entry((mutant.genre, offset)).or_default().push((*number, mutant));
        }
    }
    let mut planter =
        Planter { source, wanted, constant: false, pieces: Vec::new(), left_out: Vec::new() };
    planter.visit_file(&parsed);
    let lost = planter.wanted.into_values().flatten();
    let lost: Vec<_> = lost.map(|(number, _)| (number, "its place was not found")).collect();
    planter.left_out.extend(lost);
    Ok(assemble(source, planter.pieces, planter.left_out))
}

fn line_starts(source: &str) -> Vec<usize> {
    std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

fn offset(source: &str, lines: &[usize], mutant: &Mutant) -> Option<usize> {
    let start = *lines.get(mutant.span.start.line.checked_sub(1)?)?;
    let (within, _) =
        source.get(start..)?.char_indices().nth(mutant.span.start.column.checked_sub(1)?)?;
    Some(start + within)
}

/// Text put in at both ends of a range of the source.
struct Piece {
    mutant: Number,
    range: Range<usize>,
    before: String,
    after: String,
}

struct Planter<'a> {
    source: &'a str,
    wanted: HashMap<(Genre, usize), Vec<(Number, &'a Mutant)>>,
    /// Whether what is visited is computed by the compiler, which knows no variables of an environment.
    constant: bool,
    pieces: Vec<Piece>,
    left_out: Vec<(Number, &'static str)>,
}

fn is_active(number: Number) -> String {
    format!("crate::mutant_switch::active({number})")
}

impl<'a> Planter<'a> {
    /// The mutants of a place. None where the compiler computes.
    fn take(&mut self, genre: Genre, at: usize) -> Vec<(Number, &'a Mutant)> {
        let found = self.wanted.remove(&(genre, at)).unwrap_or_default();
        if self.constant {
            self.left_out
                .extend(found.iter().map(|(number, _)| (*number, "the compiler computes it")));
            return Vec::new();
        }
        found
    }

    fn put(&mut self, mutant: Number, range: Range<usize>, before: String, after: &str) {
        self.pieces.push(Piece { mutant, range, before, after: after.to_owned() });
    }

    fn text(&self, range: Range<usize>) -> &'a str {
        self.source.get(range).unwrap_or_default()
    }

    fn within_constant(&mut self, constant: bool, visit: impl FnOnce(&mut Self)) {
        let outer = self.constant;
        self.constant = constant;
        visit(self);
        self.constant = outer;
    }

    fn body(&mut self, block: &syn::Block) {
        let (Some(first), Some(last)) = (block.stmts.first(), block.stmts.last()) else { return };
        let start = first.span().byte_range().start;
        for (number, mutant) in self.take(Genre::FnValue, start) {
            let before = format!("if {} {{ return {}; }} ", is_active(number), mutant.replacement);
            // As far as the last statement, so that it comes before what the first one has.
            self.put(number, start..last.span().byte_range().end, before, "");
        }
    }
}

/// Whether an expression binds variables, as in `if let Some(x) = y && x > 1`.
fn has_let(expression: &syn::Expr) -> bool {
    match expression {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Planter<'_> {
    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.within_constant(true, |planter| visit::visit_item_const(planter, item));
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.within_constant(true, |planter| visit::visit_impl_item_const(planter, item));
    }

    fn visit_trait_item_const(&mut self, item: &'ast syn::TraitItemConst) {
        self.within_constant(true, |planter| visit::visit_trait_item_const(planter, item));
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        self.within_constant(true, |planter| visit::visit_item_static(planter, item));
    }

    fn visit_expr_const(&mut self, block: &'ast syn::ExprConst) {
        self.within_constant(true, |planter| visit::visit_expr_const(planter, block));
    }

    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
        self.within_constant(true, |planter| planter.visit_expr(&repeat.len));
    }

    fn visit_type(&mut self, item: &'ast syn::Type) {
        self.within_constant(true, |planter| visit::visit_type(planter, item));
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        self.within_constant(true, |planter| visit::visit_variant(planter, variant));
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.within_constant(item.sig.constness.is_some(), |planter| {
            planter.body(&item.block);
            visit::visit_item_fn(planter, item);
        });
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.within_constant(item.sig.constness.is_some(), |planter| {
            planter.body(&item.block);
            visit::visit_impl_item_fn(planter, item);
        });
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.body(block);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        let range = binary.span().byte_range();
        let (left, right) = (binary.left.span().byte_range(), binary.right.span().byte_range());
        for (number, mutant) in
            self.take(Genre::BinaryOperator, binary.op.span().byte_range().start)
        {
            if has_let(&binary.left) || has_let(&binary.right) {
                self.left_out.push((number, "an operand binds variables"));
                continue;
            }
            let (left, right) = (self.text(left.clone()), self.text(right.clone()));
            let before = format!(
                "(if {} {{ {left} {} {right} }} else {{ ",
                is_active(number),
                mutant.replacement
            );
            self.put(number, range.clone(), before, " })");
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        let range = unary.span().byte_range();
        for (number, _) in self.take(Genre::UnaryOperator, range.start) {
            let operand = self.text(unary.expr.span().byte_range());
            let before = format!("(if {} {{ {operand} }} else {{ ", is_active(number));
            self.put(number, range.clone(), before, " })");
        }
        visit::visit_expr_unary(self, unary);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        let guard =
            arm.guard.as_ref().map(|(_, guard)| (guard.span().byte_range(), has_let(guard)));
        for (number, _) in self.take(Genre::MatchArm, arm.span().byte_range().start) {
            match &guard {
                Some((range, false)) => {
                    self.put(number, range.clone(), format!("!{} && (", is_active(number)), ")");
                }
                Some((range, true)) => {
                    self.put(number, range.clone(), format!("!{} && ", is_active(number)), "");
                }
                None => {
                    let end = arm.pat.span().byte_range().end;
                    self.put(number, end..end, format!(" if !{}", is_active(number)), "");
                }
            }
        }
        if let Some((range, binds)) = guard {
            for (number, mutant) in self.take(Genre::MatchArmGuard, range.start) {
                let active = is_active(number);
                match (mutant.replacement.as_str(), binds) {
                    ("true", false) => {
                        self.put(number, range.clone(), format!("{active} || ("), ")")
                    }
                    ("false", false) => {
                        self.put(number, range.clone(), format!("!{active} && ("), ")")
                    }
                    ("false", true) => {
                        self.put(number, range.clone(), format!("!{active} && "), "")
                    }
                    _ => self.left_out.push((number, "the condition binds variables")),
                }
            }
        }
        visit::visit_arm(self, arm);
    }

    fn visit_expr_struct(&mut self, item: &'ast syn::ExprStruct) {
        if let Some(base) = &item.rest {
            let base = self.text(base.span().byte_range());
            let path = self.text(item.path.span().byte_range());
            for field in &item.fields {
                for (number, _) in self.take(Genre::StructField, field.span().byte_range().start) {
                    let name = self.text(field.member.span().byte_range());
                    let other = match base {
                        "Default::default()" => format!("<{path} as Default>::default().{name}"),
                        _ => format!("({base}).{name}"),
                    };
                    let value = field.expr.span().byte_range();
                    let active = is_active(number);
                    if field.colon_token.is_some() {
                        self.put(
                            number,
                            value,
                            format!("if {active} {{ {other} }} else {{ "),
                            " }",
                        );
                    } else {
                        let whole = format!(": if {active} {{ {other} }} else {{ {name} }}");
                        self.put(number, value.end..value.end, whole, "");
                    }
                }
            }
        }
        visit::visit_expr_struct(self, item);
    }
}

/// Puts the pieces in. At one place, what ends comes before what begins, an inner end before an outer one, and an outer
/// beginning before an inner one.
fn assemble(source: &str, pieces: Vec<Piece>, left_out: Vec<(Number, &'static str)>) -> Switched {
    // Where, whether it begins, and then by the other end.
    let mut order: Vec<(usize, bool, usize, usize)> = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        let Range { start, end } = piece.range;
        order.push((start, true, usize::MAX - end, index));
        if start != end {
            order.push((end, false, usize::MAX - start, usize::MAX - index));
        }
    }
    order.sort_unstable();
    let mut switched =
        Switched { text: String::new(), insertions: Vec::new(), extents: Vec::new(), left_out };
    let mut open: HashMap<usize, usize> = HashMap::new();
    let mut done = 0;
    for (at, begins, _, index) in order {
        switched.text.push_str(source.get(done..at).unwrap_or_default());
        done = at;
        let index = if begins { index } else { usize::MAX - index };
        let Some(piece) = pieces.get(index) else { continue };
        let start = switched.text.len();
        switched.text.push_str(if begins { &piece.before } else { &piece.after });
        let end = switched.text.len();
        switched.insertions.push((start..end, piece.mutant));
        if begins {
            open.insert(index, start);
        }
        if !begins || piece.range.is_empty() {
            let from = open.remove(&index).unwrap_or(start);
            switched.extents.push((from..end, piece.mutant));
        }
    }
    switched.text.push_str(source.get(done..).unwrap_or_default());
    switched
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{Position, Span};

    fn mutant(genre: Genre, source: &str, place: &str, replacement: &str) -> Mutant {
        let at = source.find(place).unwrap();
        let line = source[..at].matches('\n').count() + 1;
        let column = at - source[..at].rfind('\n').map_or(0, |newline| newline + 1) + 1;
        Mutant {
            replacement: replacement.to_owned(),
            file: "a.rs".to_owned(),
            package: "a".to_owned(),
            genre,
            span: Span { start: Position { line, column } },
            name: place.to_owned(),
        }
    }

    fn switched(source: &str, mutants: &[Mutant]) -> Switched {
        let numbered: Vec<(Number, &Mutant)> = (1..).zip(mutants).collect();
        let switched = switch("a.rs", source, &numbered).unwrap();
        syn::parse_file(&switched.text)
            .unwrap_or_else(|error| panic!("{error}: {}", switched.text));
        Switched { text: switched.text.replace("crate::mutant_switch::", ""), ..switched }
    }

    #[test]
    fn mutants_lie_inside_one_another() {
        let source = "fn f() -> u32 { a + !b * c }";
        let mutants = [
            mutant(Genre::BinaryOperator, source, "* c", "/"),
            mutant(Genre::FnValue, source, "a +", "0"),
            mutant(Genre::BinaryOperator, source, "+", "-"),
            mutant(Genre::UnaryOperator, source, "!b", ""),
            mutant(Genre::BinaryOperator, source, "+", "*"),
        ];
        assert_eq!(
            switched(source, &mutants).text,
            "fn f() -> u32 { if active(2) { return 0; } (if active(3) { a - !b * c } else { \
             (if active(5) { a * !b * c } else { a + (if active(1) { !b / c } else { \
             (if active(4) { b } else { !b }) * c }) }) }) }"
        );
    }

    #[test]
    fn arms_and_their_conditions() {
        let source = "fn f() { match a { 1 | 2 => x(), b if b > 3 => y(), c if let Some(d) = c => z(), _ => {} } }";
        let mutants = [
            mutant(Genre::MatchArm, source, "1 | 2", ""),
            mutant(Genre::MatchArm, source, "b if", ""),
            mutant(Genre::MatchArmGuard, source, "b > 3", "true"),
            mutant(Genre::MatchArmGuard, source, "b > 3", "false"),
            mutant(Genre::MatchArm, source, "c if", ""),
            mutant(Genre::MatchArmGuard, source, "let Some", "true"),
        ];
        let switched = switched(source, &mutants);
        assert_eq!(
            switched.text,
            "fn f() { match a { 1 | 2 if !active(1) => x(), \
             b if !active(2) && (active(3) || (!active(4) && (b > 3))) => y(), \
             c if !active(5) && let Some(d) = c => z(), _ => {} } }"
        );
        assert_eq!(switched.left_out, [(6, "the condition binds variables")]);
    }

    #[test]
    fn a_field_that_is_left_out_has_the_value_of_the_base() {
        let source = "fn f() -> S { S { a: 1, b, ..Default::default() } }";
        let mutants = [
            mutant(Genre::StructField, source, "a: 1", ""),
            mutant(Genre::StructField, source, "b, ", ""),
        ];
        assert_eq!(
            switched(source, &mutants).text,
            "fn f() -> S { S { a: if active(1) { <S as Default>::default().a } else { 1 }, \
             b: if active(2) { <S as Default>::default().b } else { b }, ..Default::default() } }"
        );
    }

    #[test]
    fn what_the_compiler_computes_is_not_switched() {
        let source = "const A: u32 = 1 + 2; const fn f() -> u32 { 3 - 4 } fn g() -> [u8; 5 * 6] { [0; 7 / 8] }";
        let mutants = ["+", "- 4", "*", "/"]
            .map(|operator| mutant(Genre::BinaryOperator, source, operator, "%"));
        let switched = switched(source, &mutants);
        assert_eq!(switched.text, source);
        assert_eq!(switched.left_out.len(), 4);
    }

    #[test]
    fn every_inserted_byte_belongs_to_its_mutant() {
        let source = "fn f() -> bool { !a }";
        let mutants = [mutant(Genre::UnaryOperator, source, "!a", "")];
        let numbered: Vec<(Number, &Mutant)> = (1..).zip(&mutants).collect();
        let switched = switch("a.rs", source, &numbered).unwrap();
        let inserted: usize = switched.insertions.iter().map(|(range, _)| range.len()).sum();
        assert_eq!(source.len() + inserted, switched.text.len());
        let (extent, _) = switched.extents.first().unwrap();
        assert!(
            switched.text[extent.clone()].starts_with("(if ")
                && switched.text[extent.clone()].ends_with(" })")
        );
    }
}
