"""The environment variable TOKENLOOM_SIMD chooses how text is cut, for a whole process. It changes no ids."""

import os
import subprocess
import sys

PROGRAM = """
from tokenloom import Tokenizer, TokenloomError
vocabulary = {byte: bytes([byte]) for byte in range(256)} | {256: b" a", 257: b"a "}
tokenizer = Tokenizer(vocabulary, [(b" ", b"a"), (b"a", b" ")])
try:
    print(tokenizer.encode("a \\u4e2d a, it's 1234  a\\n" * 20))
except TokenloomError as error:
    print(error)
"""


def printed(simd: str) -> str:
    environment = os.environ | {"TOKENLOOM_SIMD": simd}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, env=environment
    ).stdout


def test_every_way_gives_the_same_ids() -> None:
    assert printed("none").startswith("[97, 32, 228, 184, 173, 256, 44, ")
    assert printed("none") == printed("portable") == printed("")


def test_an_unknown_way_is_refused_with_those_that_there_are() -> None:
    message = printed("mmx")
    assert message.startswith("the environment variable TOKENLOOM_SIMD is 'mmx', which this machine cannot do. ")
    assert "Set it to one of none, portable" in message
