import pytest
from written import write_directory

from laxity import layout, report, terminal
from laxity.error import ReportError, RunDirectoryError
from laxity.studies.traces import otf2_export
from laxity.studies.traces import plots as trace_plots
from laxity.studies.traces.study import TraceStudy
from laxity.study import open_study

WHICH = "alltoall,blocking,world"
DELAYS_US = (0.5, 40.0, 12.25, 7.0)


def write_trace(path, *, calls=100, one_clock=1, traced=4, status="done"):
    tables = {
        "runs": [f"0,00ff,/bin/app,Open MPI v4.1.4,4,{traced},1,{4 * calls},2.0,0.5,0.4,{one_clock},{status}"],
        "collectives": [
            f"0,{WHICH},4,{calls},64,64.0,64,25600,3.5,1.5,30.0,90.0,12.0",
            "0,barrier,nonblocking,comm 1,2,5,0,0.0,0,0,0.5,0.1,3.0,4.0,1.0",
        ],
        "processes": [f"0,{i},node,{calls},6400,6400,2.0,1.0,0.4,{delay}" for i, delay in enumerate(DELAYS_US)],
        "delays": [f"0,{WHICH},{i},{calls},{delay},90.0" for i, delay in enumerate(DELAYS_US)],
        "calls": [f"0,{i},{WHICH},{i},4,64,{i * 0.01},{i % 7}.5,12.0,20.0,300.0,30.0" for i in range(calls)],
    }
    return write_directory(path, "trace", tables, status=status, configuration={"every": 1})


def test_a_trace_is_read_and_said(tmp_path):
    study = open_study(write_trace(tmp_path / "ft"))
    assert isinstance(study, TraceStudy)
    said = study.summary()
    assert "50.0" in said
    assert "MPI_Alltoall on world: 100 calls of 64 bytes, skew 30 µs" in said.replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert study.warnings() == []


def test_a_report_shows_skew_per_process_and_per_call_and_shares_of_time(tmp_path):
    html, plots = report.render([open_study(write_trace(tmp_path / "ft"))])
    assert [plot.name for plot in plots] == ["trace-delays", "trace-skew", "trace-shares"]
    assert ">Traced programs</h2>" in html
    assert "MPI_Ibarrier on comm 1" in html
    assert "Graph coloring" not in html


def test_axes_reach_as_far_as_what_is_drawn(tmp_path, monkeypatch):
    figures = {}
    monkeypatch.setattr(trace_plots, "to_svg", lambda figure, name: figures.setdefault(name, figure) and "")
    trace_plots.draw([open_study(write_trace(tmp_path / "ft"))])
    tops = {name: figure.axes[0].get_ylim() for name, figure in figures.items()}
    assert {low for low, _ in tops.values()} == {0}
    assert max(DELAYS_US) <= tops["trace-delays"][1] < 2 * max(DELAYS_US)
    assert 6.5 <= tops["trace-skew"][1] < 13
    assert tops["trace-shares"][1] == 100
    shares = [bar.get_y() + bar.get_height() for bar in figures["trace-shares"].axes[0].patches]
    assert max(shares) == pytest.approx(50)


def test_a_long_trace_keeps_its_largest_skew_in_the_plot(tmp_path):
    path = write_trace(tmp_path / "long", calls=5000)
    lines = (path / "calls.csv").read_text().splitlines()
    lines[2000] = lines[2000].replace(",4,64,", ",4,64,", 1).replace(".5,12.0", "00.5,12.0")
    (path / "calls.csv").write_text("\n".join(lines) + "\n")
    _, plots = report.render([open_study(path)])
    svg = next(plot.svg for plot in plots if plot.name == "trace-skew")
    assert svg.count("<use") <= 1600
    assert ">400<" in svg  # the axis reaches the one call of 400.5 us


def test_warnings_name_what_makes_skew_meaningless(tmp_path):
    said = " ".join(open_study(write_trace(tmp_path / "a", one_clock=0, traced=2, status="failed")).warnings())
    assert "different clocks" in said
    assert "2 of 4 processes" in said
    assert "did not end well" in said


def test_the_table_fits_the_terminal(tmp_path):
    lines = terminal.render([open_study(write_trace(tmp_path / "ft"))]).splitlines()
    assert all(len(line) <= layout.WIDTH for line in lines)
    assert any("MPI_Alltoall" in line for line in lines)


def test_an_empty_trace_makes_a_report(tmp_path):
    study = open_study(write_directory(tmp_path / "none", "trace", {}))
    assert "nothing to show" in study.summary()
    assert "Traced programs" not in report.render([study])[0]


def test_a_damaged_table_is_refused_with_its_place(tmp_path):
    path = write_trace(tmp_path / "bad")
    write_directory(path, "trace", {"delays": [f"0,{WHICH},0,1,late,2"]})
    with pytest.raises(RunDirectoryError, match=r"delays\.csv, line 2, column mean_delay_us"):
        open_study(path)


CALLS = (
    "job,rank,collective,start,communicator,sequence,root,bytes_sent,bytes_received,arrival_ns,return_ns,"
    "completing_ns,exit_ns,completed\n"
    "0,0,allreduce,blocking,world,0,-1,8,8,100,200,100,200,1\n"
    "0,1,allreduce,blocking,world,0,-1,8,8,150,210,150,210,1\n"
    "0,0,barrier,nonblocking,world,1,-1,0,0,300,310,400,450,1\n"
)


def test_an_otf2_archive_holds_every_time_in_mpi(tmp_path):
    otf2 = pytest.importorskip("otf2", reason="pip install otf2")
    (tmp_path / "calls.csv").write_text(CALLS)
    assert otf2_export.write(tmp_path / "calls.csv", tmp_path / "archive") == 8
    with otf2.reader.open(str(tmp_path / "archive" / "traces.otf2")) as archive:
        seen = [
            (location.name, event.time, event.region.name)
            for location, event in archive.events
            if isinstance(event, otf2.events.Enter)
        ]
    assert seen == [
        ("rank 0", 100, "MPI_Allreduce"),
        ("rank 1", 150, "MPI_Allreduce"),
        ("rank 0", 300, "MPI_Ibarrier"),
        ("rank 0", 400, "MPI_Ibarrier (completion)"),
    ]


def test_otf2_of_another_table_is_an_error(tmp_path):
    pytest.importorskip("otf2", reason="pip install otf2")
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ReportError, match="not a table of calls"):
        otf2_export.write(tmp_path / "other.csv", tmp_path / "archive")
