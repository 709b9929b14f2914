//! The values of all nodes of a network in all lanes, aligned to cache lines.
//!
//! A row of 512 bits is as long as a cache line. The allocator places a large block 16 bytes after the start of a
//! line, so every row would lie in two lines and every access would touch both. That made the loop over the gates up to
//! 1.7 times slower, depending on the allocator. So the rows begin at the first line within the block.

use super::wide::Row;
use std::ops::{Deref, DerefMut};

/// Bytes of a cache line, and of the widest vector.
const LINE: usize = 64;

/// Words of a cache line.
const LINE_WORDS: usize = LINE / size_of::<u64>();

/// Rows of `W` words each. The first one begins at a cache line.
pub(super) struct Rows<const W: usize> {
    /// Never grows, so that the rows stay where they are.
    words: Box<[u64]>,
    /// The first word of the first row.
    first: usize,
}

impl<const W: usize> Rows<W> {
    /// Rows without a bit set.
    pub(super) fn new(count: usize) -> Rows<W> {
        let words = vec![0u64; count * W + LINE_WORDS - 1].into_boxed_slice();
        let beyond = words.as_ptr() as usize % LINE;
        let first = (LINE - beyond) % LINE / size_of::<u64>();
        Rows { words, first }
    }
}

impl<const W: usize> Deref for Rows<W> {
    type Target = [Row<W>];

    #[inline(always)]
    fn deref(&self) -> &[Row<W>] {
        self.words[self.first..].as_chunks().0
    }
}

impl<const W: usize> DerefMut for Rows<W> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [Row<W>] {
        self.words[self.first..].as_chunks_mut().0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiled::wide::WIDE;

    #[test]
    fn rows_begin_at_a_cache_line_wherever_the_allocator_puts_them() {
        for count in 1..200 {
            let rows = Rows::<WIDE>::new(count * 37);
            assert_eq!(rows.as_ptr() as usize % LINE, 0, "{count}");
            assert!(rows.len() >= count * 37, "{count}");
            assert!(rows.iter().all(|row| *row == [0; WIDE]));
        }
        assert_eq!(Rows::<1>::new(3).as_ptr() as usize % LINE, 0);
    }
}
