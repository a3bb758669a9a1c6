//! The map of a model file as `tokenizers` applies it: by clusters, what people take for a character.
//!
//! A cluster of less than six bytes that begins with a key becomes the text of the shortest one, as a whole; of all others each
//! character that begins with a key does. So what stands behind the key in such a cluster is lost, which is an accident of
//! the library, and SentencePiece itself does otherwise: see [`Rules`](super::Rules).
//!
//! Source: `normalizers/precompiled.rs` of huggingface/tokenizers and its crate `spm_precompiled`.

use unicode_segmentation::UnicodeSegmentation;

use super::Map;
use crate::Tick;
use crate::draft::Draft;
use crate::error::Result;

/// A cluster with so many bytes is looked at character by character.
const LONG_BYTES: usize = 6;

/// A tick comes after about this much text.
const TICK_BYTES: usize = 1 << 20;

/// Notes in the draft of a text what the map changes. Bytes that are not UTF-8 stay as they are.
pub fn change_clusters(map: &Map, text: &[u8], draft: &mut Draft<'_>, tick: Tick<'_>) -> Result<()> {
    let (mut start, mut tick_at) = (0, TICK_BYTES);
    for chunk in text.utf8_chunks() {
        for (at, cluster) in chunk.valid().grapheme_indices(true) {
            let at = start + at;
            change_cluster(map, at, cluster, draft);
            if draft.is_over() {
                return Ok(());
            }
            if at >= tick_at {
                tick_at = at + TICK_BYTES;
                tick(0)?;
            }
        }
        start += chunk.valid().len() + chunk.invalid().len();
    }
    Ok(())
}

fn change_cluster(map: &Map, at: usize, cluster: &str, draft: &mut Draft<'_>) {
    let whole = map.shortest(cluster.as_bytes()).filter(|_| cluster.len() < LONG_BYTES);
    if let Some(changed) = whole {
        draft.replace_by(at..at + cluster.len(), changed.as_bytes());
        return;
    }
    for (place, character) in cluster.char_indices() {
        let range = at + place..at + place + character.len_utf8();
        if let Some(changed) = map.shortest(&cluster.as_bytes()[place..place + character.len_utf8()]) {
            draft.replace_by(range, changed.as_bytes());
        }
    }
}
