//! The envelope of a packed file, read as `tokenloom.storage.envelope` reads it, but for the SHA-256 of sections.
//!
//! Whatever is unusual, damage above all, gives None: then the file is read with care in Python, which says what is wrong.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::sha256::sha256;
use super::{LAYOUT, Section};

const MAGIC: &[u8; 8] = b"\x89TLOOM\r\n";
const END_MAGIC: &[u8; 8] = b"TLOOMEND";
const START_BYTES: usize = 16;
const DIGEST_BYTES: usize = 32;

/// What stands before the sections.
#[derive(Deserialize)]
struct Table<'a> {
    #[serde(borrow)]
    header: Header<'a>,
    kind: &'a str,
    sections: Vec<Row<'a>>,
}

#[derive(Deserialize)]
struct Header<'a> {
    byte_order: &'a str,
    #[serde(borrow)]
    checksums: BTreeMap<&'a str, &'a str>,
    layout: u32,
    #[serde(borrow)]
    spec: &'a RawValue,
}

#[derive(Deserialize)]
struct Row<'a> {
    bytes: usize,
    name: &'a str,
}

/// The description in a packed file and its sections, with what their checksums should be.
pub fn read<'a>(bytes: &'a [u8], kind: &str) -> Option<(&'a str, Vec<Section>)> {
    let (start, _) = bytes.split_first_chunk::<START_BYTES>()?;
    let [.., major_low, major_high, _, _, low, middle, high, highest] = *start;
    let table_end = START_BYTES.checked_add(u32::from_le_bytes([low, middle, high, highest]) as usize)?;
    // A minor version may add sections and parts of the header, which nothing here looks at.
    let is_known = start.starts_with(MAGIC) && [major_low, major_high] == [1, 0];
    let digest = bytes.get(table_end..table_end.checked_add(DIGEST_BYTES)?)?;
    if !is_known || sha256(&bytes[..table_end]) != digest {
        return None;
    }
    let table: Table<'a> = serde_json::from_slice(&bytes[START_BYTES..table_end]).ok()?;
    let header = table.header;
    if table.kind != kind || header.layout != LAYOUT || header.byte_order != "little" || cfg!(target_endian = "big") {
        return None;
    }
    let mut place = padded(bytes, table_end + DIGEST_BYTES)?;
    let mut sections = Vec::new();
    for row in table.sections {
        let checksum = u64::from_str_radix(header.checksums.get(row.name)?, 16).ok()?;
        sections.push((row.name.to_owned(), place, row.bytes, checksum));
        place = padded(bytes, place.checked_add(row.bytes)?)?;
    }
    let footer = [(bytes.len() as u64).to_le_bytes(), *END_MAGIC];
    (bytes.get(place..)? == footer.as_flattened()).then(|| (header.spec.get(), sections))
}

/// The next multiple of eight, if there are zeros up to it.
fn padded(bytes: &[u8], place: usize) -> Option<usize> {
    let padding: Range<usize> = place..place.checked_next_multiple_of(8)?;
    bytes.get(padding.clone())?.iter().all(|byte| *byte == 0).then_some(padding.end)
}
