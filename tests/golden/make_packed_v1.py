"""Makes `packed-v1.tloom`: a packed tokenizer as the first released version writes it. It must stay readable for ever.

    python -m tests.golden.make_packed_v1

The content is that of `tokenizer-v1/`. Never edit the file by hand. When the tables get another layout, leave it as it
is: then it shows that tables of an older core are built anew.
"""

from pathlib import Path
from typing import Final

from tests.golden.make_tokenizer_v1 import golden_spec
from tokenloom.formats import write_packed

FILE: Final = Path(__file__).parent / "packed-v1.tloom"
PROVENANCE: Final = {"made_by": "tests/golden/make_packed_v1.py", "licence": "Apache-2.0"}

if __name__ == "__main__":
    write_packed(golden_spec(), FILE, provenance=PROVENANCE)
