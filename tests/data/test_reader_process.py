"""Files that would take all memory, abort their reader or never end: a sentence, and the process is still here."""

import zipfile

import pytest

from algorithms.data import DataError
from mlviz.data import process, reader_process
from mlviz.data.files import read_data, read_table
from mlviz.data.reading import Reading
from tests.corpus.seeds import ODS, zipped

TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"


def xlsx(path, sheet, shared=""):
    """A spreadsheet with this as its only sheet, as small as can be."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("[Content_Types].xml", TYPES)
        book.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{RELATIONS}"><Relationship Id="rId1" Type="{OFFICE}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>',
        )
        book.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{RELATIONS}"><Relationship Id="rId1" Type="{OFFICE}/worksheet" '
            f'Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="{OFFICE}/sharedStrings" '
            'Target="sharedStrings.xml"/></Relationships>',
        )
        book.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets><sheet name="one" sheetId="1" r:id="rId1"/></sheets>'
            "</workbook>",
        )
        book.writestr("xl/sharedStrings.xml", f'<sst xmlns="{MAIN}">{shared}</sst>')
        book.writestr(
            "xl/worksheets/sheet1.xml", f'<worksheet xmlns="{MAIN}"><sheetData>{sheet}</sheetData></worksheet>'
        )
    return path


def rows(*cells):
    return "".join(f'<row><c r="{place}"><v>{value}</v></c></row>' for place, value in cells)


def refused(path):
    with pytest.raises(DataError) as caught:
        read_table(path)
    return str(caught.value)


def test_such_a_spreadsheet_is_read(tmp_path):
    table = read_table(xlsx(tmp_path / "t.xlsx", rows(("A1", 1), ("A2", 2))))
    assert table.columns[0].values.tolist() == [1.0, 2.0]


def test_a_cell_in_the_far_corner(tmp_path):
    path = xlsx(tmp_path / "t.xlsx", rows(("A1", 1), ("XFD1048576", 2)))
    assert refused(path).startswith("t.xlsx would take more than 1 GB of memory to read.")


def test_a_cell_at_a_place_that_does_not_exist(tmp_path):
    path = xlsx(tmp_path / "t.xlsx", rows(("A1", 1), ("ZZZZZZ4294967295", 2)))
    assert refused(path).startswith("t.xlsx cannot be read as a spreadsheet")


def test_a_small_file_with_a_gigabyte_of_words(tmp_path):
    word = "a" * 1_000_000
    path = xlsx(tmp_path / "t.xlsx", rows(("A1", 1)), f"<si><t>{word}</t></si>" * 1100)
    assert path.stat().st_size < 3_000_000
    assert refused(path).startswith("t.xlsx would take more than")


@pytest.mark.parametrize("kind", ["mat", "sheet"])
def test_a_reader_gets_no_more_memory_than_that(tmp_path, kind, monkeypatch):
    monkeypatch.setattr(process, "_run", lambda command, reading: process.ABORTED)
    path = tmp_path / "t.bin"
    path.write_bytes(b"1")
    with pytest.raises(DataError, match="would take more than 1 GB of memory"):
        process.read_in_process(kind, path, tmp_path / "out", Reading())


def test_limits_are_set_before_the_file_is_opened(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(reader_process, "limit", asked.append)
    path = tmp_path / "t.bin"
    path.write_bytes(b"12345")
    assert reader_process.main("mat", str(path), str(tmp_path / "out")) == 1
    assert reader_process.main("sheet", str(path), str(tmp_path / "out")) == reader_process.REFUSED
    assert asked == [5, 5]


def test_a_pajek_file_announces_its_vertices_once(tmp_path):
    path = tmp_path / "t.net"
    path.write_text("*Vertices 20000\n" * 100_000)
    with pytest.raises(DataError, match="says twice how many vertices there are"):
        read_data(path)


@pytest.mark.parametrize(("row", "many"), [("", True), ("columns", True), ("empty", False)])
def test_rows_that_are_there_many_times_are_counted_before_they_are_read(tmp_path, row, many):
    row_, cell = '<table:table-row table:number-rows-repeated="{}">', "<table:table-cell "
    text = ODS["content.xml"]
    if row == "empty":
        last = row_.format(10**9) + "<table:table-cell/></table:table-row></table:table>"
        text = text.replace("</table:table>", last)
    elif row == "columns":
        text = text.replace("<table:table-row>", row_.format(10_000), 1)
        text = text.replace(cell, cell + 'table:number-columns-repeated="16384" ', 1)
    else:
        text = text.replace("<table:table-row>", row_.format(50_000_000))
    path = tmp_path / "many.ods"
    path.write_bytes(zipped(ODS | {"content.xml": text}))
    if not many:
        assert reader_process.repeated_cells(str(path)) == 0
        return
    assert reader_process.repeated_cells(str(path)) > reader_process.MAX_CELLS
    with pytest.raises(DataError, match="more than 20,000,000 cells"):
        read_table(path)
