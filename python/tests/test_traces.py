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
            f"0,{WHICH},4,{calls},64,64.0,64,25600,3.5,1.5,30.0,90.0,12.0,2.0,1.4,1.2,1.5,0.1",
            "0,barrier,nonblocking,comm 1,2,5,0,0.0,0,0,0.5,0.1,3.0,4.0,1.0,0.5,0,0,0,0",
        ],
        "processes": [f"0,{i},node,{calls},6400,6400,2.0,1.0,0.4,{delay}" for i, delay in enumerate(DELAYS_US)],
        "delays": [f"0,{WHICH},{i},{calls},{delay},90.0" for i, delay in enumerate(DELAYS_US)],
        "calls": [f"0,{i},{WHICH},{i},4,64,{i * 0.01},{i % 7}.5,12.0,20.0,300.0,30.0,1,work" for i in range(calls)],
        "lateness": [f"0,{WHICH},1,60,1.0,0.75,0.25,0,0,0.2", f"0,{WHICH},2,10,0.4,0,0,0.3,0.1,0"],
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
    assert [plot.name for plot in plots] == ["trace-delays", "trace-skew", "trace-shares", "trace-late"]
    assert ">Traced programs</h2>" in html
    assert "MPI_Ibarrier on comm 1" in html
    assert "Graph coloring" not in html


def test_the_report_names_the_late_and_why(tmp_path):
    study = open_study(write_trace(tmp_path / "ft"))
    said = study.summary().replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert "35.0 % of the time in collectives is waiting for late processes (between 30.0 % and 37.5 %)" in said
    late = study.late()
    assert list(late.index) == [1, 2]
    assert late.loc[1, "caused_s"] == pytest.approx(1.2)
    assert late.loc[2, "caused_s"] == pytest.approx(0.1)
    html, _ = report.render([study])
    row = html[html.index("process 1<") :].split("</tr>")[0].replace("\N{NARROW NO-BREAK SPACE}", " ")
    for cell in ("60", "25.0 %", "75.0 %", "30.0 %"):
        assert cell in row


def test_a_trace_of_an_older_release_shows_nobody_late(tmp_path):
    path = write_trace(tmp_path / "old")
    (path / "lateness.csv").unlink()
    collectives = (path / "collectives.csv").read_text().splitlines()
    (path / "collectives.csv").write_text("\n".join(line.rsplit(",", 5)[0] for line in collectives) + "\n")
    study = open_study(path)
    assert "late processes" not in study.summary()
    html, plots = report.render([study])
    assert "late process" not in html
    assert "trace-late" not in [plot.name for plot in plots]


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


COLUMNS = (
    "job,rank,thread,collective,start,communicator,communicator_size,remote_size,rank_in_communicator,sequence,root,"
    "bytes_sent,bytes_received,arrival_ns,return_ns,completing_ns,exit_ns,completing_thread,completed,site,symbol\n"
)
CALLS = COLUMNS + (
    "0,1,0,allreduce,blocking,world,3,0,1,0,-1,8,8,150,210,150,210,0,1,app+0x1,solve\n"
    "0,0,0,allreduce,blocking,world,3,0,0,0,-1,8,8,100,200,100,200,0,1,app+0x1,solve\n"
    "0,2,0,allreduce,blocking,world,3,0,2,0,-1,8,8,100,200,100,200,0,1,app+0x1,solve\n"
    # A communicator with the opposite order of ranks, whose process 0 is rank 2 in MPI_COMM_WORLD.
    "0,2,0,bcast,blocking,comm 1,2,0,0,0,1,0,64,220,230,220,230,0,1,app+0x2,\n"
    "0,0,0,bcast,blocking,comm 1,2,0,1,0,1,64,0,215,230,215,230,0,1,app+0x2,\n"
    # Two operations that one wait of another thread completes, and a neighborhood collective.
    "0,0,0,barrier,nonblocking,world,3,0,0,1,-1,0,0,300,310,400,450,1,1,app+0x3,\n"
    "0,0,0,reduce,nonblocking,world,3,0,0,2,2,16,0,320,330,400,450,1,1,app+0x4,\n"
    "0,0,0,neighbor_alltoall,blocking,world,3,0,0,3,-1,4,4,500,510,500,510,0,1,app+0x5,\n"
)


@pytest.fixture
def archive(tmp_path):
    pytest.importorskip("otf2", reason="pip install otf2")
    (tmp_path / "calls.csv").write_text(CALLS)
    otf2_export.write(tmp_path / "calls.csv", tmp_path / "archive")
    return tmp_path / "archive" / "traces.otf2"


