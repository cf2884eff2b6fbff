//! Formats of what kernels print: fmt's grammar with widths and precisions as numbers.
//!
//! Kernels are checked when they are compiled (`hallmark/print_format.h`). An ELF may be forged nevertheless, so a field
//! that cannot be shown is shown as `{?}`, and no format fails.

use std::fmt::Write as _;

use hallmark_schema::limits;

use super::printed_tile::PrintedTile;

/// The widest field, and the largest precision.
const MOST_WIDTH: u32 = 128;
/// A field that cannot be shown.
const UNKNOWN: &str = "{?}";

/// An argument of a message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Integer(i128),
    Bool(bool),
    Char(char),
    Float(f32),
    Double(f64),
    Pointer(u32),
    Text(String),
    Array(Vec<Self>),
    Tile(PrintedTile),
    /// Of a kind that is not known.
    Unknown,
}

/// How a field is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Spec {
    fill: Option<char>,
    align: Option<char>,
    sign: Option<char>,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    kind: Option<char>,
}

/// The text of a format with these arguments.
pub(crate) fn formatted(format: &str, values: &[Value]) -> String {
    let mut text = String::with_capacity(format.len());
    let mut rest = format.chars().peekable();
    let mut next = 0usize;
    while let Some(letter) = rest.next() {
        // A forged format may name a wide field many times; more is not kept of a launch.
        if text.len() as u64 > limits::PRINTED_BYTES {
            break;
        }
        match letter {
            '{' if rest.next_if_eq(&'{').is_some() => text.push('{'),
            '}' => {
                let _ = rest.next_if_eq(&'}');
                text.push('}');
            }
            '{' => {
                let mut field = String::new();
                let is_closed = loop {
                    match rest.next() {
                        Some('}') => break true,
                        Some(letter) => field.push(letter),
                        None => break false,
                    }
                };
                let (index, spec) = field.split_once(':').unwrap_or((&field, ""));
                let index = if index.is_empty() {
                    let index = next;
                    next = next.saturating_add(1);
                    Some(index)
                } else {
                    index.parse().ok()
                };
                let value = index.and_then(|index| values.get(index));
                let shown = value.zip(Spec::parse(spec)).and_then(|(value, spec)| spec.show(value));
                match shown.filter(|_| is_closed) {
                    Some(shown) => text.push_str(&shown),
                    None => text.push_str(UNKNOWN),
                }
            }
            letter => text.push(letter),
        }
    }
    text
}

impl Spec {
    fn parse(text: &str) -> Option<Self> {
        let letters: Vec<char> = text.chars().collect();
        let mut at = 0;
        let is_align = |at: usize| letters.get(at).is_some_and(|it| "<>^".contains(*it));
        let mut spec = Self::default();
        if is_align(1) {
            (spec.fill, spec.align) = (letters.first().copied(), letters.get(1).copied());
            at = 2;
        } else if is_align(0) {
            spec.align = letters.first().copied();
            at = 1;
        }
        let mut take = |allowed: &str| {
            let letter = letters.get(at).copied().filter(|letter| allowed.contains(*letter));
            at = at.saturating_add(usize::from(letter.is_some()));
            letter
        };
        spec.sign = take("+- ");
        spec.alternate = take("#").is_some();
        spec.zero = take("0").is_some();
        let mut number = |first: Option<char>| {
            let mut number = first.and_then(|digit| digit.to_digit(10))?;
            while let Some(digit) = take("0123456789").and_then(|digit| digit.to_digit(10)) {
                number = number.saturating_mul(10).saturating_add(digit);
            }
            Some(number)
        };
        let width = number(Some('0'))?;
        let mut precision = None;
        if letters.get(at) == Some(&'.') {
            at = at.saturating_add(1);
            let digits = letters.get(at..)?.iter().take_while(|it| it.is_ascii_digit()).count();
            let end = at.saturating_add(digits);
            let written: String = letters.get(at..end)?.iter().collect();
            precision = Some(written.parse::<u32>().ok()?);
            at = end;
        }
        if width > MOST_WIDTH || precision.is_some_and(|precision| precision > MOST_WIDTH) {
            return None;
        }
        (spec.width, spec.precision) = (width as usize, precision.map(|it| it as usize));
        spec.kind = letters.get(at).copied();
        let end = at.saturating_add(usize::from(spec.kind.is_some()));
        (end == letters.len()).then_some(spec)
    }

