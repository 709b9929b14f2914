//! The table of matches as Parquet: the same rows as in CSV, with types.

use super::Line;
use anyhow::{Context, Result};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use std::io::Write;
use std::sync::Arc;

const SCHEMA: &str = "message matches {
    required int64 match;
    required int64 round;
    required binary game (STRING);
    required binary role (STRING);
    required binary player (STRING);
    optional int32 goal;
    required binary end (STRING);
    required int64 failed_moves;
    required int64 steps;
    required double seconds;
    required int64 seed;
}";

/// Number of rows in memory and in one row group.
const GROUP: usize = 100_000;

/// A file being written.
pub(super) struct Columns<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    lines: Vec<Line>,
}

impl<W: Write + Send> Columns<W> {
    pub(super) fn new(out: W) -> Result<Columns<W>> {
        let schema = Arc::new(parse_message_type(SCHEMA)?);
        Ok(Columns {
            writer: SerializedFileWriter::new(out, schema, Arc::default())?,
            lines: Vec::new(),
        })
    }

    pub(super) fn add(&mut self, line: Line) -> Result<()> {
        self.lines.push(line);
        match self.lines.len() < GROUP {
            true => Ok(()),
            false => self.write_group(),
        }
    }

    /// Writes the remaining rows and ends the file.
    pub(super) fn finish(mut self) -> Result<()> {
        self.write_group()?;
        self.writer.close()?;
        Ok(())
    }

    fn write_group(&mut self) -> Result<()> {
        let lines = std::mem::take(&mut self.lines);
        let mut group = self.writer.next_row_group()?;
        // In the order of the schema.
        write::<Int64Type, W>(&mut group, numbers(&lines, |line| line.number), None)?;
        write::<Int64Type, W>(&mut group, numbers(&lines, |line| line.round), None)?;
        write::<ByteArrayType, W>(&mut group, texts(&lines, |line| &line.game), None)?;
        write::<ByteArrayType, W>(&mut group, texts(&lines, |line| &line.role), None)?;
        write::<ByteArrayType, W>(&mut group, texts(&lines, |line| &line.player), None)?;
        let goals = lines.iter().filter_map(|line| line.goal.map(i32::from)).collect();
        let is_there: Vec<i16> = lines.iter().map(|line| line.goal.is_some().into()).collect();
        write::<Int32Type, W>(&mut group, goals, Some(&is_there))?;
        write::<ByteArrayType, W>(&mut group, texts(&lines, |line| &line.end), None)?;
        write::<Int64Type, W>(&mut group, numbers(&lines, |line| line.failed_moves as u64), None)?;
        write::<Int64Type, W>(&mut group, numbers(&lines, |line| line.steps as u64), None)?;
        write::<DoubleType, W>(&mut group, lines.iter().map(|line| line.seconds).collect(), None)?;
        write::<Int64Type, W>(&mut group, numbers(&lines, |line| line.seed), None)?;
        group.close()?;
        Ok(())
    }
}

/// Writes the next column. For nullable columns, `is_there` has a 1 for each row that has a value.
fn write<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: Vec<T::T>,
    is_there: Option<&[i16]>,
) -> Result<()> {
    let mut column = group.next_column()?.context("there is no further column")?;
    column.typed::<T>().write_batch(&values, is_there, None)?;
    column.close()?;
    Ok(())
}

fn numbers(lines: &[Line], number: impl Fn(&Line) -> u64) -> Vec<i64> {
    // Match numbers and seeds are below 2^53.
    lines.iter().map(|line| number(line) as i64).collect()
}

fn texts(lines: &[Line], text: impl Fn(&Line) -> &String) -> Vec<ByteArray> {
    lines.iter().map(|line| ByteArray::from(text(line).as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::SerializedFileReader;

    #[test]
    fn what_is_written_can_be_read() {
        let line = |number, goal| Line {
            number,
            round: 1,
            game: "tic-tac-toe".to_string(),
            role: "x".to_string(),
            player: "ucb(c=20)".to_string(),
            goal,
            end: "terminal".to_string(),
            failed_moves: 2,
            steps: 9,
            seconds: 0.5,
            seed: 1 << 52,
        };
        let file = tempfile::tempfile().expect("a file can be made");
        let mut columns = Columns::new(&file).expect("the schema is right");
        columns.add(line(3, Some(50))).expect("lines can be added");
        columns.add(line(4, None)).expect("lines can be added");
        columns.finish().expect("the file can be written");
        let rows = SerializedFileReader::new(file)
            .expect("it is a Parquet file")
            .into_iter();
        let rows: Vec<String> = rows.map(|row| row.expect("a row can be read").to_string()).collect();
        assert_eq!(rows.len(), 2);
        for text in [
            "match: 3",
            "\"ucb(c=20)\"",
            "goal: 50",
            "seconds: 0.5",
            "seed: 4503599627370496",
        ] {
            assert!(rows[0].contains(text), "{text}: {}", rows[0]);
        }
        assert!(rows[1].contains("goal: null"), "{}", rows[1]);
    }
}
