"""PA: processes and threads. Each test is a public report of a fault in other software; see its id.

PA-02 and PA-03 are laws of every tokenizer, in `tests/contracts/test_tokenizer_laws.py`.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

from tokenloom import Tokenizer, train


def test_fifty_threads_that_load_one_folder_at_once_each_get_it_whole(tmp_path: Path) -> None:
    """PA-04: nothing is shared between loads, which is a choice: a tokenizer is an object, and no global holds one."""
    text = "the cat in the hat sat on the mat " * 20
    saved, together = train([text], 270, ["<|end|>"]), Barrier(50)
    saved.save(tmp_path / "tokenizer")

    def load(_number: int) -> Tokenizer:
        together.wait()
        return Tokenizer.load(tmp_path / "tokenizer")

    with ThreadPoolExecutor(50) as pool:
        loaded = list(pool.map(load, range(50)))
    assert {tokenizer.spec.fingerprint for tokenizer in loaded} == {saved.spec.fingerprint}
    assert len({id(tokenizer) for tokenizer in loaded}) == 50
    assert all(tokenizer.encode(text) == saved.encode(text) for tokenizer in loaded)
