"""Meshes in blocks of arrays: values arrive along the edges, frames are counted as puts, errors name what is wrong."""

import numpy as np
import pytest
from laxity.columns import tables_of

import laxity

DTYPES = {
    "byte": "u1",
    "short": "i2",
    "single": "f4",
    "double": "f8",
    "complex": "c16",
    "vector": ("f4", 3),
    "matrix": ("f8", (2, 2)),
    "structure": np.dtype([("hops", "u8"), ("position", "f4", 3), ("tag", "u1")]),
}
HANG_S = 300  # more than any loaded machine needs


def bytes_of(nodes, dtype):
    """Make the value of each node, as a row of bytes that depend on its number."""
    size = np.zeros((), dtype).nbytes
    return ((np.asarray(nodes, "i8")[:, None] * 7919 + np.arange(size) * 31) % 251).astype("u1")


def exchange(worker, part):
    """Flush and pull in step with the other workers."""
    part.flush()
    assert worker.barrier()
    part.pull()
    assert worker.barrier()


def stop_when(condition):
    """Make a supervisor that ends the team on a condition, or after a long time."""
    ticks = iter(range(HANG_S * 50))

    def supervise(team):
        if next(ticks, None) is None or condition(team):
            team.request_stop()

    return supervise


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_every_node_sees_what_its_inputs_sent(workers, seed):
    """On random graphs with loops, repeated edges and isolated nodes, on random partitions, elements of any size."""
    random = np.random.default_rng(seed)
    edges = random.integers(0, 40, (100, 2))
    partition = random.integers(0, workers, edges.max() + 1)
    mesh = laxity.Mesh(edges, DTYPES, workers=workers, partition=partition)

    def body(worker):
        part = mesh.part(worker)
        for name, dtype in DTYPES.items():
            part[name].state.view("u1").reshape(-1)[:] = bytes_of(part.nodes, dtype).reshape(-1)
        exchange(worker, part)
        return (
            part.nodes,
            part.indptr,
            {name: part[name].seen[part.indices].tobytes() for name in DTYPES},
        )

    for number, (nodes, indptr, seen) in enumerate(laxity.Team(processes=workers).run(body)):
        assert nodes.tolist() == np.flatnonzero(partition == number).tolist()
        inputs = [sorted(set(edges[edges[:, 1] == node, 0].tolist())) for node in nodes]
        assert np.diff(indptr).tolist() == [len(sources) for sources in inputs]
        for name, dtype in DTYPES.items():
            rows = np.frombuffer(seen[name], "u1").reshape(indptr[-1], -1)
            for sources, begin, end in zip(inputs, indptr, indptr[1:], strict=False):
                assert sorted(rows[begin:end].tolist()) == sorted(bytes_of(sources, dtype).tolist())


@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("dtype", ["u1", "f8", ("f4", 3)])
def test_in_step_a_torus_computes_what_one_array_does(workers, dtype):
    rows, columns, updates = 8, 12, 5
    mesh = laxity.Mesh(laxity.topologies.torus(rows, columns), {"value": dtype}, workers=workers)
    first = np.random.default_rng(1).integers(0, 9, (rows, columns, *np.zeros((), dtype).shape))

    def body(worker):
        part = mesh.part(worker)
        value = part["value"]
        value.state[:] = first.reshape(-1, *first.shape[2:])[part.nodes]
        for _ in range(updates):
            exchange(worker, part)
            up, down, left, right = value.received
            value.state[:] = up + 2 * down + 3 * left + 4 * right
            worker.update_done()
        return part.nodes, value.state

    expected = first.astype(np.zeros((), dtype).dtype)
    for _ in range(updates):
        moved = [np.roll(expected, shift, axis) for axis in (0, 1) for shift in (1, -1)]
        expected = moved[0] + 2 * moved[1] + 3 * moved[2] + 4 * moved[3]
    found = np.empty_like(expected).reshape(-1, *first.shape[2:])
    for nodes, state in laxity.Team(processes=workers).run(body):
        found[nodes] = state
    assert (found.reshape(expected.shape) == expected).all()