    /// A value in this form; `None` if the form does not fit it.
    fn show(self, value: &Value) -> Option<String> {
        Some(match (value, self.kind) {
            (Value::Unknown, _) => return None,
            (Value::Bool(value), None | Some('s')) => self.padded(value.to_string(), '<'),
            (Value::Bool(value), _) => self.integer(i128::from(*value))?,
            (Value::Char(value), Some('c')) => self.padded(value.to_string(), '<'),
            (Value::Char(value), _) => self.integer(i128::from(u32::from(*value)))?,
            (Value::Integer(value), _) => self.integer(*value)?,
            (Value::Float(value), None) if self.precision.is_none() => self.number(
                value.is_sign_negative(),
                shortest(f64::from(*value), &value.abs().to_string(), FLOAT_POWERS),
            ),
            (Value::Double(value), None) if self.precision.is_none() => self.number(
                value.is_sign_negative(),
                shortest(*value, &value.abs().to_string(), DOUBLE_POWERS),
            ),
            (Value::Float(value), _) => self.float(f64::from(*value))?,
            (Value::Double(value), _) => self.float(*value)?,
            (Value::Pointer(value), None | Some('p')) => self.padded(format!("{value:#x}"), '>'),
            (Value::Text(text), None | Some('s')) => {
                let text = text.chars().take(self.precision.unwrap_or(usize::MAX)).collect();
                self.padded(text, '<')
            }
            (Value::Array(values), None) => {
                // TT-Metalium writes a space behind each element, the last one too.
                let shown = values.iter().map(|value| {
                    Self::default().show(value).unwrap_or_else(|| UNKNOWN.to_owned()) + " "
                });
                self.padded(shown.collect(), '<')
            }
            (Value::Tile(tile), _) => {
                tile.text(|value| self.show(value).unwrap_or_else(|| UNKNOWN.to_owned()))
            }
            (Value::Pointer(_) | Value::Text(_) | Value::Array(_), _) => return None,
        })
    }

    fn integer(self, value: i128) -> Option<String> {
        let size = value.unsigned_abs();
        let (prefix, digits) = match self.kind {
            None | Some('d') => ("", size.to_string()),
            Some('x') => ("0x", format!("{size:x}")),
            Some('X') => ("0X", format!("{size:X}")),
            Some('o') => ("0", format!("{size:o}")),
            Some('b') => ("0b", format!("{size:b}")),
            Some('B') => ("0B", format!("{size:b}")),
            Some('c') => {
                let letter = u32::try_from(value).ok().and_then(char::from_u32)?;
                return Some(self.padded(letter.to_string(), '<'));
            }
            Some(_) => return None,
        };
        let prefix = if self.alternate { prefix } else { "" };
        Some(self.number_with(value < 0, prefix, digits))
    }

    fn float(self, value: f64) -> Option<String> {
        let size = value.abs();
        let kind = self.kind.unwrap_or('g');
        let precision = self.precision.unwrap_or(6);
        let digits = if !size.is_finite() {
            if size.is_nan() { "nan".to_owned() } else { "inf".to_owned() }
        } else {
            match kind.to_ascii_lowercase() {
                'f' => format!("{size:.precision$}"),
                'e' => exponent(&format!("{size:.precision$e}")),
                'g' => general(size, precision.max(1), self.alternate),
                _ => return None,
            }
        };
        let digits = if kind.is_ascii_uppercase() { digits.to_uppercase() } else { digits };
        Some(self.number(value.is_sign_negative(), digits))
    }

    fn number(self, is_negative: bool, digits: String) -> String {
        self.number_with(is_negative, "", digits)
    }

    /// A number from its parts, with zeroes between prefix and digits if they are asked for.
    fn number_with(self, is_negative: bool, prefix: &str, digits: String) -> String {
        let sign = match self.sign {
            _ if is_negative => "-",
            Some('+') => "+",
            Some(' ') => " ",
            _ => "",
        };
        let is_plain = digits.starts_with(|letter: char| letter.is_ascii_hexdigit());
        if self.zero && self.align.is_none() && is_plain && digits != "inf" {
            let width = self.width.saturating_sub(sign.len() + prefix.len());
            return format!("{sign}{prefix}{digits:0>width$}");
        }
        self.padded(format!("{sign}{prefix}{digits}"), '>')
    }

