//! What a runtime has made of a routine, kept as long as the routine is.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A place for what is made of a routine once, so that all runs of a plan have it. It is no part of what the routine is:
/// any two are equal, and a copy is empty.
#[derive(Default)]
pub struct Kept(Mutex<Vec<Arc<dyn Any + Send + Sync>>>);

impl Kept {
    /// What is kept of a type and is meant; made and kept if there is none.
    pub fn get_or_make<T: Any + Send + Sync>(
        &self,
        is_meant: impl Fn(&T) -> bool,
        make: impl FnOnce() -> Arc<T>,
    ) -> Arc<T> {
        // What is kept is whole, whoever has panicked.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.iter().filter_map(|known| Arc::clone(known).downcast::<T>().ok());
        if let Some(known) = known.into_iter().find(|known| is_meant(known)) {
            return known;
        }
        let made = make();
        kept.push(Arc::clone(&made) as Arc<dyn Any + Send + Sync>);
        made
    }
}

impl Clone for Kept {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Kept {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_meant_is_made_once() {
        let kept = Kept::default();
        let one = kept.get_or_make(|known| *known == 1, || Arc::new(1_u8));
        let other = kept.get_or_make(|known| *known == 2, || Arc::new(2_u8));
        let text = kept.get_or_make(|_| true, || Arc::new("a".to_owned()));
        assert_eq!((*one, *other, text.as_str()), (1, 2, "a"));
        let again = kept.get_or_make(|known| *known == 1, || Arc::new(3_u8));
        assert!(Arc::ptr_eq(&one, &again));
        assert_eq!(*kept.clone().get_or_make(|known| *known < 9, || Arc::new(4_u8)), 4);
    }
}
