"""How much memory is read: in blocks of which size, with how many threads, until when."""

import hashlib
import math
import subprocess
import sys
import threading
import time
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tensor_inspector.measure.stats import of_tensor, systematic_sample
from tensor_inspector.measure.stats.tally import Tally
from tensor_inspector.safe.budget import Budget

torch = pytest.importorskip("torch")

scanning = sys.modules["tensor_inspector.measure.stats.scan"]
one_thread = sys.modules["tensor_inspector.safe.one_thread"]
WHOLE = 1 << 20  #: elements of a block
SPLIT = 1 << 15  #: elements that torch splits among threads
NO_OPENMP = patch.object(one_thread, "_openmp", list)
needs_openmp = pytest.mark.skipif(
    sys.platform != "linux" or not torch.backends.openmp.is_available(),
    reason="where OpenMP is found is known of Linux alone",
)


class Clock:
    """A clock that each step of work moves on by what the test says it costs."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Run:
    """A scan of ones, of four blocks.

    ``costs`` of the steps, in milliseconds, the last one again and again; ``idle``: how many of four cores no other
    thread wanted, likewise; ``ours``: how many other threads of this process wanted one; ``threads`` that torch has.
    """

    def __init__(self, costs, idle=(4,), ms=40.0, rehearse=None, threads=4, ours=0, count=4 * WHOLE):
        clock, costs, idle = Clock(), list(costs), list(idle)
        self.sizes = []  #: of the steps
        self.threads = []  #: torch's, at each step
        self.asked = 0  #: how often this process was asked for its threads

        def kernel(block):
            self.sizes.append(block.numel())
            self.threads.append(torch.get_num_threads())
            clock.now += (costs.pop(0) if len(costs) > 1 else costs[0]) / 1000
            return Tally(block.numel())

        def running():
            self.asked += 1
            return ours

        view = torch.zeros(1).expand(count)
        known = {
            "_CORES": 4,
            "_idle_cores": lambda: idle.pop(0) if len(idle) > 1 else idle[0],
            "_other_threads": running,
            "_torch_threads": lambda: threads,
        }
        with patch.multiple(scanning, **known):
            budget = Budget(ms, clock=clock)
            tally = scanning.scan(view, lambda where: view[: len(where)], kernel, count, WHOLE, budget, rehearse)
        assert tally.read == sum(self.sizes)
        self.ms = clock.now * 1000


def test_idle_cores_read_whole_blocks():
    assert Run([0.5]).sizes == [WHOLE] * 4


def test_where_all_cores_are_idle_this_process_is_not_asked_for_its_threads():
    assert Run([0.5]).asked == 0


@needs_openmp
@pytest.mark.parametrize("idle", [3, 1, 0, -2])
def test_where_others_want_a_core_torch_works_with_one_thread(idle):
    run = Run([0.01], [idle])
    assert run.sizes == [WHOLE] * 4
    assert set(run.threads) == {1}


@pytest.mark.parametrize("idle", [3, 1, 0, -2])
def test_where_torch_can_not_be_told_so_the_steps_are_too_small_to_be_split(idle):
    with NO_OPENMP:
        sizes = Run([0.01], [idle]).sizes
    assert sum(sizes) == 4 * WHOLE
    assert max(sizes) < SPLIT


def test_one_thread_waits_for_no_other_however_busy_the_cores_are():
    with NO_OPENMP:
        assert Run([0.5], [0], threads=1).sizes == [WHOLE] * 4


def test_threads_of_the_last_block_that_still_spin_are_no_others():
    with NO_OPENMP:
        assert Run([0.5], [4, 1]).sizes == [WHOLE] * 4


def test_threads_that_spin_since_the_program_has_used_torch_are_no_others():
    with NO_OPENMP:
        assert Run([0.5], [1], ours=3).sizes == [WHOLE] * 4


def test_threads_of_this_process_do_not_hide_those_of_others():
    with NO_OPENMP:
        assert max(Run([0.5], [0], ours=9).sizes) < SPLIT


def test_this_process_is_asked_for_its_threads_once():
    assert Run([0.01], [0], ours=3).asked == 1


def test_it_is_not_asked_for_few_elements_which_takes_longer_than_to_read_them():
    with NO_OPENMP:
        run = Run([0.01], [1], ours=3, count=100_000)
    assert max(run.sizes) < SPLIT
    assert run.asked == 0


def test_what_torch_splits_in_two_waits_for_no_other_either():
    with NO_OPENMP:
        assert max(Run([0.01], [1], count=SPLIT + 1).sizes) < SPLIT


def test_few_elements_need_no_more_cores_than_they_are_split_among():
    with NO_OPENMP:
        assert Run([0.01], [2], count=60_000).sizes == [60_000]


def test_a_slow_block_tells_that_the_cores_are_busy():
    with NO_OPENMP:
        sizes = Run([6.0, 0.01]).sizes
    assert sizes[0] == WHOLE
    assert max(sizes[1:]) < SPLIT


def test_where_the_system_does_not_say_a_rehearsal_does():
    asked = []
    with NO_OPENMP:
        sizes = Run([0.5], [None], rehearse=lambda: asked.append(1)).sizes
    assert asked
    assert sizes == [WHOLE] * 4


def test_a_tensor_is_rehearsed_by_torch():
    with patch.object(scanning, "_idle_cores", lambda: None), torch.no_grad():
        assert of_tensor(torch.ones(2_500_003), Budget(40.0, clock=Clock()))["exact"]


@needs_openmp
def test_the_last_milliseconds_are_for_one_thread():
    assert set(Run([0.1], ms=10.0).threads) == {1}


def test_the_last_milliseconds_are_not_staked_on_idle_cores():
    with NO_OPENMP:
        assert max(Run([0.1], ms=10.0).sizes) < SPLIT


@pytest.mark.parametrize("openmp", [True, False])
@settings(max_examples=200)
@given(
    st.lists(st.floats(0, 12), min_size=1, max_size=60),
    st.lists(st.sampled_from([4, 3, 1, 0, None]), min_size=1, max_size=6),
    st.sampled_from([5.0, 40.0, 200.0]),
)
def test_whatever_the_steps_cost_two_at_most_go_beyond_the_time(openmp, costs, idle, ms):
    told = one_thread._openmp
    with patch.object(one_thread, "_openmp", told if openmp else list):
        assert Run(costs, idle, ms).ms <= ms + 2 * max(costs) + 1e-6


@pytest.mark.parametrize("idle", [4, 0])
def test_without_a_limit_all_is_read(idle):
    assert sum(Run([1e9], [idle], ms=math.inf).sizes) == 4 * WHOLE


@settings(max_examples=50)
@given(st.integers(1, 10**7), st.integers(1, 10**5))
def test_every_piece_of_a_sample_is_spread_over_the_whole(count, wanted):
    where = systematic_sample.positions(0, count, wanted)
    parts = list(systematic_sample.pieces(where))
    assert sorted(place for part in parts for place in part) == list(where)
    for part in parts:
        assert len(part) <= systematic_sample.PIECE
        assert part.step % 2 == 1
        assert part[0] < where[0] + part.step
        assert part[-1] + part.step > where[-1]


#: Runs in a process of its own, whose torch has three threads.
ONE_THREAD = """
import sys, threading, torch
sys.path.insert(0, "pyhelper")
from tensor_inspector.safe.one_thread import OneThread

