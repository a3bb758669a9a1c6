"""The models of a tokenizer description, by the name that its JSON gives them."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final, TypeAlias

from tokenloom.errors import SpecError
from tokenloom.spec.model import BpeModel
from tokenloom.spec.other_models import UnigramModel, WordModel, WordpieceModel
from tokenloom.wording import quoted

__all__ = ["MODELS", "Model", "model_from_config"]

Model: TypeAlias = BpeModel | WordpieceModel | UnigramModel | WordModel

MODELS: Final[Mapping[str, type[Model]]] = {
    model.type: model for model in (BpeModel, WordpieceModel, UnigramModel, WordModel)
}


def model_from_config(value: Mapping[str, Any]) -> Model:
    """A model other than BPE from its JSON, whose keys are those of its type, each of the right kind and no default.

    Raises: SpecError for anything that this version does not know, by name.
    """
    place, kind = "tokenizer description, model", MODELS[value["type"]]
    given = {key: item for key, item in value.items() if key != "type"}
    known = {field.name for field in fields(kind)}
    for key in sorted(given.keys() - known):
        raise SpecError(f"{place}: has the unknown key {quoted(key)}. Remove the key, or upgrade tokenloom.")
    try:
        model = kind(**given)  # lists become tuples there
    except TypeError:
        raise SpecError(f"{place}: lacks a key of {', '.join(map(repr, sorted(known)))}. Add it.") from None
    if model.config() != value:
        raise SpecError(f"{place}: is not written as {quoted(str(model.config()))}. Leave out what is the default.")
    return model
