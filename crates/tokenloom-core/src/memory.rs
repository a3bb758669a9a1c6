//! What makes large tables quick to fill and to read: memory that is asked for before it is needed, and large pages.

/// Asks for the line of the cache that holds a value. Done for several values before the first is read, the waits
/// overlap. The address may be any: nothing is read.
#[inline(always)]
pub fn prefetch<T>(value: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch changes nothing, and cannot fault at any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(value.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// An empty Vec for as many values as will be put into it, on large pages where the system has them.
///
/// The first touch of a page costs up to three microseconds on a virtual machine, which for a table of 16 MB is as much as
/// all else that is done to fill it; and few large pages are found faster than many small ones.
pub fn with_large_pages<T>(capacity: usize) -> Vec<T> {
    let values: Vec<T> = Vec::with_capacity(capacity);
    advise(values.as_ptr().cast(), values.capacity() * size_of::<T>());
    values
}

/// Smaller memory than this holds no large page for sure.
#[cfg(target_os = "linux")]
const LEAST_BYTES: usize = 1 << 22;

#[cfg(target_os = "linux")]
fn advise(start: *const u8, length: usize) {
    use std::ffi::{c_int, c_void};
    const PAGE_BYTES: usize = 1 << 12;
    const MADV_HUGEPAGE: c_int = 14;
    unsafe extern "C" {
        fn madvise(start: *mut c_void, length: usize, advice: c_int) -> c_int;
    }
    if length >= LEAST_BYTES {
        let skipped = start.align_offset(PAGE_BYTES);
        let whole = (length - skipped) / PAGE_BYTES * PAGE_BYTES;
        // SAFETY: the range lies within one live allocation, and this advice changes no content. Where the system
        // refuses it, for its pages are larger or it knows no large ones, nothing happens.
        unsafe { madvise(start.wrapping_add(skipped).cast_mut().cast(), whole, MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_start: *const u8, _length: usize) {}

#[cfg(test)]
mod tests {
    use super::with_large_pages;

    #[test]
    fn memory_of_any_size_holds_what_is_put_into_it() {
        for capacity in [0, 1, 1000, (1 << 19) - 1, 1 << 19, (1 << 20) + 7] {
            let mut values = with_large_pages(capacity);
            values.extend(0..capacity as u64);
            assert!(values.iter().copied().eq(0..capacity as u64));
        }
    }
}
