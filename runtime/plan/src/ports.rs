//! Sets of ports.

/// A set of ports as bits; the last bit stands for all ports from the 32nd on.
pub type PortSet = u32;

/// The set of one port.
#[inline]
pub fn port_bit(port: usize) -> PortSet {
    1 << port.min(31)
}
