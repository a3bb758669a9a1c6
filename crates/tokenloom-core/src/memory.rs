//! What makes large tables quick to fill and to read: memory that is asked for before it is needed, and large pages. And
//! what makes them leave: memory that the system has back as soon as a table is gone.

#[cfg(target_os = "linux")]
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ops::{Deref, DerefMut};

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

/// Makes room for more values. What then is large lies on large pages, which a Vec that grows by itself would leave.
#[inline]
pub fn reserve<T: Copy>(values: &mut Vec<T>, n_more: usize) {
    if values.capacity() - values.len() < n_more {
        grow(values, n_more);
    }
}

#[cold]
fn grow<T: Copy>(values: &mut Vec<T>, n_more: usize) {
    let mut larger = with_large_pages((values.capacity() * 2).max(values.len() + n_more));
    larger.extend_from_slice(values);
    *values = larger;
}

/// A Vec on large pages, of which the system has the memory back when it is gone. An allocator keeps some of what is freed,
/// so that several tables that grow would together hold twice what they need.
#[derive(Debug)]
pub struct Large<T: Copy>(Vec<T>);

impl<T: Copy> Large<T> {
    /// An empty one for as many values as will be put into it.
    pub fn with_capacity(capacity: usize) -> Self {
        Self(with_large_pages(capacity))
    }

    /// So many times the same value.
    pub fn filled(value: T, length: usize) -> Self {
        let mut values = Self::with_capacity(length);
        values.resize(length, value);
        values
    }

    /// Appends values. Where there is no room for them it doubles.
    #[inline]
    pub fn push_all(&mut self, more: &[T]) {
        if self.0.capacity() - self.0.len() < more.len() {
            let mut larger = Self::with_capacity((self.0.capacity() * 2).max(self.0.len() + more.len()));
            larger.extend_from_slice(self);
            *self = larger;
        }
        self.0.extend_from_slice(more);
    }

    /// The most memory that it takes while so many values more are appended: untouched memory is none.
    pub fn memory_bytes(&self, n_more: usize) -> usize {
        let n_values = self.0.len() + n_more;
        let n_values = if n_values > self.0.capacity() { n_values * 2 } else { n_values };
        (n_values * size_of::<T>()).next_multiple_of(LARGE_PAGE_BYTES)
    }
}

impl<T: Copy> Deref for Large<T> {
    type Target = Vec<T>;

    #[inline]
    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T: Copy> DerefMut for Large<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

impl<T: Copy> Drop for Large<T> {
    fn drop(&mut self) {
        self.0.clear();
        give_back(self.0.spare_capacity_mut());
    }
}

/// The usual size of a large page.
const LARGE_PAGE_BYTES: usize = 1 << 21;

/// Smaller memory than this holds no large page for sure.
#[cfg(target_os = "linux")]
const LEAST_BYTES: usize = LARGE_PAGE_BYTES * 2;

#[cfg(target_os = "linux")]
fn advise(start: *const u8, length: usize) {
    const MADV_HUGEPAGE: c_int = 14;
    if length >= LEAST_BYTES {
        // SAFETY: the range lies within one live allocation, and this advice changes no content. Where the system
        // refuses it, for its pages are larger or it knows no large ones, nothing happens.
        unsafe { advise_pages(start, length, MADV_HUGEPAGE) };
    }
}

#[cfg(target_os = "linux")]
fn give_back<T>(memory: &mut [MaybeUninit<T>]) {
    const MADV_DONTNEED: c_int = 4;
    let length = size_of_val(memory);
    if length >= LEAST_BYTES {
        // SAFETY: the range is borrowed alone, lies within one live allocation, and holds no values, so it may become
        // zeros. Where the system refuses, it stays as it is.
        unsafe { advise_pages(memory.as_ptr().cast(), length, MADV_DONTNEED) };
    }
}

/// Advises on the whole pages of a range.
///
/// # Safety
/// The range must lie within one live allocation, and may become what the advice makes of it.
#[cfg(target_os = "linux")]
unsafe fn advise_pages(start: *const u8, length: usize, advice: c_int) {
    const PAGE_BYTES: usize = 1 << 12;
    unsafe extern "C" {
        fn madvise(start: *mut c_void, length: usize, advice: c_int) -> c_int;
    }
    let skipped = start.align_offset(PAGE_BYTES);
    let whole = (length - skipped) / PAGE_BYTES * PAGE_BYTES;
    // SAFETY: the caller answers for the range, of which these are the whole pages.
    unsafe { madvise(start.wrapping_add(skipped).cast_mut().cast(), whole, advice) };
}

#[cfg(not(target_os = "linux"))]
fn advise(_start: *const u8, _length: usize) {}

#[cfg(not(target_os = "linux"))]
fn give_back<T>(_memory: &mut [MaybeUninit<T>]) {}

#[cfg(test)]
mod tests {
    use super::{Large, reserve, with_large_pages};

    #[test]
    fn memory_of_any_size_holds_what_is_put_into_it() {
        for capacity in [0, 1, 1000, (1 << 19) - 1, 1 << 19, (1 << 20) + 7] {
            let mut values = with_large_pages(capacity);
            values.extend(0..capacity as u64);
            assert!(values.iter().copied().eq(0..capacity as u64));
        }
    }

    #[test]
    fn memory_that_grows_keeps_what_it_holds() {
        let mut values: Vec<u64> = Vec::new();
        for n_more in [0, 1, 1000, 3, 1 << 20, 1, 1 << 20] {
            reserve(&mut values, n_more);
            assert!(values.capacity() - values.len() >= n_more);
            values.extend((values.len() as u64..).take(n_more));
        }
        assert!(values.iter().copied().eq(0..values.len() as u64));
    }

    #[test]
    fn memory_that_goes_back_takes_nothing_else_with_it() {
        for length in [1, 1000, (1 << 20) + 7] {
            let mut all: Vec<_> = (0..4_u64).map(|number| Large::filled(number, length)).collect();
            all.swap_remove(1);
            all.push(Large::filled(7, length));
            all.swap_remove(0);
            for values in &mut all {
                let number = values[0];
                values.push_all(&[number; 99]);
                assert!(values.len() == length + 99 && values.iter().all(|value| *value == number));
            }
        }
    }
}
