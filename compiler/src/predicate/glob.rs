//! Globs: `*` is any text, `?` one character.

/// A glob ready to match.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Glob {
    tokens: Vec<Token>,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Token {
    Byte(u8),
    One,
    Any,
}

impl Glob {
    pub(crate) fn new(glob: &str) -> Glob {
        let mut tokens = Vec::with_capacity(glob.len());
        for byte in glob.bytes() {
            let token = match byte {
                b'*' => Token::Any,
                b'?' => Token::One,
                byte => Token::Byte(byte),
            };
            if token != Token::Any || tokens.last() != Some(&Token::Any) {
                tokens.push(token);
            }
        }
        Glob { tokens, text: glob.to_owned() }
    }

    /// As written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// How often each byte of a text is compared at most: after a `*`, all that follows is tried anew from each place.
    pub(crate) fn passes(&self) -> usize {
        let star = self.tokens.iter().position(|token| *token == Token::Any);
        star.map_or(1, |star| (self.tokens.len() - star - 1).max(1))
    }

    /// Whether a text of `len` bytes matches as a whole.
    ///
    /// After a mismatch only the last `*` takes one byte more: an earlier one could not do better. That bounds the
    /// work by the product of both lengths.
    pub(crate) fn matches(&self, len: usize, byte: impl Fn(usize) -> u8) -> bool {
        let (mut token, mut at) = (0, 0);
        let mut star: Option<(usize, usize)> = None;
        loop {
            match self.tokens.get(token) {
                Some(Token::Any) => {
                    token += 1;
                    star = Some((token, at));
                    continue;
                }
                Some(Token::One) if at < len => {
                    token += 1;
                    at += character_len(at, len, &byte);
                    continue;
                }
                Some(Token::Byte(wanted)) if at < len && byte(at) == *wanted => {
                    token += 1;
                    at += 1;
                    continue;
                }
                None if at == len => return true,
                Some(Token::One | Token::Byte(_)) | None => {}
            }
            match star {
                Some((after, from)) if from < len => {
                    star = Some((after, from + 1));
                    (token, at) = (after, from + 1);
                }
                Some(_) | None => return false,
            }
        }
    }
}

/// Bytes of the UTF-8 character at `at`; a byte that starts none counts alone.
fn character_len(at: usize, len: usize, byte: impl Fn(usize) -> u8) -> usize {
    let announced = match byte(at) {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => 1,
    };
    let whole = at + announced <= len && (at + 1..at + announced).all(|i| byte(i) & 0xC0 == 0x80);
    if whole { announced } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(glob: &str, text: &str) -> bool {
        Glob::new(glob).matches(text.len(), |i| text.as_bytes()[i])
    }

    #[test]
    fn stars_and_question_marks() {
        let yes =
            [("*", ""), ("*.css", "a.css"), ("a*b*c", "aXbbYc"), ("?", "é"), ("??", "éa"), ("a**", "a")];
        let no = [("?", ""), ("*.css", "a.css1"), ("a*b*c", "aXbb"), ("?", "ab"), ("*???", "éa"), ("", "a")];
        assert_eq!(yes.map(|(glob, text)| matches(glob, text)), [true; 6]);
        assert_eq!(no.map(|(glob, text)| matches(glob, text)), [false; 6]);
    }

    #[test]
    fn many_stars_stay_quick() {
        let glob = "*a".repeat(50);
        assert!(!matches(&glob, &"a".repeat(5000).replace("aa", "ab").replace('a', "b")));
        assert!(matches(&glob, &"a".repeat(5000)));
    }
}
