//! Source text and places in it.
//!
//! Rule files in the wild are not always UTF-8: a Latin-1 byte in a comment must not keep a game from being read.
//! [`Source::from_bytes`] therefore decodes every byte sequence: bytes that are not UTF-8 become the Latin-1 character
//! of the same number, and their places are remembered so that the reader can object to them outside comments.

/// A half-open range of byte offsets into the text of a [`Source`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end`.
    pub fn new(start: usize, end: usize) -> Span {
        Span {
            start: start as u32,
            end: end as u32,
        }
    }

    /// The smallest range that covers both.
    pub fn to(self, other: Span) -> Span {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// The range as indices.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether `offset` lies inside.
    pub fn contains(self, offset: u32) -> bool {
        self.start <= offset && offset < self.end
    }
}

/// A place for people: line and column, both counted from one; the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line number, from one.
    pub line: usize,
    /// Column in characters, from one.
    pub column: usize,
}

/// A byte of the original file that was not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForeignByte {
    /// Offset of its replacement in the decoded text.
    pub at: Span,
    /// Its offset in the file.
    pub file_offset: usize,
    /// Its value.
    pub value: u8,
}

/// A named text with an index of its lines.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
    line_starts: Vec<u32>,
    foreign: Vec<ForeignByte>,
}

impl Source {
    /// A source from text that is already decoded.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        Source::with_foreign(name.into(), text.into(), Vec::new())
    }

    /// A source from the bytes of a file. Never fails; see the module documentation. A byte order mark is dropped.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Source {
        let bytes = match bytes.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) => rest.to_vec(),
            None => bytes,
        };
        match String::from_utf8(bytes) {
            Ok(text) => Source::new(name, text),
            Err(error) => {
                let (text, foreign) = decode_latin1_islands(error.as_bytes());
                Source::with_foreign(name.into(), text, foreign)
            }
        }
    }

    fn with_foreign(name: String, text: String, foreign: Vec<ForeignByte>) -> Source {
        let mut line_starts = vec![0];
        line_starts.extend(
            text.bytes()
                .enumerate()
                .filter(|&(_, byte)| byte == b'\n')
                .map(|(at, _)| at as u32 + 1),
        );
        Source {
            name,
            text,
            line_starts,
            foreign,
        }
    }

    /// Name of this source in messages, usually a path.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The decoded text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The bytes that were not UTF-8, in order.
    pub fn foreign_bytes(&self) -> &[ForeignByte] {
        &self.foreign
    }

    /// The text of a span.
    pub fn slice(&self, span: Span) -> &str {
        &self.text[span.range()]
    }

    /// Index of the line (from zero) that holds `offset`.
    pub fn line_index(&self, offset: u32) -> usize {
        self.line_starts.partition_point(|&start| start <= offset) - 1
    }

    /// The byte range of a line (index from zero), without its line end.
    pub fn line_span(&self, index: usize) -> Span {
        let start = self.line_starts[index] as usize;
        let end = match self.line_starts.get(index + 1) {
            Some(&next) => next as usize - 1,
            None => self.text.len(),
        };
        let end = if end > start && self.text.as_bytes()[end - 1] == b'\r' {
            end - 1
        } else {
            end
        };
        Span::new(start, end)
    }

    /// Line and column of an offset.
    pub fn place(&self, offset: u32) -> Place {
        let line = self.line_index(offset);
        let start = self.line_starts[line] as usize;
        let column = self.text[start..offset as usize].chars().count() + 1;
        Place { line: line + 1, column }
    }
}

fn decode_latin1_islands(mut bytes: &[u8]) -> (String, Vec<ForeignByte>) {
    let mut text = String::with_capacity(bytes.len() + 16);
    let mut foreign = Vec::new();
    let mut file_offset = 0;
    while !bytes.is_empty() {
        let valid = match std::str::from_utf8(bytes) {
            Ok(rest) => {
                text.push_str(rest);
                break;
            }
            Err(error) => error.valid_up_to(),
        };
        text.push_str(&String::from_utf8_lossy(&bytes[..valid]));
        let value = bytes[valid];
        let start = text.len();
        text.push(char::from(value));
        foreign.push(ForeignByte {
            at: Span::new(start, text.len()),
            file_offset: file_offset + valid,
            value,
        });
        file_offset += valid + 1;
        bytes = &bytes[valid + 1..];
    }
    (text, foreign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters_from_one() {
        let source = Source::new("x", "ab\r\ncé d\n");
        assert_eq!(source.place(0), Place { line: 1, column: 1 });
        let d = source.text().find('d').unwrap() as u32;
        assert_eq!(source.place(d), Place { line: 2, column: 4 });
        assert_eq!(source.slice(source.line_span(0)), "ab");
        assert_eq!(source.slice(source.line_span(2)), "");
    }

    #[test]
    fn bytes_that_are_not_utf8_become_latin1_and_are_remembered() {
        let source = Source::from_bytes("x", b"\xef\xbb\xbf; caf\xe9\n(role \xff)".to_vec());
        assert_eq!(source.text(), "; café\n(role ÿ)");
        let offsets: Vec<_> = source
            .foreign_bytes()
            .iter()
            .map(|byte| (byte.file_offset, byte.value))
            .collect();
        assert_eq!(offsets, [(5, 0xe9), (13, 0xff)]);
    }
}
