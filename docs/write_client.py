#!/usr/bin/env python3
"""Write docs/client.md from the docstrings of the client, or check that it is up to date.

.venv/bin/python docs/write_client.py [--check]
"""

import argparse
import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Final, get_type_hints

from ricordo.client import MemoryClient, Published, Receipt, exceptions, options
from ricordo.client.command_methods import CommandMethods
from ricordo.client.publish_methods import PublishMethods
from ricordo.client.query_methods import QueryMethods

_PAGE: Final = Path(__file__).with_name("client.md")
_BEGIN, _END = "<!-- methods: written by docs/write_client.py -->", "<!-- end of methods -->"
_GROUPS: Final = (
    ("Connecting and waiting", MemoryClient),
    ("Publishing", PublishMethods),
    ("Queries", QueryMethods),
    ("Commands", CommandMethods),
)
_SECTION: Final = re.compile(r"^(Args|Returns|Yields|Raises|Attributes|Example):$", re.MULTILINE)
_OPTIONS: Final = re.compile(r"Unpack\[(\w+)\]")


def methods() -> str:
    """Return a section for each part of the client, one for what it returns and one for its errors."""
    sections = [_group(title, kind) for title, kind in _GROUPS]
    sections.append("\n\n".join(("## Return values", _class(Published), _class(Receipt))))
    errors = [one for one in vars(exceptions).values() if _is_error(one)]
    rows = [f"- `{one.__name__}`: {_first_line(one)}" for one in errors]
    return "\n\n".join([*sections, "\n".join(["## Errors", "", *rows])])


def _is_error(found: object) -> bool:
    return inspect.isclass(found) and issubclass(found, Exception) and found.__module__ == exceptions.__name__


def _group(title: str, kind: type) -> str:
    introduction = _text(inspect.getdoc(kind) or "") if kind is not MemoryClient else ""
    functions = [node for node in _body(kind) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    shown = [_method(node) for node in functions if not node.name.startswith("_")]
    return "\n\n".join(filter(None, (f"## {title}", introduction, *shown)))


def _class(kind: type) -> str:
    return f"### {kind.__name__}\n\n{_text(inspect.getdoc(kind) or '')}"


def _body(kind: type) -> list[ast.stmt]:
    found = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    return found.body if isinstance(found, ast.ClassDef) else []


def _method(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    return "\n\n".join(
        filter(None, (f"### {node.name}", _signature(node), _documented(node), _accepted(node)))
    )


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    arguments = node.args
    arguments.args = [one for one in arguments.args if one.arg not in {"self", "cls"}]
    returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    decorators = {ast.unparse(one) for one in node.decorator_list}
    kind = "await " if isinstance(node, ast.AsyncFunctionDef) else ""
    if "asynccontextmanager" in decorators:
        kind = "async with "
    if any(isinstance(one, ast.Yield) for one in ast.walk(node)) and not decorators:
        kind = "async for each in "
    if "property" in decorators:
        return f"```py\n{node.name}{returned}\n```"
    return f"```py\n{kind}{node.name}({ast.unparse(arguments)}){returned}\n```"


def _documented(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    return _text(ast.get_docstring(node) or "")


def _accepted(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Name the options that a method takes as keywords."""
    found = _OPTIONS.search(ast.unparse(node.args))
    if found is None:
        return ""
    names = ", ".join(f"`{name}`" for name in get_type_hints(getattr(options, found[1])))
    return f"Options: {names}. See the [wire contract](wire-contract.md)."


def _text(docstring: str) -> str:
    """Turn a docstring in Google's style into Markdown."""
    parts = _SECTION.split(inspect.cleandoc(docstring))
    blocks = [parts[0].strip()]
    for title, text in zip(parts[1::2], parts[2::2], strict=True):
        blocks.append(f"*{title}*\n\n" + "\n".join(_items(title, textwrap.dedent(text).strip("\n"))))
    return "\n\n".join(filter(None, blocks))


def _items(title: str, text: str) -> Iterator[str]:
    if title == "Example":
        yield f"```py\n{text}\n```"
        return
    for item in re.split(r"\n(?=\S)", text):
        words = " ".join(item.split())
        name, colon, rest = words.partition(": ")
        named = colon and title in {"Args", "Raises", "Attributes"}
        yield f"- {', '.join(f'`{one}`' for one in name.split(', '))}: {rest}" if named else f"- {words}"


def _first_line(kind: type) -> str:
    return (inspect.getdoc(kind) or "").partition("\n")[0]


def written(page: str) -> str:
    """Return `page` with the methods of today."""
    before, _, rest = page.partition(_BEGIN)
    return f"{before}{_BEGIN}\n\n{methods()}\n\n{_END}{rest.partition(_END)[2]}"


def main() -> int:
    """Write or check the page; return the exit code."""
    parser = argparse.ArgumentParser(description="Write docs/client.md.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when it differs")
    page = _PAGE.read_text(encoding="utf-8")
    fresh = written(page)
    if parser.parse_args().check:
        if page != fresh:
            sys.stderr.write(
                f"{_PAGE.name} is out of date: run {Path(__file__).name} and commit what changed\n"
            )
        return int(page != fresh)
    _PAGE.write_text(fresh, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
