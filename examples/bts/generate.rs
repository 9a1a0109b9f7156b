//! Writes a dense lower triangular system for the block triangular solver: FILE, a Matrix Market
//! coordinate file, and FILE_b, the right side that belongs to a known solution.
//!
//! The diagonal lies in [1, 2), and what stands left of it in a row adds up to less than 1/2 in
//! absolute value, so that the system is well conditioned at every size.

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

const USAGE: &str = "usage: bts-generate --size ROWS --out FILE [--seed NUMBER]";
/// Most rows: such a file has half a million million entries.
const MOST_ROWS: usize = 1 << 20;

struct Args {
    n_rows: usize,
    out: PathBuf,
    seed: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = parse_args(std::env::args().skip(1))?;
    let right_side = write_matrix(&args)?;
    let right_side_path = beside(&args.out);
    write_vector(&right_side_path, &right_side)?;
    println!("{} and {}: {} unknowns", args.out.display(), right_side_path.display(), args.n_rows);
    Ok(())
}

fn parse_args(mut words: impl Iterator<Item = String>) -> Result<Args, Box<dyn Error>> {
    let (mut n_rows, mut out, mut seed) = (None, None, 1);
    while let Some(name) = words.next() {
        let value = words.next().ok_or(USAGE)?;
        match name.as_str() {
            "--size" => n_rows = Some(value.parse()?),
            "--out" => out = Some(PathBuf::from(value)),
            "--seed" => seed = value.parse()?,
            _ => return Err(USAGE.into()),
        }
    }
    let n_rows = n_rows.filter(|n_rows| (1..=MOST_ROWS).contains(n_rows)).ok_or(USAGE)?;
    Ok(Args { n_rows, out: out.ok_or(USAGE)?, seed })
}

/// Writes the matrix, column after column. Returns the right side for the solution
/// `x[i] = 1 + (i mod 7) / 8`, computed from the digits that stand in the file.
fn write_matrix(args: &Args) -> Result<Vec<f64>, Box<dyn Error>> {
    let n_rows = args.n_rows;
    let mut file = BufWriter::with_capacity(1 << 20, File::create(&args.out)?);
    writeln!(file, "%%MatrixMarket matrix coordinate real general")?;
    writeln!(file, "% lower triangular, written by bts-generate --size {n_rows} --seed {}", args.seed)?;
    writeln!(file, "{n_rows} {n_rows} {}", n_rows * (n_rows + 1) / 2)?;
    let mut random = Random { state: args.seed };
    let mut right_side = vec![0.0; n_rows];
    for col in 0..n_rows {
        let unknown = 1.0 + (col % 7) as f64 / 8.0;
        for (row, entry_of_b) in right_side.iter_mut().enumerate().skip(col) {
            let number = match row == col {
                true => 1.0 + random.unit(),
                false => (random.unit() - 0.5) / n_rows as f64,
            };
            let digits = format!("{number:.5e}");
            *entry_of_b += digits.parse::<f64>()? * unknown;
            writeln!(file, "{} {} {digits}", row + 1, col + 1)?;
        }
    }
    file.flush()?;
    Ok(right_side)
}

fn write_vector(path: &Path, entries: &[f64]) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    writeln!(file, "%%MatrixMarket matrix array real general\n{} 1", entries.len())?;
    for entry in entries {
        writeln!(file, "{entry:e}")?;
    }
    file.flush()
}

/// FILE with `_b` in front of its extension.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push("_b");
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// Random numbers (Steele, Lea and Flood 2014: SplitMix64).
struct Random {
    state: u64,
}

impl Random {
    /// Uniform in [0, 1).
    fn unit(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
