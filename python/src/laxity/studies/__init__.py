"""The kinds of study, a package each: reader, statistics, plots and page.

``laxity.study.find_kinds`` finds every package here by itself. ``python/README.md`` says how to add one.
"""
