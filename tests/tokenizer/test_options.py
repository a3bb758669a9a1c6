import inspect
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tokenloom import train
from tokenloom.errors import DecodeError, EncodeError, SpecError, TrainingError
from tokenloom.tokenizer import Tokenizer, check_threads
from tokenloom.tokenizer.options import RunOptions

BYTES: Final = {byte: bytes([byte]) for byte in range(256)}
PLAIN: Final = Tokenizer(BYTES, [], ["<s>"])
NAMES: Final = ("special_text", "surrogates", "cache_bytes")

Make = Callable[..., Tokenizer]


def from_files(folder: Path, **options: Any) -> Tokenizer:
    paths = (folder / "vocab.json", folder / "merges.txt")
    PLAIN.save_files(*paths)
    return Tokenizer.from_files(*paths, ["<s>"], **options)


def from_folder(folder: Path, **options: Any) -> Tokenizer:
    PLAIN.save(folder / "saved")
    return Tokenizer.load(folder / "saved", **options)


def trained(folder: Path, **options: Any) -> Tokenizer:
    return train([], 257, ["<s>"], **options)


WAYS: Final[dict[str, Make]] = {
    "constructor": lambda folder, **options: Tokenizer(BYTES, [], ["<s>"], **options),
    "from_spec": lambda folder, **options: Tokenizer.from_spec(PLAIN.spec, **options),
    "from_files": from_files,
    "load": from_folder,
    "train": trained,
}


@pytest.fixture(params=WAYS)
def make(request: pytest.FixtureRequest) -> Make:
    return WAYS[request.param]


@pytest.mark.parametrize("cache_bytes", [0, 1, 2**32])
def test_the_least_and_the_most_cache_are_allowed(cache_bytes: int) -> None:
    tokenizer = Tokenizer(BYTES, [], cache_bytes=cache_bytes)
    assert tokenizer.encode("the cat") == list(b"the cat")


def test_every_way_to_make_a_tokenizer_takes_the_same_options(make: Make, tmp_path: Path) -> None:
    tokenizer = make(tmp_path, special_text="parse", surrogates="replace", cache_bytes=0)
    assert tokenizer.encode("a<s>\ud800") == [97, 256, *"\ufffd".encode()]


@pytest.mark.parametrize("way", [Tokenizer, Tokenizer.from_spec, Tokenizer.from_files, Tokenizer.load, train])
def test_defaults_are_the_same_everywhere(way: Callable[..., Tokenizer]) -> None:
    parameters = inspect.signature(way).parameters
    assert RunOptions(*(parameters[name].default for name in NAMES)) == RunOptions()


@pytest.mark.parametrize(
    ("name", "value", "remedy"),
    [
        ("special_text", "ignore", "Use one of 'refuse', 'parse', 'plain'"),
        ("surrogates", None, "Use one of 'refuse', 'replace'"),
        ("cache_bytes", -1, "Leave it out for 16,777,216, or pass 0"),
        ("cache_bytes", 2**32 + 1, "must be a whole number from 0 to 4,294,967,296"),
        ("cache_bytes", 2**70, "must be a whole number"),
        ("cache_bytes", 1.5, "must be a whole number"),
        ("cache_bytes", True, "must be a whole number"),
    ],
)
def test_unknown_option_is_refused_by_name(make: Make, tmp_path: Path, name: str, value: Any, remedy: str) -> None:
    with pytest.raises(SpecError, match=f"^{name} {value!r}: .*{remedy}"):
        make(tmp_path, **{name: value})


def test_options_survive_pickling() -> None:
    tokenizer = Tokenizer(BYTES, [], ["<s>"], special_text="parse", surrogates="replace", cache_bytes=0)
    again = pickle.loads(pickle.dumps(tokenizer))
    assert again.encode("<s>\ud800") == tokenizer.encode("<s>\ud800")
    assert again._options == tokenizer._options


@pytest.mark.parametrize("n_threads", [0, -1, 2**16 + 1, 2**70, 1.0, True, "2"])
def test_impossible_number_of_threads_is_refused(n_threads: Any) -> None:
    message = f"n_threads {n_threads!r}: must be a whole number from 1 to 65,536. Leave it out for one a core"
    with pytest.raises(EncodeError, match=message):
        PLAIN.encode_batch(["a"], n_threads=n_threads)
    with pytest.raises(TrainingError, match=message):
        check_threads(n_threads, TrainingError)


@pytest.mark.parametrize("n_threads", [None, 1, 3])
def test_possible_number_of_threads_is_taken(n_threads: int | None) -> None:
    assert PLAIN.encode_batch(["a", "b"], n_threads=n_threads).ids.tolist() == [97, 98]


@pytest.mark.parametrize("texts", ["hello", b"hello", bytearray(b"hello"), {"text": "hello"}, 3, None])
@pytest.mark.parametrize("method", ["encode_batch", "encode_iterable"])
def test_one_text_in_the_place_of_many_is_refused_at_the_call(method: str, texts: Any) -> None:
    """A str is an iterable of its characters, a row one of its keys: both would be encoded without a word."""
    with pytest.raises(EncodeError, match=r"^texts .*: is (one|of type) \w+, not many texts\. Pass a list of texts"):
        getattr(PLAIN, method)(texts)


def test_documents_of_a_batch_are_counted_from_the_end_too() -> None:
    batch = Tokenizer({byte: bytes([byte]) for byte in range(256)}, []).encode_batch(["a", "", "bc"])
    assert [batch[-1].tolist(), batch[-2].tolist(), batch[-3].tolist()] == [[98, 99], [], [97]]


def test_surrogates_are_replaced_as_documented() -> None:
    tokenizer = Tokenizer(BYTES, [], surrogates="replace", pattern=None)
    assert tokenizer.decode(tokenizer.encode("a\ud800")) == "a\ufffd"
    assert tokenizer.decode(tokenizer.encode("\ud83d\ude00")) == "😀"
    assert tokenizer.decode(list(tokenizer.encode_iterable(["\ud83d", "\ude00"]))) == "😀"


@pytest.mark.parametrize(("pattern", "n_held"), [("gpt2", 2), (None, 21)])
def test_encode_iterable_holds_back_the_unfinished_piece(pattern: Any, n_held: int) -> None:
    at_the_end = False

    def parts() -> Iterator[str]:
        nonlocal at_the_end
        yield from ("ab cd ef", " ghijklmnop q")
        at_the_end = True

    came_out = [at_the_end for _ in Tokenizer(BYTES, [], pattern=pattern).encode_iterable(parts())]
    assert (len(came_out), sum(came_out)) == (21, n_held)


def test_a_text_in_the_place_of_token_bytes_is_refused_with_the_remedy() -> None:
    tokenizer = Tokenizer({i: bytes([i]) for i in range(256)}, [])
    with pytest.raises(DecodeError, match=r"token 'a': is of type str, not bytes\. Pass the bytes"):
        tokenizer.id_of("a")  # type: ignore[arg-type]
