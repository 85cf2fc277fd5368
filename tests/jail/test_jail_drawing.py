"""Notebooks that draw work whether pyplot was made ready for them or not; those that only import it do not pay."""

import pytest
from headcheck.jail import launcher
from headcheck.jail.client import Jail
from headcheck.jail.errors import JailUnavailable

LOADED = "import sys\nprint(type(sys.modules['matplotlib.pyplot']) is type(sys))"

NOTEBOOKS = {
    "plain": ["import matplotlib.pyplot as plt", "plt.plot([1, 2])\nplt.show()\nprint(len(plt.get_fignums()))"],
    "inline": [
        "%matplotlib inline\nimport matplotlib.pyplot as plt",
        "figure, axes = plt.subplots(1, 2)\naxes[0].imshow([[1, 2]])\nplt.show()\nprint(len(axes))",
    ],
    "config": [
        "%matplotlib inline\n%config InlineBackend.figure_format = 'retina'",
        "import matplotlib.pyplot as plt\nplt.rcParams['figure.figsize'] = (3, 2)",
        "plt.figure()\nprint(plt.gcf().get_figwidth())",
    ],
    "star": ["from matplotlib.pyplot import *", "figure()\nprint(gca().get_title() == '')"],
    "pylab": ["from matplotlib import pyplot, pylab", "print(pylab.plot is pyplot.plot)"],
    "agg": [
        "import matplotlib\nmatplotlib.use('Agg')\nfrom matplotlib import pyplot as plt",
        "plt.bar([1], [2])\nplt.savefig('picture.png')\nimport os\nprint(os.path.getsize('picture.png') > 1000)",
    ],
    "figure": [
        "from matplotlib.figure import Figure\nimport matplotlib.cm as cm",
        "print(len(Figure().subplots(2)), cm.viridis(0)[3])",
    ],
    "style": [
        "import matplotlib as mpl\nimport matplotlib.pyplot as plt\nplt.style.use('ggplot')",
        "print(mpl.rcParams['axes.grid'])",
    ],
}


@pytest.fixture(scope="module", params=[(), ("drawing",)], ids=["not likely", "likely"])
def jail(request):
    try:
        launcher.launch_ahead(request.param)
        with Jail() as made:
            made.spawn().close()
            yield made
    except JailUnavailable as error:
        pytest.skip(f"no jail on this machine: {error}")


@pytest.mark.parametrize("cells", NOTEBOOKS.values(), ids=NOTEBOOKS)
def test_a_notebook_that_draws_runs_without_a_word(jail, cells):
    with jail.spawn() as child:
        results = [child.run_cell(number, cell, 20) for number, cell in enumerate(cells)]
    assert [(result.error, result.died) for result in results] == [(None, None)] * len(cells)
    assert [result.stderr for result in results] == [""] * len(cells)
    assert results[-1].stdout.strip() not in ("", "False")


def test_a_notebook_that_only_imports_pyplot_does_not_load_it():
    launcher.launch_ahead(())
    with Jail() as jail, jail.spawn() as child:
        assert child.run_cell(0, "%matplotlib inline\nimport matplotlib.pyplot as plt", 20).error is None
        assert child.run_cell(1, LOADED, 20).stdout == "False\n"
        assert child.run_cell(2, f"plt.figure()\n{LOADED}", 20).stdout.startswith("True\n")
