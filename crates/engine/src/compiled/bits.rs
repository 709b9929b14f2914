//! Sets of bits: walking over them, transposing blocks, drawing one at random.

use crate::Rng;

/// The numbers of the set bits, in increasing order.
pub(super) fn ones<const N: usize>(words: &[u64; N]) -> impl Iterator<Item = usize> + use<N> {
    let words = *words;
    words.into_iter().enumerate().flat_map(ones_of_word)
}

/// The numbers of the set bits of any number of words, in increasing order.
pub(super) fn ones_of(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().copied().enumerate().flat_map(ones_of_word)
}

fn ones_of_word((index, word): (usize, u64)) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(word), |&rest| Some(rest & rest.wrapping_sub(1)))
        .take_while(|&rest| rest != 0)
        .map(move |rest| index * 64 + rest.trailing_zeros() as usize)
}

/// Transposes a block of 64 by 64 bits: bit `c` of row `r` becomes bit `r` of row `c`.
pub(super) fn transpose(block: &mut [u64; 64]) {
    let mut width = 32;
    let mut mask = 0x0000_0000_ffff_ffff_u64;
    while width > 0 {
        let mut row = 0;
        while row < 64 {
            let swapped = ((block[row] >> width) ^ block[row + width]) & mask;
            block[row] ^= swapped << width;
            block[row + width] ^= swapped;
            row = (row + width + 1) & !width;
        }
        width >>= 1;
        mask ^= mask << width;
    }
}

/// Draws a set bit uniformly; `None` if no bit is set.
pub(super) fn random_one(words: &[u64], rng: &mut Rng) -> Option<usize> {
    let count: u32 = words.iter().map(|word| word.count_ones()).sum();
    let mut rank = match count {
        0 => return None,
        1 => 0,
        _ => rng.u32(..count),
    };
    for (index, &word) in words.iter().enumerate() {
        let here = word.count_ones();
        if rank < here {
            let mut rest = word;
            for _ in 0..rank {
                rest &= rest - 1;
            }
            return Some(index * 64 + rest.trailing_zeros() as usize);
        }
        rank -= here;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_moves_every_bit() {
        let mut rng = Rng::with_seed(1);
        let original: [u64; 64] = std::array::from_fn(|_| rng.u64(..));
        let mut block = original;
        transpose(&mut block);
        for (row, bits) in original.iter().enumerate() {
            for (column, turned) in block.iter().enumerate() {
                assert_eq!(turned >> row & 1, bits >> column & 1);
            }
        }
    }

    #[test]
    fn drawing_is_uniform() {
        let words = [0b1011, 0, 1 << 63 | 1];
        let bits = [0, 1, 3, 128, 191];
        let mut counts = [0u32; 5];
        let mut rng = Rng::with_seed(1);
        let draws = 100_000;
        for _ in 0..draws {
            let bit = random_one(&words, &mut rng).unwrap();
            counts[bits.iter().position(|&known| known == bit).unwrap()] += 1;
        }
        let expected = f64::from(draws) / 5.0;
        let chi_square: f64 = counts
            .iter()
            .map(|&count| (f64::from(count) - expected).powi(2) / expected)
            .sum();
        // The 99.9 % point for four degrees of freedom.
        assert!(chi_square < 18.47, "{counts:?}");
        assert_eq!(random_one(&[0, 0], &mut rng), None);
    }

    #[test]
    fn ones_are_listed_in_order() {
        assert_eq!(ones(&[0b101, 0, 1 << 63]).collect::<Vec<_>>(), [0, 2, 191]);
    }
}
