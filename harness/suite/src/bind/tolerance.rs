//! Tolerances with their limits as numbers.

use hallmark_chip::{Architecture, ChipDescription};
use hallmark_schema::model::{DataType, Real, Tolerance};

use super::evaluator::{Evaluator, NamedValues};
use crate::language::{NearEntry, ToleranceEntry};
use crate::mistake::{LocatedMistake, Mistakes, SourceText, Span};
use crate::node::load;
use crate::read::{Number, Read, Setting};

/// The limits of a tolerance, as they are written.
pub(super) struct Limits<'a> {
    data_type: &'a Setting<DataType>,
    ulp: Option<&'a Number>,
    absolute: Option<&'a Number>,
    relative: Option<&'a Number>,
    pcc: Option<&'a Number>,
}

/// The limits of entries that have the same keys for them.
macro_rules! limits_of {
    ($($entry:ty),*) => {
        $(impl<'a> From<&'a $entry> for Limits<'a> {
            fn from(entry: &'a $entry) -> Self {
                Self {
                    data_type: &entry.r#type,
                    ulp: entry.ulp.as_ref(),
                    absolute: entry.absolute.as_ref(),
                    relative: entry.relative.as_ref(),
                    pcc: entry.pcc.as_ref(),
                }
            }
        })*
    };
}

limits_of!(NearEntry, ToleranceEntry);

impl Limits<'_> {
    /// The tolerance; `span` is the place of a mistake about all limits, and `exact` says how to ask for equal bytes.
    pub(super) fn tolerance(
        &self,
        evaluator: &mut Evaluator<'_>,
        reason: &str,
        span: Span,
        exact: &str,
    ) -> Option<Tolerance> {
        let data_type = evaluator.setting(self.data_type);
        let ulp = self.ulp.map_or(Some(0), |ulp| evaluator.u32(ulp, "`ulp`"));
        let absolute = limit(evaluator, self.absolute);
        let relative = limit(evaluator, self.relative);
        let pcc = correlation(evaluator, self.pcc);
        let tolerance = Tolerance {
            data_type: data_type?,
            ulp: ulp?,
            reason: reason.to_owned(),
            absolute: absolute?,
            relative: relative?,
            pcc: pcc?,
        };
        let limits_elements =
            tolerance.ulp > 0 || !tolerance.absolute.is_zero() || !tolerance.relative.is_zero();
        if !limits_elements && tolerance.pcc.is_zero() {
            return evaluator.mistakes().add(
                "this tolerance allows nothing",
                span,
                format!("give `ulp`, `absolute`, `relative` or `pcc`, or {exact}"),
            );
        }
        Some(tolerance)
    }
}

/// The least correlation; 0 where it does not matter.
fn correlation(evaluator: &mut Evaluator<'_>, number: Option<&Number>) -> Option<Real> {
    let Some(number) = number else { return Some(Real::ZERO) };
    let least = evaluator.real(number)?;
    if least.get() > 0.0 && least.get() <= 1.0 {
        return Some(least);
    }
    evaluator.mistakes().add(
        "this is no correlation that a tensor can be asked for",
        number.0.span(),
        "more than 0 and at most 1, such as 0.999",
    )
}

fn limit(evaluator: &mut Evaluator<'_>, number: Option<&Number>) -> Option<Real> {
    let Some(number) = number else { return Some(Real::ZERO) };
    let limit = evaluator.real(number)?;
    if limit.get() < 0.0 {
        return evaluator.mistakes().add("a tolerance cannot be negative", number.0.span(), "");
    }
    Some(limit)
}

/// A tolerance for reads that are compared with those of another run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadTolerance {
    /// The output of the read; `None` for each read that no other tolerance names.
    pub read: Option<String>,
    /// The limits.
    pub tolerance: Tolerance,
}

/// The tolerance of an option of the command line, which is written as [`ToleranceEntry`] says.
///
/// # Errors
/// Each mistake with its place in the option.
pub fn tolerance_of_option(
    option: &str,
    text: &str,
    architecture: Architecture,
) -> Result<ReadTolerance, Vec<LocatedMistake>> {
    let source = SourceText { path: option.to_owned(), text: text.into() };
    let node =
        load(text, 0).map_err(|mistake| vec![LocatedMistake { file: source.clone(), mistake }])?;
    let mut mistakes = Mistakes::default();
    let entry = ToleranceEntry::read(&node, &mut mistakes);
    let tolerance = entry.and_then(|entry| {
        let chip = ChipDescription::of(architecture);
        let names = NamedValues::new(chip, Vec::new());
        let mut evaluator = Evaluator::new(chip, names, &mut mistakes);
        let limits = Limits::from(&entry);
        let exact = "leave the option out";
        let tolerance = limits.tolerance(&mut evaluator, option, node.span, exact)?;
        Some(ReadTolerance { read: entry.read.map(|name| name.text), tolerance })
    });
    match tolerance {
        Some(tolerance) if mistakes.is_empty() => Ok(tolerance),
        _ => Err(mistakes.located(&[source])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ReadTolerance, Vec<LocatedMistake>> {
        tolerance_of_option("--read-tolerance", text, Architecture::WormholeB0)
    }

    #[test]
    fn an_option_has_the_limits_of_an_expectation() {
        let tolerance =
            read("{ type: bfloat16, ulp: 2, absolute: 1 / 256, relative: 0.5, pcc: 0.999 }")
                .unwrap();
        let real = |number| Real::new(number).unwrap();
        assert_eq!(tolerance.read, None);
        assert_eq!(
            tolerance.tolerance,
            Tolerance {
                data_type: DataType::Bfloat16,
                ulp: 2,
                reason: "--read-tolerance".to_owned(),
                absolute: real(1.0 / 256.0),
                relative: real(0.5),
                pcc: real(0.999),
            }
        );
        let of_one = read("{ read: logits, type: bfloat16, ulp: 2 }").unwrap();
        assert_eq!(of_one.read.as_deref(), Some("logits"));
    }

    #[test]
    fn a_wrong_option_is_told_with_its_place() {
        let told =
            |text| -> String { read(text).unwrap_err().iter().map(ToString::to_string).collect() };
        let wrong = [
            "{ type: bfloat16 }",
            "{ ulp: 2 }",
            "{ type: bfloat16, ulps: 2 }",
            "{ type: bfloat16, pcc: 2 }",
            "ulp 2",
        ];
        insta::assert_snapshot!(wrong.map(told).concat(), @r"
        error: this tolerance allows nothing
          ┌─ --read-tolerance:1:1
        1 │ { type: bfloat16 }
          │ ^ give `ulp`, `absolute`, `relative` or `pcc`, or leave the option out
        error: a tolerance needs `type`
          ┌─ --read-tolerance:1:1
        1 │ { ulp: 2 }
          │ ^ add `type: …`
        error: this tolerance allows nothing
          ┌─ --read-tolerance:1:1
        1 │ { type: bfloat16, ulps: 2 }
          │ ^ give `ulp`, `absolute`, `relative` or `pcc`, or leave the option out
        error: unknown key `ulps` in a tolerance
          ┌─ --read-tolerance:1:19
        1 │ { type: bfloat16, ulps: 2 }
          │                   ^^^^ did you mean `ulp`?
        error: this is no correlation that a tensor can be asked for
          ┌─ --read-tolerance:1:24
        1 │ { type: bfloat16, pcc: 2 }
          │                        ^ more than 0 and at most 1, such as 0.999
        error: a tolerance must be a map, not a text
          ┌─ --read-tolerance:1:1
        1 │ ulp 2
          │ ^^^^^ write `{ key: value }`, or a line for each key
        ");
    }
}
