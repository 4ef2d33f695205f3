"""The sample models of Highwater, layer by layer. See scripts/make_samples.py."""
