//! Arithmetic in suites: numbers and names with `+ - * / %`, `min`, `max`, `and`, `or`, `xor`, `shl`,
//! `shr`, `is`, `below` and parentheses, all infix, so that none of it needs quotes inside `{…}` or `[…]`.
//!
//! Most places take whole numbers, in checked arithmetic. Where floating-point data is described, the
//! same expressions are evaluated in double precision, numbers may have a fraction, and functions, `power` and `bits`
//! come in addition. Where matrices are described, names may stand for matrices, and `@` is their product.

use std::collections::BTreeMap;
use std::fmt;

use hallmark_schema::model::Real;

use super::mistake::{Mistake, Span, suggest};

mod function;

pub use function::{Fold, Function, MatrixFunction, NumberFunction};

/// Deeper parentheses are refused, so that no text can exhaust the stack.
const DEPTH_LIMIT: usize = 32;
/// Longer expressions are refused.
const LENGTH_LIMIT: usize = 1024;

/// A typed expression tree; every part knows its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    span: Span,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Number(i128),
    Fraction(Real),
    Name(String),
    Negative(Box<Expression>),
    Binary(Operator, Box<Expression>, Box<Expression>),
    Call(Function, Box<Expression>),
}

/// What stands between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, rounding towards zero.
    Divide,
    /// `%`, with the sign of the left operand.
    Remainder,
    /// `min`
    Minimum,
    /// `max`
    Maximum,
    /// `and`, bit by bit.
    And,
    /// `or`, bit by bit.
    Or,
    /// `xor`, bit by bit.
    Xor,
    /// `shl`: to the left by 0 to 63 bits.
    ShiftLeft,
    /// `shr`: to the right by 0 to 63 bits.
    ShiftRight,
    /// `is`: 1 where both are equal, else 0.
    Is,
    /// `below`: 1 where the left one is smaller, else 0.
    Below,
    /// `@`: the product of two matrices.
    MatrixProduct,
    /// `power`: the left one to the power of the right one.
    Power,
    /// `bits`: the left one with its significand cut to the number of bits that the right one states, the leading 1
    /// included.
    Bits,
}

impl Operator {
    /// Every operator of expressions.
    pub const ALL: [Self; 17] = [
        Self::Add,
        Self::Subtract,
        Self::Multiply,
        Self::Divide,
        Self::Remainder,
        Self::Minimum,
        Self::Maximum,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::ShiftLeft,
        Self::ShiftRight,
        Self::Is,
        Self::Below,
        Self::MatrixProduct,
        Self::Power,
        Self::Bits,
    ];

