//! Exponential, logarithm and digamma of plain sums and products, so that a training ends with the same pieces on every
//! machine: what the system's library gives for these may differ in the last bit from one machine to the next.

use std::f64::consts::{LN_2, SQRT_2};

/// The upper 32 bits of ln 2, and the rest.
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// Below this `exp` is 0: far smaller shares of a sum are lost anyway.
const LEAST_EXPONENT: f64 = -700.0;

/// The series of the exponential, for up to half of ln 2: `1 / n!`.
const EXP_TERMS: [f64; 14] = {
    let mut terms = [1.0; 14];
    let mut n = 1;
    while n < terms.len() {
        terms[n] = terms[n - 1] / n as f64;
        n += 1;
    }
    terms
};

/// The series of the logarithm, for mantissas near 1: `1 / (2 n + 1)`.
const LN_TERMS: [f64; 12] = {
    let mut terms = [1.0; 12];
    let mut n = 1;
    while n < terms.len() {
        terms[n] = 1.0 / (2 * n + 1) as f64;
        n += 1;
    }
    terms
};

/// The exponential of a number that is not above 0; what is far below is 0.
#[inline]
pub fn exp(x: f64) -> f64 {
    if x < LEAST_EXPONENT {
        return 0.0;
    }
    let whole = (x * (1.0 / LN_2) - 0.5) as i64;
    let n = whole as f64;
    let rest = (x - n * LN_2_HIGH) - n * LN_2_LOW;
    let sum = EXP_TERMS.iter().rev().fold(0.0, |sum, term| sum * rest + term);
    sum * f64::from_bits(((1023 + whole) as u64) << 52)
}

/// The logarithm of a number above 0 that is no subnormal one.
#[inline]
pub fn ln(x: f64) -> f64 {
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i64 - 1023;
    let mut mantissa = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    if mantissa > SQRT_2 {
        mantissa /= 2.0;
        exponent += 1;
    }
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let square = s * s;
    let sum = LN_TERMS.iter().rev().fold(0.0, |sum, term| sum * square + term);
    let n = exponent as f64;
    n * LN_2_HIGH + (2.0 * s * sum + n * LN_2_LOW)
}

/// The derivative of the logarithm of the gamma function, for a number above 0.
pub fn digamma(mut x: f64) -> f64 {
    let mut result = 0.0;
    while x < 7.0 {
        result -= 1.0 / x;
        x += 1.0;
    }
    x -= 0.5;
    let square = 1.0 / (x * x);
    let series = square * (1.0 / 24.0 - square * (7.0 / 960.0 - square * (31.0 / 8064.0 - square * 127.0 / 30720.0)));
    result + ln(x) + series
}

#[cfg(test)]
mod tests {
    use super::{digamma, exp, ln};

    #[test]
    fn they_are_those_of_the_system_up_to_the_last_bits() {
        for place in 0..20_000 {
            let x = -f64::from(place) * 0.033;
            assert!((exp(x) - x.exp()).abs() <= 4.0 * f64::EPSILON * x.exp(), "exp {x}");
            let y = 1.001_f64.powi(place - 10_000);
            assert!((ln(y) - y.ln()).abs() <= 4.0 * f64::EPSILON * y.ln().abs().max(f64::EPSILON), "ln {y}");
        }
    }

    #[test]
    fn digamma_is_that_of_the_tables() {
        for (x, expected) in
            [(1.0, -0.577_215_664_901_532_9), (0.5, -1.963_510_026_021_423_5), (10.0, 2.251_752_589_066_721)]
        {
            assert!((digamma(x) - expected).abs() < 1e-9, "{x}: {}", digamma(x));
        }
    }
}
