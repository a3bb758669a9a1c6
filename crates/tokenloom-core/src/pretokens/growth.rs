//! How the number of distinct pretokens grows with the text, read off the first positions of all: nothing is counted for
//! it while text comes.

/// Points for each doubling of the text, as a power of two.
const STEP_BITS: u32 = 3;
const STEPS: usize = 1 << STEP_BITS;

/// Where the curve begins, as a power of two.
const FIRST_BITS: u32 = 16;

/// Pretokens by where they occur first.
#[derive(Clone, Debug)]
pub struct Growth {
    /// Those that occur first before each point and not before the one before it.
    news: [u64; (u64::BITS - FIRST_BITS) as usize * STEPS + 1],
}

impl Default for Growth {
    fn default() -> Self {
        Self { news: [0; (u64::BITS - FIRST_BITS) as usize * STEPS + 1] }
    }
}

impl Growth {
    /// Adds a pretoken that occurs first at a byte of the corpus.
    #[inline]
    pub fn add(&mut self, first: u64) {
        let bits = (first | 1).ilog2();
        let step = if bits < FIRST_BITS {
            0
        } else {
            (((bits - FIRST_BITS) as usize * STEPS) | ((first >> (bits - STEP_BITS)) as usize & (STEPS - 1))) + 1
        };
        self.news[step] += 1;
    }

    /// Adds the pretokens of another part of the same corpus, of which none is in this one.
    pub fn join(&mut self, other: &Self) {
        self.news.iter_mut().zip(other.news).for_each(|(news, more)| *news += more);
    }

    /// Bytes, and distinct pretokens that begin before, of which the first is 64 KiB: eight points for each doubling, up to
    /// `n_bytes`.
    pub fn points(&self, n_bytes: u64) -> Vec<(u64, u64)> {
        let places = (FIRST_BITS..u64::BITS)
            .flat_map(|bits| (0..STEPS as u64).map(move |step| (1 << bits) + (step << (bits - STEP_BITS))));
        let distinct = self.news.iter().scan(0, |sum, news| {
            *sum += news;
            Some(*sum)
        });
        places.zip(distinct).take_while(|(place, _)| *place <= n_bytes).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Growth;

    #[test]
    fn each_point_counts_what_begins_before_it() {
        let firsts: Vec<u64> = (0..40).map(|number: u64| number.pow(4) * 3).chain([65_535, 65_536, u64::MAX]).collect();
        let mut growth = Growth::default();
        firsts.iter().for_each(|first| growth.add(*first));
        let points = growth.points(u64::MAX);
        assert_eq!((points.len(), points[0].0, points[1].0, points[8].0), (48 * 8, 65_536, 73_728, 131_072));
        for (n_bytes, n_distinct) in points {
            assert_eq!(n_distinct, firsts.iter().filter(|first| **first < n_bytes).count() as u64, "{n_bytes}");
        }
        assert_eq!(growth.points(73_727).len(), 1);
        assert_eq!(growth.points(65_535), []);
    }

    #[test]
    fn parts_joined_are_the_whole() {
        let (mut whole, mut parts) = (Growth::default(), [Growth::default(), Growth::default()]);
        for first in (0..1 << 20).step_by(777) {
            whole.add(first);
            parts[first as usize % 2].add(first);
        }
        let [mut one, other] = parts;
        one.join(&other);
        assert_eq!(one.points(1 << 20), whole.points(1 << 20));
    }
}
