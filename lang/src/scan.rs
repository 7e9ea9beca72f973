//! The scanner: any text as a sequence of tokens that covers every byte.
//!
//! It never fails, takes time linear in the text, and knows nothing of the grammar. The parser generator decides what
//! a file means; the scanner says where a piece that could not be read ends, what stands at the place of a mistake
//! and which bracket belongs to which, so that mistakes are reported one by one and in words of the language.

pub(crate) mod brackets;
mod text;

use std::cell::OnceCell;
use text::{plain_text_end, text_end};

/// One token: `start..end` in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub start: usize,
    pub end: usize,
    /// Levels of brackets inside the token: texts hold `${…}`.
    pub depth: usize,
}

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TokenKind {
    /// Blanks and line ends.
    Space,
    /// `// …`
    Comment,
    /// `/// …` or `//! …`
    Doc,
    /// `/* … */`, which the language does not have.
    BlockComment,
    /// `# …`, which the language does not have.
    HashComment,
    /// `name`, `GET`, `Duration`
    Word,
    /// What starts with a digit: `42`, `10`, `5s`.
    Number,
    /// `"…"` with its quotes, and `re"…"`, `r#"…"#`, `glob"…"`.
    Text,
    /// A text without its closing quote; it ends with the line.
    OpenText,
    /// `'…'`, which the language does not have.
    SingleQuoted,
    /// `/a/{b}`
    Path,
    /// `https://…`
    Url,
    /// `{`, `(`, `[`
    Open,
    /// `}`, `)`, `]`
    Close,
    /// Everything else, one mark at a time: `==`, `:`, `;`.
    Mark,
}

impl TokenKind {
    /// Whether the grammar skips it between pieces.
    pub(crate) fn is_trivia(self) -> bool {
        matches!(self, TokenKind::Space | TokenKind::Comment)
    }
}

/// A text with its tokens and lines.
#[derive(Debug)]
pub(crate) struct Scan<'t> {
    pub text: &'t str,
    /// All tokens; a file without mistakes is read without them.
    tokens: OnceCell<Vec<Token>>,
    /// Where each line starts; only mistakes need it.
    lines: OnceCell<Vec<usize>>,
}

impl<'t> Scan<'t> {
    /// A text that is cut when tokens are first asked for.
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, tokens: OnceCell::new(), lines: OnceCell::new() }
    }

    /// All tokens in the order of the text.
    pub(crate) fn tokens(&self) -> &[Token] {
        self.tokens.get_or_init(|| {
            let mut cutter = Cutter::new(self.text);
            std::iter::from_fn(|| cutter.token()).collect()
        })
    }

    fn lines(&self) -> &[usize] {
        self.lines.get_or_init(|| {
            let ends = self.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
            std::iter::once(0).chain(ends).collect()
        })
    }

    /// Whether brackets nest no deeper than `most`, told without keeping tokens. An unclosed bracket counts to the end
    /// and every `<` as a bracket, so `false` only means that somebody has to look closer.
    pub(crate) fn is_surely_flat(&self, most: usize) -> bool {
        let (mut open, mut angles) = (0usize, 0usize);
        let mut cutter = Cutter::new(self.text);
        while let Some(token) = cutter.token() {
            match token.kind {
                TokenKind::Open => (open, angles) = (open + 1, 0),
                TokenKind::Close => (open, angles) = (open.saturating_sub(1), 0),
                TokenKind::Mark => match self.str(&token) {
                    "<" => angles += 1,
                    "," => {}
                    _ => angles = 0,
                },
                TokenKind::Word | TokenKind::Space | TokenKind::Comment => {}
                TokenKind::Doc
                | TokenKind::BlockComment
                | TokenKind::HashComment
                | TokenKind::Number
                | TokenKind::Text
                | TokenKind::OpenText
                | TokenKind::SingleQuoted
                | TokenKind::Path
                | TokenKind::Url => angles = 0,
            }
            let inside = if token.kind == TokenKind::Open { 0 } else { token.depth };
            if (open + inside).max(angles) > most {
                return false;
            }
        }
        true
    }

    /// The token's text.
    pub(crate) fn str(&self, token: &Token) -> &'t str {
        &self.text[token.start..token.end]
    }

    /// The number of the first token that ends after `at`.
    pub(crate) fn index_at(&self, at: usize) -> usize {
        self.tokens().partition_point(|token| token.end <= at)
    }

    /// The number of the first token at or after number `from` that is neither blank nor comment.
    pub(crate) fn next_solid(&self, from: usize) -> usize {
        let rest = self.tokens().iter().skip(from);
        from + rest.take_while(|token| token.kind.is_trivia()).count()
    }

    /// The last token before number `before` that is neither blank nor comment.
    pub(crate) fn previous_solid(&self, before: usize) -> Option<usize> {
        self.tokens()[..before].iter().rposition(|token| !token.kind.is_trivia())
    }

    /// The text of the last token before number `before` that is neither blank nor comment.
    pub(crate) fn text_of_solid_before(&self, before: usize) -> Option<&'t str> {
        self.previous_solid(before).map(|index| self.str(&self.tokens()[index]))
    }

    /// The line that `at` stands on, counted from 0.
    pub(crate) fn line(&self, at: usize) -> usize {
        self.lines().partition_point(|start| *start <= at) - 1
    }

    /// The bytes of blanks that the line of `at` begins with.
    pub(crate) fn indent(&self, at: usize) -> usize {
        let start = self.lines()[self.line(at)];
        self.text[start..].bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
    }

    /// Whether only blanks stand before `at` on its line.
    pub(crate) fn is_first_on_line(&self, at: usize) -> bool {
        self.lines()[self.line(at)] + self.indent(at) == at
    }

    /// Where the line of `at` ends, before its line end.
    pub(crate) fn line_end(&self, at: usize) -> usize {
        let next = self.lines().get(self.line(at) + 1).map_or(self.text.len(), |start| start - 1);
        self.text[..next].trim_end_matches('\r').len().max(at)
    }

    /// The end of the last token before `end` that is neither blank nor comment.
    pub(crate) fn solid_end(&self, end: usize) -> usize {
        let before = self.tokens().partition_point(|token| token.start < end);
        self.previous_solid(before).map_or(end, |last| self.tokens()[last].end.min(end))
    }
}

