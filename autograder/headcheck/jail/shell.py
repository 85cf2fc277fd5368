"""An IPython shell without a terminal, a history, threads or files, so that cells behave as they do in Jupyter."""

import ast
import contextlib
import inspect
import itertools
import sys
import tempfile
import types
from typing import Any

from IPython.core.compilerop import CachingCompiler
from IPython.core.displayhook import DisplayHook
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.text import SList
from traitlets import Type
from traitlets.config import Config

from headcheck.i18n import _
from headcheck.jail import faults
from headcheck.jail.deferred import put_off

# Magics that start a program in their own way; the others come through `system` and `getoutput`.
_PROGRAM_MAGICS = ("bash", "sh", "script", "perl", "ruby", "pypy", "python2", "python3", "python", "system", "sx", "!")


class CellCompiler(CachingCompiler):  # type: ignore[misc]
    """Compiles a cell under a name that holds its index in the notebook."""

    index = 0
    parsed: tuple[str, ast.Module] | None = None
    """The text that was parsed last, and what it is."""

    def ast_parse(self, source: str, filename: str = "<unknown>", symbol: str = "exec") -> ast.AST:
        """Parse a cell, unless that was done to see whether it is Python."""
        (text, tree), self.parsed = self.parsed or ("", None), None
        return tree if tree is not None and text == source else super().ast_parse(source, filename, symbol)

    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:
        """Name the code after the cell that is running."""
        return faults.cell_filename(self.index, raw_code)


class ResultHook(DisplayHook):  # type: ignore[misc]
    """Keeps the text of a cell's last expression instead of printing it."""

    text = ""

    def write_output_prompt(self) -> None:
        """Print no prompt."""

    def write_format_data(self, format_dict: dict[str, Any], md_dict: dict[str, Any] | None = None) -> None:
        """Keep the plain text, drop everything else."""
        self.text = str(format_dict.get("text/plain", ""))

    def finish_displayhook(self) -> None:
        """Print nothing afterwards."""
        self._is_active = False


