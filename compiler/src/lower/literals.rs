//! Constants in the form Core knows: numbers, texts, addresses and truth values.

use crate::core::{Expr, Kind};
use twp_lang::hir::{Ty, Value};

/// The kind that values of a type have.
pub(super) fn kind(ty: &Ty) -> Kind {
    match ty {
        Ty::Bool => Kind::Bool,
        Ty::Ip => Kind::Ip,
        Ty::Int | Ty::Duration | Ty::Size | Ty::Rate | Ty::Percent | Ty::Status | Ty::Port => Kind::Int,
        Ty::Option(inner) => kind(inner),
        Ty::String
        | Ty::RawString
        | Ty::Method
        | Ty::Scheme
        | Ty::Cidr
        | Ty::Endpoint
        | Ty::Host
        | Ty::Path
        | Ty::Regex
        | Ty::Glob
        | Ty::Upstream
        | Ty::Enum(_)
        | Ty::List(_)
        | Ty::Set(_)
        | Ty::Range(_)
        | Ty::Map(..)
        | Ty::Error => Kind::Text,
    }
}

/// A constant as a value to compare: durations in milliseconds, sizes in bytes, rates per day.
pub(super) fn operand(value: &Value) -> Expr {
    match value {
        Value::Bool(value) => Expr::Bool(*value),
        Value::Int(number) => Expr::Int(*number),
        Value::Duration(number) | Value::Size(number) => Expr::Int(clamp(*number)),
        Value::Percent(hundredths) => Expr::Int(i64::from(*hundredths)),
        Value::Rate(count, seconds) => {
            Expr::Int(clamp(count.saturating_mul(86_400) / u64::from((*seconds).max(1))))
        }
        Value::Ip(addr) => Expr::Ip(*addr),
        Value::Text(_)
        | Value::Method(_)
        | Value::Cidr(_)
        | Value::Endpoint(_)
        | Value::Regex(_)
        | Value::Glob(_) => Expr::Text(written(value)),
    }
}

/// A constant in its written form.
pub(super) fn written(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Text(text) | Value::Glob(text) => text.clone(),
        Value::Duration(ms) => {
            in_units(*ms, &[("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000)], "ms")
        }
        Value::Size(bytes) => in_units(*bytes, &[("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)], "B"),
        Value::Percent(hundredths) => percent(*hundredths),
        Value::Rate(count, seconds) => format!("{count}/{}", period(*seconds)),
        Value::Method(method) => method.to_string(),
        Value::Ip(addr) => addr.to_canonical().to_string(),
        Value::Cidr(cidr) => cidr.to_string(),
        Value::Endpoint(endpoint) => endpoint.to_string(),
        Value::Regex(regex) => regex.pattern.clone(),
    }
}

/// The number in the largest unit that divides it.
fn in_units(number: u64, units: &[(&str, u64)], smallest: &str) -> String {
    match units.iter().find(|(_, size)| number > 0 && number.is_multiple_of(*size)) {
        Some((unit, size)) => format!("{}{unit}", number / size),
        None => format!("{number}{smallest}"),
    }
}

fn percent(hundredths: u32) -> String {
    let (whole, part) = (hundredths / 100, hundredths % 100);
    if part == 0 {
        return format!("{whole}%");
    }
    format!("{whole}.{}%", format!("{part:02}").trim_end_matches('0'))
}

fn period(seconds: u32) -> String {
    match seconds {
        1 => "sec".to_owned(),
        60 => "min".to_owned(),
        3600 => "hour".to_owned(),
        86_400 => "day".to_owned(),
        other => format!("{other}s"),
    }
}

fn clamp(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_print_as_written() {
        let texts: Vec<String> = [
            Value::Duration(90_000),
            Value::Duration(60_000),
            Value::Duration(250),
            Value::Duration(0),
            Value::Size(65_536),
            Value::Size(5_000_000),
            Value::Percent(50),
            Value::Percent(500),
            Value::Percent(1205),
            Value::Rate(100, 60),
            Value::Bool(true),
        ]
        .iter()
        .map(written)
        .collect();
        let expected =
            ["90s", "1m", "250ms", "0ms", "64KiB", "5000000B", "0.5%", "5%", "12.05%", "100/min", "true"];
        assert_eq!(texts, expected);
    }
}