    /// As it is written.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::Minimum => "min",
            Self::Maximum => "max",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::ShiftLeft => "shl",
            Self::ShiftRight => "shr",
            Self::Is => "is",
            Self::Below => "below",
            Self::MatrixProduct => "@",
            Self::Power => "power",
            Self::Bits => "bits",
        }
    }

    /// How tightly it binds: comparisons loosest, then the other words.
    const fn strength(self) -> u8 {
        match self {
            Self::Power | Self::Bits => 4,
            Self::Multiply | Self::Divide | Self::Remainder | Self::MatrixProduct => 3,
            Self::Add | Self::Subtract => 2,
            Self::Minimum
            | Self::Maximum
            | Self::And
            | Self::Or
            | Self::Xor
            | Self::ShiftLeft
            | Self::ShiftRight => 1,
            Self::Is | Self::Below => 0,
        }
    }

    fn apply(self, left: i128, right: i128) -> Result<i128, NoResult> {
        let overflow = NoResult::Overflow;
        let shift = || u32::try_from(right).ok().filter(|&shift| shift < 64).ok_or(NoResult::Shift);
        match self {
            Self::Add => left.checked_add(right).ok_or(overflow),
            Self::Subtract => left.checked_sub(right).ok_or(overflow),
            Self::Multiply => left.checked_mul(right).ok_or(overflow),
            Self::Divide if right == 0 => Err(NoResult::DivisionByZero),
            Self::Divide => left.checked_div(right).ok_or(overflow),
            Self::Remainder if right == 0 => Err(NoResult::RemainderByZero),
            Self::Remainder => left.checked_rem(right).ok_or(overflow),
            Self::Minimum => Ok(left.min(right)),
            Self::Maximum => Ok(left.max(right)),
            Self::And => Ok(left & right),
            Self::Or => Ok(left | right),
            Self::Xor => Ok(left ^ right),
            Self::ShiftLeft => left.checked_mul(1_i128 << shift()?).ok_or(overflow),
            Self::ShiftRight => Ok(left >> shift()?),
            Self::Is => Ok(i128::from(left == right)),
            Self::Below => Ok(i128::from(left < right)),
            Self::MatrixProduct => Err(NoResult::MatricesOnly),
            Self::Power | Self::Bits => Err(NoResult::FloatingPointOnly),
        }
    }

    /// The result for two numbers in double precision.
    ///
    /// # Errors
    /// Why there is none.
    pub fn apply_real(self, left: f64, right: f64) -> Result<f64, NoResult> {
        match self {
            Self::Add => Ok(left + right),
            Self::Subtract => Ok(left - right),
            Self::Multiply => Ok(left * right),
            Self::Divide if right == 0.0 => Err(NoResult::DivisionByZero),
            Self::Divide => Ok(left / right),
            Self::Minimum => Ok(if right < left { right } else { left }),
            Self::Maximum => Ok(if right > left { right } else { left }),
            Self::Is => Ok(f64::from(u8::from(left == right))),
            Self::Below => Ok(f64::from(u8::from(left < right))),
            Self::Power => Ok(libm::pow(left, right)),
            Self::Bits => function::upper_bits(left, right).ok_or(NoResult::Significand),
            Self::MatrixProduct => Err(NoResult::MatricesOnly),
            Self::Remainder
            | Self::And
            | Self::Or
            | Self::Xor
            | Self::ShiftLeft
            | Self::ShiftRight => Err(NoResult::WholeNumbersOnly),
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Number(number) => write!(formatter, "{number}"),
            Kind::Fraction(number) => {
                // Always with a point, by which it is known from a whole number.
                let text = format!("{:?}", number.get());
                match text.split_once('e') {
                    Some((digits, exponent)) if !digits.contains('.') => {
                        write!(formatter, "{digits}.0e{exponent}")
                    }
                    _ => formatter.write_str(&text),
                }
            }
            Kind::Name(name) => formatter.write_str(name),
            Kind::Negative(inner) => write!(formatter, "-({inner})"),
            Kind::Binary(operator, left, right) => {
                write!(formatter, "({left} {} {right})", operator.text())
            }
            Kind::Call(function, operand) => write!(formatter, "{}({operand})", function.name()),
        }
    }
}

/// Why an operation has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoResult {
    /// `/` by 0.
    #[error("division by zero")]
    DivisionByZero,
    /// `%` by 0.
    #[error("remainder of a division by zero")]
    RemainderByZero,
    /// `shl` or `shr` by less than 0 bits or more than 63.
    #[error("a shift is 0 to 63")]
    Shift,
    /// The result is too large.
    #[error("the result does not fit into 127 bits")]
    Overflow,
    /// The operation has no meaning for fractions.
    #[error("this operator needs whole numbers")]
    WholeNumbersOnly,
    /// The operation or function has no meaning for whole numbers.
    #[error("this needs floating-point values")]
    FloatingPointOnly,
    /// The operation or function is one of matrices.
    #[error("this needs matrices, with which only `matrix` computes")]
    MatricesOnly,
    /// `bits` of a number of bits that a significand does not have.
    #[error("a significand has 1 to 53 bits")]
    Significand,
    /// The factors of a product of matrices do not fit.
    #[error("the left matrix of `@` must have as many columns as the right one has rows")]
    Factors,
    /// Operands that are combined element by element do not fit.
    #[error("the operands must have the same number of rows and of columns, or 1 of either")]
    Shapes,
}

