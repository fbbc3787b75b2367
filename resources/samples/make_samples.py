"""Make the bundled samples from the UCI data that scikit-learn ships.

    python resources/samples/make_samples.py

The result is committed; run this only to make it anew. It always writes the same files.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from PIL import Image
from sklearn.datasets import load_breast_cancer, load_digits

HERE = Path(__file__).parent
PER_DIGIT = 60
SIZE = 96


def digits() -> None:
    """Write 600 handwritten digits in no telling order, and a table of them with the truth."""
    data = load_digits()
    chosen = np.sort(
        np.concatenate([np.flatnonzero(data.target == digit)[:PER_DIGIT] for digit in range(10)])
    )
    folder = HERE / "digits"
    folder.mkdir(exist_ok=True)
    with (HERE / "digits.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["file", "digit"])
        for row, number in enumerate(chosen):
            name = f"scan-{row + 1:03d}.png"
            ink = 255 - np.rint(data.images[number] / 16 * 255).astype(np.uint8)
            picture = Image.fromarray(ink).resize((SIZE, SIZE), Image.Resampling.BICUBIC)
            picture.save(folder / name, optimize=True)
            table.writerow([f"digits/{name}", int(data.target[number])])


def tumours() -> None:
    """Write 569 breast-tumour measurements as a table."""
    data = load_breast_cancer()
    with (HERE / "tumours.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["case", *data.feature_names, "diagnosis"])
        for row, (values, target) in enumerate(zip(data.data, data.target, strict=True), 1):
            measures = [format(value, ".6g") for value in values]
            table.writerow([f"case-{row:03d}", *measures, data.target_names[target]])


if __name__ == "__main__":
    digits()
    tumours()
