"""Configuration of the documentation: Sphinx, the pydata theme, sphinx-gallery, numpydoc and MyST."""

import taut

project = "taut"
author = "The taut developers"
copyright = author
version = release = taut.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "make_picture.py"]
templates_path = ["_templates"]
default_role = "code"                       # `name` in docstrings is code

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
numpydoc_show_class_members = False         # the templates list the members
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "/plot_",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "taut"
html_static_path = ["_static"]
html_show_sourcelink = False
html_sidebars = {"installation": [], "tutorial": [], "conventions": [], "command_line": [], "changelog": []}
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
}


def _skip_requests(app, what, name, thing, skip, options):
    """Leave out scikit-learn's metadata requests, whose text refers to its own glossary."""
    return True if name.endswith("_request") or name == "get_metadata_routing" else None


def setup(app):
    app.connect("autodoc-skip-member", _skip_requests)