/// An expression without a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvaluationError {
    /// The part of the expression that has none.
    pub span: Span,
    /// Why.
    pub reason: EvaluationReason,
}

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvaluationReason {
    /// Nothing has this name.
    UnknownName(String),
    /// A fraction stands where whole numbers are computed.
    Fraction(Real),
    /// An operation has no result.
    Operation {
        /// Why it has none.
        why: NoResult,
        /// The operation with its operands, in numbers.
        operation: String,
    },
}

impl NoResult {
    /// As the reason of an error; `operation` is in numbers or shapes.
    pub const fn of(self, operation: String) -> EvaluationReason {
        EvaluationReason::Operation { why: self, operation }
    }
}

impl EvaluationError {
    /// Whether it comes of the values and not of the text: with other values of the same names there is none.
    pub const fn depends_on_values(&self) -> bool {
        match self.reason {
            EvaluationReason::UnknownName(_)
            | EvaluationReason::Fraction(_)
            | EvaluationReason::Operation {
                why:
                    NoResult::WholeNumbersOnly
                    | NoResult::FloatingPointOnly
                    | NoResult::MatricesOnly
                    | NoResult::Factors
                    | NoResult::Shapes,
                ..
            } => false,
            EvaluationReason::Operation {
                why:
                    NoResult::DivisionByZero
                    | NoResult::RemainderByZero
                    | NoResult::Shift
                    | NoResult::Significand
                    | NoResult::Overflow,
                ..
            } => true,
        }
    }

    /// The same for people; `names` are those that there are.
    pub fn into_mistake(self, names: &Names) -> Mistake {
        match self.reason {
            EvaluationReason::UnknownName(name) => {
                let mut help = suggest(&name, names.keys().map(String::as_str));
                if help.is_empty() && names.is_empty() {
                    help = "this case has no parameters or variables".to_owned();
                }
                Mistake::new(format!("`{name}` is not defined here"), self.span, help)
            }
            EvaluationReason::Fraction(number) => Mistake::new(
                format!("{number} is not a whole number"),
                self.span,
                "only floating-point values can have a fraction",
            ),
            EvaluationReason::Operation { why, operation } => {
                Mistake::new(why.to_string(), self.span, format!("here it is {operation}"))
            }
        }
    }
}

/// What numbers, names, operators and functions mean.
pub trait Algebra {
    /// The values of expressions.
    type Value;

    /// A whole number.
    ///
    /// # Errors
    /// Why it has no value here.
    fn number(&self, number: i128) -> Result<Self::Value, EvaluationReason>;

    /// A number with a fraction.
    ///
    /// # Errors
    /// Why it has no value here.
    fn fraction(&self, number: Real) -> Result<Self::Value, EvaluationReason>;

    /// The value of a name, if the name is known.
    fn named(&self, name: &str) -> Option<Self::Value>;

    /// The value with its sign reversed.
    ///
    /// # Errors
    /// Why there is none.
    fn negative(&self, value: Self::Value) -> Result<Self::Value, EvaluationReason>;

    /// The result of an operation.
    ///
    /// # Errors
    /// Why there is none.
    fn binary(
        &self,
        operator: Operator,
        left: Self::Value,
        right: Self::Value,
    ) -> Result<Self::Value, EvaluationReason>;

    /// The result of a function.
    ///
    /// # Errors
    /// Why there is none.
    fn call(
        &self,
        function: Function,
        operand: Self::Value,
    ) -> Result<Self::Value, EvaluationReason>;
}

/// Whole numbers, in checked arithmetic.
struct WholeNumbers<'l, L>(&'l L);

