//! The inputs that a fuzz target keeps, in one file: each after a line with its length, so that thousands of them are
//! one file to look at, to copy and to compare.

use std::fs;
use std::io;
use std::path::Path;

/// Reads the inputs of a file.
///
/// # Errors
/// If it cannot be read, or is not what [`write_inputs`] writes.
pub fn read_inputs(file: &Path) -> io::Result<Vec<Vec<u8>>> {
    let bytes = fs::read(file)?;
    let (mut rest, mut inputs) = (&bytes[..], Vec::new());
    while let Some(end) = rest.iter().position(|it| *it == b'\n') {
        let length = str::from_utf8(&rest[..end]).ok().and_then(|it| it.parse::<usize>().ok());
        let input = length.and_then(|length| rest[end + 1..].split_at_checked(length));
        let Some((input, more)) = input else { return Err(io::ErrorKind::InvalidData.into()) };
        inputs.push(input.to_vec());
        rest = more.strip_prefix(b"\n").unwrap_or(more);
    }
    Ok(inputs)
}

/// Writes inputs to a file, in their order.
///
/// # Errors
/// If it cannot be written.
pub fn write_inputs(file: &Path, inputs: &[Vec<u8>]) -> io::Result<()> {
    let written = inputs.iter().map(|it| [format!("{}\n", it.len()).as_bytes(), it, b"\n"].concat());
    fs::write(file, written.collect::<Vec<_>>().concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Folder;

    #[test]
    fn inputs_there_and_back() {
        let folder = Folder::new();
        let inputs = [&b""[..], b"\n", b"3\nabc\n", b"\xff\0", b"7"].map(<[u8]>::to_vec);
        let file = folder.path().join("inputs");
        write_inputs(&file, &inputs).unwrap();
        assert_eq!(read_inputs(&file).unwrap(), inputs);
        fs::write(&file, "9\nabc").unwrap();
        assert_eq!(read_inputs(&file).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
