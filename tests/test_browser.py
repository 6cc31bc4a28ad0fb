"""Pages in a real browser, headless: nothing sticks out of a phone or a desk, no labels of charts overlap, all text can be read."""

import html
import json
import re
import shutil
import subprocess

import numpy as np
import pytest

import taut
from taut.cli.demo import compare
from taut.cli.demo_page import write_report
from taut.cli.digits import tasks
from taut.datasets import make_multilabel
from taut.report import write_page

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on the path: install it to see the pages as people do")

# Frames of several widths hold the page; their layout is measured and written into the outer document, which the browser prints.
OUTER = """<!DOCTYPE html><meta charset="utf-8"><body>%s<script>
const linear = v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
const brightness = color => {
  const [r, g, b] = color.match(/[\\d.]+/g).map(v => linear(v / 255)); return 0.2126 * r + 0.7152 * g + 0.0722 * b };
const contrast = (a, b) => {
  const [x, y] = [brightness(a), brightness(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05) };
onload = () => { const told = [...document.querySelectorAll("iframe")].map(frame => {
  const inner = frame.contentDocument, style = e => frame.contentWindow.getComputedStyle(e);
  const page = style(inner.body).backgroundColor, overlaps = [], faint = [];
  for (const svg of inner.querySelectorAll("svg")) {
    const boxes = [...svg.querySelectorAll("text")].map(e => [e.textContent, e.getBoundingClientRect()]);
    boxes.forEach(([s, a], i) => boxes.slice(i + 1).forEach(([t, b]) => {
      if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) overlaps.push(s + " / " + t) }));
    const whole = svg.getBoundingClientRect();
    boxes.forEach(([s, a]) => { if (a.left < whole.left - 1 || a.right > whole.right + 1) overlaps.push(s + " / frame") });
  }
  for (const e of inner.querySelectorAll("h1, h2, p, dt, dd, th, td, figcaption, summary, a, i, svg text, tspan")) {
    const ratio = contrast(e.ownerSVGElement ? style(e).fill : style(e).color, page);
    if (ratio < 4.5) faint.push([e.textContent.slice(0, 30), ratio]) }
  const sizes = [...inner.querySelectorAll("svg text")].map(e => 12 * e.getScreenCTM().a);
  return {dark: matchMedia("(prefers-color-scheme: dark)").matches, shown: inner.body.innerText.length,
          sticks_out: inner.documentElement.scrollWidth - inner.documentElement.clientWidth, overlaps, faint,
          least_text: Math.min(99, ...sizes)} });
  document.body.innerHTML = "<pre id=told></pre>"; document.getElementById("told").textContent = JSON.stringify(told) };
</script></body>"""


def seen(page, folder, dark):
    """What the browser tells of a page in frames of a phone's, a tablet's and a desk's width."""
    text = html.escape(page.read_text(encoding="utf-8"))
    frames = "".join(f'<iframe srcdoc="{text}" width={width} height=900></iframe>' for width in (360, 800, 1400))
    outer = folder / "outer.html"
    outer.write_text(OUTER % frames, encoding="utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=5000"]
    scheme = f"--blink-settings=preferredColorScheme={0 if dark else 1}"
    command = [BROWSER, *flags, scheme, "--dump-dom", outer.as_uri()]
    printed = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    found = re.search(r'<pre id="told">(.*?)</pre>', printed, re.DOTALL)
    assert found, printed[-2000:]
    return json.loads(html.unescape(found[1]))


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The page about a model with long names, and the demo's."""
    folder = tmp_path_factory.mktemp("pages")
    X, Y, _ = make_multilabel(40, 3, 4, edges="full", noise=0.2, rng=0)
    model = taut.MultiLabelSSVM(edges="full").fit(X, Y)
    model.classes_ = np.array(["sport and leisure", "economy", "B-LongestChunkNameOfAll", "x"])
    write_page(folder / "model.html", model, "a model of the news with a rather long title", {"test data": (Y, model.predict(X))})
    made = list(tasks(40, 0))
    write_report(folder, made, list(compare(made, folder)))
    return folder


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["model.html", "index.html"])
def test_pages_can_be_read_at_every_width(pages, tmp_path, name, dark):
    told = seen(pages / name, tmp_path, dark)
    assert len(told) == 3
    for frame in told:
        assert frame["dark"] == dark and frame["shown"] > 500
        assert frame["sticks_out"] <= 0
        assert not frame["overlaps"] and not frame["faint"]
        assert frame["least_text"] >= 9
