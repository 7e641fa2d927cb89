"""``python -m uneven_published`` writes the list of exhibits again, after one was added."""

import json
from pathlib import Path

from uneven.utils.files import replace_file
from uneven_published.collection import catalogue, listing

if __name__ == "__main__":
    lines = [json.dumps(vars(one), ensure_ascii=False) for one in listing(catalogue())]
    with replace_file(Path(__file__).with_name("listed.json")) as draft:
        draft.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8", newline="\n")