def elsewhere():
    found = []
    thread = threading.Thread(target=lambda: found.append(torch.get_num_threads()))
    thread.start()
    thread.join()
    return found[0]

torch.set_num_threads(3)
try:
    with OneThread(True) as must_be_small:
        print(torch.get_num_threads(), elsewhere(), must_be_small)
        raise KeyError
except KeyError:
    print(torch.get_num_threads(), elsewhere())
with OneThread(False) as must_be_small:
    print(torch.get_num_threads(), must_be_small)
{more}
"""


def said(more: str = "") -> list[str]:
    program = [sys.executable, "-c", ONE_THREAD.format(more=more)]
    done = subprocess.run(program, capture_output=True, text=True, timeout=600)
    assert not done.stderr, done.stderr
    return done.stdout.splitlines()


@needs_openmp
def test_one_thread_is_one_in_its_own_thread_alone_and_until_its_end_however_that_comes():
    assert said() == ["1 3 False", "3 3", "3 False"]


@needs_openmp
def test_an_exception_on_its_way_in_leaves_all_threads():
    more = """
told = torch.get_num_threads

def interrupted():
    if told() == 1:
        raise KeyboardInterrupt
    return told()

torch.get_num_threads = interrupted
try:
    OneThread(True).__enter__()
except KeyboardInterrupt:
    print(told())
"""
    assert said(more)[-1] == "3"


@needs_openmp
def test_a_forked_child_which_has_none_of_the_threads_waits_for_none():
    more = """
import os, signal
from tensor_inspector import facts

values = torch.randn(1 << 20)
facts(values)
scan = sys.modules["tensor_inspector.measure.stats.scan"]
scan._CORES = 4
scan._idle_cores = lambda: 4
values.sum()
child = os.fork()
if child == 0:
    signal.alarm(120)  # torch itself would wait for ever
    print(facts(values)["stats"]["exact"], torch.get_num_threads(), flush=True)
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""
    assert said(more)[-2:] == ["True 3", "0"]


@needs_openmp
def test_what_the_program_puts_in_the_place_of_ctypes_is_not_asked():
    more = """
import ctypes

class Namespace:
    def __getitem__(self, name):
        print(name)

ctypes.pythonapi = Namespace()
with OneThread(True) as must_be_small:
    print(torch.get_num_threads(), must_be_small)
"""
    assert said(more)[-2:] == ["3 False", "1 False"]


#: Put in the place of ``more``: an audit hook of the program refuses all.
REFUSED = """
def refuse(event, _):
    raise RuntimeError(event)

sys.addaudithook(refuse)
"""


def test_an_audit_hook_that_refuses_leaves_all_threads():
    more = """
sys.modules[OneThread.__module__]._found.clear()
with OneThread(True) as must_be_small:
    print(torch.get_num_threads(), must_be_small)
"""
    assert said(REFUSED + more)[-1] == "3 True"


def test_an_audit_hook_that_refuses_leaves_the_cores_unknown():
    more = """
print(scan._idle_cores(), scan._other_threads())
"""
    told = "from tensor_inspector.measure.stats import exact\nscan = sys.modules['tensor_inspector.measure.stats.scan']"
    assert said(told + REFUSED + more)[-1] == "None 0"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not say which threads want a core")
def test_another_thread_of_this_process_that_works_is_counted():
    over = threading.Event()

    def work():
        while not over.is_set():
            hashlib.sha256(bytes(1 << 24))  # without the interpreter's lock

    thread = threading.Thread(target=work)
    thread.start()
    try:
        deadline = time.monotonic() + 120
        while scanning._other_threads() < 1:
            assert time.monotonic() < deadline, "waited two minutes for a thread that wants a core"
    finally:
        over.set()
        thread.join()


@pytest.mark.parametrize("text", ["", "0.00 0.00 0.00 0/0 0\n", "no numbers at all here"])
def test_a_system_that_does_not_know_what_runs_leaves_the_cores_unknown(text):
    with patch.object(scanning, "system_text", lambda _: text):
        assert scanning._idle_cores() is None
