"""Signals in a few numbers: the largest, the smallest, averages. Numbers that are missing (NaN) are left out."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import InputError
from linkwork.names import no_such
from linkwork.results.averages import mean_over_time, mean_square_over_time

if TYPE_CHECKING:
    from linkwork.results.signals import Signal

Over = str | int | tuple[int, ...] | None


class Reductions:
    """What signals can be asked in one number, or in one number for each coordinate of the other axes.

    `over` is the name of an axis, which gives a signal along the others; None for all numbers together. As numpy calls
    them, with the number of an axis, they give plain arrays.
    """

    def max(self, over: Over = None, axis: Any = None, out: Any = None, **options: Any) -> Any:
        """The largest number, in SI units.

        Parameters
        ----------
        over : the axis that it is taken along; all without
        axis, out, options : as numpy asks
        """
        return self._reduced("max", np.nanmax, over, axis, out, options)

    def min(self, over: Over = None, axis: Any = None, out: Any = None, **options: Any) -> Any:
        """The smallest number, in SI units.

        Parameters
        ----------
        over, axis, out, options : as of `max`
        """
        return self._reduced("min", np.nanmin, over, axis, out, options)

    def mean(self, over: Over = None, axis: Any = None, dtype: Any = None, out: Any = None, **options: Any) -> Any:
        """The mean; over time that of the straight lines between the samples, which need not be evenly spaced.

        Parameters
        ----------
        over, axis, out, options : as of `max`
        dtype : as numpy asks
        """
        if axis is not None or dtype is not None:
            options["dtype"] = dtype
        return self._reduced("mean", np.nanmean, over, axis, out, options, mean_over_time)

    def rms(self, over: Over = None) -> Any:
        """Root of the mean square; over time that of the straight lines between the samples.

        Parameters
        ----------
        over : as of `max`
        """
        return self._reduced("rms", _root_mean_square, over, None, None, {}, _rms_over_time)

    def argmax(self, over: Over = None, axis: Any = None, out: Any = None, **options: Any) -> Any:
        """Where the largest number stands, counted from 0: `run.time[run["A.effort"].argmax()]`.

        Parameters
        ----------
        over, axis, out, options : as of `max`
        """
        return self._place(np.nanargmax, over, axis, out, options)

    def argmin(self, over: Over = None, axis: Any = None, out: Any = None, **options: Any) -> Any:
        """Where the smallest number stands, counted from 0.

        Parameters
        ----------
        over, axis, out, options : as of `max`
        """
        return self._place(np.nanargmin, over, axis, out, options)

    def _place(self, which: Callable[..., Any], over: Over, axis: Any, out: Any, options: dict[str, Any]) -> Any:
        signal: Signal = self  # type: ignore[assignment]
        number, _ = _axis(signal, over, axis)
        found = which(signal.values, axis=number, **({} if out is None else {"out": out}), **options)
        return int(found) if number is None else found

    def _reduced(
        self,
        word: str,
        reduce: Callable[..., Any],
        over: Over,
        axis: Any,
        out: Any,
        options: dict[str, Any],
        over_time: Callable[[Any, Any], Any] | None = None,
    ) -> Any:
        signal: Signal = self  # type: ignore[assignment]
        number, named = _axis(signal, over, axis)
        values = signal.values
        if out is not None:
            options["out"] = out
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "All-NaN|Mean of empty", RuntimeWarning)
            timed = "time" in signal.axes and axis is None and len(signal.time) > 1
            if over_time is not None and timed and (number is None or signal.axes[number] == "time"):
                place = signal.axes.index("time")
                found = over_time(np.moveaxis(values, place, 0), signal.time)
                if number is None and np.ndim(found):
                    found = reduce(found)
            else:
                found = reduce(values, axis=number, **options)
        if not named or np.ndim(found) == 0:
            return found.item() if np.ndim(found) == 0 and out is None else found
        assert number is not None
        name = f"{word} of {signal.name}"
        kept = signal.labelled.without((signal.axes[number],), found, signal._named(name))
        return type(signal)(name, kept)


def _axis(signal: Signal, over: Over, axis: Any) -> tuple[Any, bool]:
    """The number of an axis, and whether it was named."""
    asked = axis if over is None else over
    if not isinstance(asked, str):
        return asked, False
    if asked not in signal.axes:
        raise InputError(no_such("axis", asked, signal.axes, signal.name))
    return signal.axes.index(asked), True


def _root_mean_square(values: Any, axis: Any = None) -> Any:
    return np.sqrt(np.nanmean(np.abs(values) ** 2, axis=axis))


def _rms_over_time(values: Any, time: Any) -> Any:
    return np.sqrt(mean_square_over_time(values, time))
