"""Stops in a template: the debugger shows an object of its own in the place of a frame, and we say that it is none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from client import Client
from helper import Helper, Refused, inject_expression

PAGE = """
    <h1>{{ title }}</h1>
    {% for item in items %}
      <p>{{ item }}</p>
    {% endfor %}
"""
LINE = 4

JINJA = """
    import jinja2
    page = jinja2.Environment(loader=jinja2.FileSystemLoader("."), trim_blocks=True).get_template("page.html")
    print("".join(page.render(title="three", items=[3]).split()))
"""
DJANGO = """
    import django
    from django.conf import settings
    from django.template.loader import get_template
    engine = {"BACKEND": "django.template.backends.django.DjangoTemplates", "DIRS": ["."], "OPTIONS": {"debug": True}}
    settings.configure(DEBUG=True, TEMPLATES=[engine])
    django.setup()
    page = get_template("page.html")
    print("".join(page.render({"title": "three", "items": [3]}).split()))
"""


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(greeting=inject_expression(stock_views=True)) as client:
        yield client


@pytest.mark.parametrize(("program", "library", "option"), [(JINJA, "jinja2", "jinja"), (DJANGO, "django", "django")])
def test_a_stop_in_a_template(client: Client, tmp_path: Path, program: str, library: str, option: str) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed here: its templates are not tried")
    page, file = tmp_path / "page.html", tmp_path / "program.py"
    page.write_text(dedent(PAGE), "utf-8")
    file.write_text(dedent(program), "utf-8")
    stop = client.launch(file, breakpoints=[len(program.splitlines()) - 1], **{option: True})
    client.set_breakpoints(page, [LINE])
    helper = Helper(client)
    assert helper.frame(stop)["function"] == "<module>"
    stop = client.resume(stop.thread)
    assert stop.line == LINE
    for one in (helper, Helper(client, frameless=True)):
        with pytest.raises(Refused, match="no_frame: this is a line of a template, not of Python: the Variables view"):
            one.frame(stop)
    rows = client.locals(stop.frame)
    assert (rows["title"]["value"], rows["item"]["value"]) == ("'three'", "3")
    assert client.run_to_end(stop.thread) == 0
    assert client.output("stdout").strip() == "<h1>three</h1><p>3</p>"
    assert client.output("stderr") == ""
