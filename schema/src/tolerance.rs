//! The distance of data from their reference.

use crate::model::{DataType, Tolerance};
use crate::plural;

/// An element that differs from its reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementError {
    /// The index of the element.
    pub element: u64,
    /// The bits of the reference element.
    pub expected: u32,
    /// The bits of the element that was read.
    pub actual: u32,
}

impl ElementError {
    /// The absolute difference of the numbers; infinite if only one of them is finite.
    pub fn difference(&self, data_type: DataType) -> f64 {
        let (expected, actual) = (data_type.number(self.expected), data_type.number(self.actual));
        if expected.is_finite() && actual.is_finite() {
            (actual - expected).abs()
        } else {
            f64::INFINITY
        }
    }

    /// The units in the last place between the numbers; `None` if one of them is not finite.
    pub fn units(&self, data_type: DataType) -> Option<u64> {
        let finite = data_type.number(self.expected).is_finite()
            && data_type.number(self.actual).is_finite();
        finite.then(|| data_type.ordinal(self.expected).abs_diff(data_type.ordinal(self.actual)))
    }
}

/// The violations of a tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outside {
    /// The number of elements outside the tolerance.
    pub elements: u64,
    /// The first of them.
    pub first: ElementError,
    /// The element with the largest multiple of the allowed distance.
    pub worst: ElementError,
    /// The correlation of all elements, if it is below the allowed least.
    pub correlation: Option<f64>,
}

impl Tolerance {
    /// `2 units in the last place or 0.5`.
    pub fn limits(&self) -> String {
        let mut limits = Vec::new();
        if self.ulp > 0 {
            let units = plural::counted(self.ulp, "unit", "units");
            limits.push(format!("{units} in the last place"));
        }
        if !self.absolute.is_zero() {
            limits.push(self.absolute.to_string());
        }
        if !self.relative.is_zero() {
            limits.push(format!("{}×|reference|", self.relative));
        }
        let pcc = (!self.pcc.is_zero()).then(|| format!("a correlation of {}", self.pcc));
        let of_elements = limits.join(" or ");
        let both = [Some(of_elements).filter(|text| !text.is_empty()), pcc];
        both.into_iter().flatten().collect::<Vec<_>>().join(", and ")
    }

    /// Whether the tolerance limits single elements.
    fn limits_elements(&self) -> bool {
        self.ulp > 0 || !self.absolute.is_zero() || !self.relative.is_zero()
    }

    /// Pearson's correlation coefficient of the elements of both sides: 1 if all are equal, 0 if one side is
    /// constant or holds a number that is not finite.
    pub fn correlation(&self, expected: &[u8], actual: &[u8]) -> f64 {
        let numbers =
            |bytes| self.data_type.elements(bytes).map(|bits| self.data_type.number(bits));
        if expected == actual {
            return 1.0;
        }
        // Elements are taken relative to the first: sums of large numbers then lose nothing, and a constant
        // becomes 0.
        let first = |bytes| numbers(bytes).next().unwrap_or_default();
        let (first_expected, first_actual) = (first(expected), first(actual));
        let pairs = || {
            let pairs = numbers(expected).zip(numbers(actual));
            pairs.map(|(one, other)| (one - first_expected, other - first_actual))
        };
        let count = pairs().count() as f64;
        let (sum, sum_of_actual) =
            pairs().fold((0.0, 0.0), |sums, (one, other)| (sums.0 + one, sums.1 + other));
        let (mean, mean_of_actual) = (sum / count, sum_of_actual / count);
        let (mut product, mut squares, mut squares_of_actual) = (0.0, 0.0, 0.0);
        for (one, other) in pairs() {
            let (one, other) = (one - mean, other - mean_of_actual);
            product += one * other;
            squares += one * one;
            squares_of_actual += other * other;
        }
        let correlation = product / (squares.sqrt() * squares_of_actual.sqrt());
        if correlation.is_finite() { correlation.clamp(-1.0, 1.0) } else { 0.0 }
    }

    /// The distance of an element as a multiple of the allowed distance, by the most generous limit; at most 1
    /// means within. A number that is not finite must have the same bits: infinities and NaNs are never close.
    fn excess(&self, expected: u32, actual: u32) -> f64 {
        if expected == actual {
            return 0.0;
        }
        let error = ElementError { element: 0, expected, actual };
        let Some(units) = error.units(self.data_type) else { return f64::INFINITY };
        if !self.limits_elements() {
            // Only the correlation of all elements decides.
            return 0.0;
        }
        let difference = error.difference(self.data_type);
        let magnitude = self.data_type.number(expected).abs();
        let part = |error: f64, limit: f64| {
            if error == 0.0 {
                0.0
            } else if limit > 0.0 {
                error / limit
            } else {
                f64::INFINITY
            }
        };
        // Both zeros are the same number, and each neighbour of zero is one unit away.
        let by_units = part(units as f64, f64::from(self.ulp));
        let by_difference = part(difference, self.absolute.get());
        let by_magnitude = part(difference, self.relative.get() * magnitude);
        by_units.min(by_difference).min(by_magnitude)
    }