def test_a_graph_of_networkx_keeps_its_labels():
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph([("ada", "bob"), ("bob", "cyd")])
    graph.add_node("dan")
    mesh = laxity.Mesh(graph, {"name": "i8"}, workers=2)
    assert mesh.labels == ["ada", "bob", "cyd", "dan"]
    assert (mesh.nodes, mesh.edges) == (4, 4)
    directed = laxity.Mesh(networkx.DiGraph([("ada", "bob")]), {"name": "i8"}, workers=1)
    assert (directed.nodes, directed.edges) == (2, 1)

    def body(worker):
        part = mesh.part(worker)
        part["name"].state[:] = part.nodes
        exchange(worker, part)
        heard = np.split(part["name"].seen[part.indices], part.indptr[1:-1])
        return {mesh.labels[node]: [mesh.labels[k] for k in of] for node, of in zip(part.nodes, heard, strict=True)}

    first, second = laxity.Team(processes=2).run(body)
    assert first | second == {
        "ada": ["bob"],
        "bob": ["ada", "cyd"],
        "cyd": ["bob"],
        "dan": [],
    }


@pytest.mark.parametrize(
    ("topology", "nodes", "edges"),
    [
        (laxity.topologies.ring(5), 5, 5),
        (laxity.topologies.grid(3, 4), 12, 34),
        (laxity.topologies.torus(3, 4, 5), 60, 360),
        (laxity.topologies.complete(4), 4, 12),
        (laxity.topologies.watts_strogatz(20, 4, 0.1, seed=2), 20, 80),
        (laxity.topologies.from_edges(((i, i + 1) for i in range(3)), nodes=9), 9, 3),
        (laxity.topologies.from_edges([]), 0, 0),
    ],
)
def test_graphs_have_the_size_that_was_asked_for(topology, nodes, edges):
    assert (topology.nodes, topology.edges) == (nodes, edges)


def test_a_random_graph_depends_on_its_seed_alone():
    graphs = [laxity.topologies.random_geometric(200, 0.1, seed) for seed in (3, 3, 4)]
    assert graphs[0].edges == graphs[1].edges != graphs[2].edges


def test_a_graph_comes_from_a_file(tmp_path):
    path = tmp_path / "graph.edgelist"
    path.write_text("0 1\n1 2\n")
    assert laxity.topologies.read_graph_file(path).edges == 4
    path.write_text("0 1\n1 x y z\n")
    with pytest.raises(laxity.LaxityError, match=r"graph\.edgelist.*2"):
        laxity.topologies.read_graph_file(path)


@pytest.mark.parametrize(
    ("overflow", "shown", "refused"),
    [("drop_newest", 2, 3), ("latest", 5, 0), ("drop_oldest", 5, 0)],
)
def test_a_full_buffer_refuses_or_overwrites_and_all_frames_are_counted(overflow, shown, refused):
    mesh = laxity.Mesh(
        [(0, 1)],
        {"number": "i8"},
        workers=2,
        partition=[0, 1],
        depth=2,
        overflow=overflow,
    )

    def body(worker):
        part = mesh.part(worker)
        number = part["number"]
        worker.barrier()
        if worker.id == 0:
            for number.state[:] in range(1, 6):
                part.flush()
        worker.barrier()
        before = number.seen.tolist()
        part.pull()
        return before, number.seen.tolist()

    team = laxity.Team(processes=2)
    assert team.run(body)[1] == ([0, 0], [0, shown])
    [row] = team.links().to_dict("records")
    assert (row["layer"], row["from_worker"], row["to_worker"]) == (1, 0, 1)
    assert (row["attempted"], row["refused"], row["pulls"], row["laden"]) == (
        5,
        refused,
        1,
        1,
    )
    assert row["received"] + row["superseded"] + row["refused"] == 5


def test_what_was_received_changes_in_the_pull_alone():
    mesh = laxity.Mesh(laxity.topologies.ring(4), {"number": "i8"}, workers=1)

    def body(worker):
        part = mesh.part(worker)
        number = part["number"]
        number.state[:] = 1
        assert number.seen.tolist() == [0] * 4
        assert number.received.tolist() == [[0] * 4]
        part.pull()
        number.state[:] = 2
        assert number.received.tolist() == [[1] * 4]
        for constant in (
            number.seen,
            number.received,
            part.nodes,
            part.indptr,
            part.indices,
        ):
            with pytest.raises(ValueError, match="read-only"):
                constant[...] = 3
        return len(part), repr(mesh)

    [(size, text)] = laxity.Team(processes=1).run(body)
    assert size == 4
    assert text == "<laxity.Mesh of 4 nodes and 4 edges, 1 workers; number: int64>"


