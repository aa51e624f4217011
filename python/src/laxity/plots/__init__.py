"""Shared by the plots of all kinds of study: style and output as SVG (``style``), dot plots (``dot_plot``).

matplotlib is loaded by these modules and by the plots of the kinds, and by nothing else.
"""
