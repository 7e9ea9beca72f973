//! Request targets: what the one normal form promises to whoever matches, logs and forwards it.

use twp_lang::target::{
    PATH_BYTES_MAX, SEGMENTS_MAX, TargetError, normalize_host, normalize_path, normalize_query,
    split_authority,
};

/// Takes any bytes for a path, a query, a host and an authority.
pub fn target(bytes: &[u8]) {
    path(bytes);
    query(bytes);
    host(bytes);
    if let Ok((name, port)) = split_authority(bytes) {
        assert!(!name.is_empty() && bytes.starts_with(name), "the host is the start of the authority");
        assert!(port != Some(0), "no port is 0");
        assert!(!name.contains(&b'@'), "nobody hides in front of the host");
    }
}

fn path(bytes: &[u8]) {
    let Some(normal) = normal(bytes, normalize_path) else { return };
    assert!(normal.len() <= bytes.len() && normal.len() <= PATH_BYTES_MAX, "{}", shown(&normal));
    let segments: Vec<&[u8]> = normal.split(|byte| *byte == b'/').skip(1).collect();
    assert!(normal.starts_with(b"/") && segments.len() <= SEGMENTS_MAX, "{}", shown(&normal));
    for (number, segment) in segments.iter().enumerate() {
        let may_be_empty = number + 1 == segments.len();
        assert!(may_be_empty || !segment.is_empty(), "empty segment: {}", shown(&normal));
        assert!(!matches!(*segment, b"." | b".."), "dots: {}", shown(&normal));
        assert!(!segment.contains(&b'?') && !segment.contains(&b'\\'), "{}", shown(&normal));
        let decoded = decode(segment);
        let hides = |byte: &u8| matches!(byte, b'/' | b'\\') || byte.is_ascii_control();
        assert!(!decoded.iter().any(hides), "an escape hides something: {}", shown(&normal));
        assert!(!matches!(decoded.as_slice(), b"." | b".."), "escaped dots: {}", shown(&normal));
    }
    escapes_are_normal(&normal);
    let is_plain = |segment: &[u8]| !matches!(decode(segment).as_slice(), b"" | b"." | b"..");
    if bytes.split(|byte| *byte == b'/').skip(1).all(is_plain) {
        assert_eq!(decode(&normal), decode(bytes), "the meaning is kept");
    }
}

fn query(bytes: &[u8]) {
    let Some(normal) = normal(bytes, normalize_query) else { return };
    assert!(normal.len() <= bytes.len(), "{}", shown(&normal));
    assert_eq!(decode(&normal), decode(bytes), "the meaning is kept");
    escapes_are_normal(&normal);
}

fn host(bytes: &[u8]) {
    let Some(normal) = normal(bytes, normalize_host) else { return };
    let is_host =
        |byte: &u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b':' | b'[' | b']');
    assert!(!normal.is_empty() && normal.iter().all(is_host), "{}", shown(&normal));
    assert!(!normal.ends_with(b"."), "one name has one form: {}", shown(&normal));
    let (name, port) = split_authority(&normal).expect("a host is an authority");
    assert_eq!((name, port), (&*normal, None), "a host hides no port");
}

type Normalize = for<'a> fn(&'a [u8], &'a mut Vec<u8>) -> Result<&'a [u8], TargetError>;

/// The normal form, which is its own normal form and then comes back as it is.
fn normal(bytes: &[u8], normalize: Normalize) -> Option<Vec<u8>> {
    let (mut scratch, mut untouched) = (b"left over".to_vec(), Vec::new());
    let normal = match normalize(bytes, &mut scratch) {
        Ok(normal) => normal.to_vec(),
        Err(error) => {
            assert!(!error.reason().is_empty(), "a refusal has a reason");
            return None;
        }
    };
    assert_eq!(normalize(&normal, &mut untouched), Ok(&*normal), "of {}", shown(bytes));
    assert!(untouched.is_empty(), "nothing is written for what is normal: {}", shown(&normal));
    Some(normal)
}

/// Every escape is one that is needed, in upper case; every byte may stand in a request line.
fn escapes_are_normal(normal: &[u8]) {
    assert!(normal.iter().all(u8::is_ascii_graphic) && !normal.contains(&b'#'), "{}", shown(normal));
    for escape in normal.split(|byte| *byte == b'%').skip(1) {
        let digits = escape.get(..2).expect("two digits");
        assert!(digits.iter().all(|digit| digit.is_ascii_digit() || (b'A'..=b'F').contains(digit)));
        let decoded = hex(digits[0]) << 4 | hex(digits[1]);
        let is_unreserved = decoded.is_ascii_alphanumeric() || b"-._~".contains(&decoded);
        assert!(!is_unreserved, "needless escape: {}", shown(normal));
    }
}

/// The bytes that are meant: written apart from the code under test.
fn decode(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    loop {
        match rest {
            [b'%', high, low, after @ ..] => {
                out.push(hex(*high) << 4 | hex(*low));
                rest = after;
            }
            [byte, after @ ..] => {
                out.push(*byte);
                rest = after;
            }
            [] => return out,
        }
    }
}

fn hex(digit: u8) -> u8 {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok()).unwrap_or(0)
}

fn shown(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}
