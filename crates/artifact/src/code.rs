//! Numbers, texts and lists as bytes.

use std::io::{self, Write};

/// Defect in the content of a file.
#[derive(Debug)]
pub struct Broken(pub &'static str);

/// Writes numbers, texts and lists.
pub struct Encoder<'a>(pub &'a mut dyn Write);

impl Encoder<'_> {
    /// Writes a number.
    pub fn number(&mut self, number: u64) -> io::Result<()> {
        self.0.write_all(&number.to_le_bytes())
    }

    /// Writes a text with its length.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        self.number(text.len() as u64)?;
        self.0.write_all(text.as_bytes())
    }

    /// Writes a list of numbers of any kind as their bytes, in pieces so that no copy of it all is made.
    pub fn list<T: Copy, const N: usize>(&mut self, list: &[T], bytes: impl Fn(T) -> [u8; N]) -> io::Result<()> {
        let mut piece = Vec::with_capacity(N << 13);
        for some in list.chunks(1 << 13) {
            piece.clear();
            some.iter().for_each(|&number| piece.extend_from_slice(&bytes(number)));
            self.0.write_all(&piece)?;
        }
        Ok(())
    }
}

/// Reads what an [`Encoder`] wrote. It never takes more memory than the bytes it is given.
pub struct Decoder<'a>(pub &'a [u8]);

impl<'a> Decoder<'a> {
    /// Reads `count` bytes.
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], Broken> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(Broken("it ends too early"))?;
        self.0 = rest;
        Ok(bytes)
    }

    /// Reads a number.
    pub fn number(&mut self) -> Result<u64, Broken> {
        let mut number = [0; 8];
        number.copy_from_slice(self.bytes(8)?);
        Ok(u64::from_le_bytes(number))
    }

    /// Reads the number of things that take at least `bytes_each` bytes each.
    pub fn count(&mut self, bytes_each: usize) -> Result<usize, Broken> {
        let count = usize::try_from(self.number()?).map_err(|_| Broken("a count is too large"))?;
        match count.checked_mul(bytes_each).is_some_and(|bytes| bytes <= self.0.len()) {
            true => Ok(count),
            false => Err(Broken("a count is too large")),
        }
    }

    /// Reads a text.
    pub fn text(&mut self) -> Result<&'a str, Broken> {
        let length = self.count(1)?;
        std::str::from_utf8(self.bytes(length)?).map_err(|_| Broken("a text is none"))
    }

    /// Reads a list of `count` numbers.
    pub fn list<T, const N: usize>(&mut self, count: usize, number: impl Fn([u8; N]) -> T) -> Result<Vec<T>, Broken> {
        let length = count.checked_mul(N).ok_or(Broken("a count is too large"))?;
        let (chunks, _) = self.bytes(length)?.as_chunks::<N>();
        Ok(chunks.iter().map(|&bytes| number(bytes)).collect())
    }
}
