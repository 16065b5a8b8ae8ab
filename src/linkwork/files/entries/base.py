"""What all entries share: unknown keys are errors, and every problem of an entry is gathered."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from linkwork.errors import ModelError, Problem

Whole = Annotated[int, Field(strict=True)]
Switch = Annotated[bool, Field(strict=True)]
Text = Annotated[str, Field(strict=True)]

Made = TypeVar("Made")


class Gather:
    """Takes several steps in spite of errors, and raises the problems of all of them at its end."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def __call__(self, make: Callable[..., Made], *given: Any) -> Made | None:
        try:
            return make(*given)
        except ModelError as error:
            self.problems += error.problems
            return None

    def __enter__(self) -> Gather:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if error is None and self.problems:
            raise ModelError(self.problems)


def located(make: Callable[[], Made], where: str) -> Made:
    """What `make` gives; its complaints get this place."""
    try:
        return make()
    except ModelError as error:
        raise ModelError([Problem(p.what, where, p.hint) for p in error.problems]) from None


class Entry(BaseModel):
    """Base of all entries: unknown keys are errors."""

    model_config = ConfigDict(defer_build=True, extra="forbid", frozen=True)
