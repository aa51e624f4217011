"""The report: one HTML file that is complete in itself, with plots as SVG inside it and as files beside it.

It needs no network and no script, follows the reader's light or dark theme, fits a phone and prints. Every text is
escaped by Jinja2 unless a template contains it; plots are inserted by `plots.style.inline`, which escapes what it
adds.

Elsewhere: what each kind of study adds (``Study.chapter``), the page (``templates/report.html``), its look
(``templates/report.css``).
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import jinja2
from markupsafe import Markup, escape

from laxity import __version__, notation, studies
from laxity.error import ReportError, reason
from laxity.evidence import page as evidence_page
from laxity.plots.style import Plot, inline, style
from laxity.study import Chapter, Study, by_kind, study_titles

MAX_BYTES = 5 << 20
_FACTS = (
    ("host", "host"),
    ("cpu_model", "processor"),
    ("cores", "cores"),
    ("placement", "placement"),
    ("start", "start"),
    ("end", "end"),
    ("seed", "seed"),
    ("git_commit", "commit"),
)


def write(opened: Sequence[Study], output: str | Path | None = None) -> Path:
    """Write ``report.html``, the plots as files into ``plots/``, and the tables of results beside the report.

    Parameters
    ----------
    opened : sequence of Study
        One or several; several appear in one report, each with its own results.
    output : str or Path, optional
        The HTML file. Without it, ``report.html`` in the run directory, or in the working directory for several.

    Returns
    -------
    Path
        The HTML file. An existing file is replaced as a whole: a reader never sees half a report.

    Raises
    ------
    ReportError
        If there is no study, or a file cannot be written.
    """
    if not opened:
        raise ReportError("nothing to report; name a run directory, as in runs/first-light")
    if output is None:
        output = opened[0].path / "report.html" if len(opened) == 1 else Path("report.html")
    output = Path(output)
    chapters = _chapters(opened)
    html = _page(opened, chapters)
    try:
        plots_directory = output.parent / "plots"
        plots_directory.mkdir(parents=True, exist_ok=True)
        for chapter in chapters:
            for plot in chapter.plots:
                replace_file(plots_directory / f"{plot.name}.svg", plot.svg)
            for name, table in chapter.tables.items():
                replace_file(output.parent / name, table.to_csv(index=False))
        replace_file(output, html)
    except OSError as error:
        where = error.filename or output
        raise ReportError(f"{where}: cannot be written ({reason(error)}); name another place with --output") from None
    return output


def write_evidence(opened: Sequence[Study], output: Path, *, alone: bool = False) -> Path:
    """Write the page of all claims of the papers, with what these studies say about them, and ``claims.csv`` beside it.

    Parameters
    ----------
    opened : sequence of Study
        Of any kinds; the page links to the report in each of their directories, if there is one.
    output : Path
        The HTML file.
    alone : bool
        Whether to leave out the links to reports.

    Raises
    ------
    ReportError
        If a file cannot be written.
    """
    evidence = [row for study in opened for row in study.evidence()]
    titles = study_titles(opened)
    reports = [study.path / "report.html" for study in opened]
    html = (
        environment()
        .get_template("evidence_page.html")
        .render(
            papers=evidence_page.by_paper(evidence, complete=True),
            summary=evidence_page.summary(evidence, complete=True),
            studies=[about(title, study) for title, study in zip(titles, opened, strict=True)],
            links=[os.path.relpath(path, output.parent) if path.exists() and not alone else "" for path in reports],
            warnings=[
                f"{title}: {warning}"
                for title, study in zip(titles, opened, strict=True)
                for warning in study.warnings()
            ],
            version=__version__,
        )
    )
    try:
        replace_file(output, html)
        replace_file(output.parent / "claims.csv", evidence_page.table_of(evidence).to_csv(index=False))
    except OSError as error:
        where = error.filename or output
        raise ReportError(f"{where}: cannot be written ({reason(error)}); name another place with --output") from None
    return output


def render(opened: Sequence[Study]) -> tuple[str, list[Plot]]:
    """Make the report's page and plots in memory.

    Parameters
    ----------
    opened : sequence of Study
        One or several, not none.

    Returns
    -------
    html : str
        The whole page.
    plots : list of Plot
        The plots in it. The same studies give the same bytes.

    Raises
    ------
    ReportError
        If the page is larger than `MAX_BYTES`.
    """
    chapters = _chapters(opened)
    return _page(opened, chapters), [plot for chapter in chapters for plot in chapter.plots]


def _chapters(opened: Sequence[Study]) -> list[Chapter]:
    with style():
        return [kind.chapter(own) for kind, own in by_kind(opened).items()]


def _page(opened: Sequence[Study], chapters: Sequence[Chapter]) -> str:
    templates = environment()
    titles = study_titles(opened)
    evidence = [row for study in opened for row in study.evidence()]
    html = templates.get_template("report.html").render(
        title=opened[0].heading if len(opened) == 1 else " and ".join(titles),
        kickers=dict.fromkeys(study.kicker for study in opened),
        studies=[about(title, study) for title, study in zip(titles, opened, strict=True)],
        warnings=[warning for chapter in chapters for warning in chapter.warnings],
        chapters=[Markup(templates.get_template(chapter.template).render(chapter.context)) for chapter in chapters],
        papers=evidence_page.by_paper(evidence),
        evidence_summary=evidence_page.summary(evidence),
        commands=[study.manifest["command_line"] for study in opened if study.manifest.get("command_line")],
        version=__version__,
    )
    if len(html.encode()) > MAX_BYTES:
        raise ReportError(f"the report would be larger than {MAX_BYTES >> 20} MiB; report fewer directories at once")
    return html


def environment() -> jinja2.Environment:
    """Make the environment of all pages: templates, and filters that write numbers."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader([Path(__file__).parent / "templates", *studies.__path__]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    writers = {
        name: getattr(notation, name)
        for name in ("number", "percent", "signed_percent", "duration", "mean_count", "bounds", "capital")
    }
    made.filters |= writers | {
        "inline": lambda plot: Markup(inline(plot)),
        "contents": _contents,
        "labeled": _labeled,
    }
    made.globals |= writers | {
        "NOTHING": notation.NOTHING,
        "INTERVALS": notation.INTERVALS,
        "anchor": _Anchors(),
        "marks": evidence_page.MARKS,
    }
    return made


