//! What all forms have in common.
