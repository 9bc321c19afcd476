"""The ledger of trials: it resumes, adds up disjoint ranges, and never mixes kernels or counts a seed twice."""

import json
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from posproofs.report.trials import kernel_digest, parsed
from trials import ledger as books
from trials.case import Complaint
from trials.ledger import Entry, Ledger, LedgerError
from trials.run import Counts, run


def counts(near: int = 8, true: int = 2) -> Counts:
    return Counts(near, true, Counter({"proved": true, "refuted": near - 1, "no point found": 1}))


def test_ranges_that_touch_are_one_range() -> None:
    ledger = Ledger("k")
    for seeds in ((0, 10), (20, 30), (10, 20)):
        books.add(ledger, "values", seeds, counts())
    entry = ledger.fragments["values"]
    assert (entry.ranges, entry.near, entry.outcomes["refuted"]) == ([(0, 30)], 24, 21)


def test_no_seed_is_counted_twice() -> None:
    ledger = Ledger("k")
    books.add(ledger, "values", (0, 10), counts())
    books.add(ledger, "sums", (5, 10), counts())
    with pytest.raises(LedgerError, match="values/5 to 9 would be counted twice"):
        books.add(ledger, "values", (5, 12), counts())


def test_what_was_not_tried_comes_lowest_first() -> None:
    entry = Entry([(5, 10), (12, 20)])
    assert list(islice(books.untried(entry, 4), 5)) == [(0, 4), (4, 5), (10, 12), (20, 24), (24, 28)]


def test_a_ledger_is_kept_between_runs(tmp_path: Path) -> None:
    path = tmp_path / "build" / "trials.json"
    ledger = books.opened(path, "k")
    found = counts()
    found.complaints.append((3, Complaint("crash", "text")))
    books.add(ledger, "values", (0, 10), found)
    books.saved(ledger, path)
    assert books.opened(path, "k") == ledger
    with pytest.raises(LedgerError, match="of kernel k, and this kernel is l"):
        books.opened(path, "l")


def test_ledgers_of_one_kernel_add_up() -> None:
    one, other = Ledger("k"), Ledger("k")
    books.add(one, "values", (0, 10), counts())
    books.add(other, "values", (10, 20), counts())
    books.add(other, "sums", (0, 5), counts(4, 1))
    both = books.merged(one, other)
    assert both.fragments["values"] == Entry([(0, 20)], 16, 4, counts().outcomes + counts().outcomes)
    assert one.fragments["values"].ranges == [(0, 10)]
    assert one.fragments["values"].outcomes == counts().outcomes
    with pytest.raises(LedgerError, match="do not add up"):
        books.merged(one, Ledger("l"))
    with pytest.raises(LedgerError, match="counted twice"):
        books.merged(both, one)


def test_a_range_in_two_parts_is_the_range_in_one() -> None:
    whole = Ledger("k")
    parts = Ledger("k")
    books.add(whole, "values", (0, 60), run("values", range(60)))
    for seeds in ((40, 60), (0, 40)):
        books.add(parts, "values", seeds, run("values", range(*seeds)))
    assert parts == whole


def test_the_digest_follows_every_file_of_the_kernel(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    first = books.digest(tmp_path)
    (tmp_path / "b.py").write_text("")
    second = books.digest(tmp_path)
    (tmp_path / "a.py").write_text("x = 2\n")
    assert len({first, second, books.digest(tmp_path)}) == 3
    assert books.digest() == kernel_digest()


def test_the_record_is_what_the_report_reads(tmp_path: Path) -> None:
    ledger = Ledger(books.digest())
    books.add(ledger, "values", (0, 10), counts())
    path = tmp_path / "record.json"
    books.recorded(ledger, path)
    survived = parsed(path.read_text()).fragments["values"]
    assert (survived.near, survived.proved, survived.undecided, survived.wrong) == (8, 2, 1, 0)
    told = json.loads(path.read_text())["fragments"]["values"]
    assert (told["first seed"], told["last seed"], told["undecided"]) == (0, 9, {"no point found": 1})
    assert (told["crashes"], told["too slow"]) == (0, 0)


def test_a_record_has_no_gaps(tmp_path: Path) -> None:
    ledger = Ledger("k")
    books.add(ledger, "values", (0, 10), counts())
    books.add(ledger, "values", (12, 20), counts())
    with pytest.raises(LedgerError, match="gaps"):
        books.recorded(ledger, tmp_path / "record.json")
