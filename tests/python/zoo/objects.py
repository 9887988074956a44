"""Values of plain Python: numbers and strings, containers, classes, exceptions, what runs, what is open, what is hostile."""

from __future__ import annotations

import array
import collections
import contextlib
import contextvars
import datetime
import decimal
import fractions
import functools
import io
import itertools
import math
import os
import pathlib
import queue
import random
import re
import socket
import string
import sys
import threading
import time
import types
import uuid
import weakref

import torch
from hostile import objects as hostile_objects
from torch import nn

from .made_objects import (
    Clashing,
    Colour,
    Config,
    Endless,
    Frozen,
    Level,
    OwnDict,
    OwnError,
    Perm,
    Plain,
    Point,
    Slots,
    SlotsAndDict,
    Text,
    Zone,
    alive,
    cached,
    chained,
    closed_over,
    counting,
    dead_reference,
    deep_error,
    deep_list,
    delegating,
    dict_of_itself,
    failed,
    fetch,
    filled,
    finished,
    function,
    group,
    held,
    hostile,
    linked,
    moved,
    never_awaited,
    of_torch,
    opened,
    raised,
    released,
    resolved,
    ring,
    running_thread,
    said,
    shut,
    started,
    streaming,
    tagged_list,
    temporary,
    weak_keys,
    weak_values,
    while_handling,
    with_notes,
    wrapper,
)
from .specimen import Specimen, Zoo

ATOMS: Zoo = {
    "None": said(lambda: None, "None"),
    "Ellipsis": said(lambda: ..., "..."),
    "NotImplemented": said(lambda: NotImplemented, "NotImplemented"),
    "bool": said(lambda: True, "True"),
    "int": said(lambda: -3, "-3"),
    "huge int": said(lambda: 10**5000, "int of 16,610 bits"),
    "float": said(lambda: 0.1, "0.1"),
    "float NaN": said(lambda: math.nan, "nan"),
    "float Inf": said(lambda: -math.inf, "-inf"),
    "minus zero": said(lambda: -0.0, "-0.0"),
    "complex": said(lambda: 1 - 2j, "(1-2j)"),
    "str": said(lambda: "it's", '"it\'s"', facts={"rows": [["length", "4"]]}),
    "str with line breaks": said(lambda: "a\nb\x00", r"'a\nb\x00'"),
    "huge str": Specimen(lambda: "x" * 10**7, says=("'xxxx", "10,000,000 chars")),
    "bytes": said(lambda: b"ab\x00", r"b'ab\x00'"),
    "huge bytes": Specimen(lambda: bytes(10**7), says=(r"b'\x00", "10,000,000 bytes")),
    "bytearray": said(lambda: bytearray(b"ab"), "bytearray(b'ab')"),
    "range": said(lambda: range(0, 10, 2), "range(0, 10, 2) · 5"),
    "huge range": said(lambda: range(1, 10**30), "range(1, 1000000000000000000000000000000)"),
    "slice": Specimen(lambda: slice(None, 3), says=("slice", "stop 3")),
    "Decimal": said(lambda: decimal.Decimal("1.50"), "Decimal('1.50')"),
    "Fraction": said(lambda: fractions.Fraction(1, 3), "Fraction(1, 3)"),
    "Fraction of huge numbers": said(lambda: fractions.Fraction(10**60 + 1, 3), "Fraction(int of 200 bits, 3)"),
    "date": said(lambda: datetime.date(2026, 1, 2), "datetime.date(2026, 1, 2)"),
    "datetime in UTC": Specimen(lambda: datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc), says=("timezone.utc",)),
    "datetime in a zone of the program": said(
        lambda: datetime.datetime(2026, 1, 2, tzinfo=Zone()), "datetime.datetime(2026, 1, 2, 0, 0) · tzinfo Zone",
    ),
    "timedelta": said(lambda: datetime.timedelta(seconds=3), "datetime.timedelta(seconds=3)"),
    "UUID": said(lambda: uuid.UUID(int=1), "UUID('00000000-0000-0000-0000-000000000001')"),
    "path": said(lambda: pathlib.PurePosixPath("/a", "b.txt"), "PurePosixPath('/a/b.txt')"),
    "empty path": said(lambda: pathlib.PurePosixPath(), "PurePosixPath('.')"),
    "Windows path": said(lambda: pathlib.PureWindowsPath("c:\\a"), r"PureWindowsPath('c:\\a')"),
    "enum member": said(lambda: Colour.RED, "Colour.RED = 1"),
    "enum member of text": said(lambda: Colour.WARM, "Colour.WARM = 'warm'"),
    "int enum member": said(lambda: Level.HIGH, "Level.HIGH = 3"),
    "str enum member": said(lambda: Text.A, "Text.A = 'a'"),
    "flags": Specimen(lambda: Perm.R | Perm.W, says=("Perm", "3")),
    "no flags": Specimen(lambda: Perm(0), says=("Perm", "0")),
}  # fmt: skip

