//! Texts in Arrow's arrays, read where they are.
//!
//! Libraries hand arrays to each other as C structs in capsules, which keeps tokenloom free of all of them: see "The Arrow
//! PyCapsule Interface" and "The Arrow C data interface" in Arrow's documentation. What a struct says of its lengths has to
//! be trusted; offsets are checked before anything is read by them.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem;
use std::ptr;
use std::slice;

use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::error::raise;

/// What a type is, and much else that texts do not have.
#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const c_void,
    children: *mut *mut Array,
    dictionary: *mut Array,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private_data: *mut c_void,
}

/// A struct of C whose maker is told when it is no longer needed.
trait Released {
    fn release(&mut self);
}

macro_rules! released {
    ($($name:ident)*) => {$(
        impl Released for $name {
            fn release(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: a struct with this function is live, and the function makes it dead, which clears the field.
                    unsafe { release(self) };
                }
            }
        }
    )*};
}

released!(Schema Array Stream);

/// A struct that was moved out of its capsule, or filled by a stream.
struct Owned<T: Released>(T);

impl<T: Released> Owned<T> {
    /// Without content; a function of C fills it.
    fn empty() -> Self {
        // SAFETY: these structs are numbers, pointers and optional functions, which may all be zero.
        Self(unsafe { mem::zeroed() })
    }

    /// Takes the struct in a capsule of this name.
    fn take(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<Self> {
        let start = capsule.cast::<PyCapsule>()?.pointer_checked(Some(name))?.cast::<T>();
        // SAFETY: a capsule of this name has this struct, which whoever reads it may move; the zeroed one that stays is
        // a dead one, so the capsule releases nothing.
        Ok(Self(unsafe { ptr::replace(start.as_ptr(), mem::zeroed()) }))
    }
}

impl<T: Released> Drop for Owned<T> {
    fn drop(&mut self) {
        self.0.release();
    }
}

/// How the texts of an array are stored.
#[derive(Clone, Copy, PartialEq)]
enum Layout {
    /// One after the other, with 32-bit offsets.
    Small,
    /// The same with 64-bit offsets.
    Large,
    /// Each somewhere in one of several buffers, or beside its length.
    Views,
}

/// All texts of an array or a stream of arrays.
pub struct Texts {
    layout: Layout,
    chunks: Vec<Owned<Array>>,
}

impl Texts {
    /// The texts of an object that gives Arrow's arrays; None for any other object.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if let Some(export) = object.getattr_opt("__arrow_c_array__")? {
            let pair = export.call0()?.cast_into::<PyTuple>()?;
            let schema = Owned::take(&pair.get_item(0)?, c"arrow_schema")?;
            let layout = layout(object, &schema)?;
            return Ok(Some(Self { layout, chunks: vec![Owned::take(&pair.get_item(1)?, c"arrow_array")?] }));
        }
        let Some(export) = object.getattr_opt("__arrow_c_stream__")? else { return Ok(None) };
        let mut stream = Owned::<Stream>::take(&export.call0()?, c"arrow_array_stream")?;
        let mut schema = Owned::empty();
        let get_schema = stream.0.get_schema;
        fill(object, &mut stream, get_schema, &mut schema)?;
        let layout = layout(object, &schema)?;
        let mut chunks = Vec::new();
        loop {
            let mut chunk = Owned::<Array>::empty();
            let get_next = stream.0.get_next;
            fill(object, &mut stream, get_next, &mut chunk)?;
            if chunk.0.release.is_none() {
                return Ok(Some(Self { layout, chunks }));
            }
            chunks.push(chunk);
        }
    }

    /// The texts, in order.
    pub fn slices(&self, py: Python<'_>) -> PyResult<Vec<&[u8]>> {
        let mut texts = Vec::new();
        for Owned(chunk) in &self.chunks {
            let (n_rows, first) = (chunk.length.max(0) as usize, chunk.offset.max(0) as usize);
            check_nulls(py, chunk, texts.len())?;
            texts.reserve(n_rows);
            for row in 0..n_rows {
                let text = match self.layout {
                    Layout::Small => between(chunk, first + row, i32::from_ne_bytes),
                    Layout::Large => between(chunk, first + row, i64::from_ne_bytes),
                    Layout::Views => view(chunk, first + row),
                };
                let number = texts.len();
                texts.push(text.ok_or_else(|| {
                    fault(py, &format!("row {number} lies outside its buffer, so the array is damaged. Make it anew."))
                })?);
            }
        }
        Ok(texts)
    }
}

fn fault(py: Python<'_>, what: &str) -> PyErr {
    raise(py, "EncodeError", &format!("texts: {what}"))
}

fn layout(object: &Bound<'_, PyAny>, Owned(schema): &Owned<Schema>) -> PyResult<Layout> {
    // SAFETY: a live schema has a format, which ends in a zero.
    let format = unsafe { CStr::from_ptr(schema.format) }.to_bytes();
    match format {
        _ if !schema.dictionary.is_null() => {}
        b"u" | b"z" => return Ok(Layout::Small),
        b"U" | b"Z" => return Ok(Layout::Large),
        b"vu" | b"vz" => return Ok(Layout::Views),
        _ => {}
    }
    let (py, kind, format) = (object.py(), object.get_type().name()?, String::from_utf8_lossy(format));
    let is = if schema.dictionary.is_null() { "no array of strings" } else { "an array of dictionary codes" };
    Err(fault(py, &format!("{kind} of Arrow's format {format:?} is {is}. Pass one column, cast to a string type.")))
}