    fn padded(self, text: String, usual: char) -> String {
        let fill = self.fill.unwrap_or(' ');
        let missing = self.width.saturating_sub(text.chars().count());
        let before = match self.align.unwrap_or(usual) {
            '>' => missing,
            '^' => missing / 2,
            _ => 0,
        };
        let mut padded = String::new();
        padded.extend(std::iter::repeat_n(fill, before));
        padded.push_str(&text);
        padded.extend(std::iter::repeat_n(fill, missing.saturating_sub(before)));
        padded
    }
}

/// The powers of ten that fmt writes without an exponent end here: 1e7 has one as a `float`, and 1e16 as a `double`.
const FLOAT_POWERS: i64 = 7;
const DOUBLE_POWERS: i64 = 16;

/// The shortest digits that tell a number apart: as fmt, with an exponent below 1e-4 and from `powers` on.
fn shortest(value: f64, digits: &str, powers: i64) -> String {
    let size = value.abs();
    if size.is_nan() {
        return "nan".to_owned();
    }
    if size == 0.0 || size.is_infinite() {
        return digits.to_owned();
    }
    // The digits are exact, so those of the mantissa are among them.
    let mantissa: String = digits.chars().filter(char::is_ascii_digit).collect();
    let mantissa = mantissa.trim_start_matches('0').trim_end_matches('0');
    let (first, rest) = mantissa.split_at_checked(1).unwrap_or(("0", ""));
    let point = digits.find('.').unwrap_or(digits.len());
    let first_digit = digits.find(|letter: char| letter.is_ascii_digit() && letter != '0');
    let place = first_digit.unwrap_or(0);
    let power = if place < point {
        i64::try_from(point.saturating_sub(place)).unwrap_or(0).saturating_sub(1)
    } else {
        i64::try_from(place.saturating_sub(point)).unwrap_or(0).saturating_neg()
    };
    if (-4..powers).contains(&power) {
        return digits.to_owned();
    }
    let point = if rest.is_empty() { "" } else { "." };
    exponent(&format!("{first}{point}{rest}e{power}"))
}

/// C's form of an exponent: `1.5e+01` of `1.5e1`.
fn exponent(text: &str) -> String {
    let (mantissa, power) = text.split_once('e').unwrap_or((text, "0"));
    let (sign, power) = match power.strip_prefix('-') {
        Some(power) => ('-', power),
        None => ('+', power),
    };
    format!("{mantissa}e{sign}{power:0>2}")
}