CALLABLES: Zoo = {
    "function": Specimen(lambda: function, says=("function(a, b, *rest, c, **more) · made_objects.py:",)),
    "decorated function": Specimen(lambda: wrapper, says=("function(a, b, *rest, c, **more) · wrapped · made_objects.py:",)),
    "lambda": Specimen(lambda: closed_over(), says=("<lambda>() · made_objects.py:",)),
    "method": Specimen(lambda: Plain().method, says=("Plain.method(self, x) · made_objects.py:",)),
    "class method": Specimen(lambda: Plain.made, says=("Plain.made(cls, x)",)),
    "built-in function": said(lambda: len, "len(…) · built in"),
    "built-in method": said(lambda: [].append, "list.append(…) · built in"),
    "method of a class": said(lambda: dict.fromkeys, "dict.fromkeys(…) · built in"),
    "function of torch": Specimen(lambda: torch.relu, says=("relu(…) · built in",)),
    "slot": said(lambda: Slots.__dict__["a"], "Slots.a · slot"),
    "partial": said(lambda: functools.partial(function, 1, c=3), "partial · function(1, c=3)", "args  tuple · 1: 1"),
    "property object": Specimen(lambda: Plain.__dict__["computed"], says=("property · computed(self) · made_objects.py:",)),
    "staticmethod object": Specimen(lambda: Plain.__dict__["helper"], says=("staticmethod · helper(x) · made_objects.py:",)),
    "classmethod object": Specimen(lambda: Plain.__dict__["made"], says=("classmethod · made(cls, x) · made_objects.py:",), rows=("__func__  made",)),
    "cached function": Specimen(lambda: cached(1) and cached, says=("cached(x)", "1 of 4 cached", "hits in ")),
    "cell": said(lambda: closed_over().__closure__[0], "cell · list of 1", "cell_contents  list · 1: 1"),
    "code": Specimen(lambda: function.__code__, says=("code function(a, b, *rest, c, **more) · made_objects.py:",)),
    "class": Specimen(lambda: Config, says=("class zoo.made_objects.Config",)),
    "class of a metaclass": Specimen(lambda: Colour, says=("class zoo.made_objects.Colour(Enum)",)),
    "module": said(lambda: math, "math"),
    "package with a version": Specimen(lambda: torch, says=(f"torch · {torch.__version__}",)),
}  # fmt: skip