    /// The largest multiple of the allowed distance among the elements: 0 if all are equal, at most 1 if all
    /// are within, and infinite if the lengths or the bytes after the last whole element differ.
    pub fn used(&self, expected: &[u8], actual: &[u8]) -> f64 {
        let size = self.data_type.size();
        let rest = |bytes| <[u8]>::chunks_exact(bytes, size).remainder();
        if expected.len() != actual.len() || rest(expected) != rest(actual) {
            return f64::INFINITY;
        }
        let pairs = self.data_type.elements(expected).zip(self.data_type.elements(actual));
        let parts = pairs.map(|(expected, actual)| self.excess(expected, actual));
        let of_elements =
            parts.fold(
                0.0,
                |most: f64, part| if part.is_nan() { f64::INFINITY } else { part.max(most) },
            );
        if self.pcc.is_zero() {
            return of_elements;
        }
        let found = self.correlation(expected, actual);
        let of_all = match (found < self.pcc.get(), 1.0 - self.pcc.get()) {
            (true, 0.0) => f64::INFINITY,
            (false, 0.0) => 0.0,
            (_, missing) => (1.0 - found) / missing,
        };
        of_elements.max(of_all)
    }

    /// The correlation, if it is below the least.
    fn lacks_correlation(&self, expected: &[u8], actual: &[u8]) -> Option<f64> {
        if self.pcc.is_zero() {
            return None;
        }
        Some(self.correlation(expected, actual)).filter(|found| *found < self.pcc.get())
    }

    /// Compares data of the same length, element by element; `None` if all are within the tolerance. Bytes
    /// after the last whole element must be equal.
    pub fn outside(&self, expected: &[u8], actual: &[u8]) -> Option<Outside> {
        let mut outside: Option<(Outside, f64)> = None;
        let pairs = self.data_type.elements(expected).zip(self.data_type.elements(actual));
        for (element, (expected, actual)) in (0..).zip(pairs) {
            let excess = self.excess(expected, actual);
            // A tiny limit can make the quotient NaN.
            if excess.is_nan() || excess > 1.0 {
                note(&mut outside, ElementError { element, expected, actual }, excess);
            }
        }
        let size = self.data_type.size();
        let rest = |bytes: &[u8]| {
            let rest = bytes.chunks_exact(size).remainder();
            rest.iter().rev().fold(0, |bits: u32, byte| bits << 8 | u32::from(*byte))
        };
        let (left, right) = (rest(expected), rest(actual));
        if left != right || expected.len() != actual.len() {
            let element = (expected.len() / size) as u64;
            let error = ElementError { element, expected: left, actual: right };
            note(&mut outside, error, f64::INFINITY);
        }
        let correlation = self.lacks_correlation(expected, actual);
        if correlation.is_some() && outside.is_none() {
            // All elements contribute to the correlation.
            let pairs = self.data_type.elements(expected).zip(self.data_type.elements(actual));
            for (element, (expected, actual)) in (0..).zip(pairs) {
                let error = ElementError { element, expected, actual };
                if expected != actual {
                    note(&mut outside, error, error.difference(self.data_type));
                }
            }
        }
        outside.map(|(outside, _)| Outside { correlation, ..outside })
    }
}

