"""The text of a table's file: which encoding it has, or what kind of file it is instead."""

import codecs

_EXPORT = "in your spreadsheet program, save the table as CSV (File > Save as > CSV UTF-8) and use that file."

# First bytes of files that people take for a table, and what to call them.
_KINDS: tuple[tuple[bytes, str], ...] = (
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook (.xls)"),
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"RIFF", "a picture or a sound"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!\x1a", "a RAR archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"SQLite format 3", "a database"),
    (b"{\\rtf", "a text document"),
    (b"<!DOCTYPE", "a web page"),
    (b"<html", "a web page"),
    (b"<?xml", "an XML file"),
)
_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
# What the first entries of a zip archive tell of it.
_ZIPPED: tuple[tuple[bytes, str], ...] = (
    (b"opendocument.spreadsheet", "a LibreOffice spreadsheet (.ods)"),
    (b"xl/", "an Excel workbook (.xlsx)"),
    (b"[Content_Types].xml", "an Excel workbook (.xlsx) or another Office file"),
)
_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def table_text(data: bytes) -> tuple[str, None] | tuple[str, str]:
    """Return the text of a file, or an empty one and a sentence that says why there is none."""
    kind = _kind(data)
    if kind is not None:
        return "", f"This is {kind}, not CSV: {_EXPORT}"
    if not data.strip():
        return "", "The file is empty."
    for encoding in _encodings(data):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text.lstrip(_MARK), None  # programs that add a mark without looking leave two
    return "", f"This is not text, or in an unknown encoding: {_EXPORT}"


def _kind(data: bytes) -> str | None:
    if data.startswith(_ZIP):
        return next((kind for sign, kind in _ZIPPED if sign in data), "a zip archive")
    return next((kind for start, kind in _KINDS if data.startswith(start)), None)


def _encodings(data: bytes) -> tuple[str, ...]:
    """Return what the file may be written in, likeliest first."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return (encoding,)
    # A table starts with a plain letter or sign: in UTF-16 one of its first two bytes is nothing.
    if data[1:2] == b"\0":
        return ("utf-16-le",)
    if data[:1] == b"\0":
        return ("utf-16-be",)
    # Windows' own code for Western Europe is what Excel calls ANSI; it refuses the five bytes that mean nothing in it.
    return ("utf-8", "cp1252")