CONTAINERS: Zoo = {
    "list": said(lambda: [1, "two", None], "list · 3: 1, 'two', None", "[1]  'two'"),
    "empty list": said(list, "list · empty"),
    "list of a million": Specimen(lambda: list(range(10**6)), says=("list · 1,000,000: 0, 1, 2",), rows=("… 999,980 more",)),
    "list of tensors": said(lambda: [torch.ones(2, 3)] * 100, "list · 100: f32[2,3] ×12, …"),
    "nested lists, 100,000 deep": said(deep_list, "list · 1: list of 1"),
    "list that holds itself": Specimen(ring, says=("list · 2: 1, list of 2",), rows=("[1]  list · 2: 1, list of 2  ↻ value",)),
    "list subclass with a tag": said(tagged_list, "Tagged · 2: 1, 2", "tag  'mine'"),
    "tuple": said(lambda: (1, (2,)), "tuple · 2: 1, tuple of 1"),
    "namedtuple": said(lambda: Point(1, [2]), "Point · x 1, y list of 1", "x  1", "y  list · 1: 2"),
    "what topk returns": Specimen(
        lambda: torch.topk(torch.tensor([1.0, 3.0]), 1), says=("topk · values f32[1], indices i64[1]",), rows=("values  float32[1]",),
    ),
    "struct_time": Specimen(lambda: time.gmtime(0), says=("struct_time · tm_year 1970",), rows=("tm_yday  1",)),
    "stat_result": Specimen(lambda: os.stat_result(range(10)), says=("stat_result · st_mode 0",)),
    "deque": said(lambda: collections.deque([1, 2], 5), "deque · 2 of at most 5: 1, 2"),
    "set": said(lambda: {7}, "set · 1: 7", "{0}  7"),
    "frozenset": said(lambda: frozenset({7}), "frozenset · 1: 7"),
    "dict": said(lambda: {"image": 1, "label": 2}, "dict · 2: image 1, label 2", "'image'  1"),
    "dict of a hundred thousand tensors": Specimen(
        lambda: {f"k{i}": torch.zeros(1) for i in range(100_000)}, says=("dict · not all values read · 100,000: k0 f32[1], k1 f32[1]",), rows=("'k0'  float32[1]", "… 99,980 more"),
    ),
    "dict that holds itself": Specimen(dict_of_itself, says=("dict · 1: self",), rows=("↻ value",)),
    "dict with odd keys": said(
        lambda: {Colour.RED: 1, torch.float32: 2, torch.device("cpu"): 3, (1, Colour.RED): 4, None: 5, function: 6, nn.Linear: 7, Frozen(): 8},
        "dict · 8: Colour.RED: 1, float32: 2, cpu: 3, (1, Colour.RED): 4, None: 5, function(): 6, Linear: 7, ‹Frozen›: 8",
        "Colour.RED  1", "float32  2", "cpu  3", "(1, Colour.RED) #3  4", "None  5", "function()  6", "Linear  7", "‹Frozen› #7  8",
    ),
    "dict with tensors as keys": Specimen(lambda: {torch.ones(2): 1}, says=("dict · 1: ‹f32[2]›: 1",), rows=("‹float32[2]› #0  1",)),
    "dict with long keys": Specimen(
        lambda: {f"encoder.layers.0.self_attn.{name}.weight": 1 for name in ("q_proj", "k_proj")},
        says=("dict · 2: encoder.layers.0.self_attn.q_proj.weight 1, …k_proj.weight 1",), rows=("'encoder.layers.0.self_attn.k_proj.weight'  1",),
    ),
    "dict with very long keys": Specimen(lambda: {"x" * 5000 + end: 1 for end in "ab"}, rows=("xxa' #0", "xxb' #1")),
    "OrderedDict": said(moved, "OrderedDict · 2: b 2, a 1"),
    "Counter": said(lambda: collections.Counter("aab"), "Counter · 2: a ×2, b ×1"),
    "defaultdict": said(
        lambda: collections.defaultdict(list, a=[1]), "defaultdict · 1: a list of 1", facts={"rows": [["length", "1"], ["missing keys become", "list"]]},
    ),
    "mappingproxy": said(lambda: types.MappingProxyType({"a": 1}), "mappingproxy · 1: a 1", "'a'  1"),
    "ChainMap": said(lambda: collections.ChainMap({"a": 1}, {"b": 2}), "ChainMap · 2 maps: dict of 1, dict of 1", "maps[1]  dict · 1: b"),
    "UserDict": said(lambda: collections.UserDict(a=1), "UserDict · 1: a 1", "'a'  1"),
    "UserList": said(lambda: collections.UserList([1, 2]), "UserList · 2: 1, 2", "[1]  2"),
    "UserString": said(lambda: collections.UserString("abc"), "UserString 'abc'"),
    "dict keys": said(lambda: {"a": 1}.keys(), "dict_keys · 1: 'a'"),
    "dict items": said(lambda: {"a": 1}.items(), "dict_items · 1: a 1"),
    "items of an OrderedDict": said(lambda: moved().items(), "odict_items · 2"),
    "array": said(lambda: array.array("d", [1, 2]), "array 'd' · 2: 1, 2", "[1]  2.0"),
    "WeakValueDictionary": said(weak_values, "WeakValueDictionary · 1: a Plain", "'a'  Plain · a 1"),
    "WeakKeyDictionary": said(weak_keys, "WeakKeyDictionary · 1: ‹Plain›", "‹Plain› #0  5"),
    "WeakSet": Specimen(alive(lambda kept: weakref.WeakSet([kept])), says=("WeakSet · 1: Plain",), rows=("{0}  Plain · a 1",)),
}  # fmt: skip

