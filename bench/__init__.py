"""Benchmarks: cases are data, everything is compared with MuJoCo in one run."""
