"""The full check of a project file: everything that can be known to be wrong, in plain words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from engine.answers import AnswerLog, Event
from engine.errors import ProjectDamagedError
from engine.project import records
from engine.project.document import Document


def findings(document: Document) -> Iterator[str]:
    """Yield one line for each thing that is wrong; none when the file is sound.

    Checked are SQLite's pages and references, the checksum of every record, item, array and
    cached feature, the numbering of items, and the events: readable, about items that exist,
    without gaps, and in an unbroken chain of hashes.
    """
    try:
        yield from document.findings()
        yield from _contents(document)
    except ProjectDamagedError as error:  # the rest cannot even be read
        yield error.message


def _contents(document: Document) -> Iterator[str]:
    yield from _checksums(document)
    numbers = [number for (number,) in document.rows("select id from items order by id")]
    if numbers != list(range(len(numbers))):
        yield "items: their numbers have gaps"
    yield from _altered(document, "item", records.READ_ITEMS, records.decode_item)
    lines = list(_altered(document, "event", records.READ_EVENTS, records.decode_event))
    yield from lines
    if not lines:
        yield from _log(document, len(numbers))


def _checksums(document: Document) -> Iterator[str]:
    """Check the tables whose rows are values followed by their checksum."""
    # Row by row: a file of arrays may be larger than the memory.
    for *values, expected in document.each(records.READ_DOCUMENTS):
        if records.checksum(*values) != expected:
            yield f"the {values[0]} record does not fit its checksum"
    for *values, expected in document.each(records.READ_ARRAYS):
        if records.checksum(*values) != expected:
            space, name, part = values[:3]
            yield f"{space} array {name}, part {part}, does not fit its checksum"
    for *values, expected in document.each(records.READ_ALL_FEATURES):
        if records.checksum(*values) != expected:
            embedder, content = values[:2]
            yield f"cached features {embedder} of content {content.hex()} do not fit their checksum"


def _altered(
    document: Document, what: str, query: str, decode: Callable[[records.Row], object]
) -> Iterator[str]:
    for row in document.each(query):
        try:
            decode(row)
        except records.UNREADABLE as error:
            yield f"{what} {row[0]}: {error}"


def _log(document: Document, n_items: int) -> Iterator[str]:
    """Check what readable events say together."""
    events = [records.decode_event(row) for row in document.rows(records.READ_EVENTS)]
    yield from (f"{event} {what}" for event, what in strangers(events, n_items))
    try:
        AnswerLog(events)
    except ProjectDamagedError as error:
        yield error.message


def strangers(events: Iterable[Event], n_items: int) -> Iterator[tuple[str, str]]:
    """Yield which event is about an item that does not exist, and which item that is."""
    for event in events:
        unknown = [item for item in _mentioned(event) if not 0 <= item < n_items]
        if unknown:
            yield f"event {event.seq}", f"is about item {unknown[0]}, which does not exist"


def _mentioned(event: Event) -> tuple[int, ...]:
    return event.items + (tuple(event.answer.pair) if event.answer else ())