OBJECTS: Zoo = {
    "object": said(object, "object"),
    "dataclass": said(Config, "Config · lr 0.1, betas tuple of 2, hidden None", "lr  0.1"),
    "frozen dataclass": said(Frozen, "Frozen · lr 0.1"),
    "slots": said(Slots, "Slots · a 1, b list of 1", "b  list · 1: 2"),
    "slots and a dict": said(SlotsAndDict, "SlotsAndDict · c 3, a 1, b list of 1"),
    "SimpleNamespace": said(lambda: types.SimpleNamespace(a=1), "SimpleNamespace · a 1"),
    "object with a property": Specimen(lambda: Plain(a=1), says=("Plain · a 1",), rows=("computed  property · not read",)),
    "two linked objects": Specimen(linked, says=("Plain · name 'one', link Plain",), rows=("↻ value",)),
    "object of a hundred thousand attributes": Specimen(
        lambda: Plain(**{f"a{i}": i for i in range(10**5)}), says=("Plain · a0 0",), rows=("… 99,981 more",),
    ),
    "string template": said(lambda: string.Template("a$b"), "Template · template 'a$b'"),
    "weak reference": said(alive(weakref.ref), "weakref → Plain", "referent  Plain · a 1"),
    "dead weak reference": said(dead_reference, "weakref · dead"),
    "weak proxy": said(alive(weakref.proxy), "weakref proxy → Plain"),
}  # fmt: skip

ERRORS: Zoo = {
    "exception": said(lambda: ValueError("what\nwrong"), "ValueError: what wrong"),
    "raised exception": Specimen(raised, says=("ValueError: bad thing · made_objects.py:", "in raised"), rows=("__traceback__  traceback · 1 frame",)),
    "exception from another": Specimen(chained, says=("ValueError: bad thing", "from KeyError"), rows=("__cause__  KeyError: 'k'",)),
    "exception while handling another": Specimen(while_handling, says=("while handling KeyError",), rows=("__context__  KeyError: 'k'",)),
    "KeyError": said(lambda: KeyError("a"), "KeyError: 'a'"),
    "OSError": said(lambda: FileNotFoundError(2, "No such file", "x"), "FileNotFoundError: [Errno 2] No such file: 'x'"),
    "SyntaxError": said(lambda: SyntaxError("bad", ("f.py", 1, 2, "x")), "SyntaxError: bad"),
    "StopIteration": said(lambda: StopIteration(3), "StopIteration: 3"),
    "exception of objects": said(lambda: ValueError("bad", torch.ones(2)), "ValueError · 'bad', float32[2]"),
    "exception with its own text": said(lambda: OwnError("made with"), "OwnError: made with"),
    "exception with notes": said(with_notes, "ValueError: bad", facts={"notes": ["while loading"]}, needs=("builtins.ExceptionGroup",)),
    "exception group": said(
        group, "ExceptionGroup: many (2 exceptions: ValueError, KeyError)", "exceptions  tuple · 2", needs=("builtins.ExceptionGroup",),
    ),
    "exception of 300 frames": Specimen(deep_error, says=("RecursionError: deep", "in fall"), rows=("traceback · 302 frames",)),
    "exception of torch": Specimen(of_torch, says=("RuntimeError: ", "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3) · ", "in of_torch")),
    "traceback": Specimen(lambda: raised().__traceback__, says=("traceback · 1 frame · made_objects.py:",), rows=("[0] raised · made_objects.py:",)),
    "frame": Specimen(lambda: raised().__traceback__.tb_frame, says=("frame raised · made_objects.py:",)),
}  # fmt: skip