class JailShell(InteractiveShell):  # type: ignore[misc]
    """IPython's shell; errors are kept for the caller instead of being printed, and programs are politely refused."""

    compiler_class = Type(CellCompiler)
    displayhook_class = Type(ResultHook)
    refusal = ""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._own_transformers = self._transformers()

    def _transformers(self) -> list[Any]:
        """List what changes a cell before it runs; a notebook may add to it."""
        manager = self.input_transformer_manager
        lists = (manager.cleanup_transforms, manager.line_transforms, manager.token_transformers)
        return [*itertools.chain(*lists, self.input_transformers_post)]

    def transform_cell(self, raw_cell: str) -> str:
        """Make Python of what IPython adds to it; plain Python is left alone.

        IPython's own look for magics is a tokenizer in Python, which takes longer than most cells of a notebook.
        """
        tree = _plain_python(raw_cell) if self._transformers() == self._own_transformers else None
        if tree is None:
            return str(super().transform_cell(raw_cell))
        cell = raw_cell if raw_cell.endswith("\n") else f"{raw_cell}\n"
        self.compile.parsed = cell, tree
        return cell

    def should_run_async(self, raw_cell: str, *, transformed_cell: str, preprocessing_exc_tuple: Any = None) -> bool:
        """Whether a cell waits for something outside of a function; without the words there is nothing to look for."""
        if "await" not in transformed_cell and "async" not in transformed_cell:
            return False
        return bool(
            super().should_run_async(
                raw_cell, transformed_cell=transformed_cell, preprocessing_exc_tuple=preprocessing_exc_tuple
            )
        )

    async def run_ast_nodes(
        self,
        nodelist: list[ast.stmt],
        cell_name: str,
        interactivity: str = "last_expr",
        compiler: Any = compile,
        result: Any = None,
    ) -> bool:
        """Compile all statements together: IPython compiles each by itself, which may take longer than to run them.

        When one is refused, such as a `return` outside a function, IPython's way still runs those before it.
        """
        if not nodelist:
            return False
        codes = _compiled(nodelist, cell_name, compiler) if interactivity == "last_expr" else None
        if codes is None:
            return bool(await super().run_ast_nodes(nodelist, cell_name, interactivity, compiler, result))
        for code in codes:
            if await self.run_code(code, result, async_=bool(code.co_flags & inspect.CO_COROUTINE)):
                return True
        return False

    def _tee(self, channel: str) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()  # output is captured outside; a second copy would only use memory

    def _showtraceback(self, etype: object, evalue: object, stb: object) -> None:
        """Print nothing: the agent describes the error."""

    def showtraceback(self, *args: object, **kwargs: object) -> None:
        """Format nothing: the agent describes the error."""

    def _format_exception_for_storage(self, *args: object, **kwargs: object) -> list[str]:
        """Colour nothing for a history that nobody reads."""
        return []

    def showsyntaxerror(self, *args: object, **kwargs: object) -> None:
        """Format nothing: the agent describes the error."""

    def system(self, cmd: str) -> None:
        """Refuse `!program`."""
        self.user_ns["_exit_code"] = 127
        print(self.refusal.format(program=cmd), file=sys.stderr)

    def getoutput(self, cmd: str, split: bool = True, depth: int = 0) -> Any:
        """Refuse `x = !program`; its output is empty."""
        self.system(cmd)
        return SList() if split else ""

    def run_cell_magic(self, magic_name: str, line: str, cell: str) -> Any:
        """Run a cell magic, unless it would start a program."""
        if magic_name in _PROGRAM_MAGICS:
            return self.system(f"%%{magic_name} {line}".strip())
        return super().run_cell_magic(magic_name, line, cell)

    def enable_gui(self, gui: object = None) -> None:
        """Do nothing on `%matplotlib`: there is no window to serve."""

    def enable_matplotlib(self, gui: str | None = None) -> tuple[str | None, str | None]:
        """Do what `%matplotlib` says; what is often said for nothing, `%matplotlib inline`, when something is drawn."""
        enable = super().enable_matplotlib
        if gui == "inline" and put_off("matplotlib.pyplot", lambda: enable(gui)):
            return None, gui
        gui, backend = enable(gui)
        return gui, backend

    def ask_exit(self) -> None:
        """Do nothing on `exit` and `quit`, as a notebook does."""

    def run(self, index: int, source: str) -> tuple[BaseException | None, str]:
        """Run one cell.

        Args:
            index: the cell's index in the notebook.
            source: its text, magics and top-level await included.

        Returns:
            The exception that ended it, if any, and the plain text of its last expression.
        """
        self.compile.index = index
        self.displayhook.text = ""
        result = self.run_cell(source, store_history=True)
        error = result.error_before_exec or result.error_in_exec
        return error, self.displayhook.text


def _plain_python(source: str) -> ast.Module | None:
    """Parse a cell that is Python already, and that IPython would not change a thing in; None for any other."""
    if source[:1].isspace() or source.startswith("In ["):  # indented as a whole, or pasted with its prompt
        return None
    if len(source.splitlines()) < 2:  # a single line may be the name of something that IPython then calls
        return None
    if "\\" in source:  # an odd escape would be warned of here, and once more when the cell runs
        return None
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _compiled(statements: list[ast.stmt], cell_name: str, compiler: Any) -> list[types.CodeType] | None:
    """Compile all statements of a cell, and by itself a last one whose value is shown; None when one is refused."""
    shown = statements[-1:] if isinstance(statements[-1], ast.Expr) else []
    parts: list[tuple[ast.AST, str]] = [(ast.Module(statements[: len(statements) - len(shown)], []), "exec")]
    if shown:
        parts.append((ast.Interactive(shown), "single"))
    try:
        with compiler.extra_flags(ast.PyCF_ALLOW_TOP_LEVEL_AWAIT):
            return [compiler(part, cell_name, mode) for part, mode in parts]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def build_shell() -> JailShell:
    """Build the shell on a fresh `__main__` module; nothing stays on disk.

    Returns:
        The shell; its `user_module` is what the notebook's classes belong to.
    """
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.autoindent = False
    config.InteractiveShell.xmode = "Minimal"
    with tempfile.TemporaryDirectory() as folder:
        shell: JailShell = JailShell.instance(
            config=config, ipython_dir=folder, user_module=types.ModuleType("__main__")
        )
    shell.refusal = _("cannot run programs while grading: {program}")  # the jail itself holds no translations
    shell.display_formatter.active_types = ["text/plain"]
    return shell
