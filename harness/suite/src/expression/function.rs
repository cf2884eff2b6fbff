//! Functions of expressions: `exp(x)`. They take one operand, in double precision.
//!
//! Their results come from a library in pure Rust, so that they do not depend on the C library of a machine.

use hallmark_schema::model::DataType;

/// What stands in front of parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// A function of a number; of a matrix, that of each element.
    OfNumber(NumberFunction),
    /// A function of a matrix.
    OfMatrix(MatrixFunction),
}

/// A function of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberFunction {
    /// The value without its sign.
    Absolute,
    /// -1, 0 or 1.
    Sign,
    /// The largest whole number that is not larger.
    Floor,
    /// The smallest whole number that is not smaller.
    Ceiling,
    /// Without the fraction.
    Truncate,
    /// The nearest whole number, ties to even.
    Round,
    /// 1 / x: an infinity for 0.
    Reciprocal,
    /// The square root.
    SquareRoot,
    /// The cube root.
    CubeRoot,
    /// e to the power of x.
    Exponential,
    /// 2 to the power of x.
    ExponentialOfTwo,
    /// e to the power of x, less 1.
    ExponentialLessOne,
    /// The natural logarithm.
    Logarithm,
    /// The logarithm to base 2.
    LogarithmOfTwo,
    /// The logarithm to base 10.
    LogarithmOfTen,
    /// The natural logarithm of 1 + x.
    LogarithmOfOneMore,
    /// The logarithm of the gamma function's absolute value.
    LogarithmOfGamma,
    /// The sine of radians.
    Sine,
    /// The cosine of radians.
    Cosine,
    /// The tangent of radians.
    Tangent,
    /// The arc sine.
    ArcSine,
    /// The arc cosine.
    ArcCosine,
    /// The arc tangent.
    ArcTangent,
    /// The hyperbolic sine.
    HyperbolicSine,
    /// The hyperbolic cosine.
    HyperbolicCosine,
    /// The hyperbolic tangent.
    HyperbolicTangent,
    /// The inverse of the hyperbolic sine.
    AreaSine,
    /// The inverse of the hyperbolic cosine.
    AreaCosine,
    /// The inverse of the hyperbolic tangent.
    AreaTangent,
    /// The error function.
    Error,
    /// 1 less the error function.
    ErrorComplement,
    /// The nearest number of a floating-point type, ties to even.
    Nearest(DataType),
}

/// A function of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixFunction {
    /// Rows become columns.
    Transpose,
    /// One number for each row: a column.
    EachRow(Fold),
    /// One number for each column: a row.
    EachColumn(Fold),
}

/// How the numbers of a row or column become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// Their sum, in their order.
    Sum,
    /// The largest; not a number if one of them is not.
    Maximum,
    /// The smallest; not a number if one of them is not.
    Minimum,
    /// The first one.
    First,
}

impl Function {
    /// Every function, by its name.
    pub const ALL: &[(&str, Self)] = &[
        ("abs", Self::OfNumber(NumberFunction::Absolute)),
        ("sign", Self::OfNumber(NumberFunction::Sign)),
        ("floor", Self::OfNumber(NumberFunction::Floor)),
        ("ceil", Self::OfNumber(NumberFunction::Ceiling)),
        ("trunc", Self::OfNumber(NumberFunction::Truncate)),
        ("round", Self::OfNumber(NumberFunction::Round)),
        ("recip", Self::OfNumber(NumberFunction::Reciprocal)),
        ("sqrt", Self::OfNumber(NumberFunction::SquareRoot)),
        ("cbrt", Self::OfNumber(NumberFunction::CubeRoot)),
        ("exp", Self::OfNumber(NumberFunction::Exponential)),
        ("exp2", Self::OfNumber(NumberFunction::ExponentialOfTwo)),
        ("expm1", Self::OfNumber(NumberFunction::ExponentialLessOne)),
        ("log", Self::OfNumber(NumberFunction::Logarithm)),
        ("log2", Self::OfNumber(NumberFunction::LogarithmOfTwo)),
        ("log10", Self::OfNumber(NumberFunction::LogarithmOfTen)),
        ("log1p", Self::OfNumber(NumberFunction::LogarithmOfOneMore)),
        ("lgamma", Self::OfNumber(NumberFunction::LogarithmOfGamma)),
        ("sin", Self::OfNumber(NumberFunction::Sine)),
        ("cos", Self::OfNumber(NumberFunction::Cosine)),
        ("tan", Self::OfNumber(NumberFunction::Tangent)),
        ("asin", Self::OfNumber(NumberFunction::ArcSine)),
        ("acos", Self::OfNumber(NumberFunction::ArcCosine)),
        ("atan", Self::OfNumber(NumberFunction::ArcTangent)),
        ("sinh", Self::OfNumber(NumberFunction::HyperbolicSine)),
        ("cosh", Self::OfNumber(NumberFunction::HyperbolicCosine)),
        ("tanh", Self::OfNumber(NumberFunction::HyperbolicTangent)),
        ("asinh", Self::OfNumber(NumberFunction::AreaSine)),
        ("acosh", Self::OfNumber(NumberFunction::AreaCosine)),
        ("atanh", Self::OfNumber(NumberFunction::AreaTangent)),
        ("erf", Self::OfNumber(NumberFunction::Error)),
        ("erfc", Self::OfNumber(NumberFunction::ErrorComplement)),
        ("bfloat16", Self::OfNumber(NumberFunction::Nearest(DataType::Bfloat16))),
        ("float16", Self::OfNumber(NumberFunction::Nearest(DataType::Float16))),
        ("float32", Self::OfNumber(NumberFunction::Nearest(DataType::Float32))),
        ("transpose", Self::OfMatrix(MatrixFunction::Transpose)),
        ("row_sum", Self::OfMatrix(MatrixFunction::EachRow(Fold::Sum))),
        ("row_max", Self::OfMatrix(MatrixFunction::EachRow(Fold::Maximum))),
        ("row_min", Self::OfMatrix(MatrixFunction::EachRow(Fold::Minimum))),
        ("row_first", Self::OfMatrix(MatrixFunction::EachRow(Fold::First))),
        ("column_sum", Self::OfMatrix(MatrixFunction::EachColumn(Fold::Sum))),
        ("column_max", Self::OfMatrix(MatrixFunction::EachColumn(Fold::Maximum))),
        ("column_min", Self::OfMatrix(MatrixFunction::EachColumn(Fold::Minimum))),
        ("column_first", Self::OfMatrix(MatrixFunction::EachColumn(Fold::First))),
    ];

