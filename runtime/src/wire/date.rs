//! Dates as text: the HTTP date (RFC 9110 section 5.6.7) and the time of records (RFC 3339).

/// Bytes of an HTTP date.
pub const HTTP_DATE_BYTES: usize = 29;

/// The date of responses, formatted once per second.
#[derive(Clone, Debug, Default)]
pub struct DateText {
    unix_seconds: u64,
    text: Vec<u8>,
}

impl DateText {
    /// The text for this second, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    pub fn at(&mut self, unix_seconds: u64) -> &[u8] {
        if self.unix_seconds != unix_seconds || self.text.is_empty() {
            self.unix_seconds = unix_seconds;
            self.text.clear();
            write_http_date(unix_seconds, &mut self.text);
        }
        &self.text
    }
}

/// Appends an HTTP date: always [`HTTP_DATE_BYTES`] bytes, the year capped at 9999.
pub fn write_http_date(unix_seconds: u64, out: &mut Vec<u8>) {
    const DAYS: [&[u8]; 7] = [b"Thu, ", b"Fri, ", b"Sat, ", b"Sun, ", b"Mon, ", b"Tue, ", b"Wed, "];
    const MONTHS: [&[u8]; 12] = [
        b" Jan ", b" Feb ", b" Mar ", b" Apr ", b" May ", b" Jun ", b" Jul ", b" Aug ", b" Sep ", b" Oct ",
        b" Nov ", b" Dec ",
    ];
    let time = Civil::of(unix_seconds);
    out.extend_from_slice(DAYS[time.weekday % 7]);
    write_two(time.day, out);
    out.extend_from_slice(MONTHS[usize::from(time.month + 11) % 12]);
    write_year(time.year, out);
    out.push(b' ');
    write_clock(&time, out);
    out.extend_from_slice(b" GMT");
}

/// Appends a time with milliseconds: `1994-11-06T08:49:37.000Z`.
pub fn write_rfc3339(unix_millis: u64, out: &mut Vec<u8>) {
    let time = Civil::of(unix_millis / 1000);
    write_year(time.year, out);
    out.push(b'-');
    write_two(u64::from(time.month), out);
    out.push(b'-');
    write_two(time.day, out);
    out.push(b'T');
    write_clock(&time, out);
    let millis = unix_millis % 1000;
    out.push(b'.');
    out.push(digit(millis / 100));
    write_two(millis % 100, out);
    out.push(b'Z');
}

/// A moment of the Gregorian calendar in UTC.
struct Civil {
    year: u64,
    month: u8,
    day: u64,
    second_of_day: u64,
    /// Days since a Thursday.
    weekday: usize,
}

impl Civil {
    /// Counts in years that begin in March, so that the leap day is the last; eras have 400 years.
    fn of(unix_seconds: u64) -> Civil {
        // The last second of the year 9999: four digits are all the formats have.
        let seconds = unix_seconds.min(253_402_300_799);
        let days = seconds / 86_400;
        let from_era_start = days + 719_468;
        let era = from_era_start / 146_097;
        let day_of_era = from_era_start % 146_097;
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        Civil {
            year: year_of_era + era * 400 + u64::from(month <= 2),
            month: u8::try_from(month).unwrap_or(1),
            day: day_of_year - (153 * shifted_month + 2) / 5 + 1,
            second_of_day: seconds % 86_400,
            weekday: usize::try_from(days % 7).unwrap_or(0),
        }
    }
}

fn write_clock(time: &Civil, out: &mut Vec<u8>) {
    write_two(time.second_of_day / 3600, out);
    out.push(b':');
    write_two(time.second_of_day / 60 % 60, out);
    out.push(b':');
    write_two(time.second_of_day % 60, out);
}

fn write_year(year: u64, out: &mut Vec<u8>) {
    write_two(year / 100, out);
    write_two(year % 100, out);
}

fn write_two(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(&[digit(number / 10), digit(number)]);
}

fn digit(number: u64) -> u8 {
    b"0123456789"[usize::try_from(number % 10).unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_dates() {
        for (seconds, want) in [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (u64::MAX, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] {
            let mut out = Vec::new();
            write_http_date(seconds, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), want);
            assert_eq!(out.len(), HTTP_DATE_BYTES);
        }
    }

    #[test]
    fn times_of_records() {
        let mut out = Vec::new();
        write_rfc3339(784_111_777_045, &mut out);
        assert_eq!(String::from_utf8_lossy(&out), "1994-11-06T08:49:37.045Z");
    }

    #[test]
    fn the_text_changes_with_the_second() {
        let mut date = DateText::default();
        assert_eq!(date.at(0), b"Thu, 01 Jan 1970 00:00:00 GMT");
        assert_eq!(date.at(1), b"Thu, 01 Jan 1970 00:00:01 GMT");
    }
}