struct Cutter<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    /// The last token that was no blank, with where it ended.
    previous: Option<(TokenKind, usize)>,
    /// Whether a `*/` can still follow; asked once, so that scanning stays linear.
    block_ends: bool,
    /// Whether a `"#` can still follow.
    raw_ends: bool,
}

impl<'t> Cutter<'t> {
    fn new(text: &'t str) -> Self {
        Cutter { text, bytes: text.as_bytes(), at: 0, previous: None, block_ends: true, raw_ends: true }
    }

    fn token(&mut self) -> Option<Token> {
        let start = self.at;
        let first = *self.bytes.get(start)?;
        let (kind, end, depth) = self.cut(first, start);
        // Tokens are never empty and never split a character.
        let mut end = end.clamp(start + 1, self.bytes.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        self.at = end;
        if kind != TokenKind::Space {
            self.previous = Some((kind, end));
        }
        Some(Token { kind, start, end, depth })
    }

    fn cut(&mut self, first: u8, start: usize) -> (TokenKind, usize, usize) {
        let rest = &self.bytes[start..];
        match first {
            b' ' | b'\t' | b'\r' | b'\n' => {
                (TokenKind::Space, self.run(start, |b| matches!(b, b' ' | b'\t' | b'\r' | b'\n')), 0)
            }
            b'/' => self.slash(start),
            b'#' => (TokenKind::HashComment, self.line_end(start), 0),
            b'"' => self.text(start),
            b'\'' => match rest[1..].iter().take_while(|b| **b != b'\n').position(|b| *b == b'\'') {
                Some(length) => (TokenKind::SingleQuoted, start + length + 2, 0),
                None => (TokenKind::Mark, start + 1, 0),
            },
            b'{' | b'(' | b'[' => (TokenKind::Open, start + 1, 1),
            b'}' | b')' | b']' => (TokenKind::Close, start + 1, 0),
            b'0'..=b'9' => (TokenKind::Number, self.run(start, is_word), 0),
            _ if is_word(first) => self.word(start),
            _ => (TokenKind::Mark, start + mark_length(rest), 0),
        }
    }

    fn run(&self, start: usize, belongs: impl Fn(u8) -> bool) -> usize {
        start + self.bytes[start..].iter().take_while(|byte| belongs(**byte)).count()
    }

    fn line_end(&self, start: usize) -> usize {
        self.run(start, |byte| byte != b'\n')
    }

    fn word(&mut self, start: usize) -> (TokenKind, usize, usize) {
        let end = self.run(start, is_word);
        let rest = &self.bytes[end..];
        match (&self.text[start..end], rest) {
            ("r" | "re" | "glob", [b'"', ..]) => {
                let across_lines = end - start == 1;
                let (close, closed) = plain_text_end(self.bytes, end + 1, across_lines);
                if !closed {
                    return (TokenKind::OpenText, self.line_end(end), 0);
                }
                let flag = usize::from(end - start == 2 && self.bytes.get(close) == Some(&b'i'));
                (TokenKind::Text, close + flag, 0)
            }
            ("r", [b'#', b'"', ..]) => {
                let close = self.raw_ends.then(|| self.text[end + 2..].find("\"#")).flatten();
                self.raw_ends = close.is_some();
                match close {
                    Some(length) => (TokenKind::Text, end + 2 + length + 2, 0),
                    None => (TokenKind::OpenText, self.line_end(end), 0),
                }
            }
            ("http" | "https" | "ws" | "wss", [b':', b'/', b'/', ..]) => {
                (TokenKind::Url, self.url_end(end + 3), 0)
            }
            _ => (TokenKind::Word, end, 0),
        }
    }

    fn text(&self, start: usize) -> (TokenKind, usize, usize) {
        let text = text_end(self.bytes, start + 1, 0);
        let kind = if text.closed { TokenKind::Text } else { TokenKind::OpenText };
        (kind, if text.closed { text.end } else { self.line_end(start) }, text.depth)
    }

    fn url_end(&self, from: usize) -> usize {
        let mut at = from;
        while let Some(byte) = self.bytes.get(at) {
            match byte {
                b'{' if self.bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic) => {
                    let end = self.run(at, |byte| byte != b'}' && byte != b'\n');
                    if self.bytes.get(end) != Some(&b'}') {
                        break;
                    }
                    at = end + 1;
                }
                b' ' | b'\t' | b'\r' | b'\n' | b'{' | b'}' => break,
                _ => at += 1,
            }
        }
        at
    }

