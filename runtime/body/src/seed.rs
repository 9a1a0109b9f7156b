//! Seeds of random numbers: functions of the run's seed, the action and the number of its execution, so that a replay draws
//! the same numbers.

use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;

/// Seeds of the run and of a graph instance, from which those of its actions are derived.
#[derive(Clone, Copy, Debug)]
pub struct Seeds {
    /// Seed of the run.
    pub random_seed: u64,
    /// Hash of the graph instance's path.
    pub path_hash: u64,
}

impl Seeds {
    /// Returns the seed of an action, from which [`event_seed`] derives those of its events.
    #[inline]
    pub fn of_action(self, name: &str, index: &[i64]) -> u64 {
        self.random_seed ^ mix(FxBuildHasher.hash_one((name, index, self.path_hash)))
    }
}

/// Returns the seed of an event: the `count`th execution of the action with this seed.
#[inline]
pub fn event_seed(seed_of_action: u64, count: u64) -> u64 {
    mix(seed_of_action ^ mix(count.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
}

/// Output function of SplitMix64 (Steele, Lea and Flood 2014).
#[inline]
pub fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// Advances a stream of SplitMix64 and returns its next 64 bits.
#[inline]
pub fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mix(*state)
}
