//! Arrays of numpy, made through its C API. Through Python, `numpy.frombuffer` alone takes longer than to encode a short
//! text.
//!
//! Numpy gives other modules one table of functions, in which entries keep their numbers; see "Array API" in its
//! reference. Few arrays are copied into memory of numpy, and many numbers stay where they are and belong to the array.

use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::ptr;

use pyo3::exceptions::{PyImportError, PyModuleNotFoundError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyCapsule;
use tokenloom_core::offsets::Span;

/// More bytes than this are not copied: to make an owner for them costs less.
const MOST_COPIED_BYTES: usize = 1 << 14;

/// A number that arrays may have.
pub trait Number: Copy + Send + 'static {
    /// What numpy calls its type.
    const TYPE: c_int;
}

impl Number for u32 {
    const TYPE: c_int = 6;
}

impl Number for i64 {
    /// `long` where it has eight bytes, else `long long`.
    const TYPE: c_int = if size_of::<std::ffi::c_long>() == 8 { 7 } else { 9 };
}

/// Numbers as an array of one dimension, which may be written to.
pub fn array<T: Number>(py: Python<'_>, numbers: Vec<T>) -> PyResult<Bound<'_, PyAny>> {
    let api = Api::of(py)?;
    if size_of_val(numbers.as_slice()) > MOST_COPIED_BYTES {
        let shape = [numbers.len()];
        return api.owning(py, numbers, T::TYPE, shape, WRITABLE);
    }
    let array = api.new_array(py, T::TYPE, &[numbers.len()], ptr::null_mut(), 0)?;
    // SAFETY: the array is new and of this length, and no one else knows it yet.
    unsafe { ptr::copy_nonoverlapping(numbers.as_ptr(), api.start_of(&array).cast(), numbers.len()) };
    Ok(array)
}

/// Spans as an array of shape (n, 2) that may not be written to. As lengths of a text they are the same as int64.
pub fn spans(py: Python<'_>, spans: Vec<Span>) -> PyResult<Bound<'_, PyAny>> {
    let shape = [spans.len(), 2];
    Api::of(py)?.owning(py, spans, i64::TYPE, shape, CONTIGUOUS)
}

/// Flags of numpy: in the order of C, and aligned.
const CONTIGUOUS: c_int = 0x101;
/// And may be written to.
const WRITABLE: c_int = 0x501;

type NewArray = unsafe extern "C" fn(
    *mut ffi::PyTypeObject,
    c_int,
    *const isize,
    c_int,
    *const isize,
    *mut c_void,
    c_int,
    c_int,
    *mut ffi::PyObject,
) -> *mut ffi::PyObject;
type StartOf = unsafe extern "C" fn(*mut ffi::PyObject, *const isize) -> *mut c_void;
type SetOwner = unsafe extern "C" fn(*mut ffi::PyObject, *mut ffi::PyObject) -> c_int;

/// What of numpy's table is used.
struct Api {
    array_type: *mut ffi::PyTypeObject,
    new_array: NewArray,
    start_of: StartOf,
    set_owner: SetOwner,
}

// SAFETY: the table and the type live as long as the process, and its functions are called with the interpreter attached.
unsafe impl Send for Api {}
// SAFETY: as above.
unsafe impl Sync for Api {}

impl Api {
    fn of(py: Python<'_>) -> PyResult<&'static Self> {
        static API: PyOnceLock<Api> = PyOnceLock::new();
        match API.get(py) {
            Some(api) => Ok(api),
            // Imported before the cell is locked: an import runs Python, so that another thread may fork this process
            // meanwhile, and the child would wait for the lock for ever.
            None => Self::import(py).map(|api| API.get_or_init(py, || api)),
        }
    }

    #[cold]
    fn import(py: Python<'_>) -> PyResult<Self> {
        // Before numpy 2 it had another name. Any other error is the user's, such as Ctrl-C during the import.
        let module = match py.import("numpy._core._multiarray_umath") {
            Err(error) if error.is_instance_of::<PyModuleNotFoundError>(py) => {
                py.import("numpy.core._multiarray_umath")?
            }
            module => module?,
        };
        let capsule = module.getattr("_ARRAY_API")?.cast_into::<PyCapsule>()?;
        let table = capsule.pointer_checked(None)?.as_ptr().cast::<*mut c_void>();
        // SAFETY: entry 0 of the table is a function without arguments that tells the version of its layout.
        let version = unsafe { transmute::<*mut c_void, extern "C" fn() -> u32>(*table)() } >> 24;
        if !(1..=2).contains(&version) {
            let message = format!("numpy: its C API has version {version}, and 1 and 2 are known. Install numpy<3.");
            return Err(PyImportError::new_err(message));
        }
        // SAFETY: in both versions these entries are `PyArray_Type`, `PyArray_New`, `PyArray_GetPtr` and
        // `PyArray_SetBaseObject`, with these arguments.
        Ok(unsafe {
            Self {
                array_type: (*table.add(2)).cast(),
                new_array: transmute::<*mut c_void, NewArray>(*table.add(93)),
                start_of: transmute::<*mut c_void, StartOf>(*table.add(160)),
                set_owner: transmute::<*mut c_void, SetOwner>(*table.add(282)),
            }
        })
    }

    /// An array over `start`, or where that is null, over new memory of its own.
    fn new_array<'py>(
        &self,
        py: Python<'py>,
        number: c_int,
        shape: &[usize],
        start: *mut c_void,
        flags: c_int,
    ) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: lengths of a slice of Rust fit isize; the callers pass memory of this shape, or none.
        unsafe {
            let array = (self.new_array)(
                self.array_type,
                shape.len() as c_int,
                shape.as_ptr().cast(),
                number,
                ptr::null(),
                start,
                0,
                flags,
                ptr::null_mut(),
            );
            Bound::from_owned_ptr_or_err(py, array)
        }
    }

    /// Where the numbers of an array of one dimension begin.
    fn start_of(&self, array: &Bound<'_, PyAny>) -> *mut c_void {
        // SAFETY: the array has one dimension, so one number names a place in it.
        unsafe { (self.start_of)(array.as_ptr(), &0) }
    }

    /// An array over a vector of rows. `shape` but for its first number is that of a row.
    fn owning<'py, R: Send + 'static, const N: usize>(
        &self,
        py: Python<'py>,
        mut rows: Vec<R>,
        number: c_int,
        shape: [usize; N],
        flags: c_int,
    ) -> PyResult<Bound<'py, PyAny>> {
        rows.shrink_to_fit();
        let start = rows.as_mut_ptr().cast();
        // The memory of a vector stays where it is when the vector is moved.
        let owner = PyCapsule::new_with_value(py, rows, c"tokenloom.rows")?;
        let array = self.new_array(py, number, &shape, start, flags)?;
        // SAFETY: both objects are live, and the call takes over the owner: the memory now lives as long as the array.
        let failed = unsafe { (self.set_owner)(array.as_ptr(), owner.into_ptr()) } != 0;
        if failed { Err(PyErr::fetch(py)) } else { Ok(array) }
    }
}
