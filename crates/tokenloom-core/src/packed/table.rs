//! A table that is either owned or lies in memory that many share, such as a mapped file.
//!
//! Which of the two it is costs a reader nothing: both are an address and a length.

use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::Arc;

/// Memory that stays where it is, and as it is, for as long as it lives.
pub type Shared = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// Numbers of which every combination of bits is one.
///
/// # Safety
/// The type has no padding, no reference and no value that is not allowed.
pub unsafe trait Plain: Copy + Send + Sync + 'static {}

// SAFETY: integers and arrays of them have neither padding nor forbidden values.
unsafe impl Plain for u8 {}
// SAFETY: as above.
unsafe impl Plain for u32 {}
// SAFETY: as above.
unsafe impl Plain for u64 {}
// SAFETY: as above; a NaN is a value too.
unsafe impl Plain for f64 {}
// SAFETY: as above.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// A slice that owns its memory or a share of it.
pub struct Table<T: Plain> {
    start: *const T,
    length: usize,
    owner: Owner,
}

/// What keeps the memory of a table alive.
enum Owner {
    /// The table itself: a Vec with this capacity.
    Table(usize),
    /// All who have a share of it; none of the tables looks at it again.
    Shared(#[expect(dead_code, reason = "kept alive")] Shared),
}

// SAFETY: a table is never written to, and numbers may be read from any thread; so may the owner be dropped.
unsafe impl<T: Plain> Send for Table<T> {}
// SAFETY: as above.
unsafe impl<T: Plain> Sync for Table<T> {}

impl<T: Plain> Table<T> {
    /// The table in a range of bytes of shared memory; None if the range does not lie in it, does not begin where such
    /// numbers may begin, or is no whole number of them.
    pub fn shared(memory: &Shared, start: usize, length_bytes: usize) -> Option<Self> {
        let bytes = (**memory).as_ref().get(start..start.checked_add(length_bytes)?)?;
        // SAFETY: `T` is plain, so any bytes are values of it.
        let (before, values, behind) = unsafe { bytes.align_to::<T>() };
        let is_whole = before.is_empty() && behind.is_empty();
        let owner = Owner::Shared(Arc::clone(memory));
        is_whole.then(|| Self { start: values.as_ptr(), length: values.len(), owner })
    }
}

impl<T: Plain> From<Vec<T>> for Table<T> {
    fn from(values: Vec<T>) -> Self {
        let mut values = ManuallyDrop::new(values);
        Self { start: values.as_mut_ptr(), length: values.len(), owner: Owner::Table(values.capacity()) }
    }
}

impl<T: Plain> From<Table<T>> for Vec<T> {
    fn from(table: Table<T>) -> Self {
        let Owner::Table(capacity) = table.owner else { return table.to_vec() };
        let table = ManuallyDrop::new(table);
        // SAFETY: these are the parts of the Vec that the table was made of, which is not dropped and had no share.
        unsafe { Self::from_raw_parts(table.start.cast_mut(), table.length, capacity) }
    }
}

impl<T: Plain> Deref for Table<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: address and length are those of the slice that the table was made of, whose memory the owner keeps.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }
}

impl<T: Plain> Drop for Table<T> {
    fn drop(&mut self) {
        if let Owner::Table(capacity) = self.owner {
            // SAFETY: these are the parts of the Vec that the table was made of, and nobody else has them.
            drop(unsafe { Vec::from_raw_parts(self.start.cast_mut(), self.length, capacity) });
        }
    }
}

impl<T: Plain> fmt::Debug for Table<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Table({} values)", self.length)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::{Shared, Table};

    /// Memory that notes when it is gone, and begins where a u64 may.
    struct Memory([u64; 4], Arc<AtomicBool>);

    impl AsRef<[u8]> for Memory {
        fn as_ref(&self) -> &[u8] {
            self.0.as_flattened_bytes()
        }
    }

    trait AsFlattenedBytes {
        fn as_flattened_bytes(&self) -> &[u8];
    }

    impl AsFlattenedBytes for [u64; 4] {
        fn as_flattened_bytes(&self) -> &[u8] {
            // SAFETY: any bytes of numbers are bytes.
            unsafe { self.align_to::<u8>().1 }
        }
    }

    #[test]
    fn a_table_of_a_vec_holds_its_values() {
        let mut values = Vec::with_capacity(100);
        values.extend([1_u32, 2, 3]);
        let table = Table::from(values);
        assert_eq!(*table, [1, 2, 3]);
        assert_eq!(Vec::from(table), [1, 2, 3]);
        assert!(Table::<u64>::from(Vec::new()).is_empty());
    }

    #[test]
    fn shared_memory_lives_as_long_as_a_table_in_it() {
        let is_gone = Arc::new(AtomicBool::new(false));
        struct Noting(Memory);
        impl AsRef<[u8]> for Noting {
            fn as_ref(&self) -> &[u8] {
                self.0.as_ref()
            }
        }
        impl Drop for Noting {
            fn drop(&mut self) {
                self.0.1.store(true, Ordering::SeqCst);
            }
        }
        let memory: Shared = Arc::new(Noting(Memory([1, 2, 3, 4], Arc::clone(&is_gone))));
        let table = Table::<u64>::shared(&memory, 8, 16);
        let Some(table) = table else { panic!("no table") };
        drop(memory);
        assert!(!is_gone.load(Ordering::SeqCst));
        assert_eq!(*table, [2, 3]);
        assert_eq!(Vec::from(table), [2, 3]);
        assert!(is_gone.load(Ordering::SeqCst));
    }

    #[test]
    fn ranges_that_are_no_tables_are_refused() {
        let memory: Shared = Arc::new(Memory([0; 4], Arc::default()));
        assert!(Table::<u64>::shared(&memory, 4, 8).is_none(), "where no u64 may begin");
        assert!(Table::<u64>::shared(&memory, 8, 12).is_none(), "half a number");
        assert!(Table::<[u64; 2]>::shared(&memory, 8, 24).is_none(), "half a pair");
        assert!(Table::<u32>::shared(&memory, 24, 12).is_none(), "behind the end");
        assert!(Table::<u8>::shared(&memory, usize::MAX, 2).is_none(), "no such place");
        assert_eq!(Table::<u32>::shared(&memory, 4, 28).map(|table| table.len()), Some(7));
    }
}
