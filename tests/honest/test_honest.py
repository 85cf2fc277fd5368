"""What decent notebooks do works in the jail, at the full level and at the smaller one."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from headcheck.jail.client import Jail, Limits
from headcheck.jail.errors import JailUnavailable
from headcheck.jail.layers import LANDLOCK, LAYERS, SECCOMP
from stage import let_children_read_python

LEVELS = {"A": LAYERS, "B": (LANDLOCK, SECCOMP)}


@pytest.fixture(scope="module", params=LEVELS)
def level_jail(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Jail]:
    folder = tmp_path_factory.mktemp("source")
    (folder / "words.csv").write_text("word,count\nne,3\nüçün,4\n", encoding="utf-8")
    (folder / "data").mkdir()
    (folder / "data" / "more.txt").write_text("more")
    (folder / "answers.ipynb").write_text("secret")
    (folder / ".hidden").write_text("secret")
    (folder / "link").symlink_to("/etc/hostname")
    with pytest.MonkeyPatch.context() as patch:
        let_children_read_python(patch)
        with Jail(layers=LEVELS[request.param], limits=Limits(memory_mb=1024, cpu_s=120)) as jail:
            jail.offer_files(folder)
            try:
                jail.spawn().close()
            except JailUnavailable as error:
                pytest.skip(f"no jail of level {request.param} here: {error}")
            yield jail


TRAINING = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
x = torch.randn(64, 8); y = (x.sum(1, keepdim=True) > 0).float()
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 20)
losses = []
for epoch in range(20):
    for batch, target in DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True):
        optimizer.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(model(batch), target)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    schedule.step()
    losses.append(loss.item())
losses[-1] < losses[0]
"""

