"""Settings of the documentation site; `make docs` builds it."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "extensions"), str(HERE.parent / "src")]

import uneven  # noqa: E402

project = "uneven"
author = "The uneven maintainers"
copyright = author
version = release = uneven.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "api_reference",
    "published_pages",
]
templates_path = ["templates"]
exclude_patterns = ["extensions", "templates", "generated/gallery/**/*.ipynb"]
toc_object_entries_show_parents = "hide"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

autosummary_generate = True
autodoc_typehints = "none"
autodoc_class_signature = "mixed"
numpydoc_show_class_members = False
numpydoc_use_plots = False

sphinx_gallery_conf = {
    "examples_dirs": ["../examples/gallery"],
    "gallery_dirs": ["generated/gallery"],
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "backreferences_dir": "generated/backreferences",
    "doc_module": ("uneven",),
    "reference_url": {"uneven": None},
    "min_reported_time": 0,
    "write_computation_times": False,
    "show_memory": False,
    "remove_config_comments": True,
    "plot_gallery": True,
    "abort_on_example_error": True,
    "download_all_examples": False,
    "matplotlib_animations": False,
    "image_srcset": [],
    "capture_repr": (),
}

html_theme = "pydata_sphinx_theme"
html_title = "uneven"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_search_summary = False  # summaries are fetched, which browsers refuse for local files
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "uneven"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "show_prev_next": True,
    "navigation_with_keys": False,
}
html_sidebars = {"index": [], "changelog": [], "contributing": [], "glossary": []}
