"""The command line: ``python -m laxity report DIR...``, ``table DIR...``, ``claims DIR`` and others.

Exit codes: 0 done, 1 failed with one line that says what to do, 2 wrong usage, 3 something is worse (``compare``).
pandas and matplotlib are imported after the arguments have been parsed, so that ``--help`` answers at once.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from laxity import __version__
from laxity.error import LaxityError, reason

EXIT_WORSE = 3

_EXAMPLES = """\
examples:
  python -m laxity report runs/first-light            writes runs/first-light/report.html and plots/*.svg
  python -m laxity report runs/a runs/b --output both.html
  python -m laxity report runs/first-light --open     shows it in the browser
  python -m laxity table runs/first-light             the result as text
  python -m laxity claims runs/scale                  the papers' claims beside this study; writes claims.csv
  python -m laxity compare runs/before runs/after     ratios with intervals; exit code 3 if one is worse
  python -m laxity compare --run "old/laxity color" "new/laxity color" --output runs/both
                                                      runs both commands in turn and compares the pairs
  python -m laxity compare runs/before runs/after --report change.html
                                                      the same as a page
  python -m laxity compare --history runs/nightly     since which study something is better or worse
  python -m laxity evidence runs/papers/*/            one page with every claim of the papers
  python -m laxity export runs/first-light --format perfetto
  python -m laxity patterns a.txt b.txt --output patterns.svg
                                                      a picture of arrival patterns
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        Without the program's name; by default those of the process.

    Returns
    -------
    int
        Exit code. Wrong usage raises SystemExit with code 2.
    """
    options = _parser().parse_args(arguments)
    _print_any_text()
    try:
        return options.run(options)
    except LaxityError as error:
        print(f"laxity: {error}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("laxity"):
            raise
        print(f"laxity: the Python package {error.name} is missing; run scripts/bootstrap", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of our output, such as `head`, has ended
        sys.stderr.close()
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m laxity",
        description="Statistics, plots and reports of the run directories that laxity writes.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"laxity {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    report = commands.add_parser("report", help="write an HTML report with plots", allow_abbrev=False)
    _add_directories(report)
    report.add_argument("--output", metavar="FILE", type=Path, help="the HTML file (default: DIR/report.html)")
    report.add_argument("--open", action="store_true", help="show the report in the browser")
    report.set_defaults(run=_report)

    table = commands.add_parser("table", help="print the result as text", allow_abbrev=False)
    _add_directories(table)
    table.set_defaults(run=_table)

    claims = commands.add_parser("claims", help="the papers' claims beside a study", allow_abbrev=False)
    claims.add_argument("directory", metavar="DIR", type=Path, help="run directory; claims.csv is written into it")
    claims.add_argument("--quiet", action="store_true", help="write claims.csv and print nothing")
    claims.set_defaults(run=_claims)

    evidence = commands.add_parser("evidence", help="every claim of the papers beside studies", allow_abbrev=False)
    _add_directories(evidence)
    evidence.add_argument("--output", metavar="FILE", type=Path, default=Path("evidence.html"), help="the HTML file")
    evidence.add_argument(
        "--alone", action="store_true", help="no links to the reports of the studies, for a copy of the page elsewhere"
    )
    evidence.set_defaults(run=_evidence)

    compare = commands.add_parser("compare", help="compare two studies treatment by treatment", allow_abbrev=False)
    compare.add_argument("before", metavar="BEFORE", nargs="?", help="run directory, or a command with --run")
    compare.add_argument("after", metavar="AFTER", nargs="?", help="the same, with the same treatments")
    compare.add_argument(
        "--run", action="store_true", dest="run_commands", help="run the commands BEFORE and AFTER in turn"
    )
    compare.add_argument("--rounds", type=int, default=10, help="runs of each command (default: 10)")
    compare.add_argument("--output", metavar="DIR", type=Path, help="folder for the run directories of --run")
    compare.add_argument("--history", metavar="DIR", type=Path, help="folder of run directories: changes over time")
    compare.add_argument(
        "--allow-differences", action="store_true", help="compare although machines or durations differ"
    )
    compare.add_argument("--report", metavar="FILE", type=Path, help="write the comparison as an HTML page, too")
    compare.add_argument("--quality", action="store_true", help="compare the metrics of quality of service too")
    compare.add_argument("--tolerance", type=float, default=0.05, help="how far from 1 a ratio may be (default: 0.05)")
    compare.set_defaults(run=_compare, parser=compare)

    export = commands.add_parser("export", help="write a study in another format", allow_abbrev=False)
    export.add_argument("directory", metavar="DIR", type=Path, help="run directory")
    export.add_argument("--format", choices=("csv", "parquet", "perfetto"), default="csv", help="default: csv")
    export.add_argument("--output", metavar="FILE", type=Path, help="the file (default: DIR/export.*)")
    export.set_defaults(run=_export)

    patterns = commands.add_parser("patterns", help="draw arrival patterns", allow_abbrev=False)
    patterns.add_argument("files", metavar="FILE", nargs="+", type=Path, help="as `laxity pattern` writes them")
    patterns.add_argument("--output", metavar="FILE", type=Path, required=True, help="the SVG file")
    patterns.set_defaults(run=_patterns)

    otf2 = commands.add_parser("otf2", help="write a table of traced calls as an OTF2 archive", allow_abbrev=False)
    otf2.add_argument("table", metavar="FILE", type=Path, help="as `laxity trace export --format csv` writes it")
    otf2.add_argument("--output", metavar="DIR", type=Path, required=True, help="the archive's folder")
    otf2.set_defaults(run=_otf2)
    return parser


def _add_directories(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "directories", metavar="DIR", nargs="+", type=Path, help="run directory, as in runs/first-light"
    )


def _open_all(directories: Sequence[Path]) -> list:
    from laxity.study import open_study

    return [open_study(directory) for directory in directories]


def _report(options: argparse.Namespace) -> int:
    studies = _open_all(options.directories)
    from laxity import report

    written = report.write(studies, options.output)
    print(f"report: {written}")
    if options.open:
        import webbrowser

        webbrowser.open(written.resolve().as_uri())
    return 0


def _table(options: argparse.Namespace) -> int:
    studies = _open_all(options.directories)
    from laxity import terminal

    print(terminal.render(studies), end="", flush=True)
    return 0


def _claims(options: argparse.Namespace) -> int:
    (study,) = _open_all((options.directory,))
    from laxity.evidence.page import table_of
    from laxity.layout import paragraphs

    claims = table_of(study.evidence())
    if claims.empty:
        if not options.quiet:
            print("claims: the papers make no claim that this study can test")
        return 0
    output = study.path / "claims.csv"
    try:
        claims.to_csv(output, index=False)
    except OSError as error:
        raise LaxityError(f"{output}: cannot be written ({reason(error)}); check its permissions") from error
    if not options.quiet:
        for row in claims.itertuples(index=False):
            lines = (f"{row.claim} ({row.condition}).", f"Paper: {row.paper}.", f"Here: {row.here}; {row.effect}.")
            print("\n".join(paragraphs([f"{row.verdict}: {' '.join(lines)}"], "", "  ")), flush=True)
    return 0


def _evidence(options: argparse.Namespace) -> int:
    studies = _open_all(options.directories)
    from laxity import report

    print(f"evidence: {report.write_evidence(studies, options.output, alone=options.alone)}")
    return 0


def _otf2(options: argparse.Namespace) -> int:
    from laxity.studies.traces import otf2_export

    events = otf2_export.write(options.table, options.output)
    print(f"otf2: {events} events in {options.output / 'traces.otf2'}")
    return 0


def _patterns(options: argparse.Namespace) -> int:
    from laxity.studies.arrivals.pattern_file import PatternError, read_pattern

    read = [read_pattern(path) for path in options.files]
    from laxity.studies.arrivals import pattern_plot

    try:
        options.output.write_text(pattern_plot.draw(read).svg, encoding="utf-8")
    except OSError as error:
        raise PatternError(f"{options.output}: cannot be written ({reason(error)})") from error
    print(f"patterns: {options.output}")
    return 0


def _compare(options: argparse.Namespace) -> int:
    if not 0 <= options.tolerance < 1:
        options.parser.error(f"--tolerance {options.tolerance}: must be at least 0 and less than 1")
    if (options.before is None or options.after is None) == (options.history is None):
        options.parser.error("name two run directories (or two commands with --run), or --history DIR")
    if options.run_commands and (options.rounds < 2 or options.output is None):
        options.parser.error("--run needs --output DIR and at least two --rounds")
    if options.history is not None:
        if options.report is not None:
            options.parser.error("--report is for two studies or commands, and not for --history")
        return _history(options)
    from laxity import comparison

    if options.run_commands:
        from laxity.interleaved import run_in_turn

        rounds = run_in_turn((options.before, options.after), options.rounds, options.output)
        studies = rounds[0]
        changes = comparison.compare_rounds(rounds, quality=options.quality, tolerance=options.tolerance)
    else:
        studies = _open_all((Path(options.before), Path(options.after)))
        changes = comparison.compare(*studies, quality=options.quality, tolerance=options.tolerance)
    _refuse_or_say(comparison.reservations(*studies), allowed=options.allow_differences)
    remarks = comparison.remarks(*studies)
    for sentence in remarks:
        print(sentence)
    print(comparison.render(changes, options.tolerance), end="", flush=True)
    if options.report is not None:
        from laxity import comparison_page

        differences = comparison.reservations(*studies)
        page = comparison_page.render(studies, changes, [*differences, *remarks], options.tolerance)
        print(f"report: {comparison_page.write(page, options.report)}")
    return EXIT_WORSE if any(change.verdict == comparison.WORSE for change in changes) else 0


def _history(options: argparse.Namespace) -> int:
    from laxity import comparison, history

    studies = history.open_history(options.history)
    _refuse_or_say(history.differences(studies), allowed=options.allow_differences)
    found = history.change_points(studies)
    print(history.render(found, studies), end="", flush=True)
    return EXIT_WORSE if any(each.is_last and each.verdict == comparison.WORSE for each in found) else 0


def _refuse_or_say(differences: Sequence[str], *, allowed: bool) -> None:
    """Print what makes studies hard to compare; LaxityError unless the user has allowed it."""
    if not differences:
        return
    if not allowed:
        raise LaxityError(f"not comparable: {'; '.join(differences)}; --allow-differences compares them all the same")
    print(f"Compared in spite of differences: {'; '.join(differences)}.")


def _export(options: argparse.Namespace) -> int:
    (study,) = _open_all((options.directory,))
    from laxity.export import export

    print(f"export: {export(study, options.format, options.output)}")
    return 0


def _print_any_text() -> None:
    """Replace characters that the encoding of the terminal lacks with question marks."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
