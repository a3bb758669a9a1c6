"""The classes of `tokenloom.errors`, as its docstring draws them."""

import re

import pytest

from tokenloom import errors

CLASSES = [getattr(errors, name) for name in errors.__all__]


def test_docstring_draws_every_class_with_its_builtin_base() -> None:
    drawn = re.findall(r"[├└]── (\w+)(?: +\(also (\w+)\))?", errors.__doc__ or "")
    actual = {
        cls.__name__: "".join(base.__name__ for base in cls.__bases__ if base.__module__ == "builtins")
        for cls in CLASSES
    }
    roots = {"TokenloomError", "TokenloomWarning"}
    assert {name: also for name, also in drawn if name not in roots} == {
        name: also for name, also in actual.items() if name not in roots
    }
    assert roots <= {name for name, _ in drawn}


@pytest.mark.parametrize("cls", CLASSES)
def test_one_string_makes_the_message(cls: type[Exception]) -> None:
    assert str(cls("what, where, what to do")) == "what, where, what to do"


def test_all_errors_and_warnings_share_a_root() -> None:
    assert all(issubclass(cls, (errors.TokenloomError, errors.TokenloomWarning)) for cls in CLASSES)
