"""How Sphinx builds these pages: `scripts/docs`. Nothing is fetched, and a link that leads nowhere is an error."""

from importlib import metadata

project = "hipporag-neo4j"
version = release = metadata.version("hipporag-neo4j")
html_title = f"{project} {release}"
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_copyright = False
html_copy_source = False

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
myst_enable_extensions = ["attrs_inline", "colon_fence"]
# Docstrings name code between single backticks, as these pages do.
default_role = "code"
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
maximum_signature_line_length = 80
# Cypher and the form of a graph have no lexer; they are shown as they are.
highlight_language = "text"
# Options begin with two hyphens.
smartquotes = False
# Pygments knows an older Cypher and colours the rest of such a block as well as it can.
suppress_warnings = ["misc.highlighting_failure"]
# Names of types in signatures lead nowhere unless they are on these pages.
nitpick_ignore_regex = [("py:.*", ".*")]