    fn slash(&mut self, start: usize) -> (TokenKind, usize, usize) {
        match self.bytes.get(start + 1..).unwrap_or_default() {
            [b'/', b'/', b'/', ..] => (TokenKind::Comment, self.line_end(start), 0),
            [b'/', b'/' | b'!', ..] => (TokenKind::Doc, self.line_end(start), 0),
            [b'/', ..] => (TokenKind::Comment, self.line_end(start), 0),
            [b'*', ..] if self.block_comment(start) => {
                let length = self.text[start + 2..].find("*/").map_or(2, |length| length + 4);
                (TokenKind::BlockComment, start + length, 0)
            }
            _ => (TokenKind::Path, self.path_end(start), 0),
        }
    }

    /// Whether `/*` starts a comment as in other languages and is no path with a star.
    fn block_comment(&mut self, start: usize) -> bool {
        let word_before =
            matches!(self.previous, Some((TokenKind::Word, end)) if !self.text[end..start].contains('\n'));
        if word_before || !self.block_ends {
            return false;
        }
        self.block_ends = self.text[start + 2..].contains("*/");
        self.block_ends
    }

    fn path_end(&self, start: usize) -> usize {
        let mut at = start;
        while let Some(byte) = self.bytes.get(at) {
            match byte {
                b'{' => match self.capture_end(at) {
                    Some(end) => at = end,
                    None => break,
                },
                b'/' | b'*' => at += 1,
                _ if is_path(*byte) || *byte >= 0x80 => at += 1,
                _ => break,
            }
        }
        at
    }

    /// The end of `{name}`, `{name...}`, `{name:int}` or `{name:re"…"}` at `at`.
    fn capture_end(&self, at: usize) -> Option<usize> {
        let name_end = self.run(at + 1, is_word);
        if name_end == at + 1 {
            return None;
        }
        let end = match &self.bytes[name_end..] {
            [b'.', b'.', b'.', ..] => name_end + 3,
            [b':', b'r', b'e', b'"', ..] => {
                let (end, closed) = plain_text_end(self.bytes, name_end + 4, false);
                end + usize::from(closed && self.bytes.get(end) == Some(&b'i'))
            }
            [b':', ..] => self.run(name_end + 1, is_word),
            _ => name_end,
        };
        (self.bytes.get(end) == Some(&b'}')).then_some(end + 1)
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_path(byte: u8) -> bool {
    is_word(byte) || b"-.~@!$&'+=%:".contains(&byte)
}

fn mark_length(rest: &[u8]) -> usize {
    match rest {
        [b'=', b'=' | b'>', ..]
        | [b'!' | b'<' | b'>', b'=', ..]
        | [b'-', b'>', ..]
        | [b'&', b'&', ..]
        | [b'|', b'|', ..]
        | [b'?', b'?', ..]
        | [b'.', b'.', ..] => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::{Scan, TokenKind};

    fn kinds(text: &str) -> Vec<(TokenKind, &str)> {
        let scan = Scan::new(text);
        let solid = scan.tokens().iter().filter(|token| token.kind != TokenKind::Space);
        solid.map(|token| (token.kind, scan.str(token))).collect()
    }

    #[test]
    fn tokens_cover_every_byte() {
        let text =
            "site é.test { to app; } // x\n\"open\nr#\"a\nb\"# /* c */ 'd' /e/{f:re\"}\"}/* § \u{202e}";
        let scan = Scan::new(text);
        let mut at = 0;
        for token in scan.tokens() {
            assert_eq!(token.start, at);
            assert!(token.end > at);
            at = token.end;
        }
        assert_eq!(at, text.len());
    }

    #[test]
    fn paths_keep_their_captures_and_stop_at_blocks() {
        assert_eq!(
            kinds("/a/{b:int}/{c...} /d{ to"),
            [
                (TokenKind::Path, "/a/{b:int}/{c...}"),
                (TokenKind::Path, "/d"),
                (TokenKind::Open, "{"),
                (TokenKind::Word, "to"),
            ]
        );
    }

    #[test]
    fn texts_hold_nested_texts() {
        let text = r#""a ${x["b"] ?? "}"} c" d"#;
        assert_eq!(kinds(text)[0], (TokenKind::Text, r#""a ${x["b"] ?? "}"} c""#));
        assert_eq!(kinds("\"a\nb")[0], (TokenKind::OpenText, "\"a"));
    }

    #[test]
    fn a_star_path_is_no_comment() {
        assert_eq!(kinds("route /* { x */ }")[1], (TokenKind::Path, "/*"));
        assert_eq!(kinds("/* note */ x")[0], (TokenKind::BlockComment, "/* note */"));
    }
}
