"""An explanation as a page: one file that asks for nothing else, drawn by Cytoscape.js, which stands in it."""

import json
from importlib.resources import files

from hipporag_neo4j.explaining.plain import explanation_values
from hipporag_neo4j.explanation import Explanation

_PAGE = files("hipporag_neo4j.explaining") / "page"
_PLACES = {"/*style*/": "page.css", "/*cytoscape*/": "vendor/cytoscape.min.js", "/*script*/": "page.js"}


def write_page(explanation: Explanation) -> str:
    """The page. What passages and names hold is data in it: no part of them becomes markup or script."""
    page = (_PAGE / "page.html").read_text(encoding="utf-8")
    for place, name in _PLACES.items():
        page = page.replace(place, (_PAGE / name).read_text(encoding="utf-8"), 1)
    return page.replace("/*data*/", _data(explanation), 1)


def _data(explanation: Explanation) -> str:
    """JSON in which no tag can begin or end."""
    text = json.dumps(explanation_values(explanation), default=str)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
