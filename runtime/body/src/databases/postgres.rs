//! Databases of PostgreSQL servers, behind the feature `postgres`.

#[cfg(feature = "postgres")]
mod cells;
#[cfg(feature = "postgres")]
mod params;
#[cfg_attr(feature = "postgres", path = "postgres/world.rs")]
#[cfg_attr(not(feature = "postgres"), path = "postgres/missing.rs")]
mod world;

pub(crate) use world::{Servers, addresses_of};
