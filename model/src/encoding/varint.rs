//! Variable-length integers and the cursor that takes them, and everything else, from bytes that
//! may be anything.

/// Bytes that no writer of this format produces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed(pub(crate) &'static str);

/// Appends seven bits a byte, lowest first.
#[inline]
pub(crate) fn put_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a signed number so that small magnitudes are short.
#[inline]
pub(crate) fn put_signed(out: &mut Vec<u8>, number: i64) {
    put_varint(out, ((number << 1) ^ (number >> 63)) as u64);
}

/// Appends `number - base`, wrapping.
#[inline]
pub(crate) fn put_delta(out: &mut Vec<u8>, base: u64, number: u64) {
    put_signed(out, number.wrapping_sub(base) as i64);
}

/// Appends the length and the bytes.
pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// The part of a payload that has not been taken yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a>(pub(crate) &'a [u8]);

impl<'a> Cursor<'a> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[inline]
    pub(crate) fn byte(&mut self) -> Result<u8, Malformed> {
        let (&first, rest) = self.0.split_first().ok_or(Malformed("it ends too early"))?;
        self.0 = rest;
        Ok(first)
    }

    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64, Malformed> {
        let first = self.byte()?;
        if first < 0x80 {
            return Ok(u64::from(first));
        }
        let mut number = u64::from(first & 0x7f);
        for shift in (7..64).step_by(7) {
            let byte = self.byte()?;
            if shift == 63 && byte > 1 {
                break;
            }
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Malformed("a number has more than 64 bits"))
    }

    #[inline]
    pub(crate) fn signed(&mut self) -> Result<i64, Malformed> {
        let number = self.varint()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    #[inline]
    pub(crate) fn delta(&mut self, base: u64) -> Result<u64, Malformed> {
        Ok(base.wrapping_add(self.signed()? as u64))
    }

    /// A number that must fit in 32 bits.
    #[inline]
    pub(crate) fn id(&mut self) -> Result<u32, Malformed> {
        narrow(self.varint()?)
    }

    /// `base` plus the signed number that follows; must fit in 32 bits.
    #[inline]
    pub(crate) fn id_delta(&mut self, base: u32) -> Result<u32, Malformed> {
        narrow(self.delta(u64::from(base))?)
    }

    /// A number of items that take at least one byte each, so that it cannot exceed what is left.
    pub(crate) fn n_items(&mut self) -> Result<usize, Malformed> {
        let n_items = self.varint()?;
        if n_items > self.0.len() as u64 {
            return Err(Malformed("a list is longer than the data"));
        }
        Ok(n_items as usize)
    }

    pub(crate) fn slice(&mut self, n_bytes: usize) -> Result<&'a [u8], Malformed> {
        let (front, rest) = self.0.split_at_checked(n_bytes).ok_or(Malformed("it ends too early"))?;
        self.0 = rest;
        Ok(front)
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let n_bytes = self.n_items()?;
        self.slice(n_bytes)
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, Malformed> {
        std::str::from_utf8(self.bytes()?).map_err(|_| Malformed("a text is not UTF-8"))
    }
}

fn narrow(number: u64) -> Result<u32, Malformed> {
    u32::try_from(number).map_err(|_| Malformed("an id has more than 32 bits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive() {
        let mut numbers: Vec<u64> = (0..64).map(|shift| 1 << shift).collect();
        numbers.extend([0, 127, 128, u64::MAX, u64::MAX - 1, i64::MAX as u64]);
        for &number in &numbers {
            let mut out = Vec::new();
            put_varint(&mut out, number);
            put_signed(&mut out, number as i64);
            put_delta(&mut out, 77, number);
            let mut cursor = Cursor(&out);
            assert_eq!(cursor.varint(), Ok(number));
            assert_eq!(cursor.signed(), Ok(number as i64));
            assert_eq!(cursor.delta(77), Ok(number));
            assert!(cursor.is_empty());
        }
    }

    #[test]
    fn too_long_numbers_are_refused() {
        assert!(Cursor(&[0xff; 11]).varint().is_err());
        assert!(Cursor(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2]).varint().is_err());
        assert!(Cursor(&[0x80]).varint().is_err());
        assert!(Cursor(&[200, 1, 0]).bytes().is_err());
    }
}
