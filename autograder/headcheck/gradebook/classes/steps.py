"""Makes sure that `headcheck grade`, which does nbgrader's steps its own way, leaves none of a class's own out."""

from __future__ import annotations

from traitlets.config import Config

from headcheck.errors import UsageError
from headcheck.gradebook.config import CONFIG_FILE, configure
from headcheck.i18n import _

STEPS = {
    "Autograde": ("exporter_class", "sanitize_preprocessors", "autograde_preprocessors"),
    "GenerateFeedback": ("exporter_class", "preprocessors"),
    "BaseConverter": (),
}

HOOKS = ("pre_convert_hook", "post_convert_hook")


def refuse_other_steps(config: Config) -> None:
    """Refuse a configuration that names steps or hooks which only nbgrader's own commands run.

    Args:
        config: what the class folder's own file says.

    Raises:
        UsageError: it does.
    """
    ours = Config()
    configure(ours)
    for section, names in STEPS.items():
        for name in (*names, *HOOKS):
            if config[section].get(name, ours[section].get(name)) != ours[section].get(name):
                raise UsageError(
                    _("{file} sets {name}, which `headcheck grade` does not run; use `nbgrader autograde`").format(
                        file=CONFIG_FILE, name=f"{section}.{name}"
                    )
                )