/// Lets a stream fill a struct.
fn fill<T: Released>(
    object: &Bound<'_, PyAny>,
    Owned(stream): &mut Owned<Stream>,
    function: Option<unsafe extern "C" fn(*mut Stream, *mut T) -> c_int>,
    Owned(target): &mut Owned<T>,
) -> PyResult<()> {
    // SAFETY: the stream is live, and the function fills the target or leaves it as it was.
    let code = function.map_or(-1, |function| unsafe { function(stream, target) });
    if code == 0 {
        return Ok(());
    }
    let words = stream.get_last_error.map_or(ptr::null(), |function| {
        // SAFETY: the last call on this live stream has failed.
        unsafe { function(stream) }
    });
    // SAFETY: the words of an error, if there are any, end in a zero and live until the next call.
    let words = if words.is_null() { c"no reason given" } else { unsafe { CStr::from_ptr(words) } };
    let kind = object.get_type().name()?;
    Err(fault(object.py(), &format!("{kind} could not be read: {}. Pass a list of str.", words.to_string_lossy())))
}

/// The address of a buffer; null if there is none.
fn buffer(chunk: &Array, number: usize) -> *const u8 {
    if number as i64 >= chunk.n_buffers {
        return ptr::null();
    }
    // SAFETY: a live array has so many pointers.
    unsafe { *chunk.buffers.add(number) }.cast()
}

/// Refuses rows without a text. `n_before` rows were in the chunks before.
fn check_nulls(py: Python<'_>, chunk: &Array, n_before: usize) -> PyResult<()> {
    let bits = buffer(chunk, 0);
    if bits.is_null() || chunk.null_count == 0 {
        return Ok(());
    }
    for row in 0..chunk.length.max(0) as usize {
        let place = chunk.offset.max(0) as usize + row;
        // SAFETY: the first buffer of a live array has a bit for each row, and those before its offset.
        if unsafe { *bits.add(place / 8) } >> (place % 8) & 1 == 0 {
            let number = n_before + row;
            return Err(fault(
                py,
                &format!("row {number} is null, which is no text. Drop such rows, or fill them with ''."),
            ));
        }
    }
    Ok(())
}

/// The text of a row between two offsets; None if they are no stretch.
fn between<const N: usize, T: TryInto<usize>>(chunk: &Array, row: usize, number: fn([u8; N]) -> T) -> Option<&[u8]> {
    let (offsets, data) = (buffer(chunk, 1), buffer(chunk, 2));
    let at = |row: usize| {
        // SAFETY: the second buffer of a live array of this layout has an offset of N bytes for each row and one more.
        number(unsafe { offsets.add(row * N).cast::<[u8; N]>().read_unaligned() }).try_into().ok()
    };
    if offsets.is_null() {
        return None;
    }
    let (start, end): (usize, usize) = (at(row)?, at(row + 1)?);
    match end.checked_sub(start)? {
        0 => Some(&[]),
        _ if data.is_null() => None,
        // SAFETY: the third buffer reaches to the last offset at least, and the offsets rise.
        length => Some(unsafe { slice::from_raw_parts(data.add(start), length) }),
    }
}

/// Texts of at most so many bytes stand beside their length.
const INLINE_BYTES: usize = 12;

/// The text of a row of views; None if it lies in no buffer.
fn view(chunk: &Array, row: usize) -> Option<&[u8]> {
    let views = buffer(chunk, 1);
    if views.is_null() {
        return None;
    }
    // SAFETY: the second buffer of a live array of views has 16 bytes for each row.
    let view: &[u8; 16] = unsafe { &*views.add(row * 16).cast() };
    let word = |at: usize| -> Option<usize> {
        let bytes = view.get(at..at + 4)?.first_chunk()?;
        i32::from_ne_bytes(*bytes).try_into().ok()
    };
    let length = word(0)?;
    if length <= INLINE_BYTES {
        return view.get(4..4 + length);
    }
    let (number, start) = (word(8)?, word(12)?);
    // The buffers of texts follow the first two, and the last one has their lengths.
    let n_data = usize::try_from(chunk.n_buffers).ok()?.checked_sub(3)?;
    let lengths = buffer(chunk, 2 + n_data);
    let data = buffer(chunk, 2 + number);
    if number >= n_data || lengths.is_null() || data.is_null() {
        return None;
    }
    // SAFETY: the last buffer has a length of eight bytes for each of them.
    let n_bytes = i64::from_ne_bytes(unsafe { lengths.add(number * 8).cast::<[u8; 8]>().read_unaligned() });
    let n_bytes = usize::try_from(n_bytes).ok()?;
    // SAFETY: the buffer has so many bytes, and nothing changes them while the array lives.
    unsafe { slice::from_raw_parts(data, n_bytes) }.get(start..start.checked_add(length)?)
}