RUNNING: Zoo = {
    "generator not started": Specimen(counting, says=("generator counting · not started · made_objects.py:",)),
    "generator that waits": Specimen(lambda: started(counting()), says=("generator counting · waits at made_objects.py:",)),
    "generator that delegates": Specimen(lambda: started(delegating()), says=("generator delegating", "for generator"), rows=("gi_yieldfrom  generator counting",)),
    "finished generator": said(lambda: finished(counting()), "generator counting · finished"),
    "coroutine": Specimen(lambda: never_awaited(fetch()), says=("coroutine fetch · not started · made_objects.py:",)),
    "async generator": Specimen(streaming, says=("async generator streaming",)),
    "list iterator": said(lambda: iter([1, 2]), "list_iterator · 2 left"),
    "dict iterator": said(lambda: iter({1: 2}), "dict_keyiterator · 1 left"),
    "zip": said(lambda: zip([1], [2]), "zip · not advanced"),
    "map": said(lambda: map(function, [1]), "map · not advanced"),
    "enumerate": said(lambda: enumerate([1]), "enumerate · not advanced"),
    "itertools": said(lambda: itertools.count(3), "count · not advanced"),
    "future": said(resolved, "Future · finished · result list of 2"),
    "failed future": Specimen(failed, says=("Future · finished · raised ValueError",), rows=("_exception  ValueError: no",)),
    "thread not started": said(lambda: threading.Thread(target=function, name="w"), "Thread · 'w' · not started · runs function()"),
    "finished thread": Specimen(running_thread, says=("Thread · 'worker' · finished · daemon",)),
    "main thread": Specimen(threading.main_thread, says=("_MainThread · 'MainThread' · alive",)),
    "lock": said(threading.Lock, "lock · unlocked"),
    "held lock": said(lambda: held(threading.Lock()), "lock · locked"),
    "held RLock": said(lambda: held(threading.RLock()), "RLock · locked"),
    "event": said(threading.Event, "Event · not set"),
    "context variable": said(lambda: contextvars.ContextVar("step", default=3), "ContextVar · 'step' · 3", "value  3"),
    "context variable without a value": said(lambda: contextvars.ContextVar("step"), "ContextVar · 'step' · no value"),
    "semaphore": said(lambda: threading.Semaphore(2), "Semaphore · 2 free"),
    "condition": said(threading.Condition, "Condition · 0 threads waiting"),
    "barrier": said(lambda: threading.Barrier(2), "Barrier · 0 of 2 waiting"),
    "queue": said(lambda: filled(queue.Queue(3), 1, "b"), "Queue · 2 of at most 3: 1, 'b'", "queue  deque · 2: 1, 'b'"),
    "simple queue": said(lambda: filled(queue.SimpleQueue(), 1), "SimpleQueue · 1 inside"),
    "random.Random": Specimen(lambda: random.Random(1), says=("Random · Mersenne Twister at word",)),
    "SystemRandom": said(random.SystemRandom, "SystemRandom · from the system"),
    "context manager": Specimen(lambda: contextlib.nullcontext(1), says=("nullcontext · enter_result 1",)),
}  # fmt: skip

RESOURCES: Zoo = {
    "open file": Specimen(temporary, says=("TextIOWrapper · '", ".txt' · mode r · ", " · open")),
    "closed file": Specimen(lambda: shut(temporary()), says=("TextIOWrapper · '", " · closed")),
    "binary file": Specimen(lambda: opened(__file__), says=("objects.py' · mode rb · open",)),
    "stdout": Specimen(lambda: sys.stdout, says=("'<stdout>' · mode w", "open")),
    "StringIO": said(lambda: io.StringIO("abc"), "StringIO · at 0"),
    "closed BytesIO": said(lambda: shut(io.BytesIO(b"abc")), "BytesIO · closed"),
    "socket": Specimen(socket.socket, says=("socket · AF_INET · SOCK_STREAM · descriptor",)),
    "closed socket": said(lambda: shut(socket.socket()), "socket · AF_INET · SOCK_STREAM · closed"),
    "memoryview": said(lambda: memoryview(b"abcdef"), "memoryview · 6 B · 'B'[6] · read-only · of bytes", "obj  b'abcdef'"),
    "released memoryview": said(released, "memoryview · released"),
    "pattern": said(lambda: re.compile("a(b)+", re.I), "Pattern · 'a(b)+' · 1 group · IGNORECASE"),
    "match": said(lambda: re.match("a(b)+", "abb!"), "Match · 'abb' · 0…3", "[1]  'b'"),
}  # fmt: skip

HOSTILE: Zoo = {
    **{f"hostile: {name}": Specimen(hostile(name)) for name in hostile_objects()},
    "hostile: list that iterates without end": said(lambda: Endless([1, 2]), "Endless · 2: 1, 2"),
    "hostile: dict that computes its items": said(lambda: OwnDict(a=1), "OwnDict · 1: a 1", "'a'  1"),
    "hostile: slots and dict of one name": Specimen(Clashing, says=("Clashing",), rows=("shadowed  3",)),
}  # fmt: skip

SPECIMENS: Zoo = {**ATOMS, **CALLABLES, **CONTAINERS, **OBJECTS, **ERRORS, **RUNNING, **RESOURCES, **HOSTILE}