class _Anchors:
    """Names of the sections of one page, for links: letters and digits of the title, each only once."""

    def __init__(self) -> None:
        self._given: dict[str, int] = {}

    def __call__(self, title: str) -> str:
        name = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
        self._given[name] = self._given.get(name, 0) + 1
        return name if self._given[name] == 1 else f"{name}-{self._given[name]}"


def _contents(body: str) -> list[tuple[str, Markup]]:
    """List the sections of a page: anchors and titles."""
    return [(anchor, Markup(title)) for anchor, title in re.findall(r'<h2 id="([^"]+)">(.*?)</h2>', body)]


def _labeled(rows: str, headings: Sequence[str]) -> Markup:
    """Name in each cell of a table its column, for screens on which a row is a card."""

    def label(row: re.Match) -> str:
        names = iter(headings)
        return re.sub("<td>", lambda _: f'<td data-label="{escape(next(names, ""))}">', row.group())

    return Markup(re.sub(r"<tr.*?</tr>", label, rows, flags=re.DOTALL))


def about(title: str, study: Study) -> dict[str, object]:
    """Describe a study and its machine, for a page."""
    manifest = study.manifest
    facts = [(label, manifest[key]) for key, label in _FACTS if manifest.get(key) not in (None, "", [])]
    versions = manifest.get("versions")
    facts += sorted(versions.items()) if isinstance(versions, dict) else []
    return {
        "title": title,
        "summary": study.summary(),
        "facts": _values(facts),
        "configuration": _values(study.configuration.items()),
    }


def _values(facts: Iterable[tuple[str, object]]) -> list[tuple[str, str]]:
    return [(name, _value(value)) for name, value in facts]


def _value(value: object) -> str:
    if isinstance(value, list) and all(isinstance(item, str | int | float) for item in value):
        return ", ".join(map(str, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def replace_file(path: Path, text: str) -> None:
    """Write a file as a whole; OSError."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)  # mkstemp makes files that only their owner can read
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise
