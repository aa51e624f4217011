"""Claims of the papers, and what runs say about them: sizes with intervals, verdicts, and one page of evidence.

`sizes` computes how large an effect was, `verdicts` compares it with what a claim says, `catalog` lists the claims, and
`page` writes them beside the results. Each kind of study weighs the claims about its own runs (``Study.evidence``).
"""
