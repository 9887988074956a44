"""`Snapshot`: the values of one stop by node id, and how they become nodes and pages.

A snapshot holds values of the program. Nothing of ours holds a snapshot: the answer carries it, and the debugger keeps
the answer until the program continues. It has no reference cycle, so it dies at once, also with the collector off.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from ..kinds import Child, Kind, NotStatic, Property, Rows, TextRow, as_kind, as_unmade
from ..safe.attributes import is_bare
from ..safe.budget import Budget
from ..safe.guard import Classes, class_name, full_name, plain_message
from ..words.line import INLINE, SHORT, in_short
from ..words.text import distinct, joined, one_line, shorten

if TYPE_CHECKING:
    from ..protocol import Expanded, Facts, Mark, Node, Page

PAGE = 100  #: rows of a first page
_OURS = Classes(Rows, TextRow)
_NAME = 200  #: characters of a row's name
_PATH = 1000  #: characters of an expression; a longer one is no help
_AHEAD = 64  #: rows of which the elements are read before the first one is shown
_DEPTH = 100  #: levels that one answer nests
_UNFINISHED = 8  #: questions that are worked on in turn
_NODE_BYTES = 110  #: JSON around a node's texts

_ids = count(1)
alive: WeakValueDictionary[int, Snapshot] = WeakValueDictionary()


class Entry:
    """The value behind a node id."""

    __slots__ = ("contains", "label", "parent", "path", "value")

    def __init__(self, value: object, parent: int, path: str | None, label: str) -> None:
        self.value = value
        self.parent = parent
        self.path = path  #: the expression that reaches it; "" for the frame and its groups, None where there is none
        self.label = label  #: the same for people, who need no expression to find a row
        self.contains = False


class Snapshot:
    """Nodes given out during one stop, by id. Node 0 is the frame itself, whose children are its variables."""

    __slots__ = ("__weakref__", "_entries", "_first_met", "id", "types", "unfinished_lenses")

    def __init__(self, top: Rows) -> None:
        self.id = next(_ids)
        self.types: set[str] = set()
        self.unfinished_lenses: dict[int, Any] = {}  #: questions about values of this stop that are not answered yet
        self._entries: list[Entry] = [Entry(top, 0, "", "")]
        self._first_met: dict[int, str] = {}
        alive[self.id] = self

    def __contains__(self, node: int) -> bool:
        return 0 <= node < len(self._entries)

    def value(self, node: int) -> Any:
        return self._entries[node].value

    def child(self, node: int) -> Child:
        """The value with its name for people and the expression that reaches it; not of a property: it was not read."""
        entry = self._entries[node]
        if type(entry.value) is Property:
            raise NotStatic(f"'{entry.label}' is a property")
        return Child(entry.label, entry.value, entry.path or None)

    def keep_unfinished(self, question: object) -> int:
        """Keeps a lens as long as the snapshot lives. Returns the number by which it is found again; the oldest of many
        is dropped."""
        number = next(_ids)
        self.unfinished_lenses[number] = question
        if len(self.unfinished_lenses) > _UNFINISHED:
            del self.unfinished_lenses[min(self.unfinished_lenses)]
        return number

    def replace(self, node: int, value: object) -> None:
        """Puts the value of a property in the place of the property."""
        self._entries[node].value = value

    def describe(
        self,
        child: Child,
        parent: int,
        budget: Budget,
        *,
        facts: bool = False,
        marked: bool = True,
        kind: Kind | None = None,
    ) -> Node:
        """``child`` as a node below ``parent``. Never raises: a value that can't be described says why.

        With ``marked=False`` it is shown for itself, wherever else it stands: a pin, a hover. ``kind`` is given where
        it is known already.
        """
        above = self._entries[parent]
        path = None if child.suffix is None or above.path is None else above.path + child.suffix
        if path is not None and len(path) > _PATH:
            path = None
        entry = Entry(child.value, parent, path, path or one_line(f"{above.label} › {child.name}".lstrip(" ›"), _PATH))
        self._entries.append(entry)
        name = one_line(child.name, _NAME)
        node: Node = {"id": len(self._entries) - 1, "name": name, "kind": "error", "type": "", "line": ""}
        if path and (child.suffix or type(child.value) not in _OURS):
            node["path"] = path
        described: Node = ask_kind(
            child.value,
            budget,
            lambda kind: self._filled(node, entry, kind, facts, marked),
            lambda why: _failed(node, child.value, why, facts),
            kind,
        )
        return described

    def _filled(self, node: Node, entry: Entry, kind: Kind, facts: bool, marked: bool) -> Node:
        node = node.copy()  # where something fails, nothing of what was said before it is left
        node["kind"], node["type"] = kind.kind, kind.type_name()
        if type(entry.value) is Property:
            node["lazy"] = True
        entry.contains = kind.contains
        mark = self._mark(entry) if kind.contains and marked else None
        if mark is not None:
            node["mark"] = mark
        parts = list(kind.parts())
        line, short = one_line(joined(parts)), one_line(in_short(parts), SHORT)
        node["line"] = line
        if short != line:
            node["short"] = short
        inline = None if entry.parent or facts else kind.inline()  # of variables only
        if inline is not None:
            node["inline"] = one_line(inline, INLINE)
        badges = kind.badges()
        if badges:
            node["badges"] = badges
        lenses = [*kind.lenses(), *(["referrers"] if kind.contains else [])]
        if lenses:
            node["lenses"] = lenses
        watched_as = kind.watched_as if "path" in node else None
        if watched_as is not None:
            node["watched_as"] = watched_as
        if mark is None or mark["kind"] == "shared":
            children = kind.child_count()
            if children != 0:
                node["children"] = children
        if kind.summarized:
            self.types.add(node["type"])
            self.types.update(kind.member_types())
        if facts:
            node["facts"] = kind.facts()
        return node

    def _mark(self, entry: Entry) -> Mark | None:
        """↻ for a value that is above itself, ≡ for one met elsewhere. What is marked lives, so its id is its own."""
        above = entry.parent
        while above:
            known = self._entries[above]
            if known.contains and known.value is entry.value:
                return {"kind": "cycle", "path": known.label}
            above = known.parent
        label = self._first_met.setdefault(id(entry.value), entry.label)
        return {"kind": "shared", "path": label} if label != entry.label else None

    def page(self, node: int, start: int, amount: int, budget: Budget, *, facts: bool = False) -> Page:
        """Children ``start`` … ``start + amount`` of a node; fewer, but one at least, where the budget ends.

        Where their number is only known once all were read, the last page has it. With ``facts``, each has its own.
        """
        kind = as_kind(self._entries[node].value, budget)
        nodes: list[Node] = []
        names: set[str] = set()
        more = False
        try:
            for child, its_kind in _read_ahead(kind.children(start, amount + 1), budget):  # one more: are there others?
                # Of the frame itself, every name is listed.
                may_end = (facts or node > 0) and bool(nodes)
                more = len(nodes) >= amount or (may_end and budget.cut_if_overdrawn())
                if more:
                    break
                child.name = distinct(child.name, start + len(nodes), names)
                described = self.describe(child, node, budget, facts=facts, kind=its_kind)
                more = not budget.take(1, _cost(described)) and bool(nodes)
                if more:
                    break
                nodes.append(described)
            total = kind.child_count()
        except Exception as error:
            total = start + len(nodes) + 1
            failure = TextRow(f"not read: {class_name(type(error))}: {plain_message(error)}", failed=True)
            nodes.append(self.describe(Child("…", failure), node, budget))
        if total is None and not more:
            total = start + len(nodes)
        page: Page = {"start": start, "total": total, "nodes": nodes}
        if more and len(nodes) < amount:
            page["cut"] = "; ".join(budget.cut)
        return page

    def expand(self, page: Page, expanded: Expanded, budget: Budget) -> None:
        """Give rows of ``page`` that were expanded before their own pages, breadth first, while the budget lasts."""
        waiting: deque[tuple[Iterable[Node], Expanded, int]] = deque([(page["nodes"], expanded, 1)])
        while waiting:
            nodes, wanted, depth = waiting.popleft()
            for node in nodes:
                row = wanted.get(node["name"])
                if row is None or "children" not in node or "lazy" in node:
                    continue
                if budget.cut_if_spent():
                    return
                node["page"] = self.page(node["id"], 0, row.get("count", PAGE), budget)
                if depth < _DEPTH:
                    waiting.append((node["page"]["nodes"], row.get("rows", {}), depth + 1))


def _read_ahead(rows: Iterable[Child], budget: Budget) -> Iterator[tuple[Child, Kind | None]]:
    """The rows with their kinds; None of what can't be asked, which its row will say. Of some at once the elements are
    read before the first of them is put into words: to do one kind of work after the other takes a quarter less time
    than to take turns. Not of more than are shown."""
    some: list[tuple[Child, Kind | None]] = []
    most = min(_AHEAD, budget.nodes_left())
    try:
        for child in rows:
            kind = kind_or_none(child.value, budget)
            some.append((child, kind))
            if len(some) >= most or (kind is not None and kind.reads() and budget.spent()):
                yield from _read(some)
                some, most = [], min(_AHEAD, budget.nodes_left())
    except Exception:  # what came before it is shown
        yield from _read(some)
        raise
    yield from _read(some)


def kind_or_none(value: object, budget: Budget) -> Kind | None:
    """The kind of a value; None of one that can't be asked, which its row will say."""
    try:
        return as_kind(value, budget)
    except Exception:
        return None