/// C's `%g`.
fn general(size: f64, precision: usize, keeps_zeroes: bool) -> String {
    let last = precision.saturating_sub(1);
    let written = format!("{size:.last$e}");
    let power: i64 = written.split_once('e').and_then(|(_, power)| power.parse().ok()).unwrap_or(0);
    let significant = i64::try_from(precision).unwrap_or(i64::MAX);
    let trimmed = |text: &str| match text.contains('.') && !keeps_zeroes {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..significant).contains(&power) {
        let decimals =
            usize::try_from(significant.saturating_sub(1).saturating_sub(power)).unwrap_or(0);
        return trimmed(&format!("{size:.decimals$}"));
    }
    let (mantissa, power) = written.split_once('e').unwrap_or((&written, "0"));
    let mut text = trimmed(mantissa);
    let _ = write!(text, "e{power}");
    exponent(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(format: &str, value: Value) -> String {
        formatted(format, &[value])
    }

    #[test]
    fn integers_are_shown_as_fmt_shows_them() {
        for (format, value, text) in [
            ("{}", -7, "-7"),
            ("{:d}|", 12, "12|"),
            ("{:5}|", 12, "   12|"),
            ("{:<5}|", 12, "12   |"),
            ("{:*^6}|", 12, "**12**|"),
            ("{:05}", -12, "-0012"),
            ("{:+}", 12, "+12"),
            ("{: }", 12, " 12"),
            ("{:#x}", 0xBEEF, "0xbeef"),
            ("{:#010X}", 0xBEEF, "0X0000BEEF"),
            ("{:x}", -255, "-ff"),
            ("{:b}", 5, "101"),
            ("{:#o}", 8, "010"),
            ("{:c}", 65, "A"),
            ("{{{0}}} {0}", 3, "{3} 3"),
        ] {
            assert_eq!(shown(format, Value::Integer(value)), text, "{format}");
        }
    }

    #[test]
    fn floats_are_shown_as_fmt_shows_them() {
        for (format, value, text) in [
            ("{}", 1.0, "1"),
            ("{}", 0.1, "0.1"),
            ("{}", -2.5, "-2.5"),
            ("{}", 1e20, "1e+20"),
            ("{}", 9999999.0, "9999999"),
            ("{}", 1e7, "1e+07"),
            ("{}", 16777216.0, "1.6777216e+07"),
            ("{}", 1e-4, "0.0001"),
            ("{}", 0.00009, "9e-05"),
            ("{}", 1.25e-7, "1.25e-07"),
            ("{:.3f}", 1.5, "1.500"),
            ("{:8.2f}|", -1.5, "   -1.50|"),
            ("{:08.2f}", -1.5, "-0001.50"),
            ("{:e}", 1234.5, "1.234500e+03"),
            ("{:.1E}", 0.00125, "1.2E-03"),
            ("{:g}", 0.0001, "0.0001"),
            ("{:g}", 1e10, "1e+10"),
            ("{:.3}", 2.34567, "2.35"),
            ("{:+.1f}", 0.25, "+0.2"),
            ("{:05}", f32::INFINITY, "  inf"),
            ("{}", f32::NAN, "nan"),
        ] {
            assert_eq!(shown(format, Value::Float(value)), text, "{format}");
        }
        assert_eq!(shown("{}", Value::Double(0.1)), "0.1");
        assert_eq!(shown("{}", Value::Double(9999999999999998.0)), "9999999999999998");
        assert_eq!(shown("{}", Value::Double(1e16)), "1e+16");
        assert_eq!(shown("{:.1f}", Value::Double(-0.0)), "-0.0");
        assert_eq!(shown("{:.3}", Value::Double(2.34567)), "2.35");
        assert_eq!(shown("{}", Value::Double(f64::NEG_INFINITY)), "-inf");
    }

    #[test]
    fn other_kinds_are_shown() {
        let text = |text: &str| Value::Text(text.to_owned());
        assert_eq!(shown("{:>4}|{0:.2}|", text("abc")), " abc|ab|");
        assert_eq!(shown("{}{0:d}", Value::Bool(true)), "true1");
        // `char` is an unsigned integer of 8 bits to TT-Metalium.
        assert_eq!(shown("{}{0:x}{0:c}", Value::Char('a')), "9761a");
        assert_eq!(shown("{:12p}|", Value::Pointer(0xFFB0_0000)), "  0xffb00000|");
        let array = Value::Array(vec![Value::Integer(1), Value::Float(0.5), Value::Unknown]);
        assert_eq!(shown("{}", array), "1 0.5 {?} ");
    }

    #[test]
    fn a_wide_format_ends_at_the_limit() {
        let format = "{0:_<128}".repeat(20_000);
        let text = formatted(&format, &[Value::Integer(7)]);
        assert!(text.len() as u64 > limits::PRINTED_BYTES);
        assert!(text.len() as u64 <= limits::PRINTED_BYTES + 128);
    }

    #[test]
    fn a_forged_format_is_shown_as_far_as_it_goes() {
        for (format, text) in [
            ("{", "{?}"),
            ("{0", "{?}"),
            ("a{:", "a{?}"),
            ("} }}", "} }"),
            ("{1}", "{?}"),
            ("{99999999999999999999}", "{?}"),
            ("{:129}", "{?}"),
            ("{:.129f}", "{?}"),
            ("{:99999999999}", "{?}"),
            ("{:q}", "{?}"),
            ("{:xx}", "{?}"),
            ("{:.f}", "{?}"),
            ("{}{}", "5{?}"),
            ("é{}", "é5"),
        ] {
            assert_eq!(shown(format, Value::Integer(5)), text, "{format}");
        }
        assert_eq!(shown("{:128}", Value::Integer(5)).len(), 128);
        assert_eq!(shown("{:x}", Value::Text("x".to_owned())), "{?}");
    }
}
