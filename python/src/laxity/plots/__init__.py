"""What the plots of all kinds of study share: the look and the way to SVG (``style``), dot plots (``dot_plot``).

matplotlib is loaded by these modules and by the plots of the kinds, and by nothing else.
"""
