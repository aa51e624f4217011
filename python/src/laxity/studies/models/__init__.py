"""Simulations of models with a known answer: ``laxity queueing``, ``laxity pcs`` and ``laxity epidemic``."""

from laxity.studies.models.study import ModelStudy

STUDY = ModelStudy
