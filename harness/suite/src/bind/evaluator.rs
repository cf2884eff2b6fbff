//! Values of the expressions, settings and texts that stand in steps.

use hallmark_chip::{ChipDescription, LogicalCore};
use hallmark_schema::model::{CoreRange, QueueId, Real, Shape2D};

use crate::built_in::BUILT_IN;
use crate::expression::{EvaluationError, EvaluationReason, Names};
use crate::language::{Cores, CoresForm, ParameterValue, ShapeNumbers};
use crate::mistake::{Mistake, Mistakes, Span, suggest};
use crate::read::{Choice, Name, Number, Setting, choice_help};

/// The number of the round in the expressions of a `repeat`.
const ROUND: &str = "round";

/// What names in expressions mean, and the mistakes noted so far.
#[derive(Debug)]
pub(super) struct Evaluator<'a> {
    chip: &'static ChipDescription,
    names: NamedValues,
    mistakes: &'a mut Mistakes,
}

/// The values of parameters, variables and built-in numbers in a case or a fragment.
#[derive(Clone, Debug)]
pub(super) struct NamedValues {
    /// The values of a case's parameters, or those that a fragment is given.
    parameters: Vec<(String, ParameterValue)>,
    numbers: Names,
}

impl NamedValues {
    /// The built-in numbers of a chip, and those of the parameters.
    pub(super) fn new(chip: &ChipDescription, parameters: Vec<(String, ParameterValue)>) -> Self {
        let built_in = BUILT_IN.iter();
        let mut numbers: Names =
            built_in.map(|built_in| (built_in.name.to_owned(), built_in.value(chip))).collect();
        for (name, value) in &parameters {
            if let ParameterValue::Number(number) = value {
                numbers.insert(name.clone(), *number);
            }
        }
        Self { parameters, numbers }
    }

    fn parameter(&self, name: &str) -> Option<&ParameterValue> {
        self.parameters.iter().find_map(|(known, value)| (known == name).then_some(value))
    }
}

impl<'a> Evaluator<'a> {
    pub(super) const fn new(
        chip: &'static ChipDescription,
        names: NamedValues,
        mistakes: &'a mut Mistakes,
    ) -> Self {
        Self { chip, names, mistakes }
    }