/// Counts an element outside the tolerance, and keeps the first and the worst.
fn note(outside: &mut Option<(Outside, f64)>, error: ElementError, excess: f64) {
    match outside {
        None => {
            let first = Outside { elements: 1, first: error, worst: error, correlation: None };
            *outside = Some((first, excess));
        }
        Some((known, most)) => {
            known.elements += 1;
            if excess > *most {
                *most = excess;
                known.worst = error;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Real;

    fn tolerance(ulp: u32, absolute: f64, relative: f64) -> Tolerance {
        let real = |value| Real::new(value).unwrap();
        Tolerance {
            data_type: DataType::Float32,
            ulp,
            reason: "a test".to_owned(),
            absolute: real(absolute),
            relative: real(relative),
            pcc: Real::ZERO,
        }
    }

    fn bytes(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    fn elements_outside(tolerance: &Tolerance, expected: &[f32], actual: &[f32]) -> u64 {
        tolerance.outside(&bytes(expected), &bytes(actual)).map_or(0, |outside| outside.elements)
    }

    #[test]
    fn each_limit_allows_by_itself() {
        let one_up = 1.0_f32.next_up();
        assert_eq!(elements_outside(&tolerance(1, 0.0, 0.0), &[1.0], &[one_up]), 0);
        assert_eq!(elements_outside(&tolerance(1, 0.0, 0.0), &[1.0], &[one_up.next_up()]), 1);
        assert_eq!(elements_outside(&tolerance(0, 0.25, 0.0), &[1.0, 1.0], &[1.25, 0.5]), 1);
        assert_eq!(elements_outside(&tolerance(0, 0.0, 0.5), &[8.0, -8.0], &[12.0, -13.0]), 1);
        assert_eq!(elements_outside(&tolerance(1, 0.25, 0.5), &[8.0, 0.0], &[12.0, 0.25]), 0);
        // A relative limit allows no distance from 0.
        assert_eq!(elements_outside(&tolerance(0, 0.0, 0.5), &[0.0], &[1e-40]), 1);
    }

    #[test]
    fn a_difference_from_what_is_not_finite_is_infinite() {
        let bits = |value: f32| value.to_bits();
        for (expected, actual) in [(1.0, f32::NAN), (f32::NAN, 1.0), (f32::NAN, f32::NAN)] {
            let (expected, actual) = (bits(expected), bits(actual));
            let error = ElementError { element: 0, expected, actual };
            assert_eq!(error.difference(DataType::Float32), f64::INFINITY, "{error:?}");
            assert_eq!(error.units(DataType::Float32), None, "{error:?}");
        }
        let error = ElementError { element: 0, expected: bits(1.5), actual: bits(-1.0) };
        assert_eq!(error.difference(DataType::Float32), 2.5);
    }

    #[test]
    fn zeros_are_one_number_and_units_count_across_them() {
        let tiny = f32::from_bits(1);
        assert_eq!(elements_outside(&tolerance(1, 0.0, 0.0), &[0.0], &[-0.0]), 0);
        assert_eq!(elements_outside(&tolerance(2, 0.0, 0.0), &[tiny], &[-tiny]), 0);
        assert_eq!(elements_outside(&tolerance(1, 0.0, 0.0), &[tiny], &[-tiny]), 1);
    }

    #[test]
    fn what_is_not_finite_is_never_near() {
        let wide = tolerance(u32::MAX, f64::MAX, f64::MAX);
        let nan = f32::NAN;
        let other_nan = f32::from_bits(nan.to_bits() | 1);
        let infinity = f32::INFINITY;
        assert_eq!(elements_outside(&wide, &[nan, infinity], &[nan, infinity]), 0);
        for (expected, actual) in [
            (nan, other_nan),
            (nan, 1.0),
            (1.0, nan),
            (infinity, f32::MAX),
            (f32::MAX, infinity),
            (infinity, -infinity),
        ] {
            assert_eq!(elements_outside(&wide, &[expected], &[actual]), 1, "{expected} {actual}");
        }
    }

    #[test]
    fn the_worst_is_told_by_what_it_is_allowed() {
        let near = tolerance(0, 0.0, 0.01);
        // The second element has the larger absolute difference, the third the larger relative one.
        let outside = near.outside(&bytes(&[1.0, 100.0, 0.5]), &bytes(&[1.0, 103.0, 0.6])).unwrap();
        assert_eq!((outside.elements, outside.first.element, outside.worst.element), (2, 1, 2));
        let single = DataType::Float32;
        assert_eq!(outside.first.difference(single), 3.0);
        assert_eq!(outside.first.units(single), Some(393_216));
        let nan = near.outside(&bytes(&[1.0, 2.0]), &bytes(&[2.0, f32::NAN])).unwrap();
        assert_eq!((nan.worst.element, nan.worst.units(single)), (1, None));
    }

    #[test]
    fn integers_and_cut_off_elements() {
        let near = Tolerance { data_type: DataType::Int16, ..tolerance(0, 2.0, 0.0) };
        assert_eq!(near.outside(&[255, 255, 7], &[1, 0, 7]), None);
        let outside = near.outside(&[255, 255, 7], &[2, 0, 8]).unwrap();
        assert_eq!((outside.elements, outside.worst.element), (2, 1));
        assert!(near.outside(&[0, 0], &[]).is_some());
        // The first missing element is reported.
        let cut = near.outside(&[1, 0, 2, 0, 3, 0], &[1, 0, 2, 0]).unwrap();
        assert_eq!((cut.elements, cut.first.element), (1, 3));
    }

    #[test]
    fn what_is_used_of_a_tolerance_is_that_of_the_worst_element() {
        let four = tolerance(0, 4.0, 0.0);
        let bytes =
            |values: &[f32]| values.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<u8>>();
        let expected = bytes(&[1.0, 2.0, 3.0]);
        for (actual, used) in [
            ([1.0, 2.0, 3.0], 0.0),
            ([1.0, 3.0, 3.0], 0.25),
            ([5.0, 1.0, 3.0], 1.0),
            ([1.0, 2.0, 11.0], 2.0),
        ] {
            let actual = bytes(&actual);
            assert_eq!(four.used(&expected, &actual), used);
            assert_eq!(four.outside(&expected, &actual).is_some(), used > 1.0);
        }
        let longer = [expected.clone(), vec![0]].concat();
        assert_eq!(four.used(&expected, &longer), f64::INFINITY);
        let ends = |last| [expected.clone(), vec![last]].concat();
        assert_eq!(four.used(&ends(1), &ends(2)), f64::INFINITY);
        assert_eq!(four.used(&ends(1), &ends(1)), 0.0);
        assert_eq!(four.used(&expected, &bytes(&[1.0, f32::NAN, 3.0])), f64::INFINITY);
    }

    #[test]
    fn a_correlation_is_of_all_elements() {
        let bytes = |values: &[f32]| -> Vec<u8> {
            values.iter().flat_map(|value| value.to_le_bytes()).collect()
        };
        let least = |pcc: f64| Tolerance { pcc: Real::new(pcc).unwrap(), ..tolerance(0, 0.0, 0.0) };
        let reference = bytes(&[1.0, 2.0, 3.0, 4.0]);
        let found = |actual: &[f32]| least(0.5).correlation(&reference, &bytes(actual));
        // A rising straight line correlates perfectly with another; a falling one is the opposite.
        assert!((found(&[-7.0, -5.0, -3.0, -1.0]) - 1.0).abs() < 1e-12);
        assert!((found(&[4.0, 3.0, 2.0, 1.0]) + 1.0).abs() < 1e-12);
        // 4.25 / sqrt(5 * 3.6875), by hand.
        let one_off = [1.0, 2.0, 3.0, 3.5];
        assert!((found(&one_off) - 4.25 / (5.0_f64 * 3.6875).sqrt()).abs() < 1e-12);
        // A constant, or a number that is not finite, gives no correlation.
        assert_eq!(found(&[2.0; 4]), 0.0);
        assert_eq!(found(&[1.0, 2.0, 3.0, f32::NAN]), 0.0);
        // Two constants have no correlation, however large and many they are.
        let words = Tolerance { data_type: DataType::Uint32, ..least(0.5) };
        let constant = |word: u32| word.to_le_bytes().repeat(3_000_000);
        assert_eq!(words.correlation(&constant(4_294_967_289), &constant(4_111_111_105)), 0.0);
        let exact = found(&one_off);
        let actual = bytes(&one_off);
        assert!(least(exact).outside(&reference, &actual).is_none());
        let more = least(exact + 1e-9);
        let outside = more.outside(&reference, &actual).unwrap();
        assert_eq!((outside.elements, outside.first.element), (1, 3));
        assert_eq!(outside.correlation, Some(exact));
        assert!(
            more.used(&reference, &actual) > 1.0 && least(exact).used(&reference, &actual) <= 1.0
        );
        // A number that is not finite must match exactly, whatever the other elements are.
        let mut long: Vec<f32> = (0..1000_u16).map(f32::from).collect();
        let reference = bytes(&long);
        long[17] = f32::INFINITY;
        assert!(least(0.1).outside(&reference, &bytes(&long)).is_some());
        // The limits of elements and the least correlation both apply.
        let both = Tolerance { pcc: Real::new(0.9).unwrap(), ..tolerance(0, 0.25, 0.0) };
        let reference = bytes(&[1.0, 2.0, 3.0, 4.0]);
        assert!(both.outside(&reference, &bytes(&[1.0, 2.0, 3.0, 4.25])).is_none());
        assert!(both.outside(&reference, &bytes(&[1.0, 2.0, 3.0, 4.5])).is_some());
        assert!(both.outside(&reference, &bytes(&[1.2, 2.2, 3.2, 4.2])).is_none());
        let near = Tolerance { pcc: Real::new(0.9).unwrap(), ..tolerance(0, 9.0, 0.0) };
        assert!(near.outside(&reference, &bytes(&[4.0, 3.0, 2.0, 1.0])).is_some());
        assert_eq!(both.limits(), "0.25, and a correlation of 0.9");
        assert_eq!(least(0.9).limits(), "a correlation of 0.9");
    }
}