# name -> code whose last line is True
HONEST = {
    "training": TRAINING,
    "attention layers": (
        "import torch\nm = torch.nn.MultiheadAttention(16, 4, batch_first=True)\nm(*[torch.randn(2, 5, 16)] * 3)[1].shape"
        " == (2, 5, 5)"
    ),
    "a transformer layer": (
        "import torch\ntorch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)(torch.randn(2, 3, 16)).shape[1] == 3"
    ),
    "matplotlib": (
        "%matplotlib inline\nimport matplotlib.pyplot as plt\nimport numpy as np\nfig, axes = plt.subplots(1, 2)\n"
        "axes[0].imshow(np.eye(4)); axes[1].plot([1, 2]); axes[0].set_title('başlıq')\nplt.tight_layout(); plt.show(); True"
    ),
    "a figure in a file": (
        "import matplotlib.pyplot as plt, os\nplt.plot([1, 2]); plt.savefig('f.png'); os.path.getsize('f.png') > 100"
    ),
    "a figure in memory": (
        "import io, matplotlib.pyplot as plt\nb = io.BytesIO(); plt.plot([1]); plt.savefig(b); len(b.getvalue()) > 100"
    ),
    "harmless magics": (
        "%config InlineBackend.figure_format = 'retina'\n%precision 3\n%pwd\n%who\n%time 1\n%timeit -n1 -r1 1\n"
        "%load_ext autoreload\n%autoreload 2\nTrue"
    ),
    "a cell magic": "%%time\nx = 1\nTrue",
    "a magic's capture": "%%capture out\nprint('quiet')",
    "torch.save": (
        "import torch\nm = torch.nn.Linear(2, 2); torch.save(m.state_dict(), 'm.pt'); n = torch.nn.Linear(2, 2)\n"
        "n.load_state_dict(torch.load('m.pt')); torch.equal(n.weight, m.weight)"
    ),
    "torch.save in memory": (
        "import io, torch\nb = io.BytesIO(); torch.save({'a': torch.ones(1)}, b); b.seek(0); 'a' in torch.load(b)"
    ),
    "numpy files": "import numpy as np\nnp.save('a.npy', np.eye(2)); np.load('a.npy').shape == (2, 2)",
    "tempfile": (
        "import tempfile, os\nwith tempfile.TemporaryDirectory() as d:\n    open(d + '/x', 'w').write('y')\n"
        "with tempfile.NamedTemporaryFile() as f: n = f.write(b'ab')\nn == 2"
    ),
    "pathlib": ("from pathlib import Path\nPath('sub').mkdir(); Path('sub/a').write_text('x'); Path('sub/a').exists()"),
    "asyncio": (
        "import asyncio\nasync def f(): await asyncio.sleep(0); return 4\nawait asyncio.gather(f(), f()) == [4, 4]"
    ),
    "asyncio in a thread": (
        "import asyncio, threading\nr = []\nasync def f(): r.append(1)\n"
        "t = threading.Thread(target=lambda: asyncio.run(f())); t.start(); t.join(); r == [1]"
    ),
    "threads": (
        "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(8) as p: r = list(p.map(abs, [-1, 2]))\n"
        "r == [1, 2]"
    ),
    "more torch threads": (
        "import torch\ntorch.set_num_threads(2)\nx = torch.randn(300, 300, requires_grad=True); (x @ x).sum().backward()\n"
        "x.grad is not None"
    ),
    "getsource": "import inspect\ndef f():\n    return 1\n'return 1' in inspect.getsource(f)",
    "getsource of a class": (
        "import inspect\nclass A:\n    def f(self): return 7\n'return 7' in inspect.getsource(A.f)"
    ),
    "dataclasses": (
        "from dataclasses import dataclass, field\n@dataclass(slots=True)\nclass C:\n    x: int = 1\n"
        "    y: list[int] = field(default_factory=list)\nC() == C()"
    ),
    "annotations": (
        "from __future__ import annotations\nimport typing\nclass C:\n    x: 'C'\ntyping.get_type_hints(C)['x'] is C"
    ),
    "pickle of own classes": (
        "import pickle\nclass A:\n    def __init__(self): self.x = 5\npickle.loads(pickle.dumps(A())).x == 5"
    ),
    "deepcopy": "import copy, torch\nm = torch.nn.Linear(1, 1)\ncopy.deepcopy(m).weight == m.weight",
    "getuser": "import getpass\ngetpass.getuser() == 'student'",
    "lazy imports": (
        "import sqlite3, ssl, unittest, decimal, statistics, csv, zoneinfo, uuid, secrets, html, xml.dom, logging.config\n"
        "import encodings.idna, multiprocessing, concurrent.futures, urllib.request, email.mime.text\nTrue"
    ),
    "scientific imports": "import torch.fft, torch.linalg, numpy.linalg, numpy.random\nTrue",
    "sqlite in memory": "import sqlite3\nsqlite3.connect(':memory:').execute('select 1').fetchone() == (1,)",
    "a data file": (
        "import csv\nrows = list(csv.DictReader(open('words.csv', encoding='utf-8')))\nrows[1]['word'] == 'üçün'"
    ),
    "a data file in a folder": "open('data/more.txt').read() == 'more'",
    "the folder's files": "import os\n{'data', 'words.csv'} <= set(os.listdir())",
    "numpy from a file": (
        "import numpy as np\nnp.loadtxt('words.csv', delimiter=',', skiprows=1, usecols=1).sum() == 7"
    ),
    "warnings": "import warnings\nwarnings.warn('careful'); warnings.simplefilter('ignore'); True",
    "logging": "import logging\nlogging.basicConfig(level='INFO'); logging.info('hello'); True",
    "tqdm": (
        "try:\n    from tqdm import tqdm\nexcept ImportError:\n    tqdm = list\nlist(tqdm(range(3))) == [0, 1, 2]"
    ),
    "unicode names": "öğrenci = 'şəkil'; π = 3.14\nprint(öğrenci, π, '日本語', '🙂'); öğrenci == 'şəkil'",
    "input is refused, not waited for": (
        "try:\n    input('?')\nexcept BaseException as error:\n    ended = True\nended"
    ),
    "time and dates": (
        "import time, datetime\ntime.sleep(0.01); datetime.datetime.now().astimezone().tzinfo is not None"
    ),
    "random numbers": (
        "import random, numpy, torch, os\nrandom.seed(1); numpy.random.default_rng(1); torch.manual_seed(1); len(os.urandom(4)) == 4"
    ),
    "memory tricks": "import mmap, ctypes, weakref, gc\nmmap.mmap(-1, 4096); gc.collect(); True",
    "signals of one's own": "import signal\nsignal.signal(signal.SIGUSR1, lambda *a: None) is not None",
    "an own torch mode": (
        "import torch\nwith torch.no_grad(), torch.autograd.set_detect_anomaly(False): x = torch.ones(1)\nbool(x == 1)"
    ),
    "torch.func": "import torch\ntorch.allclose(torch.func.vmap(torch.sin)(torch.ones(3)), torch.ones(3).sin())",
    "autocast": (
        "import torch\nwith torch.autocast('cpu', dtype=torch.bfloat16): y = torch.ones(2, 2) @ torch.ones(2, 2)\ny.dtype == torch.bfloat16"
    ),
    "the profiler": "import torch\nwith torch.profiler.profile() as p: torch.ones(2) + 1\nlen(p.key_averages()) > 0",
    "jit": ("import torch\n@torch.jit.script\ndef f(x: torch.Tensor):\n    return x + 1\nf(torch.ones(1)).item() == 2"),
    "no gpu": "import torch\nnot torch.cuda.is_available()",
    "display": "from IPython.display import display, HTML, Markdown\ndisplay(HTML('<b>x</b>')); display(3); True",
    "subclassing Module": (
        "import torch\nclass M(torch.nn.Module):\n    def __init__(self):\n        super().__init__(); self.l = torch.nn.Linear(2, 2)\n"
        "    def forward(self, x): return self.l(x)\nprint(M()); sum(p.numel() for p in M().parameters()) == 6"
    ),
}


