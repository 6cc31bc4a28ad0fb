"""What the estimators reach on real data, beside other tools: `python -m benchmarks.accuracy` writes docs/results.md."""
