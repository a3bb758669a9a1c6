"""The lessons need neither the compiled core nor, until GPT-2's own pattern is used, any other package."""

import subprocess
import sys

CHECK = """
import sys
from tokenloom.lessons import byte_pair, bytes_and_unicode, counting, dropout, pretokenizing, special_tokens
from tokenloom.lessons import other_cuts, word_segmentation, words
pretokenizing.split_standard_library("a b")
print(sorted({name.split(".")[0] for name in sys.modules} & {"numpy", "regex"}), "tokenloom._core" in sys.modules)
"""


def test_lessons_import_neither_the_core_nor_regex_nor_numpy() -> None:
    result = subprocess.run([sys.executable, "-c", CHECK], capture_output=True, text=True, check=True)
    assert result.stdout == "[] False\n"