impl<L: Fn(&str) -> Option<i128>> Algebra for WholeNumbers<'_, L> {
    type Value = i128;

    fn number(&self, number: i128) -> Result<i128, EvaluationReason> {
        Ok(number)
    }

    fn fraction(&self, number: Real) -> Result<i128, EvaluationReason> {
        Err(EvaluationReason::Fraction(number))
    }

    fn named(&self, name: &str) -> Option<i128> {
        (self.0)(name)
    }

    fn negative(&self, value: i128) -> Result<i128, EvaluationReason> {
        value.checked_neg().ok_or_else(|| NoResult::Overflow.of(format!("-({value})")))
    }

    fn binary(
        &self,
        operator: Operator,
        left: i128,
        right: i128,
    ) -> Result<i128, EvaluationReason> {
        operator
            .apply(left, right)
            .map_err(|why| why.of(format!("{left} {} {right}", operator.text())))
    }

    fn call(&self, function: Function, operand: i128) -> Result<i128, EvaluationReason> {
        let why = match function {
            Function::OfNumber(_) => NoResult::FloatingPointOnly,
            Function::OfMatrix(_) => NoResult::MatricesOnly,
        };
        Err(why.of(format!("{}({operand})", function.name())))
    }
}

/// Numbers in double precision.
struct Doubles<'l, L>(&'l L);

impl<L: Fn(&str) -> Option<f64>> Algebra for Doubles<'_, L> {
    type Value = f64;

    #[expect(clippy::cast_precision_loss, reason = "double precision is what is asked for")]
    fn number(&self, number: i128) -> Result<f64, EvaluationReason> {
        Ok(number as f64)
    }

    fn fraction(&self, number: Real) -> Result<f64, EvaluationReason> {
        Ok(number.get())
    }

    fn named(&self, name: &str) -> Option<f64> {
        (self.0)(name)
    }

    fn negative(&self, value: f64) -> Result<f64, EvaluationReason> {
        Ok(-value)
    }

    fn binary(&self, operator: Operator, left: f64, right: f64) -> Result<f64, EvaluationReason> {
        operator
            .apply_real(left, right)
            .map_err(|why| why.of(format!("{left} {} {right}", operator.text())))
    }

    fn call(&self, function: Function, operand: f64) -> Result<f64, EvaluationReason> {
        match function {
            Function::OfNumber(function) => Ok(function.of(operand)),
            Function::OfMatrix(_) => {
                Err(NoResult::MatricesOnly.of(format!("{}({operand})", function.name())))
            }
        }
    }
}

/// The values of the names that an expression may use.
pub type Names = BTreeMap<String, i128>;

impl Expression {
    /// A plain number.
    pub const fn number(number: i128, span: Span) -> Self {
        Self { span, kind: Kind::Number(number) }
    }

    /// A number with a fraction.
    pub const fn fraction(number: Real, span: Span) -> Self {
        Self { span, kind: Kind::Fraction(number) }
    }

    /// The text that it was read from.
    pub const fn span(&self) -> Span {
        self.span
    }

    /// Every name in it, with its place.
    pub fn names(&self, found: &mut Vec<(String, Span)>) {
        match &self.kind {
            Kind::Number(_) | Kind::Fraction(_) => {}
            Kind::Name(name) => found.push((name.clone(), self.span)),
            Kind::Negative(inner) | Kind::Call(_, inner) => inner.names(found),
            Kind::Binary(_, left, right) => {
                left.names(found);
                right.names(found);
            }
        }
    }

    /// Its value in an algebra.
    ///
    /// # Errors
    /// The first part of it that has no value.
    pub fn value_in<A: Algebra>(&self, algebra: &A) -> Result<A::Value, EvaluationError> {
        let value = match &self.kind {
            Kind::Number(number) => algebra.number(*number),
            Kind::Fraction(number) => algebra.fraction(*number),
            Kind::Name(name) => {
                algebra.named(name).ok_or_else(|| EvaluationReason::UnknownName(name.clone()))
            }
            Kind::Negative(inner) => algebra.negative(inner.value_in(algebra)?),
            Kind::Binary(operator, left, right) => {
                algebra.binary(*operator, left.value_in(algebra)?, right.value_in(algebra)?)
            }
            Kind::Call(function, operand) => algebra.call(*function, operand.value_in(algebra)?),
        };
        value.map_err(|reason| EvaluationError { span: self.span, reason })
    }

    /// Its value; `lookup` gives that of a name.
    ///
    /// # Errors
    /// The first part of it that has no value.
    pub fn evaluate_with(
        &self,
        lookup: &impl Fn(&str) -> Option<i128>,
    ) -> Result<i128, EvaluationError> {
        self.value_in(&WholeNumbers(lookup))
    }

