r"""
Two exact searches on the plane of labels
=========================================

Every labeling is a point (h, g); slack rescaling asks for the greatest product h * g. An oracle only maximises the sum
h + lambda * g. The label sought here lies strictly under the upper hull, where no choice of lambda can reach it.
"""

import matplotlib.pyplot as plt
import numpy as np

from taut.oracles import Points
from taut.plotting import draw_search
from taut.search import angular_search, lens_search

# %%
# A random set with integer losses. The seed is chosen: at most others the best label is a corner of the hull.

rng = np.random.default_rng(36)
g = rng.integers(1, 11, 24)
h = rng.uniform(0.2, 0.8, 24) * (11 - g)
points = Points(h, g)

# %%
# `lens_search` first finds the edge of the hull that supports the best multiplier. A better label can then only hide in
# the lens between that line and the hyperbola of the best label so far; questions about bands of losses (thick lines)
# look for it there. `angular_search` asks about cones (dotted), and here it needs more questions to prove as much.

fig, axes = plt.subplots(1, 2, figsize=(10.4, 5.0), layout="constrained")
for ax, search in zip(axes, (lens_search, angular_search), strict=True):
    result = search(points)
    draw_search(result, points, ax)
    ax.set_title(f"{search.__name__}: {result.n_queries} questions")
fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)

# %%
# Both results carry their certificate: no label is worth more than the upper bound, and the label found is worth it.

print(result.label, result.value, result.upper_bound, result.certified)