def test_an_assignment_to_the_state_copies():
    mesh = laxity.Mesh(laxity.topologies.ring(3), {"number": "i8"}, workers=1)

    def body(worker):
        number = mesh.part(worker)["number"]
        before, values = number.state, np.array([1, 2, 3])
        number.state = values
        number.state += 10
        assert number.state is before
        return values.tolist(), before.tolist()

    assert laxity.Team(processes=1).run(body) == [([1, 2, 3], [11, 12, 13])]


def test_channels_and_several_meshes_are_counted_apart():
    one = laxity.Mesh([(0, 1), (1, 0)], {"a": "u1", "b": "f8"}, workers=2, partition=[0, 1])
    other = laxity.Mesh([(0, 1)], {"c": "i2"}, workers=2, partition=[0, 1])

    def body(worker):
        parts = [one.part(worker), other.part(worker)]
        if worker.id == 0:
            assert worker.sink(1, "f8").try_put(np.array(1.0))
        else:
            worker.source(0, "f8").pull()
        for _ in range(3):
            parts[0].flush()
        parts[1].flush()

    team = laxity.Team(processes=2)
    team.run(body)
    links = team.links().set_index(["layer", "from_worker", "to_worker"])["attempted"]
    assert links.to_dict() == {
        (0, 0, 1): 1,
        (1, 0, 1): 3,
        (1, 1, 0): 3,
        (2, 0, 1): 3,
        (2, 1, 0): 3,
        (3, 0, 1): 1,
    }


def test_quality_of_service_is_a_frame_live_and_after():
    mesh = laxity.Mesh(laxity.topologies.torus(8, 8), {"value": "f8"}, workers=2)
    live = []

    def body(worker):
        part = mesh.part(worker)
        outlet, inlet = (
            worker.source(1 - worker.id, "f8"),
            worker.sink(1 - worker.id, "f8"),
        )
        while not worker.stop_requested:
            part.pull()
            outlet.pull()
            part.flush()
            inlet.try_put(np.array(0.0))
            worker.update_done()

    def several_windows(team):
        live.append(team.quality())
        return live[-1]["snapshot"].nunique() >= 3

    team = laxity.Team(processes=2, window_s=0.02)
    assert team.quality().empty
    team.run(body, stop_when(several_windows))
    after = team.quality()
    assert list(after.columns) == [name for name in tables_of("coloring")["qos"].names if name != "run"]
    assert len(after) >= len(live[-1]) > len(live[0])
    assert (after.head(len(live[-1])) == live[-1]).all().all()

    between = after[after["from_worker"] != after["to_worker"]]
    assert set(map(tuple, between[["layer", "from_worker", "to_worker"]].to_numpy())) == {
        (0, 0, 1), (0, 1, 0), (1, 0, 1), (1, 1, 0),
    }  # fmt: skip
    assert set(between["neighbor_kind"]) == {"process"}
    assert set(after.loc[after["from_worker"] == after["to_worker"], "neighbor_kind"]) == {"same_thread"}
    assert (after["window_ns"] > 0).all()
    assert (after["accepted"] <= after["attempted"]).all()
    assert after["delivery_failure_rate"].between(0, 1).all()
    assert np.isfinite(after.select_dtypes("number")).all().all()
    assert between.groupby("layer")["touches"].sum()[0] == 0
    total = team.links()
    assert (total["received"] + total["superseded"] + total["refused"] <= total["attempted"]).all()


def test_a_duration_ends_the_team():
    def body(worker):
        while not worker.stop_requested:
            worker.update_done()
        return worker.updates > 0

    assert laxity.Team(processes=2).run(body, duration_s=0.05) == [True, True]


def test_an_exception_in_an_update_comes_back_with_its_traceback():
    mesh = laxity.Mesh(laxity.topologies.torus(4, 4), {"value": "f8"}, workers=2)

    def update(part):
        part.pull()
        if part.nodes[0] != 0:
            raise FloatingPointError("diverged")
        part.flush()

    def body(worker):
        part = mesh.part(worker)
        while not worker.stop_requested:
            update(part)
            worker.update_done()

    with pytest.raises(laxity.WorkerError, match=r"worker 1 .* failed: FloatingPointError: diverged") as caught:
        laxity.Team(processes=2).run(body)
    assert "in update" in caught.value.traceback


