"""The numbers that the paper prints."""

__all__ = ["TABLE1", "TABLE2", "TABLE3"]

#: Success in percent, queries per search, milliseconds.
TABLE1 = {
    "yeast": {"angular": (22.4, 3.8, 4.7), "bisecting": (16.5, 10.3, 3.6), "Sarawagi": (16.4, 43.2, 18.5)},
    "rcv1": {"angular": (25.6, 4.8, 4.4), "bisecting": (18.2, 12.7, 5.2), "Sarawagi": (18.0, 49.0, 20.9)},
}
#: Acc, label loss, MiF1, MaF1.
TABLE2 = {
    "yeast": {"slack": (0.54, 0.205, 0.661, 0.651), "margin": (0.545, 0.204, 0.666, 0.654)},
    "rcv1": {"slack": (0.676, 0.023, 0.755, 0.747), "margin": (0.662, 0.023, 0.753, 0.742)},
}
TABLE3 = {"slack": (0.3798, 0.0105, 0.3917, 0.3880), "margin": (0.3327, 0.0110, 0.3394, 0.3378)}
