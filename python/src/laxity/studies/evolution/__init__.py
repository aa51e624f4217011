"""Worlds of evolving cells: ``laxity evolve run``."""

from laxity.studies.evolution.study import EvolutionStudy

STUDY = EvolutionStudy
