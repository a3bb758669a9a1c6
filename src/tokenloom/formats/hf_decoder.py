"""The decoder of `tokenizer.json`, both ways.

Byte-level tokens need `ByteLevel` alone, and their bytes are the text. Other tokens are strings, and the file says step
by step how they become text. A file without a decoder joins them with blanks.
Source: `decoders` of huggingface/tokenizers.
"""

from typing import Any, Final

from tokenloom.errors import FormatError, SpecError
from tokenloom.formats.hf_pretokenizer import BYTE_LEVEL, UPGRADE, alike, flat, read_byte_level, read_metaspace
from tokenloom.formats.json_values import Node
from tokenloom.spec import (
    DecodeByteFallback,
    DecodeByteLevel,
    DecodeEndOfWord,
    DecodeFuse,
    DecodeJoin,
    DecodeMetaspace,
    Decoder,
    DecodeReplace,
    DecoderStep,
    DecodeSentencepiece,
    DecodeStrip,
    DecodeWordpiece,
)
from tokenloom.wording import quoted

__all__ = ["decoder_json", "is_byte_level", "read_decoder"]

_BLANK: Final = DecodeJoin(" ")
_BYTE_LEVEL: Final = BYTE_LEVEL | {"use_regex": True}
"""Its keys have no effect on a decoder."""


def is_byte_level(node: Node) -> bool:
    """Whether the decoder is that of byte-level tokens."""
    steps = flat(node, "decoders")
    if [item.type() for item in steps] != ["ByteLevel"]:
        return False
    read_byte_level(steps[0])
    return True


def read_decoder(node: Node) -> Decoder:
    """The steps that make text of tokens that are strings."""
    return Decoder((_BLANK,) if node.value is None else tuple(map(_step, flat(node, "decoders"))))


def _step(node: Node) -> DecoderStep:
    try:
        match node.type():
            case "ByteFallback":
                node.only("type")
                return DecodeByteFallback()
            case "Fuse":
                node.only("type")
                return DecodeFuse()
            case "ByteLevel":
                read_byte_level(node)
                return DecodeByteLevel()
            case "Replace":
                return _replace(node.only("type", "pattern", "content"))
            case "Strip":
                node.only("type", "content", "start", "stop")
                return DecodeStrip(node["content"].text(), node["start"].whole_number(), node["stop"].whole_number())
            case "BPEDecoder":
                return DecodeEndOfWord(node.only("type", "suffix")["suffix"].text())
            case "WordPiece":
                node.only("type", "prefix", "cleanup")
                return DecodeWordpiece(node["prefix"].text(), node["cleanup"].flag())
            case "Metaspace":
                return DecodeMetaspace(*read_metaspace(node))
            case unknown:
                raise node.fault(f"decoder {quoted(unknown)} is not known here", UPGRADE)
    except SpecError as error:
        raise FormatError(f"{node.file}, {node.path}: {error}") from error


def _replace(node: Node) -> DecodeReplace:
    by, pattern = node["content"].text(), node["pattern"]
    if pattern.only_one("String", "Regex") == "String":
        return DecodeReplace(pattern["String"].text(), by=by)
    return DecodeReplace(None, by=by, pattern=alike(pattern["Regex"]))


def decoder_json(decoder: Decoder, *, place: str) -> dict[str, Any] | None:
    """The inverse of `read_decoder`. Raises: FormatError for a step that the library does not have."""
    if decoder.steps is None:
        return _BYTE_LEVEL
    if decoder.steps == (_BLANK,):
        return None
    steps = [_step_json(step, place) for step in decoder.steps]
    return steps[0] if len(steps) == 1 else {"type": "Sequence", "decoders": steps}


def _step_json(step: DecoderStep, place: str) -> dict[str, Any]:
    match step:
        case DecodeByteFallback():
            return {"type": "ByteFallback"}
        case DecodeFuse():
            return {"type": "Fuse"}
        case DecodeByteLevel():
            return _BYTE_LEVEL
        case DecodeReplace(text, by, pattern):
            what = {"String": text} if pattern is None else {"Regex": pattern}
            return {"type": "Replace", "pattern": what, "content": by}
        case DecodeStrip(text, start, stop):
            return {"type": "Strip", "content": text, "start": start, "stop": stop}
        case DecodeEndOfWord(suffix):
            return {"type": "BPEDecoder", "suffix": suffix}
        case DecodeWordpiece(prefix, cleanup):
            return {"type": "WordPiece", "prefix": prefix, "cleanup": cleanup}
        case DecodeMetaspace(replacement, scheme):
            return {"type": "Metaspace", "replacement": replacement, "prepend_scheme": scheme, "split": True}
        case DecodeJoin(between):
            fault = f"a decoder with a step that joins tokens with {quoted(between)}"
            raise FormatError(f"{place}: cannot hold {fault}. Use another format.")
        case DecodeSentencepiece():
            raise FormatError(f"{place}: cannot hold the decoder of SentencePiece as one step. Use another format.")
