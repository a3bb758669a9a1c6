import errno
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tokenloom.errors import CorpusError, FormatError, FormatWarning, SpecialTokenError, StorageError
from tokenloom.formats import read_gpt2, write_gpt2
from tokenloom.spec import AddedToken, Pretokenizer, TokenizerSpec, build_spec
from tokenloom.spec.alphabets import to_characters

BYTES = {byte: bytes([byte]) for byte in range(256)}
IDS: dict[str, Any] = {to_characters(token): token_id for token_id, token in BYTES.items()}


class Files:
    """A vocab.json and a merges.txt in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.vocab = folder / "vocab.json"
        self.merges = folder / "merges.txt"

    def read(
        self, vocab: Mapping[str, Any] | str | bytes, merges: str | bytes, specials: list[str] | None = None
    ) -> TokenizerSpec:
        text = json.dumps(vocab) if isinstance(vocab, Mapping) else vocab
        self.vocab.write_bytes(text.encode() if isinstance(text, str) else text)
        self.merges.write_bytes(merges.encode() if isinstance(merges, str) else merges)
        return read_gpt2(self.vocab, self.merges, specials or [])


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def test_only_a_first_line_with_version_is_a_header(files: Files) -> None:
    """Known fault FM-03: merge lines that begin with #."""
    vocab = IDS | {"##": 256, "##a": 257}
    spec = files.read(vocab, "#version: 0.2\n# #\n## a\n")
    assert spec.merge_list() == [(b"#", b"#"), (b"##", b"a")]
    assert files.read(vocab, "# #\n## a").merge_list() == spec.merge_list()


def test_second_line_with_version_is_a_merge(files: Files) -> None:
    vocab = IDS | {"##": 256, "#version": 258, "#version#": 259}
    with pytest.warns(FormatWarning, match="no merge makes 1 token .*b'#version'"):
        assert files.read(vocab, "# #\n#version #\n").merge_list() == [(b"#", b"#"), (b"#version", b"#")]


def test_files_with_crlf_load_as_with_lf(files: Files) -> None:
    """Known fault FM-05."""
    vocab = json.dumps(IDS | {"ab": 256, "abc": 257}, indent=1)
    spec = files.read(vocab, "#version: 0.2\na b\nab c\n")
    crlf = files.read(vocab.replace("\n", "\r\n"), "#version: 0.2\r\na b\r\nab c\r\n")
    assert crlf == spec
    assert files.read(vocab, "a b\r\nab c\r") == spec


def test_line_ends_and_blanks_inside_tokens_come_back(files: Files) -> None:
    """Known faults FM-01 and FM-04: a token with a blank, a line feed or a carriage return in merges.txt."""
    vocabulary = BYTES | {256: b"a\n", 257: b"a\r", 258: b"a ", 259: b"a b"}
    spec = build_spec(vocabulary, [(b"a", b"\n"), (b"a", b"\r"), (b"a", b" "), (b"a ", b"b")])
    write_gpt2(spec, files.vocab, files.merges)
    assert read_gpt2(files.vocab, files.merges) == spec


def test_byte_alphabet_is_not_taken_for_letters(files: Files) -> None:
    """Known fault FM-16: the character é stands for byte 0xE9, the letter is spelled Ã©."""
    spec = files.read(IDS | {"Ã©": 256}, "Ã ©\n")
    assert spec.vocabulary()[256] == "é".encode()
    assert spec.vocabulary()[IDS["é"]] == b"\xe9"


def test_special_token_keeps_its_id_or_gets_the_next_free_one(files: Files) -> None:
    spec = files.read(IDS | {"<|endoftext|>": 256}, "", ["<|pad|>", "<|endoftext|>"])
    assert spec.special_tokens == (AddedToken("<|endoftext|>", 256), AddedToken("<|pad|>", 257))
    assert spec.token_bytes == bytes(range(256))


def test_special_token_that_is_not_named_stays_an_ordinary_entry(files: Files) -> None:
    spec = files.read(IDS | {"<|endoftext|>": 256}, "")
    assert spec.special_tokens == ()
    assert spec.vocabulary()[256] == b"<|endoftext|>"