    /// Its value in double precision; `lookup` gives that of a name.
    ///
    /// # Errors
    /// The first part of it that has no value.
    pub fn evaluate_real_with(
        &self,
        lookup: &impl Fn(&str) -> Option<f64>,
    ) -> Result<f64, EvaluationError> {
        self.value_in(&Doubles(lookup))
    }

    /// Its value in double precision with these names.
    ///
    /// # Errors
    /// The first part of it that has no value.
    pub fn evaluate_real(&self, names: &Names) -> Result<f64, EvaluationError> {
        #[expect(clippy::cast_precision_loss, reason = "double precision is what is asked for")]
        self.evaluate_real_with(&|name| names.get(name).map(|number| *number as f64))
    }

    /// Its value with these names.
    ///
    /// # Errors
    /// The first part of it that has no value.
    pub fn evaluate(&self, names: &Names) -> Result<i128, EvaluationError> {
        self.evaluate_with(&|name| names.get(name).copied())
    }

    /// Reads `text`, which stands at `span` in its file.
    pub fn parse(text: &str, span: Span) -> Result<Self, Mistake> {
        if text.len() > LENGTH_LIMIT {
            return Err(Mistake::new(
                "this expression is too long",
                span,
                "split it with `variables`",
            ));
        }
        let tokens = tokenize(text, span)?;
        let mut parser = Parser { tokens: &tokens, place: 0, end: span.part(text.len(), 1) };
        let expression = parser.binary(0, DEPTH_LIMIT)?;
        match parser.peek() {
            None => Ok(expression),
            Some(token) => Err(Mistake::new(
                format!("unexpected {}", token.kind),
                token.span,
                "put an operator in front: + - * / % min max and or xor shl shr is below power bits @",
            )),
        }
    }
}

#[derive(Clone, Debug)]
struct Token {
    span: Span,
    kind: TokenKind,
}

#[derive(Clone, Debug, PartialEq)]
enum TokenKind {
    Number(i128),
    Fraction(Real),
    Name(String),
    Operator(Operator),
    Open,
    Close,
}

impl fmt::Display for TokenKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(formatter, "`{number}`"),
            Self::Fraction(number) => write!(formatter, "`{number}`"),
            Self::Name(name) => write!(formatter, "`{name}`"),
            Self::Operator(operator) => write!(formatter, "`{}`", operator.text()),
            Self::Open => formatter.write_str("`(`"),
            Self::Close => formatter.write_str("`)`"),
        }
    }
}

fn tokenize(text: &str, span: Span) -> Result<Vec<Token>, Mistake> {
    let mut tokens = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some((start, character)) = rest.next() {
        let kind = match character {
            ' ' | '\t' | '\n' => continue,
            '(' => TokenKind::Open,
            ')' => TokenKind::Close,
            '+' => TokenKind::Operator(Operator::Add),
            '-' => TokenKind::Operator(Operator::Subtract),
            '*' => TokenKind::Operator(Operator::Multiply),
            '/' => TokenKind::Operator(Operator::Divide),
            '%' => TokenKind::Operator(Operator::Remainder),
            '@' => TokenKind::Operator(Operator::MatrixProduct),
            _ if character.is_ascii_alphanumeric() || character == '_' => {
                let mut end = start.saturating_add(1);
                let number = character.is_ascii_digit();
                let mut before = character;
                while let Some(&(at, next)) = rest.peek() {
                    let exponent_sign = matches!(next, '+' | '-')
                        && matches!(before, 'e' | 'E')
                        && text.get(start..end).is_some_and(|word| word.contains('.'));
                    let inside = next.is_ascii_alphanumeric()
                        || next == '_'
                        || (number && (next == '.' || exponent_sign));
                    if !inside {
                        break;
                    }
                    before = next;
                    end = at.saturating_add(1);
                    rest.next();
                }
                let word = text.get(start..end).unwrap_or_default();
                let place = span.part(start, word.len());
                let kind = if number {
                    parse_number(word).ok_or_else(|| {
                        Mistake::new(
                            format!("`{word}` is not a number"),
                            place,
                            "decimal, 0x… or 1.5e-3; `_` between digits is allowed",
                        )
                    })?
                } else {
                    Operator::ALL
                        .into_iter()
                        .find(|operator| operator.text() == word)
                        .map_or_else(|| TokenKind::Name(word.to_owned()), TokenKind::Operator)
                };
                tokens.push(Token { span: place, kind });
                continue;
            }
            other => {
                return Err(Mistake::new(
                    format!("`{other}` has no meaning in an expression"),
                    span.part(start, other.len_utf8()),
                    "use numbers, names, parentheses and + - * / % min max and or xor shl shr is below power bits @",
                ));
            }
        };
        tokens.push(Token { span: span.part(start, 1), kind });
    }
    Ok(tokens)
}

