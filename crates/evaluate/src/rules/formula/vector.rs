//! Work on many numbers at once, compiled for the widest vectors that the processor has.
//!
//! The work is ordinary safe code; what differs is the instruction set that the compiler may use for it. A function
//! compiled for an instruction set may only be called where the processor has it, which is checked here. That check is
//! the reason for the `unsafe` block, the only one in this crate.
#![allow(unsafe_code)]

/// Something to be done; everything in it should be inlined.
pub(super) trait Work {
    fn run(self);
}

/// Does it with the widest vectors that there are.
pub(super) fn widest(work: impl Work) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { with_avx2(work) };
    }
    work.run();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2(work: impl Work) {
    work.run();
}
