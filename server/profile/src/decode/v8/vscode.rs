//! `$vscode`: the places in files that vscode-js-debug looked up while the program ran.

use crate::decode::error::Result;
use crate::decode::json::{Json, Kind};
use crate::model::Position;

/// A path on disk, and the place in that file.
pub(crate) type FilePlace = (String, Position);

/// Adds the places of each location. Those without a file on disk are left out.
pub(super) fn read(json: &mut Json, locations: &mut Vec<Vec<FilePlace>>) -> Result<()> {
    if !json.enter_object()? {
        return Ok(());
    }
    while let Some(key) = json.next_key()? {
        if key.bytes() != b"locations" {
            json.skip()?;
        } else if json.enter_array()? {
            while json.next_item()? {
                let places = read_places(json)?;
                locations.push(places);
            }
        }
    }
    Ok(())
}

/// One entry of `$vscode.locations`: the places at which one call frame may be shown.
fn read_places(json: &mut Json) -> Result<Vec<FilePlace>> {
    let mut places = Vec::new();
    if !json.enter_object()? {
        return Ok(places);
    }
    while let Some(key) = json.next_key()? {
        if key.bytes() != b"locations" {
            json.skip()?;
        } else if json.enter_array()? {
            while json.next_item()? {
                places.extend(read_place(json)?);
            }
        }
    }
    Ok(places)
}

/// `{lineNumber, columnNumber, source: {path, sourceReference}}`, 1-based; a reference other than 0 is not a file.
fn read_place(json: &mut Json) -> Result<Option<FilePlace>> {
    let (mut line, mut column, mut path, mut on_disk) = (None, None, None, true);
    if json.enter_object()? {
        while let Some(key) = json.next_key()? {
            match key.bytes() {
                b"lineNumber" => line = json.index()?,
                b"columnNumber" => column = json.index()?,
                b"source" if json.kind()? == Kind::Object => {
                    json.enter_object()?;
                    while let Some(key) = json.next_key()? {
                        match key.bytes() {
                            b"path" => path = json.string(str::to_owned)?,
                            b"sourceReference" => {
                                on_disk = json.number()?.is_none_or(|number| number.as_f64() == 0.0)
                            }
                            _ => json.skip()?,
                        }
                    }
                }
                _ => json.skip()?,
            }
        }
    }
    let path = path.filter(|path| on_disk && !path.is_empty());
    let line = line.and_then(|line| line.checked_sub(1));
    let column = column.and_then(|column| column.checked_sub(1));
    Ok(path.zip(line).map(|(path, line)| (path, Position { line, column })))
}
