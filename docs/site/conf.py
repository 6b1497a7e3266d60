"""How Sphinx makes the site; tools/make_site.py puts the pages together and calls it."""

import lanewise

project = "Lanewise"
author = "the authors of Lanewise"
copyright = author
version = release = lanewise.__version__

extensions = ["myst_parser", "sphinx_copybutton"]
root_doc = "index"
needs_sphinx = "9.0"

# links and anchors as GitHub has them, so that a page reads the same in the repository
myst_heading_anchors = 6
myst_enable_extensions = ["attrs_block", "deflist"]
myst_links_external_new_tab = False

# quotes stay as they are typed: commands have them
smartquotes = False

# three backticks alone are a terminal, or numbers
highlight_language = "text"
pygments_style = "tango"
pygments_dark_style = "monokai"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

add_module_names = False
python_maximum_signature_line_length = 88
python_display_short_literal_types = True
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"Lanewise {release}"
html_static_path = ["static"]
html_favicon = "static/lanes.svg"
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#b33a24",
        "color-brand-content": "#b33a24",
        "color-sidebar-link-text--top-level": "var(--color-foreground-secondary)",
    },
    "dark_css_variables": {
        "color-brand-primary": "#f08a75",
        "color-brand-content": "#f08a75",
        "color-sidebar-link-text--top-level": "var(--color-foreground-secondary)",
    },
}
