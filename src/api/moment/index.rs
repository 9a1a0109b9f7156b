//! The stations of a record as bytes, kept beside it so that a later session does not have to make them.
//!
//! A line names the format. A zstd frame with a checksum follows: the key of the record, and the stations one after the other. Numbers
//! have eight bytes, the lowest first.

use std::io::{self, BufReader, Read, Write};

use hasse_model::id::Index;
use hasse_model::snapshot::{Snapshot, SnapshotError};

/// The first line of an index. The number is that of the format.
const MAGIC: &[u8] = b"hasse index 1\n";
const ZSTD_LEVEL: i32 = 3;

/// An index that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// Other bytes, or those of another version.
    #[error("this is no index that this version of Hasse knows")]
    NotAnIndex,
    /// It was made of another record, or of the same before it was changed.
    #[error("it is of another record")]
    OfAnother,
    /// Damaged bytes.
    #[error("it is damaged")]
    Damaged,
    /// A state in it cannot be read, or cannot be written.
    #[error(transparent)]
    State(#[from] SnapshotError),
    /// The bytes could not be read or written.
    #[error("it could not be read or written: {0}")]
    Io(#[from] io::Error),
}

/// Writes the content of an index.
pub(super) struct IndexWriter<W: Write>(zstd::stream::write::Encoder<'static, W>);

impl<W: Write> IndexWriter<W> {
    /// Begins the index of a record with this key.
    pub(super) fn begin(mut out: W, key: &[u8]) -> Result<Self, IndexError> {
        out.write_all(MAGIC)?;
        let mut encoder = zstd::stream::write::Encoder::new(out, ZSTD_LEVEL)?;
        encoder.include_checksum(true)?;
        let mut writer = Self(encoder);
        writer.bytes(key)?;
        Ok(writer)
    }

    pub(super) fn number(&mut self, number: u64) -> Result<(), IndexError> {
        Ok(self.0.write_all(&number.to_le_bytes())?)
    }

    pub(super) fn numbers(&mut self, numbers: impl ExactSizeIterator<Item = u64>) -> Result<(), IndexError> {
        self.number(numbers.len() as u64)?;
        let mut numbers = numbers;
        numbers.try_for_each(|number| self.number(number))
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> Result<(), IndexError> {
        self.number(bytes.len() as u64)?;
        Ok(self.0.write_all(bytes)?)
    }

    pub(super) fn snapshot(&mut self, snapshot: &Snapshot) -> Result<(), IndexError> {
        let mut bytes = Vec::new();
        snapshot.write(&mut bytes)?;
        self.bytes(&bytes)
    }

    /// Graph instance or declaration, as two numbers, and an index of it.
    pub(super) fn place(&mut self, (outer, declared): (u32, u32), index: &Index) -> Result<(), IndexError> {
        self.number(u64::from(outer))?;
        self.number(u64::from(declared))?;
        self.numbers(index.as_slice().iter().map(|number| number.cast_unsigned()))
    }

    pub(super) fn finish(self) -> Result<(), IndexError> {
        Ok(self.0.finish()?.flush()?)
    }
}

/// Reads the content of an index. Memory grows with what comes out.
pub(super) struct IndexReader<R: Read>(zstd::stream::read::Decoder<'static, BufReader<R>>);

impl<R: Read> IndexReader<R> {
    /// Begins to read the index of a record with this key.
    pub(super) fn begin(mut input: R, key: &[u8]) -> Result<Self, IndexError> {
        let mut magic = vec![0; MAGIC.len()];
        input.read_exact(&mut magic).map_err(|_| IndexError::NotAnIndex)?;
        if magic != MAGIC {
            return Err(IndexError::NotAnIndex);
        }
        let mut reader = Self(zstd::stream::read::Decoder::new(input)?);
        if reader.bytes()? == key { Ok(reader) } else { Err(IndexError::OfAnother) }
    }

    pub(super) fn number(&mut self) -> Result<u64, IndexError> {
        let mut bytes = [0; 8];
        self.0.read_exact(&mut bytes).map_err(|_| IndexError::Damaged)?;
        Ok(u64::from_le_bytes(bytes))
    }

    pub(super) fn id(&mut self) -> Result<u32, IndexError> {
        u32::try_from(self.number()?).map_err(|_| IndexError::Damaged)
    }

    /// Items that are read one by one.
    pub(super) fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, IndexError>,
    ) -> Result<Vec<T>, IndexError> {
        let n_items = self.number()?;
        (0..n_items).map(|_| read(self)).collect()
    }

    pub(super) fn bytes(&mut self) -> Result<Vec<u8>, IndexError> {
        let n_bytes = self.number()?;
        let mut bytes = Vec::new();
        self.0.by_ref().take(n_bytes).read_to_end(&mut bytes).map_err(|_| IndexError::Damaged)?;
        if bytes.len() as u64 == n_bytes { Ok(bytes) } else { Err(IndexError::Damaged) }
    }

    pub(super) fn snapshot(&mut self) -> Result<Snapshot, IndexError> {
        Ok(Snapshot::read(&mut &self.bytes()?[..])?)
    }

    pub(super) fn place(&mut self) -> Result<((u32, u32), Index), IndexError> {
        let (outer, declared) = (self.id()?, self.id()?);
        let numbers = self.list(Self::number)?;
        Ok(((outer, declared), numbers.into_iter().map(u64::cast_signed).collect()))
    }

    /// The end, with its checksum.
    pub(super) fn finish(mut self) -> Result<(), IndexError> {
        match self.0.read(&mut [0]) {
            Ok(0) => Ok(()),
            _ => Err(IndexError::Damaged),
        }
    }
}
