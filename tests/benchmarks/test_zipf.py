"""The text of the curve of large corpora, and the page that shows it."""

import json
from itertools import islice

import zipf


def test_text_is_the_same_every_time_and_another_with_another_seed() -> None:
    one, again, other = (list(islice(zipf.documents(1, seed), 3)) for seed in (1, 1, 2))
    assert one == again != other
    assert all(len(text.split()) == zipf.WORDS_A_DOCUMENT for text in one)


def test_a_part_of_the_text_can_be_made_by_itself() -> None:
    first = next(zipf.documents(1, 1)).split()
    assert next(zipf.documents(1, 1 + 100)).split()[:500] == first[100:600]


def test_new_words_keep_coming() -> None:
    seen: set[bytes] = set()
    n_new = []
    for part in range(4):
        words = {word for text in zipf.documents(1_000_000, part << 20) for word in text.split()}
        n_new.append(len(words - seen))
        seen |= words
    assert min(n_new) > 1000


def test_page_shows_the_stored_numbers() -> None:
    page = zipf.PAGE.read_text(encoding="utf-8")
    assert zipf.with_numbers(page, json.loads(zipf.RESULT.read_text())) == page
