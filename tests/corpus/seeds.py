"""Small good files of every format, from which bad ones are made, and bad ones that no mutation would find."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import scipy.io
from PIL import Image

from algorithms import Graph, Points, Sequences
from mlviz.data.formats import all_formats
from mlviz.data.spec import load_data
from mlviz.session.comparison import Comparison, Setting
from mlviz.session.document import Document
from mlviz.session.files import save
from mlviz.session.layout import UNCHANGED
from mlviz.session.lesson import Lesson, Slide

TABLE = "x,y,kind\n" + "\n".join(f"{k / 7:.4f},{k * k % 11},{'ab'[k % 2]}" for k in range(30)) + "\n"
ROWS = [{"a": k, "b": k / 3, "c": "xyz"[k % 3]} for k in range(12)]
XLSX = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship '
    'Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="one" '
    'sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" '
    'Target="worksheets/sheet1.xml"/></Relationships>',
    "xl/worksheets/sheet1.xml": '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    "<sheetData>"
    + "".join(f'<row r="{k}"><c r="A{k}"><v>{k}</v></c><c r="B{k}"><v>{k * k}</v></c></row>' for k in range(1, 9))
    + "</sheetData></worksheet>",
}
ODS = {
    "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
    "content.xml": '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet>'
    '<table:table table:name="one">'
    + "".join(
        f'<table:table-row><table:table-cell office:value-type="float" office:value="{k}"/></table:table-row>'
        for k in range(6)
    )
    + "</table:table></office:spreadsheet></office:body></office:document-content>",
    "META-INF/manifest.xml": "<manifest/>",
}


def seeds(folder: Path) -> dict[str, bytes]:
    """The content of one good file for every format, by a name with its ending."""
    found = {
        "table.csv": TABLE.encode(),
        "table.tsv": TABLE.replace(",", "\t").encode(),
        "table.dat": TABLE.replace(",", ";").encode("utf-16"),
        "rows.json": json.dumps(ROWS).encode(),
        "lines.ndjson": "\n".join(map(json.dumps, ROWS)).encode(),
        "columns.json": json.dumps({"a": [1, 2, 3], "b": [4, 5, 6]}).encode(),
        "table.arff": b"@relation r\n@attribute x numeric\n@attribute k {a,b}\n@data\n" + b"1.5,a\n2,b\n" * 8,
        "table.svm": b"".join(f"{k % 2} 1:{k / 3:.3f} 3:{k}\n".encode() for k in range(12)),
        "book.xlsx": zipped(XLSX),
        "book.ods": zipped(ODS),
    }
    for name, write in (("a.npy", np.save), ("a.npz", lambda file, X: np.savez(file, X=X, y=np.arange(12) % 2))):
        made = io.BytesIO()
        write(made, np.arange(24.0).reshape(12, 2))  # type: ignore[operator]
        found[name] = made.getvalue()
    made = io.BytesIO()
    scipy.io.savemat(made, {"X": np.arange(24.0).reshape(12, 2), "y": np.arange(12)}, do_compression=False)
    found["a.mat"] = b"MATLAB 5.0 MAT-file".ljust(116) + made.getvalue()[116:]  # SciPy writes the time of day there
    for compression in ("uncompressed", "snappy"):
        path = folder / f"seed-{compression}.parquet"
        query = "SELECT i AS one, i / 3.0 AS two, 'abc'[1 + i % 3] AS three FROM range(400) t(i)"
        duckdb.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet, COMPRESSION {compression})")
        found[path.name] = path.read_bytes()
        path.unlink()
    return found | _pictures() | _other_kinds() | _sessions(folder)


def _pictures() -> dict[str, bytes]:
    """A grey and a coloured PNG, one with a palette and a transparent colour, and two JPEG pictures."""
    shades = (np.add.outer(np.arange(40) ** 2, 5 * np.arange(48)) % 256).astype(np.uint8)
    grey, colours = Image.fromarray(shades), Image.fromarray(np.stack([shades, shades[::-1], 255 - shades], axis=2))
    found = {}
    for name, image, options in (
        ("grey.png", grey, {}),
        ("colours.png", colours, {}),
        ("palette.png", colours.quantize(16), {"transparency": 3}),
        ("grey.jpg", grey, {}),
        ("colours.jpeg", colours, {"progressive": True}),
    ):
        made = io.BytesIO()
        image.save(made, format="PNG" if name.endswith("png") else "JPEG", **options)  # type: ignore[arg-type]
        found[name] = made.getvalue()
    return found


def png_header(width: int, height: int) -> bytes:
    """The beginning of a PNG file that announces so many grey pixels."""
    body = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + body + struct.pack(">I", zlib.crc32(body))


def png_chunk(name: bytes, content: bytes) -> bytes:
    """A piece of a PNG file with its sum."""
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def _bad_pictures() -> Iterator[tuple[str, bytes]]:
    """Pictures that announce more than they have, have more than they announce, or are something else."""
    end = png_chunk(b"IEND", b"")
    bomb = zlib.compress(b"\0" * 49_000_000, 9)
    yield "announced.png", png_header(2**31 - 1, 2**31 - 1) + png_chunk(b"IDAT", zlib.compress(b"\0")) + end
    yield "bomb.png", png_header(7000, 6999) + png_chunk(b"IDAT", bomb) + end
    yield "more.png", png_header(4, 4) + png_chunk(b"IDAT", bomb) + end
    yield "flat.png", png_header(0, 4) + png_chunk(b"IDAT", zlib.compress(b"")) + end
    yield "text.png", png_header(4, 4) + png_chunk(b"zTXt", b"key\0\0" + zlib.compress(b"a" * 80_000_000)) + end
    yield "length.png", png_header(4, 4) + b"\xff\xff\xff\xffIDAT" + b"\0" * 200
    yield "words.png", b"what am I\n" * 20
    yield "random.jpg", b"\xff\xd8\xff\xe0" + np.random.default_rng(2).bytes(4000)
    yield "start.jpg", b"\xff\xd8"
    yield "markers.jpg", b"\xff\xd8" + b"\xff\xe1\xff\xff" * 20_000
    yield "sheet.jpeg", zipped(XLSX)


def _other_kinds() -> dict[str, bytes]:
    """What each format of graphs, series, distances, texts and sets of graphs writes."""
    kinds = {"graph": "karate", "distances": "cities", "sequences": "nile", "strings": "words"}
    found = {}
    for number, form in enumerate(all_formats()):
        if form.write is not None and form.read is not None and form.kind in (*kinds, "graph_set"):
            data = load_data(kinds.get(form.kind, "graph_families(n=12)"))
            found[f"{form.kind}{number}{form.suffixes[0]}"] = form.write(data).encode()
    return found


def _sessions(folder: Path) -> dict[str, bytes]:
    documents = {
        "points": Document(Points(np.arange(12.0).reshape(6, 2), [0, 1, 0, 1, 0, 1]), "k_means", {"k": 2}),  # type: ignore[arg-type]
        "graph": Document(Graph(3, [(0, 1), (1, 2)]), "shortest_paths"),  # type: ignore[arg-type]
        "series": Document(Sequences([np.arange(9) % 2]), "hidden_markov"),  # type: ignore[arg-type]
    }
    points, graph = documents["points"], documents["graph"]
    pictures = Document(Points(np.arange(24.0).reshape(6, 4), image_shape=(2, 2)), "pca")
    slides = [Slide.of(each, number, UNCHANGED, "title") for number, each in enumerate((points, graph, pictures))]
    lesson = Lesson((replace(slides[0], question="why?", note="because"), *slides[1:]), 1, "a lesson")
    beside = Comparison((Setting("agglomerative"), Setting("k_means", {"k": 3})), 1)
    documents["lesson"] = replace(points, lesson=lesson, comparison=beside, shelf=(graph.data,))
    found = {}
    for name, document in documents.items():
        path = folder / f"{name}.mlviz"
        save(path, document)
        found[path.name] = path.read_bytes()
        path.unlink()
    return found


def zipped(parts: dict[str, str | bytes]) -> bytes:
    """An archive with these members."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return made.getvalue()