def _read(some: list[tuple[Child, Kind | None]]) -> list[tuple[Child, Kind | None]]:
    """Reads the elements of these rows, alike ones together. A row whose reading fails says so itself, as it reads
    again."""
    alike: dict[type[Kind], list[Kind]] = {}
    for _, kind in some:
        if kind is not None:
            alike.setdefault(type(kind), []).append(kind)
    for cls, kinds in alike.items():
        try:
            cls.read_all(kinds)
        except Exception:
            continue
    return some


def ask_kind(
    value: object,
    budget: Budget,
    ask: Callable[[Kind], Any],
    otherwise: Callable[[str], Any],
    kind: Kind | None = None,
) -> Any:
    """The result of ``ask`` for a value's kind; where that fails, the result of ``otherwise`` for the reason."""
    try:
        try:
            return ask(as_kind(value, budget) if kind is None else kind)
        except Exception:
            if not is_bare(value):
                raise
            return ask(as_unmade(value, budget))
    except Exception as error:
        return otherwise(one_line(f"not read: {class_name(type(error))}: {plain_message(error)}"))


def _failed(node: Node, value: object, why: str, facts: bool) -> Node:
    node["type"], node["line"], node["badges"] = class_name(type(value)), why, ["error"]
    if len(why) > SHORT:
        node["short"] = shorten(why, SHORT)
    if facts:
        node["facts"] = failed_facts(value, why)
    return node


def failed_facts(value: object, why: str) -> Facts:
    """The facts of what can't be described."""
    return {"type": full_name(type(value)), "notes": [why]}


def _cost(node: Node) -> int:
    mark = node["mark"]["path"] if "mark" in node else ""
    texts = (node["line"], node.get("short", ""), node.get("inline", ""), node["name"], node.get("path", ""), mark)
    return _NODE_BYTES + len(node["type"]) + sum(map(len, texts))
