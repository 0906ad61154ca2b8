"""The only Python that may be asked about: imports from a list, attributes, constants, and calls that only tell.

A template, not an analysis: what is not written in one of these forms is code.
"""

import ast
import re

from replay.policy.judgement import Problem

_LONGEST = 4000
_MODULES = re.compile(
    r"(torch|vllm|triton|transformers|numpy|sys|platform|flash_attn|xformers|tokenizers|safetensors|gguf|accelerate"
    r"|bitsandbytes|deepspeed|sglang|cupy|pandas|scipy|onnx|onnxruntime|tensorflow|jax|peft|datasets|ray|flashinfer"
    r"|importlib\.metadata|importlib\.util|torch\.version|torch\.cuda|torch\.utils|os\.path|json|math)(\.version)?"
)
_CALL_NAMES = """
    print len str int float repr round sorted list tuple dict bool min max sum enumerate zip type hasattr
    torch.cuda.is_available torch.cuda.device_count torch.cuda.get_device_name torch.cuda.get_device_properties
    torch.cuda.get_device_capability torch.cuda.get_arch_list torch.cuda.memory_allocated torch.cuda.mem_get_info
    torch.cuda.current_device torch.cuda.nccl.version torch.backends.cudnn.version torch.cuda.is_bf16_supported
    torch.backends.cudnn.is_available torch.distributed.is_available torch.distributed.is_nccl_available
    torch.__config__.show torch.get_num_threads importlib.metadata.version version importlib.util.find_spec
    platform.platform platform.machine platform.python_version os.path.exists os.path.dirname os.path.isfile
    os.path.isdir
"""
_CALLS = frozenset(_CALL_NAMES.split())
_DUNDERS = frozenset({"__version__", "__file__", "__config__", "__name__", "__path__"})
_REMOVES = frozenset(["remove", "unlink", "rmdir", "removedirs", "rmtree", "truncate", "kill", "killpg", "terminate"])
_FROM = ("importlib.metadata", [("version", None)], 0)
_NODES = (
    ast.Module, ast.Expr, ast.Import, ast.ImportFrom, ast.alias, ast.Call, ast.Attribute, ast.Name, ast.Load, ast.Store,
    ast.Constant, ast.Assign, ast.JoinedStr, ast.FormattedValue, ast.Subscript, ast.Tuple, ast.List, ast.keyword,
    ast.BinOp, ast.Add, ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Compare, ast.Eq, ast.NotEq, ast.Lt,
    ast.LtE, ast.Gt, ast.GtE, ast.Is, ast.IsNot, ast.UnaryOp, ast.Not, ast.USub, ast.Slice, ast.IfExp, ast.And, ast.Or,
    ast.BoolOp, ast.In, ast.NotIn,
)  # fmt: skip
_CODE = Problem("code", "python: the program is more than looking at versions and devices")
_LOOKS = Problem("read-intrusive", "python: imports packages, which may open a GPU context and write caches")


def judge_source(source: str) -> Problem:
    """Return what a program given by ``-c`` does: ``read-intrusive`` only if every part of it is on the list."""
    try:
        tree = ast.parse(source) if len(source) <= _LONGEST else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _CODE
    if tree is None:
        return _CODE
    nodes = list(ast.walk(tree))
    if any(isinstance(node, ast.Call) and _name(node.func).rpartition(".")[2] in _REMOVES for node in nodes):
        return Problem("destructive", "python: the program removes or ends something")
    return _LOOKS if all(_known(node) for node in nodes) and _names_stay(nodes) else _CODE


def _known(node: ast.AST) -> bool:
    """Tell whether a node is one of the forms on the list."""
    match node:
        case ast.Import(names=names):
            return all(_MODULES.fullmatch(alias.name) and alias.asname in {None, _usual(alias.name)} for alias in names)
        case ast.ImportFrom(module=module, names=names, level=level):
            return (module, [(alias.name, alias.asname) for alias in names], level) == _FROM
        case ast.Call(func=function, keywords=keywords):
            return _name(function) in _CALLS and all(keyword.arg in {"sep", "end"} for keyword in keywords)
        case ast.Attribute(attr=name):
            return not name.startswith("__") or name in _DUNDERS
        case ast.Assign(targets=targets):
            return len(targets) == 1 and isinstance(targets[0], ast.Name)
    return isinstance(node, _NODES)


def _names_stay(nodes: list[ast.AST]) -> bool:
    """Tell whether no name that is called or imported is given another meaning."""
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    called = {name.partition(".")[0] for name in _CALLS}
    return not stored & called and not any(_MODULES.fullmatch(name) for name in stored)


def _usual(module: str) -> str | None:
    return {"numpy": "np", "pandas": "pd", "tensorflow": "tf"}.get(module)


def _name(node: ast.expr) -> str:
    """Return the dotted name of an expression, empty if it is more than that."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ".".join(["", *reversed(parts)])
