"""Space-time diagrams: the messages between two workers, each a line from when it was sent to when it was seen.

Time runs to the right, a worker is a horizontal line. A message that was shown is a solid line, one that a newer
message overtook is faint, one that was never seen is a dot on the line of its sender.

Elsewhere: the log (``messages.csv``, ``laxity/mesh/message_log.hpp``), the look (``laxity.plots.style``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from matplotlib.collections import LineCollection

from laxity.notation import duration, number, percent, team_title, time_unit
from laxity.plots.style import GRID, INK, MODE_COLORS, MUTED, Plot, new_figure, to_svg
from laxity.studies.best_effort.modes import MODES
from laxity.studies.best_effort.study import BestEffortStudy

MAX_DIAGRAMS = 4
MAX_MESSAGES = 60
"""Messages of one diagram, in both directions."""

_HEIGHT = 2.4  # inches
_COLORS = (MODE_COLORS[3], MODE_COLORS[1])  # of the messages of the upper and of the lower worker


def diagrams(studies: Sequence[BestEffortStudy]) -> list[Plot]:
    """Draw one diagram for each treatment with a message log, from its first run; `MAX_DIAGRAMS` at most."""
    return [plot for study in studies for plot in _of_study(study)][:MAX_DIAGRAMS]


def between_two(messages: pd.DataFrame) -> pd.DataFrame:
    """Choose the two workers that exchanged the most messages, and a span of time.

    Parameters
    ----------
    messages : pandas.DataFrame
        Of one run, columns as in ``messages.csv``.

    Returns
    -------
    pandas.DataFrame
        At most `MAX_MESSAGES` rows, by time, from the middle of the time that the logs of both directions cover, or of
        all rows if they share no time.
    """
    pair = np.sort(messages[["from_worker", "to_worker"]].to_numpy(), axis=1)
    counts = pd.Series(map(tuple, pair)).value_counts(sort=False)
    chosen = counts.index[int(np.argmax(counts.to_numpy()))]
    own = messages[(pair == np.array(chosen)).all(axis=1)].sort_values(["sent_ns", "from_worker"], kind="stable")
    times = own.groupby("from_worker")["sent_ns"]  # a log holds the last messages of its link
    both = own[own["sent_ns"].between(times.min().max(), times.max().min())]
    shown = both if len(both) else own
    first = max(0, (len(shown) - MAX_MESSAGES) // 2)
    return shown.iloc[first : first + MAX_MESSAGES]


def _of_study(study: BestEffortStudy) -> Iterator[Plot]:
    logged = study.ended_runs()
    logged = logged[logged["run"].isin(study.messages["run"])]
    treatments = ["shape", "mode", "nodes_per_worker", "work", "guard", "fault", "reaction", "hosts"]
    for place, run in enumerate(logged.drop_duplicates(treatments).itertuples(index=False)):
        shown = between_two(study.messages[study.messages["run"] == run.run])
        name = f"space-time-{study.path.resolve().name}-{place}"
        reaction = "" if run.reaction == "none" else f", reaction {run.reaction}"
        title = f"Messages of {team_title(run.shape)}, {MODES[run.mode].title}{reaction}"
        yield Plot(name, title, _caption(run.run, shown), _draw(name, shown))


def _caption(run: int, shown: pd.DataFrame) -> str:
    upper, lower = _workers(shown)
    seen = shown[shown["fate"] == "shown"]
    traveled = (seen["seen_ns"] - seen["sent_ns"]).median() if len(seen) else 0.0
    refused = int(shown["refused_before"].sum())
    summary = f"{percent(len(seen) / len(shown))} of {len(shown)} messages were shown"
    if len(seen):
        summary += f", half of these within {duration(float(traveled))}"
    summary += f"; {number(refused)} more were refused between them." if refused else "; none was refused between them."
    return (
        f"Run {run}, workers {upper} (above) and {lower} (below), time to the right: a line leads from when a message "
        f"was sent to when it was seen. Faint: a newer one was shown instead. {summary}"
    )


def _workers(shown: pd.DataFrame) -> tuple[int, int]:
    first = shown.iloc[0]
    upper, lower = sorted((int(first["from_worker"]), int(first["to_worker"])))
    return upper, lower


def _draw(name: str, shown: pd.DataFrame) -> str:
    upper, lower = _workers(shown)
    begin = int(shown["sent_ns"].min())
    length = max(int(shown["seen_ns"].max()) - begin, 1)
    scale, unit = time_unit(length)
    figure = new_figure(_HEIGHT)
    axes = figure.add_axes((0.12, 0.24, 0.84, 0.7))
    axes.set_yticks([1, 0], [f"worker {upper}", f"worker {lower}"])
    axes.hlines([0, 1], 0, length / scale, color=INK, linewidth=1)
    for sender, color in zip((upper, lower), _COLORS, strict=True):
        own = shown[shown["from_worker"] == sender]
        height = 1 if sender == upper else 0
        sent = (own["sent_ns"].to_numpy() - begin) / scale
        seen = (own["seen_ns"].to_numpy() - begin) / scale
        fate = own["fate"].to_numpy()
        for which, alpha, width in (("overtaken", 0.25, 0.6), ("shown", 1.0, 0.9)):
            ends = zip(sent[fate == which], seen[fate == which], strict=True)
            lines = [((begin_at, height), (end_at, 1 - height)) for begin_at, end_at in ends]
            axes.add_collection(LineCollection(lines, colors=color, linewidths=width, alpha=alpha))
        axes.plot(sent[fate == "unseen"], np.full((fate == "unseen").sum(), height), ".", color=color, markersize=4)
    axes.set_xlim(-0.01 * length / scale, 1.01 * length / scale)
    axes.set_ylim(-0.1, 1.1)
    axes.set_xlabel(f"time, {unit}", color=MUTED)
    axes.tick_params(length=0)
    axes.grid(axis="x", color=GRID, linewidth=0.5)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return to_svg(figure, name)