def test_an_otf2_archive_has_a_location_group_per_process_and_a_location_per_thread(archive):
    import otf2

    with otf2.reader.open(str(archive)) as trace:
        locations = [(location.name, location.group.name) for location in trace.definitions.locations]
        groups = {
            (group.name, group.group_type): [location.name for location in group.members]
            for group in trace.definitions.groups
        }
        comms = [(comm.name, comm.parent.name if comm.parent else None) for comm in trace.definitions.comms]
        regions = {region.name: (region.paradigm, region.region_role) for region in trace.definitions.regions}
    assert locations == [
        ("rank 0", "MPI rank 0"),
        ("rank 0, thread 1", "MPI rank 0"),
        ("rank 1", "MPI rank 1"),
        ("rank 2", "MPI rank 2"),
    ]
    kinds = otf2.enums.GroupType
    assert groups == {
        ("MPI processes", kinds.COMM_LOCATIONS): ["rank 0", "rank 1", "rank 2"],
        ("MPI_COMM_WORLD", kinds.COMM_GROUP): ["rank 0", "rank 1", "rank 2"],
        ("comm 1", kinds.COMM_GROUP): ["rank 2", "rank 0"],
    }
    assert comms == [("MPI_COMM_WORLD", None), ("comm 1", "MPI_COMM_WORLD")]
    roles = otf2.enums.RegionRole
    assert {paradigm for paradigm, _ in regions.values()} == {otf2.enums.Paradigm.MPI}
    assert {name: role for name, (_, role) in regions.items()} == {
        "MPI_Allreduce": roles.COLL_ALL2ALL,
        "MPI_Bcast": roles.COLL_ONE2ALL,
        "MPI_Ibarrier": roles.BARRIER,
        "MPI_Ireduce": roles.COLL_ALL2ONE,
        "MPI_Neighbor_alltoall": roles.COLL_OTHER,
        "MPI_Wait": roles.POINT2POINT,
    }


def test_an_otf2_archive_has_the_records_of_collectives(archive):
    import otf2

    no_root = 2**32 - 1
    with otf2.reader.open(str(archive)) as trace:
        seen = [(location.name, as_text(event)) for location, event in trace.events]
    assert [event for name, event in seen if name == "rank 1"] == [
        "150 Enter MPI_Allreduce",
        "150 MpiCollectiveBegin",
        f"210 MpiCollectiveEnd ALLREDUCE on MPI_COMM_WORLD root {no_root} sent 8 received 8",
        "210 Leave MPI_Allreduce",
    ]
    of_rank_0 = [event for name, event in seen if name == "rank 0"]
    assert "230 MpiCollectiveEnd BCAST on comm 1 root 1 sent 64 received 0" in of_rank_0
    assert of_rank_0[-8:] == [
        "300 Enter MPI_Ibarrier",
        "300 NonBlockingCollectiveRequest 5",
        "310 Leave MPI_Ibarrier",
        "320 Enter MPI_Ireduce",
        "320 NonBlockingCollectiveRequest 6",
        "330 Leave MPI_Ireduce",
        "500 Enter MPI_Neighbor_alltoall",
        "510 Leave MPI_Neighbor_alltoall",
    ]
    assert [event for name, event in seen if name == "rank 0, thread 1"] == [
        "400 Enter MPI_Wait",
        f"450 NonBlockingCollectiveComplete 5 BARRIER on MPI_COMM_WORLD root {no_root} sent 0 received 0",
        "450 NonBlockingCollectiveComplete 6 REDUCE on MPI_COMM_WORLD root 2 sent 16 received 0",
        "450 Leave MPI_Wait",
    ]


def as_text(event):
    words = [str(event.time), type(event).__name__]
    if hasattr(event, "region"):
        words.append(event.region.name)
    if hasattr(event, "request_id"):
        words.append(str(event.request_id))
    if hasattr(event, "collective_op"):
        operation = str(event.collective_op).rpartition(".")[2]
        words.append(
            f"{operation} on {event.communicator.name} root {event.root} sent {event.size_sent} received "
            f"{event.size_received}"
        )
    return " ".join(words)


def test_members_that_were_not_traced_are_missing_in_otf2_communicators(tmp_path):
    otf2 = pytest.importorskip("otf2", reason="pip install otf2")
    row = "0,{0},0,bcast,blocking,world,4,0,{0},0,{1},0,64,220,230,220,230,0,1,app+0x2,\n"
    (tmp_path / "calls.csv").write_text(COLUMNS + row.format(1, 3) + row.format(3, 3))
    assert otf2_export.write(tmp_path / "calls.csv", tmp_path / "archive") == 8
    with otf2.reader.open(str(tmp_path / "archive" / "traces.otf2")) as trace:
        ends = [event for _, event in trace.events if isinstance(event, otf2.events.MpiCollectiveEnd)]
        assert [trace.definitions.comms[0].group.members[event.root].name for event in ends] == ["rank 3", "rank 3"]


def test_otf2_of_another_table_is_an_error(tmp_path):
    pytest.importorskip("otf2", reason="pip install otf2")
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ReportError, match="not a table of calls"):
        otf2_export.write(tmp_path / "other.csv", tmp_path / "archive")