    /// The chip that the test is bound for.
    pub(super) const fn chip(&self) -> &'static ChipDescription {
        self.chip
    }

    pub(super) const fn mistakes(&mut self) -> &mut Mistakes {
        self.mistakes
    }

    /// The numbers that an expression may name.
    pub(super) const fn numbers(&self) -> &Names {
        &self.names.numbers
    }

    /// Whether a name is that of a number.
    pub(super) fn has_number(&self, name: &str) -> bool {
        self.names.numbers.contains_key(name)
    }

    /// Whether a name is that of a parameter or of a number.
    pub(super) fn is_taken(&self, name: &str) -> bool {
        self.has_number(name) || self.names.parameter(name).is_some()
    }

    pub(super) fn define(&mut self, name: &str, number: i128) {
        self.names.numbers.insert(name.to_owned(), number);
    }

    pub(super) fn undefine(&mut self, name: &str) {
        self.names.numbers.remove(name);
    }

    /// Sets the number that expressions of a `repeat` know as `round`; returns the one before.
    pub(super) fn set_round(&mut self, round: Option<i128>) -> Option<i128> {
        match round {
            Some(round) => self.names.numbers.insert(ROUND.to_owned(), round),
            None => self.names.numbers.remove(ROUND),
        }
    }

    /// Notes a mistake where `round` is a parameter or variable.
    pub(super) fn check_round_is_free(&mut self, span: Span) -> Option<()> {
        if !self.has_number(ROUND) {
            return Some(());
        }
        self.mistakes.add(
            format!("`{ROUND}` is a parameter or variable of this case"),
            span,
            "give it another name: here it counts the rounds",
        )
    }

    /// Exchanges what names mean; returns what they meant.
    pub(super) const fn exchange_names(&mut self, names: NamedValues) -> NamedValues {
        std::mem::replace(&mut self.names, names)
    }

    /// The value of an expression over `names`; an error is noted as a mistake.
    pub(super) fn noted<T>(
        &mut self,
        result: Result<T, EvaluationError>,
        names: &Names,
    ) -> Option<T> {
        noted(result, names, self.mistakes)
    }

    pub(super) fn number(&mut self, number: &Number) -> Option<i128> {
        let numbers = &self.names.numbers;
        noted(number.0.evaluate(numbers), numbers, self.mistakes)
    }

    /// A number that may have a fraction.
    pub(super) fn real(&mut self, number: &Number) -> Option<Real> {
        let numbers = &self.names.numbers;
        let value = noted(number.0.evaluate_real(numbers), numbers, self.mistakes)?;
        match Real::new(value) {
            Some(value) => Some(value),
            None => self.mistakes.add("this number is not finite", number.0.span(), ""),
        }
    }

    /// A number of an unsigned type; `range` is the help of the mistake.
    pub(super) fn ranged<T: TryFrom<i128>>(
        &mut self,
        number: &Number,
        what: &str,
        range: &str,
    ) -> Option<T> {
        let value = self.number(number)?;
        match T::try_from(value) {
            Ok(value) => Some(value),
            Err(_) => self.mistakes.add(
                format!("{what} is {value}, which is out of range"),
                number.0.span(),
                range,
            ),
        }
    }

    pub(super) fn u64(&mut self, number: &Number, what: &str) -> Option<u64> {
        self.ranged(number, what, "0 to 2^64 - 1")
    }

    pub(super) fn u32(&mut self, number: &Number, what: &str) -> Option<u32> {
        self.ranged(number, what, "0 to 2^32 - 1")
    }

    /// An argument word: negative numbers stand for their two's complement.
    pub(super) fn word(&mut self, number: &Number) -> Option<u32> {
        let value = self.number(number)?;
        let word =
            u32::try_from(value).ok().or_else(|| i32::try_from(value).ok().map(i32::cast_unsigned));
        match word {
            Some(word) => Some(word),
            None => self.mistakes.add(
                format!("{value} does not fit into a 32-bit word"),
                number.0.span(),
                "-2^31 to 2^32 - 1",
            ),
        }
    }

    pub(super) fn setting<T: Choice>(&mut self, setting: &Setting<T>) -> Option<T> {
        match setting {
            Setting::Fixed(value) => Some(*value),
            Setting::Parameter(name) => {
                let text = self.parameter(name)?;
                match T::from_name(&text) {
                    Some(value) => Some(value),
                    None => self.mistakes.add(
                        format!("unknown {} `{text}`, a value of `{}`", T::WHAT, name.text),
                        name.span,
                        choice_help::<T>(&text),
                    ),
                }
            }
        }
    }

    pub(super) fn setting_or<T: Choice>(
        &mut self,
        setting: Option<&Setting<T>>,
        default: T,
    ) -> Option<T> {
        setting.map_or(Some(default), |setting| self.setting(setting))
    }

    /// The value of a parameter, as text.
    pub(super) fn parameter(&mut self, name: &Name) -> Option<String> {
        if let Some(value) = self.names.parameter(&name.text) {
            return Some(value.to_string());
        }
        let known = self.names.parameters.iter();
        let help = suggest(&name.text, known.map(|(name, _)| name.as_str()));
        let message = format!("unknown parameter `{}`", name.text);
        let mistake = Mistake::new(message, name.span, help);
        self.mistakes.add_unknown_name(&format!("={}", name.text), mistake)
    }

    /// A text that may be `=parameter`.
    pub(super) fn text(&mut self, text: &str, span: Span) -> Option<String> {
        match text.strip_prefix('=') {
            Some(name) => self.parameter(&Name { text: name.to_owned(), span }),
            None => Some(text.to_owned()),
        }
    }

    pub(super) fn cores(&mut self, cores: &Cores) -> Option<Vec<CoreRange>> {
        let (columns, rows) = self.chip.compute_grid();
        match &cores.form {
            CoresForm::All => Some(vec![CoreRange {
                start: LogicalCore { x: 0, y: 0 },
                end: LogicalCore { x: columns.saturating_sub(1), y: rows.saturating_sub(1) },
            }]),
            CoresForm::Ranges(ranges) => ranges
                .iter()
                .map(|range| {
                    let (start, end) = (self.core(&range.start), self.core(&range.end));
                    Some(CoreRange { start: start?, end: end? })
                })
                .collect(),
        }
    }

    pub(super) fn core(&mut self, [x, y]: &[Number; 2]) -> Option<LogicalCore> {
        let (x, y) = (self.u32(x, "x"), self.u32(y, "y"));
        Some(LogicalCore { x: x?, y: y? })
    }

    /// The x and y of a core in the compute grid.
    pub(super) fn core_in_grid(&mut self, core: &[Number; 2]) -> Option<(u16, u16)> {
        let place = core.first().map(|x| x.0.span()).unwrap_or_default();
        let core = self.core(core)?;
        let (columns, rows) = self.chip.compute_grid();
        match (u16::try_from(core.x), u16::try_from(core.y)) {
            (Ok(x), Ok(y)) if core.x < columns && core.y < rows => Some((x, y)),
            _ => self.mistakes.add(
                format!("core {core} is outside the compute grid"),
                place,
                format!("the grid has {columns} columns and {rows} rows"),
            ),
        }
    }

    pub(super) fn shape(&mut self, shape: &ShapeNumbers) -> Option<Shape2D> {
        let height = self.u32(&shape.height, "the height");
        let width = self.u32(&shape.width, "the width");
        Some(Shape2D { height: height?, width: width? })
    }

    pub(super) fn dimensions(&mut self, numbers: &[Number]) -> Option<Vec<u32>> {
        let numbers: Vec<_> = numbers.iter().map(|size| self.u32(size, "the dimension")).collect();
        numbers.into_iter().collect()
    }

    /// The queue of a call; the first one unless the step names another.
    pub(super) fn queue(&mut self, queue: Option<&Number>) -> Option<QueueId> {
        queue.map_or(Some(QueueId(0)), |queue| {
            self.ranged::<u8>(queue, "the queue", "0 to 255").map(QueueId)
        })
    }
}

/// The value of an expression, or a mistake; `names` are those that it may use.
fn noted<T>(
    result: Result<T, EvaluationError>,
    names: &Names,
    mistakes: &mut Mistakes,
) -> Option<T> {
    let error = match result {
        Ok(value) => return Some(value),
        Err(error) => error,
    };
    let unknown = match &error.reason {
        EvaluationReason::UnknownName(name) => Some(name.clone()),
        EvaluationReason::Fraction(_) | EvaluationReason::Operation { .. } => None,
    };
    let mistake = error.into_mistake(names);
    match unknown {
        Some(name) => mistakes.add_unknown_name(&name, mistake),
        None => {
            mistakes.push(mistake);
            None
        }
    }
}
