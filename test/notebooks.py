"""Runs the notebooks through Jupyter's own client; for .ci/run.

Usage: notebooks.py PREFIX NOTEBOOK...; PREFIX is where `blocklab kernel install --prefix` put the kernel.
"""

import os
import sys

import nbformat
from nbclient import NotebookClient

prefix, *notebooks = sys.argv[1:]
os.environ["JUPYTER_PATH"] = os.path.join(prefix, "share", "jupyter")
for path in notebooks:
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        kernel_name="blocklab",
        timeout=120,
        resources={"metadata": {"path": os.path.dirname(os.path.abspath(path))}},
    )
    client.execute()
    results = sum(bool(cell.get("outputs")) for cell in notebook.cells if cell.cell_type == "code")
    print(f"{path}: {results} cells with outputs")
    if results == 0:
        sys.exit(f"{path} showed nothing")
