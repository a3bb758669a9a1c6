"""File formats: each translates between files of a folder and a `TokenizerSpec`.

`FORMATS` lists by name those that are written and read, `EXPORTS` the files that lie beside our own in a folder, and
`detect.load_any` reads whatever it finds. Names are loaded when first used: our own folders need none of the others.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tokenloom.formats.exports import EXPORTS
    from tokenloom.formats.gpt2 import read_gpt2, write_gpt2
    from tokenloom.formats.hf_json import read_hf_json, write_hf_json
    from tokenloom.formats.packed import read_packed, write_packed
    from tokenloom.formats.registry import FORMATS, Format
    from tokenloom.formats.sentencepiece import read_sentencepiece, write_sentencepiece
    from tokenloom.formats.subword_nmt import read_subword_nmt, read_subword_vocabulary, write_subword_nmt
    from tokenloom.formats.tekken import read_tekken
    from tokenloom.formats.tiktoken import read_tiktoken, write_tiktoken
    from tokenloom.formats.vocab_txt import read_vocab_txt, write_vocab_txt

__all__ = [
    "EXPORTS",
    "FORMATS",
    "Format",
    "read_gpt2",
    "read_hf_json",
    "read_packed",
    "read_sentencepiece",
    "read_subword_nmt",
    "read_subword_vocabulary",
    "read_tekken",
    "read_tiktoken",
    "read_vocab_txt",
    "write_gpt2",
    "write_hf_json",
    "write_packed",
    "write_sentencepiece",
    "write_subword_nmt",
    "write_tiktoken",
    "write_vocab_txt",
]

_HOME_OF: Final = {
    "EXPORTS": "exports",
    "FORMATS": "registry",
    "Format": "registry",
    "read_gpt2": "gpt2",
    "read_hf_json": "hf_json",
    "read_packed": "packed",
    "read_sentencepiece": "sentencepiece",
    "read_subword_nmt": "subword_nmt",
    "read_subword_vocabulary": "subword_nmt",
    "read_tekken": "tekken",
    "read_tiktoken": "tiktoken",
    "read_vocab_txt": "vocab_txt",
    "write_gpt2": "gpt2",
    "write_hf_json": "hf_json",
    "write_packed": "packed",
    "write_sentencepiece": "sentencepiece",
    "write_subword_nmt": "subword_nmt",
    "write_tiktoken": "tiktoken",
    "write_vocab_txt": "vocab_txt",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'tokenloom.formats' has no attribute {name!r}")
    value = getattr(import_module(f"tokenloom.formats.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value