@pytest.mark.parametrize(
    ("name", "spelling"), [("<a b>", "<a b>"), ("<a b>", "<aĠb>"), ("<é>", "<é>"), ("<我>", "<我>")]
)
def test_special_token_is_found_in_both_spellings(files: Files, name: str, spelling: str) -> None:
    """Other libraries write added tokens as themselves; GPT-2's characters are the proper spelling."""
    spec = files.read(IDS | {spelling: 256}, "", [name])
    assert spec.special_tokens == (AddedToken(name, 256),)


def test_special_letter_is_not_taken_for_the_byte_of_its_character(files: Files) -> None:
    assert files.read(IDS, "", ["é"]).special_tokens == (AddedToken("é", 256),)


def test_special_token_spelled_like_a_merged_token_gets_an_id_of_its_own(files: Files) -> None:
    spec = files.read(IDS | {"Ġa": 256}, "Ġ a\n", ["Ġa"])
    assert spec.vocabulary()[256] == b" a"
    assert spec.special_tokens == (AddedToken("Ġa", 257),)


@pytest.mark.parametrize(
    ("vocab", "message"),
    [
        (
            '{"a": 1,\n "b" 2}',
            r"vocab\.json, line 2, column 6: not JSON \(Expecting ':' delimiter\)\. Restore the file\.",
        ),
        ("", r"vocab\.json, line 1, column 1: not JSON"),
        ("[1]", r"vocab\.json, line 1: no object of tokens and ids"),
        ("[" * 100_000, r"vocab\.json, line 1: no object"),
        ('{"a": ' + "1" * 5000 + "}", r"vocab\.json, line 1: no object"),
        (b'{"a": 1,\n"\xff": 2}', r"vocab\.json, line 2: byte 10 is not UTF-8"),
        ('{"a": 1,\n "a\\"": 2,\n "a": 3}', r"vocab\.json, line 3, column 2: token 'a' is there twice"),
        ('{"\\u0061": 1, "a": 2}', r"line 1, column 15: token 'a' is there twice"),
        ('{"a": 1,\n"b": 1.5}', r"vocab\.json, line 2, column 1: the id 1\.5 of 'b' is no whole number"),
        ('{"a": true}', "the id True of 'a' is no whole number"),
        ('{"a": {"b": 1}}', r"the id \{'b': 1\} of 'a' is no whole number"),
        ('{"a": 1,\n"b": 1}', r"line 2, column 1: token 'b' has id 1, which is the id of 'a'"),
        ('{"a": 1,\n"a b": 2}', r"line 2, column 1: 'a b' has the character ' ', which stands for no byte"),
        ('{"\\ud800": 1}', r"line 1, column 2: .* stands for no byte"),
        ('{"a": 1}', r"vocab\.json: 255 of the 256 single bytes have no token, the first is b'\\x00'"),
        (IDS | {"ab": -1}, r"vocab\.json, line 1, column \d+: token 'ab' with id -1: it is not an id\. Use whole"),
        (IDS | {"ab": 2**24}, r"vocab\.json, line 1, column \d+: token 'ab' with id 16777216: it is not an id"),
        (IDS | {"ab": 2**24 - 1}, r"vocab\.json: its highest id is 16,777,215, and it has 257 entries"),
        (IDS | {"": 256}, r"vocab\.json, line 1, column \d+: token '' with id 256: its token is empty"),
    ],
)
def test_broken_vocabulary_is_refused_with_file_line_and_remedy(files: Files, vocab: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        files.read(vocab, "")


@pytest.mark.parametrize(
    ("merges", "message"),
    [
        ("a b\nab\n", r"merges\.txt, line 2: 'ab' is not two tokens with one space between\. Mend the line"),
        ("#version: 0.2\na b\n\nab c\n", r"merges\.txt, line 3: '' is not two tokens"),
        ("a b c\n", r"line 1: 'a b c' is not two tokens"),
        ("a b\na \n", r"line 2: 'a ' is not two tokens"),
        ("a  b\n", r"line 1: 'a  b' is not two tokens"),
        ("a b\na \r\n", r"line 2: 'a ' is not two tokens"),
        ("a b\nab\tc d\n", r"line 2: 'ab\\tc' has the character '\\t', which stands for no byte"),
        ("\ufeffa b\n", r"merges\.txt: begins with a byte order mark of UTF-8\. Save it as UTF-8 without one"),
        (b"a b\na \xff\n", r"line 2: byte 6 is not UTF-8"),
        ("#version: 0.2\na b\na b\n", r"merges\.txt, line 3: b'a' \+ b'b' is already merge 0\. Keep one"),
        ("a b\nxy z\n", r"line 2: the left part b'xy' of b'xy' \+ b'z' is not in the vocabulary"),
        ("a b\na x\n", r"line 2: the result b'ax' of b'a' \+ b'x' is not in the vocabulary\. Add the token or drop"),
        ("a b\n<s> a\n", r"line 2: its part b'<s>' is a special token, which no merge makes"),
    ],
)
def test_broken_merges_are_refused_with_file_line_and_remedy(files: Files, merges: Any, message: str) -> None:
    """Known faults FM-06 (the same merge twice) and FM-08 (a merge without result) among others."""
    with pytest.raises(FormatError, match=message):
        files.read(IDS | {"ab": 256, "abc": 257, "<s>": 258, "<s>a": 259}, merges, ["<s>"])


def test_missing_file_is_a_corpus_error(files: Files) -> None:
    with pytest.raises(CorpusError, match=r"vocab\.json': there is no such file"):
        read_gpt2(files.vocab, files.merges)


def test_special_token_without_bytes_is_refused(files: Files) -> None:
    with pytest.raises(SpecialTokenError, match="lone surrogate"):
        files.read('{"<\\ud800>": 1}', "", ["<\ud800>"])


def test_double_special_token_is_refused(files: Files) -> None:
    with pytest.raises(SpecialTokenError, match="'<s>': it is listed twice"):
        files.read(IDS, "", ["<s>", "<s>"])


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (build_spec(BYTES, [], semantics="ranks"), "cannot hold semantics 'ranks'. Use another format"),
        (build_spec(BYTES, [], pretokenizer=Pretokenizer("none")), "cannot hold pretokenizer 'none'"),
    ],
)
def test_tokenizer_that_the_files_cannot_hold_is_refused(files: Files, spec: TokenizerSpec, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        write_gpt2(spec, files.vocab, files.merges)
    assert not files.vocab.exists()


def old_pair(files: Files) -> tuple[bytes, bytes]:
    files.vocab.write_bytes(b"old vocabulary")
    files.merges.write_bytes(b"old merges")
    return b"old vocabulary", b"old merges"


@pytest.mark.parametrize("n_good", [0, 1])
def test_disk_that_fails_while_writing_leaves_the_old_pair(
    files: Files, monkeypatch: pytest.MonkeyPatch, n_good: int
) -> None:
    pair, calls, fsync = old_pair(files), iter(range(10)), os.fsync

    def failing(descriptor: int) -> None:
        if next(calls) >= n_good:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(StorageError, match="No space left"):
        write_gpt2(build_spec(BYTES, []), files.vocab, files.merges)
    assert (files.vocab.read_bytes(), files.merges.read_bytes()) == pair
    assert sorted(os.listdir(files.vocab.parent)) == ["merges.txt", "vocab.json"]


def noted(step: Callable[..., None], steps: list[str]) -> Callable[..., None]:
    def act(*arguments: Any) -> None:
        steps.append(step.__name__)
        step(*arguments)

    return act


def test_both_files_are_on_the_disk_before_either_is_replaced(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    old_pair(files)
    steps: list[str] = []
    for name in ("fsync", "replace"):
        monkeypatch.setattr(os, name, noted(getattr(os, name), steps))
    write_gpt2(build_spec(BYTES, []), files.vocab, files.merges)
    assert steps[:4] == ["fsync", "fsync", "replace", "replace"]
    assert read_gpt2(files.vocab, files.merges) == build_spec(BYTES, [])


def test_one_path_for_both_files_is_refused(files: Files) -> None:
    with pytest.raises(FormatError, match=r"is named for both files\. Give each its own path"):
        write_gpt2(build_spec(BYTES, []), files.vocab, files.vocab)


def test_two_spellings_of_one_path_are_one_path(files: Files) -> None:
    folder = files.vocab.parent
    with pytest.raises(FormatError, match="is named for both files"):
        write_gpt2(build_spec(BYTES, []), files.vocab, os.path.join(folder, "..", folder.name, "vocab.json"))


CUT = IDS | {"ab": 256, "abc": 257, "<s>": 258, "[PAD]": 259}


def test_list_of_merges_that_was_cut_is_warned_of(files: Files) -> None:
    message = r"merges\.txt: no merge makes 1 token .*, such as b'abc' \(id 257\).* Restore .* special_tokens\.$"
    with pytest.warns(FormatWarning, match=message):
        files.read(CUT, "a b\n")
    with pytest.warns(FormatWarning, match="no merge makes 2 tokens"):
        files.read(CUT | {"xyz": 300}, "a b\n")


@pytest.mark.parametrize("merges", ["", "#version: 0.2\n"])
def test_empty_list_of_merges_is_refused(files: Files, merges: str) -> None:
    message = r"merges\.txt: there are no merges: no merge makes 2 tokens .* b'ab' \(id 256\)\. Restore the file"
    with pytest.raises(FormatError, match=message):
        files.read(CUT, merges)


def test_tokens_that_are_named_special_or_look_so_warn_of_nothing(files: Files) -> None:
    files.read(CUT, "a b\n", ["abc"])
    files.read({token: i for token, i in CUT.items() if i not in (256, 257)}, "")


def test_swapped_paths_are_told(files: Files) -> None:
    files.read(CUT, "#version: 0.2\na b\nab c\n")
    with pytest.raises(FormatError, match=r"merges\.txt: is no vocabulary, but .*vocab\.json is one\. Swap the two"):
        read_gpt2(files.merges, files.vocab)


def test_broken_vocabulary_is_not_taken_for_swapped_paths(files: Files) -> None:
    with pytest.raises(FormatError, match=r"vocab\.json, line 1, column 1: not JSON"):
        files.read("", "a b\n")
    files.merges.unlink()
    with pytest.raises(FormatError, match="not JSON"):
        read_gpt2(files.vocab, files.merges)


def test_message_shows_little_of_a_huge_line(files: Files) -> None:
    files.read(CUT, "a b\nab c\n")
    with pytest.raises(FormatError, match="is not two tokens") as caught:
        read_gpt2(files.vocab, files.vocab)
    assert len(str(caught.value)) < 400


def test_gpt2_itself_loads_with_its_ids(shared: Path) -> None:
    folder = shared / "vocabs" / "gpt2"
    vocabulary = read_gpt2(folder / "vocab.json", folder / "merges.txt").vocabulary()
    assert len(vocabulary) == 50_257
    expected = {31373: b"hello", 23748: b" hello", 15496: b"Hello", 43453: b" SolidGoldMagikarp"}
    assert {token_id: vocabulary[token_id] for token_id in expected} == expected
    assert vocabulary[50256] == b"<|endoftext|>"


def test_gpt2_itself_loads_with_its_special_token(shared: Path) -> None:
    folder = shared / "vocabs" / "gpt2"
    spec = read_gpt2(folder / "vocab.json", folder / "merges.txt", ["<|endoftext|>"])
    assert spec.special_tokens == (AddedToken("<|endoftext|>", 50256),)
    assert len(spec.merge_list()) == 50_000


def test_gpt2_itself_is_written_back_byte_for_byte(shared: Path, files: Files) -> None:
    folder = shared / "vocabs" / "gpt2"
    write_gpt2(read_gpt2(folder / "vocab.json", folder / "merges.txt"), files.vocab, files.merges)
    assert files.vocab.read_bytes() == (folder / "vocab.json").read_bytes()
    header, _, merges = files.merges.read_bytes().partition(b"\n")
    assert header == b"#version: 0.2"
    assert merges == (folder / "merges.txt").read_bytes()
