//! Where quoted texts end, including texts inside `${…}` inside texts.

use crate::limits::NESTING_MAX;

/// The end of a text and how deep brackets nest inside.
pub(super) struct TextEnd {
    /// One past the closing quote, or the place where the line ended.
    pub end: usize,
    pub closed: bool,
    pub depth: usize,
}

/// Looks for the closing quote of a text whose opening quote stands before `from`, `level` texts deep.
pub(super) fn text_end(bytes: &[u8], from: usize, level: usize) -> TextEnd {
    let mut at = from;
    let mut depth = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\n' => break,
            b'"' => return TextEnd { end: at + 1, closed: true, depth },
            b'\\' if bytes.get(at + 1).is_some_and(|next| *next != b'\n') => at += 2,
            b'$' if bytes.get(at + 1) == Some(&b'{') => {
                let inner = insertion_end(bytes, at + 2, level);
                depth = depth.max(inner.depth);
                at = inner.end;
                if !inner.closed {
                    break;
                }
            }
            _ => at += 1,
        }
    }
    TextEnd { end: at, closed: false, depth }
}

/// Looks for the `}` of a `${`; an insertion ends with its line at the latest.
fn insertion_end(bytes: &[u8], from: usize, level: usize) -> TextEnd {
    let (mut at, mut open, mut deepest) = (from, 1, 1);
    // Deeper texts are refused anyway; stopping here keeps the stack bounded.
    if level > NESTING_MAX {
        return TextEnd { end: at, closed: false, depth: NESTING_MAX + 1 };
    }
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\n' => break,
            b'{' | b'(' | b'[' => {
                open += 1;
                deepest = deepest.max(open);
                at += 1;
            }
            b'}' | b')' | b']' => {
                open -= 1;
                at += 1;
                if open == 0 {
                    return TextEnd { end: at, closed: true, depth: deepest };
                }
            }
            b'"' => {
                let inner = text_end(bytes, at + 1, level + 1);
                deepest = deepest.max(open + inner.depth);
                at = inner.end;
                if !inner.closed {
                    break;
                }
            }
            _ => at += 1,
        }
    }
    TextEnd { end: at, closed: false, depth: deepest }
}

/// One past the closing quote of a text without escapes, and whether there is one.
pub(super) fn plain_text_end(bytes: &[u8], from: usize, across_lines: bool) -> (usize, bool) {
    let rest = bytes.get(from..).unwrap_or_default();
    let length = rest.iter().take_while(|byte| **byte != b'"' && (across_lines || **byte != b'\n')).count();
    let closed = rest.get(length) == Some(&b'"');
    (from + length + usize::from(closed), closed)
}