fn parse_number(word: &str) -> Option<TokenKind> {
    let digits = word.replace('_', "");
    let number = match digits.strip_prefix("0x") {
        Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16).ok()?,
        None if digits.contains('.') => {
            return digits.parse().ok().and_then(Real::new).map(TokenKind::Fraction);
        }
        None => digits.parse::<u64>().ok()?,
    };
    Some(TokenKind::Number(i128::from(number)))
}

struct Parser<'a> {
    tokens: &'a [Token],
    place: usize,
    end: Span,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.place)
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.peek().cloned();
        self.place = self.place.saturating_add(1);
        token
    }

    fn binary(&mut self, weakest: u8, depth: usize) -> Result<Expression, Mistake> {
        let mut left = self.operand(depth)?;
        while let Some(Token { kind: TokenKind::Operator(operator), .. }) = self.peek() {
            let operator = *operator;
            if operator.strength() < weakest {
                break;
            }
            self.next();
            let right = self.binary(operator.strength().saturating_add(1), depth)?;
            let end = right.span.start.saturating_add(right.span.length);
            let length = end.saturating_sub(left.span.start);
            let span = Span { length, ..left.span };
            left = Expression { span, kind: Kind::Binary(operator, left.into(), right.into()) };
        }
        Ok(left)
    }

    fn operand(&mut self, depth: usize) -> Result<Expression, Mistake> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(Mistake::new("this expression is nested too deeply", self.end, ""));
        };
        let Some(token) = self.next() else {
            return Err(Mistake::new(
                "the expression ends too early",
                self.end,
                "add a number or a name",
            ));
        };
        let span = token.span;
        match token.kind {
            TokenKind::Number(number) => Ok(Expression::number(number, span)),
            TokenKind::Fraction(number) => Ok(Expression::fraction(number, span)),
            TokenKind::Name(name)
                if matches!(self.peek(), Some(Token { kind: TokenKind::Open, .. })) =>
            {
                let Some(function) = Function::named(&name) else {
                    let known = Function::ALL.iter().map(|(name, _)| *name);
                    return Err(Mistake::new(
                        format!("`{name}` is not a function"),
                        span,
                        suggest(&name, known),
                    ));
                };
                let operand = self.operand(depth)?;
                let end =
                    self.tokens.get(self.place.saturating_sub(1)).map_or(span, |last| last.span);
                let length = end.start.saturating_add(end.length).saturating_sub(span.start);
                let span = Span { length, ..span };
                Ok(Expression { span, kind: Kind::Call(function, operand.into()) })
            }
            TokenKind::Name(name) => Ok(Expression { span, kind: Kind::Name(name) }),
            TokenKind::Operator(Operator::Subtract) => {
                let inner = self.operand(depth)?;
                let end = inner.span.start.saturating_add(inner.span.length);
                let span = Span { length: end.saturating_sub(span.start), ..span };
                Ok(Expression { span, kind: Kind::Negative(inner.into()) })
            }
            TokenKind::Open => {
                let inner = self.binary(0, depth)?;
                match self.next() {
                    Some(Token { kind: TokenKind::Close, .. }) => Ok(inner),
                    _ => Err(Mistake::new("this `(` is not closed", span, "add `)`")),
                }
            }
            other => Err(Mistake::new(
                format!("unexpected {other}"),
                span,
                "write a number, a name or `(`",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value(text: &str) -> Result<i128, Mistake> {
        let names = Names::from([("pages".to_owned(), 7), ("size".to_owned(), 2048)]);
        Expression::parse(text, Span { length: text.len(), ..Span::default() })
            .and_then(|it| it.evaluate(&names).map_err(|error| error.into_mistake(&names)))
    }

    /// What is wrong, the first character of it, and the help.
    fn mistake<T: std::fmt::Debug>(outcome: Result<T, Mistake>) -> String {
        let mistake = outcome.unwrap_err();
        format!("{} at {}: {}", mistake.message, mistake.span.start, mistake.help)
    }

    #[test]
    fn arithmetic() {
        assert_eq!(value("pages * size"), Ok(14336));
        assert_eq!(value("1 + 2 * 3"), Ok(7));
        assert_eq!(value("(1 + 2) * 3"), Ok(9));
        assert_eq!(value("10 - 3 - 2"), Ok(5));
        assert_eq!(value("pages max 2 + 8"), Ok(10));
        assert_eq!(value("-pages % 4"), Ok(-3));
        assert_eq!(value("0x10 shl 2 or 1"), Ok(65));
        assert_eq!(value("1 shl 63"), Ok(1 << 63));
        assert_eq!(value("pages min 7 is pages"), Ok(1));
        assert_eq!(value("(pages + 1 below 8) + (pages is 7) * 5"), Ok(5));
    }

    #[test]
    fn mistakes_have_places() {
        insta::assert_snapshot!(mistake(value("pages * ")), @"the expression ends too early at 8: add a number or a name");
        insta::assert_snapshot!(mistake(value("page * 2")), @"`page` is not defined here at 0: did you mean `pages`?");
        insta::assert_snapshot!(mistake(value("1 + 4 / (pages - 7)")), @"division by zero at 4: here it is 4 / 0");
        insta::assert_snapshot!(mistake(value("1, 2")), @"`,` has no meaning in an expression at 1: use numbers, names, parentheses and + - * / % min max and or xor shl shr is below power bits @");
        insta::assert_snapshot!(mistake(value("(1 + 2")), @"this `(` is not closed at 0: add `)`");
        insta::assert_snapshot!(mistake(value("2 3")), @"unexpected `3` at 2: put an operator in front: + - * / % min max and or xor shl shr is below power bits @");
        insta::assert_snapshot!(mistake(value("1 shl 64")), @"a shift is 0 to 63 at 0: here it is 1 shl 64");
        assert!(mistake(value(&"(".repeat(900))).contains("nested too deeply"));
        assert!(mistake(value(&"-".repeat(900))).contains("nested too deeply"));
    }

    fn real(text: &str) -> Result<f64, Mistake> {
        let names = Names::from([("pages".to_owned(), 7)]);
        Expression::parse(text, Span { length: text.len(), ..Span::default() })
            .and_then(|it| it.evaluate_real(&names).map_err(|error| error.into_mistake(&names)))
    }

    #[test]
    fn functions_stand_where_floating_point_values_are_described() {
        assert_eq!(real("exp(0) + sqrt(pages + 9)"), Ok(5.0));
        assert_eq!(real("-abs(-pages) power 2"), Ok(49.0));
        assert_eq!(real("2 * pages bits 2"), Ok(12.0));
        assert_eq!(real("bfloat16(257) + float16(2049.0)"), Ok(256.0 + 2048.0));
        assert_eq!(real("sign(pages) + sign(0) + floor(-0.5) + round(2.5) + trunc(-1.5)"), Ok(1.0));
        assert_eq!(real("recip(0)"), Ok(f64::INFINITY));
        insta::assert_snapshot!(mistake(real("1 + expo(2)")), @"`expo` is not a function at 4: did you mean `exp`?");
        insta::assert_snapshot!(mistake(real("exp (")), @"the expression ends too early at 5: add a number or a name");
        insta::assert_snapshot!(mistake(real("pages bits 54")), @"a significand has 1 to 53 bits at 0: here it is 7 bits 54");
        insta::assert_snapshot!(mistake(value("1 + abs(pages)")), @"this needs floating-point values at 4: here it is abs(7)");
        insta::assert_snapshot!(mistake(value("pages power 2")), @"this needs floating-point values at 0: here it is 7 power 2");
        insta::assert_snapshot!(mistake(real("transpose(pages)")), @"this needs matrices, with which only `matrix` computes at 0: here it is transpose(7)");
        assert!(mistake(real(&"exp(".repeat(200))).contains("nested too deeply"));
    }

    #[test]
    fn fractions_stand_where_floating_point_values_are_described() {
        assert_eq!(real("pages / 2"), Ok(3.5));
        assert_eq!(real("1.5e-3 * 2"), Ok(0.003));
        assert_eq!(real("-0.25 + pages max 1.5"), Ok(6.75));
        assert_eq!(real("2.0e+1-1"), Ok(19.0));
        assert_eq!(real("(0.5 below 1) is 1"), Ok(1.0));
        insta::assert_snapshot!(mistake(value("pages * 0.5")), @"0.5 is not a whole number at 8: only floating-point values can have a fraction");
        insta::assert_snapshot!(mistake(real("pages % 2")), @"this operator needs whole numbers at 0: here it is 7 % 2");
        insta::assert_snapshot!(mistake(real("1 / (pages - 7)")), @"division by zero at 0: here it is 1 / 0");
        insta::assert_snapshot!(mistake(real("1.2.3")), @"`1.2.3` is not a number at 0: decimal, 0x… or 1.5e-3; `_` between digits is allowed");
        insta::assert_snapshot!(mistake(real("pges")), @"`pges` is not defined here at 0: did you mean `pages`?");
    }

    fn tree() -> impl Strategy<Value = Expression> {
        let leaf = prop_oneof![
            (0_u32..100_000).prop_map(|n| Kind::Number(i128::from(n))),
            (0.0..1e300).prop_map(|n| Kind::Fraction(Real::new(n).unwrap())),
            Just(Kind::Name("pages".to_owned())),
            Just(Kind::Name("size".to_owned())),
        ]
        .prop_map(|kind| Expression { span: Span::default(), kind });
        leaf.prop_recursive(5, 40, 2, |inner| {
            (0..18_usize, 0..Function::ALL.len(), inner.clone(), inner).prop_map(
                |(which, function, left, right)| {
                    let kind = match (Operator::ALL.get(which), Function::ALL.get(function)) {
                        (Some(&operator), _) => Kind::Binary(operator, left.into(), right.into()),
                        (None, Some(&(_, function))) if function.name().len() % 2 == 0 => {
                            Kind::Call(function, left.into())
                        }
                        (None, _) => Kind::Negative(left.into()),
                    };
                    Expression { span: Span::default(), kind }
                },
            )
        })
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back_to_the_same_value(expression in tree()) {
            let text = expression.to_string();
            prop_assume!(text.len() <= LENGTH_LIMIT);
            let names = Names::from([("pages".to_owned(), 7), ("size".to_owned(), 2048)]);
            let again = Expression::parse(&text, Span::default()).unwrap();
            prop_assert_eq!(again.to_string(), text);
            prop_assert_eq!(again.evaluate(&names).ok(), expression.evaluate(&names).ok());
            let bits = |e: &Expression| e.evaluate_real(&names).ok().map(f64::to_bits);
            prop_assert_eq!(bits(&again), bits(&expression));
        }

        #[test]
        fn no_text_panics_and_every_place_lies_inside(text in "[-a-z0-9+*/%() _é,]{0,60}") {
            let span = Span { start: 100, length: text.len(), file: 0 };
            let place = match Expression::parse(&text, span).map(|it| it.evaluate(&Names::new())) {
                Err(mistake) => Some(mistake.span.start),
                Ok(Err(error)) => Some(error.span.start),
                Ok(Ok(_)) => None,
            };
            if let Some(place) = place {
                prop_assert!((100..=100 + text.len()).contains(&place));
            }
        }
    }
}
