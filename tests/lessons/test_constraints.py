"""Training with wishes, on examples by hand."""

from itertools import product

from tokenloom.lessons import byte_pair
from tokenloom.lessons.constraints import keeps_characters_whole, train


def test_without_wishes_training_is_that_of_byte_pair() -> None:
    words = {b"the cat in the hat": 1, b"banana": 3}
    for tie_break in ("lexicographic", "lowest-id", "first-seen"):
        assert train(words, 20, tie_break=tie_break) == byte_pair.train(words, 20, tie_break=tie_break)


def test_every_character_can_be_built_from_its_bytes() -> None:
    for character in ("é", "中", "👍"):
        data = character.encode()
        merges = train({data: 1}, 9, whole_characters=True).merges
        assert merges[-1][0] + merges[-1][1] == data


def test_two_bytes_of_one_character_are_a_part_and_two_bytes_of_two_are_not() -> None:
    for first, second in product("aé中", repeat=2):
        data = (first + second).encode()
        border = len(first.encode())
        for start in range(len(data) - 1):
            crosses = start + 1 == border
            halves = crosses and (len(first.encode()) > 1 or len(second.encode()) > 1)
            assert keeps_characters_whole(data[start : start + 2]) is not halves, data
