"""Makes `tokenizer-v1/`: a tokenizer folder as the first released version writes it. It must stay readable for ever.

    python tests/golden/make_tokenizer_v1.py

The content is our own and small enough to check by eye: the 256 bytes, four merges, a hole at id 259, a token that is
no UTF-8, and two special tokens, one of them outside ASCII. Never edit the folder by hand; when the format gets a new
major version, leave this folder and its test as they are and add `tokenizer-v2/` beside them.
"""

from pathlib import Path
from typing import Final

from tokenloom.formats import native
from tokenloom.spec import TokenizerSpec, build_spec

FOLDER: Final = Path(__file__).parent / "tokenizer-v1"
PROVENANCE: Final = {"made_by": "tests/golden/make_tokenizer_v1.py", "licence": "Apache-2.0"}


def golden_spec() -> TokenizerSpec:
    """The tokenizer that the folder holds."""
    vocabulary = {byte: bytes([byte]) for byte in range(256)}
    vocabulary |= {256: b"th", 257: b"the", 258: b" the", 260: b"\xe4\xbd"}
    merges = [(b"t", b"h"), (b"th", b"e"), (b" ", b"the"), (b"\xe4", b"\xbd")]
    return build_spec(vocabulary, merges, ["<|endoftext|>", "<|é😀|>"])


if __name__ == "__main__":
    native.save(golden_spec(), FOLDER, provenance=PROVENANCE)
