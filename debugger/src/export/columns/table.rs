//! A table that is written row by row to an Arrow or a Parquet file.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::builder::{ArrayBuilder, Int64Builder, ListBuilder, StringBuilder};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::schema::{Columns, Type};

/// Rows that are gathered before they are handed to the writer: a record batch of an Arrow file.
const BATCH_ROWS: usize = 1 << 13;
/// Rows of a row group of a Parquet file, which its writer holds encoded.
const GROUP_ROWS: usize = 1 << 17;

/// Where a file goes.
pub type Output = Box<dyn Write + Send>;

/// An entry of a row.
pub(super) enum Cell<'a> {
    Int(u64),
    Signed(i64),
    Text(&'a str),
    Ints(&'a mut dyn Iterator<Item = i64>),
    Null,
}

impl Cell<'_> {
    /// An integer, if there is one.
    pub(super) fn of(number: Option<u64>) -> Self {
        number.map_or(Cell::Null, Cell::Int)
    }
}

enum Column {
    Int(Int64Builder),
    Text(StringBuilder),
    Ints(ListBuilder<Int64Builder>),
}

enum Writer {
    Arrow(Box<FileWriter<Output>>),
    Parquet(Box<ArrowWriter<Output>>),
}

/// A table under way.
pub(super) struct Table {
    schema: SchemaRef,
    columns: Vec<Column>,
    n_rows: usize,
    writer: Writer,
}

impl Table {
    /// An empty table with these columns.
    pub(super) fn new(kind: FileKind, out: Output, columns: &Columns) -> io::Result<Self> {
        let fields: Vec<Field> = columns.iter().map(|&(name, of)| field(name, of)).collect();
        let schema = Arc::new(Schema::new(fields));
        let writer = match kind {
            FileKind::Arrow => Writer::Arrow(Box::new(FileWriter::try_new(out, &schema).map_err(of_arrow)?)),
            FileKind::Parquet => {
                let compression = Compression::ZSTD(ZstdLevel::try_new(1).map_err(of_parquet)?);
                let properties = WriterProperties::builder()
                    .set_compression(compression)
                    .set_max_row_group_row_count(Some(GROUP_ROWS))
                    .build();
                let writer = ArrowWriter::try_new(out, Arc::clone(&schema), Some(properties));
                Writer::Parquet(Box::new(writer.map_err(of_parquet)?))
            }
        };
        let columns = columns.iter().map(|(_, of)| match of {
            Type::Int | Type::IntOrNull => Column::Int(Int64Builder::new()),
            Type::Text | Type::TextOrNull => Column::Text(StringBuilder::new()),
            Type::Ints => Column::Ints(ListBuilder::new(Int64Builder::new()).with_field(item())),
        });
        Ok(Self { schema, columns: columns.collect(), n_rows: 0, writer })
    }

    /// Adds a row.
    ///
    /// # Panics
    /// Where the cells are not those of the columns.
    pub(super) fn row<const N: usize>(&mut self, cells: [Cell<'_>; N]) -> io::Result<()> {
        assert_eq!(self.columns.len(), N, "a cell for each column");
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            match (column, cell) {
                (Column::Int(builder), Cell::Int(number)) => {
                    // Only a trace that somebody made up has numbers beyond.
                    builder.append_value(i64::try_from(number).unwrap_or(i64::MAX));
                }
                (Column::Int(builder), Cell::Signed(number)) => builder.append_value(number),
                (Column::Int(builder), Cell::Null) => builder.append_null(),
                (Column::Text(builder), Cell::Text(text)) => builder.append_value(text),
                (Column::Text(builder), Cell::Null) => builder.append_null(),
                (Column::Ints(builder), Cell::Ints(numbers)) => {
                    numbers.for_each(|number| builder.values().append_value(number));
                    builder.append(true);
                }
                _ => panic!("a cell has the type of its column"),
            }
        }
        self.n_rows += 1;
        if self.n_rows == BATCH_ROWS { self.flush() } else { Ok(()) }
    }

    /// Writes all rows and what ends the file.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        if self.n_rows > 0 {
            self.flush()?;
        }
        match &mut self.writer {
            Writer::Arrow(writer) => {
                writer.finish().map_err(of_arrow)?;
                writer.get_mut().flush()
            }
            Writer::Parquet(writer) => {
                writer.finish().map_err(of_parquet)?;
                writer.inner_mut().flush()
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        let arrays = self.columns.iter_mut().map(|column| match column {
            Column::Int(builder) => ArrayBuilder::finish(builder),
            Column::Text(builder) => ArrayBuilder::finish(builder),
            Column::Ints(builder) => ArrayBuilder::finish(builder),
        });
        self.n_rows = 0;
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), arrays.collect()).map_err(of_arrow)?;
        match &mut self.writer {
            Writer::Arrow(writer) => writer.write(&batch).map_err(of_arrow),
            Writer::Parquet(writer) => writer.write(&batch).map_err(of_parquet),
        }
    }
}

fn field(name: &str, of: Type) -> Field {
    match of {
        Type::Int => Field::new(name, DataType::Int64, false),
        Type::IntOrNull => Field::new(name, DataType::Int64, true),
        Type::Text => Field::new(name, DataType::Utf8, false),
        Type::TextOrNull => Field::new(name, DataType::Utf8, true),
        Type::Ints => Field::new(name, DataType::List(Arc::new(item())), false),
    }
}

fn item() -> Field {
    Field::new("item", DataType::Int64, false)
}

fn of_arrow(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, source) => source,
        error => io::Error::other(error),
    }
}

fn of_parquet(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(source) => *source,
            Err(source) => io::Error::other(source),
        },
        error => io::Error::other(error),
    }
}

/// What the files are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// The Arrow IPC file format, uncompressed.
    Arrow,
    /// Apache Parquet, compressed by zstd.
    Parquet,
}

impl FileKind {
    /// The extension of the files, without its dot.
    pub fn extension(self) -> &'static str {
        match self {
            FileKind::Arrow => "arrow",
            FileKind::Parquet => "parquet",
        }
    }
}
