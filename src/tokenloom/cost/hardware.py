"""Accelerators by name: peak FLOPs a second, memory and its bandwidth. A table with its date and sources."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from tokenloom.cost.checks import unknown_name
from tokenloom.errors import CostError

__all__ = ["ACCELERATORS", "HARDWARE_DATE", "Accelerator", "accelerator"]

HARDWARE_DATE: Final = "2026-11"
"""When the table was written; a new row or a changed one moves it."""

_NVIDIA_DENSE: Final = "peaks with sparsity halved"


@dataclass(frozen=True, slots=True)
class Accelerator:
    """One accelerator.

    Args:
        name: how it is asked for.
        peaks: FLOPs a second by number type, of matrices without sparsity.
        memory_bytes: of it, decimal as makers count.
        bandwidth_bytes: bytes a second from that memory.
        year: when it came out.
        source: title and year of where the numbers stand.
    """

    name: str
    peaks: Mapping[str, float]
    memory_bytes: float
    bandwidth_bytes: float
    year: int
    source: str

    def peak_flops(self, dtype: str) -> float:
        """FLOPs a second for a number type. Raises: CostError naming those that it has.

        >>> accelerator("b200").peak_flops("bf16")
        2250000000000000.0
        """
        try:
            return self.peaks[dtype]
        except KeyError:
            raise CostError(
                f"hardware {self.name!r}: has no peak for the number type {dtype!r} in the table. "
                f"Use one of: {', '.join(self.peaks)}."
            ) from None


def accelerator(name: str) -> Accelerator:
    """An accelerator of the table, upper case or lower. Raises: CostError with the nearest name and all there are.

    >>> accelerator("A100-80GB").memory_bytes
    80000000000.0
    """
    try:
        return ACCELERATORS[name.strip().lower()]
    except (KeyError, AttributeError):
        raise unknown_name(name, ACCELERATORS, "hardware") from None


def _row(
    name: str, year: int, memory_gb: float, bandwidth_gb: float, source: str, **tera_flops: float
) -> tuple[str, Accelerator]:
    peaks = MappingProxyType({dtype: peak * 1e12 for dtype, peak in tera_flops.items()})
    return name, Accelerator(name, peaks, memory_gb * 1e9, bandwidth_gb * 1e9, year, source)


_A100: Final = "NVIDIA A100 Tensor Core GPU datasheet (2021), SXM"
_H100: Final = f"NVIDIA H100 Tensor Core GPU datasheet (2023), SXM, {_NVIDIA_DENSE}"
_H200: Final = f"NVIDIA H200 Tensor Core GPU datasheet (2024), SXM, {_NVIDIA_DENSE}"
_B200: Final = f"NVIDIA Blackwell architecture technical brief (2024), HGX B200, {_NVIDIA_DENSE}"

ACCELERATORS: Final[Mapping[str, Accelerator]] = MappingProxyType(
    dict(
        (
            _row("v100", 2017, 32, 900, "NVIDIA V100 datasheet (2020), SXM2", fp16=125, fp32=15.7),
            _row("t4", 2018, 16, 320, "NVIDIA T4 datasheet (2019)", fp16=65, int8=130, fp32=8.1),
            _row("a100-40gb", 2020, 40, 1555, _A100, bf16=312, fp16=312, tf32=156, int8=624, fp32=19.5),
            _row("a100-80gb", 2020, 80, 2039, _A100, bf16=312, fp16=312, tf32=156, int8=624, fp32=19.5),
            _row("h100", 2022, 80, 3350, _H100, bf16=989.5, fp16=989.5, tf32=494.5, fp8=1979, int8=1979, fp32=67),
            _row("h200", 2024, 141, 4800, _H200, bf16=989.5, fp16=989.5, tf32=494.5, fp8=1979, int8=1979, fp32=67),
            _row(
                "b200", 2024, 192, 8000, _B200,
                bf16=2250, fp16=2250, tf32=1100, fp8=4500, int8=4500, fp4=9000, fp32=80,
            ),
            _row(
                "mi300x", 2023, 192, 5300, "AMD Instinct MI300X data sheet (2023)",
                bf16=1307.4, fp16=1307.4, tf32=653.7, fp8=2614.9, int8=2614.9, fp32=163.4,
            ),
            _row("tpu-v4", 2021, 32, 1228, "Google Cloud TPU v4 documentation (2024)", bf16=275, int8=275),
            _row("tpu-v5e", 2023, 16, 819, "Google Cloud TPU v5e documentation (2024)", bf16=197, int8=393),
            _row("tpu-v5p", 2023, 95, 2765, "Google Cloud TPU v5p documentation (2024)", bf16=459, int8=918),
        )
    )
)  # fmt: skip
"""Accelerators by name, in the order of their makers."""
