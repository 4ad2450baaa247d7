"""Which functions of kernels Python calls: an inner one has no way in, and would end the process."""

import ast
from pathlib import Path

import pytest

import sim

INNER = {"inner", "woven", "once"}
KERNELS = INNER | {"kernel"}


def _is_one_of(node: ast.AST, decorators: set[str]) -> bool:
    return isinstance(node, ast.FunctionDef) and any(
        ast.unparse(each) in decorators or ast.unparse(each).startswith("njit(") for each in node.decorator_list
    )


def called_from_python(sources: dict[str, str]) -> set[str]:
    """Return the full names of inner functions that code outside of kernels names; `sources`: by module."""
    trees = {module: ast.parse(source) for module, source in sources.items()}
    inner = {
        f"{module}.{node.name}"
        for module, tree in trees.items()
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and {ast.unparse(each) for each in node.decorator_list} & INNER
    }
    named: set[str] = set()
    for module, tree in trees.items():
        known = {node.name: f"{module}.{node.name}" for node in tree.body if isinstance(node, ast.FunctionDef)}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                known |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        for node in (inside for top in tree.body if not _is_one_of(top, KERNELS) for inside in ast.walk(top)):
            if isinstance(node, ast.Name):
                named.add(known.get(node.id, node.id))
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                named.add(f"{known.get(node.value.id)}.{node.attr}")
    return named & inner


def test_no_python_code_calls_what_only_kernels_may_call() -> None:
    root = Path(sim.__file__).parent
    files = {".".join(("sim", *file.relative_to(root).with_suffix("").parts)): file for file in root.rglob("*.py")}
    assert called_from_python({module: file.read_text() for module, file in files.items()}) == set()


@pytest.mark.parametrize(
    "python", ["from sim.a import f\n\ndef g(): f()", "from sim.a import f as h\nh()", "from sim import a\na.f()"]
)
def test_a_call_from_python_is_found(python: str) -> None:
    kernels = "@inner\ndef f(): pass\n\n@kernel\ndef k(): f()\n"
    assert called_from_python({"sim.a": kernels, "sim.b": python}) == {"sim.a.f"}
    assert called_from_python({"sim.a": kernels, "sim.b": "from sim.a import k\nk()"}) == set()