TORUS = laxity.topologies.torus(4, 4)


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (
            {"graph": 7},
            r"graph = 7: must be a graph of networkx or of laxity\.topologies, or edges",
        ),
        ({"graph": "torus"}, "graph = 'torus'"),
        ({"graph": [(0, 1, 2)]}, r"edges of shape \(1, 3\).*pairs"),
        ({"graph": [(0.5, 1)]}, "dtype float64: must be pairs"),
        ({"graph": [(0, -1)]}, "edges name node -1"),
        ({"graph": [(0, 2**40)]}, f"edges name node {2**40}"),
        ({"graph": []}, "1 workers for 0 nodes"),
        ({"workers": 17}, "17 workers for 16 nodes"),
        ({"workers": 0}, "workers = 0: must be at least 1"),
        ({"layers": {}}, "layers = {}: must be a mapping of at least one name"),
        ({"layers": "f8"}, "layers = 'f8'"),
        ({"layers": {"color": "blue"}}, "layer 'color': .*blue"),
        ({"layers": {"color": object}}, "layer 'color': .*objects of Python"),
        ({"layers": {"color": None}}, "layer 'color': must be a name and a dtype"),
        ({"layers": {3: "f8"}}, "layer 3: must be a name and a dtype"),
        ({"layers": {"day": "M8[D]"}}, r"datetime64\[D\].*use numbers"),
        ({"layers": {"none": ("f8", 0)}}, "at least one element"),
        ({"depth": 0}, "depth"),
        ({"overflow": "wait"}, "overflow = wait: must be drop_newest"),
        ({"partition": [0] * 15}, r"partition of shape \(15,\).*each of 16 nodes"),
        ({"partition": [0.0] * 16}, "partition .*dtype float64"),
        ({"partition": [1] * 16}, "workers are 0 to 0, and it has 1 to 1"),
    ],
)
def test_a_mesh_that_makes_no_sense_is_refused_in_one_line(arguments, what):
    with pytest.raises(laxity.UsageError, match=what) as caught:
        laxity.Mesh(**{"graph": TORUS, "layers": {"value": "f8"}, "workers": 1} | arguments)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: laxity.topologies.torus(-1, 4), "extent = -1"),
        (lambda: laxity.topologies.ring(2**32), "nodes = 4294967296"),
        (lambda: laxity.topologies.watts_strogatz(10, 3, 0.1), "neighbors"),
        (
            lambda: laxity.topologies.from_edges([(0, 5)], nodes=3),
            "0 -> 5 names a node outside 0..2",
        ),
        (lambda: laxity.Team(processes=1, window_s=0), "window_s = 0"),
        (
            lambda: laxity.Team(processes=1).run(lambda _: None, duration_s=float("nan")),
            "duration_s = nan",
        ),
    ],
)
def test_what_makes_no_sense_is_named(make, what):
    with pytest.raises(laxity.UsageError, match=what):
        make()


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (
            lambda mesh, worker: mesh.part(worker)["tint"],
            "no layer 'tint'; this mesh has value, other",
        ),
        (
            lambda mesh, worker: mesh.part(worker)["value"].received,
            "layer 'value': .*different numbers of inputs",
        ),
        (
            lambda mesh, worker: setattr(mesh.part(worker)["value"], "state", [1, 2]),
            "could not broadcast",
        ),
    ],
)
def test_a_wrong_use_of_a_part_is_named(body, what):
    mesh = laxity.Mesh([(0, 1), (0, 2), (1, 2)], {"value": "f8", "other": "u1"}, workers=1)
    with pytest.raises(laxity.WorkerError, match=what):
        laxity.Team(processes=1).run(lambda worker: body(mesh, worker))


def test_a_team_of_another_size_is_refused():
    mesh = laxity.Mesh(TORUS, {"value": "f8"}, workers=2)
    with pytest.raises(laxity.WorkerError, match="made for 2 workers, and the team has 3"):
        laxity.Team(processes=3).run(mesh.part)


def test_meshes_that_differ_between_workers_are_refused():
    meshes = [laxity.Mesh(TORUS, {"value": dtype}, workers=2) for dtype in ("f8", "f4")]

    def body(worker):
        if worker.id == 1:
            worker.barrier()
        meshes[worker.id].part(worker)
        if worker.id == 0:
            worker.barrier()

    with pytest.raises(
        laxity.WorkerError,
        match=r"layer 1.*float32 of shape \(\).*float64 of shape \(\)",
    ):
        laxity.Team(processes=2).run(body)