    /// As it is written.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, function)| *function == self).map_or("?", |(name, _)| name)
    }

    /// The function with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, function)| *function)
    }
}

impl NumberFunction {
    /// The value at `x`.
    pub fn of(self, x: f64) -> f64 {
        match self {
            Self::Absolute => libm::fabs(x),
            Self::Sign if x > 0.0 => 1.0,
            Self::Sign if x < 0.0 => -1.0,
            // 0 or not a number.
            Self::Sign => x,
            Self::Floor => libm::floor(x),
            Self::Ceiling => libm::ceil(x),
            Self::Truncate => libm::trunc(x),
            Self::Round => libm::rint(x),
            Self::Reciprocal => 1.0 / x,
            Self::SquareRoot => libm::sqrt(x),
            Self::CubeRoot => libm::cbrt(x),
            Self::Exponential => libm::exp(x),
            Self::ExponentialOfTwo => libm::exp2(x),
            Self::ExponentialLessOne => libm::expm1(x),
            Self::Logarithm => libm::log(x),
            Self::LogarithmOfTwo => libm::log2(x),
            Self::LogarithmOfTen => libm::log10(x),
            Self::LogarithmOfOneMore => libm::log1p(x),
            Self::LogarithmOfGamma => libm::lgamma(x),
            Self::Sine => libm::sin(x),
            Self::Cosine => libm::cos(x),
            Self::Tangent => libm::tan(x),
            Self::ArcSine => libm::asin(x),
            Self::ArcCosine => libm::acos(x),
            Self::ArcTangent => libm::atan(x),
            Self::HyperbolicSine => libm::sinh(x),
            Self::HyperbolicCosine => libm::cosh(x),
            Self::HyperbolicTangent => libm::tanh(x),
            Self::AreaSine => libm::asinh(x),
            Self::AreaCosine => libm::acosh(x),
            Self::AreaTangent => libm::atanh(x),
            Self::Error => libm::erf(x),
            Self::ErrorComplement => libm::erfc(x),
            Self::Nearest(data_type) => data_type.number(data_type.nearest(x)),
        }
    }
}

impl Fold {
    /// The one number for two.
    pub fn of(self, one: f64, other: f64) -> f64 {
        match self {
            Self::Sum => one + other,
            Self::First => one,
            Self::Maximum | Self::Minimum if one.is_nan() || other.is_nan() => f64::NAN,
            Self::Maximum => {
                if other > one {
                    other
                } else {
                    one
                }
            }
            Self::Minimum => {
                if other < one {
                    other
                } else {
                    one
                }
            }
        }
    }

    /// The fold of no numbers.
    pub const fn of_none(self) -> f64 {
        match self {
            Self::Sum | Self::First => 0.0,
            Self::Maximum => f64::NEG_INFINITY,
            Self::Minimum => f64::INFINITY,
        }
    }
}

/// The upper bits of a normal number's significand, its leading 1 included; the others become 0. All bits are those of a double, 53.
/// `None` for a number of bits that a significand does not have.
pub(super) fn upper_bits(x: f64, bits: f64) -> Option<f64> {
    if !(1.0..=53.0).contains(&bits) || libm::trunc(bits) != bits {
        return None;
    }
    if !x.is_finite() {
        return Some(x);
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "1 to 53, checked above"
    )]
    let dropped = 53_u32.saturating_sub(bits as u32);
    Some(f64::from_bits(x.to_bits() >> dropped << dropped))
}
