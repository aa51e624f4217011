import os
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest
from written_coloring import Study, write_study
from written_experiments import write_experiment

from laxity import report
from laxity.error import ReportError
from laxity.studies.best_effort.study import BestEffortStudy

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
VOID = {"meta", "br", "img", "link", "hr", "input"}
LOADING = {"src", "href", "xlink:href", "data", "action", "poster", "srcset", "background"}


class Page(HTMLParser):
    """What is in a page; fails where tags are not closed in order."""

    def __init__(self, html):
        super().__init__()
        self.open = []
        self.tags = []
        self.references = []
        self.headings = []
        self.ids = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.references += [value for name, value in attributes if name in LOADING]
        self.ids += [value for name, value in attributes if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> without its start"
        assert self.open.pop() == tag

    def handle_data(self, text):
        if self.open and self.open[-1] in ("h1", "h2", "h3"):
            self.headings.append(text)


@pytest.fixture(scope="module")
def html(whole):
    return report.render([whole])[0]


def test_the_page_is_well_formed_and_has_all_its_parts(html):
    page = Page(html)
    assert {
        "first-light",
        "Key findings",
        "2 threads",
        "Updates per second and worker",
        "Share of the rate without communication",
        "Conflicts at the end",
        "The torus before",
        "The torus after",
        "Messages",
        "What is measured",
        "Machine and configuration",
        "How to repeat",
    } <= set(page.headings)
    assert page.tags.count("svg") == 11
    assert "Read with care" not in page.headings


def test_the_page_has_a_row_for_each_worker(html):
    table = html[html.index("<summary>By worker, best effort</summary>") :]
    table = table[: table.index("</table>")]
    assert re.findall(r"<tr><td[^>]*>(\d)</td>", table) == ["0", "1", "0", "1"]


def test_of_many_workers_the_page_shows_those_with_the_longest_latency(opened):
    study = opened(shapes=("70t",), modes=(3,), replicates=1, with_picture=False)
    longest = study.qos.groupby("to_worker")["walltime_latency_ns"].mean().nlargest(64)
    table = report.render([study])[0].split("<summary>By worker, best effort</summary>")[1]
    assert "70 threads, the 64 with the longest latency" in table
    shown = re.findall(r"<tr><td[^>]*>(\d+)</td>", table[: table.index("</table>")])
    assert [int(worker) for worker in shown] == sorted(longest.index)


def test_the_page_needs_nothing_from_elsewhere(html):
    page = Page(html)
    assert all(reference.startswith(("#", "data:image/png;base64,")) for reference in page.references)
    assert not {"script", "link", "iframe", "object", "embed", "base"} & set(page.tags)
    assert "http" not in html
    assert "@import" not in html
    assert set(re.findall(r"url\((.)", html)) <= {"#"}
    assert len(html) < 600_000


def test_no_id_is_there_twice(html):
    ids = Page(html).ids
    assert len(ids) == len(set(ids))


def test_the_same_study_gives_the_same_page(html, whole):
    assert report.render([whole])[0] == html


def test_the_page_is_for_both_themes_and_for_paper(html):
    assert "prefers-color-scheme: dark" in html
    assert "@media print" in html
    assert "width=device-width" in html


def test_what_a_run_directory_says_never_becomes_markup(opened):
    evil = "\"><script>alert(1)</script>&amp;'<img src=x onerror=1>"
    study = opened(
        name=evil,
        shapes=("2t",),
        status=evil,
        manifest={
            "host": evil,
            "command_line": evil,
            "cpu_model": evil,
            "placement": [evil],
            "versions": {evil: evil},
            "configuration": {evil: evil, "topology": "torus" + evil, "colors": evil},
        },
    )
    page = Page(report.render([study, study])[0])
    assert "script" not in page.tags
    assert "img" not in page.tags
    assert not any("<" in identity for identity in page.ids)


@pytest.mark.parametrize(
    "fields",
    [
        {"replicates": 0},
        {"shapes": ("1t",), "modes": (3,), "replicates": 1, "with_qos": False, "with_picture": False},
        {"shapes": ("2t", "1p"), "status": "running", "replicates": 2},
        {"shapes": ("2p2t", "4t"), "nodes_per_worker": 1},
        {"manifest": {"configuration": None, "placement": {"worker 0": [0, 1]}, "cores": "two", "versions": "1"}},
        {"manifest": {"command_line": None, "host": None, "cores": None, "start": None}},
    ],
)
def test_any_study_can_be_reported(opened, fields):
    Page(report.render([opened(**fields)])[0])


def test_an_interrupted_study_is_reported_and_says_so(tmp_path):
    path = write_study(tmp_path / "study", Study(shapes=("2t",), status="running"))
    for name in ("runs", "workers", "qos", "picture"):
        text = (path / f"{name}.csv").read_text()
        (path / f"{name}.csv").write_text(text[: len(text) * 2 // 3])
    html, _ = report.render([BestEffortStudy.open(path)])
    assert "The study did not end" in html
    assert "half written" in html
    Page(html)


def test_report_and_plots_are_written_beside_the_tables(tmp_path):
    study = BestEffortStudy.open(write_study(tmp_path / "study"))
    written = report.write([study])
    assert written == tmp_path / "study" / "report.html"
    names = {path.name for path in (tmp_path / "study" / "plots").iterdir()}
    assert {"updates.svg", "torus-after.svg"} <= names
    assert len(names) == 11, "no temporary file is left"
    mask = os.umask(0)
    os.umask(mask)
    assert written.stat().st_mode & 0o777 == 0o666 & ~mask


def test_several_studies_make_one_report(opened, tmp_path):
    studies = [opened(name="slow", shapes=("2t",)), opened(name="fast", shapes=("2t",), rate=50_000)]
    written = report.write(studies, tmp_path / "both" / "both.html")
    html = written.read_text()
    assert "slow: 2 threads" in html
    assert "fast: 2 threads" in html


def test_a_place_that_cannot_be_written_is_named(whole, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ReportError, match=r"file.*cannot be written .*--output"):
        report.write([whole], tmp_path / "file" / "report.html")
    (tmp_path / "taken.html").mkdir()
    with pytest.raises(ReportError, match=r"cannot be written"):
        report.write([whole], tmp_path / "taken.html")
    assert {path.name for path in tmp_path.iterdir()} == {"file", "taken.html", "plots"}


def test_no_study_is_no_report():
    with pytest.raises(ReportError, match="nothing to report"):
        report.write([])


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: whether a browser shows the report is not tested")
@pytest.mark.parametrize("width", [360, 1200])
def test_a_browser_shows_the_report_without_complaint(whole_path, tmp_path, width):
    """What the browser made of the page is asked by a script that is added for this test.

    No table is wider than its place, no label of a plot is cut off, and on a phone cells name their columns.
    """
    experiment = write_experiment(tmp_path / "work", "work", [{"shape": "2p", "work": n} for n in (0, 64, 4096)])
    html, _ = report.render([BestEffortStudy.open(path) for path in (whole_path, experiment)])
    question = (
        "<script>addEventListener('load', () => {"
        "document.querySelectorAll('details').forEach(each => each.open = true);"
        "const cut = [...document.querySelectorAll('figure svg text')].filter(text => {"
        " const [own, all] = [text, text.ownerSVGElement].map(each => each.getBoundingClientRect());"
        " return own.left < all.left - 2 || own.right > all.right + 2; });"
        "const wide = [...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth + 1);"
        "const named = getComputedStyle(document.querySelector('td'), '::before').content;"
        "const shown =[...document.querySelectorAll('figure svg')].filter(s => s.getBoundingClientRect().height > 100);"
        # A phone is narrower than a headless window can be: the page is asked in a frame of its own width.
        "const page = document.documentElement;"
        "parent.postMessage(`shown ${shown.length} overflow ${page.scrollWidth - page.clientWidth} "
        "wide ${wide.length} cut ${cut.map(each => each.textContent).join()} named ${named}`, '*'); });</script>"
    )
    (tmp_path / "report.html").write_text(html.replace("</body>", question + "</body>"))
    frame = tmp_path / "frame.html"
    frame.write_text(
        "<body><pre id=answer></pre><script>addEventListener('message', e => answer.textContent = e.data)</script>"
        f'<iframe src="report.html" style="width:{width}px;height:800px;border:0"></iframe></body>'
    )
    browser = subprocess.run(
        [
            CHROMIUM,
            "--headless",
            "--enable-logging=stderr",  # there it repeats what stands on the console
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            f"--user-data-dir={tmp_path / 'profile'}",
            "--virtual-time-budget=5000",
            "--dump-dom",
            frame.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    answer = re.search(r"shown (\d+) (overflow .*) named (.*?)</pre>", browser.stdout)
    assert int(answer[1]) > 10
    assert answer[2] == "overflow 0 wide 0 cut "
    assert (answer[3] != "none") == (width == 360)
    assert [line for line in browser.stderr.splitlines() if "CONSOLE" in line] == []