def unzipped(content: bytes) -> dict[str, bytes]:
    """The members of an archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def crafted() -> Iterator[tuple[str, bytes]]:
    """Bad files that somebody has thought of, by name."""
    deep, many = b"[" * 100_000, b"1," * 5000
    corner = '<row><c r="A1"><v>1</v></c></row><row><c r="XFD1048576"><v>1</v></c></row>'
    beyond = '<row><c r="A1"><v>1</v></c></row><row><c r="ZZZZZZ4294967295"><v>1</v></c></row>'
    for name, sheet in (("corner", corner), ("beyond", beyond), ("loop", '<row r="0"/>' * 9), ("words", "<row/>&lol;")):
        parts = XLSX | {"xl/worksheets/sheet1.xml": f"<worksheet><sheetData>{sheet}</sheetData></worksheet>"}
        yield f"{name}.xlsx", zipped(parts)
    repeated = ODS["content.xml"].replace(
        "<table:table-row>", '<table:table-row table:number-rows-repeated="99999999">'
    )
    yield "repeated.ods", zipped(ODS | {"content.xml": repeated})
    yield "self.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 20 + b"\x3e\0\x03\0\xfe\xff\x09\0" + b"\0" * 4000
    for ending in (".csv", ".json", ".txt", ".gml", ".graphml", ".net", ".arff", ".svm", ".adj", ".edges", ".ndjson"):
        yield f"deep{ending}", deep
        yield f"nul{ending}", b"\0" * 2000
        yield f"line{ending}", b"a" * 2_000_000
        yield f"wide{ending}", many
        yield f"random{ending}", np.random.default_rng(1).bytes(3000)
        yield f"bom{ending}", b"\xff\xfe" + TABLE.encode("utf-16-le")[:-1]
        yield f"words{ending}", b"what am I\n" * 20
    for ending in (".csv", ".txt", ".adj", ".edges"):
        yield f"commas{ending}", b"1," * 3_000_000
        yield f"spaces{ending}", b"a b " * 1_500_000
    yield "rows.edges", b"1,2\n" * 2_000_000
    yield "objects.json", b'{"a":' * 50_000
    yield "nan.json", b'[{"a": NaN, "b": Infinity}]'
    yield "huge.json", b'[{"a": 1e999, "b": ' + b"9" * 5000 + b"}]"
    yield "same.json", b'[{"a": 1, "a": 2, "A": 3}]'
    yield "object.npy", b"\x93NUMPY\x01\0v\0{'descr': '|O', 'fortran_order': False, 'shape': (1,)}" + b" " * 56 + b"\n."
    yield (
        "giant.npy",
        b"\x93NUMPY\x01\0v\0{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999, 9)}" + b" " * 42,
    )
    yield "code.npy", b"\x93NUMPY\x01\0v\0{'descr': __import__('os').system('x'), 'shape': (1,)}".ljust(128) + b"\n"
    yield "far.svm", b"1 999999999:1\n0 1:1\n"
    yield "vertices.net", b"*Vertices 99999999999\n*Edges\n1 2\n"
    yield (
        "laughs.graphml",
        (
            b'<?xml version="1.0"?><!DOCTYPE g [<!ENTITY a "aaaaaaaaaa">'
            + b"".join(f'<!ENTITY {chr(98 + k)} "{f"&{chr(97 + k)};" * 10}">'.encode() for k in range(9))
            + b"]><graphml><graph>&j;</graph></graphml>"
        ),
    )
    yield "entity.graphml", b'<!DOCTYPE g [<!ENTITY x SYSTEM "file:///etc/passwd">]><graphml>&x;</graphml>'
    yield "matrix.adj", b"0 1\n1 0 1\n"
    for size in (1, 2, 3, 8):
        for ending in (".csv", ".xlsx", ".npz", ".mat", ".parquet", ".mlviz", ".json", ".gml"):
            yield f"start{size}{ending}", b"PK\x03\x04PAR1"[:size]
    yield from _bad_pictures()
    yield from _bad_sessions()


def _bad_sessions() -> Iterator[tuple[str, bytes]]:
    layers = json.dumps({"hidden": [256] * 20_000})
    for name, text in {
        "list": "[]",
        "format": '{"format": 99}',
        "nothing": "{}",
        "deep": "[" * 100_000,
        "number": '{"format": 1e400}',
        "layers": f'{{"format": 3, "algorithm": "mlp", "params": {layers}, "data": {{"kind": "points"}}}}',
        "kind": '{"format": 3, "algorithm": "k_means", "data": {"kind": "dragons"}}',
    }.items():
        yield f"{name}.mlviz", zipped({"session.json": text, "data.npz": zipped({})})
    yield "more.mlviz", zipped({"session.json": "{}", "data.npz": b"", "../../evil": "x"})
    yield "bomb.mlviz", zipped({"session.json": " " * 30_000_000, "data.npz": b""})
