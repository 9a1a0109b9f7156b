//! What the tools show of the seeded errors.
