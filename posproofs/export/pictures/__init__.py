"""Pictures as SVG text: the same bytes in every run, a title and a description in each, readable in light and dark."""