@pytest.mark.parametrize("what", HONEST)
def test_what_decent_notebooks_do_works(level_jail: Jail, what: str):
    code = HONEST[what]
    with level_jail.spawn() as child:
        result = child.run_cell(0, code, 30)
        assert result.error is None, result.error
        assert result.died is None
        if "%%" not in code:
            assert "True" in result.result, result


def test_a_loader_with_workers_works_with_a_note(level_jail: Jail):
    code = """
import torch
from torch.utils.data import DataLoader, Dataset
class Numbers(Dataset):
    def __len__(self): return 6
    def __getitem__(self, i): return torch.tensor(i)
loader = DataLoader(Numbers(), 2, num_workers=4, persistent_workers=True, prefetch_factor=2, timeout=5)
[batch.tolist() for batch in loader], loader.num_workers
"""
    with level_jail.spawn() as child:
        result = child.run_cell(0, code, 10)
        assert result.result == "([[0, 1], [2, 3], [4, 5]], 0)"
        assert "num_workers=0" in result.stderr
        wrong = child.run_cell(1, "DataLoader()", 10)
        assert wrong.error is not None
        assert "dataset" in wrong.error.message
        assert child.run_cell(2, "list(DataLoader([1, 2]))", 10).stderr == ""


@pytest.mark.parametrize("use", ["torch.compile(f)", "torch.compile(f, mode='max-autotune')", "torch.compile()(f)"])
def test_compiled_code_runs_as_it_is_written_with_a_note(level_jail: Jail, use: str):
    with level_jail.spawn() as child:
        result = child.run_cell(0, f"import torch\ndef f(x): return x + 1\ng = {use}\ng(torch.ones(1)).item()", 10)
        assert result.result == "2.0"
        assert "torch.compile" in result.stderr


def test_a_compiled_module_runs_as_it_is_written(level_jail: Jail):
    code = "import torch\nm = torch.nn.Linear(1, 1)\nm.compile()\n@torch.compile\ndef f(x): return m(x)\nf(torch.ones(1)).shape[0]"
    with level_jail.spawn() as child:
        assert child.run_cell(0, code, 10).result == "1"


def test_files_of_the_assignment_can_be_read_and_not_changed(level_jail: Jail):
    with level_jail.spawn() as child:
        for attempt in ("open('words.csv', 'a')", "open('words.csv', 'w')", "os.chmod('words.csv', 0o777)"):
            child.run_cell(0, "import os", 5)
            assert not child.run_cell(1, attempt, 5).ok
        child.run_cell(2, "os.unlink('words.csv')", 5)
    with level_jail.spawn() as child:
        assert child.run_cell(0, "open('words.csv').readline()", 5).result == r"'word,count\n'"


def test_answers_links_and_hidden_files_are_not_offered(level_jail: Jail):
    with level_jail.spawn() as child:
        for name in ("answers.ipynb", ".hidden", "link"):
            assert not child.run_cell(0, f"open({name!r})", 5).ok


def test_the_copies_are_removed_with_the_jail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "a.txt").write_text("a")
    copies = tmp_path / "tmp"
    copies.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(copies))
    with Jail() as jail:
        jail.offer_files(tmp_path / "source")
        assert [path.name for path in copies.glob("*/*")] == ["a.txt"]
        jail.offer_files(None)
    assert list(copies.iterdir()) == []
