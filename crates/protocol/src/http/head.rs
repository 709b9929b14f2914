//! Heads of requests and answers: the first line and the headers.

/// The first line and the relevant headers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    /// The first line.
    pub(super) line: String,
    /// `Content-Length`, if it is a number.
    pub(super) length: Option<usize>,
    /// Whether the body is chunked.
    pub(super) is_chunked: bool,
    /// Whether the other side waits for `100 Continue`.
    pub(super) expects_leave: bool,
}

impl Head {
    /// Parses the head at the start of `bytes` and returns where it ends; `None` while its empty line is missing. Lines
    /// end with CR LF or LF, header names are case-insensitive, and malformed headers are ignored.
    pub(super) fn find(bytes: &[u8]) -> Option<(Head, usize)> {
        let mut start = 0;
        let mut head = Head::default();
        let mut is_first = true;
        while let Some(length) = bytes[start..].iter().position(|&byte| byte == b'\n') {
            let line = String::from_utf8_lossy(&bytes[start..start + length]);
            let line = line.trim_end_matches('\r');
            start += length + 1;
            match (is_first, line.is_empty()) {
                // Skips empty lines that remain from an earlier request.
                (true, true) => {}
                (true, false) => {
                    head.line = line.to_string();
                    is_first = false;
                }
                (false, true) => return Some((head, start)),
                (false, false) => head.add(line),
            }
        }
        None
    }

    fn add(&mut self, line: &str) {
        let Some((name, value)) = line.split_once(':') else {
            return;
        };
        let value = value.trim();
        match name.trim().to_ascii_lowercase().as_str() {
            "content-length" => self.length = value.parse().ok(),
            "transfer-encoding" => self.is_chunked = value.to_ascii_lowercase().contains("chunked"),
            "expect" => self.expects_leave = value.to_ascii_lowercase().contains("100-continue"),
            _ => {}
        }
    }
}

/// Progress of receiving a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// More has to come.
    Partial,
    /// It looks complete, but more may come.
    Plausible,
    /// It is complete.
    Complete,
}

/// Counts the parentheses of a body while it is received. They are more reliable than `Content-Length`, which is often
/// missing or wrong.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Balance {
    counted: usize,
    depth: i64,
    has_list: bool,
    is_comment: bool,
}

impl Balance {
    /// Progress of a body, a part of which was counted before.
    pub(super) fn progress(&mut self, head: &Head, body: &[u8]) -> Progress {
        if head.is_chunked {
            return match chunks(body, |_| ()) {
                true => Progress::Complete,
                false => Progress::Partial,
            };
        }
        self.count(body);
        // `None` if the body contains no list.
        let is_whole = self.has_list.then_some(self.depth <= 0);
        match head.length {
            Some(length) if body.len() >= length && is_whole != Some(false) => Progress::Complete,
            // The length counts characters, or a list is not closed.
            Some(length) if body.len() >= length => Progress::Plausible,
            Some(_) if is_whole == Some(true) => Progress::Plausible,
            Some(_) => Progress::Partial,
            None if is_whole == Some(true) => Progress::Complete,
            None if is_whole == Some(false) => Progress::Partial,
            // A word, or an empty body.
            None => Progress::Plausible,
        }
    }

    fn count(&mut self, body: &[u8]) {
        for &byte in &body[self.counted..] {
            match byte {
                b'\n' => self.is_comment = false,
                _ if self.is_comment => {}
                b';' => self.is_comment = true,
                b'(' => {
                    self.depth += 1;
                    self.has_list = true;
                }
                b')' => self.depth -= 1,
                _ => {}
            }
        }
        self.counted = body.len();
    }
}

/// Decodes a chunked body; `None` before the last chunk.
pub(super) fn unchunked(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    chunks(bytes, |chunk| body.extend_from_slice(chunk)).then_some(body)
}

/// Hands over the chunks and returns whether the last one was among them.
fn chunks(mut bytes: &[u8], mut take: impl FnMut(&[u8])) -> bool {
    let line_end = |bytes: &[u8]| bytes.iter().position(|&byte| byte == b'\n');
    loop {
        let Some(line) = line_end(bytes) else {
            return false;
        };
        let size = String::from_utf8_lossy(&bytes[..line]);
        let size = usize::from_str_radix(size.split(';').next().unwrap_or_default().trim(), 16);
        // After a malformed size nothing more can be decoded.
        let Some(size) = size.ok().filter(|&size| size > 0) else {
            return true;
        };
        bytes = &bytes[line + 1..];
        let Some((chunk, rest)) = bytes.split_at_checked(size) else {
            return false;
        };
        take(chunk);
        let Some(end) = line_end(rest) else {
            return false;
        };
        bytes = &rest[end + 1..];
    }
}

/// Decodes `%20` and `+` in an address.
pub(super) fn percent_decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes
            .get(at + 1..at + 3)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let value = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (bytes[at], value) {
            (b'%', Some(value)) => {
                out.push(value);
                at += 3;
                continue;
            }
            (b'+', _) => out.push(b' '),
            (byte, _) => out.push(byte),
        }
        at += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_whatever_their_lines_end_with() {
        for end in ["\n", "\r\n"] {
            let text = ["POST / HTTP/1.0", "CONTENT-length:  6", "odd", "", "(INFO)"].join(end);
            let (head, start) = Head::find(text.as_bytes()).unwrap();
            assert_eq!((head.line.as_str(), head.length), ("POST / HTTP/1.0", Some(6)));
            assert_eq!(&text[start..], "(INFO)");
        }
        assert_eq!(Head::find(b"POST / HTTP/1.0\r\nHost: x\r\n"), None);
        assert_eq!(Head::find(b""), None);
    }

    #[test]
    fn bodies_are_complete_when_their_lists_are_closed() {
        let head = |length| Head {
            length,
            ..Head::default()
        };
        for (length, body, wanted) in [
            (Some(6), "(INFO)", Progress::Complete),
            (Some(9), "(INFO)", Progress::Plausible),
            (Some(9), "(INF", Progress::Partial),
            (Some(3), "(INFO", Progress::Plausible),
            (Some(0), "", Progress::Complete),
            (None, "(INFO)", Progress::Complete),
            (None, "(PLAY m ;)\n", Progress::Partial),
            (None, "info", Progress::Plausible),
            (None, "", Progress::Plausible),
        ] {
            let mut balance = Balance::default();
            for end in 0..body.len() {
                balance.progress(&head(length), &body.as_bytes()[..end]);
            }
            let progress = balance.progress(&head(length), body.as_bytes());
            assert_eq!(progress, wanted, "{length:?} {body}");
        }
    }

    #[test]
    fn chunks_are_joined() {
        assert_eq!(
            unchunked(b"3\r\n(IN\r\n3;x=y\r\nFO)\r\n0\r\n\r\n"),
            Some(b"(INFO)".to_vec())
        );
        assert_eq!(unchunked(b"3\r\n(IN\r\n3\r\nFO"), None);
        assert_eq!(unchunked(b"zz\r\n"), Some(Vec::new()));
        assert_eq!(unchunked(b"ffffffffffffffff\r\nab"), None);
    }

    #[test]
    fn addresses_are_decoded() {
        assert_eq!(percent_decoded("%28PLAY+m1%20NIL%29"), b"(PLAY m1 NIL)");
        assert_eq!(percent_decoded("%2"), b"%2");
        assert_eq!(percent_decoded("%zz%é"), "%zz%é".as_bytes());
    }
}
